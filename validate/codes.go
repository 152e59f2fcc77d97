package validate

import "slices"

// OfNewAccount reports whether Changed has more about a finding with this code.
func OfNewAccount(code string) bool { return code == codePayeeNewAccount }

// OfThePayee reports whether a code is about an unusual payee or amount, which a person checks before money
// moves.
func OfThePayee(code string) bool {
	return slices.Contains([]string{codePayeePaid, codeLikeLocked, codePayeeTwice, codePayeeNewAccount, codeAmountUnusual}, code)
}

// amountFaults say why an amount cannot be read.
var amountFaults = map[string]string{
	codeAmountMissing:    "the amount is empty",
	codeAmountZero:       "the amount is zero",
	codeAmountNegative:   "the amount is negative",
	codeAmountGrouping:   "the commas in the amount fit neither Indian nor Western grouping",
	codeAmountDecimals:   "the amount has more than two decimals",
	codeAmountComma:      "the amount has points between groups and a comma before the decimals",
	codeAmountExponent:   "the amount is written with an exponent",
	codeAmountDigits:     "the amount has digits of another script",
	codeAmountOutOfRange: "the amount is too large",
	codeAmountUnreadable: "not a valid amount",
}
