package sqlite

import (
	"context"

	"payrun/ledger"
)

// newBatch is a batch about to be recorded, with the numbers that only the store knows.
type newBatch struct {
	ledger.NewBatch
	no, sheetNo, routeNo int64
	members              string // set for a batch of a sheet, whose attempts are made later; "" for a batch of further attempts
	plannedWith          int64  // the batch whose planner this one has; 0: its own
}

// plannedBatches are batches as planned.
var plannedBatches = table[newBatch]{"batches", `sheet_no, attempt, created_at, updated_at, state_since, made, planned_with,
	no, id, sequence, route_no, partner_bank_id, kind, bene_lei, count, total, reason, members, needs_approval`, func(b *newBatch) []any {
	made := 2
	if b.members != "" {
		made = 0
	}
	return []any{b.sheetNo, b.Attempt, moment{&b.CreatedAt}, moment{&b.CreatedAt}, moment{&b.CreatedAt}, made, nullable{&b.plannedWith},
		b.no, b.ID, b.Sequence, b.routeNo, b.PartnerBankID, b.Kind, b.BeneLEI, b.Count, b.Total, b.Reason, nullable{&b.members}, b.NeedsApproval}
}}

// storedKey is what a payout stores of its folded reference: nothing if it is the reference in lower case,
// which is nearly always so.
func storedKey(ref, key string) any {
	if key == asciiLower(ref) {
		return nil
	}
	return key
}

// nextRef returns the wire reference of the next attempt. It stays the same if the bank never saw it in any
// batch and two people did not ask for new references. Otherwise it is the first of the payout's further
// references that was never used.
func nextRef(ctx context.Context, tx Writer, after ledger.Attempt) (string, error) {
	var shown, renamed bool
	err := tx.QueryRow(ctx, `SELECT ifnull(max(b.shown), 0), ifnull(max(b.new_references), 0) FROM attempts a JOIN payouts p ON p.id = a.payout_id JOIN batches b ON b.no = a.batch_no
		WHERE a.payout_id = ? AND ifnull(a.wire_ref, p.ref) = ?`, after.ID, after.WireRef).Scan(&shown, &renamed)
	if err != nil {
		return "", err
	}
	if ledger.KeepsRef(ledger.Batch{Shown: shown}) && !renamed {
		return after.WireRef, nil
	}
	_, key, err := ownRef(ctx, tx, after.ID)
	if err != nil {
		return "", err
	}
	for n := after.Number + 1; ; n++ {
		ref, used := ledger.WireRef(after.Ref, n), false
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM wire_keys WHERE key = ?)`, ledger.FurtherKey(after.Ref, key, ref)).Scan(&used)
		if err != nil || !used {
			return ref, err
		}
	}
}

// ownRef returns a payout's own reference, and its folded form.
func ownRef(ctx context.Context, tx Writer, payoutID int64) (ref, key string, err error) {
	err = tx.QueryRow(ctx, `SELECT ref, ifnull(ref_key, lower(ref)) FROM payouts WHERE id = ?`, payoutID).Scan(&ref, &key)
	return ref, key, err
}

// nextAttempt records a further attempt of a payout in a batch. A reference that the payout had before is
// already among the used ones.
func nextAttempt(ctx context.Context, tx Writer, after ledger.AttemptKey, wireRef string, batchNo int64) error {
	number := after.Number + 1
	ref, key, err := ownRef(ctx, tx, after.PayoutID)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO wire_keys (key, payout_id, number) SELECT ?1, ?2, ?3 WHERE NOT EXISTS (SELECT 1 FROM wire_keys WHERE key = ?1 AND payout_id = ?2)`,
		ledger.FurtherKey(ref, key, wireRef), after.PayoutID, number)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO attempts (payout_id, number, wire_ref, batch_no) VALUES (?, ?, ?, ?)`, after.PayoutID, number, wireRef, batchNo)
	return err
}
