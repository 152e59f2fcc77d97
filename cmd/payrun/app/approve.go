package app

import (
	"context"
	"errors"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

// ApproveRequest names what is to be approved.
type ApproveRequest struct {
	Batches []string
	Sheet   string // path of the approver's own copy of the sheet; "" for none
}

// ToApprove shows what is to be approved: per batch what fraud changes, and
// where the approver's own copy of the sheet differs from what is planned. It
// records nothing. The error also is that the copy differs: then nothing is to
// be approved.
func (a *App) ToApprove(ctx context.Context, call Call, req ApproveRequest) (r Review, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		if err := call.systemPerson(); err != nil {
			return err
		}
		r, err = o.review(ctx, req)
		return err
	})
	return r, err
}

// Approve records a second person's approval of planned batches
// (policy.two_person). Where the approver's own copy of the sheet differs from
// what is planned, nothing is approved. Nothing is asked of the bank.
func (a *App) Approve(ctx context.Context, call Call, req ApproveRequest) (work *Work, err error) {
	err = a.write(ctx, call, func(o *operation) error {
		chosen, err := o.forApproval(ctx, req.Batches)
		if err != nil {
			return err
		}
		if req.Sheet != "" {
			c, err := o.compare(ctx, req.Sheet, chosen)
			if err := errors.Join(err, c.refusal()); err != nil {
				return err
			}
		}
		fields, err := bankapi.Config{AmountField: a.set.RequestFields.Amount, DebitAccountField: a.set.RequestFields.DebitAccount}.RequestFields()
		if err != nil {
			return Fail(Usage, "%v", err).Because(err)
		}
		work = &Work{Next: []Hint{Do(append([]string{"initiate"}, ids(chosen)...)...)}}
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
