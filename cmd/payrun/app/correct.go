package app

import (
	"context"
	"fmt"
	"slices"

	"payrun/batcher"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/validate"
)

// correctedPayouts are the payouts of one earlier sheet that a sheet corrects, and
// the batches that their next attempts go out in.
type correctedPayouts struct {
	list []ledger.Corrected
	pack *packing
	plan batcher.Plan
}

// packCorrections gathers the payouts that the sheet corrects by their own sheets:
// further attempts are planned sheet by sheet.
func (o *operation) packCorrections(s *Sheet) {
	at := map[string]int{}
	for _, c := range s.Corrections {
		i, ok := at[c.After.SheetID]
		if !ok {
			i = len(s.again)
			at[c.After.SheetID] = i
			s.again = append(s.again, correctedPayouts{pack: newPacking(int(o.set.Limits.PayoutsPerBatch))})
		}
		of := &s.again[i]
		of.list = append(of.list, c)
		of.pack.add(of.pack.group(o.groupOf(&c.Is)), c.Is.BeneLEI, c.Is.Amount, c.Priority, c.LikeLocked)
	}
}

// makePlan plans the batches.
func (c *correctedPayouts) makePlan() (err error) {
	c.plan, err = c.pack.plan()
	c.pack = nil
	return err
}

// correct hands what the sheet corrects over to the load.
func (s *Sheet) correct(l ledger.Load) error {
	for _, c := range s.again {
		if err := l.Correct(c.list, c.plan.Batches); err != nil {
			return fmt.Errorf("correcting payouts by %s: %w", s.Path, err)
		}
	}
	return nil
}

// Changes gives what each correction changes, in the order of the rows.
func (s *Sheet) Changes() []doc.Correction {
	list := make([]doc.Correction, len(s.Corrections))
	for i, c := range s.Corrections {
		list[i] = doc.Correction{Row: c.Is.Row, Ref: c.After.Ref, SheetID: c.After.SheetID, Attempt: c.After.Number + 1, Changes: append([]ledger.FieldChange{}, c.Changes()...)}
	}
	return list
}

// corrected gives what the corrected payouts are to be.
func (s *Sheet) corrected() []validate.Accepted {
	list := make([]validate.Accepted, len(s.Corrections))
	for i := range s.Corrections {
		list[i].Payout = s.Corrections[i].Is
	}
	return list
}

// correctedBy returns the batches that a sheet's corrections stand in now.
func (o *operation) correctedBy(ctx context.Context, sheetID string) ([]ledger.Batch, error) {
	var named []string
	err := o.store.Elsewhere(ctx, sheetID, func(_ int, a ledger.Attempt) error {
		if a.Number > 1 && !slices.Contains(named, a.BatchID) { // the first attempt of a payout corrects nothing
			named = append(named, a.BatchID)
		}
		return nil
	})
	if err != nil || len(named) == 0 {
		return nil, err
	}
	return o.batches(ctx, named)
}
