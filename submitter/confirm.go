package submitter

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"payrun/ledger"
)

// NeedsConfirmation is the error of an operation whose total a person has to
// confirm first. Nothing of it was sent.
type NeedsConfirmation struct {
	Total  ledger.Tally // how many batches, and their sum; see ConfirmTotal
	Submit bool         // they are to be submitted; else initiated
}

func (n *NeedsConfirmation) Error() string {
	return fmt.Sprintf("a person has to confirm the total of %d batches, %s; nothing was sent", n.Total.Count, n.Total.Total)
}

// ConfirmTotal compares what a person typed, 0 for nothing, with the total if the total reaches
// policy.confirm_above; *NeedsConfirmation where it is another. The total has
// what is asked for now, also what waits behind another's OTP, what this operation did before, and all
// that is held or being initiated by any person, so that no one makes it small by doing it in parts. An operation asks
// once for what was confirmed: one that initiates and submits asks once, before any OTP is asked for. submit: they
// are held and submitted; else initiated.
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

// unconfirmed asks again for the total of a batch and all that is held: another run added to
// it since it was confirmed.
func (e *Engine) unconfirmed(ctx context.Context, b ledger.Batch, submit bool) error {
	e.confirmed = nil
	_, total, err := e.counted(ctx, []ledger.Batch{b})
	if err != nil {
		return err
	}
	return &NeedsConfirmation{Total: total, Submit: submit}
}

// counted are the batches that count in a total, by id; nil where nothing has to
// be confirmed.
func (e *Engine) counted(ctx context.Context, asked []ledger.Batch) (counted map[string]ledger.Paise, total ledger.Tally, err error) {
	asked = slices.DeleteFunc(slices.Clone(asked), func(b ledger.Batch) bool { _, done := e.confirmed[b.ID]; return done })
	if e.set.ConfirmAbove <= 0 || len(asked) == 0 {
		return nil, total, nil
	}
	held, err := e.store.BatchesIn(ctx, ledger.BatchHeld, ledger.BatchInitiating) // as Step.Change counts them: another machine may be at it
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

// MayInitiate are the planned batches among those that are asked for which
// initiate would send: not those that another person has to approve first.
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

// encode gives what initiate would send for a batch, after the rows were compared with the audit trail.
func (e *Engine) encode(ctx context.Context, b ledger.Batch) (ledger.Payload, []ledger.Attempt, error) {
	if err := e.store.VerifyDigests(ctx, b.ID); err != nil {
		return ledger.Payload{}, nil, err
	}
	return encode(ctx, e.store, e.bank, b)
}
