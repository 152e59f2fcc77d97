package sqlite

import (
	"context"
	"strings"

	"payrun/ledger"
)

// sums are counts and sums of payouts by the state of their latest attempt.
type sums = map[ledger.PayoutState]ledger.Tally

// Tallies counts and sums the payouts by the state of their latest attempt: all, or those whose latest attempt is in
// one of the given batches.
func (s *Tables) Tallies(ctx context.Context, batchIDs ...string) (map[ledger.PayoutState]ledger.Tally, error) {
	query, args := tallied, []any(nil)
	if len(batchIDs) > 0 {
		query, args = talliedOf, []any{inList(batchIDs)}
	}
	all, err := s.tally(ctx, query, args...)
	return all[""], err
}

// SumPayouts is Tallies for the payouts of a sheet, of a debit account, or planned within some days. It ignores
// the filter's other fields.
func (s *Tables) SumPayouts(ctx context.Context, f ledger.Filter) (map[ledger.PayoutState]ledger.Tally, error) {
	from, until := (&selection{Filter: f}).planned()
	all, err := s.tally(ctx, talliedSome, f.SheetID, f.Account, from, until)
	return all[""], err
}

// SheetTallies is Tallies for each sheet, by its id.
func (s *Tables) SheetTallies(ctx context.Context) (map[string]map[ledger.PayoutState]ledger.Tally, error) {
	return s.tally(ctx, talliedBySheet)
}

// tally reads a query of counts and sums by sheet and state. The sheet is "" if the query does not group by
// sheet.
func (s *Tables) tally(ctx context.Context, query string, args ...any) (map[string]sums, error) {
	all := map[string]sums{}
	err := each(ctx, s.db, func(rows Rows) error {
		var sheet string
		var state ledger.PayoutState
		var t ledger.Tally
		err := rows.Scan(&sheet, &state, &t.Count, &t.Total)
		if all[sheet] == nil {
			all[sheet] = sums{}
		}
		all[sheet][state] = t
		return err
	}, query, args...)
	return all, damage("sum up the payouts", err)
}

func named[S ~string](states []S) []any {
	return ledger.ListOf(states, func(s S) any { return string(s) })
}

func marks(n int) string { return "?" + strings.Repeat(", ?", max(n, 1)-1) }

// The rows of batches give the sums of most payouts. All payouts of a batch that has not begun are planned. The
// attempts of a settled batch are success, except those in apartStates: few, with their own index. All others,
// mostly payouts that are at the bank, are counted one by one.
const (
	ofAttempts = `count(*) AS n, ifnull(sum(ifnull(c.amount, p.amount)), 0) AS total`
	lessThem   = `-count(*), -ifnull(sum(ifnull(c.amount, p.amount)), 0)`
	ofSettled  = ` JOIN batches b ON b.no = a.batch_no AND b.state = 'settled' JOIN payouts p ON p.id = a.payout_id` + corrected
)

var (
	tallied        = tallyBy(`0`, ``)
	talliedBySheet = tallyBy(`b.sheet_no`, ``)
	talliedOf      = tallyBy(`0`, ` AND b.id IN (SELECT value FROM json_each(?1))`)
	talliedSome    = tallyBy(`0`, ` AND (?1 = '' OR b.sheet_no = (SELECT no FROM sheets WHERE id = ?1)) AND (?2 = '' OR b.route_no IN (SELECT no FROM routes WHERE bank_account_id = ?2))
		AND b.created_at >= ?3 AND b.created_at < ?4`)
)

// tallyBy returns a tally query for the payouts whose latest attempt is in some batches b, by the number of
// their sheet, or together if sheet is 0.
func tallyBy(sheet, some string) string {
	return `SELECT ifnull((SELECT id FROM sheets WHERE no = d.sheet), ''), state, sum(n), sum(total) FROM (
		SELECT ` + sheet + ` AS sheet, 'planned' AS state, ifnull(sum(count), 0) AS n, ifnull(sum(total), 0) AS total FROM batches b WHERE state = 'planned' AND made = 0` + some + ` GROUP BY sheet
		UNION ALL SELECT ` + sheet + ` AS sheet, 'success', ifnull(sum(count), 0), ifnull(sum(total), 0) FROM batches b WHERE state = 'settled'` + some + ` GROUP BY sheet
		UNION ALL SELECT ` + sheet + ` AS sheet, 'success', ` + lessThem + ` FROM attempts a INDEXED BY attempts_apart` + ofSettled + ` WHERE ` + apartStates + some + ` GROUP BY sheet
		UNION ALL SELECT ` + sheet + ` AS sheet, 'success', ` + lessThem + ` FROM attempts a` + ofSettled + `
			WHERE a.state = 'success' AND a.payout_id IN (SELECT payout_id FROM attempts INDEXED BY attempts_further WHERE number > 1) AND NOT ` + latest + some + ` GROUP BY sheet
		UNION ALL SELECT ` + sheet + ` AS sheet, a.state, ` + ofAttempts + ` FROM attempts a INDEXED BY attempts_apart` + ofSettled + ` WHERE ` + apartStates + ` AND ` + latest + some + ` GROUP BY sheet, a.state
		UNION ALL SELECT ` + sheet + ` AS sheet, a.state, ` + ofAttempts + ` FROM batches b INDEXED BY batches_by_state CROSS JOIN attempts a ON a.batch_no = b.no JOIN payouts p ON p.id = a.payout_id` + corrected + `
			WHERE b.state <> 'settled' AND b.made = 2 AND ` + latest + some + ` GROUP BY sheet, a.state
	) d GROUP BY d.sheet, state HAVING sum(n) <> 0`
}
