package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"payrun/ledger"
	"payrun/submitter"
)

// ApproveRequest names what is to be approved.
type ApproveRequest struct {
	ReviewedBatches ReviewedBatches // the batches, and what was shown of them
	// Typed is the total that a person typed, who approves all of them or none; nil: no total was
	// asked for.
	Typed *ledger.Paise
}

// ToApprove shows what is to be approved, batches, or sheets for what is planned of them: per batch what fraud changes, and
// where the approver's own copy of the sheet, the path of a file or "", differs from
// what is planned. It records nothing. The error also is that the copy differs: then nothing is to
// be approved.
func (a *App) ToApprove(ctx context.Context, call Call, batches []string, copy string) (Review, error) {
	return look(ctx, a, call, func(o *operation) (r Review, err error) {
		if o.people, err = o.store.Users(ctx); err == nil {
			err = o.mayApprove()
		}
		if err == nil {
			batches, err = o.withSheets(ctx, batches)
		}
		if err == nil {
			err = o.notAllOwn(ctx, batches)
		}
		if err != nil {
			return r, err
		}
		return o.review(ctx, batches, copy)
	})
}

// notAllOwn refuses who planned all of these batches, before they look through them.
func (o *operation) notAllOwn(ctx context.Context, named []string) error {
	chosen, err := o.batches(ctx, named)
	for _, b := range chosen {
		consent, failed := o.store.ApprovalStatus(ctx, b.ID)
		if failed != nil {
			return failed
		}
		same := consent.Another(o.call.Actor)
		if same == nil || b.State != ledger.BatchPlanned {
			return nil
		}
		err = fmt.Errorf("%w: batch %s was planned by %s: %w", submitter.ErrSamePerson, b.ID, consent.PlannedBy, same)
	}
	return engineFailed(err)
}

// mayApprove refuses who can be none of two people, or has not the role.
func (o *operation) mayApprove() error {
	if err := o.people.Counts(o.call.Actor); err != nil {
		return notOneOfTwo(err)
	}
	return o.may(ledger.RoleApprove)
}

// Approve records a second person's approval of planned batches
// (policy.two_person). Nothing is asked of the bank.
func (a *App) Approve(ctx context.Context, call Call, req ApproveRequest) (work *Work, err error) {
	err = a.decide(ctx, call, nil, func(o *operation) error {
		if err := o.mayApprove(); err != nil {
			return err
		}
		named, err := o.bind(ctx, &req.ReviewedBatches)
		if err != nil {
			return err
		}
		chosen, err := o.forApproval(ctx, named)
		if err != nil {
			return err
		}
		fields, err := o.fields()
		if err != nil {
			return err
		}
		words := make([]ledger.Approving, len(chosen))
		for i, b := range chosen {
			words[i] = ledger.Approving{Approval: ledger.Approval{BatchID: b.ID, Actor: o.call.Actor, At: o.env.Now()}, Shown: o.expected[b.ID]}
		}
		results, may, refused := submitter.Approvable(ctx, o.store, o.store, fields, words)
		if req.Typed != nil { // of all of them or of none
			if err := cmp.Or(engineFailed(refused), typedTotal(chosen, *req.Typed)); err != nil {
				return err
			}
			if len(may) < len(chosen) {
				return ledger.ErrStale
			}
		}
		if len(may) > 0 {
			if err := o.store.Approve(ctx, may...); err != nil {
				return err
			}
		}
		work = &Work{Results: results, Next: []Hint{Do(append([]string{"initiate"}, ids(chosen)...)...)}}
		return engineFailed(refused)
	})
	return work, err
}

// typedTotal holds what a person typed against the total of the batches that they
// approve.
func typedTotal(batches []ledger.Batch, typed ledger.Paise) error {
	total, err := totalOf(batches)
	if err != nil {
		return err
	}
	if typed != total.Total {
		return Fail(Cancelled, "what was typed is not the total of %s: %s. Nothing was done", ledger.CountedBatches(total.Count), total.Total.Rupees())
	}
	return nil
}

// totalOf counts and sums batches.
func totalOf(batches []ledger.Batch) (t ledger.Tally, err error) {
	for _, b := range batches {
		if err := t.Add(b.Total); err != nil {
			return t, err
		}
	}
	return t, nil
}

func (o *operation) forApproval(ctx context.Context, named []string) ([]ledger.Batch, error) {
	chosen, err := o.batches(ctx, named)
	if err == nil && !slices.ContainsFunc(chosen, o.needsApproval) {
		return nil, Fail(Usage, "policy.two_person is not set: no approval is needed").Then(Do("initiate", "--all"))
	}
	return chosen, err
}

// needsApproval: another person than the planner has to approve the batch.
func (o *operation) needsApproval(b ledger.Batch) bool {
	return o.policy.TwoPerson || b.NeedsApproval || b.Consent == ledger.ConsentSentBack
}
