package app

import (
	"context"
	"errors"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

// Unapproved is a batch that somebody may approve.
type Unapproved struct {
	ledger.Batch
	PlannedBy string
}

// ToApprove shows what is to be approved.
func (a *App) ToApprove(ctx context.Context, call Call, named []string) (out []Unapproved, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		chosen, err := o.forApproval(ctx, named)
		if err != nil {
			return err
		}
		for _, b := range chosen {
			by, err := o.store.PlannedBy(ctx, b.ID)
			if err != nil {
				return err
			}
			out = append(out, Unapproved{b, by})
		}
		return nil
	})
	return out, err
}

// Approve records a second person's approval of planned batches
// (policy.two_person). Nothing is asked of the bank.
func (a *App) Approve(ctx context.Context, call Call, named []string) (work *Work, err error) {
	err = a.write(ctx, call, func(o *operation) error {
		chosen, err := o.forApproval(ctx, named)
		if err != nil {
			return err
		}
		fields, err := bankapi.Config{AmountField: a.set.RequestFields.Amount, DebitAccountField: a.set.RequestFields.DebitAccount}.RequestFields()
		if err != nil {
			return Fail(Usage, "%v", err).Because(err)
		}
		work = &Work{Next: []Hint{Do(append([]string{"initiate"}, named...)...)}}
		var failures []error
		for _, b := range chosen {
			r, err := submitter.Approve(ctx, o.store, o.store, fields, b.ID, call.Actor, a.env.Now())
			if r.Outcome != "" {
				work.Results = append(work.Results, r)
			}
			if err != nil {
				failures = append(failures, engineFailed(err))
			}
			if err != nil && !errors.Is(err, submitter.ErrSamePerson) {
				break
			}
		}
		return errors.Join(failures...)
	})
	return work, err
}

func (o *operation) forApproval(ctx context.Context, named []string) ([]ledger.Batch, error) {
	if !o.policy.TwoPerson {
		return nil, Fail(Usage, "policy.two_person is not set: no approval is needed").Then(Do("initiate", "--all"))
	}
	return o.batches(ctx, named)
}
