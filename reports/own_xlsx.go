package reports

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
)

// ownBook writes the person's own rows as a workbook of one tab: rows go to a
// draft as they come, excelize lays out the rest when they are known.
type ownBook struct {
	f       *excelize.File
	rows    *draft
	data    *sheetData
	layout  *ownLayout
	formats map[OwnFormat]cellStyle
	cells   []byte
	widths  []int  // of the widest cell of each column, from the header down
	numbers []bool // columns that hold a number or a date
}

// errTooLarge is a sheet that no workbook holds.
var errTooLarge = errors.New("a workbook holds no more rows")

// styles that only the person's own sheet has, behind those of cellStyles.
const (
	ownStyleHead cellStyle = iota + styleCode + 1
	ownStyleDate
)

func ownStyles() []*excelize.Style {
	font := func(bold bool) *excelize.Font {
		return &excelize.Font{Family: workbookFont, Size: 10, Color: inkColour, Bold: bold}
	}
	day := `yyyy\-mm\-dd`
	return []*excelize.Style{
		{Font: font(true), NumFmt: textFormat, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"E3E9EF"}},
			Alignment: &excelize.Alignment{Vertical: "center", Horizontal: "left", Indent: 1, WrapText: true}},
		{Font: font(false), CustomNumFmt: &day, Alignment: &excelize.Alignment{Vertical: "top", Horizontal: "left", Indent: 1}},
	}
}

func newOwnBook(dir *folder, l *ownLayout) (*ownBook, error) {
	rows, err := dir.scratch()
	if err != nil {
		return nil, err
	}
	b := &ownBook{f: excelize.NewFile(), rows: rows, data: &sheetData{w: rows}, layout: l, formats: map[OwnFormat]cellStyle{}}
	if err := addStyles(b.f); err != nil {
		return nil, errors.Join(err, b.f.Close())
	}
	for i, s := range ownStyles() {
		id, err := b.f.NewStyle(s)
		if err != nil || cellStyle(id) != ownStyleHead+cellStyle(i) {
			return nil, errors.Join(fmt.Errorf("own style %d came out as number %d", i, id), err, b.f.Close())
		}
	}
	return b, nil
}

func (b *ownBook) close() { _ = b.f.Close() }

// write adds row number n. Rows come in ascending order.
func (b *ownBook) write(n int, line []ownCell) error {
	if n > maxTabRows || b.data.bytes > maxTabBytes {
		return errTooLarge
	}
	b.cells = b.cells[:0]
	isHead, lines := n == b.layout.header, 1
	for i := range line {
		c := &line[i]
		if !c.isOurs {
			if err := b.appendOwn(c.own, i, n, isHead); err != nil {
				return err
			}
			b.measure(i, n, c.own)
			lines = max(lines, 1+strings.Count(c.own.Text, "\n"))
			continue
		}
		b.cells = c.ours.append(b.cells, i, n)
		if width, ok := b.ourWidth(i); ok && c.ours.style == styleWrapped {
			lines = max(lines, wrappedLines(c.ours.text, width))
		}
	}
	points := 0
	switch {
	case isHead:
		points = 30
	case lines > 1:
		points = min(lines, mostLines) * linePoints
	}
	return b.data.writeAt(n, points, b.cells)
}

// ourWidth is the width of our column at that place, if it is one.
func (b *ownBook) ourWidth(at int) (float64, bool) {
	for i, c := range b.layout.columns {
		if b.layout.at[i] == at {
			return c.width, true
		}
	}
	return 0, false
}

// The widths between which a column of the person's is made as wide as what
// it holds, in characters.
const (
	narrowest = 9
	widest    = 44
)

func (b *ownBook) measure(i, n int, c OwnCell) {
	if b.layout.header == 0 || n < b.layout.header || c.Text == "" {
		return
	}
	for len(b.widths) <= i {
		b.widths, b.numbers = append(b.widths, narrowest), append(b.numbers, false)
	}
	b.numbers[i] = b.numbers[i] || c.Kind == OwnNumber || c.Kind == OwnDate
	room := 3
	if c.Kind == OwnNumber {
		room += len(c.Text) / 2 // for the commas and signs of its format
	}
	if len(c.Text)+room > b.widths[i] && b.widths[i] < widest {
		b.widths[i] = min(widest, max(b.widths[i], longestLine(c.Text)+room))
	}
}

func longestLine(s string) int {
	longest := 0
	for line := range strings.Lines(s) {
		longest = max(longest, utf16Length(strings.TrimSuffix(line, "\n")))
	}
	return longest
}

// appendOwn writes one cell of the person's, so that it is read back as it was.
func (b *ownBook) appendOwn(c OwnCell, column, row int, isHead bool) error {
	if c.Text == "" && c.Kind == OwnText {
		return nil
	}
	style, kind, value := styleText, "", c.Text
	var err error
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
		style, err = b.styleOf(c.Format, styleNone)
	case OwnDate:
		if value, err = serialOf(c.Text); err != nil {
			kind, value = "d", c.Text
		}
		style, err = b.styleOf(c.Format, ownStyleDate)
	case OwnBool:
		kind, value, style = "b", "0", styleNone
		if c.Text == "TRUE" {
			value = "1"
		}
	case OwnError:
		kind, style = "e", styleNone
	}
	if err != nil {
		return err
	}
	b.cells = appendTyped(b.cells, column, row, style, kind, value)
	return nil
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
// some hundreds. What comes beyond shows as plain numbers.
const mostFormats = 200

// styleOf gives the style that shows numbers as the person's sheet does.
func (b *ownBook) styleOf(f OwnFormat, general cellStyle) (cellStyle, error) {
	if f == (OwnFormat{}) || strings.EqualFold(f.Code, "general") {
		return general, nil
	}
	if s, ok := b.formats[f]; ok {
		return s, nil
	}
	if len(b.formats) >= mostFormats || utf8.RuneCountInString(f.Code) > 255 { // Excel's own bound
		return general, nil
	}
	style := &excelize.Style{
		Font: &excelize.Font{Family: workbookFont, Size: 10, Color: inkColour}, Alignment: &excelize.Alignment{Vertical: "top"}, NumFmt: f.ID,
	}
	if f.Code != "" {
		style.NumFmt, style.CustomNumFmt = 0, &f.Code
	}
	id, err := b.f.NewStyle(style)
	if err != nil {
		return general, fmt.Errorf("number format %q: %w", clean(f.Code), err)
	}
	b.formats[f] = cellStyle(id)
	return cellStyle(id), nil
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

// finish lays the tab out around its rows and writes the workbook to out.
func (b *ownBook) finish(out *draft, tab, title string, at time.Time) error {
	archive := newArchive(out, at)
	b.f.SetZipWriter(func(io.Writer) excelize.ZipWriter { return archive })
	w := &workbook{f: b.f, archive: archive}
	if err := w.addTab(tab, b.rows.copyTo); err != nil {
		return err
	}
	if err := b.layOut(w, tab); err != nil {
		return err
	}
	stamp := at.UTC().Format("2006-01-02T15:04:05Z")
	err := b.f.SetDocProps(&excelize.DocProperties{Title: title, Creator: "payrun", LastModifiedBy: "payrun", Created: stamp, Modified: stamp, Language: "en-IN"})
	if err != nil {
		return err
	}
	w.settleOrder()
	if err := b.f.Write(io.Discard); err != nil { // into the archive
		return err
	}
	return out.Flush()
}

func (b *ownBook) layOut(w *workbook, tab string) error {
	l := b.layout
	for i := range l.width + l.added {
		width := float64(narrowest)
		if i < len(b.widths) {
			width = float64(b.widths[i])
		}
		for k, at := range l.at {
			if at == i {
				width = l.columns[k].width
			}
		}
		name := columnName(i)
		if err := b.f.SetColWidth(tab, name, name, width); err != nil {
			return err
		}
		if i < len(b.numbers) && b.numbers[i] {
			continue
		}
		// What is typed into an empty cell of a column of texts is text.
		if err := b.f.SetColStyle(tab, name, int(styleText)); err != nil {
			return err
		}
	}
	last := columnName(l.width + l.added - 1)
	if err := b.f.AutoFilter(tab, fmt.Sprintf("A%d:%s%d", l.header, last, max(b.data.row, l.header)), nil); err != nil {
		return err
	}
	all := fmt.Sprintf("A1:%s%d", last, max(b.data.row, 1))
	if err := b.f.SetSheetDimension(tab, all); err != nil {
		return err
	}
	// References and accounts are digits on purpose, and no mistake to flag.
	if err := b.f.AddIgnoredErrors(tab, all, excelize.IgnoredErrorsNumberStoredAsText); err != nil {
		return err
	}
	corner := fmt.Sprintf("A%d", l.header+1)
	err := b.f.SetPanes(tab, &excelize.Panes{
		Freeze: true, YSplit: l.header, TopLeftCell: corner, ActivePane: "bottomLeft",
		Selection: []excelize.Selection{{SQRef: corner, ActiveCell: corner, Pane: "bottomLeft"}},
	})
	if err != nil {
		return err
	}
	return w.printSetup(tab, landscape)
}
