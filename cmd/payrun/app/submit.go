package app

import (
	"context"
	"errors"
	"slices"

	"payrun/ledger"
	"payrun/submitter"
)

// ErrSkipped is what an EnterOTP gives back where the batch is to stay held.
var ErrSkipped = errors.New("no OTP was entered")

// EnterOTP gets the OTP of one held batch from a person, with the transaction
// token where the partner bank needs one. before is what the bank said of the
// OTP that was entered before, "" for the first. It gives ErrSkipped where
// nothing was entered; any other error ends the use case.
type EnterOTP func(ctx context.Context, b ledger.Batch, before string) (OTP, error)

// SubmitRequest names what is to be submitted, and where the OTPs come from.
type SubmitRequest struct {
	Batches []string // none: every held one
	Enter   EnterOTP // asks for each; nil: nobody can be asked
	// OTPs gives those that are there already, once it is known that something
	// could be submitted; then nobody is asked. nil: there are none.
	OTPs func() ([]OTP, error)
	// Confirmed is the total that a person confirmed (policy.confirm_above), 0 for
	// none. Another total than the one that would be submitted is none.
	Confirmed ledger.Paise
	// Environment is what a person typed where that has to be confirmed.
	Environment string
}

// Submit enters the OTPs of held batches; this is where money moves. Without
// OTPs each is asked for, or fetched with otp.command, and submitted at once.
// *NeedsConfirmation where the total has to be confirmed first.
func (a *App) Submit(ctx context.Context, call Call, req SubmitRequest) (work *Work, err error) {
	err = a.write(ctx, call, func(o *operation) error {
		if err := o.maySend(); err != nil {
			return err
		}
		held, err := o.held(ctx, req.Batches)
		if err != nil {
			return err
		}
		if err := o.confirmEnvironment(ctx, req.Environment); err != nil {
			return err
		}
		if req.OTPs != nil {
			work, err = o.submitThese(ctx, req)
			return err
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		if err := o.engine.ConfirmSubmit(ctx, held, req.Confirmed); err != nil {
			return o.total(err)
		}
		results, engine := o.submitEach(ctx, held, req.Enter)
		work, err = o.done(ctx, results, concern{named: ids(held), everywhere: len(req.Batches) == 0}, engine)
		return err
	})
	return work, err
}

// held returns the named batches, all of which must be held, or every held one.
func (o *operation) held(ctx context.Context, named []string) ([]ledger.Batch, error) {
	if len(named) == 0 {
		return o.store.BatchesIn(ctx, ledger.BatchHeld)
	}
	found, err := o.batches(ctx, named)
	if err != nil {
		return nil, err
	}
	var held []ledger.Batch
	for _, b := range found {
		if b.State != ledger.BatchHeld {
			return nil, Fail(Usage, "batch %s is %s, not held; nothing was sent", b.ID, b.State).Then(Do("status"))
		}
		if !slices.ContainsFunc(held, func(h ledger.Batch) bool { return h.ID == b.ID }) {
			held = append(held, b)
		}
	}
	return held, nil
}

// submitThese submits the OTPs of the request, for the named batches or all of
// them. One that is for no held batch sends nothing at all.
func (o *operation) submitThese(ctx context.Context, req SubmitRequest) (*Work, error) {
	entries, err := req.OTPs()
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 {
		if _, err := o.held(ctx, batchesOf(entries)); err != nil {
			return nil, err
		}
	}
	if len(req.Batches) > 0 {
		entries = slices.DeleteFunc(slices.Clone(entries), func(e OTP) bool { return !slices.Contains(req.Batches, e.BatchID) })
	}
	if err := o.openBank(ctx); err != nil {
		return nil, err
	}
	var results []Result
	var engine error
	if len(entries) > 0 {
		chosen, err := o.held(ctx, batchesOf(entries))
		if err == nil {
			err = o.total(o.engine.ConfirmSubmit(ctx, chosen, req.Confirmed))
		}
		if err != nil {
			return nil, err
		}
		results, engine = o.engine.Submit(ctx, entries)
	}
	return o.done(ctx, results, concern{named: append(batchesOf(entries), req.Batches...), everywhere: len(req.Batches) == 0}, engine)
}

func batchesOf(entries []OTP) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.BatchID)
	}
	return out
}

// submitEach gets each OTP and submits it at once, for an OTP does not keep.
// What is skipped stays held.
func (o *operation) submitEach(ctx context.Context, held []ledger.Batch, enter EnterOTP) ([]Result, error) {
	if o.set.OTP.Command != "" {
		enter = o.commandOTP
	}
	if len(held) > 0 && enter == nil {
		return nil, Fail(NeedsPerson, "%s waiting for the OTP, and nobody can be asked: %s", ledger.CountedBatches(len(held)), someIDs(held)).
			Then(Say("enter it on a terminal, or from a file (payrun help otp)"), Do("submit"))
	}
	var results []Result
	for _, b := range held {
		more, err := o.submitOne(ctx, b, enter)
		results = append(results, more...)
		if err != nil {
			return results, err
		}
	}
	return results, nil
}

// submitOne asks for the OTP of one batch until the bank takes it, the person
// gives up or the tries are spent. A program is asked once.
func (o *operation) submitOne(ctx context.Context, b ledger.Batch, enter EnterOTP) ([]Result, error) {
	for before := ""; ; {
		entry, err := enter(ctx, b, before)
		if errors.Is(err, ErrSkipped) {
			return []Result{{Batch: b, Outcome: submitter.OutcomeNeedsPerson, Message: "no OTP was entered; not sent"}}, nil
		}
		if err != nil {
			return nil, err
		}
		results, err := o.engine.Submit(ctx, []OTP{entry})
		if err != nil || len(results) == 0 {
			return results, err
		}
		r := results[0]
		if r.Outcome != submitter.OutcomeRejected || r.Batch.Attention != ledger.NeedsNothing || o.set.OTP.Command != "" {
			return results, nil
		}
		b, before = r.Batch, r.Message
	}
}
