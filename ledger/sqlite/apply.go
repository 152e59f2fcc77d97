package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// Apply records one step, or nothing. ledger.ErrConflict when the batch is no
// longer in step.From; ledger.ErrTransition when the event is not legal, or a
// payout stands in its way.
func (s *Store) Apply(ctx context.Context, step ledger.Step) error {
	doing := fmt.Sprintf("record %s of batch %s", stepName(step), step.BatchID)
	if err := s.mayIntend(step); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	err := s.inTx(ctx, doing, func(tx *sql.Tx) error { return s.apply(ctx, tx, step) })
	if err == nil {
		s.intended(context.WithoutCancel(ctx), step)
	}
	return err
}

// Recover moves every initiating batch to initiate_unknown and every
// submitting one to submit_unknown, and returns their ids in plan order: the
// program died between intent and outcome, so anything may have happened.
func (s *Store) Recover(ctx context.Context, at time.Time) ([]string, error) {
	var ids []string
	err := s.inTx(ctx, "recover", func(tx *sql.Tx) error {
		ids = nil
		cut, err := batchesWhere(ctx, tx, `b.state IN ('initiating', 'submitting')`)
		if err != nil {
			return err
		}
		for _, b := range cut {
			step := ledger.Step{BatchID: b.ID, From: b.State, Event: ledger.InitiateLost, At: at, NeedsPerson: b.NeedsPerson,
				Outcome: ledger.Unknown, Note: "the program stopped before the bank's answer to initiate was recorded"}
			if b.State == ledger.BatchSubmitting {
				step.Event, step.Note = ledger.SubmitLost, "the program stopped before the bank's answer to submit was recorded"
			}
			if err := s.apply(ctx, tx, step); err != nil {
				return err
			}
			ids = append(ids, b.ID)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return ids, nil
}

func stepName(step ledger.Step) string {
	if step.Event == "" {
		return "what was observed"
	}
	return string(step.Event)
}

// apply is the whole of a step: its attempts, intent or outcome, what was observed, the
// batch, its successor, the event. The order is what the schema's triggers ask.
func (s *Store) apply(ctx context.Context, tx *sql.Tx, step ledger.Step) error {
	b, err := batchByID(ctx, tx, step.BatchID)
	if err != nil {
		return err
	}
	if b.State != step.From {
		return fmt.Errorf("%w: the batch is %s, not %s", ledger.ErrConflict, b.State, step.From)
	}
	to := step.From
	if step.Event != "" {
		if to, err = step.From.Next(step.Event); err != nil {
			return err
		}
	}
	if step.Successor && step.Event != ledger.DoubtExpired {
		return fmt.Errorf("%w: only doubt that expired plans payouts anew by itself", ledger.ErrTransition)
	}
	if err := makeAttempts(ctx, tx, b.no); err != nil {
		return err
	}
	if err := recordCall(ctx, tx, b, step); err != nil {
		return err
	}
	news, err := recordObserved(ctx, tx, b, step)
	if err != nil {
		return err
	}
	if err := moveTogether(ctx, tx, b.no, step); err != nil {
		return err
	}
	changed, err := updateBatch(ctx, tx, b, step, to, news)
	if err != nil || !changed {
		return err
	}
	if err := s.appendEvent(ctx, tx, stepEvent(b, step, news)); err != nil {
		return err
	}
	if step.Successor {
		return s.replan(ctx, tx, b, step.At)
	}
	return nil
}

// makeAttempts makes the attempts of a batch that takes its first step.
func makeAttempts(ctx context.Context, tx *sql.Tx, batchNo int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE batches SET made = 1 WHERE no = ? AND made = 0`, batchNo)
	return err
}

// stepEvent is what the audit trail says of a step. The bank's and people's
// words are in it, account numbers never.
func stepEvent(b batchRow, step ledger.Step, news observedNews) ledger.Event {
	e := ledger.Event{At: step.At, Kind: string(step.Event), SheetID: b.SheetID, BatchID: b.ID}
	if e.Kind == "" {
		e.Kind = "observed"
	}
	var parts []string
	add := func(label, value string) {
		if value != "" {
			parts = append(parts, label+" "+value)
		}
	}
	add("payload", step.PayloadSHA256)
	add("outcome", string(step.Outcome))
	if step.HTTPStatus != 0 {
		add("HTTP", fmt.Sprint(step.HTTPStatus))
	}
	add("code", step.Code)
	add("observed", news.String())
	add("by a person:", step.Person)
	if step.Note != b.Note {
		add("note:", step.Note)
	}
	if step.NeedsPerson {
		add("needs", "a person")
	}
	e.Detail = strings.Join(parts, "; ")
	return e
}

// moveTogether gives every attempt of the batch the state that the event
// gives to all of them. A dispute is not smoothed over by it: only a
// never-submitted batch that a person or the doubt gives up cancels disputed
// payouts too, and only those that no answer ever showed moving. A payout
// that the bank is working on, or paid, forbids giving the batch up.
func moveTogether(ctx context.Context, tx *sql.Tx, batchNo int64, step ledger.Step) error {
	to := step.Event.PayoutsBecome()
	if to == "" {
		return nil
	}
	from := `state = 'planned'`
	if to == ledger.PayoutCancelled {
		var moving int
		err := tx.QueryRowContext(ctx, `SELECT count(*) FROM attempts WHERE batch_no = ? AND state IN ('pending', 'initiated', 'success')`, batchNo).Scan(&moving)
		if err != nil {
			return err
		}
		if moving > 0 {
			return fmt.Errorf("%w: %s, but %d of its payouts moved at the bank", ledger.ErrTransition, step.Event, moving)
		}
		from = `(state IN ('planned', 'request_initiated') OR (state = 'disputed' AND NOT EXISTS (SELECT 1 FROM observations o
			WHERE o.payout_id = attempts.payout_id AND o.number = attempts.number AND o.status <> 'request_initiated')))`
	}
	_, err := tx.ExecContext(ctx, `UPDATE attempts SET state = ?, updated_at = ? WHERE batch_no = ? AND `+from, to, micros(step.At), batchNo)
	return err
}

// updateBatch is the conditional update that makes a step happen at most once.
// Without an event and without news it leaves the batch alone.
func updateBatch(ctx context.Context, tx *sql.Tx, b batchRow, step ledger.Step, to ledger.BatchState, news observedNews) (changed bool, err error) {
	if step.Event == "" && news.rows == 0 && step.Note == b.Note && step.NeedsPerson == b.NeedsPerson &&
		(step.OpenBatchID == "" || b.OpenBatchID != "") {
		return false, nil
	}
	at := micros(step.At)
	set := []string{`note = ?`, `needs_person = ?`, `updated_at = ?`, `open_batch_id = iif(open_batch_id = '', ?, open_batch_id)`}
	args := []any{step.Note, step.NeedsPerson, at, step.OpenBatchID}
	and := func(clause string, arg ...any) { set, args = append(set, clause), append(args, arg...) }
	if step.Event != "" {
		and(`state = ?`, string(to))
		and(`state_since = ?`, at)
	}
	if to == ledger.BatchHeld && step.Event != "" {
		and(`held_at = ifnull(held_at, ?)`, at)
	}
	if to == ledger.BatchSubmitted && step.Event != "" {
		and(`submitted_at = ifnull(submitted_at, ?)`, at)
	}
	if step.Event == ledger.SubmitRejected {
		and(`otp_tries = otp_tries + 1`)
	}
	if news.succeeded > 0 {
		and(`success_at = max(ifnull(success_at, 0), ?)`, at)
	}
	r, err := tx.ExecContext(ctx, `UPDATE batches SET `+strings.Join(set, ", ")+` WHERE no = ? AND state = ?`, append(args, b.no, string(step.From))...)
	if err != nil {
		return false, err
	}
	n, err := r.RowsAffected()
	if err != nil {
		return false, err
	}
	if n != 1 {
		return false, fmt.Errorf("%w: the batch is no longer %s", ledger.ErrConflict, step.From)
	}
	return true, nil
}

// outcomes tells which outcome of a call an event may record; the first is
// meant when the step says none.
var outcomes = map[ledger.BatchEvent][]ledger.Outcome{
	ledger.InitiateAccepted: {ledger.Accepted},
	ledger.InitiateRefused:  {ledger.Rejected},
	ledger.InitiateUndone:   {ledger.NotSent, ledger.Rejected},
	ledger.InitiateLost:     {ledger.Unknown},
	ledger.EchoDiffers:      {ledger.Accepted, ledger.Unknown},
	ledger.SubmitAccepted:   {ledger.Accepted},
	ledger.SubmitRejected:   {ledger.Rejected},
	ledger.SubmitUndone:     {ledger.NotSent, ledger.Rejected},
	ledger.SubmitLost:       {ledger.Unknown},
}

// messageLimit bounds the bank's words that an intent keeps, in runes.
const messageLimit = 500

// recordCall records the intent of a call before it is made, or the outcome
// of the one that is open.
func recordCall(ctx context.Context, tx *sql.Tx, b batchRow, step ledger.Step) error {
	switch {
	case step.Event == ledger.InitiateIntended:
		return insertIntent(ctx, tx, b, "initiate", step)
	case step.Event == ledger.SubmitIntended:
		return insertIntent(ctx, tx, b, "submit", step)
	case step.Event != "" && (step.From == ledger.BatchInitiating || step.From == ledger.BatchSubmitting):
		return endIntent(ctx, tx, b, step)
	}
	return nil
}

func insertIntent(ctx context.Context, tx *sql.Tx, b batchRow, kind string, step ledger.Step) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO intents (batch_no, kind, payload_sha256, at) VALUES (?, ?, ?, ?)`,
		b.no, kind, step.PayloadSHA256, micros(step.At))
	return err
}

func endIntent(ctx context.Context, tx *sql.Tx, b batchRow, step ledger.Step) error {
	allowed := outcomes[step.Event]
	outcome := step.Outcome
	if outcome == "" && len(allowed) > 0 {
		outcome = allowed[0]
	}
	if !slices.Contains(allowed, outcome) {
		return fmt.Errorf("%w: %s cannot end with outcome %q", ledger.ErrTransition, step.Event, outcome)
	}
	r, err := tx.ExecContext(ctx, `UPDATE intents SET outcome = ?, http_status = ?, code = ?, message = ?, ended_at = ? WHERE batch_no = ? AND outcome IS NULL`,
		string(outcome), step.HTTPStatus, step.Code, truncate(step.Message, messageLimit), micros(step.At), b.no)
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err == nil && n != 1 {
		err = fmt.Errorf("%w: the batch has no open intent", ledger.ErrConflict)
	}
	return err
}

func truncate(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes])
	}
	return s
}
