package sandbox

import "payrun/submitter/bankapi"

// fetchBalance answers "Fetch balance": what was debited is gone, what is
// submitted and not debited yet is still there.
func (b *bank) fetchBalance(r request) (reply, *refusal) {
	got, p, refused := page(b, linked(b.filterAccounts(r.query)), listing{op: "balance", code: balanceCodes[0], perPage: pageDefault, query: r.query})
	if refused != nil {
		return reply{}, refused
	}
	data := bankapi.BalanceList{Balances: []bankapi.Balance{}}
	for _, a := range got {
		data.Balances = append(data.Balances, bankapi.Balance{BankAccountID: a.ID, Balance: a.Balance.String()})
	}
	return reply{data: data, page: p}, nil
}

// linked leaves out the accounts of which nothing is known yet.
func linked(accounts []*account) (out []*account) {
	for _, a := range accounts {
		if a.Linking == nil {
			out = append(out, a)
		}
	}
	return out
}
