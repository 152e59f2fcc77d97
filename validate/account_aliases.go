package validate

import (
	"fmt"
	"strings"

	"payrun/ledger"
)

// accountAliases finds an account of the sheet that is paid under several names: one
// of them may stand in the wrong row. It looks at the first payouts only, until so
// many accounts are known, which is every sheet that a person makes: to ask for the
// account of every row of a million costs a tenth of the check.
type accountAliases map[accountAtBank]firstName

type firstName struct {
	name string
	row  int
}

const mostNamedAccounts = 5_000

// warn adds the warning for a payout whose account an earlier row of the sheet pays under another
// name. A name that contains the other, such as M/s Asha Traders, is the same.
func (o accountAliases) warn(p *ledger.Payout) (message string, differs bool) {
	if len(o) == mostNamedAccounts || p.BankAccountNumber == "" || p.VendorName == "" {
		return "", false
	}
	key := accountOf(p.AccountOf())
	first, known := o[key]
	switch {
	case !known:
		o[accountAtBank{strings.Clone(key.number), strings.Clone(key.bank)}] = firstName{strings.Clone(p.VendorName), p.Row}
		return "", false
	case first.name == p.VendorName, !unlike(p.VendorName, first.name):
		return "", false
	}
	return fmt.Sprintf("row %d pays the same account under the name %q", first.row, first.name), true
}

// unlike reports whether neither name has the other within it.
func unlike(a, b string) bool {
	a, b = lettersOf(a), lettersOf(b)
	return a != "" && b != "" && !strings.Contains(a, b) && !strings.Contains(b, a)
}

// lettersOf gives a name without spaces and punctuation, folded.
func lettersOf(name string) string { return strings.ReplaceAll(foldLabel(FoldName(name)), " ", "") }
