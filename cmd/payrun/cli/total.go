package cli

import (
	"context"
	"fmt"

	"payrun/ledger"
	"payrun/validate"
)

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
