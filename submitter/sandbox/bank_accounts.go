package sandbox

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// listBankAccounts answers "List bank accounts". A filter that matches nothing gives an empty list.
func (b *bank) listBankAccounts(r request) *answer {
	partnerBank := r.query.Get("partner_bank_id")
	if _, err := strconv.Atoi(partnerBank); err != nil && partnerBank != "" {
		return b.refuse(r, "partner_bank_id", "partner_bank_id must be a whole number")
	}
	all := []ledger.LinkedAccount{}
	for _, a := range b.filterAccounts(r.query) {
		if matches(partnerBank, strconv.Itoa(a.PartnerBankID)) &&
			contains(r.query.Get("search"), a.AccountNumber, a.IFSC, a.Identifier, a.AccountName) {
			shown := a.LinkedAccount
			shown.AccountNumber, shown.RedirectURL = ledger.Mask(a.AccountNumber), b.linkingURL(a)
			all = append(all, shown)
		}
	}
	return page(b, r, all, func(shown []ledger.LinkedAccount) any { return bankapi.BankAccountList{BankAccounts: shown} })
}

// filterAccounts applies the two filters that listing and balance share.
func (b *bank) filterAccounts(q url.Values) []*Account {
	return ledger.Where(b.Accounts, func(a *Account) bool {
		return matches(q.Get("sub_merchant_id"), a.SubMerchantID) && matches(q.Get("bank_account_id"), a.BankAccountID)
	})
}

func matches(filter, value string) bool { return filter == "" || filter == value }

// contains is the free-text search; it ignores case.
func contains(search string, in ...string) bool {
	return slices.ContainsFunc(in, func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(search)) })
}

// fetchBalance answers "Fetch balance". The balance excludes what was debited and includes what is submitted
// and not debited yet. An account that is not linked yet is left out.
func (b *bank) fetchBalance(r request) *answer {
	all := []bankapi.Balance{}
	for _, a := range b.filterAccounts(r.query) {
		if a.Linking == nil {
			all = append(all, bankapi.Balance{BankAccountID: a.BankAccountID, Balance: a.Balance.String()})
		}
	}
	return page(b, r, all, func(shown []bankapi.Balance) any { return bankapi.BalanceList{Balances: shown} })
}
