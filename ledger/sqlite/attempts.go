package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// attempts are the variable fields of an attempt; all NULL if it has no row.
var attempts = table[ledger.Attempt]{"attempts", "state, status, bank_status_code, open_txn_id, bank_txn_ref_id, failed_reads, reason, updated_at, resolved, dispute, was, unread",
	func(a *ledger.Attempt) []any {
		return []any{nullable{(*string)(&a.State)}, nullable{&a.Status}, nullable{&a.BankStatusCode}, nullable{&a.OpenTxnID}, nullable{&a.BankTxnRefID}, nullable{&a.FailedReads},
			nullable{&a.Reason}, moment{&a.UpdatedAt}, nullable{(*string)(&a.Resolved)}, nullable{(*string)(&a.Dispute)}, nullable{(*string)(&a.Was)}, nullable{&a.Unread}}
	}}

// corrections are the fields that a row of a later sheet corrected. A payout's row has the same columns.
var corrections = table[ledger.Payout]{"corrections", "amount, vendor_name, bank_account_number, ifsc, remarks, open_beneficiary_id, bene_lei", func(p *ledger.Payout) []any {
	return []any{(*int64)(&p.Amount), &p.VendorName, &p.BankAccountNumber, &p.IFSC, nullable{&p.Remarks}, nullable{&p.OpenBeneficiaryID}, nullable{&p.BeneLEI}}
}}

// sentColumns are the columns of corrections as an attempt sends them; see asSent.
var sentColumns = asSent(corrections.columns)

// asSent returns columns as an attempt sends them: from the payout p, or from c, its latest correction at that attempt.
func asSent(columns string) string {
	return strings.Join(ledger.ListOf(strings.Split(columns, ", "), func(column string) string {
		return `iif(c.number IS NULL, p.` + column + `, c.` + column + `)`
	}), ", ")
}

const (
	sentRoute = `ifnull(c.route_no, p.route_no)`
	// corrected joins c to a payout p and its attempt a.
	corrected = ` LEFT JOIN corrections c ON c.payout_id = a.payout_id AND c.number = (SELECT max(k.number) FROM corrections k
		WHERE k.payout_id = a.payout_id AND k.number <= a.number)`
)

// Attempts returns the attempts of a batch, in the order of their payouts. Account numbers are full: the caller
// masks them before it shows them.
func (s *Tables) Attempts(ctx context.Context, batchID string) (list []ledger.Attempt, err error) {
	of := selection{Filter: ledger.Filter{BatchID: batchID, Attempts: true}}
	err = s.eachAttempt(ctx, of, func(a ledger.Attempt) error { list = append(list, a); return nil })
	return list, damage("read the attempts of batch "+batchID, err)
}

// Observations calls fn for each observation of a payout's attempts, in order.
func (s *Tables) Observations(ctx context.Context, payoutID int64, fn func(ledger.NewObservation) error) error {
	return damage("read what was observed", eachOf(ctx, s.db, observations.fields, fn, `SELECT `+observations.columns+` FROM observations WHERE payout_id = ? ORDER BY number, seq`, payoutID))
}

// membership is a batch into which a sheet put a payout.
type membership struct {
	payout int64
	batch  *memberBatch
}

// memberBatch is a batch that lists its members.
type memberBatch struct {
	no      int64
	id      string
	created time.Time
	made    bool // its attempts are rows
}

// memberships are the memberships of one sheet's payouts at a time. The payouts of a sheet are contiguous.
type memberships struct {
	sheetNo int64
	list    []membership // by payout
}

const membersOfSheet = `SELECT b.no, b.id, b.created_at, b.made > 0, b.members, s.first_payout, s.last_payout
	FROM sheets s JOIN batches b ON b.sheet_no = s.no WHERE s.no = ? AND b.members IS NOT NULL`

// of returns the memberships of a payout of a sheet: one, except in a damaged ledger. It returns
// ledger.ErrLedgerDamaged once if a batch of the sheet has a member that is not one of its payouts, with the
// memberships that were read before it.
func (m *memberships) of(ctx context.Context, r Reader, sheetNo, payoutID int64) (found []membership, err error) {
	byPayout := func(m membership, id int64) int { return cmp.Compare(m.payout, id) }
	if m.sheetNo != sheetNo {
		m.sheetNo, m.list = sheetNo, nil
		err = each(ctx, r, m.add, membersOfSheet, sheetNo)
		slices.SortStableFunc(m.list, func(a, b membership) int { return byPayout(a, b.payout) })
	}
	from, _ := slices.BinarySearchFunc(m.list, payoutID, byPayout)
	to := from
	for to < len(m.list) && m.list[to].payout == payoutID {
		to++
	}
	return m.list[from:to], err
}

// add adds the members of a row's batch.
func (m *memberships) add(row Rows) error {
	var b memberBatch
	var members []int64
	var first, last int64
	if err := row.Scan(&b.no, &b.id, moment{&b.created}, &b.made, inJSON{&members}, &first, &last); err != nil {
		return fmt.Errorf("the members of a batch: %w", err)
	}
	for _, id := range members {
		if id < first || id > last {
			return fmt.Errorf("%w: batch number %d has member %d, which is no payout of its sheet", ledger.ErrLedgerDamaged, b.no, id)
		}
		m.list = append(m.list, membership{id, &b})
	}
	return nil
}
