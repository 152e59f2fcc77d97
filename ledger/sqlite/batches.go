package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"payrun/ledger"
)

// batchRow is a batch with the numbers that only the store knows.
type batchRow struct {
	ledger.Batch
	no, sheetNo, routeNo int64
	sheetContent         string
	plannedWith          int64 // the batch whose planner it has; itself, but where it was planned anew by itself
}

const selectBatch = `SELECT b.no, b.sheet_no, b.route_no, s.content, b.id, s.id, b.sequence, b.attempt, b.state, r.bank_account_id,
	b.partner_bank_id, b.kind, r.sub_merchant_id, r.transaction_type_id, b.bene_lei, b.count, b.total, b.reason, b.open_batch_id,
	b.otp_tries, b.note, b.attention, b.created_at, b.updated_at, b.state_since, b.held_at, b.submitted_at, b.success_at,
	b.shown, b.listed, b.refusal, ifnull(b.planned_with, b.no),
	ifnull((SELECT w.id FROM batches w WHERE w.no = b.planned_with), '')
	FROM batches b JOIN sheets s ON s.no = b.sheet_no JOIN routes r ON r.no = b.route_no`

func scanBatch(row interface{ Scan(...any) error }) (batchRow, error) {
	var b batchRow
	var created, updated, since, held, submitted, succeeded sql.NullInt64
	err := row.Scan(&b.no, &b.sheetNo, &b.routeNo, &b.sheetContent, &b.ID, &b.SheetID, &b.Sequence, &b.Attempt, &b.State, &b.BankAccountID,
		&b.PartnerBankID, &b.Kind, &b.SubMerchantID, &b.TransactionTypeID, &b.BeneLEI, &b.Count, &b.Total, &b.Reason, &b.OpenBatchID,
		&b.OTPTries, &b.Note, &b.Attention, &created, &updated, &since, &held, &submitted, &succeeded,
		&b.Shown, &b.Listed, &b.Refusal, &b.plannedWith, &b.PlannedWith)
	b.CreatedAt, b.UpdatedAt, b.StateSince = fromMicros(created), fromMicros(updated), fromMicros(since)
	b.HeldAt, b.SubmittedAt, b.SuccessAt = fromMicros(held), fromMicros(submitted), fromMicros(succeeded)
	return b, err
}

func batchByID(ctx context.Context, r reader, id string) (batchRow, error) {
	b, err := scanBatch(r.QueryRowContext(ctx, selectBatch+` WHERE b.id = ?`, id))
	if err != nil {
		return batchRow{}, fmt.Errorf("batch %s: %w", id, orNotFound(err))
	}
	return b, nil
}

func batchesWhere(ctx context.Context, r reader, where string, args ...any) ([]ledger.Batch, error) {
	var batches []ledger.Batch
	err := each(ctx, r, func(rows *sql.Rows) error {
		b, err := scanBatch(rows)
		batches = append(batches, b.Batch)
		return err
	}, selectBatch+` WHERE `+where+` ORDER BY b.no`, args...)
	return batches, damage("read the batches", err)
}

// Batch returns one batch, or ledger.ErrNotFound.
func (s *Store) Batch(ctx context.Context, id string) (ledger.Batch, error) {
	b, err := batchByID(ctx, s.read, id)
	return b.Batch, damage("read a batch", err)
}

// BatchIDs returns the ids of the batches that a word is enough to name, as
// ledger.BeginsID has it.
func (s *Store) BatchIDs(ctx context.Context, word string) (named []string, err error) {
	err = each(ctx, s.read, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		if ledger.BeginsID(word, id) {
			named = append(named, id)
		}
		return err
	}, `SELECT id FROM batches WHERE id >= ?1 AND id < ?1 || char(1114111) ORDER BY id`, word)
	return named, damage("look for a batch", err)
}

// BatchesIn returns the batches in any of the states, in the order they were
// planned.
func (s *Store) BatchesIn(ctx context.Context, states ...ledger.BatchState) ([]ledger.Batch, error) {
	if len(states) == 0 {
		return nil, nil
	}
	return batchesWhere(ctx, s.read, `b.state IN (`+marks(len(states))+`)`, named(states)...)
}

// NextPlanned returns of each debit account the planned batch that was planned first,
// in the order of planning.
func (s *Store) NextPlanned(ctx context.Context) ([]ledger.Batch, error) {
	return batchesWhere(ctx, s.read, `b.no IN (SELECT min(p.no) FROM batches p JOIN routes q ON q.no = p.route_no
		WHERE p.state = 'planned' GROUP BY q.bank_account_id)`)
}

// Watched returns the batches that are over here and changed last after since,
// or after asideSince where they were set aside: what the bank shows of them may
// still change.
func (s *Store) Watched(ctx context.Context, since, asideSince time.Time) ([]ledger.Batch, error) {
	return batchesWhere(ctx, s.read, isWatched, asideSince.UnixMicro(), since.UnixMicro())
}

// isWatched selects what Watched does, by the index batches_watched: the first
// moment of the two is asked of it, the right one of each row.
const isWatched = `b.no IN (SELECT no FROM batches INDEXED BY batches_watched WHERE (state = 'settled' OR state = 'refused' OR state = 'abandoned' OR state = 'set_aside')
	AND updated_at > min(?1, ?2) AND updated_at > iif(state = 'set_aside', ?1, ?2))`

// Batches returns the batches of the filter's sheet or batch, in plan order.
// The filter's other fields are about payouts and do not count here.
func (s *Store) Batches(ctx context.Context, f ledger.Filter) ([]ledger.Batch, error) {
	where, args := batchFilter(f)
	return batchesWhere(ctx, s.read, where, args...)
}

// batchFilter is the condition that selects the filter's batches.
func batchFilter(f ledger.Filter) (where string, args []any) {
	where = "1"
	if f.SheetID != "" {
		where, args = where+` AND s.id = ?`, append(args, f.SheetID)
	}
	if f.BatchID != "" {
		where, args = where+` AND b.id = ?`, append(args, f.BatchID)
	}
	return where, args
}
