package reports

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
)

// appendOwn writes one cell of the person's, so that it is read back as it was.
func (b *ownBook) appendOwn(c OwnCell, column, row int, isHead bool) {
	if c.Text == "" && c.Kind == OwnText {
		return
	}
	style, kind, value := styleText, "", c.Text
	switch c.Kind {
	case OwnText:
		kind = "inlineStr"
		switch {
		case isHead:
			style = ownStyleHead
		case strings.Contains(c.Text, "\n"):
			style = styleWrapped
		}
	case OwnNumber:
		style = b.styleOf(c.Format, styleNone, ownStyleOdd)
	case OwnDate:
		serial, err := serialOf(c.Text)
		if value = serial; err != nil {
			kind, value = "d", c.Text
		}
		style = b.styleOf(c.Format, ownStyleDate, ownStyleDate)
	case OwnBool:
		kind, value, style = "b", "0", styleNone
		if c.Text == "TRUE" {
			value = "1"
		}
	case OwnError:
		kind, style = "e", styleNone
	}
	b.cells = appendTyped(b.cells, column, row, style, kind, value)
}

// appendTyped writes a cell of that type; "" is a number.
func appendTyped(b []byte, column, row int, style cellStyle, kind, value string) []byte {
	b = append(append(b, `<c r="`...), columnName(column)...)
	b = strconv.AppendInt(b, int64(row), 10)
	b = append(strconv.AppendInt(append(b, `" s="`...), int64(style), 10), '"')
	if kind != "" {
		b = append(append(append(b, ` t="`...), kind...), '"')
	}
	if kind != "inlineStr" {
		return append(appendExact(append(b, `><v>`...), value), `</v></c>`...)
	}
	return append(appendExact(append(b, `><is><t xml:space="preserve">`...), value), `</t></is></c>`...)
}

// mostFormats bounds the number formats of a sheet; Excel itself has room for
// some hundreds.
const mostFormats = 200

// styleOf gives the style that shows numbers as the person's sheet does. Where
// that cannot be had it is odd: a number that showed as something else must
// not become one that is what it shows.
func (b *ownBook) styleOf(f OwnFormat, general, odd cellStyle) cellStyle {
	if f == (OwnFormat{}) || strings.EqualFold(f.Code, "general") {
		return general
	}
	if s, ok := b.formats[f]; ok {
		return s
	}
	if len(b.formats) >= mostFormats || utf8.RuneCountInString(f.Code) > 255 { // Excel's own bound
		return odd
	}
	style := &excelize.Style{
		Font: &excelize.Font{Family: workbookFont, Size: 10, Color: inkColour}, Alignment: &excelize.Alignment{Vertical: "top"}, NumFmt: f.ID,
	}
	if f.Code != "" {
		style.NumFmt, style.CustomNumFmt = 0, &f.Code
	}
	id, err := b.f.NewStyle(style)
	if err != nil {
		return odd
	}
	b.formats[f] = cellStyle(id)
	return cellStyle(id)
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
	return decimalDays(days, part), nil
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
		case r == '_' && isCharacterCode(s[i:]):
			b = append(b, "_x005F_"...)
		case r < ' ' && r != '\t' && r != '\n', r == 0x7f, r == 0xfffe, r == 0xffff:
			b = fmt.Appendf(b, "_x%04X_", r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}
