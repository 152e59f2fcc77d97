package resultsheet

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/reports"
	"payrun/reports/xlsx"
)

// exactly returns a cell of the person's so that it is read back unchanged. A wrong cell gets the colour for
// wrong cells, even if it is empty.
func (b *book) exactly(p *placed, isHead bool) xlsx.Cell {
	c, made := p.theirs, xlsx.Cell{}
	switch {
	case c.kind.Numeric():
		made = xlsx.Cell{Style: b.styleOf(c.style, xlsx.StyleNone, b.odd), Number: c.text}
	case c.kind.IsDate():
		made = xlsx.Cell{Style: b.styleOf(c.style, b.day, b.day), Number: c.text, Type: 'd'}
		if serial, err := serialOf(c.text); err == nil {
			made.Number, made.Type = serial, 0
		}
	case c.kind == ingest.Bool:
		made = xlsx.Cell{Number: "0", Type: 'b'}
		if c.text == "TRUE" {
			made.Number = "1"
		}
	case c.kind == ingest.Error:
		made = xlsx.Cell{Number: c.text, Type: 'e'}
	case c.text != "":
		made = xlsx.Cell{Style: b.styleOfText(c.text, isHead), Text: strings.ToValidUTF8(c.text, "\ufffd"), Exact: true}
	case p.wrong != "":
		made = xlsx.Cell{Style: xlsx.StyleText}
	}
	if p.wrong != "" {
		made.Style = b.mark(made.Style)
	}
	return made
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

// mostFormats is the limit of number formats of a sheet. Excel itself has room for some hundreds.
const mostFormats = 200

// styleOf returns the style that shows numbers as the person's sheet does. If that is not possible, it returns
// odd: a number that showed as something else must not become a number that shows as it is.
func (b *book) styleOf(theirs int, general, odd xlsx.Style) xlsx.Style {
	f := b.theirs.NumberFormat(theirs)
	if f == (ingest.NumberFormat{}) || strings.EqualFold(f.Code, "general") {
		return general
	}
	if s, ok := b.formats[f]; ok {
		return s
	}
	if len(b.formats) >= mostFormats || utf8.RuneCountInString(f.Code) > 255 { // Excel's own limit
		return odd
	}
	style := &excelize.Style{Font: font(false), Alignment: &excelize.Alignment{Vertical: "top"}, NumFmt: f.ID}
	if f.Code != "" {
		style.NumFmt, style.CustomNumFmt = 0, &f.Code
	}
	id, err := b.AddStyle(style)
	if err != nil {
		return odd
	}
	b.formats[f] = id
	return id
}

// serialOf returns a day, with its time if it has one, as spreadsheet programs store it: days since the end of
// 1899. Before March 1900 they count a day that never existed.
func serialOf(s string) (string, error) {
	at, err := time.Parse(time.DateTime, s)
	if err != nil {
		if at, err = time.Parse(time.DateOnly, s); err != nil {
			return "", err
		}
	}
	if at.Before(time.Date(1900, time.March, 1, 0, 0, 0, 0, time.UTC)) {
		at = at.AddDate(0, 0, -1)
	}
	if at.Before(time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)) {
		return "", fmt.Errorf("%s is before the first day of a spreadsheet", s)
	}
	return xlsx.Moment(at, time.UTC).Number, nil
}

// wrongColour is the background of a cell that must be corrected.
const wrongColour = "FFF2A8"

// mostNotes is how many cells get a note: excelize keeps each with its drawing. Every row has the colour and
// the column payrun_reason.
const mostNotes = 1000

// note says what is wrong with a cell.
type note struct {
	column, row int
	text        string
}

// mark returns a style with the colour of a wrong cell. If that fails, it returns the style unchanged:
// payrun_reason also says what is wrong.
func (b *book) mark(style xlsx.Style) xlsx.Style {
	if s, ok := b.marked[style]; ok {
		return s
	}
	b.marked[style] = style
	of, err := b.GetStyle(int(style))
	if err != nil {
		return style
	}
	of.Fill = excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{wrongColour}}
	if id, err := b.AddStyle(of); err == nil {
		b.marked[style] = id
	}
	return b.marked[style]
}

func addNote(b *xlsx.Book, tab string, n note) error {
	return b.AddComment(tab, excelize.Comment{
		Cell: xlsx.ColumnName(n.column) + strconv.Itoa(n.row), Author: "payrun", Width: 280, Height: uint(30 + 15*xlsx.Lines(n.text, 38)),
		Paragraph: []excelize.RichTextRun{{Text: n.text, Font: &excelize.Font{Family: xlsx.Font, Size: 9}}},
	})
}

// markWrong notes in the cells of a line what the findings about its row say about them.
func markWrong(line []placed, found []ledger.Finding) {
	for _, f := range found {
		column, _, err := excelize.CellNameToCoordinates(f.Cell)
		column--
		if f.Severity != ledger.SeverityError || err != nil || column >= len(line) || line[column].isOurs {
			continue
		}
		wrong := &line[column].wrong
		*wrong = strings.TrimPrefix(*wrong+"\n"+reports.Clean(f.Message+". "+f.Fix), "\n")
	}
}
