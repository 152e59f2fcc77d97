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
// is another by now.
func (o *operation) confirmEnvironment(ctx context.Context, typed string) error {
	bank, split := o.set.Bank()
	if !split {
		return nil
	}
	now := bank.Confirmed(ledger.Event{Actor: o.call.Actor, At: o.env.Now()})
	last, err := o.store.EnvironmentConfirmed(ctx)
	if err != nil || last.Detail == now.Detail {
		return err
	}
	if typed != bank.Name {
		return &NeedsConfirmation{Environment: &bank}
	}
	return o.store.ConfirmEnvironment(ctx, now)
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
