package app

import (
	"context"
	"errors"

	"payrun/ledger"
	"payrun/submitter"
)

// Decision is what a person found out about a submit whose answer was lost.
type Decision = submitter.Decision

// The decisions.
const (
	DecidedSubmitted    = submitter.DecidedSubmitted
	DecidedNotSubmitted = submitter.DecidedNotSubmitted
)

// ResolveRequest decides about one batch.
type ResolveRequest struct {
	Batch  string
	As     Decision
	Reason string // a person's; kept in the audit trail
	// NoDebit: a person confirmed that the bank's statement shows no debit of
	// the batch. Needed to decide that it was not submitted.
	NoDebit bool
}

// Resolve records a person's decision about a submit whose answer was lost and
// that nothing else can tell. *NeedsConfirmation where NoDebit is needed.
func (a *App) Resolve(ctx context.Context, call Call, req ResolveRequest) (work *Work, err error) {
	err = a.write(ctx, call, func(o *operation) error {
		b, err := o.batch(ctx, req.Batch)
		if err != nil {
			return err
		}
		if b.State != ledger.BatchSubmitUnknown {
			return Fail(Usage, "batch %s is %s; only a batch that is submit_unknown is resolved", b.ID, b.State).Then(Do("status"))
		}
		if req.As == DecidedNotSubmitted && !req.NoDebit {
			return &NeedsConfirmation{NoDebit: &b}
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		result, err := o.engine.Resolve(ctx, b.ID, req.As, req.Reason)
		if result.Outcome != "" || err == nil {
			work = &Work{Results: []Result{result}}
		}
		return o.resolved(ctx, req, work, err)
	})
	return work, err
}

// resolved says how a decision stands: refused, proposed or carried out.
func (o *operation) resolved(ctx context.Context, req ResolveRequest, work *Work, engine error) error {
	mine := concern{named: []string{req.Batch}}
	switch {
	case errors.Is(engine, submitter.ErrRefused):
		return Fail(OutcomeUnknown, "%v", engine).Because(engine).Then(Do("poll").First("never send it again"))
	case engine != nil:
		return errors.Join(engineFailed(engine), o.attention(context.WithoutCancel(ctx), mine))
	case work.Results[0].Attention == ledger.ToBeApproved:
		return Fail(NeedsPerson, "batch %s waits for a second person to decide the same", req.Batch).
			Then(Do("resolve", req.Batch, "--as", string(req.As), "--reason", req.Reason).First("it has to be run by a different person"))
	case req.As == DecidedNotSubmitted:
		work.Next = []Hint{Do("retry", req.Batch).First("Its payouts can be planned again.")}
	}
	return o.attention(ctx, mine)
}
