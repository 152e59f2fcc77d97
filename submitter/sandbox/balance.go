package sandbox

import (
	"cmp"
	"slices"

	"payrun/submitter/bankapi"
)

// fetchBalance answers "Fetch balance": what was debited is gone, what is
// submitted and not debited yet is still there. Of an account that is not linked yet nothing is known.
func (b *bank) fetchBalance(r request) *answer {
	linked := slices.DeleteFunc(b.filterAccounts(r.query), func(a *Account) bool { return a.Linking != nil })
	shown, p, refused := list(b, linked, r, func(a *Account) bankapi.Balance {
		return bankapi.Balance{BankAccountID: a.BankAccountID, Balance: a.Balance.String()}
	})
	return cmp.Or(refused, answered(bankapi.BalanceList{Balances: shown}, p))
}
