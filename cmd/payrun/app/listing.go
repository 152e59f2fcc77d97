package app

import (
	"context"
	"errors"
	"fmt"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// keepListing keeps what the bank listed, so that sheets can be compared with it later. The list is
// shown in any case: if it could not be kept there is a warning, and none if there is no ledger yet.
func (a *App) keepListing(ctx context.Context, call Call, b ledger.BankListing) {
	if !b.Whole && len(b.Accounts)+len(b.Beneficiaries) == 0 {
		return
	}
	err := a.write(ctx, call, func(o *operation) error {
		b.At, b.Actor = o.env.Now(), o.call.Actor
		return o.store.KeepListing(ctx, b)
	})
	if err != nil && !errors.Is(err, ledger.ErrNoLedger) {
		call.progress().Warn(fmt.Sprintf("check will not know of this list, because it could not be kept in the ledger: %v", err))
	}
}

// engineBank is the bank as the engine asks it: it keeps the list of accounts, and reports how long a
// call that changes something may take, because it is never broken off.
type engineBank struct {
	*bankapi.Client
	o *operation
}

// Accounts lists every linked account, and keeps the list.
func (b engineBank) Accounts(ctx context.Context) ([]ledger.LinkedAccount, error) {
	list, err := b.Client.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	return list, b.o.store.KeepListing(ctx, ledger.BankListing{List: ledger.ListOfAccounts, Whole: true, At: b.o.env.Now(), Actor: b.o.call.Actor, Accounts: list})
}

// Initiate implements submitter.Bank.
func (b engineBank) Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error) {
	defer b.sending()()
	return b.Client.Initiate(ctx, p)
}

// Submit implements submitter.Bank.
func (b engineBank) Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (ledger.Answer, error) {
	defer b.sending()()
	return b.Client.Submit(ctx, p, otp, token)
}

func (b engineBank) sending() (over func()) {
	return b.o.call.progress().Sending(b.o.env.Now().Add(b.o.set.HTTP.TimeoutSend.Std()))
}
