package sqlite

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"payrun/ledger"
)

const (
	// isRest: every row of the sheet r was left out of an earlier sheet.
	isRest = `r.accepted_count > 0 AND r.accepted_count = (SELECT count(*) FROM origins WHERE payout_id BETWEEN r.first_payout AND r.last_payout)`
	// cameOf adds to the sheets in came those that brought only rows that a sheet in came had left out. All
	// rows of such a sheet come from one sheet, so its first row decides.
	cameOf = ` UNION SELECT r.no FROM came CROSS JOIN origins o ON o.sheet_no = came.no CROSS JOIN payouts p ON p.id = o.payout_id
		CROSS JOIN sheets r ON r.no = p.sheet_no AND r.first_payout = o.payout_id WHERE ` + isRest
)

// SheetAndRest returns a sheet and the sheets that brought only rows which it had left out, in the order of
// loading. For a sheet that brought such rows it begins with the sheet that left them out. It returns no sheet
// if that one does not exist.
func (s *Tables) SheetAndRest(ctx context.Context, sheetID string) ([]ledger.Sheet, error) {
	list, err := sheets.list(ctx, s.db, sheetAndRest, sheetID)
	return list, damage("read a sheet and its rest", err)
}

const sheetAndRest = `no IN (WITH RECURSIVE
	left_out(no) AS (SELECT no FROM sheets WHERE id = ? UNION SELECT o.sheet_no FROM left_out CROSS JOIN sheets r ON r.no = left_out.no
		CROSS JOIN origins o ON o.payout_id = r.first_payout WHERE ` + isRest + `),
	came(no) AS (SELECT min(no) FROM left_out` + cameOf + `)
	SELECT no FROM came) ORDER BY no`

// PaysBefore returns the sheet that paid the most of the given accounts before; if several did, the newest of
// them; if none did, the newest sheet. It considers the sheets loaded before sheetID (all for "") with a payout
// that was or may still be paid from the debit account. It returns ledger.ErrNotFound if there is none. paid
// holds payouts to each account (Payees.LatestPayments). A sheet that brought only rows which another had left
// out is part of that sheet.
func (s *Tables) PaysBefore(ctx context.Context, bankAccountID, sheetID string, paid map[ledger.Account][]ledger.Payment) (ledger.Sheet, error) {
	const doing = "look for the sheet before"
	ids, err := s.sharing(ctx, paid)
	if err != nil {
		return ledger.Sheet{}, damage(doing, err)
	}
	for _, id := range ids {
		if found, err := s.sheetWhere(ctx, doing, paysBefore, bankAccountID, sheetID, id); !errors.Is(err, ledger.ErrNotFound) {
			return found, err
		}
	}
	return s.sheetWhere(ctx, doing, paysBefore, bankAccountID, sheetID, "")
}

// sharing returns the sheets that paid any of the accounts: first those that paid the most of them, and of
// these the newest first.
func (s *Tables) sharing(ctx context.Context, paid map[ledger.Account][]ledger.Payment) (ids []string, err error) {
	if len(paid) == 0 {
		return nil, nil
	}
	type shared struct {
		id          string
		first, last int64 // its payouts
		accounts    int
	}
	all, err := list(ctx, s.db, func(v *shared) []any { return []any{&v.id, &v.first, &v.last} },
		`SELECT id, first_payout, last_payout FROM sheets WHERE sealed = 1 AND accepted_count > 0 ORDER BY first_payout`)
	for _, payments := range paid { // each in the order of loading
		at := -1
		for _, p := range payments {
			i, found := slices.BinarySearchFunc(all, p.PayoutID, func(v shared, id int64) int { return cmp.Compare(v.last, id) })
			if i == at || !found && (i == len(all) || all[i].first > p.PayoutID) {
				continue
			}
			at = i
			all[i].accounts++
		}
	}
	all = slices.DeleteFunc(all, func(v shared) bool { return v.accounts == 0 })
	slices.Reverse(all)
	slices.SortStableFunc(all, func(a, b shared) int { return cmp.Compare(b.accounts, a.accounts) })
	return ledger.ListOf(all, func(v shared) string { return v.id }), err
}

// paysBefore goes back sheet by sheet, or checks one sheet, and looks for only one payout in each batch.
const paysBefore = `sealed = 1 AND (?3 = '' OR id = ?3) AND (?2 = '' OR no < (SELECT no FROM sheets WHERE id = ?2))
	AND NOT EXISTS (SELECT 1 FROM sheets r WHERE r.no = sheets.no AND ` + isRest + `)
	AND EXISTS (SELECT 1 FROM batches b WHERE b.sheet_no IN (WITH RECURSIVE came(no) AS (SELECT sheets.no` + cameOf + `) SELECT no FROM came)
		AND b.route_no IN (SELECT no FROM routes WHERE bank_account_id = ?1)
		AND (b.made = 0 OR EXISTS (SELECT 1 FROM attempts a WHERE a.batch_no = b.no AND a.state NOT IN (SELECT name FROM retryable_states))))
	ORDER BY no DESC`
