package sandbox

import (
	"cmp"
	"slices"

	"payrun/submitter/bankapi"
)

// fetchBalance answers "Fetch balance". The balance excludes what was debited and includes what is submitted
// and not debited yet. An account that is not linked yet is left out.
func (b *bank) fetchBalance(r request) *answer {
	linked := slices.DeleteFunc(b.filterAccounts(r.query), func(a *Account) bool { return a.Linking != nil })
	shown, p, refused := list(b, linked, r, func(a *Account) bankapi.Balance {
		return bankapi.Balance{BankAccountID: a.BankAccountID, Balance: a.Balance.String()}
	})
	return cmp.Or(refused, answered(bankapi.BalanceList{Balances: shown}, p))
}
