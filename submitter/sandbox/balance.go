package sandbox

import "payrun/submitter/bankapi"

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
