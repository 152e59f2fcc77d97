package app

import (
	"context"
	"fmt"
	"strings"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// AccountQuery says which accounts are asked for; what is empty filters nothing. A person
// names the account by its name or id.
type AccountQuery = bankapi.AccountQuery

// Accounts lists the accounts that are linked at the bank, all pages, and keeps
// the list in the ledger.
func (a *App) Accounts(ctx context.Context, call Call, q AccountQuery) (list []ledger.LinkedAccount, err error) {
	if q.BankAccountID, err = a.accountIfAny(q.BankAccountID); err != nil {
		return nil, err
	}
	list, err = listed(a, call, "its accounts", func(c *bankapi.Client) ([]ledger.LinkedAccount, error) { return c.BankAccounts(ctx, q) })
	if err == nil {
		a.keepListing(ctx, call, ledger.BankListing{List: ledger.ListOfAccounts, SubMerchantID: q.SubMerchantID, BankAccountID: q.BankAccountID,
			Whole: q == AccountQuery{}, Accounts: list})
	}
	return list, err
}

// LinkingRequest is for an account that is to be linked, of the configured sub-merchant
// where it names none.
type LinkingRequest = bankapi.LinkingRequest

// LinkingSession is the bank's answer: the user completes it at RedirectURL.
type LinkingSession = bankapi.LinkingSession

// LinkAccount begins the linking of an account, once.
func (a *App) LinkAccount(ctx context.Context, call Call, r LinkingRequest) (got LinkingSession, err error) {
	if err := ledger.CheckPartnerBank(r.PartnerBankID); err != nil {
		return got, Fail(Usage, "%v", err)
	}
	if r.SubMerchantID, err = a.subMerchant(r.SubMerchantID); err != nil {
		return got, err
	}
	return askOnce(ctx, a, call, byHand{
		what:  fmt.Sprintf("link an account of partner bank %d", r.PartnerBankID),
		check: Do("accounts", "list").First("look first whether it is there: an account that is not linked yet is listed with the address to go on at"),
	}, func(c *bankapi.Client) (LinkingSession, error) {
		return c.Link(ctx, r)
	})
}

// Balances tells what the debit account holds, or, with "", every account.
func (a *App) Balances(ctx context.Context, call Call, subMerchantID, account string) (list []ledger.Balance, err error) {
	q := bankapi.BalanceQuery{SubMerchantID: subMerchantID}
	if q.BankAccountID, err = a.accountIfAny(account); err != nil {
		return nil, err
	}
	return listed(a, call, "the balances", func(c *bankapi.Client) ([]ledger.Balance, error) { return c.Balances(ctx, q) })
}

// account gives the id of the debit account that a person means.
func (a *App) account(word string) (string, error) {
	if word == "" && len(a.set.Accounts) == 1 {
		return a.set.Accounts[0].BankAccountID, nil
	}
	if id, found := a.set.AccountID(word); found {
		return id, nil
	}
	e := Fail(Usage, "--account %s: no debit account of that name is configured, and it is no account id", ledger.Plain(word))
	if word == "" {
		e = Fail(Usage, "name the debit account; there are %d", len(a.set.Accounts))
	}
	e.Word = word
	for _, acc := range a.set.Accounts {
		e.Known = append(e.Known, acc.Name)
	}
	return "", e.Then(Say("configured: %s", ledger.Plain(strings.Join(e.Known, ", "))),
		Do("accounts", "list").Which("lists those of the bank"))
}

func (a *App) accountIfAny(word string) (string, error) {
	if word == "" {
		return "", nil
	}
	return a.account(word)
}

// subMerchant is the named one, or the configured one.
func (a *App) subMerchant(named string) (string, error) {
	switch {
	case named != "":
		return named, nil
	case a.set.SubMerchantID != "":
		return a.set.SubMerchantID, nil
	}
	return "", Fail(Usage, "sub_merchant_id is not set").
		Then(Say("say --sub-merchant-id, or set it in payrun.toml"), Do("merchants", "list").Which("lists them"))
}
