package submitter

import (
	"context"
	"errors"
	"fmt"

	"payrun/ledger"
)

// Initiate sends the named batches, or every planned one, and holds them for
// their OTP. Where two people have to agree, a batch that was not approved with
// exactly what would be sent stays planned. It stops at the first 401, at a local fault, and when ctx ends;
// a call under way is always finished and recorded. Batches over
// otp.held_at_once of their account stay planned, with the outcome "waiting".
// Where the total of the operation comes to policy.confirm_above, typed has to
// be that total: a *NeedsConfirmation says so before anything is sent.
func (e *Engine) Initiate(ctx context.Context, ids []string, typed ledger.Paise) ([]Result, error) {
	if err := e.settleDoubts(ctx); err != nil {
		return nil, err
	}
	batches, err := e.pick(ctx, ids, ledger.BatchPlanned)
	if err != nil {
		return nil, err
	}
	held, err := e.heldPerAccount(ctx)
	if err != nil {
		return nil, err
	}
	if err := e.confirmTotal(ctx, batches, typed); err != nil {
		return nil, err
	}
	var results []Result
	var unknown []string
	for _, b := range batches {
		if err := ctx.Err(); err != nil {
			return results, err
		}
		if b.State != ledger.BatchPlanned {
			results = append(results, Result{Batch: b, Outcome: OutcomeUnchanged, Message: "only a planned batch can be initiated; this one is " + string(b.State)})
			continue
		}
		if e.set.HeldAtOnce > 0 && held[b.BankAccountID] >= e.set.HeldAtOnce {
			results = append(results, behindAnother(b))
			continue
		}
		r, err := e.initiateOne(ctx, b)
		if r.Outcome != "" {
			results = append(results, r)
		}
		if err != nil {
			return results, err
		}
		switch r.Batch.State {
		case ledger.BatchInitiateUnknown:
			unknown = append(unknown, b.ID)
			held[b.BankAccountID]++
		case ledger.BatchHeld:
			held[b.BankAccountID]++
		}
	}
	return e.askAgain(ctx, results, unknown)
}

func behindAnother(b ledger.Batch) Result {
	return Result{Batch: b, Outcome: OutcomeWaiting, Attention: ledger.BehindAnother,
		Message: "another batch of this debit account waits for its OTP first (otp.held_at_once)"}
}

// heldPerAccount counts the batches whose OTP may be on its way to a phone.
func (e *Engine) heldPerAccount(ctx context.Context) (map[string]int, error) {
	batches, err := e.store.BatchesIn(ctx, ledger.BatchHeld, ledger.BatchInitiateUnknown)
	if err != nil {
		return nil, err
	}
	held := make(map[string]int)
	for _, b := range batches {
		held[b.BankAccountID]++
	}
	return held, nil
}

// initiateOne records the intent, calls, and records the outcome; a request
// that never left is sent again with the same ids, each time under its own intent.
func (e *Engine) initiateOne(ctx context.Context, b ledger.Batch) (Result, error) {
	payload, attempts, err := e.encode(ctx, b)
	if err != nil {
		return Result{}, err
	}
	if why, err := e.unapproved(ctx, b, payload); err != nil || why != "" {
		return Result{Batch: b, Outcome: OutcomeWaiting, Message: why, Attention: ledger.ToBeApproved}, err
	}
	if err := e.checkEnvironment(ctx); err != nil {
		return Result{}, err
	}
	for try := 1; ; try++ {
		r, err := e.initiateOnce(ctx, b, attempts, payload)
		if err != nil || r.Outcome != OutcomeNotSent || try == sendTries || ctx.Err() != nil {
			return r, err
		}
		if pause(ctx, e.set.PollFirst) != nil {
			return r, nil
		}
	}
}

func (e *Engine) initiateOnce(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, payload ledger.Payload) (Result, error) {
	intent := ledger.Step{BatchID: b.ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: e.set.Now(), PayloadSHA256: payload.SHA256,
		HeldAtMost: e.set.HeldAtOnce}
	err := e.apply(ctx, intent)
	if errors.Is(err, ledger.ErrBusy) {
		return behindAnother(b), nil
	}
	if err != nil {
		return Result{}, fmt.Errorf("recording the intent to initiate %s; nothing was sent: %w", b.ID, err)
	}
	// From here to the outcome nothing may break off: the intent is on record.
	ctx = context.WithoutCancel(ctx)
	answer, callErr := e.bank.Initiate(ctx, payload)
	step := ledger.Step{BatchID: b.ID, From: ledger.BatchInitiating, At: e.set.Now()}
	if callErr != nil {
		return e.initiateFailed(ctx, step, callFailed(callErr))
	}
	step.Outcome, step.HTTPStatus, step.OpenBatchID = ledger.Accepted, 200, answer.OpenBatchID
	c := compare(b, attempts, answer)
	c.unmoved(attempts)
	if onlyAmountsAbsent(c) {
		if again, ok := e.readEcho(ctx, b, attempts); ok {
			c = again
		}
	}
	outcome, message := OutcomeHeld, "held for its OTP"
	switch {
	case c.equal():
		step.Event, step.Observed = ledger.InitiateAccepted, c.echoed(attempts)
	case onlyAmountsAbsent(c):
		outcome, message = OutcomeUnknown, "the bank's echo shows no amounts, and neither does its status: not held until it does"
		// ACCEPTED wants an echo that equals the plan (safety.md); this one cannot be judged.
		step.Event, step.Outcome, step.Note = ledger.InitiateLost, ledger.Unknown, message
	default:
		outcome, message = OutcomeQuarantined, "the bank holds something else than was sent: "+c.why()
		step.Event, step.Note, step.Attention = ledger.EchoDiffers, message, ledger.EchoDiffered
	}
	return e.concluded(ctx, step, outcome, message)
}

// onlyAmountsAbsent: all agrees but for amounts the answer does not show, which
// are asked for again before the echo is judged (safety.md).
func onlyAmountsAbsent(c echo) bool {
	return len(c.differs) == 0 && len(c.missing) == 0 && len(c.amountsAbsent) > 0
}

// readEcho asks Get transfer status for what the bank holds. ok only when it
// shows payouts of the batch and the pages closed properly.
func (e *Engine) readEcho(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt) (echo, bool) {
	read, err := e.bank.TransferStatus(ctx, b.ID, len(attempts))
	if err != nil || !read.Complete || len(read.Payouts) == 0 {
		return echo{}, false
	}
	c := compare(b, attempts, read.Answer)
	c.unmoved(attempts)
	return c, true
}

func (e *Engine) initiateFailed(ctx context.Context, step ledger.Step, call *ledger.CallError) (Result, error) {
	step = ended(step, call)
	switch {
	case call.HadNoEffect():
		return e.undone(ctx, step, ledger.InitiateUndone, call)
	case call.Outcome == ledger.Rejected:
		step.Event, step.Note = ledger.InitiateRefused, "the bank refused it: "+words(call)
		return e.concluded(ctx, step, OutcomeRefused, step.Note)
	default:
		step.Event, step.Outcome = ledger.InitiateLost, ledger.Unknown
		step.Note = "initiate was sent and no answer could be read (" + words(call) + "); it cannot pay before a submit"
		return e.concluded(ctx, step, OutcomeUnknown, step.Note)
	}
}

// undone records a call after which all is as before: it never left, or the
// bank refused the credentials, which ends the run.
func (e *Engine) undone(ctx context.Context, step ledger.Step, event ledger.BatchEvent, call *ledger.CallError) (Result, error) {
	step.Event = event
	if call.Outcome == ledger.NotSent {
		return e.concluded(ctx, step, OutcomeNotSent, "the request never left: "+words(call))
	}
	r, err := e.concluded(ctx, step, OutcomeUnauthorized, "the bank refused the credentials")
	return r, errors.Join(err, call)
}

// concluded records the outcome of a call and reports the batch as it now is.
func (e *Engine) concluded(ctx context.Context, step ledger.Step, outcome, message string) (Result, error) {
	if err := e.apply(ctx, step); err != nil {
		return Result{}, fmt.Errorf("batch %s: the call was made and its outcome (%s) could not be recorded: %w", step.BatchID, outcome, err)
	}
	e.tell(step.BatchID, "%s", message)
	return e.result(ctx, step.BatchID, outcome, message)
}
