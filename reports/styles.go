package reports

import (
	"fmt"

	"github.com/xuri/excelize/v2"
)

// cellStyle is the number of a style in the workbook. The order is that of
// cellStyles; addStyles holds the two against each other.
type cellStyle int

const (
	styleNone cellStyle = iota
	styleText
	styleWrapped
	styleHead
	styleHeadNumber
	styleMoney
	styleCount
	styleTime
	styleTotal
	styleMoneyTotal
	styleCountTotal
	styleRowsShown
	styleTitle
	styleNote
	styleGood
	styleBad
	stylePaid
	styleOpen
	styleNotPaid
	styleInDoubt
	styleCode
)

// Number formats. Digits group by lakh and crore: 1,23,45,678.90. A format has
// room for two conditions, so from 100 crore on the highest group is longer.
const (
	moneyFormat     = `[>=10000000]##\,##\,##\,##0.00;[>=100000]##\,##\,##0.00;##,##0.00`
	countFormat     = `[>=10000000]##\,##\,##\,##0;[>=100000]##\,##\,##0;##,##0`
	rowsShownFormat = `[=1]0" row shown";[>=100000]##\,##\,##0" rows shown";#,##0" rows shown"`
	timeFormat      = `yyyy-mm-dd hh:mm:ss`
	textFormat      = 49 // the built-in "@": digits stay as they are
)

// Colours. Blue, grey, vermilion and amber stay apart for colour-blind eyes
// (Okabe and Ito), and a word always stands beside them.
const (
	inkColour     = "1B2733"
	mutedColour   = "5B6875"
	lineColour    = "D5DBE1"
	headColour    = "1F3A56"
	paidColour    = "0072B2"
	openColour    = "98A4B0"
	notPaidColour = "D55E00"
	inDoubtColour = "E69F00"
)

// colour of a standing, as six hexadecimal digits.
func (s standing) colour() string {
	return [...]string{paidColour, openColour, notPaidColour, inDoubtColour}[s]
}

// style in which a payout's state is written.
func (s standing) style() cellStyle {
	return [...]cellStyle{stylePaid, styleOpen, styleNotPaid, styleInDoubt}[s]
}

const workbookFont = "Calibri"

func cellStyles() []*excelize.Style {
	font := func(f excelize.Font) *excelize.Font {
		f.Family = workbookFont
		if f.Size == 0 {
			f.Size = 10
		}
		if f.Color == "" {
			f.Color = inkColour
		}
		return &f
	}
	fill := func(c string) excelize.Fill { return excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{c}} }
	top := &excelize.Alignment{Vertical: "top"}
	words := &excelize.Alignment{Vertical: "top", Horizontal: "left", Indent: 1} // clear of the number before it
	wrap := &excelize.Alignment{Vertical: "top", Horizontal: "left", Indent: 1, WrapText: true}
	custom := func(s string) *string { return &s }
	under := []excelize.Border{{Type: "bottom", Style: 1, Color: headColour}}
	state := func(c string) *excelize.Style {
		return &excelize.Style{Font: font(excelize.Font{Color: c, Bold: true}), NumFmt: textFormat, Alignment: words}
	}
	return []*excelize.Style{
		styleText:    {Font: font(excelize.Font{}), NumFmt: textFormat, Alignment: words},
		styleWrapped: {Font: font(excelize.Font{}), NumFmt: textFormat, Alignment: wrap},
		styleHead: {Font: font(excelize.Font{Bold: true, Color: "FFFFFF"}), Fill: fill(headColour), NumFmt: textFormat,
			Alignment: &excelize.Alignment{Vertical: "center", Horizontal: "left", Indent: 1, WrapText: true}},
		styleHeadNumber: {Font: font(excelize.Font{Bold: true, Color: "FFFFFF"}), Fill: fill(headColour), NumFmt: textFormat,
			Alignment: &excelize.Alignment{Vertical: "center", Horizontal: "right", WrapText: true}},
		styleMoney:      {Font: font(excelize.Font{}), CustomNumFmt: custom(moneyFormat), Alignment: top},
		styleCount:      {Font: font(excelize.Font{}), CustomNumFmt: custom(countFormat), Alignment: top},
		styleTime:       {Font: font(excelize.Font{}), CustomNumFmt: custom(timeFormat), Alignment: words},
		styleTotal:      {Font: font(excelize.Font{Bold: true}), Fill: fill("EEF2F6"), Border: under, Alignment: words},
		styleMoneyTotal: {Font: font(excelize.Font{Bold: true}), Fill: fill("EEF2F6"), Border: under, CustomNumFmt: custom(moneyFormat)},
		styleCountTotal: {Font: font(excelize.Font{Bold: true}), Fill: fill("EEF2F6"), Border: under, CustomNumFmt: custom(countFormat)},
		styleRowsShown: {Font: font(excelize.Font{Bold: true}), Fill: fill("EEF2F6"), Border: under, CustomNumFmt: custom(rowsShownFormat),
			Alignment: words},
		styleTitle:   {Font: font(excelize.Font{Bold: true, Size: 18, Color: headColour}), Alignment: words},
		styleNote:    {Font: font(excelize.Font{Color: mutedColour}), NumFmt: textFormat, Alignment: words},
		styleGood:    {Font: font(excelize.Font{Bold: true, Size: 12, Color: paidColour}), Alignment: words},
		styleBad:     {Font: font(excelize.Font{Bold: true, Size: 12, Color: notPaidColour}), Alignment: words},
		stylePaid:    state(paidColour),
		styleOpen:    state(mutedColour),
		styleNotPaid: state("B34700"),
		styleInDoubt: state("8A5A00"),
		styleCode:    {Font: &excelize.Font{Family: "Consolas", Size: 10, Color: inkColour}, NumFmt: textFormat, Alignment: words},
	}
}

func addStyles(f *excelize.File) error {
	for i, s := range cellStyles() {
		if s == nil {
			continue // styleNone is the workbook's own
		}
		id, err := f.NewStyle(s)
		if err != nil {
			return fmt.Errorf("style %d: %w", i, err)
		}
		if id != i {
			return fmt.Errorf("style %d came out as number %d", i, id)
		}
	}
	return nil
}
