package app

import (
	"context"
	"errors"
	"fmt"

	"payrun/ledger"
)

// UnsaidEnvironment is an environment that a person has to confirm, once.
type UnsaidEnvironment struct{ ledger.Environment }

// Why tells what is not known without a person.
func (v *UnsaidEnvironment) Why() string {
	return fmt.Sprintf("the bank says only of %s (id_url) which environment it is; money moves at %s (base_url), and payrun.toml says %s", v.IDHost, v.BaseHost, v.Name)
}

// confirmEnvironment refuses to send until a person has confirmed on record what unsaidEnvironment
// asks. typed is what they typed, "" for nothing. It returns *NeedsConfirmation if no one did. For a
// ledger without an environment, keepEnvironment records it once the bank agreed: a mistyped one binds
// it to none.
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

// unsaidEnvironment is what a person has to confirm where the bank says of one host which
// environment it is, and the money moves at another: that both are the configured one;
// nil where they did, and no host is another by now.
func (o *operation) unsaidEnvironment(ctx context.Context) (*UnsaidEnvironment, error) {
	bank, split := o.set.Bank()
	if !split {
		return nil, nil
	}
	last, err := o.store.EnvironmentConfirmed(ctx)
	if err != nil || last.Environment() == bank {
		return nil, err
	}
	return &UnsaidEnvironment{bank}, nil
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

// keepEnvironment records the environment of the ledger: that of the bank at which it initiates first.
// It is recorded before the call, so if that call was never made it can be recorded again.
func (o *operation) keepEnvironment(ctx context.Context) error {
	last, err := o.store.EnvironmentConfirmed(ctx)
	if err != nil || last.Environment().Name == string(o.set.Environment) || o.store.Restored() != nil {
		return err
	}
	bank, _ := o.set.Bank()
	return o.store.ConfirmEnvironment(ctx, bank.Confirmed(ledger.Event{Actor: o.call.Actor, At: o.env.Now()}))
}

// sameWorld refuses to go on with a ledger of another environment than payrun.toml
// has: what it calls paid was paid there, and nowhere else. One from which nothing was
// ever sent is of none.
func (o *operation) sameWorld(ctx context.Context) error {
	last, err := o.store.EnvironmentConfirmed(ctx)
	if was := last.Environment(); err != nil || was.Name == "" || was.Name == string(o.set.Environment) {
		return err
	}
	if sent, err := o.store.Sent(ctx); err != nil || !sent {
		return err
	}
	e := Fail(EnvironmentDiffers, "the ledger %s is of environment %s, and payrun.toml says %s: what it calls paid was not paid in %[3]s", o.place.name(), last.Environment().Name, o.set.Environment)
	if bank, split := o.set.Bank(); split && last.Environment().BaseHost == bank.BaseHost {
		e.Then(Say("its money moved at the same host, %s, which a person called %s: look at the account's statement first, and load nothing again that is on it", bank.BaseHost, last.Environment().Name))
	}
	return e.Then(Say("give each environment a ledger of its own: name another ledger in payrun.toml, run payrun init, and load there what is to be paid in %s", o.set.Environment))
}
