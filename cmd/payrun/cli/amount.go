package cli

import (
	"fmt"
	"regexp"
	"strings"

	"payrun/ledger"
)

// amountForm is an amount on the command line or in payrun.toml: rupees with
// Indian, Western or no groups, and at most two decimals.
var amountForm = regexp.MustCompile(`^(?:₹ ?)?(\d+|\d{1,2}(?:,\d{2})*,\d{3}|\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2}))?$`)

// readAmount reads such an amount, exactly.
func readAmount(s string) (ledger.Paise, error) {
	parts := amountForm.FindStringSubmatch(strings.TrimSpace(s))
	if parts == nil {
		return 0, fmt.Errorf("amount %q: want rupees such as 1840150.50 or 18,40,150.50", s)
	}
	rupees, paise := strings.ReplaceAll(parts[1], ",", ""), parts[2]
	return ledger.ParsePaise(rupees + "." + (paise + "00")[:2])
}

// rupees shows an amount to people.
func rupees(p ledger.Paise) string { return "₹" + p.Indian() }
