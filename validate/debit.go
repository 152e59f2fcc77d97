package validate

import (
	"strings"

	"payrun/ledger"
)

// debitAccounts finds the debit account of a row.
type debitAccounts struct {
	byName   map[string]*ledger.DebitAccount // by id, name and, if configured, account number; nil if ambiguous
	byNumber map[string]*ledger.DebitAccount // by account number alone; nil if ambiguous
	fallback *ledger.DebitAccount            // for rows that name none; nil if there is none
	names    string                          // for people
}

// newDebitAccounts takes the configured accounts and the name or id of the one for this run; "" means the one
// with Default. A name that is not configured is a UsageError.
func newDebitAccounts(accounts []ledger.DebitAccount, chosen string) (*debitAccounts, error) {
	d := &debitAccounts{byName: make(map[string]*ledger.DebitAccount, 3*len(accounts)), byNumber: map[string]*ledger.DebitAccount{}}
	var names []string
	for i := range accounts {
		a := &accounts[i]
		learn(d.byName, strings.ToLower(a.BankAccountID), a)
		learn(d.byName, RefKey(a.Name), a)
		learn(d.byName, a.AccountNumber, a)
		learn(d.byNumber, a.AccountNumber, a)
		names = append(names, a.Name)
		if a.Default && d.fallback == nil {
			d.fallback = a
		}
	}
	d.names = strings.Join(names, ", ")
	if chosen == "" {
		return d, nil
	}
	if d.fallback = d.find(chosen); d.fallback == nil {
		return nil, &UsageError{Option: ledger.Option{Name: ledger.OptionAccount, Value: chosen}, Why: "no debit account of that name or id is configured; there are: " + d.names}
	}
	return d, nil
}

func learn(accounts map[string]*ledger.DebitAccount, name string, a *ledger.DebitAccount) {
	if name == "" {
		return
	}
	if other, taken := accounts[name]; taken && other != a {
		a = nil
	}
	accounts[name] = a
}

// find returns the account with that name, id or number, or nil.
func (d *debitAccounts) find(name string) *ledger.DebitAccount {
	if a, ok := d.byName[name]; ok {
		return a
	}
	return d.byName[RefKey(name)]
}
