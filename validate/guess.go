package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
	"payrun/validate/ifsc"
)

// leastNamed is how many columns a table of payouts has at least: reference, amount, and payee.
const leastNamed = 3

// guess finds the row that looks like the header if no row is understood as one: it has only names, each
// different, and rows below it. Of several rows it takes the one with the most known names, then the one with
// the most names, because a title has few. No payout is read by it: a person has to map the columns.
func guess(all []layout) (best layout, ok bool) {
	most := 0
	for i, l := range all {
		below := slices.ContainsFunc(all[i+1:], func(other layout) bool { return other.width > 0 })
		names := l.names()
		if below && names >= leastNamed && (!ok || l.known > best.known || l.known == best.known && names > most) {
			best, most, ok = l, names, true
		}
	}
	return best, ok
}

// names returns how many column names a row has; 0 if a cell is a value.
func (l *layout) names() int {
	seen := map[string]bool{}
	for i, header := range l.headers {
		key := l.keys[i]
		switch {
		case header == "":
			continue
		case key == "" || seen[key] || ifsc.Valid(header) || !isName(header):
			return 0
		}
		seen[key] = true
	}
	return len(seen)
}

// isName reports whether a text has more letters than digits.
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

// missingHeader returns the problem that no row is understood as the header: nearest is the row with the most
// known names, data the first row that looks like a payout, and l the row that looks like a header, if one does.
func (v *vocabulary) missingHeader(data int, nearest, l *layout, guessed bool) ledger.Finding {
	p := ledger.Finding{Code: codeHeaderMissing, Message: fmt.Sprintf("none of the first %d rows names the columns", ingest.HeaderRows)}
	var read []string
	for c, at := range nearest.at {
		if nearest.known > 0 && at >= 0 {
			read = append(read, fmt.Sprintf("%q as %s", visible.Shorten(nearest.headers[at]), columnNames[c]))
		}
	}
	switch {
	case len(read) > 0:
		p.Message += fmt.Sprintf(" of a payout; row %d comes nearest, with %s", nearest.row, strings.Join(read, " and "))
	case nearest.known == 0 && data > 0:
		p.Message += fmt.Sprintf("; row %d looks like a payout already", data)
	}
	if !guessed {
		return p
	}
	if l.row != nearest.row {
		p.Message += fmt.Sprintf("; row %d may be the header, in other words than are known", l.row)
	}
	p.Fix = "Name the columns of a payout in it, as `payrun template` does, or say which of its headers are meant."
	missing, header := v.missing(l), "HEADER"
	var meant []string
	for _, c := range missing {
		if near := v.nearest(l, c); near != "" {
			meant = append(meant, fmt.Sprintf("%q for %s", near, c))
		}
	}
	if len(meant) > 0 && l.known+len(meant) >= minKnownColumns { // fewer are also in a bank's statement
		p.Message += "; did you mean " + strings.Join(meant, ", ") + "?"
		header = cmp.Or(v.nearest(l, missing[0]), header)
	}
	if len(missing) > 0 {
		p.Option = mapOption(missing[0].String(), header)
	}
	return p
}
