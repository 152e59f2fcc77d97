package app

import (
	"context"
	"errors"
	"fmt"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// keepListing keeps what the bank listed, so that sheets can be held against it
// later. What was listed is shown in any case: that it could not be kept is a
// warning, and none where there is no ledger yet.
func (a *App) keepListing(ctx context.Context, call Call, b ledger.BankListing) {
	if !b.Whole && len(b.Accounts)+len(b.Beneficiaries) == 0 {
		return
	}
	err := a.write(ctx, call, func(o *operation) error {
		b.At, b.Actor = a.env.Now(), o.call.Actor
		return o.store.KeepListing(ctx, b)
	})
	if err != nil && !errors.Is(err, ledger.ErrNoLedger) {
		call.progress().Warn(fmt.Sprintf("check will not know of this list, because it could not be kept in the ledger: %v", err))
	}
}

// listening is the bank as the engine asks it, whose list of accounts is kept.
type listening struct {
	*bankapi.Client
	o *operation
}

// Accounts lists every linked account, and keeps the list.
func (l listening) Accounts(ctx context.Context) ([]ledger.LinkedAccount, error) {
	list, err := l.Client.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	return list, l.o.store.KeepListing(ctx, ledger.BankListing{List: ledger.ListOfAccounts, Whole: true, At: l.o.env.Now(), Actor: l.o.call.Actor, Accounts: list})
}
