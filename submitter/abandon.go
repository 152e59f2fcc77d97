package submitter

import (
	"context"
	"fmt"

	"payrun/ledger"
)

// Abandon gives up a batch that was never submitted, on a person's word. A
// batch the bank may know is asked about first: one whose payouts move is not
// given up, nor one whose OTP was rejected unless the bank shows every payout
// still request_initiated.
func (e *Engine) Abandon(ctx context.Context, id, reason string) (Result, error) {
	b, err := e.store.Batch(ctx, id)
	if err != nil {
		return Result{}, fmt.Errorf("batch %s: %w", id, err)
	}
	if _, err := b.State.Next(ledger.Abandoned); err != nil {
		return Result{Batch: b, Outcome: OutcomeUnchanged}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if b.State != ledger.BatchPlanned {
		if r, err := e.safeToAbandon(ctx, b); err != nil {
			return r, err
		}
	}
	step := ledger.Step{BatchID: b.ID, From: b.State, Event: ledger.Abandoned, At: e.set.Now(), Person: reason, Note: "abandoned: " + reason}
	return e.concluded(ctx, step, OutcomeAbandoned, "abandoned; its payouts are cancelled and can be retried")
}

// safeToAbandon asks the bank. Only an answer counts: a bank that cannot be
// reached says nothing.
func (e *Engine) safeToAbandon(ctx context.Context, b ledger.Batch) (Result, error) {
	attempts, err := e.store.Attempts(ctx, b.ID)
	if err != nil {
		return Result{}, err
	}
	refuse := func(format string, args ...any) (Result, error) {
		why := fmt.Sprintf(format, args...)
		return Result{Batch: b, Outcome: OutcomeNeedsPerson, Message: why}, fmt.Errorf("%w: batch %s is not abandoned: %s", ErrRefused, b.ID, why)
	}
	read, err := e.bank.TransferStatus(ctx, b.ID, len(attempts))
	if err != nil {
		call := callFailed(err)
		switch {
		case call.HTTPStatus == 401:
			return Result{Batch: b, Outcome: OutcomeUnauthorized}, call
		case call.Outcome != ledger.Rejected && call.HTTPStatus != 404:
			return refuse("the bank could not be asked (%s); try again", words(call))
		case b.OTPTries > 0:
			return refuse("an OTP was entered for it and the bank does not show it (%s); raise otp.tries to enter another", words(call))
		}
		return Result{}, nil
	}
	c := compare(b, attempts, read.Answer)
	switch {
	case c.moving():
		return refuse("the bank shows its payouts moving; run payrun poll")
	case !read.Complete:
		return refuse("the bank's status could not be read to its end (%s); try again", read.Why)
	case b.OTPTries > 0 && !c.untouched(attempts):
		return refuse("an OTP was entered for it and the bank does not show every payout request_initiated")
	}
	return Result{}, nil
}

// untouched: every payout was seen, and is request_initiated.
func (c echo) untouched(attempts []ledger.Attempt) bool {
	c.unmoved(attempts)
	return len(c.missing) == 0 && len(c.differs) == 0
}
