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
func (a *App) SubMerchants(ctx context.Context, call Call) (SubMerchants, error) {
	return listed(a, call, "its sub-merchants", func(c *bankapi.Client) (SubMerchants, error) { return c.SubMerchants(ctx) })
}

// RegisterMerchant registers a sub-merchant, once.
func (a *App) RegisterMerchant(ctx context.Context, call Call, r RegisterRequest) (RegisteredMerchant, error) {
	return askOnce(ctx, a, call, byHand{
		what:  "register the sub-merchant",
		check: Do("merchants", "list").First("do not send it again before you have looked whether it is there"),
	}, func(c *bankapi.Client) (RegisteredMerchant, error) { return c.Register(ctx, r) })
}
