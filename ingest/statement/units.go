package statement

import (
	"slices"
	"strings"

	"payrun/ingest/visible"
)

// unitSentence are the words with which a row above the table says the unit of its
// amounts, apart from the unit: Rs. in Lakhs, All amounts in USD.
var unitSentence = map[string]bool{
	"all": true, "amount": true, "amounts": true, "amt": true, "figures": true, "values": true, "balances": true, "are": true, "in": true, "the": true,
	"rs": true, "inr": true, "rupees": true, "rupee": true, "indian": true, "shown": true, "stated": true, "expressed": true, "statement": true, "currency": true,
	"unless": true, "otherwise": true, "mentioned": true, "specified": true, "note": true, "of": true, "account": true, "this": true, "us": true,
	"रु": true, "रुपये": true, "राशि": true, "में": true,
}

// otherAmounts are words of amounts above the table that are none of its own:
// Sanctioned Limit (in Lakhs), Drawing Power.
var otherAmounts = map[string]bool{"limit": true, "power": true, "insured": true, "insurance": true, "turnover": true}

// currencyLabels name the currency of the account, folded as headers are.
var currencyLabels = map[string]bool{
	"currency": true, "accountcurrency": true, "ccy": true, "currencycode": true, "statementcurrency": true, "accountccy": true, "currencyofaccount": true, "acccurrency": true,
}

// unitIn finds the unit or currency other than the rupee that a row above the table
// says its amounts are in: behind the name of the currency, or as a sentence.
func unitIn(cells []string) string {
	named := false
	for _, cell := range cells {
		if cell = visible.Trim(cell); cell == "" {
			continue
		}
		label, value, colon := strings.Cut(cell, ":")
		if value = visible.Trim(value); !colon {
			value = ""
		}
		switch {
		case named:
			named = false
			if cell = strings.Trim(cell, ": "); otherUnit(cell) != "" {
				return visible.Shorten(cell)
			}
		case currencyLabels[visible.FoldHeader(label)]:
			if named = value == ""; !isRupees(value) {
				return visible.Shorten(value)
			}
		case slices.ContainsFunc(visible.Words(label), func(w string) bool { return otherAmounts[w] }):
		default:
			for part := range strings.FieldsFuncSeq(cell, func(r rune) bool { return strings.ContainsRune("()[]|,;:\n", r) }) {
				if unit := unitSaid(part); unit != "" {
					return unit
				}
			}
		}
	}
	return ""
}

// unitSaid gives the unit of a text that says nothing else.
func unitSaid(text string) string {
	unit := otherUnit(text)
	if unit == "" || len(unit) == 1 && visible.Words(unit) != nil { // one letter is an initial
		return ""
	}
	said, named := false, visible.Words(unit) == nil // a sign is its own name
	for _, w := range visible.Words(text) {
		switch {
		case unitSentence[w]:
			said = said || w != "all"
		case visible.IsScale(w), otherUnit(strings.ToUpper(w)) != "":
			named = true
		default:
			return ""
		}
	}
	if !said || !named {
		return ""
	}
	return unit
}
