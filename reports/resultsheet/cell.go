package resultsheet

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"payrun/ingest"
	"payrun/reports/xlsx"
)

// appendExactly writes one cell of the person's, so that it is read back as it
// was. One that is wrong has the colour of that, also where it is empty.
func (b *book) appendExactly(p *placed, column int, isHead bool) {
	c := p.theirs
	as := func(style xlsx.Style) xlsx.Style {
		if p.wrong {
			return b.mark(style)
		}
		return style
	}
	switch {
	case c.kind.Numeric():
		b.cells = appendTyped(b.cells, column, b.digits, as(b.styleOf(c.style, xlsx.StyleNone, b.odd)), "", c.text)
	case c.kind == ingest.Date:
		style := as(b.styleOf(c.style, b.day, b.day))
		if serial, err := serialOf(c.text); err == nil {
			b.cells = appendTyped(b.cells, column, b.digits, style, "", serial)
		} else {
			b.cells = appendTyped(b.cells, column, b.digits, style, "d", c.text)
		}
	case c.kind == ingest.Bool:
		value := "0"
		if c.text == "TRUE" {
			value = "1"
		}
		b.cells = appendTyped(b.cells, column, b.digits, as(xlsx.StyleNone), "b", value)
	case c.kind == ingest.Error:
		b.cells = appendTyped(b.cells, column, b.digits, as(xlsx.StyleNone), "e", c.text)
	case c.text != "":
		b.cells = appendTyped(b.cells, column, b.digits, as(b.styleOfText(c.text, isHead)), "inlineStr", c.text)
	case p.wrong:
		b.cells = appendBlank(b.cells, column, b.digits, as(xlsx.StyleText))
	}
}

func (b *book) styleOfText(s string, isHead bool) xlsx.Style {
	switch {
	case isHead:
		return b.head
	case strings.Contains(s, "\n"):
		return xlsx.StyleWrapped
	}
	return xlsx.StyleText
}

// appendTyped writes a cell of that type; "" is a number.
func appendTyped(b []byte, column int, row []byte, style xlsx.Style, kind, value string) []byte {
	b = append(append(append(b, `<c r="`...), xlsx.ColumnName(column)...), row...)
	b = append(strconv.AppendInt(append(b, `" s="`...), int64(style), 10), '"')
	if kind != "" {
		b = append(append(append(b, ` t="`...), kind...), '"')
	}
	if kind != "inlineStr" {
		return append(appendExact(append(b, `><v>`...), value), `</v></c>`...)
	}
	return append(appendExact(append(b, `><is><t xml:space="preserve">`...), value), `</t></is></c>`...)
}

// appendBlank writes a cell that has a style and nothing in it.
func appendBlank(b []byte, column int, row []byte, style xlsx.Style) []byte {
	b = append(append(append(b, `<c r="`...), xlsx.ColumnName(column)...), row...)
	return append(strconv.AppendInt(append(b, `" s="`...), int64(style), 10), `"/>`...)
}

// mostFormats bounds the number formats of a sheet; Excel itself has room for
// some hundreds.
const mostFormats = 200

// styleOf gives the style that shows numbers as the person's sheet does. Where
// that cannot be had it is odd: a number that showed as something else must
// not become one that is what it shows.
func (b *book) styleOf(theirs int, general, odd xlsx.Style) xlsx.Style {
	f := b.numberFormat(theirs)
	if f == (ingest.NumberFormat{}) || strings.EqualFold(f.Code, "general") {
		return general
	}
	if s, ok := b.formats[f]; ok {
		return s
	}
	if len(b.formats) >= mostFormats || utf8.RuneCountInString(f.Code) > 255 { // Excel's own bound
		return odd
	}
	style := &excelize.Style{Font: font(false), Alignment: &excelize.Alignment{Vertical: "top"}, NumFmt: f.ID}
	if f.Code != "" {
		style.NumFmt, style.CustomNumFmt = 0, &f.Code
	}
	id, err := b.NewStyle(style)
	if err != nil {
		return odd
	}
	b.formats[f] = xlsx.Style(id)
	return xlsx.Style(id)
}

// serialOf gives a day, and a time where there is one, as the number that
// spreadsheet programs hold for it: days since the end of 1899. Before March
// 1900 they count a day that never was.
func serialOf(s string) (string, error) {
	at, err := time.Parse(time.DateTime, s)
	if err != nil {
		if at, err = time.Parse(time.DateOnly, s); err != nil {
			return "", err
		}
	}
	const day = 86_400
	seconds := at.Unix() - time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC).Unix()
	days, part := seconds/day, seconds%day
	if at.Before(time.Date(1900, time.March, 1, 0, 0, 0, 0, time.UTC)) {
		days--
	}
	if days < 0 {
		return "", fmt.Errorf("%s is before the first day of a spreadsheet", s)
	}
	return xlsx.DecimalDays(days, part), nil
}

// appendExact writes text so that exactly it is read back: markup is escaped,
// and what XML has no way for is written as _xHHHH_, as workbooks do.
func appendExact(b []byte, s string) []byte {
	for i, r := range s {
		switch {
		case r == '&':
			b = append(b, "&amp;"...)
		case r == '<':
			b = append(b, "&lt;"...)
		case r == '>':
			b = append(b, "&gt;"...)
		case r == '_' && xlsx.IsCharacterCode(s[i:]):
			b = append(b, "_x005F_"...)
		case r < ' ' && r != '\t' && r != '\n', r == 0x7f, r == 0xfffe, r == 0xffff:
			b = fmt.Appendf(b, "_x%04X_", r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}
