package submitter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"payrun/ledger"
)

// Initiate sends the named batches, or every planned one, and holds them for their OTP. If two people have to
// agree, a batch stays planned unless exactly what would be sent was approved. Initiate stops at the first 401,
// at a local fault, and when ctx ends; it always completes and records the current call. Batches over
// otp.held_at_once of their account stay planned, with the outcome "waiting". If a misconfigured account number
// leaves a lost answer unresolved, other accounts' batches are still sent, and the error at the end is
// ErrAccountNumber. If the total, with all that is held, reaches policy.confirm_above, typed must be that
// total: otherwise Initiate sends nothing and returns a *NeedsConfirmation.
func (e *Engine) Initiate(ctx context.Context, ids []string, typed ledger.Paise) ([]Result, error) {
	misconfigured := e.SettleDoubts(ctx)
	if misconfigured != nil && !KeepsBack(misconfigured) {
		return nil, misconfigured
	}
	batches, err := e.pick(ctx, ids, ledger.BatchPlanned)
	if err != nil {
		return nil, err
	}
	held, err := e.heldPerAccount(ctx)
	if err != nil {
		return nil, err
	}
	if e.set.ConfirmAbove > 0 {
		sent, err := e.MayInitiate(ctx, batches)
		if err != nil {
			return nil, err
		}
		if err := e.ConfirmTotal(ctx, sent, typed, false); err != nil {
			return nil, err
		}
	}
	var results []Result
	var unknown []string
	for _, b := range batches {
		if err := ctx.Err(); err != nil {
			return results, err
		}
		if b.State != ledger.BatchPlanned {
			results = append(results, Result{Batch: b, Outcome: OutcomeUnchanged, Message: "nothing was sent: only a planned batch can be initiated, and this one is " + string(b.State)})
			continue
		}
		if e.set.HeldAtOnce > 0 && held[b.BankAccountID] >= e.set.HeldAtOnce {
			results = append(results, queuedBehindOTP(b))
			continue
		}
		r, err := e.initiateOne(ctx, b)
		err = e.overtaken(ctx, b.ID, err)
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
	results, err = e.askAgain(ctx, results, unknown)
	return results, cmp.Or(err, misconfigured)
}

func queuedBehindOTP(b ledger.Batch) Result {
	return Result{Batch: b, Outcome: OutcomeWaiting, Attention: ledger.QueuedBehindOTP,
		Message: "another batch of this debit account is awaiting its OTP (otp.held_at_once)"}
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

// initiateOne records the intent, calls, and records the outcome.
func (e *Engine) initiateOne(ctx context.Context, b ledger.Batch) (Result, error) {
	payload, attempts, err := e.encode(ctx, b)
	if err != nil {
		return Result{}, err
	}
	if why, err := e.unapproved(ctx, b, payload); err != nil || why != "" {
		return Result{Batch: b, Outcome: OutcomeWaiting, Message: why, Attention: unapprovedAs(b)}, err
	}
	if r, err := e.likeLocked(ctx, b, attempts); err != nil || r.Outcome != "" {
		return r, err
	}
	if err := e.checkEnvironment(ctx); err != nil {
		return Result{}, err
	}
	why, err := e.usable(ctx, b)
	if err != nil {
		return Result{}, err
	}
	if why != "" {
		step := ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Note: "not initiated: " + why, Attention: ledger.AccountUnusable}
		return e.noted(ctx, b, step, OutcomeNeedsPerson, step.Note)
	}
	first, err := e.checkStatus(ctx, b.ID, attempts)
	if err != nil {
		return Result{}, err
	}
	if first.Answer == ledger.LookShown {
		return e.elsewhere(ctx, b, attempts, first)
	}
	return e.tried(ctx, func() (Result, error) { return e.initiateOnce(ctx, b, attempts, payload, first) })
}

// elsewhere quarantines a planned batch that the bank already has: a copy of this ledger sent it. If payouts in
// it moved, that is recorded at once.
func (e *Engine) elsewhere(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, s seen) (Result, error) {
	step := ledger.Step{BatchID: b.ID, From: ledger.BatchPlanned, Event: ledger.SeenElsewhere, At: e.set.Now(),
		Note: "the bank has it already, and it was not sent from this ledger: there is a copy of it somewhere; nothing was sent"}
	return e.quarantined(ctx, step, attempts, s)
}

// quarantined records that the bank holds something other than what was sent, and what the look s showed.
func (e *Engine) quarantined(ctx context.Context, step ledger.Step, attempts []ledger.Attempt, s seen) (Result, error) {
	step.Attention = ledger.EchoDiffered
	r, err := e.concluded(ctx, step, OutcomeQuarantined, step.Note)
	if err != nil {
		return r, err
	}
	return e.recordAfter(ctx, r, attempts, s)
}

// recordAfter records what a look showed of a batch after the outcome r. If that moved the batch on, it returns
// the result of the look.
func (e *Engine) recordAfter(ctx context.Context, r Result, attempts []ledger.Attempt, s seen) (Result, error) {
	after, err := e.recordLook(ctx, r.Batch, attempts, s)
	if err != nil {
		return r, err
	}
	if after.Batch.State != r.Batch.State {
		return after, nil
	}
	r.Batch = after.Batch
	return r, nil
}

func (e *Engine) initiateOnce(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, payload ledger.Payload, first seen) (Result, error) {
	r, err := e.intend(ctx, b, ledger.Step{Event: ledger.InitiateIntended, PayloadSHA256: payload.SHA256,
		HeldAtMost: e.set.HeldAtOnce, AfterRestore: e.set.ResolveWait, Looks: []ledger.StatusCheck{first.StatusCheck}})
	if err != nil || r.Outcome != "" {
		return r, err
	}
	// From here to the outcome nothing may interrupt: the intent is on record.
	ctx = context.WithoutCancel(ctx)
	payload.MaySend = func(ctx context.Context) error { return e.store.MaySend(ctx, b.ID) }
	answer, callErr := e.hear(attempts).Initiate(ctx, payload)
	step := ledger.Step{BatchID: b.ID, From: ledger.BatchInitiating, At: e.set.Now()}
	if callErr != nil {
		return e.initiateFailed(ctx, b, attempts, step, callFailed(callErr))
	}
	if attempts, err = e.attempts(ctx, b.ID); err != nil { // no outcome: it is in doubt until the ledger is repaired
		return Result{}, err
	}
	step.Outcome, step.HTTPStatus, step.OpenBatchID = ledger.Accepted, 200, answer.OpenBatchID
	c := e.compare(ctx, b, attempts, answer)
	c.unmoved(attempts)
	if onlyAmountsAbsent(c) {
		c, answer = e.readEcho(ctx, b, attempts, c, answer)
	}
	if c.equal() {
		step.Event, step.Observed = ledger.InitiateAccepted, c.echoed(attempts)
		r, err := e.concluded(ctx, step, OutcomeHeld, "held for OTP")
		if err != nil {
			return r, err
		}
		return e.listing(ctx, r)
	}
	step.Event, step.Note, step.OtherNumber = ledger.EchoDiffers, "the bank holds something else than was sent: "+c.why(), c.number(b)
	if onlyAmountsAbsent(c) {
		step.Note = "the bank accepted it, but neither its answer nor its status shows amounts that payrun can read"
	}
	var shown seen
	if c.moving() {
		shown = seen{StatusCheck: ledger.StatusCheck{Answer: ledger.LookShown}, read: ledger.StatusRead{Answer: answer, Complete: true}}
	}
	return e.quarantined(ctx, step, attempts, shown)
}

// onlyAmountsAbsent: everything agrees, but the answer lacks amounts. They are read from the status before the
// echo is judged (safety.md).
func onlyAmountsAbsent(c echo) bool {
	return c.asShown() && len(c.missing) == 0 && len(c.amountsAbsent) > 0
}

// readEcho reads Get transfer status on the schedule of lost answers, until it shows payouts of the batch and
// the pages close properly. If none does, the echo and its answer stay as they were.
func (e *Engine) readEcho(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, c echo, answer ledger.Answer) (echo, ledger.Answer) {
	var waited time.Duration
	for _, times := range append([]time.Duration{0}, askTimes[:]...) {
		if err := pause(ctx, times*e.set.PollFirst-waited); err != nil {
			return c, answer
		}
		waited = times * e.set.PollFirst
		read, err := e.hear(attempts).ReadStatus(ctx, b.ID, len(attempts), ledger.Brisk)
		if err == nil && read.Complete && len(read.Payouts) > 0 {
			c = e.compare(ctx, b, attempts, read.Answer)
			c.unmoved(attempts)
			return c, read.Answer
		}
	}
	return c, answer
}

// listing looks at a batch right after it was held, and records whether the bank shows batches that are not
// submitted yet. The interface does not say, and the meaning of a later "not known" of this batch depends on
// it.
func (e *Engine) listing(ctx context.Context, r Result) (Result, error) {
	b := r.Batch
	attempts, err := e.attempts(ctx, b.ID)
	if err != nil {
		return r, err
	}
	s, err := e.checkStatus(ctx, b.ID, attempts)
	if err != nil {
		return r, nil // still held; if the cause persists, the next call meets it
	}
	step := ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Note: b.Note, Attention: b.Attention, Listed: s.StatusCheck.Listing()}
	if step.Listed == ledger.ListingUnasked {
		return r, nil
	}
	if err := e.apply(ctx, step); err != nil {
		return r, fmt.Errorf("batch %s was initiated and is held; how the bank shows it could not be recorded: %w", b.ID, err)
	}
	if r.Batch, err = e.store.Batch(ctx, b.ID); err != nil {
		return r, err
	}
	return e.recordAfter(ctx, r, attempts, s)
}

func (e *Engine) initiateFailed(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, step ledger.Step, call *ledger.CallError) (Result, error) {
	step = ended(step, call)
	switch {
	case call.HadNoEffect():
		return e.undone(ctx, step, ledger.InitiateUndone, call)
	case call.Outcome == ledger.Rejected:
		return e.refused(ctx, b, attempts, step, call)
	case call.AnsweredNo():
		step.Note = "the bank answered no (" + call.Said() + "), and whether it has the batch is not known; it cannot pay before a submit"
	default:
		step.Note = "initiate was sent and no answer could be read (" + call.Said() + "); it cannot pay before a submit"
	}
	return e.lost(ctx, step, ledger.InitiateLost, call)
}

// lost records a call whose effect is not known.
func (e *Engine) lost(ctx context.Context, step ledger.Step, event ledger.BatchEvent, call *ledger.CallError) (Result, error) {
	if step.Event, step.Outcome = event, ledger.Unknown; call.AnsweredNo() {
		step.Refusal = call.Said()
	}
	return e.concluded(ctx, step, OutcomeUnknown, step.Note)
}

// refused records a 400, after one look. If the bank has the batch all the same, it was sent before, from
// elsewhere.
func (e *Engine) refused(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, step ledger.Step, call *ledger.CallError) (Result, error) {
	s, err := e.checkStatus(ctx, b.ID, attempts)
	if err == nil && s.Answer == ledger.LookShown {
		step.Event, step.Note = ledger.EchoDiffers, "the bank refused it ("+call.Said()+") and has it: it was sent before, from elsewhere"
		return e.quarantined(ctx, step, attempts, s)
	}
	step.Event, step.Note = ledger.InitiateRefused, "the bank refused it: "+call.Said()
	return e.concluded(ctx, step, OutcomeRefused, step.Note)
}

// undone records a call that changed nothing: it never left, or the bank refused the credentials, which ends
// the run.
func (e *Engine) undone(ctx context.Context, step ledger.Step, event ledger.BatchEvent, call *ledger.CallError) (Result, error) {
	step.Event = event
	if call.Outcome == ledger.NotSent {
		return e.concluded(ctx, step, OutcomeNotSent, "the request never left: "+call.Said())
	}
	r, err := e.concluded(ctx, step, OutcomeUnauthorized, "the bank refused the credentials")
	return r, errors.Join(err, call)
}

// late records the answer to a call that another run took for lost. If the bank accepted the submit, the doubt
// ends, and the batch is released like any submitted one. Any other answer is kept and ends no doubt.
func (e *Engine) late(ctx context.Context, answer ledger.Step, message string) error {
	b, err := e.store.Batch(ctx, answer.BatchID)
	if err != nil {
		return err
	}
	step := ledger.Step{BatchID: b.ID, From: b.State, At: answer.At, Note: message, Attention: b.Attention, OtherNumber: answer.OtherNumber,
		Outcome: answer.Outcome, HTTPStatus: answer.HTTPStatus, Code: answer.Code, Message: answer.Message}
	if _, err := b.State.Next(ledger.LateAnswer); err == nil && answer.Event == ledger.SubmitAccepted {
		step.Event, step.Attention = ledger.LateAnswer, ledger.NeedsNothing
	}
	return e.apply(ctx, step)
}

// concluded records the outcome of a call and reports the batch as it is now. If the outcome cannot be
// recorded, it reports the batch as unknown.
func (e *Engine) concluded(ctx context.Context, step ledger.Step, outcome, message string) (Result, error) {
	err := e.apply(ctx, step)
	if errors.Is(err, ledger.ErrConflict) && step.Outcome != "" {
		message = "the answer came after another run took the call for lost: " + message
		if err = e.late(ctx, step, message); step.Event != ledger.SubmitAccepted {
			outcome = OutcomeUnknown
		}
	}
	if err != nil {
		err = fmt.Errorf("batch %s: the call was made and its outcome (%s) could not be recorded: %w", step.BatchID, outcome, err)
		r, readErr := e.result(ctx, step.BatchID, OutcomeUnknown, "its result could not be recorded")
		if readErr != nil || !step.From.Open() { // there was no open call
			return Result{}, err
		}
		return r, err
	}
	e.tell(step.BatchID, "%s", message)
	return e.result(ctx, step.BatchID, outcome, message)
}
