package submitter

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"payrun/ledger"
)

// NeedsConfirmation is the error of an operation whose total a person has to confirm first. Nothing was sent.
type NeedsConfirmation struct {
	Total  ledger.Tally // number of batches and their sum; see ConfirmTotal
	Submit bool         // true: they would be submitted; false: initiated
}

func (n *NeedsConfirmation) Error() string {
	return fmt.Sprintf("a person has to confirm the total of %d batches, %s; nothing was sent", n.Total.Count, n.Total.Total)
}

// ConfirmTotal compares typed (paise; 0 for nothing) with the total, if the total reaches policy.confirm_above.
// It returns a *NeedsConfirmation if they differ. The total covers what is asked for now (also batches that
// wait behind another's OTP), what this operation did before, and everything that anyone holds or is
// initiating. So splitting a run does not lower the total. An operation asks once for a total: one that
// initiates and submits asks before any OTP. submit says whether the batches would be submitted or initiated.
func (e *Engine) ConfirmTotal(ctx context.Context, asked []ledger.Batch, typed ledger.Paise, submit bool) error {
	counted, total, err := e.counted(ctx, asked)
	if err != nil || counted == nil {
		return err
	}
	if total.Total >= e.set.ConfirmAbove && typed != total.Total {
		return &NeedsConfirmation{Total: total, Submit: submit}
	}
	e.confirmed = counted
	return nil
}

// unconfirmed asks again for the total of a batch and all that is held, because another run raised it since it
// was confirmed.
func (e *Engine) unconfirmed(ctx context.Context, b ledger.Batch, submit bool) error {
	e.confirmed = nil
	_, total, err := e.counted(ctx, []ledger.Batch{b})
	if err != nil {
		return err
	}
	return &NeedsConfirmation{Total: total, Submit: submit}
}

// counted returns the amounts that count in a total, by batch id, and the total. It returns nil if nothing has
// to be confirmed.
func (e *Engine) counted(ctx context.Context, asked []ledger.Batch) (counted map[string]ledger.Paise, total ledger.Tally, err error) {
	asked = slices.DeleteFunc(slices.Clone(asked), func(b ledger.Batch) bool { _, done := e.confirmed[b.ID]; return done })
	if e.set.ConfirmAbove <= 0 || len(asked) == 0 {
		return nil, total, nil
	}
	held, err := e.store.BatchesIn(ctx, ledger.BatchHeld, ledger.BatchInitiating) // as in Step.Change: another machine may hold some
	if err != nil {
		return nil, total, err
	}
	if counted = maps.Clone(e.confirmed); counted == nil {
		counted = map[string]ledger.Paise{}
	}
	for _, b := range append(held, asked...) {
		counted[b.ID] = b.Total
	}
	for id, amount := range counted {
		sum, ok := total.Total.Plus(amount)
		if !ok {
			return nil, total, fmt.Errorf("batch %s: the total of this run is out of range", id)
		}
		total = ledger.Tally{Count: total.Count + 1, Total: sum}
	}
	return counted, total, nil
}

// MayInitiate returns the planned batches that initiate would send. It leaves out those that another person has
// to approve first.
func (e *Engine) MayInitiate(ctx context.Context, batches []ledger.Batch) (sent []ledger.Batch, err error) {
	for _, b := range batches {
		if b.State != ledger.BatchPlanned {
			continue
		}
		why := ""
		if b.NeedsTwo(e.set.TwoPerson) {
			payload, _, err := e.encode(ctx, b)
			if err != nil {
				return nil, err
			}
			if why, err = e.unapproved(ctx, b, payload); err != nil {
				return nil, err
			}
		}
		if why == "" {
			sent = append(sent, b)
		}
	}
	return sent, nil
}

// encode returns what initiate would send for a batch, after it compared the rows with the audit trail.
func (e *Engine) encode(ctx context.Context, b ledger.Batch) (ledger.Payload, []ledger.Attempt, error) {
	if err := e.store.VerifyDigests(ctx, b.ID); err != nil {
		return ledger.Payload{}, nil, err
	}
	return encode(ctx, e.store, e.bank, b)
}
