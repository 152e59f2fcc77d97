package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"payrun/ledger"
)

// Apply records one step, or nothing. It reads the batch's records, asks the step for the change, and writes
// it. Its errors are those of ledger.Step.Change, and ledger.ErrNotFound if there is no such batch.
func (s *Tables) Apply(ctx context.Context, step ledger.Step) error {
	doing := fmt.Sprintf("record %s of batch %s", cmp.Or(string(step.Event), "what was observed"), step.BatchID)
	write := s.db.Write
	if step.Event.Call() != "" {
		write = func(ctx context.Context, fn func(Writer) error) error { return s.db.Intend(ctx, step.BatchID, fn) }
	}
	return damage(doing, write(ctx, func(tx Writer) error { return s.apply(ctx, tx, step) }))
}

// MaySend always allows: the lock on the file keeps other runs away until the process ends; see submitter.Store.
func (s *Store) MaySend(context.Context, string) error { return nil }

// Calling returns false: only one run at a time has the file, so a call without an outcome is a lost one.
func (s *Store) Calling(context.Context, string) (bool, error) { return false, nil }

// Recover finds calls that were in progress when their run died and puts them in doubt. It
// returns the ids of their batches in plan order.
func (s *Tables) Recover(ctx context.Context, actor string, at time.Time) ([]string, error) {
	var ids []string
	err := s.inTx(ctx, "recover", func(tx Writer) error {
		ids = nil
		lost, err := s.db.Lost(ctx, tx)
		if err != nil {
			return err
		}
		where := `b.state IN (?, ?)`
		if lost != "" {
			where += ` AND EXISTS (SELECT 1 FROM intents i WHERE i.batch_no = b.no AND i.outcome IS NULL AND ` + lost + `)`
		}
		cut, err := batchesWhere(ctx, tx, where, ledger.BatchInitiating, ledger.BatchSubmitting)
		if err != nil {
			return err
		}
		for _, b := range cut {
			step, _ := b.Recovery(actor, at)
			if err := s.apply(ctx, tx, step); err != nil {
				return err
			}
			ids = append(ids, b.ID)
		}
		return nil
	})
	return ids, err
}

func (s *Tables) apply(ctx context.Context, tx Writer, step ledger.Step) error {
	b, err := batchByID(ctx, tx, step.BatchID)
	if err != nil {
		return err
	}
	if err := makeAttempts(ctx, tx, b.no); err != nil {
		return err
	}
	known, err := s.batchRecord(ctx, tx, b, step)
	if err != nil {
		return err
	}
	change, err := step.Change(known)
	if err != nil || change.Nothing {
		return err
	}
	return s.record(ctx, tx, b, change)
}

// makeAttempts creates the rows of the attempts of a batch at its first step.
func makeAttempts(ctx context.Context, tx Writer, batchNo int64) error {
	_, err := tx.Exec(ctx, `UPDATE batches SET made = 1 WHERE no = ? AND made = 0`, batchNo)
	return err
}

// record writes a change in the order that the schema's triggers need: the call, its payouts, the batch, the
// event, the successor.
func (s *Tables) record(ctx context.Context, tx Writer, b batchRow, c ledger.Change) error {
	err := inTurn(
		func() error { return writeCall(ctx, tx, b.no, c) },
		func() error { return writeObservations(ctx, tx, c.Observations) },
		func() error { return writeAttempts(ctx, tx, c.Attempts) },
		func() error { return writeBatch(ctx, tx, b.no, c) },
		func() error { return s.appendEvent(ctx, tx, c.Event) },
		func() error { return markMoved(ctx, tx, b, c) },
	)
	if err != nil || c.Successor == nil {
		return err
	}
	if err := mayFollow(ctx, tx, c.Successor.After); err != nil {
		return err
	}
	return s.insertAgain(ctx, tx, newBatch{NewBatch: *c.Successor, sheetNo: b.sheetNo, routeNo: b.routeNo, plannedWith: cmp.Or(b.plannedWith, b.no)})
}

// writeCall records the intent of a new call, the outcome of the open one, or one person's part in a release.
func writeCall(ctx context.Context, tx Writer, batchNo int64, c ledger.Change) error {
	if i := c.Begins; i != nil {
		if err := intents.insert(ctx, tx, i, "batch_no, looks, ", batchNo, len(c.Looks)); err != nil {
			return err
		}
		return writeLooks(ctx, tx, batchNo, c.Looks)
	}
	if i := c.Ends; i != nil {
		return wrote(1)(tx.Exec(ctx, `UPDATE intents SET outcome = ?, http_status = ?, code = ?, message = ?, ended_at = ?
			WHERE batch_no = ? AND outcome IS NULL`, i.Outcome, i.HTTPStatus, i.Code, i.Message, micros(i.EndedAt), batchNo))
	}
	if c.Said != nil {
		return releases.insert(ctx, tx, c.Said, "batch_no, ", batchNo)
	}
	return nil
}

// writeLooks records what the bank showed before the newest intent; it allowed that intent.
func writeLooks(ctx context.Context, tx Writer, batchNo int64, list []ledger.RecordedLook) error {
	var intentNo int64
	if err := tx.QueryRow(ctx, `SELECT max(no) FROM intents WHERE batch_no = ?`, batchNo).Scan(&intentNo); err != nil {
		return err
	}
	for i := range list {
		if err := looks.insert(ctx, tx, &list[i], "batch_no, intent_no, place, ", batchNo, intentNo, i); err != nil {
			return fmt.Errorf("the look at %s: %w", list[i].Asked, err)
		}
	}
	return nil
}

// writeBatch updates the batch only if it is still in From, so that a step happens at most once.
func writeBatch(ctx context.Context, tx Writer, no int64, c ledger.Change) error {
	b := c.Batch
	set := `note = ?, attention = ?, updated_at = ?, open_batch_id = ?, otp_tries = ?, held_at = ?, submitted_at = ?, success_at = ?,
		shown = ?, listed = ?, refusal = ?, other_number = ?, new_references = ?`
	args := []any{b.Note, b.Attention, micros(b.UpdatedAt), b.OpenBatchID, b.OTPTries, micros(b.HeldAt), micros(b.SubmittedAt), micros(b.SuccessAt),
		b.Shown, b.Listed, b.Refusal, b.OtherNumber, b.NewReferences}
	if b.State != c.From { // a written state runs the state triggers
		set += `, state = ?, state_since = ?`
		args = append(args, b.State, micros(b.StateSince))
	}
	err := wrote(1)(tx.Exec(ctx, `UPDATE batches SET `+set+` WHERE no = ? AND state = ?`, append(args, no, c.From)...))
	if err != nil {
		return fmt.Errorf("the batch is no longer %s: %w", c.From, err)
	}
	return nil
}

func writeObservations(ctx context.Context, tx Writer, list []ledger.NewObservation) error {
	if err := observations.insertAll(ctx, tx, list); err != nil {
		return fmt.Errorf("what was observed of payouts %d to %d: %w", list[0].PayoutID, list[len(list)-1].PayoutID, err)
	}
	return nil
}

// writeAttempts updates each attempt if it is still in the From state of its change. A later change of the same
// attempt goes into another statement.
func writeAttempts(ctx context.Context, tx Writer, list []ledger.AttemptChange) error {
	update := `UPDATE attempts SET (` + attempts.columns + `) = (v.column4, v.column5, v.column6, v.column7, v.column8, v.column9, v.column10, v.column11,
		v.column12, v.column13, v.column14, v.column15) FROM (VALUES `
	const these = `) v WHERE attempts.payout_id = v.column1 AND attempts.number = v.column2 AND attempts.state = v.column3`
	for len(list) > 0 {
		n := ascending(list)
		err := wrote(n)(writeMany(ctx, tx, update, these, list[:n], func(a *ledger.AttemptChange) []any {
			return append([]any{a.ID, a.Number, a.From}, attempts.fields(&a.Attempt)...)
		}))
		if err != nil {
			return fmt.Errorf("attempts of payouts %d to %d: %w", list[0].ID, list[n-1].ID, err)
		}
		list = list[n:]
	}
	return nil
}

// ascending returns how many changes at the start of the list are each of a later attempt than the one before.
func ascending(list []ledger.AttemptChange) int {
	for i := 1; i < len(list); i++ {
		if list[i].Key().Compare(list[i-1].Key()) <= 0 {
			return i
		}
	}
	return len(list)
}

// wrote returns ledger.ErrConflict unless a statement changed exactly this many rows.
func wrote(rows int) func(int64, error) error {
	return func(n int64, err error) error {
		if err == nil && n != int64(rows) {
			err = fmt.Errorf("%w: %d rows where %d were to be changed", ledger.ErrConflict, n, rows)
		}
		return err
	}
}
