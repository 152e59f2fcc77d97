package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/submitter"
)

// InitiateRequest names what is to be initiated.
type InitiateRequest struct {
	Batches []string
	All     bool // every planned batch
	// ReviewedBatches names the batches, instead, and what was shown of them: all of them may
	// go, or nothing is sent.
	ReviewedBatches *ReviewedBatches
	// Confirmed is the total that a person confirmed (policy.confirm_above), 0 for
	// none. Another total than the one that would be initiated is none.
	Confirmed ledger.Paise
	// AllowShort goes on with batches whose money is not in their debit account.
	AllowShort bool
	// Funds is shown what the debit accounts hold, before GoOn is asked; may be nil.
	Funds func([]AccountFunds)
	// Environment is what a person typed where that has to be confirmed.
	Environment string
	// GoOn asks for the consent of a person who was shown what is to be sent; nil: only Confirmed
	// counts.
	GoOn GoOn
}

// Initiate sends planned batches to the bank, which then sends the OTPs, and
// holds them. *NeedsConfirmation where the total has to be confirmed first.
func (a *App) Initiate(ctx context.Context, call Call, req InitiateRequest) (work *Work, err error) {
	err = a.decide(ctx, call, payers, func(o *operation) error {
		var err error
		if req.ReviewedBatches != nil {
			req.Batches, err = o.bind(ctx, req.ReviewedBatches)
		} else {
			req.Batches, err = o.batchIDs(ctx, req.Batches)
		}
		if err == nil && len(req.Batches) == 0 && !req.All {
			err = o.askWhich(ctx)
		}
		if err != nil {
			return err
		}
		if err := o.store.Restored(); err != nil {
			return err
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		if err := o.confirmEnvironment(ctx, req.Environment); err != nil {
			return err
		}
		o.funding = funding{allowShort: req.AllowShort, show: req.Funds}
		results, engine := o.initiateAgreed(ctx, req)
		var waits error
		work, waits = o.done(ctx, results, scope{named: acted(results), everywhere: req.All}, engine)
		return errors.Join(waits, waiting(results))
	})
	return work, err
}

// initiateAgreed has the engine initiate what a person was shown, or is shown now that
// lost answers are settled. It does not include batches that are planned again later.
func (o *operation) initiateAgreed(ctx context.Context, req InitiateRequest) ([]Result, error) {
	if req.ReviewedBatches == nil && req.GoOn == nil {
		return o.initiate(ctx, req.Batches, req.Confirmed)
	}
	var misconfigured error
	if req.GoOn != nil {
		var err error
		if misconfigured, err = o.settleDoubts(ctx); err != nil {
			return nil, err
		}
	}
	asked, err := o.plannedOf(ctx, req.Batches)
	if err != nil {
		return nil, err
	}
	named, short, err := o.affordable(ctx, ids(asked))
	if err != nil {
		return nil, err
	}
	sent, err := o.engine.MayInitiate(ctx, slices.DeleteFunc(slices.Clone(asked), func(b ledger.Batch) bool { return !slices.Contains(named, b.ID) }))
	switch {
	case err != nil:
	case req.ReviewedBatches != nil:
		err = allOf(asked, sent, short)
	case len(sent) > 0:
		err = o.agreeToInitiate(ctx, sent, req.GoOn)
	}
	if err != nil {
		return nil, err
	}
	if len(named) == 0 {
		return short, misconfigured
	}
	results, err := o.engine.Initiate(ctx, named, req.Confirmed)
	return append(results, short...), o.total(err)
}

// allOf refuses to send a part of what a person was shown, where one batch of it waits
// for another person's approval, or for money.
func allOf(asked, sent []ledger.Batch, short []Result) error {
	known := slices.Concat(ids(sent), acted(short))
	for _, b := range asked {
		if !slices.Contains(known, b.ID) {
			return Fail(NeedsPerson, "batch %s waits for the approval of another person; nothing was sent", b.ID).About(ledger.ToBeApproved).Then(Do("approve", b.ID))
		}
	}
	if len(short) > 0 {
		return Fail(NeedsPerson, "batch %s: %s; nothing was sent", short[0].Batch.ID, short[0].Message).About(ledger.FundsShort)
	}
	return nil
}

// settleDoubts asks about lost answers before a person is shown what would be sent. misconfigured, an
// ErrAccountNumber, names the debit account whose batches stay in doubt: those of others are sent.
func (o *operation) settleDoubts(ctx context.Context) (misconfigured, err error) {
	if err = o.engine.SettleDoubts(ctx); errors.Is(err, submitter.ErrAccountNumber) {
		return err, nil
	}
	return nil, err
}

// agreeToInitiate gets a person's word for planned batches.
func (o *operation) agreeToInitiate(ctx context.Context, sent []ledger.Batch, goOn GoOn) error {
	out := o.newOutgoing()
	out.Approval = false // another person has approved these
	if err := o.addPlanned(ctx, out, sent); err != nil {
		return err
	}
	typed, err := o.agree(ctx, out, sent, goOn)
	if err != nil {
		return err
	}
	return o.total(o.engine.ConfirmInitiate(ctx, sent, typed))
}

// initiate has the engine initiate the named batches, or every planned one, as
// far as the money for them is there.
func (o *operation) initiate(ctx context.Context, named []string, confirmed ledger.Paise) ([]Result, error) {
	fit, short, err := o.affordable(ctx, named)
	if err != nil || len(short) > 0 && len(fit) == 0 {
		return short, err
	}
	results, err := o.engine.Initiate(ctx, fit, confirmed)
	return append(results, short...), o.total(err)
}

// askWhich refuses to guess and lists what could be meant.
func (o *operation) askWhich(ctx context.Context) error {
	planned, err := o.store.BatchesIn(ctx, ledger.BatchPlanned)
	if err != nil {
		return err
	}
	e := Fail(Usage, "name the batches to initiate, or say --all")
	if len(planned) == 0 {
		return e.Then(Say("no batch is planned; load a sheet first"))
	}
	const few = 20
	named := ids(planned[:min(few, len(planned))])
	if len(planned) > few {
		named = append(named, "…")
	}
	return e.Then(Say("%s planned: %s", ledger.CountedBatches(len(planned)), strings.Join(named, " ")))
}
