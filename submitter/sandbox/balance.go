package sandbox

import (
	"cmp"

	"payrun/submitter/bankapi"
)

// fetchBalance answers "Fetch balance". The balance excludes what was debited and includes what is submitted
// and not debited yet. An account that is not linked yet is left out.
func (b *bank) fetchBalance(r request) *answer {
	all := []bankapi.Balance{}
	for _, a := range b.filterAccounts(r.query) {
		if a.Linking == nil {
			all = append(all, bankapi.Balance{BankAccountID: a.BankAccountID, Balance: a.Balance.String()})
		}
	}
	shown, p, refused := page(b, all, r)
	return cmp.Or(refused, answered(bankapi.BalanceList{Balances: shown}, p))
}
