package validate

import (
	"fmt"
	"strings"

	"payrun/ledger"
)

// accountAliases finds an account that the sheet pays under several names: one of the names may be in the wrong
// row. It stops at mostNamedAccounts accounts, which covers every sheet made by hand. A look-up for every row
// of a million would cost a tenth of the check.
type accountAliases map[accountAtBank]firstName

type firstName struct {
	name string
	row  int
}

const mostNamedAccounts = 5_000

// warn returns the warning for a payout whose account an earlier row of the sheet pays under another name. If
// one name contains the other, such as M/s Asha Traders, they are the same. It returns "" for no warning.
func (o accountAliases) warn(p *ledger.Payout) string {
	if len(o) == mostNamedAccounts || p.BankAccountNumber == "" || p.VendorName == "" {
		return ""
	}
	key := accountOf(p.AccountOf())
	first, known := o[key]
	switch {
	case !known:
		o[accountAtBank{strings.Clone(key.number), strings.Clone(key.bank)}] = firstName{strings.Clone(p.VendorName), p.Row}
		return ""
	case first.name == p.VendorName, !unlike(p.VendorName, first.name):
		return ""
	}
	return fmt.Sprintf("row %d pays the same account under the name %q", first.row, first.name)
}

// unlike reports whether neither name contains the other.
func unlike(a, b string) bool {
	a, b = lettersOf(a), lettersOf(b)
	return a != "" && b != "" && !strings.Contains(a, b) && !strings.Contains(b, a)
}

// lettersOf returns a folded name without spaces and punctuation.
func lettersOf(name string) string { return strings.ReplaceAll(foldLabel(FoldName(name)), " ", "") }
