package app

import (
	"cmp"
	"context"
	"slices"

	"payrun/ledger"
	"payrun/validate"
)

// Review is what an approver looks at.
type Review struct {
	Batches    []ReviewedBatch
	Bound      []ledger.Bound   // what an approval of each is bound to
	Total      ledger.Tally     // of all payouts
	Since      []SinceLast      // each of their sheets against the one before
	Comparison *SheetComparison // with the approver's own copy; nil where there is none
}

// ReviewedBatch is a batch to approve, with what fraud would change in it: where the money goes, and
// how much.
type ReviewedBatch struct {
	ledger.Batch
	PlannedBy string
	Debit     ledger.DebitAccount // by today's configuration; of one that is not in it only the id
	SheetName string

	// Corrected tells what of its payouts a later sheet changed, was → is, as the
	// audit trail has it; account numbers masked.
	Corrected []string

	New      []ledger.Payout   // to accounts that were never paid from this ledger
	Unusual  []ledger.Finding  // another account than the payee ever had, paid lately, far above what is usual
	Repeated [][]ledger.Payout // the same amount to the same account, within the batch
	Largest  []ledger.Payout   // the few largest, the largest first
}

// largestShown is how many of a batch's payouts are named as its largest.
const largestShown = 5

func (o *operation) review(ctx context.Context, batches []string, copy string) (r Review, err error) {
	chosen, err := o.forApproval(ctx, batches)
	if err != nil {
		return r, err
	}
	sheets, err := o.store.Sheets(ctx)
	if err != nil {
		return r, err
	}
	for _, b := range chosen {
		one, err := o.reviewBatch(ctx, b)
		if err != nil {
			return r, err
		}
		one.SheetName = nameOf(b.SheetID, sheets)
		r.Batches = append(r.Batches, one)
		if r.Total, err = r.Total.Plus(ledger.Tally{Count: b.Count, Total: b.Total}); err != nil {
			return r, err
		}
		bound, err := o.bound(ctx, b.ID)
		if err != nil {
			return r, err
		}
		r.Bound = append(r.Bound, bound)
	}
	if r.Since, err = o.sinceLast(ctx, chosen); err != nil {
		return r, err
	}
	if copy == "" {
		return r, nil
	}
	c, err := o.compare(ctx, copy, chosen)
	if err != nil {
		return r, err
	}
	r.Comparison = &c
	return r, c.refusal()
}

// reviewBatch holds the payouts of a batch against what was known before their
// sheet was loaded, by the rules of check.
func (o *operation) reviewBatch(ctx context.Context, b ledger.Batch) (r ReviewedBatch, err error) {
	r = ReviewedBatch{Batch: b, Debit: o.debit(b)}
	if r.PlannedBy, err = o.store.PlannedBy(ctx, b.ID); err != nil {
		return r, err
	}
	if r.Corrected, err = o.corrected(ctx, b.ID); err != nil {
		return r, err
	}
	payouts, err := o.payoutsOf(ctx, b.ID)
	if err != nil {
		return r, err
	}
	known := o.store.PayeesBefore(validate.FoldName, b.ID)
	never, err := validate.NeverPaid(ctx, known, payouts)
	if err != nil {
		return r, err
	}
	for _, i := range never {
		r.New = append(r.New, payouts[i])
	}
	if r.Unusual, err = validate.Unusual(ctx, known, o.recently(), payouts); err != nil {
		return r, err
	}
	r.Repeated = repeated(payouts)
	r.Largest = largestOf(payouts)
	return r, nil
}

// largestOf sorts payouts by their amounts, and returns the few largest.
func largestOf(payouts []ledger.Payout) []ledger.Payout {
	slices.SortStableFunc(payouts, func(a, b ledger.Payout) int { return cmp.Compare(b.Amount, a.Amount) })
	return slices.Clone(payouts[:min(largestShown, len(payouts))])
}

// corrected tells what of a batch's payouts a later sheet changed.
func (o *operation) corrected(ctx context.Context, batchID string) ([]string, error) {
	events, err := o.eventsOf(ctx, batchID)
	return correctedIn(events), err
}

func correctedIn(events []ledger.Event) (told []string) {
	for _, e := range events {
		if e.Kind == ledger.EventCorrected {
			told = append(told, e.Detail)
		}
	}
	return told
}

// repeated groups the payouts of a batch that pay the same amount to the same account.
func repeated(payouts []ledger.Payout) (groups [][]ledger.Payout) {
	for _, group := range validate.Repeated(payouts) {
		var same []ledger.Payout
		for _, i := range group {
			same = append(same, payouts[i])
		}
		groups = append(groups, same)
	}
	return groups
}

func (o *operation) payoutsOf(ctx context.Context, batchID string) ([]ledger.Payout, error) {
	attempts, err := o.store.Attempts(ctx, batchID)
	payouts := make([]ledger.Payout, len(attempts))
	for i, a := range attempts {
		payouts[i] = a.Payout
	}
	return payouts, err
}
