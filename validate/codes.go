package validate

import (
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// Explain returns what is to say about a code, and whether there is one.
func Explain(code string) (Explanation, bool) {
	return ingest.Explained(strings.ToLower(visible.Trim(code)))
}

// Explanations returns the whole table: the codes of reading a file, then
// those of judging what is in it.
func Explanations() []Explanation { return ingest.Codes() }

// explanationOf is Explain for a code that is known to be in the table. One
// that is not refuses the file, which is the safe side.
func explanationOf(code string) Explanation {
	if e, ok := ingest.Explained(code); ok {
		return e
	}
	return Explanation{Code: code, Severity: ledger.SeverityError, Scope: ofFile}
}

// OfNewAccount reports a finding that Changed explains further.
func OfNewAccount(code string) bool { return code == codePayeeNewAccount }

// OfThePayee reports a code that says what is unusual about whom a row pays, or
// how much: what a person looks at before money moves.
func OfThePayee(code string) bool {
	switch code {
	case codePayeePaid, codeLikeLocked, codePayeeTwice, codePayeeNewAccount, codeAmountUnusual:
		return true
	}
	return false
}

// amountFaults are the words of each reason not to read an amount.
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
