package sqlite

import (
	"context"
	"fmt"
	"time"

	"payrun/ledger"
)

// batchRow is a batch with the numbers that only the store knows.
type batchRow struct {
	ledger.Batch
	no, sheetNo, routeNo int64
	sheetContent         string
	plannedWith          int64 // the batch whose planner counts, if payrun planned this one again; 0: its own
}

// ofBatch are the columns of batchFields; batchColumns are those of a batchRow.
const (
	ofBatch = `b.id, b.sequence, b.attempt, b.state, b.partner_bank_id, b.kind, b.bene_lei, b.count, b.total, b.reason, b.open_batch_id, b.otp_tries, b.note, b.attention,
		b.created_at, b.updated_at, b.state_since, b.held_at, b.submitted_at, b.success_at, b.shown, b.listed, b.refusal, b.other_number, b.new_references, b.needs_approval`
	batchColumns = `b.no, b.sheet_no, b.route_no, s.content, b.planned_with, s.id, r.bank_account_id, r.sub_merchant_id, r.transaction_type_id,
		(SELECT w.id FROM batches w WHERE w.no = b.planned_with), ` + ofBatch
	selectBatch = `SELECT ` + batchColumns + ` FROM batches b JOIN sheets s ON s.no = b.sheet_no JOIN routes r ON r.no = b.route_no`
)

// batchFields returns all fields of a batch except its sheet, route and planner, which are in other tables.
func batchFields(b *ledger.Batch) []any {
	return []any{&b.ID, &b.Sequence, &b.Attempt, &b.State, &b.PartnerBankID, &b.Kind, &b.BeneLEI, &b.Count, &b.Total, &b.Reason, &b.OpenBatchID, &b.OTPTries, &b.Note, &b.Attention,
		moment{&b.CreatedAt}, moment{&b.UpdatedAt}, moment{&b.StateSince}, moment{&b.HeldAt}, moment{&b.SubmittedAt}, moment{&b.SuccessAt}, &b.Shown, &b.Listed, &b.Refusal, &b.OtherNumber, &b.NewReferences, &b.NeedsApproval}
}

func (b *batchRow) fields() []any {
	return append([]any{&b.no, &b.sheetNo, &b.routeNo, &b.sheetContent, nullable{&b.plannedWith}, &b.SheetID, &b.BankAccountID, &b.SubMerchantID, &b.TransactionTypeID,
		nullable{&b.PlannedWith}}, batchFields(&b.Batch)...)
}

func batchByID(ctx context.Context, r Reader, id string) (batchRow, error) {
	var b batchRow
	if err := r.QueryRow(ctx, selectBatch+` WHERE b.id = ?`, id).Scan(b.fields()...); err != nil {
		return batchRow{}, fmt.Errorf("batch %s: %w", id, orNotFound(err))
	}
	return b, nil
}

func batchesWhere(ctx context.Context, r Reader, where string, args ...any) ([]ledger.Batch, error) {
	var batches []ledger.Batch
	err := eachOf(ctx, r, (*batchRow).fields, func(b batchRow) error { batches = append(batches, b.Batch); return nil }, selectBatch+` WHERE `+where+` ORDER BY b.no`, args...)
	if err == nil {
		err = withApprovals(ctx, r, batches)
	}
	return batches, damage("read the batches", err)
}

// Batch returns one batch, or ledger.ErrNotFound.
func (s *Tables) Batch(ctx context.Context, id string) (ledger.Batch, error) {
	b, err := batchByID(ctx, s.db, id)
	one := []ledger.Batch{b.Batch}
	if err == nil {
		err = withApprovals(ctx, s.db, one)
	}
	return one[0], damage("read a batch", err)
}

// BatchIDs returns the ids of the batches that word is enough to name (ledger.BeginsID).
func (s *Tables) BatchIDs(ctx context.Context, word string) (named []string, err error) {
	ids, err := list(ctx, s.db, itself[string], `SELECT id FROM batches WHERE id >= ?1 AND id < ?1 || char(1114111) ORDER BY id`, word)
	for _, id := range ids {
		if ledger.BeginsID(word, id) {
			named = append(named, id)
		}
	}
	return named, damage("look for a batch", err)
}

// BatchesIn returns the batches in any of the states, in the order they were planned.
func (s *Tables) BatchesIn(ctx context.Context, states ...ledger.BatchState) ([]ledger.Batch, error) {
	if len(states) == 0 {
		return nil, nil
	}
	return batchesWhere(ctx, s.db, `b.state IN (`+marks(len(states))+`)`, named(states)...)
}

// Watched returns the batches that are over here and last changed after since, or after asideSince if they were
// set aside. What the bank shows of them may still change.
func (s *Tables) Watched(ctx context.Context, since, asideSince time.Time) ([]ledger.Batch, error) {
	return batchesWhere(ctx, s.db, isWatched, asideSince.UnixMicro(), since.UnixMicro())
}

// isWatched selects the batches of Watched with the index batches_watched. The index uses the earlier of the
// two times; each row is then compared with the right one.
const isWatched = `b.no IN (SELECT no FROM batches INDEXED BY batches_watched WHERE (state = 'settled' OR state = 'refused' OR state = 'abandoned' OR state = 'set_aside')
	AND updated_at > min(?1, ?2) AND updated_at > iif(state = 'set_aside', ?1, ?2))`

// Batches returns the batches of the filter's sheet or batch, in plan order. It ignores the filter's other
// fields, which are about payouts.
func (s *Tables) Batches(ctx context.Context, f ledger.Filter) ([]ledger.Batch, error) {
	where, args := batchFilter(f)
	if f.SheetID != "" && f.BatchID == "" { // by batch number: by the index of a sheet, twenty thousand rows would be sorted
		const sheet = `(SELECT no FROM sheets WHERE id = ?1)`
		where = `+b.sheet_no = ` + sheet + ` AND b.no >= (SELECT min(no) FROM batches WHERE sheet_no = ` + sheet + `)`
	}
	return readAt(ctx, s.db.Moment, "read the batches", func(r Snapshot) ([]ledger.Batch, error) { return batchesWhere(ctx, r, where, args...) })
}

// batchFilter returns the condition that selects the filter's batches.
func batchFilter(f ledger.Filter) (where string, args []any) {
	var c conditions
	c.add(f.SheetID != "", `s.id = ?`, f.SheetID)
	c.add(f.BatchID != "", `b.id = ?`, f.BatchID)
	return c.where(), c.args
}

// InFlight sums up, by debit account, what may still be debited: whole batches that the bank may have and that
// are not submitted, and the payouts of submitted ones that are not final.
func (s *Tables) InFlight(ctx context.Context) (map[string]ledger.Paise, error) {
	sums, err := pairs[string, ledger.Paise](ctx, s.db, inFlight, append(named(ledger.BatchesInFlight[:]), named(ledger.PayoutsInFlight[:])...)...)
	return sums, damage("sum up what is in flight", err)
}

// Paid sums up, by debit account, the attempts of submitted batches that were paid or may have been. Such a sum
// never falls.
func (s *Tables) Paid(ctx context.Context) (map[string]ledger.Paise, error) {
	sums, err := pairs[string, ledger.Paise](ctx, s.db, paid)
	return sums, damage("sum up what was paid", err)
}

// paid counts as tallied does: everything in a settled batch was paid, except payouts with another state.
const (
	paid = `SELECT r.bank_account_id, sum(total) FROM (
		SELECT route_no, total FROM batches WHERE state = 'settled'
		UNION ALL SELECT b.route_no, -ifnull(c.amount, p.amount) FROM attempts a INDEXED BY attempts_apart` + ofSettled + ` WHERE ` + apartStates + ` AND NOT ` + perhapsDebited + `
		UNION ALL SELECT b.route_no, ifnull(c.amount, p.amount) FROM batches b INDEXED BY batches_by_state CROSS JOIN attempts a ON a.batch_no = b.no JOIN payouts p ON p.id = a.payout_id` + corrected + `
			WHERE b.state = 'submitted' AND ` + perhapsDebited + `
	) d JOIN routes r ON r.no = route_no GROUP BY r.bank_account_id`
	perhapsDebited = `(ifnull(a.was, a.state) IN ('success', 'returned', 'disputed') OR ifnull(a.was, a.state) = 'cancelled' AND a.resolved IS NOT NULL)`
)

var inFlight = `SELECT r.bank_account_id, sum(total) FROM (
		SELECT route_no, total FROM batches WHERE state IN (` + marks(len(ledger.BatchesInFlight)) + `)
		UNION ALL SELECT b.route_no, ifnull(c.amount, p.amount) FROM batches b INDEXED BY batches_by_state CROSS JOIN attempts a ON a.batch_no = b.no JOIN payouts p ON p.id = a.payout_id` + corrected + `
			WHERE b.state = 'submitted' AND ifnull(a.was, a.state) IN (` + marks(len(ledger.PayoutsInFlight)) + `)
	) d JOIN routes r ON r.no = route_no GROUP BY r.bank_account_id`
