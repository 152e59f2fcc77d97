package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"payrun/ledger"
	"payrun/submitter/bankapi"
	"payrun/validate/ifsc"
)

// AccountQuery says which accounts to list; an empty field does not filter. A person names
// the account by its name or id.
type AccountQuery = bankapi.AccountQuery

// Accounts lists the accounts that are linked at the bank, all pages, and saves the list in the ledger.
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

// LinkingRequest asks to link an account. If it names no sub-merchant, the configured one is used.
type LinkingRequest = bankapi.LinkingRequest

// LinkAccount starts the linking of an account, which the user completes at the RedirectURL of the answer. It
// sends the request once.
func (a *App) LinkAccount(ctx context.Context, call Call, r LinkingRequest) (got bankapi.LinkingSession, err error) {
	if err := ledger.CheckPartnerBank(r.PartnerBankID); err != nil {
		return got, Fail(Usage, "%v", err)
	}
	if r.SubMerchantID, err = a.subMerchant(r.SubMerchantID); err != nil {
		return got, err
	}
	return askOnce(ctx, a, call, byHand{
		what:  fmt.Sprintf("link an account of partner bank %d", r.PartnerBankID),
		check: Do("accounts", "list").First("check first whether it is listed: an account that is not linked yet is listed with the address to continue at"),
	}, func(c *bankapi.Client) (bankapi.LinkingSession, error) {
		return c.Link(ctx, r)
	})
}

// Balances returns the balance of one debit account, or of every account for "".
func (a *App) Balances(ctx context.Context, call Call, subMerchantID, account string) (list []ledger.Balance, err error) {
	q := bankapi.BalanceQuery{SubMerchantID: subMerchantID}
	if q.BankAccountID, err = a.accountIfAny(account); err != nil {
		return nil, err
	}
	return listed(a, call, "the balances", func(c *bankapi.Client) ([]ledger.Balance, error) { return c.Balances(ctx, q) })
}

// account returns the id of the debit account that a person means.
func (a *App) account(word string) (string, error) {
	if word == "" && len(a.set.Accounts) == 1 {
		return a.set.Accounts[0].BankAccountID, nil
	}
	if id, found := a.set.AccountID(word); found {
		return id, nil
	}
	e := Fail(Usage, "--account %s: no debit account with that name is configured, and it is not an account id", ledger.Plain(word))
	if word == "" {
		e = Fail(Usage, "name the debit account; there are %d", len(a.set.Accounts))
	}
	e.Unknown, e.Choices = word, ledger.ListOf(a.set.Accounts, func(acc ledger.DebitAccount) string { return acc.Name })
	return "", e.Then(Say("configured: %s", ledger.Plain(strings.Join(e.Choices, ", "))),
		Do("accounts", "list").Which("lists those of the bank"))
}

func (a *App) accountIfAny(word string) (string, error) {
	if word == "" {
		return "", nil
	}
	return a.account(word)
}

// subMerchant returns the named one, else the configured one.
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

// keepListing saves what the bank listed, so that sheets can be compared with it later. If it cannot be
// saved, it only warns, so that the list is still shown; it does not warn if there is no ledger yet.
func (a *App) keepListing(ctx context.Context, call Call, b ledger.BankListing) {
	if !b.Whole && len(b.Accounts)+len(b.Beneficiaries) == 0 {
		return
	}
	err := a.write(ctx, call, func(o *operation) error {
		b.At, b.Actor = o.env.Now(), o.call.Actor
		return o.store.KeepListing(ctx, b)
	})
	if err != nil && !errors.Is(err, ledger.ErrNoLedger) {
		call.progress().Warn(fmt.Sprintf("payrun check will not use this list, because it could not be saved in the ledger: %v", err))
	}
}

// BeneficiaryQuery says which beneficiaries to list; an empty field does not filter, but an empty
// sub-merchant means the configured one. A person names the debit account by its name or id.
type BeneficiaryQuery = bankapi.BeneficiaryQuery

// Beneficiaries lists the beneficiaries that the bank has, all pages, and saves the list in the ledger.
func (a *App) Beneficiaries(ctx context.Context, call Call, q BeneficiaryQuery) (list []ledger.Beneficiary, err error) {
	if q.SubMerchantID, err = a.subMerchant(q.SubMerchantID); err != nil {
		return nil, err
	}
	if q.BankAccountID, err = a.accountIfAny(q.BankAccountID); err != nil {
		return nil, err
	}
	list, err = listed(a, call, "its beneficiaries", func(c *bankapi.Client) ([]ledger.Beneficiary, error) { return c.Beneficiaries(ctx, q) })
	if err == nil {
		a.keepListing(ctx, call, ledger.BankListing{List: ledger.ListOfBeneficiaries, SubMerchantID: q.SubMerchantID, BankAccountID: q.BankAccountID,
			Whole: q.OpenBeneficiaryID+q.Search == "", Beneficiaries: list})
	}
	return list, err
}

// BeneficiaryRequest is a payee to add at the bank under a debit account, which a person names by
// its name or id. If it names no sub-merchant, the configured one is used.
type BeneficiaryRequest = bankapi.BeneficiaryRequest

// AddBeneficiary asks the bank to add a beneficiary, which is not active yet. It sends the request once. The bank
// sends an OTP to the registered mobile; the operation that takes the OTP is not shown
// (interface.md, "Initiate beneficiary").
func (a *App) AddBeneficiary(ctx context.Context, call Call, q BeneficiaryRequest) (got bankapi.NewBeneficiary, err error) {
	named := q.BankAccountID
	if !ifsc.Valid(q.IFSC) {
		why, likely := ifsc.Explain(q.IFSC)
		e := Fail(Usage, "--ifsc %s: not a valid IFSC: %s; nothing was sent", ledger.Plain(q.IFSC), why)
		if likely != "" {
			e.Then(Say("it is probably %s: check it against the payee's cheque or passbook", likely))
		}
		return got, e
	}
	if q.SubMerchantID, err = a.subMerchant(q.SubMerchantID); err != nil {
		return got, err
	}
	if q.BankAccountID, err = a.account(named); err != nil {
		return got, err
	}
	return askOnce(ctx, a, call, byHand{
		what: "add the beneficiary", hide: ledger.NewMasker(q.BankAccountNumber),
		check: Do("beneficiaries", "list", "--account", named).First("check whether it is listed before you send it again"),
	}, func(c *bankapi.Client) (bankapi.NewBeneficiary, error) { return c.AddBeneficiary(ctx, q) })
}

// RegisterRequest asks to register a sub-merchant.
type RegisterRequest = bankapi.RegisterRequest

// SubMerchants lists the sub-merchants, all pages, as the service masks them.
func (a *App) SubMerchants(ctx context.Context, call Call) (bankapi.SubMerchantList, error) {
	return listed(a, call, "its sub-merchants", func(c *bankapi.Client) (bankapi.SubMerchantList, error) { return c.SubMerchants(ctx) })
}

// RegisterMerchant registers a sub-merchant. It sends the request once.
func (a *App) RegisterMerchant(ctx context.Context, call Call, r RegisterRequest) (bankapi.Registered, error) {
	return askOnce(ctx, a, call, byHand{
		what:  "register the sub-merchant",
		check: Do("merchants", "list").First("check whether it is listed before you send it again"),
	}, func(c *bankapi.Client) (bankapi.Registered, error) { return c.Register(ctx, r) })
}
