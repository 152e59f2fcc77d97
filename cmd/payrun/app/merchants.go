package app

import (
	"context"

	"payrun/submitter/bankapi"
)

// What the bank answers about sub-merchants, in the interface's own fields.
type (
	SubMerchants       = bankapi.SubMerchantList
	RegisterRequest    = bankapi.RegisterRequest
	RegisteredMerchant = bankapi.Registered
)

// SubMerchants lists the sub-merchants, all pages, as the service masks them.
func (a *App) SubMerchants(ctx context.Context, call Call) (list SubMerchants, err error) {
	err = a.atBank(call, func(c *bankapi.Client) error {
		list, err = c.SubMerchants(ctx)
		return notListed("its sub-merchants", err)
	})
	return list, err
}

// RegisterMerchant registers a sub-merchant, once.
func (a *App) RegisterMerchant(ctx context.Context, call Call, r RegisterRequest) (got RegisteredMerchant, err error) {
	err = a.atBank(call, func(c *bankapi.Client) error {
		if err := a.sameEnvironment(ctx, c); err != nil {
			return err
		}
		got, err = c.Register(ctx, r)
		return byHand{
			what:  "register the sub-merchant",
			check: Do("merchants", "list").First("do not send it again before you have looked whether it is there"),
		}.failed(err)
	})
	return got, err
}
