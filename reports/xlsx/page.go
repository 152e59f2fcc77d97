package xlsx

import (
	"fmt"

	"github.com/xuri/excelize/v2"
)

// Frame is where the table on a tab stands.
type Frame struct {
	Header  int // its row
	Last    int // the last row of the table
	Columns int
	Fixed   int // columns that stay in sight
}

// SetFrame gives a table its filter, keeps its header in sight, and prints it
// on landscape pages.
func (b *Book) SetFrame(tab string, f Frame) error {
	last := ColumnName(f.Columns - 1)
	if err := b.AutoFilter(tab, fmt.Sprintf("A%d:%s%d", f.Header, last, f.Last), nil); err != nil {
		return err
	}
	all := fmt.Sprintf("A1:%s%d", last, f.Last)
	if err := b.SetSheetDimension(tab, all); err != nil {
		return err
	}
	// References and accounts are digits on purpose, and no mistake to flag.
	if err := b.AddIgnoredErrors(tab, all, excelize.IgnoredErrorsNumberStoredAsText); err != nil {
		return err
	}
	pane := "bottomRight"
	if f.Fixed == 0 {
		pane = "bottomLeft"
	}
	corner := fmt.Sprintf("%s%d", ColumnName(f.Fixed), f.Header+1)
	err := b.SetPanes(tab, &excelize.Panes{
		Freeze: true, XSplit: f.Fixed, YSplit: f.Header, TopLeftCell: corner, ActivePane: pane,
		Selection: []excelize.Selection{{SQRef: corner, ActiveCell: corner, Pane: pane}},
	})
	if err != nil {
		return err
	}
	return SetPage(b.File, tab)
}

// SetPage prints a tab on A4 across, one page wide and as many high as it takes.
func SetPage(f *excelize.File, tab string) error {
	const a4 = 9
	orientation := "landscape"
	size, wide, high, fit := a4, 1, 0, true
	if err := f.SetPageLayout(tab, &excelize.PageLayoutOptions{Size: &size, Orientation: &orientation, FitToWidth: &wide, FitToHeight: &high}); err != nil {
		return err
	}
	if err := f.SetSheetProps(tab, &excelize.SheetPropsOptions{FitToPage: &fit}); err != nil {
		return err
	}
	side, edge, foot := 0.4, 0.55, 0.25 // inches
	err := f.SetPageMargins(tab, &excelize.PageLayoutMarginsOptions{
		Left: &side, Right: &side, Top: &edge, Bottom: &edge, Header: &foot, Footer: &foot,
	})
	if err != nil {
		return err
	}
	return f.SetHeaderFooter(tab, &excelize.HeaderFooterOptions{OddFooter: "&L&A&Rpage &P of &N"})
}
