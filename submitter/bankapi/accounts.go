package bankapi

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"payrun/ledger"
)

// AccountQuery filters BankAccounts. Empty fields filter nothing.
type AccountQuery struct {
	SubMerchantID string
	BankAccountID string
	PartnerBankID int
	Search        string // in account number, IFSC, identifier, account name
}

// BalanceQuery filters Balances. Empty fields filter nothing.
type BalanceQuery struct {
	SubMerchantID string
	BankAccountID string
}

// BankAccounts lists all linked accounts, from all pages. Every error is a *ledger.CallError; then nothing is
// returned.
func (c *Client) BankAccounts(ctx context.Context, q AccountQuery) ([]ledger.LinkedAccount, error) {
	return c.bankAccounts(ctx, q, ledger.Patient)
}

func (c *Client) bankAccounts(ctx context.Context, q AccountQuery, p ledger.Patience) ([]ledger.LinkedAccount, error) {
	query := filters(field{"sub_merchant_id", q.SubMerchantID}, field{"bank_account_id", q.BankAccountID}, field{"search", q.Search})
	if q.PartnerBankID != 0 {
		query.Set("partner_bank_id", strconv.Itoa(q.PartnerBankID))
	}
	of := func(page BankAccountList) ([]ledger.LinkedAccount, error) { return page.BankAccounts, nil }
	return listed(ctx, c, list{op: opAccounts, path: PathBankAccounts, query: query, patience: p}, of)
}

// Accounts lists every linked account of the merchant, like BankAccounts, but fails sooner: the caller may hold
// an OTP that is running out.
func (c *Client) Accounts(ctx context.Context) ([]ledger.LinkedAccount, error) {
	return c.bankAccounts(ctx, AccountQuery{}, ledger.Brisk)
}

// Balances lists the balances of the accounts, in paise, from all pages. Every error is a *ledger.CallError;
// then nothing is returned.
func (c *Client) Balances(ctx context.Context, q BalanceQuery) ([]ledger.Balance, error) {
	query := filters(field{"sub_merchant_id", q.SubMerchantID}, field{"bank_account_id", q.BankAccountID})
	return listed(ctx, c, list{op: opBalance, path: PathBalance, query: query}, func(page BalanceList) (balances []ledger.Balance, err error) {
		for i, b := range page.Balances {
			held, err := balanceOf(b.Balance)
			if err != nil {
				return nil, fmt.Errorf("data.balances[%d]: %w", i, err)
			}
			balances = append(balances, ledger.Balance{BankAccountID: b.BankAccountID, Balance: held})
		}
		return balances, nil
	})
}

// filters returns the query parameters of the fields that are not empty.
func filters(fields ...field) url.Values {
	q := url.Values{}
	for _, f := range ifAny(fields...) {
		q.Set(f.name, fmt.Sprint(f.value))
	}
	return q
}

// Link begins to link a bank account, once. The user completes it at the RedirectURL of the answer
// (interface.md, "Initiate bank-account linking"; required in the sandbox only). Every error is a
// *ledger.CallError.
func (c *Client) Link(ctx context.Context, r LinkingRequest) (LinkingSession, error) {
	return postFields[LinkingSession](ctx, c, opLinking, c.set.LinkingURL+PathLinking,
		field{"sub_merchant_id", r.SubMerchantID}, field{"partner_bank_id", strconv.Itoa(r.PartnerBankID)},
		field{"merchant_redirect_url", r.MerchantRedirectURL})
}
