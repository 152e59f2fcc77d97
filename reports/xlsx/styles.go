package xlsx

import (
	"errors"
	"fmt"

	"github.com/xuri/excelize/v2"
)

// Style is the number of a style in a Book. The constants have the order of styles; addStyles checks it.
type Style int32

const (
	StyleNone Style = iota
	StyleText
	StyleWrapped
	StyleHead
	StyleHeadNumber
	StyleMoney
	StyleCount
	StyleTime
	StyleTotal
	StyleMoneyTotal
	StyleCountTotal
	StyleRowsShown
	StyleTitle
	StyleNote
	StyleGood
	StyleBad
	StyleAmber
	StylePaid
	StyleOpen
	StyleNotPaid
	StyleInDoubt
	StyleCode
)

// Number formats. Digits are grouped by lakh and crore: 1,23,45,678.90. A format has room for two conditions,
// so from 100 crore on the highest group is longer.
const (
	MoneyFormat     = `[>=10000000]##\,##\,##\,##0.00;[>=100000]##\,##\,##0.00;##,##0.00`
	CountFormat     = `[>=10000000]##\,##\,##\,##0;[>=100000]##\,##\,##0;##,##0`
	rowsShownFormat = `[=1]0" row shown";[>=100000]##\,##\,##0" rows shown";#,##0" rows shown"`
	timeFormat      = `yyyy-mm-dd hh:mm:ss`
	TextFormat      = 49 // the built-in "@": digits stay as they are
)

// Colours. Blue, grey, vermilion and amber differ for colour-blind eyes (Okabe and Ito), and always
// come with a word.
const (
	InkColour     = "1B2733"
	MutedColour   = "5B6875"
	HeadColour    = "1F3A56"
	PaidColour    = "0072B2"
	OpenColour    = "98A4B0"
	NotPaidColour = "D55E00"
	InDoubtColour = "E69F00"
)

// Font is the font of every text.
const Font = "Calibri"

func styles() []*excelize.Style {
	font := func(f excelize.Font) *excelize.Font {
		f.Family = Font
		if f.Size == 0 {
			f.Size = 10
		}
		if f.Color == "" {
			f.Color = InkColour
		}
		return &f
	}
	fill := func(c string) excelize.Fill { return excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{c}} }
	top := &excelize.Alignment{Vertical: "top"}
	words := &excelize.Alignment{Vertical: "top", Horizontal: "left", Indent: 1} // clear of the number before it
	wrap := &excelize.Alignment{Vertical: "top", Horizontal: "left", Indent: 1, WrapText: true}
	under := []excelize.Border{{Type: "bottom", Style: 1, Color: HeadColour}}
	state := func(c string) *excelize.Style {
		return &excelize.Style{Font: font(excelize.Font{Color: c, Bold: true}), NumFmt: TextFormat, Alignment: words}
	}
	return []*excelize.Style{
		StyleText:    {Font: font(excelize.Font{}), NumFmt: TextFormat, Alignment: words},
		StyleWrapped: {Font: font(excelize.Font{}), NumFmt: TextFormat, Alignment: wrap},
		StyleHead: {Font: font(excelize.Font{Bold: true, Color: "FFFFFF"}), Fill: fill(HeadColour), NumFmt: TextFormat,
			Alignment: &excelize.Alignment{Vertical: "center", Horizontal: "left", Indent: 1, WrapText: true}},
		StyleHeadNumber: {Font: font(excelize.Font{Bold: true, Color: "FFFFFF"}), Fill: fill(HeadColour), NumFmt: TextFormat,
			Alignment: &excelize.Alignment{Vertical: "center", Horizontal: "right", WrapText: true}},
		StyleMoney:      {Font: font(excelize.Font{}), CustomNumFmt: new(MoneyFormat), Alignment: top},
		StyleCount:      {Font: font(excelize.Font{}), CustomNumFmt: new(CountFormat), Alignment: top},
		StyleTime:       {Font: font(excelize.Font{}), CustomNumFmt: new(timeFormat), Alignment: words},
		StyleTotal:      {Font: font(excelize.Font{Bold: true}), Fill: fill("EEF2F6"), Border: under, Alignment: words},
		StyleMoneyTotal: {Font: font(excelize.Font{Bold: true}), Fill: fill("EEF2F6"), Border: under, CustomNumFmt: new(MoneyFormat)},
		StyleCountTotal: {Font: font(excelize.Font{Bold: true}), Fill: fill("EEF2F6"), Border: under, CustomNumFmt: new(CountFormat)},
		StyleRowsShown: {Font: font(excelize.Font{Bold: true}), Fill: fill("EEF2F6"), Border: under, CustomNumFmt: new(rowsShownFormat),
			Alignment: words},
		StyleTitle:   {Font: font(excelize.Font{Bold: true, Size: 18, Color: HeadColour}), Alignment: words},
		StyleNote:    {Font: font(excelize.Font{Color: MutedColour}), NumFmt: TextFormat, Alignment: words},
		StyleGood:    {Font: font(excelize.Font{Bold: true, Size: 12, Color: PaidColour}), Alignment: words},
		StyleBad:     {Font: font(excelize.Font{Bold: true, Size: 12, Color: NotPaidColour}), Alignment: words},
		StyleAmber:   {Font: font(excelize.Font{Bold: true, Size: 12, Color: "8A5A00"}), Alignment: words},
		StylePaid:    state(PaidColour),
		StyleOpen:    state(MutedColour),
		StyleNotPaid: state("B34700"),
		StyleInDoubt: state("8A5A00"),
		StyleCode:    {Font: &excelize.Font{Family: "Consolas", Size: 10, Color: InkColour}, NumFmt: TextFormat, Alignment: words},
	}
}

func (b *Book) addStyles() error {
	for i, s := range styles() {
		if s == nil {
			continue // StyleNone is the workbook's default
		}
		if id, err := b.AddStyle(s); err != nil || id != Style(i) {
			return errors.Join(fmt.Errorf("style %d came out as number %d", i, id), err)
		}
	}
	return nil
}

// AddStyle adds a style of the caller.
func (b *Book) AddStyle(s *excelize.Style) (Style, error) {
	id, err := b.NewStyle(s)
	return Style(id), err
}
