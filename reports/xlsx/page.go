package xlsx

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/xuri/excelize/v2"
)

// Frame is the place of the table on a tab.
type Frame struct {
	Header  int // its row
	Last    int // the last row of the table
	Columns int
	Fixed   int // columns that stay visible when scrolling
	Wide    int // pages side by side; 0 means 1
	Sides   int // columns that repeat on each of these pages
}

// PagesFor returns how many pages side by side keep columns of that total width, in characters, readable.
func PagesFor(width float64) int {
	const readable = 240 // characters of the workbook's font on one page
	return max(1, int(math.Ceil(width/readable)))
}

// SetWidths sets the widths of the first columns of a tab, in characters.
func (b *Book) SetWidths(tab string, widths ...float64) (err error) {
	for i, width := range widths {
		err = errors.Join(err, b.SetColWidth(tab, ColumnName(i), ColumnName(i), width))
	}
	return err
}

// SetFrame gives a table its filter, keeps its header visible, and prints it on landscape pages, each with the
// header.
func (b *Book) SetFrame(tab string, f Frame) error {
	last := ColumnName(f.Columns - 1)
	all := fmt.Sprintf("A1:%s%d", last, f.Last)
	pane := "bottomRight"
	if f.Fixed == 0 {
		pane = "bottomLeft"
	}
	corner := fmt.Sprintf("%s%d", ColumnName(f.Fixed), f.Header+1)
	own := "'" + strings.ReplaceAll(tab, "'", "''") + "'!"
	titles := fmt.Sprintf("%s$%d:$%[2]d", own, f.Header)
	if f.Sides > 0 {
		titles = fmt.Sprintf("%s$A:$%s,%s", own, ColumnName(f.Sides-1), titles)
	}
	return errors.Join(
		b.AutoFilter(tab, fmt.Sprintf("A%d:%s%d", f.Header, last, f.Last), nil),
		b.SetSheetDimension(tab, all),
		b.AddIgnoredErrors(tab, all, excelize.IgnoredErrorsNumberStoredAsText), // references and accounts are digits on purpose
		b.SetPanes(tab, &excelize.Panes{
			Freeze: true, XSplit: f.Fixed, YSplit: f.Header, TopLeftCell: corner, ActivePane: pane,
			Selection: []excelize.Selection{{SQRef: corner, ActiveCell: corner, Pane: pane}},
		}),
		b.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Titles", Scope: tab, RefersTo: titles}),
		b.SetPage(tab, max(f.Wide, 1)))
}

// Page is a tab that is laid out by hand, and small enough to hold in memory.
type Page struct {
	*Rows
	text bytes.Buffer
}

// NewPage begins a page with its title.
func NewPage(title string) *Page {
	p := &Page{}
	p.Rows = NewRows(&p.text, 0)
	p.AddHigh(28, Text(title).In(StyleTitle))
	return p
}

// AddPage adds a page as a tab without grid lines, with the widths of its columns.
func (b *Book) AddPage(tab string, p *Page, widths ...float64) error {
	return errors.Join(
		b.AddTab(tab, &p.text),
		b.SetSheetDimension(tab, fmt.Sprintf("A1:%s%d", ColumnName(p.wide-1), p.last)),
		b.SetWidths(tab, widths...),
		b.SetSheetView(tab, 0, &excelize.ViewOptions{ShowGridLines: new(false)}),
		b.SetPage(tab, 1))
}

// SetPage prints a tab on A4 landscape, that many pages wide and as many high as needed.
func (b *Book) SetPage(tab string, wide int) error {
	const a4 = 9
	side, edge, foot := 0.4, 0.55, 0.25 // inches
	return errors.Join(
		b.SetPageLayout(tab, &excelize.PageLayoutOptions{Size: new(a4), Orientation: new("landscape"), FitToWidth: &wide, FitToHeight: new(0)}),
		b.SetSheetProps(tab, &excelize.SheetPropsOptions{FitToPage: new(true)}),
		b.SetPageMargins(tab, &excelize.PageLayoutMarginsOptions{Left: &side, Right: &side, Top: &edge, Bottom: &edge, Header: &foot, Footer: &foot}),
		b.SetHeaderFooter(tab, &excelize.HeaderFooterOptions{OddFooter: "&L&A&Rpage &P of &N"}))
}
