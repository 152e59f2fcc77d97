package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"payrun/ledger"
)

const (
	// What an attempt sends is what its payout says, or was last corrected to by
	// then. corrected joins it to a payout p and its attempt a.
	sentColumns = `ifnull(c.amount, p.amount), ifnull(c.vendor_name, p.vendor_name), ifnull(c.bank_account_number, p.bank_account_number), ifnull(c.ifsc, p.ifsc),
		ifnull(iif(c.number IS NULL, p.remarks, c.remarks), ''), ifnull(iif(c.number IS NULL, p.open_beneficiary_id, c.open_beneficiary_id), ''),
		ifnull(iif(c.number IS NULL, p.bene_lei, c.bene_lei), '')`
	sentRoute = `ifnull(c.route_no, p.route_no)`
	corrected = ` LEFT JOIN corrections c ON c.payout_id = a.payout_id AND c.number = (SELECT max(k.number) FROM corrections k
		WHERE k.payout_id = a.payout_id AND k.number <= a.number)`
	attemptColumns = `p.id, p.row, p.ref, ` + sentColumns + `, p.sheet_no, ` + sentRoute + `, a.number, ifnull(a.wire_ref, p.ref), a.batch_no,
		a.state, ifnull(a.status, ''), ifnull(a.bank_status_code, ''), ifnull(a.open_txn_id, ''), ifnull(a.bank_txn_ref_id, ''),
		ifnull(a.failed_reads, 0), ifnull(a.reason, ''), a.updated_at, ifnull(a.resolved, '')`
	// latest keeps the newest attempt of each payout; attempts beyond the
	// first are few, and stand in a table of their own.
	latest = `NOT EXISTS (SELECT 1 FROM further_attempts n WHERE n.payout_id = a.payout_id AND n.number > a.number)`
)

// attemptReader scans attempts and adds what they share: their sheet, their
// batch and their route, each read once.
type attemptReader struct {
	sheets  map[int64]string
	routes  map[int64]ledger.Payout // the three shared fields only
	batches map[int64]batchRow
}

func newAttemptReader(ctx context.Context, r reader, f ledger.Filter) (*attemptReader, error) {
	ar := &attemptReader{sheets: map[int64]string{}, routes: map[int64]ledger.Payout{}, batches: map[int64]batchRow{}}
	err := each(ctx, r, func(rows *sql.Rows) error {
		var no int64
		var p ledger.Payout
		err := rows.Scan(&no, &p.BankAccountID, &p.SubMerchantID, &p.TransactionTypeID)
		ar.routes[no] = p
		return err
	}, `SELECT no, bank_account_id, sub_merchant_id, transaction_type_id FROM routes`)
	if err != nil {
		return nil, err
	}
	where, args := batchFilter(f)
	return ar, each(ctx, r, func(rows *sql.Rows) error {
		b, err := scanBatch(rows)
		ar.batches[b.no], ar.sheets[b.sheetNo] = b, b.SheetID
		return err
	}, selectBatch+` WHERE `+where, args...)
}

func (ar *attemptReader) scan(rows *sql.Rows) (ledger.Attempt, error) {
	var a ledger.Attempt
	var sheetNo, routeNo, batchNo int64
	var updated sql.NullInt64
	err := rows.Scan(&a.ID, &a.Row, &a.Ref, &a.Amount, &a.VendorName, &a.BankAccountNumber, &a.IFSC, &a.Remarks,
		&a.OpenBeneficiaryID, &a.BeneLEI, &sheetNo, &routeNo, &a.Number, &a.WireRef, &batchNo,
		&a.State, &a.Status, &a.BankStatusCode, &a.OpenTxnID, &a.BankTxnRefID, &a.FailedReads, &a.Reason, &updated, &a.Resolved)
	batch, route := ar.batches[batchNo], ar.routes[routeNo]
	a.SheetID, a.BatchID, a.UpdatedAt = ar.sheets[sheetNo], batch.ID, fromMicros(updated)
	a.BankAccountID, a.SubMerchantID, a.TransactionTypeID = route.BankAccountID, route.SubMerchantID, route.TransactionTypeID
	if !updated.Valid {
		a.UpdatedAt = batch.CreatedAt
	}
	return a, err
}

// Attempts returns the attempts of a batch, in order of their payouts. Account
// numbers are full: whoever shows them masks them.
func (s *Store) Attempts(ctx context.Context, batchID string) ([]ledger.Attempt, error) {
	var attempts []ledger.Attempt
	err := eachAttempt(ctx, s.read, ledger.Filter{BatchID: batchID, Attempts: true}, func(a ledger.Attempt) error {
		attempts = append(attempts, a)
		return nil
	})
	return attempts, damage("read the attempts of batch "+batchID, err)
}

// EachPayout calls fn for every payout's latest attempt, or for every attempt
// with f.Attempts, in the order of loading. The filter selects among those: a
// batch shows the payouts whose latest attempt is in it. Account numbers are
// full: whoever shows them masks them.
func (s *Store) EachPayout(ctx context.Context, f ledger.Filter, fn func(ledger.Attempt) error) error {
	return damage("read the payouts", eachAttempt(ctx, s.read, f, fn))
}

// eachAttempt streams the attempts that the filter selects and the further
// conditions keep.
func eachAttempt(ctx context.Context, r reader, f ledger.Filter, fn func(ledger.Attempt) error, further ...string) error {
	ar, err := newAttemptReader(ctx, r, f)
	if err != nil || len(ar.batches) == 0 {
		return err
	}
	where, args := append([]string{"1"}, further...), []any{}
	if f.SheetID != "" {
		// no sheet's payouts lie among another's
		where = append(where, `a.payout_id BETWEEN (SELECT first_payout FROM sheets WHERE id = ?) AND (SELECT last_payout FROM sheets WHERE id = ?)`)
		args = append(args, f.SheetID, f.SheetID)
	}
	if f.BatchID != "" {
		where = append(where, `a.batch_no = (SELECT no FROM batches WHERE id = ?)`)
		args = append(args, f.BatchID)
	}
	if !f.Attempts {
		where = append(where, latest)
	}
	if len(f.States) > 0 {
		where = append(where, `a.state IN (?`+strings.Repeat(", ?", len(f.States)-1)+`)`)
		for _, state := range f.States {
			args = append(args, string(state))
		}
	}
	// The attempts are put in order before their payouts are read: a sort of
	// whole payouts would hold all of them. LIMIT keeps the order of the inner
	// query, CROSS JOIN its place in the loop.
	query := `SELECT ` + attemptColumns + ` FROM (SELECT * FROM every_attempt a
		WHERE ` + strings.Join(where, " AND ") + ` ORDER BY a.payout_id, a.number LIMIT -1) a CROSS JOIN payouts p ON p.id = a.payout_id` + corrected
	needle := strings.ToLower(f.Search)
	return each(ctx, r, func(rows *sql.Rows) error {
		a, err := ar.scan(rows)
		if err != nil || !mentions(a, needle) {
			return err
		}
		return fn(a)
	}, query, args...)
}

// mentions reports whether the needle, in lower case, is in the attempt's
// reference, payee or UTR.
func mentions(a ledger.Attempt, needle string) bool {
	return needle == "" || slices.ContainsFunc([]string{a.WireRef, a.VendorName, a.BankTxnRefID}, func(s string) bool {
		return strings.Contains(strings.ToLower(s), needle)
	})
}

// Tallies counts and sums the payouts by the state of their latest attempt.
func (s *Store) Tallies(ctx context.Context) (map[ledger.PayoutState]ledger.Tally, error) {
	tallies := map[ledger.PayoutState]ledger.Tally{}
	err := each(ctx, s.read, func(rows *sql.Rows) error {
		var state ledger.PayoutState
		var t ledger.Tally
		err := rows.Scan(&state, &t.Count, &t.Total)
		tallies[state] = t
		return err
	}, `SELECT a.state, count(*), sum(ifnull(c.amount, p.amount)) FROM every_attempt a JOIN payouts p ON p.id = a.payout_id`+corrected+` WHERE `+latest+` GROUP BY a.state`)
	return tallies, damage("sum up the payouts", err)
}
