package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// fetchStatement asks for the statement of an account over some days, both
// included, window by window, and records what each gave, with what the account
// held before and after, where the bank says. With an error the windows before it
// are recorded all the same.
func (o *operation) fetchStatement(ctx context.Context, account string, from, to time.Time) (list []ledger.StatementRead, err error) {
	balances, err := o.balance(ctx, account, nil)
	if err != nil {
		return nil, err
	}
	for _, w := range windowsOf(from, to) {
		asked := o.env.Now() // it covers up to then
		s, err := o.client.Statement(ctx, bankapi.StatementQuery{BankAccountID: account, SubMerchantID: o.set.SubMerchantID, From: w.From, To: w.To})
		if err != nil {
			what := "the statement of " + o.set.AccountName(account) + " from " + w.From.Format(time.DateOnly) + " to " + w.To.Format(time.DateOnly)
			return list, errors.Join(notListed(what, err), o.recordStatements(ctx, list))
		}
		list = append(list, ledger.StatementRead{
			BankAccountID: account, Source: ledger.FromInterface, Shape: shapeOf(s), From: w.From.Format(time.DateOnly), To: w.To.Format(time.DateOnly),
			RequestIDs: s.RequestIDs, At: asked, Actor: o.call.Actor, Entries: s.Entries,
		})
	}
	if balances, err = o.balance(ctx, account, balances); err != nil {
		return list, errors.Join(err, o.recordStatements(ctx, list))
	}
	for i := range list {
		list[i].Balances = balances
	}
	return list, o.recordStatements(ctx, list)
}

func (o *operation) recordStatements(ctx context.Context, list []ledger.StatementRead) error {
	for _, r := range list {
		if _, err := o.store.RecordStatement(context.WithoutCancel(ctx), r); err != nil { // what was read is kept
			return err
		}
	}
	return nil
}

func shapeOf(s bankapi.Statement) ledger.StatementShape {
	switch {
	case s.Pending:
		return ledger.ShapePending
	case s.Other:
		return ledger.ShapeOther
	}
	return ledger.ShapeEntries
}

// balance adds what an account holds to what it held before. Where the bank does
// not say nothing is added: only who decides on the statement needs it.
func (o *operation) balance(ctx context.Context, account string, before []ledger.BalanceRead) ([]ledger.BalanceRead, error) {
	list, err := o.client.Balances(ctx, bankapi.BalanceQuery{BankAccountID: account, SubMerchantID: o.set.SubMerchantID})
	if err != nil && (errors.Is(err, ledger.ErrUnauthorized) || ctx.Err() != nil) {
		return before, err
	}
	for _, b := range list {
		if strings.EqualFold(b.BankAccountID, account) { // UUIDs
			return append(before, ledger.BalanceRead{Balance: b.Balance, At: o.env.Now()}), nil
		}
	}
	return before, nil
}
