package app

import (
	"context"
	"errors"
	"strings"

	"payrun/ledger"
)

// InitiateRequest names what is to be initiated.
type InitiateRequest struct {
	Batches []string
	All     bool // every planned batch
	// Confirmed is the total that a person confirmed (policy.confirm_above), 0 for
	// none. Another total than the one that would be initiated is none.
	Confirmed ledger.Paise
	// Environment is what a person typed where that has to be confirmed.
	Environment string
}

// Initiate sends planned batches to the bank, which then sends the OTPs, and
// holds them. *NeedsConfirmation where the total has to be confirmed first.
func (a *App) Initiate(ctx context.Context, call Call, req InitiateRequest) (work *Work, err error) {
	err = a.write(ctx, call, func(o *operation) error {
		if len(req.Batches) == 0 && !req.All {
			return o.askWhich(ctx)
		}
		if _, err := o.batches(ctx, req.Batches); err != nil {
			return err
		}
		if err := o.maySend(); err != nil {
			return err
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		if err := o.confirmEnvironment(ctx, req.Environment); err != nil {
			return err
		}
		results, engine := o.initiate(ctx, req.Batches, req.Confirmed)
		var waits error
		work, waits = o.done(ctx, results, concern{named: acted(results), everywhere: len(req.Batches) == 0}, engine)
		return errors.Join(waits, waiting(results))
	})
	return work, err
}

// initiate has the engine initiate the named batches, or every planned one.
func (o *operation) initiate(ctx context.Context, named []string, confirmed ledger.Paise) ([]Result, error) {
	results, err := o.engine.Initiate(ctx, named, confirmed)
	return results, o.total(err)
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
