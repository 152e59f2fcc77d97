package visible

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/currency"
	"golang.org/x/text/unicode/norm"
)

// MaxHeaderBytes is the longest text that is looked at as a column's name.
const MaxHeaderBytes = 300

// scaleWords are the words of a header that say its numbers are not rupees:
// 1.5 below Amount (in Lakhs) is 1,50,000.
var scaleWords = WordSet("lakh", "lakhs", "lac", "lacs", "l", "crore", "crores", "cr", "crs", "k", "thousand", "thousands", "000", "000s", "0000", "00000",
	"hundred", "hundreds", "m", "mn", "mio", "mln", "million", "millions", "bn", "billion", "billions", "percent", "percentage", "pct",
	"paise", "paisa", "ps", "लाख", "करोड़", "हज़ार", "हजार", "पैसे", "पैसा",
	"dollar", "dollars", "euro", "euros", "pound", "pounds", "sterling", "dirham", "dirhams", "yen", "riyal", "riyals", "dinar", "dinars", "taka")

// currencyWords are codes of ISO 4217 that are words of other kinds too. They are
// codes where they stand in capitals in a header that has small letters.
var currencyWords = WordSet("all", "top", "try", "pen", "cup", "mop", "bob", "ron", "sos", "std", "gel", "mad", "lak", "bam", "sit", "dem")

// WordSet makes a set of words, in NFKC as Words gives them.
func WordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[norm.NFKC.String(w)] = true
	}
	return set
}

// OtherUnit gives what a header names that is not the rupee: a currency, by its
// sign or code, or a unit; "" where it names none.
func OtherUnit(header string) string {
	if len(header) > MaxHeaderBytes {
		return ""
	}
	for _, r := range norm.NFKC.String(header) {
		if r == '%' || r != '₹' && unicode.Is(unicode.Sc, r) {
			return string(r)
		}
	}
	capitals := strings.ToUpper(header) != header
	for _, word := range Words(header) {
		switch {
		case scaleWords[word]:
			return word
		case len(word) != 3 || word == "inr":
		case currencyWords[word] && !(capitals && strings.Contains(header, strings.ToUpper(word))):
		case isCurrency(word):
			return strings.ToUpper(word)
		}
	}
	return scaleWithin(strings.Join(Words(header), ""))
}

// scaleWithin gives the scale that a header written as one word names, as exports
// do: amountinpaise. Short words are parts of others, and are not looked for.
func scaleWithin(glued string) string {
	for _, word := range longScaleWords() {
		if strings.Contains(glued, word) {
			return word
		}
	}
	return ""
}

var longScaleWords = sync.OnceValue(func() []string {
	const long = 4 // letters; in Devanagari fewer
	return slices.DeleteFunc(slices.Sorted(maps.Keys(scaleWords)), func(w string) bool {
		return IsASCII(w) && len(w) < long || strings.Trim(w, "0s") == ""
	})
})

func isCurrency(code string) bool {
	_, err := currency.ParseISO(code)
	return err == nil
}

// IsScale reports a word, in lower case, for a unit that is not the rupee.
func IsScale(word string) bool { return scaleWords[word] }

// IsRupee reports what a cell may say of its currency.
func IsRupee(s string) bool {
	switch strings.ToLower(s) {
	case "", "inr", "₹", "rs", "rs.":
		return true
	}
	return false
}

// Words splits a header into its words in lower case, also where only a
// capital begins the next: NetPay.
func Words(header string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = word[:0]
	}
	before := ' '
	for _, r := range norm.NFKC.String(header) {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			end()
		case unicode.IsUpper(r) && unicode.IsLower(before):
			end()
			word = append(word, r)
		default:
			word = append(word, r)
		}
		before = r
	}
	end()
	return words
}

// noteWords are the words with which a note says the unit of the amounts, besides the unit:
// Rs. in Lakhs, All amounts in USD.
var noteWords = WordSet("account", "all", "amount", "amounts", "amt", "are", "balances", "each", "every", "expressed", "figure", "figures", "given", "in", "indian", "inr", "is", "mentioned",
	"nb", "note", "of", "otherwise", "payment", "payments", "rounded", "rs", "rupee", "rupees", "sheet", "shown", "specified", "stated", "statement", "the", "this", "to", "unless", "us", "value", "values",
	"रु", "रुपये", "राशि", "में")

// noteLabels name a currency or a unit that follows, folded: true where it must be the rupee,
// false where it may be of something else than money.
var noteLabels = map[string]bool{
	"currency": true, "accountcurrency": true, "ccy": true, "currencycode": true, "statementcurrency": true, "accountccy": true, "currencyofaccount": true, "acccurrency": true,
	"unit": false, "units": false, "denomination": false, "scale": false,
}

// otherAmounts are words of amounts above the table that are none of its own:
// Sanctioned Limit (in Lakhs), Drawing Power.
var otherAmounts = WordSet("limit", "power", "insured", "insurance", "turnover")

// UnitNote finds a unit or a currency other than the rupee that a row outside the table gives for its
// amounts: after its name (Currency: USD, also in the next cell), or in a sentence (All amounts in
// USD). It is "" if a text only contains such a word: Crore Foods Pvt Ltd.
func UnitNote(cells []string) string {
	label, currency := false, false // the cell before names a currency or a unit, and says none
	for _, cell := range cells {
		if cell = Trim(cell); cell == "" || len(cell) > MaxHeaderBytes {
			continue
		}
		if label && (currency && OtherUnit(cell) != "" || unitSaid("in "+cell) != "") { // of the label in the cell before
			return Shorten(strings.Trim(cell, ": "))
		}
		name, value, _ := strings.Cut(cell, ":")
		var labelled bool
		currency, labelled = noteLabels[FoldHeader(name)]
		value = Trim(value)
		label = labelled && value == ""
		switch {
		case slices.ContainsFunc(Words(name), func(w string) bool { return otherAmounts[w] }):
		case !labelled:
			if unit := unitSaid(cell); unit != "" {
				return unit
			}
			for part := range strings.FieldsFuncSeq(cell, func(r rune) bool { return strings.ContainsRune("()[]|,;:\n-–—", r) }) {
				if unit := unitSaid(part); unit != "" {
					return unit
				}
			}
		case value != "" && (currency && !NamesRupee(value) || unitSaid("in "+value) != ""):
			return Shorten(value)
		}
	}
	return ""
}

// unitSaid gives the unit of a text that says nothing else, or that ends in it, behind the
// rupee: Vendor payments Rs. in Lakhs.
func unitSaid(text string) string {
	text = strings.ReplaceAll(text, rupeeSign, " rs ")
	words := Words(text)
	if unit := scaleAtEnd(words); unit != "" {
		return unit
	}
	unit := OtherUnit(text)
	if unit == "" || len(unit) == 1 && Words(unit) != nil { // one letter is an initial
		return ""
	}
	said, named := false, Words(unit) == nil // a sign is a word of its own
	for _, w := range words {
		switch {
		case noteWords[w]:
			said = said || w != "all"
		case IsScale(w), OtherUnit(strings.ToUpper(w)) != "":
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

// loneScales say the unit of amounts where they are all that a text says. Others may be names: Sterling.
var loneScales = WordSet("lakh", "lakhs", "lac", "lacs", "crore", "crores", "thousand", "thousands", "million", "millions", "लाख", "करोड़")

// scaleAtEnd gives the scale that words end in, behind the rupee or alone.
func scaleAtEnd(words []string) string {
	last := len(words) - 1
	if last < 0 || !scaleWords[words[last]] {
		return ""
	}
	unit := words[last]
	if last == 0 && loneScales[unit] {
		return unit
	}
	before := last - 1
	if before > 0 && words[before] == "in" {
		before--
	}
	if before >= 0 && rupeeUnits[words[before]] {
		return unit
	}
	return ""
}

// NamesRupee reports what a text may say of a currency: nothing, or the rupee by any name.
func NamesRupee(text string) bool {
	named := func(w string) bool { return rupeeUnits[w] || w == "rupee" }
	return IsRupee(strings.Trim(text, ". ")) ||
		OtherUnit(text) == "" && (strings.Contains(text, rupeeSign) || slices.ContainsFunc(Words(text), named))
}
