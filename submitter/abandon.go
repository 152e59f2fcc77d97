package submitter

import (
	"context"
	"errors"
	"fmt"

	"payrun/ledger"
)

// Abandon cancels a batch that was never submitted, by a person's decision. It first asks about a
// batch that the bank may know, and abandons nothing if the bank shows anything beyond
// request_initiated or does not give its state. A refused batch is recorded as dealt with.
func (e *Engine) Abandon(ctx context.Context, id, reason string) (Result, error) {
	b, err := e.store.Batch(ctx, id)
	if err != nil {
		return Result{}, fmt.Errorf("batch %s: %w", id, err)
	}
	if b.State == ledger.BatchRefused {
		return e.acknowledged(ctx, b, reason)
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
	return e.concluded(ctx, step, OutcomeAbandoned, "abandoned; its payouts are cancelled")
}

// acknowledged records that a person has dealt with a refusal.
func (e *Engine) acknowledged(ctx context.Context, b ledger.Batch, reason string) (Result, error) {
	if b.Attention == ledger.Acknowledged {
		return Result{Batch: b, Outcome: OutcomeUnchanged, Message: b.Note}, nil
	}
	step := ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Person: reason, Attention: ledger.Acknowledged, Note: "dealt with: " + reason}
	return e.concluded(ctx, step, OutcomeAbandoned, "recorded as dealt with; its payouts stay cancelled")
}

// safeToAbandon asks the bank. Only two answers allow it: all payouts that it shows are still request_initiated,
// or the bank does not know the batch. A bank may have taken a part of the batch and never show the rest. Unless
// the batch is quarantined, "not known" counts only after doubt.quiet if the bank showed the batch while it was
// held: a bank may drop a batch whose OTP expired. After an OTP was entered it counts only if payrun knows whether
// the bank lists held batches.
func (e *Engine) safeToAbandon(ctx context.Context, b ledger.Batch) (Result, error) {
	attempts, s, err := e.look(ctx, b.ID)
	if errors.Is(err, ledger.ErrUnauthorized) {
		return Result{Batch: b, Outcome: OutcomeUnauthorized}, err
	}
	if err != nil {
		return Result{}, err
	}
	refuse := func(format string, args ...any) (Result, error) {
		why := fmt.Sprintf(format, args...)
		return Result{Batch: b, Outcome: OutcomeNeedsPerson, Message: why}, fmt.Errorf("%w: batch %s is not abandoned: %s", ErrRefused, b.ID, why)
	}
	r, err := e.recordLook(ctx, b, attempts, s)
	if err != nil {
		return Result{}, err
	}
	if r.Batch.State != b.State {
		return r, fmt.Errorf("%w: batch %s is not abandoned: it is %s", ErrRefused, b.ID, r.Batch.State)
	}
	odd, beyond := s.Beyond()
	switch {
	case beyond:
		return refuse("the bank shows %q as %q", odd.WireRef, odd.Status)
	case s.Answer == ledger.LookShown && s.Closed, b.State == ledger.BatchQuarantined && s.Answer == ledger.LookNotKnown:
		return Result{}, nil
	case s.Answer != ledger.LookNotKnown:
		return Result{Batch: b, Outcome: OutcomeNotLooked, Message: s.Why}, fmt.Errorf("%w: batch %s is not abandoned: the bank could not be asked, or did not say all (%s)", ErrUnanswered, b.ID, s.Why)
	case b.Listed == ledger.ListingYes:
		if dropped, err := e.quiet(ctx, b, s); err != nil || dropped {
			return Result{}, err
		}
		return refuse("the bank showed it when it was held, and does not now; if that stays so, it can be abandoned %s after that", e.set.DoubtQuiet)
	case b.OTPTries > 0 && b.Listed != ledger.ListingNo:
		return refuse("an OTP was entered for it and the bank does not show it")
	}
	return Result{}, nil
}
