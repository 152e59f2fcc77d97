package reports

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"payrun/ledger"
)

// sheetData writes the rows of one tab as SpreadsheetML, straight to a draft.
//
// excelize lays out the workbook, but its cells take a number only as a float
// or an integer. An amount goes from Paise to the cell's text here, digit for
// digit, and the cell of a million payouts costs no reflection.
type sheetData struct {
	w     io.Writer
	buf   []byte
	bytes int64
	row   int
	wide  int // columns of the widest row
}

// cell is one cell: text, or a number as its exact decimal text.
type cell struct {
	style   cellStyle
	text    string
	number  string // text is not looked at when there is one
	value   int64  // what to add up: paise, or a count
	formula string // number is then its saved value
}

func text(s string) cell                { return cell{style: styleText, text: s} }
func wrapped(s string) cell             { return cell{style: styleWrapped, text: s} }
func heading(s string) cell             { return cell{style: styleHead, text: s} }
func number(s string) cell              { return cell{style: styleHeadNumber, text: s} } // heading of numbers
func money(p ledger.Paise) cell         { return cell{style: styleMoney, number: p.String(), value: int64(p)} }
func count(n int) cell                  { return cell{style: styleCount, number: strconv.Itoa(n), value: int64(n)} }
func blank() cell                       { return cell{} }
func (c cell) in(style cellStyle) cell  { c.style = style; return c }
func (c cell) from(formula string) cell { c.formula = formula; return c }
func (c cell) isBlank() bool            { return c.text == "" && c.number == "" && c.formula == "" }

// countOrBlank leaves out a number that is not there.
func countOrBlank(n int) cell {
	if n == 0 {
		return blank()
	}
	return count(n)
}

// moment is a time as a spreadsheet date in the reader's zone: days since the
// end of 1899, to the second, in exact decimal text.
func (s *scope) moment(t time.Time) cell {
	if t.IsZero() {
		return blank()
	}
	_, offset := t.In(s.Zone).Zone()
	const day, unixEpoch = 86_400, 25_569
	seconds := t.Unix() + int64(offset) + unixEpoch*day
	return cell{style: styleTime, number: decimalDays(seconds/day, seconds%day)}
}

// decimalDays gives days and seconds as one decimal number of days.
func decimalDays(days, seconds int64) string {
	const day, decimals = 86_400, 1_000_000_000_000
	fraction := (seconds*decimals + day/2) / day // nearest, or 10:00:00 shows as 09:59:59
	return fmt.Sprintf("%d.%012d", days, fraction)
}

// write adds a row below the last one, of the usual height.
func (d *sheetData) write(cells ...cell) error { return d.writeHigh(0, cells...) }

// writeHigh adds a row so many points high; 0 is the usual height.
func (d *sheetData) writeHigh(points int, cells ...cell) error {
	d.wide = max(d.wide, len(cells))
	return d.rowOf(d.row+1, points, func(b []byte) []byte {
		for i, c := range cells {
			b = c.append(b, i, d.row)
		}
		return b
	})
}

// writeAt adds row number n, further down than the last, of cells that are
// written already.
func (d *sheetData) writeAt(n, points int, cells []byte) error {
	return d.rowOf(n, points, func(b []byte) []byte { return append(b, cells...) })
}

func (d *sheetData) rowOf(n, points int, cells func([]byte) []byte) error {
	d.row = n
	b := append(d.buf[:0], `<row r="`...)
	b = strconv.AppendInt(b, int64(n), 10)
	if points > 0 {
		b = append(b, `" ht="`...)
		b = strconv.AppendInt(b, int64(points), 10)
		b = append(b, `" customHeight="1`...)
	}
	b = append(cells(append(b, `">`...)), `</row>`...)
	d.buf = b
	d.bytes += int64(len(b))
	_, err := d.w.Write(b)
	return err
}

func (c cell) append(b []byte, column, row int) []byte {
	if c.isBlank() && (c.style == styleNone || c.style == styleText || c.style == styleWrapped) {
		return b // nothing to see, and a million payouts have some millions of them
	}
	b = append(b, `<c r="`...)
	b = append(b, columnName(column)...)
	b = strconv.AppendInt(b, int64(row), 10)
	b = append(b, `" s="`...)
	b = strconv.AppendInt(b, int64(c.style), 10)
	switch {
	case c.isBlank():
		return append(b, `"/>`...)
	case c.number == "":
		b = append(b, `" t="inlineStr"><is><t`...)
		if strings.TrimSpace(c.text) != c.text {
			b = append(b, ` xml:space="preserve"`...)
		}
		b = append(b, '>')
		return append(appendEscaped(b, c.text), `</t></is></c>`...)
	}
	b = append(b, `">`...)
	if c.formula != "" {
		b = append(append(append(b, `<f>`...), c.formula...), `</f>`...)
	}
	return append(append(append(b, `<v>`...), c.number...), `</v></c>`...)
}

// columnName names columns from 0: A, B, … Z, AA, ….
func columnName(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return columnName(i/26-1) + string(rune('A'+i%26))
}

// appendEscaped writes text for a cell. It is clean already (text.go), so that
// markup is all there is to escape, and _xHHHH_, which spreadsheet programs
// read as a character of that code.
func appendEscaped(b []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; {
		case c == '&':
			b = append(b, "&amp;"...)
		case c == '<':
			b = append(b, "&lt;"...)
		case c == '>':
			b = append(b, "&gt;"...)
		case c == '_' && isCharacterCode(s[i:]):
			b = append(b, "_x005F_"...)
		default:
			b = append(b, c)
		}
	}
	return b
}

func isCharacterCode(s string) bool {
	return len(s) >= 7 && s[1] == 'x' && s[6] == '_' && strings.Trim(s[2:6], "0123456789abcdefABCDEF") == ""
}
