package submitter

import (
	"context"
	"fmt"

	"payrun/ledger"
)

// NeedsConfirmation is the error of an operation whose total a person has to
// confirm first. Nothing of it was sent.
type NeedsConfirmation struct{ Total ledger.Tally } // how many batches, and their sum

func (n *NeedsConfirmation) Error() string {
	return fmt.Sprintf("a person has to confirm the total of %d batches, %s; nothing was sent", n.Total.Count, n.Total.Total)
}

// confirmTotal holds typed against the total of the operation where that comes
// to policy.confirm_above or beyond. All batches that were asked for and may be
// sent count, those too that wait behind another's OTP, and what was initiated
// before: an operation is not made small by its rounds. What was confirmed once
// is not asked about again.
func (e *Engine) confirmTotal(ctx context.Context, batches []ledger.Batch, typed ledger.Paise) error {
	if e.set.ConfirmAbove <= 0 {
		return nil
	}
	var fresh []string
	total := e.counted
	for _, b := range batches {
		if b.State != ledger.BatchPlanned || e.confirmed[b.ID] {
			continue
		}
		if e.set.People != nil {
			payload, _, err := e.encode(ctx, b)
			if err != nil {
				return err
			}
			if why, err := e.unapproved(ctx, b, payload); err != nil || why != "" {
				if err != nil {
					return err
				}
				continue
			}
		}
		sum, ok := total.Total.Plus(b.Total)
		if !ok {
			return fmt.Errorf("batch %s: the total of this run is out of range", b.ID)
		}
		total = ledger.Tally{Count: total.Count + 1, Total: sum}
		fresh = append(fresh, b.ID)
	}
	if len(fresh) == 0 {
		return nil
	}
	if total.Total >= e.set.ConfirmAbove && typed != total.Total {
		return &NeedsConfirmation{Total: total}
	}
	for _, id := range fresh {
		e.confirmed[id] = true
	}
	e.counted = total
	return nil
}

// encode gives what initiate would send for a batch.
func (e *Engine) encode(ctx context.Context, b ledger.Batch) (ledger.Payload, []ledger.Attempt, error) {
	attempts, err := e.store.Attempts(ctx, b.ID)
	if err != nil {
		return ledger.Payload{}, nil, err
	}
	payload, err := e.bank.EncodeInitiate(b, attempts)
	if err != nil {
		return ledger.Payload{}, nil, fmt.Errorf("batch %s: %w", b.ID, err)
	}
	return payload, attempts, nil
}
