package submitter

import (
	"context"
	"errors"
	"fmt"

	"payrun/ledger"
)

// Decision is what a person found out about a submit whose answer was lost.
type Decision string

const (
	DecidedSubmitted    Decision = "submitted"     // the bank took it; polling goes on
	DecidedNotSubmitted Decision = "not-submitted" // the bank never took it; its payouts may be retried
)

// Resolve records a person's decision on a batch in submit_unknown. It is the
// only way out of that state without the bank showing a payout move, so it is
// refused before poll.overdue_after, and unless a fresh, complete status shows
// every payout request_initiated. That no statement shows a debit is for the
// person to see: deciding "not-submitted" against the facts is how a payout
// would be paid twice.
func (e *Engine) Resolve(ctx context.Context, id string, as Decision, reason string) (Result, error) {
	b, err := e.store.Batch(ctx, id)
	if err != nil {
		return Result{}, fmt.Errorf("batch %s: %w", id, err)
	}
	event := ledger.ResolvedSubmitted
	if as == DecidedNotSubmitted {
		event = ledger.ResolvedNotSubmitted
	}
	if _, err := b.State.Next(event); err != nil {
		return Result{Batch: b, Outcome: OutcomeUnchanged}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if waited := e.set.Now().Sub(b.StateSince); waited < e.set.OverdueAfter {
		return Result{Batch: b, Outcome: OutcomeUnknown}, fmt.Errorf("%w: batch %s has been in doubt for less than poll.overdue_after (%s); run payrun poll until then", ErrRefused, id, e.set.OverdueAfter)
	}
	if r, err := e.stillUntouched(ctx, b); err != nil {
		return r, err
	}
	first, ok, err := e.seconded(ctx, id, as)
	if err != nil {
		return Result{Batch: b, Outcome: OutcomeUnknown}, err
	}
	if !ok {
		return e.propose(ctx, b, as, reason)
	}
	step := ledger.Step{BatchID: b.ID, From: b.State, Event: event, At: e.set.Now(), Person: reason, Note: fmt.Sprintf("resolved as %s: %s", as, reason)}
	if first.Actor != "" {
		step.Person += "; proposed by " + first.Actor + ": " + first.Reason
	}
	if as == DecidedNotSubmitted {
		return e.concluded(ctx, step, OutcomeAbandoned, "resolved as not submitted; its payouts are cancelled and can be retried")
	}
	return e.concluded(ctx, step, OutcomeSubmitted, "resolved as submitted; payrun poll goes on asking")
}

// propose records a first person's decision, for a second person to carry out.
func (e *Engine) propose(ctx context.Context, b ledger.Batch, as Decision, reason string) (Result, error) {
	if err := e.set.People.Propose(ctx, ledger.Proposal{BatchID: b.ID, Decision: string(as), Reason: reason, Actor: e.set.Actor, At: e.set.Now()}); err != nil {
		return Result{Batch: b, Outcome: OutcomeUnknown}, err
	}
	r, err := e.result(ctx, b.ID, OutcomeWaiting, fmt.Sprintf("proposed by %s as %s; another person carries it out: payrun resolve %s --as %s --reason TEXT",
		e.set.Actor, as, b.ID, as))
	r.Attention = ledger.ToBeApproved
	return r, err
}

// stillUntouched asks the bank once more. A status that moved decides by
// itself, and anything short of a full reading refuses.
func (e *Engine) stillUntouched(ctx context.Context, b ledger.Batch) (Result, error) {
	attempts, err := e.store.Attempts(ctx, b.ID)
	if err != nil {
		return Result{}, err
	}
	read, err := e.hear(attempts).TransferStatus(ctx, b.ID, len(attempts))
	if errors.Is(err, ledger.ErrUnauthorized) {
		return Result{Batch: b, Outcome: OutcomeUnauthorized}, err
	}
	refuse := func(why string) (Result, error) {
		return Result{Batch: b, Outcome: OutcomeUnknown, Message: why}, fmt.Errorf("%w: batch %s is not resolved: %s", ErrRefused, b.ID, why)
	}
	if err != nil {
		return refuse("no status could be read (" + words(callFailed(err)) + ")")
	}
	c := compare(b, attempts, read.Answer)
	switch {
	case c.moving():
		return refuse("the bank shows its payouts moving; run payrun poll")
	case !read.Complete:
		return refuse("the status could not be read to its end: " + read.Why)
	case !c.untouched(attempts):
		return refuse("the bank does not show every payout request_initiated: " + c.why())
	}
	return Result{}, nil
}
