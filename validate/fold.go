package validate

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"payrun/ingest/visible"
)

// skeleton returns what a header looks like: without invisible characters, and with look-alikes of other
// scripts replaced by the Latin letters that they resemble.
func skeleton(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 0x80 && (unicode.IsSpace(r) || !visible.Is(r)) {
			return -1
		}
		return r
	}, norm.NFKC.String(visible.Trim(s)))
	return devanagariLookAlikes.Replace(strings.Map(func(r rune) rune {
		if latin, ok := lookAlikes[r]; ok {
			return latin
		}
		return r
	}, visible.FoldHeader(s)))
}

// devanagariLookAlikes are combinations of letters that look like one letter, and letters that look alike.
// Unicode keeps them apart.
var devanagariLookAlikes = strings.NewReplacer("अा", "आ", "अो", "ओ", "अौ", "औ", "एे", "ऐ", "अॉ", "ऑ", "आॅ", "ऑ", "ाे", "ो", "ाै", "ौ", "ऱ", "र")

// lookAlikes maps lower-case letters of other scripts to the Latin letters that they resemble (Unicode
// Technical Standard 39, confusables), for the letters that column names need.
var lookAlikes = map[rune]rune{
	// Cyrillic
	'а': 'a', 'в': 'b', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'ё': 'e', 'ғ': 'f', 'һ': 'h', 'н': 'h', 'і': 'i', 'ї': 'i', 'ј': 'j', 'к': 'k', 'ӏ': 'l',
	'м': 'm', 'п': 'n', 'о': 'o', 'р': 'p', 'ԛ': 'q', 'г': 'r', 'ѕ': 's', 'т': 't', 'у': 'y', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x', 'ү': 'y',
	// Greek
	'α': 'a', 'β': 'b', 'ϲ': 'c', 'ε': 'e', 'η': 'n', 'ι': 'i', 'κ': 'k', 'μ': 'm', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'σ': 'o', 'ς': 's', 'τ': 't',
	'υ': 'u', 'χ': 'x', 'γ': 'y', 'ζ': 'z', 'ω': 'w',
	// Armenian, and Latin letters that resemble others
	'օ': 'o', 'ո': 'n', 'ս': 'u', 'հ': 'h', 'ց': 'g', 'զ': 'q', 'ı': 'i', 'ɑ': 'a', 'ɡ': 'g', 'ƅ': 'b', 'ɩ': 'i', 'ʏ': 'y',
}
