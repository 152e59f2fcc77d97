package resultsheet

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/xuri/excelize/v2"

	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// Template is a sheet to begin with.
type Template struct {
	Columns []TemplateColumn
}

// TemplateColumn is one of its columns.
type TemplateColumn struct {
	Name     string
	Required bool     // marked with *
	Amount   bool     // a number with lakh and crore groups; every other column is text
	What     string   // what belongs there
	Example  string   // in the example row
	Choices  []string // offered in a drop-down; others may be typed
}

// heading is the column's name as the sheet shows it. The reader drops the *.
func (c TemplateColumn) heading() string {
	if c.Required {
		return c.Name + " *"
	}
	return c.Name
}

// WriteTemplate writes the template to path, as XLSX or CSV by its extension.
// fs.ErrExist where something is there already.
func WriteTemplate(path string, t Template) error {
	write := t.asBook
	if strings.EqualFold(filepath.Ext(path), extCSV) {
		write = t.asCSV
	}
	d, name := folder.At(filepath.Dir(path)), filepath.Base(path)
	defer d.Discard()
	out, err := d.Create(name)
	if err != nil {
		return fmt.Errorf("template: %w", err)
	}
	if err := errors.Join(write(out.Writer), out.LetOthersRead(), d.Settle(name)); err != nil {
		return fmt.Errorf("template: %w", err)
	}
	if _, err := d.Keep(name, name); err != nil {
		return fmt.Errorf("template: %w", err)
	}
	return nil
}

// asCSV has the example row below the header: its reference makes the reader
// refuse it.
func (t Template) asCSV(out *bufio.Writer) error {
	var names, example []string
	for _, c := range t.Columns {
		names, example = append(names, c.heading()), append(example, c.Example)
	}
	w := csv.NewWriter(out)
	return w.WriteAll([][]string{names, example})
}

// The tabs of a template. Only the first is data: the second has at most one
// column name a row, and the third is hidden.
const (
	templateTab = "Payouts"
	readMeTab   = "Read me"
	choicesTab  = "Choices"
)

// asBook has no example row among the payouts, where it would have to be
// deleted first: it is on the tab "Read me".
func (t Template) asBook(out *bufio.Writer) (err error) {
	f := excelize.NewFile()
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.SetSheetName(f.GetSheetName(0), templateTab); err != nil {
		return err
	}
	b := &templateBook{f: f, t: t}
	for _, step := range []func() error{b.styles, b.columns, b.header, b.choices, b.readMe} {
		if err := step(); err != nil {
			return err
		}
	}
	f.SetActiveSheet(0)
	if err := f.SetDocProps(&excelize.DocProperties{Title: "Payout sheet", Creator: "payrun", LastModifiedBy: "payrun", Language: "en-IN"}); err != nil {
		return err
	}
	return f.Write(out)
}

// templateBook is the workbook while it is put together.
type templateBook struct {
	f                           *excelize.File
	t                           Template
	head, required, text, money int
	title, label, words, sample int
}

func (b *templateBook) styles() error {
	font := func(bold bool, size float64, colour string) *excelize.Font {
		return &excelize.Font{Family: xlsx.Font, Size: size, Bold: bold, Color: colour}
	}
	fill := func(c string) excelize.Fill { return excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{c}} }
	wrap := &excelize.Alignment{Vertical: "top", Horizontal: "left", Indent: 1, WrapText: true}
	format := xlsx.MoneyFormat
	for _, s := range []struct {
		to    *int
		style *excelize.Style
	}{
		{&b.required, &excelize.Style{Font: font(true, 10, "FFFFFF"), Fill: fill(xlsx.HeadColour), NumFmt: xlsx.TextFormat, Alignment: &excelize.Alignment{Vertical: "center", Horizontal: "left", Indent: 1}}},
		{&b.head, &excelize.Style{Font: font(true, 10, xlsx.InkColour), Fill: fill(xlsx.LineColour), NumFmt: xlsx.TextFormat, Alignment: &excelize.Alignment{Vertical: "center", Horizontal: "left", Indent: 1}}},
		{&b.text, &excelize.Style{Font: font(false, 10, xlsx.InkColour), NumFmt: xlsx.TextFormat, Alignment: &excelize.Alignment{Horizontal: "left", Indent: 1}}},
		{&b.money, &excelize.Style{Font: font(false, 10, xlsx.InkColour), CustomNumFmt: &format}},
		{&b.title, &excelize.Style{Font: font(true, 16, xlsx.HeadColour)}},
		{&b.label, &excelize.Style{Font: font(true, 10, xlsx.InkColour), NumFmt: xlsx.TextFormat, Alignment: wrap}},
		{&b.words, &excelize.Style{Font: font(false, 10, xlsx.InkColour), NumFmt: xlsx.TextFormat, Alignment: wrap}},
		{&b.sample, &excelize.Style{Font: &excelize.Font{Family: "Consolas", Size: 10, Color: xlsx.MutedColour}, NumFmt: xlsx.TextFormat, Alignment: wrap}},
	} {
		id, err := b.f.NewStyle(s.style)
		if err != nil {
			return err
		}
		*s.to = id
	}
	return nil
}

// columns gives every cell of a column its format, down to the last row, so
// that what is pasted anywhere keeps its zeros.
func (b *templateBook) columns() error {
	for i, c := range b.t.Columns {
		name, style := xlsx.ColumnName(i), b.text
		if c.Amount {
			style = b.money
		}
		if err := b.f.SetColStyle(templateTab, name, style); err != nil {
			return err
		}
		if err := b.f.SetColWidth(templateTab, name, name, float64(max(len(c.heading())+4, 15))); err != nil {
			return err
		}
	}
	return b.f.AddIgnoredErrors(templateTab, fmt.Sprintf("A1:%s%d", xlsx.ColumnName(len(b.t.Columns)-1), xlsx.MaxRows), excelize.IgnoredErrorsNumberStoredAsText)
}

func (b *templateBook) header() error {
	for i, c := range b.t.Columns {
		at, style := xlsx.ColumnName(i)+"1", b.head
		if c.Required {
			style = b.required
		}
		if err := b.f.SetCellStr(templateTab, at, c.heading()); err != nil {
			return err
		}
		if err := b.f.SetCellStyle(templateTab, at, at, style); err != nil {
			return err
		}
		note := excelize.Comment{
			Cell: at, Author: "payrun", Width: 260, Height: uint(40 + 15*xlsx.Lines(c.note(), 34)),
			Paragraph: []excelize.RichTextRun{{Text: c.note(), Font: &excelize.Font{Family: xlsx.Font, Size: 9}}},
		}
		if err := b.f.AddComment(templateTab, note); err != nil {
			return err
		}
	}
	if err := b.f.SetRowHeight(templateTab, 1, 24); err != nil {
		return err
	}
	err := b.f.SetPanes(templateTab, &excelize.Panes{
		Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft",
		Selection: []excelize.Selection{{SQRef: "A2", ActiveCell: "A2", Pane: "bottomLeft"}},
	})
	if err != nil {
		return err
	}
	return xlsx.SetPage(b.f, templateTab)
}

// note explains the column in a comment of its header.
func (c TemplateColumn) note() string {
	need := "Optional. "
	if c.Required {
		need = "Required. "
	}
	if c.Example == "" {
		return need + c.What
	}
	return need + c.What + " For example: " + c.Example
}

// choices makes the drop-downs. Their lists stand on a hidden tab: names hold
// commas, and a list in the rule itself ends at 255 characters. What is not in
// a list may be typed all the same; payrun check is the judge.
func (b *templateBook) choices() error {
	tab := 0
	for i, c := range b.t.Columns {
		if len(c.Choices) == 0 {
			continue
		}
		if tab == 0 {
			if _, err := b.f.NewSheet(choicesTab); err != nil {
				return err
			}
			if err := b.f.SetSheetVisible(choicesTab, false); err != nil {
				return err
			}
		}
		list := xlsx.ColumnName(tab)
		tab++
		for row, choice := range c.Choices {
			if err := b.f.SetCellStr(choicesTab, fmt.Sprintf("%s%d", list, row+1), choice); err != nil {
				return err
			}
		}
		rule := excelize.NewDataValidation(true)
		rule.SetSqref(fmt.Sprintf("%s2:%[1]s%d", xlsx.ColumnName(i), xlsx.MaxRows))
		rule.SetSqrefDropList(fmt.Sprintf("'%s'!$%s$1:$%[2]s$%d", choicesTab, list, len(c.Choices)))
		rule.ShowErrorMessage = false
		if err := b.f.AddDataValidation(templateTab, rule); err != nil {
			return err
		}
	}
	return nil
}
