package submitter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"payrun/ledger"
)

// OTP is what a person enters for one held batch.
type OTP struct {
	BatchID string
	OTP     ledger.Secret
	Token   ledger.Secret // partner bank 1 only
	LEI     string        // optional; if given, it must be the batch's own
	Entered time.Time     // when it was entered, if it may have waited since; zero: just now
}

// Submit enters OTPs for held batches. If any of them names a batch that is not held, nothing is sent
// (ErrNotHeld). If the total has to be confirmed and ConfirmTotal did not confirm it, nothing is sent either
// (*NeedsConfirmation). A submit is the only call that moves money: it is sent once for each intent and OTP,
// and never again after a lost answer. A misconfigured account number keeps back only the batches of its
// account; the error at the end is ErrAccountNumber.
func (e *Engine) Submit(ctx context.Context, entries []OTP) ([]Result, error) {
	batches, err := e.heldBatches(ctx, entries)
	if err != nil {
		return nil, err
	}
	if err := e.ConfirmTotal(ctx, batches, 0, true); err != nil {
		return nil, err
	}
	var results []Result
	var unknown []string
	var misconfigured error
	for i, entry := range entries {
		if err := ctx.Err(); err != nil {
			return results, err
		}
		r, err := e.submitOne(ctx, batches[i], entry)
		err = e.overtaken(ctx, entry.BatchID, err)
		if r.Outcome != "" {
			results = append(results, r)
		}
		if KeepsBack(err) {
			misconfigured = cmp.Or(misconfigured, err)
			continue
		}
		if err != nil {
			return results, err
		}
		if r.Batch.State == ledger.BatchSubmitUnknown {
			unknown = append(unknown, r.Batch.ID)
		}
	}
	results, err = e.askAgain(ctx, results, unknown)
	return results, cmp.Or(err, misconfigured)
}

func (e *Engine) heldBatches(ctx context.Context, entries []OTP) ([]ledger.Batch, error) {
	batches := make([]ledger.Batch, 0, len(entries))
	seen := make(map[string]bool, len(entries))
	for _, entry := range entries {
		b, err := e.store.Batch(ctx, entry.BatchID)
		switch {
		case errors.Is(err, ledger.ErrNotFound):
			return nil, fmt.Errorf("%w: %q is not in the ledger; nothing was sent", ErrNotHeld, entry.BatchID)
		case err != nil:
			return nil, err
		case b.State != ledger.BatchHeld && e.set.ExpectedVersion != nil: // it was held when it was shown
			return nil, Overtaken(ctx, e.store, b.ID)
		case b.State != ledger.BatchHeld:
			return nil, fmt.Errorf("%w: %s is %s; nothing was sent", ErrNotHeld, b.ID, b.State)
		case seen[b.ID]:
			return nil, fmt.Errorf("%w: %s is named twice; nothing was sent", ErrNotHeld, b.ID)
		}
		seen[b.ID] = true
		batches = append(batches, b)
	}
	return batches, nil
}

func (e *Engine) submitOne(ctx context.Context, b ledger.Batch, entry OTP) (Result, error) {
	if why := e.notNow(b, entry); why.Outcome != "" {
		return why, nil
	}
	lei := ""
	if b.NeedsLEI() {
		lei = b.BeneLEI
	}
	if !b.Rules().NeedsToken {
		entry.Token = ledger.Secret{} // only partner bank 1 takes a token (interface.md, "Submit transfer")
	}
	payload, err := e.bank.EncodeSubmit(b.ID, lei)
	if err != nil {
		return Result{}, fmt.Errorf("batch %s: %w", b.ID, err)
	}
	attempts, err := e.attempts(ctx, b.ID)
	if err != nil {
		return Result{}, err
	}
	if err := e.CheckNumber(ctx, b); err != nil {
		return Result{}, err
	}
	return e.tried(ctx, func() (Result, error) {
		looks, statements, r, err := e.lookBeforeSubmit(ctx, b, attempts) // on each try: the last look is old
		if err != nil || r.Outcome != "" {
			return r, err
		}
		if why := e.waitedTooLong(b, entry); why.Outcome != "" {
			return why, nil
		}
		return e.submitOnce(ctx, b, attempts, payload, entry, looks, statements)
	})
}

// notNow says why a held batch is not submitted. It returns the zero Result if it is submitted.
func (e *Engine) notNow(b ledger.Batch, entry OTP) Result {
	if why, spent := e.OutOfTries(b); spent {
		return why
	}
	switch {
	case entry.OTP.Empty():
		return Result{Batch: b, Outcome: OutcomeNeedsPerson, Message: "no OTP was entered; not sent"}
	case b.Rules().NeedsToken && entry.Token.Empty():
		return Result{Batch: b, Outcome: OutcomeNeedsToken, Message: fmt.Sprintf("partner bank %d needs the transaction token that came with the OTP; not sent", b.PartnerBankID)}
	case entry.LEI != "" && entry.LEI != b.BeneLEI:
		return Result{Batch: b, Outcome: OutcomeNeedsPerson, Message: fmt.Sprintf("bene_lei %q is not the batch's own (%q); not sent", entry.LEI, b.BeneLEI)}
	}
	return Result{}
}

// waitedTooLong says that an OTP is not sent, because its window passed while it waited: the bank would reject
// it and use up a try. It returns the zero Result if the OTP is sent. An OTP entered after its window is sent,
// because the person knows how old it is, unless it then waited for another whole window.
func (e *Engine) waitedTooLong(b ledger.Batch, entry OTP) Result {
	if e.set.OTPWindow <= 0 || entry.Entered.IsZero() {
		return Result{}
	}
	until := b.HeldSince().Add(e.set.OTPWindow)
	if !entry.Entered.Before(until) {
		until = entry.Entered.Add(e.set.OTPWindow)
	}
	if e.set.Now().Before(until) {
		return Result{}
	}
	return Result{Batch: b, Outcome: OutcomeNeedsPerson,
		Message: fmt.Sprintf("the OTP had to wait for its turn until otp.window (%s) had passed; not sent, and no try is used up. If it still works, enter it again", e.set.OTPWindow)}
}

// OutOfTries says that a held batch is not submitted again, because the bank rejected as many OTPs as otp.tries
// allows. Do not ask a person for another OTP.
func (e *Engine) OutOfTries(b ledger.Batch) (why Result, spent bool) {
	if e.set.OTPTries <= 0 || b.OTPTries < e.set.OTPTries {
		return Result{}, false
	}
	return Result{Batch: b, Outcome: OutcomeNeedsPerson, Attention: ledger.OTPSpent,
		Message: fmt.Sprintf("the bank rejected %d submits (otp.tries); not sent. Abandon the batch and retry its payouts, or raise otp.tries", b.OTPTries)}, true
}

// debitAccounts returns the ids of the configured debit accounts.
func (e *Engine) debitAccounts() []string { return slices.Sorted(maps.Keys(e.set.Accounts)) }

func (e *Engine) submitOnce(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, payload ledger.Payload, entry OTP, looks []ledger.StatusCheck, statements map[string]ledger.StatementFetch) (Result, error) {
	r, err := e.intend(ctx, b, ledger.Step{Event: ledger.SubmitIntended, PayloadSHA256: payload.SHA256,
		Looks: looks, Statements: statements, OTPWindow: e.set.OTPWindow, DebitAccounts: e.debitAccounts()})
	if err != nil || r.Outcome != "" {
		return r, err
	}
	// From here to the outcome nothing may interrupt: the intent is on record.
	ctx = context.WithoutCancel(ctx)
	payload.MaySend = func(ctx context.Context) error { return e.store.MaySend(ctx, b.ID) }
	answer, callErr := e.hear(attempts).Submit(ctx, payload, entry.OTP, entry.Token)
	step := ledger.Step{BatchID: b.ID, From: ledger.BatchSubmitting, At: e.set.Now()}
	if callErr != nil {
		return e.submitFailed(ctx, b, step, callFailed(callErr))
	}
	if attempts, err = e.attempts(ctx, b.ID); err != nil { // no outcome: it is in doubt until the ledger is repaired
		return Result{}, err
	}
	c := e.compare(ctx, b, attempts, answer)
	step.Outcome, step.HTTPStatus, step.OtherNumber = ledger.Accepted, 200, c.number(b)
	if !c.asShown() || len(c.missing) > 0 {
		// A contradiction is no answer (safety.md, UNKNOWN): only status reads count now.
		step.Event, step.Outcome = ledger.SubmitLost, ledger.Unknown
		step.Note = "the answer to submit does not match the batch: " + c.why()
		if o, moved := c.first(ledger.Observation.Moving); moved {
			step.Note += fmt.Sprintf("; it shows %q as %q", o.WireRef, o.Status)
		}
		if c.ofAnother {
			step.Attention = ledger.StatusDiffers
		}
		return e.concluded(ctx, step, OutcomeUnknown, step.Note)
	}
	step.Event, step.Observed = ledger.SubmitAccepted, c.observed(attempts)
	return e.concluded(ctx, step, OutcomeSubmitted, "submitted")
}

// locked reports a held batch that is not submitted because one of its payouts is locked. Other batches
// continue.
func (e *Engine) locked(ctx context.Context, b ledger.Batch, why *ledger.PayoutLockedError) (Result, error) {
	l := why.Locks[0]
	step := ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Attention: l.Kind, Note: "not submitted: " + l.WireRef + ": " + l.Saw()}
	r, err := e.noted(ctx, b, step, OutcomeNeedsPerson, step.Note)
	if err != nil {
		return Result{}, errors.Join(why, err)
	}
	r.Locks = why.Locks
	return r, nil
}

func (e *Engine) submitFailed(ctx context.Context, b ledger.Batch, step ledger.Step, call *ledger.CallError) (Result, error) {
	step = ended(step, call)
	switch {
	case call.HadNoEffect():
		return e.undone(ctx, step, ledger.SubmitUndone, call)
	case call.Outcome == ledger.Rejected:
		return e.otpRejected(ctx, b, step, call)
	case call.AnsweredNo():
		step.Note = "the bank answered no to the submit (" + call.Said() + "), and whether it acted on it is not known; it is never sent again"
	default:
		step.Note = "submit was sent and no answer could be read (" + call.Said() + "); it may have paid, and is never sent again"
	}
	return e.lost(ctx, step, ledger.SubmitLost, call)
}

// otpRejected records a rejected submit; the answer does not separate a wrong OTP from an expired one. The
// batch is held again, then polled, in case the bank moved it anyway.
func (e *Engine) otpRejected(ctx context.Context, b ledger.Batch, step ledger.Step, call *ledger.CallError) (Result, error) {
	tries := b.OTPTries + 1
	step.Event = ledger.SubmitRejected
	try, left := fmt.Sprintf("try %d", tries), e.set.OTPTries-tries
	if left > 0 {
		try += fmt.Sprintf(", %d left", left)
	}
	step.Note = fmt.Sprintf("the bank rejected the submit (%s): %s", try, call.Said())
	if e.set.OTPTries > 0 && left <= 0 {
		step.Attention = ledger.OTPSpent
		step.Note += "; no more tries (otp.tries): abandon the batch and retry its payouts, or raise otp.tries"
	}
	r, err := e.concluded(ctx, step, OutcomeRejected, step.Note)
	if err != nil {
		return r, err
	}
	after, err := e.pollOne(ctx, r.Batch, ledger.Brisk)
	if err != nil {
		return r, err
	}
	if after.Batch.State != ledger.BatchHeld {
		return after, nil
	}
	return r, nil
}
