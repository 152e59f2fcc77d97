package validate

import (
	"fmt"
	"strings"
	"unicode"

	"payrun/validate/ifsc"
)

// leastNamed is how many columns a table of payouts has: reference, amount, and who
// is paid.
const leastNamed = 3

// guess finds, where no row is understood as the header, the one that is one by its
// looks: names alone, each another one, with a row below it. Of several the one is
// taken of which most is understood, then the first. Nothing is read by it: a person
// says what its columns are.
func guess(all []layout) (best layout, ok bool) {
	for i, l := range all {
		below := false
		for _, other := range all[i+1:] {
			below = below || other.width > 0
		}
		if below && l.names() && (!ok || l.known > best.known) {
			best, ok = l, true
		}
	}
	return best, ok
}

// names reports whether the cells of a row are names of columns, and no values.
func (l *layout) names() bool {
	seen := map[string]bool{}
	for _, header := range l.headers {
		key := headerKey(header)
		switch {
		case header == "":
			continue
		case key == "" || seen[key] || ifsc.Valid(header) || !isName(header):
			return false
		}
		seen[key] = true
	}
	return len(seen) >= leastNamed
}

// isName reports a text that has more letters than digits.
func isName(text string) bool {
	letters, digits := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	return letters > digits
}

// missingHeader is that no row is understood as the header. l is the one that is one
// by its looks; nil where none is.
func (v *vocabulary) missingHeader(words string, l *layout) problem {
	p := problem{code: codeHeaderMissing, message: words}
	if l == nil {
		return p
	}
	if !strings.Contains(words, "comes nearest") {
		p.message += fmt.Sprintf("; row %d may be the header, in other words than are known", l.row)
	}
	p.fix = "Name the columns of a payout in it, as `payrun template` does, or say which of its headers are meant."
	if missing := v.missing(l); len(missing) > 0 {
		p.option = mapOption(missing[0].String(), "HEADER")
	}
	return p
}
