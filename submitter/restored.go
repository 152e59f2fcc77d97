package submitter

import (
	"context"
	"fmt"

	"payrun/ledger"
)

// LookAtAll asks the bank about every planned or held batch, before a person accepts a ledger that may have
// forgotten what was sent. A planned batch that the bank has is quarantined, as before any initiate. What the
// bank shows of a held one is recorded. The outcome "look_unanswered" means that nothing can be concluded from
// the bank's answer. Nothing is sent.
func (e *Engine) LookAtAll(ctx context.Context) ([]Result, error) {
	batches, err := e.store.BatchesIn(ctx, ledger.BatchPlanned, ledger.BatchHeld)
	if err != nil || len(batches) == 0 {
		return nil, err
	}
	if err := e.checkEnvironment(ctx); err != nil { // another bank would know none of the batches
		return nil, err
	}
	results := make([]Result, 0, len(batches))
	for _, b := range batches {
		r, err := e.lookAt(ctx, b)
		if err != nil {
			return results, err
		}
		results = append(results, r)
	}
	return results, nil
}

func (e *Engine) lookAt(ctx context.Context, b ledger.Batch) (Result, error) {
	attempts, s, err := e.look(ctx, b.ID)
	switch {
	case err != nil:
		return Result{}, err
	case s.Answer == ledger.LookUnanswered:
		return notAnswered(b, s.Why), nil
	case s.Answer == ledger.LookShown && b.State == ledger.BatchPlanned:
		return e.elsewhere(ctx, b, attempts, s)
	case s.Answer == ledger.LookShown:
		r, err := e.recordLook(ctx, b, attempts, s)
		if err == nil && r.Batch.State == ledger.BatchHeld && !s.Complete {
			r = notAnswered(r.Batch, "its status could not be read to its end: "+s.Why)
		}
		return r, err
	case b.Listed == ledger.ListingYes:
		return notAnswered(b, "the bank showed it when it was held, and does not now; if that stays so, abandon it: payrun abandon "+b.ID+" --reason TEXT"), nil
	case b.State == ledger.BatchHeld:
		return Result{Batch: b, Outcome: OutcomeHeld, Message: "held here; the bank does not know it, as far as it says"}, nil
	}
	return Result{Batch: b, Outcome: OutcomeUnchanged, Message: "planned here; the bank does not know it"}, nil
}

func notAnswered(b ledger.Batch, why string) Result {
	return Result{Batch: b, Outcome: OutcomeNotLooked, Message: fmt.Sprintf("no answer that gives its state at the bank (%s)", why)}
}
