package app

import (
	"context"
	"errors"
	"slices"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/validate"
)

// Decision is what people decide where neither the bank nor the ledger tells.
type Decision = ledger.Decision

// The decisions.
const (
	DecidedSubmitted    = ledger.DecidedSubmitted
	DecidedNotSubmitted = ledger.DecidedNotSubmitted
	DecidedDisputed     = ledger.DecidedDisputed
	DecidedPaid         = ledger.DecidedPaid
	DecidedNotPaid      = ledger.DecidedNotPaid
)

// ResolveRequest decides about one batch, or one payout.
type ResolveRequest struct {
	What   string // a batch; a payout's reference where As is about a payout
	As     Decision
	Reason string // a person's; kept in the audit trail
	Ticket string // the bank's written word, as the person cites it; "" for none
	Typed  *Typed // what the person typed; nil: nobody was asked

	Binding *Binding // what was shown of the batch; nil: it is decided where it is shown
}

// Resolve records a person's decision about what nothing else can tell. All but
// that a submit arrived needs two people, and *NeedsConfirmation comes back for
// what each of them types.
func (a *App) Resolve(ctx context.Context, call Call, req ResolveRequest) (work *Work, err error) {
	err = a.decide(ctx, call, func(o *operation) error {
		b, of, err := o.toDecide(ctx, req)
		if err != nil {
			return err
		}
		if req.Binding != nil {
			if err := o.boundTo(ctx, req.Binding, b.BatchID); err != nil {
				return err
			}
		}
		if req.As != DecidedSubmitted {
			if err := call.systemPerson(); err != nil {
				return err
			}
			if err := b.typed(req.Typed); err != nil {
				return err
			}
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		result, err := o.engine.Resolve(ctx, submitter.Resolving{Batch: b.BatchID, As: req.As, Of: of, Reason: req.Reason, Ticket: req.Ticket})
		if result.Outcome != "" || err == nil {
			work = &Work{Results: []Result{result}}
		}
		return o.resolved(ctx, b.BatchID, req, work, err)
	})
	return work, err
}

// boundTo binds a decision about one batch to what was shown of it.
func (o *operation) boundTo(ctx context.Context, to *Binding, batchID string) error {
	named, err := o.bind(ctx, to)
	if err == nil && !slices.Equal(named, []string{batchID}) {
		err = &ledger.OvertakenError{BatchID: batchID}
	}
	return err
}

// Why a decision is not taken down; nothing was done.
var (
	ErrRefused    = submitter.ErrRefused    // a rule forbids it, or does not yet allow it
	ErrSamePerson = submitter.ErrSamePerson // another person has to decide the same
)

// toDecide finds what the person named, and what they have to type.
func (o *operation) toDecide(ctx context.Context, req ResolveRequest) (t *ToType, of ledger.AttemptKey, err error) {
	if req.As.OfPayout() {
		at, err := o.attemptToClose(ctx, req)
		if err != nil {
			return nil, of, err
		}
		return &ToType{BatchID: at.BatchID, What: "payout " + ledger.Plain(at.WireRef), Total: at.Amount}, at.Key(), nil
	}
	b, err := o.batch(ctx, req.What)
	if err != nil {
		return nil, of, err
	}
	if req.As == DecidedSubmitted && b.State != ledger.BatchSubmitUnknown {
		return nil, of, Fail(Usage, "batch %s is %s; only a batch that is submit_unknown is resolved as submitted", b.ID, b.State).Then(Do("status"))
	}
	return &ToType{BatchID: b.ID, What: "batch " + b.ID + ", " + ledger.CountedPayouts(b.Count), Total: b.Total}, of, nil
}

// attemptToClose finds the attempt that a person means by a payout's reference: the
// one that was shown to them, or the one that is disputed, or else the earlier one
// whose debit stands against its being sent again, or else the last one about which
// that may be decided, or its last.
func (o *operation) attemptToClose(ctx context.Context, req ResolveRequest) (at ledger.Attempt, err error) {
	ref := req.What
	var all, disputed []ledger.Attempt
	err = o.store.EachPayout(ctx, ledger.Filter{Exact: validate.RefKey(ref), Attempts: true}, func(at ledger.Attempt) error {
		switch {
		case at.Ref != ref && at.WireRef != ref:
			return nil
		case req.Binding != nil && !slices.ContainsFunc(req.Binding.Batches, func(b ledger.Bound) bool { return b.BatchID == at.BatchID }):
			return nil
		}
		all = append(all, at)
		if at.State == ledger.PayoutDisputed {
			disputed = append(disputed, at)
		}
		return nil
	})
	named := slices.IndexFunc(disputed, func(at ledger.Attempt) bool { return at.WireRef == ref })
	switch {
	case err != nil:
		return at, err
	case len(all) == 0:
		return at, Fail(Usage, "there is no payout %q; nothing was done", ledger.Plain(ref)).Then(Do("payouts", "--attempts", "--state", "disputed").Which("lists those that are disputed"))
	case len(disputed) == 1:
		return disputed[0], nil
	case named >= 0:
		return disputed[named], nil
	case len(disputed) > 1:
		return at, Fail(Usage, "%d attempts of payout %q are disputed; name one of them by its own reference", len(disputed), ledger.Plain(ref)).
			Then(Do("payouts", "--attempts", "--state", "disputed").Which("lists them"))
	}
	if i, err := o.bookedBefore(ctx, all); err != nil || i >= 0 {
		return all[max(i, 0)], err
	}
	for _, at := range slices.Backward(all) {
		if slices.ContainsFunc(at.Legal(o.set.Poll.SuccessWatch.Std(), o.env.Now()), func(n ledger.Next) bool { return n.Decides() == req.As }) {
			return at, nil
		}
	}
	return all[len(all)-1], nil
}

// bookedBefore finds among the attempts of a payout the one whose debit stands against
// the last one's being sent; -1 for none.
func (o *operation) bookedBefore(ctx context.Context, all []ledger.Attempt) (int, error) {
	last := all[len(all)-1]
	k, err := o.store.Known(ctx, last.BatchID)
	if err != nil {
		return -1, err
	}
	for _, a := range k.Attempts {
		for _, e := range a.Earlier {
			i := slices.IndexFunc(all, func(at ledger.Attempt) bool { return at.Key() == e.AttemptKey })
			if a.Key() == last.Key() && i >= 0 && e.BookedBefore() != nil {
				return i, nil
			}
		}
	}
	return -1, nil
}

// resolved says how a decision stands: refused, waiting for another person, or
// carried out.
func (o *operation) resolved(ctx context.Context, batchID string, req ResolveRequest, work *Work, engine error) error {
	mine := concern{named: []string{batchID}}
	again := []string{"resolve", req.What, "--as", string(req.As), "--reason", req.Reason}
	if req.Ticket != "" {
		again = append(again, "--bank-ticket", req.Ticket)
	}
	switch {
	case errors.Is(engine, submitter.ErrSamePerson):
		return Fail(NeedsPerson, "%v", engine).Because(engine).Then(Do(again...).First("it has to be run by a different person"))
	case errors.Is(engine, submitter.ErrRefused):
		return Fail(OutcomeUnknown, "%v", engine).Because(engine).Then(Do("poll", batchID).First("never send it again"))
	case engine != nil:
		return errors.Join(engineFailed(engine), o.attention(context.WithoutCancel(ctx), mine))
	case work.Results[0].Attention == ledger.ToBeApproved:
		return Fail(NeedsPerson, "batch %s waits for a second person to decide the same", batchID).
			Then(Do(again...).First("it has to be run by a different person, %s later at the earliest and within three days", o.set.Resolve.Between.Std()))
	}
	free, err := o.store.Retryable(ctx, batchID)
	if err != nil {
		return err
	}
	if len(free) > 0 && req.As != DecidedPaid {
		work.Next = []Hint{Do("retry", batchID).First("Its payouts can be planned again; the bank may still act on the old batch, so make sure that they are to be paid again.")}
	}
	return o.attention(ctx, mine)
}
