package cli

import (
	"context"
	"errors"
	"fmt"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/validate"
)

// initiate has the engine initiate, and the person type the total where the
// policy asks for it.
func (d *desk) initiate(ctx context.Context, ids []string) ([]submitter.Result, error) {
	results, err := d.engine.Initiate(ctx, ids, 0)
	needs, ok := errors.AsType[*submitter.NeedsConfirmation](err)
	if !ok {
		return results, err
	}
	if err := d.typeTotal(ctx, needs.Total); err != nil {
		return nil, err
	}
	return d.engine.Initiate(ctx, ids, needs.Total.Total)
}

// typeTotal has the person type the total of a run that comes to
// policy.confirm_above. --yes does not answer it: who types the number has
// seen the number.
func (d *desk) typeTotal(ctx context.Context, run ledger.Tally) error {
	above := d.set.Policy.ConfirmAbove.Amount.Rupees()
	if !d.term.CanAsk() {
		return fail(exitPerson, "%s of %s: that reaches policy.confirm_above (%s), and nobody can be asked for the total; nothing was sent",
			batches(run.Count), run.Total.Rupees(), above).hint("run it on a terminal, without --no-input")
	}
	fmt.Fprintf(d.term.Err, "%s of %s to be initiated (policy.confirm_above is %s).\n", batches(run.Count), run.Total.Rupees(), above)
	typed, err := d.term.Ask(ctx, "Type the total to go on: ")
	if err != nil {
		return err
	}
	if amount, err := validate.ParseAmount(typed); err != nil || amount != run.Total {
		return fail(exitCancelled, "what was typed is not the total; nothing was sent")
	}
	return nil
}

// asksTotal reports whether a run of this total asks for it to be typed, so
// that it need not be confirmed as well.
func (d *desk) asksTotal(total ledger.Paise) bool {
	return d.set.Policy.ConfirmAbove.Set && total >= d.set.Policy.ConfirmAbove.Amount
}
