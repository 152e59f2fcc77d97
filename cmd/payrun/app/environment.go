package app

import (
	"context"
	"errors"

	"payrun/ledger"
)

// confirmEnvironment refuses to send where the bank says of one host which
// environment it is, and the money moves at another, until a person has said on
// record that both are the configured one. typed is what they typed, "" for
// nothing. *NeedsConfirmation where nobody did, or where a host or the environment
// is another by now. Of a ledger that is of no environment yet keepEnvironment records
// it, once the bank agreed: what was typed by mistake binds it to none.
func (o *operation) confirmEnvironment(ctx context.Context, typed string) error {
	unsaid, err := o.unsaidEnvironment(ctx)
	switch {
	case err != nil || unsaid == nil:
		return err
	case typed != unsaid.Name:
		return &NeedsConfirmation{Environment: unsaid}
	}
	if last, err := o.store.EnvironmentConfirmed(ctx); err != nil || last.Kind == "" {
		return err
	}
	return o.store.ConfirmEnvironment(ctx, unsaid.Confirmed(ledger.Event{Actor: o.call.Actor, At: o.env.Now()}))
}

// unsaidEnvironment is what a person has to confirm; nil where nothing is.
func (o *operation) unsaidEnvironment(ctx context.Context) (*ledger.Environment, error) {
	bank, split := o.set.Bank()
	if !split {
		return nil, nil
	}
	last, err := o.store.EnvironmentConfirmed(ctx)
	if err != nil || last.Detail == bank.Confirmed(ledger.Event{}).Detail {
		return nil, err
	}
	return &bank, nil
}

// askEnvironment is confirmEnvironment for a run, whose person can be asked.
func (o *operation) askEnvironment(ctx context.Context, confirm func(context.Context, *NeedsConfirmation) error) error {
	err := o.confirmEnvironment(ctx, "")
	need, ok := errors.AsType[*NeedsConfirmation](err)
	if !ok || confirm == nil {
		return err
	}
	if err := confirm(ctx, need); err != nil {
		return err
	}
	return o.confirmEnvironment(ctx, need.Environment.Name)
}

// keepEnvironment records, once, in which environment the ledger is: in that of the
// bank at which it initiates first.
func (o *operation) keepEnvironment(ctx context.Context) error {
	last, err := o.store.EnvironmentConfirmed(ctx)
	if err != nil || last.Kind != "" || o.store.Restored() != nil {
		return err
	}
	bank, _ := o.set.Bank()
	return o.store.ConfirmEnvironment(ctx, bank.Confirmed(ledger.Event{Actor: o.call.Actor, At: o.env.Now()}))
}

// sameWorld refuses to go on with a ledger of another environment than payrun.toml
// has: what it calls paid was paid there, and nowhere else.
func (o *operation) sameWorld(ctx context.Context) error {
	last, err := o.store.EnvironmentConfirmed(ctx)
	if was := last.Environment(); err != nil || was == "" || was == string(o.set.Environment) {
		return err
	}
	return Fail(EnvironmentDiffers, "the ledger %s is of environment %s, and payrun.toml says %s: what it calls paid was not paid in %[3]s", o.set.LedgerPath, last.Environment(), o.set.Environment).
		Then(Say("give each environment a ledger of its own: name another file as ledger in payrun.toml, then run payrun init"))
}
