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

// MaxHeaderBytes is the longest text that is examined as a column's name.
const MaxHeaderBytes = 300

// scaleWords are words in a header that say its numbers are not rupees: 1.5 below Amount (in Lakhs) is
// 1,50,000.
var scaleWords = WordSet("lakh", "lakhs", "lac", "lacs", "l", "crore", "crores", "cr", "crs", "k", "thousand", "thousands", "000", "000s", "0000", "00000",
	"hundred", "hundreds", "m", "mn", "mio", "mln", "million", "millions", "bn", "billion", "billions", "percent", "percentage", "pct",
	"paise", "paisa", "ps", "लाख", "करोड़", "हज़ार", "हजार", "पैसे", "पैसा",
	"dollar", "dollars", "euro", "euros", "pound", "pounds", "sterling", "dirham", "dirhams", "yen", "riyal", "riyals", "dinar", "dinars", "taka")

// currencyWords are codes of ISO 4217 that are also ordinary words. They count as codes only in capitals, in a
// header that also has small letters.
var currencyWords = WordSet("all", "top", "try", "pen", "cup", "mop", "bob", "ron", "sos", "std", "gel", "mad", "lak", "bam", "sit", "dem")

// WordSet returns a set of words in NFKC, as Words returns them.
func WordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[norm.NFKC.String(w)] = true
	}
	return set
}

// OtherUnit returns what a header names other than the rupee: a currency, by its sign or code, or a unit; "" if
// none.
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

// scaleWithin returns the scale in a header written as one word, as exports write it: amountinpaise. It ignores
// short words, because they are parts of other words.
func scaleWithin(glued string) string {
	for _, word := range longScaleWords() {
		if strings.Contains(glued, word) {
			return word
		}
	}
	return ""
}

var longScaleWords = sync.OnceValue(func() []string {
	const long = 4 // letters; in Devanagari any length
	return slices.DeleteFunc(slices.Sorted(maps.Keys(scaleWords)), func(w string) bool {
		return IsASCII(w) && len(w) < long || strings.Trim(w, "0s") == ""
	})
})

func isCurrency(code string) bool {
	_, err := currency.ParseISO(code)
	return err == nil
}

// IsScale reports whether a word, in lower case, is a unit other than the rupee.
func IsScale(word string) bool { return scaleWords[word] }

// IsRupee reports whether a text is a name of the rupee and nothing else, or empty.
func IsRupee(s string) bool { return s == "" || isRupeeUnit(strings.ToLower(s)) }

// Words splits a header into its words, in lower case. A capital after a small letter also begins a word:
// NetPay.
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

// Says reports whether a text has one of the words.
func Says(text string, words map[string]bool) bool {
	return slices.ContainsFunc(Words(text), func(w string) bool { return words[w] })
}

// noteWords are the other words in a note that gives the unit of the amounts: Rs. in Lakhs, All amounts in USD.
var noteWords = WordSet("account", "all", "amount", "amounts", "amt", "are", "balances", "each", "every", "expressed", "figure", "figures", "given", "in", "indian", "inr", "is", "mentioned", "currency", "paid", "payable",
	"nb", "note", "of", "otherwise", "payment", "payments", "rounded", "rs", "rupee", "rupees", "sheet", "shown", "specified", "stated", "statement", "the", "this", "to", "unless", "us", "value", "values",
	"रु", "रुपये", "राशि", "में")

// noteLabels, folded, name a currency or unit that follows. True means a currency, which must be the rupee;
// false means a unit, which may be of something other than money.
var noteLabels = map[string]bool{
	"currency": true, "accountcurrency": true, "ccy": true, "currencycode": true, "statementcurrency": true, "accountccy": true, "currencyofaccount": true, "acccurrency": true,
	"unit": false, "units": false, "denomination": false, "scale": false,
}

// otherAmounts are words for amounts above the table that are not in the table: Sanctioned Limit (in Lakhs),
// Drawing Power.
var otherAmounts = WordSet("limit", "power", "insured", "insurance", "turnover")

// UnitNote finds a unit or a currency other than the rupee that a row outside the table gives for its amounts:
// after its label (Currency: USD, also in the next cell), or in a sentence (All amounts in USD). It returns ""
// if a text only contains such a word: Crore Foods Pvt Ltd.
func UnitNote(cells []string) string {
	label, currency := false, false // the cell before names a currency or a unit without a value
	for _, cell := range cells {
		if cell = TrimColon(cell); cell == "" || len(cell) > MaxHeaderBytes {
			continue
		}
		if label && (currency && OtherUnit(cell) != "" || unitSaid("in "+cell) != "") { // the value of that label
			return Shorten(cell)
		}
		name, value, _ := strings.Cut(cell, ":")
		var labelled bool
		currency, labelled = noteLabels[FoldHeader(name)]
		value = Trim(value)
		label = labelled && value == ""
		switch {
		case Says(name, otherAmounts):
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

// unitSaid returns the unit if the text says nothing else, or ends in the rupee and a unit: Vendor payments Rs.
// in Lakhs.
func unitSaid(text string) string {
	text = strings.ReplaceAll(text, rupeeSign, " rs ")
	words := Words(text)
	if unit := scaleAtEnd(words); unit != "" {
		return unit
	}
	if n := len(words) - 1; n > 0 && words[n-1] == "in" {
		if unit := OtherUnit(strings.ToUpper(words[n])); len(unit) > len("cr") { // Vendor payments in USD
			return unit
		}
	}
	unit := OtherUnit(text)
	if unit == "" || len(unit) == 1 && Words(unit) != nil && !slices.Contains(words, "in") { // one letter is an initial
		return ""
	}
	said, named := false, Words(unit) == nil // a sign counts as a word
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

// loneScales give the unit of amounts if the text is only this word. Other scale words may be names: Sterling.
var loneScales = WordSet("lakh", "lakhs", "lac", "lacs", "crore", "crores", "thousand", "thousands", "million", "millions", "लाख", "करोड़")

// scaleAtEnd returns the scale at the end of words, after the rupee or alone.
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

// NamesRupee reports whether the text of a currency is empty or names the rupee in any way.
func NamesRupee(text string) bool {
	return IsRupee(strings.Trim(text, ". ")) || OtherUnit(text) == "" && (strings.Contains(text, rupeeSign) || Says(text, rupeeUnits))
}
