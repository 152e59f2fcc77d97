package submitter

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"payrun/ledger"
)

// Encoder returns the body of Initiate transfer; see Bank.
type Encoder interface {
	EncodeInitiate(b ledger.Batch, attempts []ledger.Attempt) (ledger.Payload, error)
}

// ErrSamePerson: the first person asked for something that needs a second person.
var ErrSamePerson = fmt.Errorf("%w: another person has to do this", ErrRefused)

// OutcomeApproved: a second person approved the batch and its payload.
const OutcomeApproved = "approved"

// Approvable checks a second person's approvals of planned batches against the planner and the state of each
// batch, and adds the hash of exactly the bytes that initiate would send now. may holds the approvals that can
// be recorded. Approvable records nothing and does not ask the bank. The error is ErrSamePerson if the person
// planned one of the batches; any other error concerns all of them.
func Approvable(ctx context.Context, store Store, enc Encoder, words []ledger.Approving) (results []Result, may []ledger.Approving, err error) {
	for i := range words {
		r, refused := approving(ctx, store, enc, &words[i])
		if refused != nil && !errors.Is(refused, ErrSamePerson) {
			return nil, nil, refused
		}
		if results, err = append(results, r), cmp.Or(err, refused); r.Outcome == OutcomeApproved {
			may = append(may, words[i])
		}
	}
	return results, may, err
}

// approving checks an approval against the planner and the state of the batch, and adds its payload.
// The outcome is OutcomeApproved if it can be recorded, and OutcomeUnchanged if the same person approved it already.
// The attention is ToBeApproved if another person has to approve it too.
func approving(ctx context.Context, store Store, enc Encoder, word *ledger.Approving) (Result, error) {
	id, actor := word.BatchID, word.Actor
	b, err := store.Batch(ctx, id)
	if err != nil {
		return Result{}, fmt.Errorf("batch %s: %w", id, err)
	}
	if b.State != ledger.BatchPlanned {
		return Result{Batch: b, Outcome: OutcomeUnchanged, Message: "only a planned batch is approved; this one is " + string(b.State)}, nil
	}
	approval, err := store.ApprovalStatus(ctx, id)
	if err != nil {
		return Result{}, err
	}
	if err := approval.Another(actor); err != nil {
		return Result{Batch: b, Outcome: OutcomeWaiting, Attention: ledger.ToBeApproved, Message: err.Error()},
			fmt.Errorf("%w: batch %s was planned by %s: %w", ErrSamePerson, id, approval.PlannedBy, err)
	}
	if err := store.VerifyDigests(ctx, id); err != nil {
		return Result{}, err
	}
	payload, _, err := encode(ctx, store, enc, b)
	if err != nil {
		return Result{}, err
	}
	word.PayloadSHA256 = payload.SHA256
	r := Result{Batch: b, Outcome: OutcomeApproved, Message: "approved by " + actor + " with payload " + word.PayloadSHA256}
	if approval.May(*word) != nil {
		r.Outcome, r.Message = OutcomeUnchanged, actor+" approved it already; nothing was done"
	}
	if approval.Missing(word.PayloadSHA256, actor) > 0 {
		r.Attention = ledger.ToBeApproved
		r.Message += "; one more person has to approve it, because its planner, " + approval.PlannedBy + ", does not count as one of two people"
	}
	return r, nil
}

// unapprovedAs returns the attention of a batch that lacks an approval.
func unapprovedAs(b ledger.Batch) ledger.Attention {
	if b.Approval == ledger.ApprovalSentBack {
		return ledger.SentBack
	}
	return ledger.ToBeApproved
}

// likeLocked makes a planned batch wait for another person's approval if a payout like one of its own was locked
// since it was planned: it may be that payout under another reference. An approval from before does not count. It
// returns the zero Result for any other batch, and for one that was approved since.
func (e *Engine) likeLocked(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt) (Result, error) {
	if b.NeedsApproval || e.set.LikeLocked == nil {
		return Result{}, nil
	}
	locks, err := e.set.LikeLocked(ctx, b, attempts)
	if err != nil || len(locks) == 0 {
		return Result{}, err
	}
	if approval, err := e.store.ApprovalStatus(ctx, b.ID); err != nil || approval.LikeSince > 0 && approval.State() == ledger.ApprovalGiven {
		return Result{}, err
	}
	step := ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Attention: ledger.ToBeApproved,
		Note: fmt.Sprintf("a payout of it has the account and amount of %q, which is locked: %s", locks[0].Ref, locks[0].Saw())}
	r, err := e.noted(ctx, b, step, OutcomeWaiting, "not initiated: "+step.Note)
	r.Attention = step.Attention
	return r, err
}

// unapproved says why a batch may not be initiated with this payload, or "".
func (e *Engine) unapproved(ctx context.Context, b ledger.Batch, payload ledger.Payload) (string, error) {
	if !b.NeedsTwo(e.set.TwoPerson) {
		return "", nil
	}
	approval, err := e.store.ApprovalStatus(ctx, b.ID)
	if err != nil {
		return "", err
	}
	err = approval.To(payload.SHA256)
	if errors.Is(err, ledger.ErrNotApproved) {
		return fmt.Sprintf("%v; another person has to run: payrun approve %s", err, b.ID), nil
	}
	return "", err
}
