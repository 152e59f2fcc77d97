package submitter

import (
	"context"
	"fmt"
	"time"

	"payrun/ledger"
)

// People is what the engine asks where two people have to agree
// (policy.two_person). Methods that write are durable once they return nil.
type People interface {
	// PlannedBy returns who loaded the batch's sheet, or planned its retry.
	PlannedBy(ctx context.Context, batchID string) (string, error)
	// Consent returns who agreed to a batch, as the audit trail tells it.
	Consent(ctx context.Context, batchID string) (ledger.Consent, error)
	// Approve records a person's approval of a batch with a payload.
	Approve(ctx context.Context, a ledger.Approval) error
}

// Encoder gives the body of Initiate transfer; see Bank.
type Encoder interface {
	EncodeInitiate(b ledger.Batch, attempts []ledger.Attempt) (ledger.Payload, error)
}

// ErrSamePerson: what needs a second person was asked for by the first.
var ErrSamePerson = fmt.Errorf("%w: another person has to do this", ErrRefused)

// OutcomeApproved: a second person approved the batch with its payload.
const OutcomeApproved = "approved"

// Approve records that actor, a second person, approves a planned batch. The
// approval holds for exactly the bytes that initiate would send now. Nothing is
// asked of the bank.
func Approve(ctx context.Context, store Store, people People, enc Encoder, id, actor string, at time.Time) (Result, error) {
	b, err := store.Batch(ctx, id)
	if err != nil {
		return Result{}, fmt.Errorf("batch %s: %w", id, err)
	}
	if b.State != ledger.BatchPlanned {
		return Result{Batch: b, Outcome: OutcomeUnchanged, Message: "only a planned batch is approved; this one is " + string(b.State)}, nil
	}
	planner, err := people.PlannedBy(ctx, id)
	if err != nil {
		return Result{}, err
	}
	if ledger.SamePerson(planner, actor) {
		return Result{Batch: b, Outcome: OutcomeWaiting, Attention: ledger.ToBeApproved, Message: "planned by " + planner + ", who cannot approve it"},
			fmt.Errorf("%w: batch %s was planned by %s", ErrSamePerson, id, planner)
	}
	attempts, err := store.Attempts(ctx, id)
	if err != nil {
		return Result{}, err
	}
	payload, err := enc.EncodeInitiate(b, attempts)
	if err != nil {
		return Result{}, fmt.Errorf("batch %s: %w", id, err)
	}
	if err := people.Approve(ctx, ledger.Approval{BatchID: id, PayloadSHA256: payload.SHA256, Actor: actor, At: at}); err != nil {
		return Result{}, err
	}
	return Result{Batch: b, Outcome: OutcomeApproved, Message: "approved by " + actor + " with payload " + payload.SHA256}, nil
}

// unapproved tells why a batch may not be initiated with this payload, or "".
func (e *Engine) unapproved(ctx context.Context, b ledger.Batch, payload ledger.Payload) (string, error) {
	people := e.set.People
	if people == nil {
		return "", nil
	}
	consent, err := people.Consent(ctx, b.ID)
	if err != nil {
		return "", err
	}
	if err := consent.To(payload.SHA256); err != nil {
		return fmt.Sprintf("%v; to be run by one: payrun approve %s", err, b.ID), nil
	}
	return "", nil
}
