package bankapi

import (
	"context"
	"errors"
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

// mostListPages bounds a list whose length is not known beforehand.
const mostListPages = 1000

// BankAccounts lists the linked accounts, all pages of them. Every error is a
// *ledger.CallError; with one, nothing is returned.
func (c *Client) BankAccounts(ctx context.Context, q AccountQuery) ([]ledger.LinkedAccount, error) {
	return c.bankAccounts(ctx, q, ledger.Patient)
}

func (c *Client) bankAccounts(ctx context.Context, q AccountQuery, p ledger.Patience) ([]ledger.LinkedAccount, error) {
	query := filters(field{"sub_merchant_id", q.SubMerchantID}, field{"bank_account_id", q.BankAccountID}, field{"search", q.Search})
	if q.PartnerBankID != 0 {
		query.Set("partner_bank_id", strconv.Itoa(q.PartnerBankID))
	}
	return listed(ctx, c, p, opAccounts, PathBankAccounts, query, func(page BankAccountList) []ledger.LinkedAccount { return page.BankAccounts })
}

// Accounts lists every linked account of the merchant, as BankAccounts, for callers that need a
// failure soon rather than an answer late: an OTP may be running out.
func (c *Client) Accounts(ctx context.Context) ([]ledger.LinkedAccount, error) {
	return c.bankAccounts(ctx, AccountQuery{}, ledger.Brisk)
}

// Balances lists what the accounts hold, in paise, all pages of them. Every
// error is a *ledger.CallError; with one, nothing is returned.
func (c *Client) Balances(ctx context.Context, q BalanceQuery) ([]ledger.Balance, error) {
	query := filters(field{"sub_merchant_id", q.SubMerchantID}, field{"bank_account_id", q.BankAccountID})
	var balances []ledger.Balance
	err := eachPage(ctx, c, ledger.Patient, opBalance, PathBalance, query, func(page BalanceList) error {
		for i, b := range page.Balances {
			held, err := balanceOf(b.Balance)
			if err != nil {
				return fmt.Errorf("data.balances[%d]: %w", i, err)
			}
			balances = append(balances, ledger.Balance{BankAccountID: b.BankAccountID, Balance: held})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return balances, nil
}

// listed collects what every page of a list has.
func listed[P, T any](ctx context.Context, c *Client, p ledger.Patience, op, path string, query url.Values, of func(P) []T) (all []T, err error) {
	err = eachPage(ctx, c, p, op, path, query, func(page P) error {
		all = append(all, of(page)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// errLast is what take returns of a page behind which none can follow.
var errLast = errors.New("no page follows")

// eachPage reads every page of a list at {base_url} and gives its data to take.
func eachPage[T any](ctx context.Context, c *Client, p ledger.Patience, op, path string, query url.Values, take func(T) error) error {
	query.Set("limit", strconv.Itoa(pageSize))
	pages := pager{most: mostListPages}
	for {
		data, meta, err := get[T](ctx, c, p, op, c.base+path, query)
		if err != nil {
			return err
		}
		switch err := take(data); {
		case errors.Is(err, errLast):
			return nil
		case err != nil:
			return listError(op, err)
		}
		cursor, err := pages.next(meta.Pagination)
		if err != nil {
			return listError(op, err)
		}
		if cursor == "" {
			return nil
		}
		query.Set("cursor", cursor)
	}
}

// listError is for a list whose answer is not as the interface shows it.
func listError(op string, err error) *ledger.CallError {
	return &ledger.CallError{Op: op, Outcome: ledger.Unknown, HTTPStatus: 200, Err: err}
}

// filters are the parameters of a query that are given.
func filters(fields ...field) url.Values {
	q := url.Values{}
	for _, f := range ifAny(fields...) {
		q.Set(f.name, fmt.Sprint(f.value))
	}
	return q
}
