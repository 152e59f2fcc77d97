package xlsx

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"payrun/ledger"
)

// Cell is one cell: text, or a number as its exact decimal text.
type Cell struct {
	Style   Style
	Exact   bool // the text is a person's own, with all its spaces
	Type    byte // of Number, as SpreadsheetML names it; 0 for a number
	Text    string
	Number  string // if set, Text is ignored
	Value   int64  // what a sum adds: paise, or a count
	Formula string // Number is then its saved value
}

// Text returns a cell of text in one line.
func Text(s string) Cell { return Cell{Style: StyleText, Text: s} }

// Wrapped returns a cell of text in as many lines as its column needs.
func Wrapped(s string) Cell { return Cell{Style: StyleWrapped, Text: s} }

// Heading returns the name of a column.
func Heading(s string) Cell { return Cell{Style: StyleHead, Text: s} }

// NumberHeading returns the name of a column of numbers.
func NumberHeading(s string) Cell { return Cell{Style: StyleHeadNumber, Text: s} }

// Money returns an amount, exact to the paisa.
func Money(p ledger.Paise) Cell {
	return Cell{Style: StyleMoney, Number: p.String(), Value: int64(p)}
}

// Count returns a whole number.
func Count(n int) Cell { return Cell{Style: StyleCount, Number: strconv.Itoa(n), Value: int64(n)} }

// CountOrBlank returns a whole number, or a blank cell for 0.
func CountOrBlank(n int) Cell {
	if n == 0 {
		return Blank()
	}
	return Count(n)
}

// Blank returns an empty cell.
func Blank() Cell { return Cell{} }

// Moment returns a time as a spreadsheet date in that time zone: days since the end of 1899, to the second, in
// exact decimal text. The zero time is blank.
func Moment(t time.Time, zone *time.Location) Cell {
	if t.IsZero() {
		return Blank()
	}
	_, offset := t.In(zone).Zone()
	const day, unixEpoch, decimals = 86_400, 25_569, 1_000_000_000_000
	seconds := t.Unix() + int64(offset) + unixEpoch*day
	fraction := (seconds%day*decimals + day/2) / day // rounded, or 10:00:00 shows as 09:59:59
	return Cell{Style: StyleTime, Number: fmt.Sprintf("%d.%012d", seconds/day, fraction)}
}

// In returns the cell in another style.
func (c Cell) In(style Style) Cell { c.Style = style; return c }

// From returns the cell as the saved value of a formula.
func (c Cell) From(formula string) Cell { c.Formula = formula; return c }

// IsBlank reports whether a cell shows nothing.
func (c *Cell) IsBlank() bool { return c.Text == "" && c.Number == "" && c.Formula == "" }

// Append writes the cell at that place: columns count from 0, and row is the digits of the row number, which
// all its cells share.
func (c *Cell) Append(b []byte, column int, row []byte) []byte {
	if c.IsBlank() && (c.Style == StyleNone || c.Style == StyleText || c.Style == StyleWrapped) {
		return b // nothing to show; a million payouts have millions of these
	}
	b = append(b, `<c r="`...)
	b = append(b, ColumnName(column)...)
	b = append(b, row...)
	b = append(b, `" s="`...)
	b = strconv.AppendInt(b, int64(c.Style), 10)
	switch {
	case c.IsBlank():
		return append(b, `"/>`...)
	case c.Number == "":
		b = append(b, `" t="inlineStr"><is><t`...)
		if c.Exact || strings.TrimSpace(c.Text) != c.Text {
			b = append(b, ` xml:space="preserve"`...)
		}
		b = append(b, '>')
		return append(appendEscaped(b, c.Text), `</t></is></c>`...)
	}
	if b = append(b, '"'); c.Type != 0 {
		b = append(b, ` t="`...)
		b = append(b, c.Type, '"')
	}
	b = append(b, '>')
	if c.Formula != "" {
		b = append(append(append(b, `<f>`...), c.Formula...), `</f>`...)
	}
	return append(appendEscaped(append(b, `<v>`...), c.Number), `</v></c>`...)
}

// ColumnName names columns from 0: A, B, … Z, AA, ….
func ColumnName(i int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if i < len(letters) {
		return letters[i : i+1]
	}
	return ColumnName(i/26-1) + string(rune('A'+i%26))
}

// appendEscaped writes text so that it is read back unchanged: it escapes markup, and writes characters that
// XML cannot hold as _xHHHH_, as workbooks do.
func appendEscaped(b []byte, s string) []byte {
	same := 0
	for same < len(s) && plain[s[same]] {
		same++
	}
	if same == len(s) { // as in nearly every text
		return append(b, s...)
	}
	done := 0
	for i, r := range s {
		var as string
		switch {
		case r == '&':
			as = "&amp;"
		case r == '<':
			as = "&lt;"
		case r == '>':
			as = "&gt;"
		case r == '_' && isCharacterCode(s[i:]):
			as = "_x005F_"
		case r < ' ' && r != '\t' && r != '\n', r == 0x7f, r == 0xfffe, r == 0xffff:
			as = fmt.Sprintf("_x%04X_", r)
		default:
			continue
		}
		b = append(append(b, s[done:i]...), as...)
		done = i + utf8.RuneLen(r)
	}
	return append(b, s[done:]...)
}

// plain are the bytes that never need escaping.
var plain = func() (is [256]bool) {
	for c := ' '; c <= '~'; c++ {
		is[c] = !strings.ContainsRune("&<>_", c)
	}
	return is
}()

// isCharacterCode reports whether text begins with _xHHHH. Spreadsheet programs read _xHHHH_ as the character of that
// code, and its last _ may be that of an escaped character.
func isCharacterCode(s string) bool {
	return len(s) >= 6 && s[1] == 'x' && strings.Trim(s[2:6], "0123456789abcdefABCDEF") == ""
}

// LinePoints is the height of a line of the workbook's font.
const LinePoints = 14

// Height returns the height of a row of that many lines, in points; 0, the usual height, for one. Not all
// spreadsheet programs compute it when they open a file. It is limited: a bank's long words are cut on screen, not
// in the cell.
func Height(lines int) int {
	const most = 12
	if lines <= 1 {
		return 0
	}
	return min(lines, most) * LinePoints
}

// Lines returns how many lines a text takes in a column of that width, in characters, if words are kept whole
// where possible.
func Lines(s string, columnWidth float64) int {
	width := int(columnWidth) * 11 / 10 // words are narrower than the digits that define the width
	lines, used := 1, 0
	for word := range strings.FieldsSeq(s) {
		n := Length(word)
		if used > 0 && used+1+n > width {
			lines, used = lines+1, 0
		}
		if used > 0 {
			used++
		}
		used += n
		lines, used = lines+(used-1)/width, (used-1)%width+1
	}
	return lines
}

// Length is a text's length in UTF-16 units, as spreadsheet programs count.
func Length(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}
