package app

import (
	"context"
	"fmt"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

// ReviewedBatches is what a person was shown when they decided, who saw it some time ago
// and elsewhere than where it is carried out. It names the batches that the
// decision is about; where one of them is no longer as it was shown nothing is done
// (ledger.ErrStale). That is asked when the use case has the lock, and once more
// in the transaction in which each batch's decision is recorded.
type ReviewedBatches struct {
	Batches []ledger.Bound // each as it was shown

	// Sheet means every planned batch of a sheet, instead; Plan is the digest of what
	// was shown of them (ledger.PlanDigest).
	Sheet, Plan string
}

// bind returns the batches that a person decided about, and has the operation hold
// each to what was shown of it.
func (o *operation) bind(ctx context.Context, to *ReviewedBatches) (named []string, err error) {
	o.expected = map[string]ledger.ExpectedVersion{}
	if to.Sheet == "" {
		return o.bindBatches(ctx, to.Batches)
	}
	of := ledger.Filter{SheetID: to.Sheet}
	if err := o.exists(ctx, of); err != nil {
		return nil, err
	}
	planned, err := o.planned(ctx, of)
	if err != nil {
		return nil, err
	}
	fields, err := o.fields()
	if err != nil {
		return nil, err
	}
	from, err := o.ahead(ctx, of, planned)
	if err != nil {
		return nil, err
	}
	now, err := from.bound(ctx, fields, planned)
	if err != nil {
		return nil, err
	}
	if len(now) == 0 || to.Plan != ledger.PlanDigest(now).String() {
		return nil, fmt.Errorf("sheet %s: %w", to.Sheet, ledger.ErrStale)
	}
	for _, b := range now {
		o.expected[b.BatchID] = b.ExpectedVersion
		named = append(named, b.BatchID)
	}
	return named, nil
}

func (o *operation) bindBatches(ctx context.Context, shown []ledger.Bound) (named []string, err error) {
	fields, err := o.fields()
	if err != nil {
		return nil, err
	}
	for _, b := range shown {
		if err := submitter.StillBound(ctx, o.store, fields, b); err != nil {
			return nil, err
		}
		o.expected[b.BatchID] = b.ExpectedVersion
		named = append(named, b.BatchID)
	}
	return named, nil
}

// bound is what a decision about a batch is bound to now.
func (o *operation) bound(ctx context.Context, id string) (ledger.Bound, error) {
	fields, err := o.fields()
	if err != nil {
		return ledger.Bound{}, err
	}
	return submitter.Bind(ctx, o.store, fields, id)
}

// fields are what the body of Initiate transfer calls its fields, as configured.
func (o *operation) fields() (bankapi.RequestFields, error) {
	fields, err := bankapi.Config{AmountField: o.set.RequestFields.Amount, DebitAccountField: o.set.RequestFields.DebitAccount}.RequestFields()
	if err != nil {
		return fields, Fail(Usage, "%v", err).Because(err)
	}
	return fields, nil
}
