package resultsheet

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// Template is an empty sheet to begin with.
type Template struct {
	Columns []TemplateColumn
	At      time.Time // when it was made
}

// TemplateColumn is one of its columns.
type TemplateColumn struct {
	Name     string
	Required bool     // marked with *
	Amount   bool     // a number in lakh and crore groups; every other column is text
	What     string   // what to write there
	Example  string   // in the example row
	Choices  []string // offered in a drop-down; other values may be typed
}

// heading returns the column's name as the sheet shows it. The reader drops the *.
func (c TemplateColumn) heading() string {
	if c.Required {
		return c.Name + " *"
	}
	return c.Name
}

// WriteTemplate writes the template to path, as XLSX or CSV by its extension. It returns fs.ErrExist if the
// path is taken.
func WriteTemplate(path string, t Template) error {
	write := t.asBook
	if strings.EqualFold(filepath.Ext(path), extCSV) {
		write = t.asCSV
	}
	err := folder.New(path, func(d *folder.Folder, name string) error {
		out, err := d.Create(name)
		if err != nil {
			return err
		}
		return errors.Join(write(out.Writer), out.LetOthersRead())
	})
	if err != nil {
		return fmt.Errorf("template: %w", err)
	}
	return nil
}

// asCSV has the example row below the header. The reader refuses it because of its reference.
func (t Template) asCSV(out *bufio.Writer) error {
	var names, example []string
	for _, c := range t.Columns {
		names, example = append(names, c.heading()), append(example, c.Example)
	}
	w := csv.NewWriter(out)
	return w.WriteAll([][]string{names, example})
}

// The tabs of a template. Only the first holds data: the second has at most one column name in a row, and the
// third is hidden.
const (
	templateTab = "Payouts"
	readMeTab   = "Read me"
	choicesTab  = "Choices"
)

// asBook has the example row on the tab "Read me". Among the payouts a person would have to delete it first.
func (t Template) asBook(out *bufio.Writer) (err error) {
	book, err := xlsx.NewBook()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	b := &templateBook{book, t}
	if err := errors.Join(b.payouts(), b.readMe(), b.choices()); err != nil {
		return err
	}
	return b.Write(out, "Payout sheet", t.At)
}

// templateBook is the workbook while it is built.
type templateBook struct {
	*xlsx.Book
	t Template
}

// payouts adds the tab to fill in. Every cell of a column has the format, down to the last row, so that pasted
// values keep their zeros anywhere.
func (b *templateBook) payouts() error {
	var header bytes.Buffer
	var names []xlsx.Cell
	for _, c := range b.t.Columns {
		name := xlsx.Text(c.heading()).In(xlsx.StyleTotal)
		if c.Required {
			name = xlsx.Heading(c.heading())
		}
		names = append(names, name)
	}
	xlsx.NewRows(&header, 0).AddHigh(24, names...)
	err := b.AddTab(templateTab, &header)
	for i, c := range b.t.Columns {
		name, style := xlsx.ColumnName(i), xlsx.StyleText
		if c.Amount {
			style = xlsx.StyleMoney
		}
		err = errors.Join(err, b.SetColStyle(templateTab, name, int(style)), b.SetColWidth(templateTab, name, name, float64(max(len(c.heading())+4, 15))),
			addNote(b.Book, templateTab, note{i, 1, c.note()}))
	}
	return errors.Join(err,
		b.AddIgnoredErrors(templateTab, fmt.Sprintf("A1:%s%d", xlsx.ColumnName(len(b.t.Columns)-1), xlsx.MaxRows), excelize.IgnoredErrorsNumberStoredAsText),
		b.SetPanes(templateTab, &excelize.Panes{
			Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft",
			Selection: []excelize.Selection{{SQRef: "A2", ActiveCell: "A2", Pane: "bottomLeft"}},
		}),
		b.SetPage(templateTab, 1))
}

// need says whether a row must have a value in the column.
func (c TemplateColumn) need() string {
	if c.Required {
		return "Required"
	}
	return "Optional"
}

// note returns the comment on the column's header.
func (c TemplateColumn) note() string {
	note := c.need() + ". " + c.What
	if c.Example != "" {
		note += " For example: " + c.Example
	}
	return note
}

// choices adds the drop-downs. Their lists are on a hidden tab, because names contain commas and a list in the
// rule itself ends at 255 characters. Other values may be typed; payrun check decides.
func (b *templateBook) choices() (err error) {
	lists := 0
	for i, c := range b.t.Columns {
		if len(c.Choices) == 0 {
			continue
		}
		if lists == 0 {
			_, err = b.NewSheet(choicesTab)
		}
		list := xlsx.ColumnName(lists)
		lists++
		rule := excelize.NewDataValidation(true)
		rule.SetSqref(fmt.Sprintf("%s2:%[1]s%d", xlsx.ColumnName(i), xlsx.MaxRows))
		rule.SetSqrefDropList(fmt.Sprintf("'%s'!$%s$1:$%[2]s$%d", choicesTab, list, len(c.Choices)))
		rule.ShowErrorMessage = false
		err = errors.Join(err, b.AddDataValidation(templateTab, rule), b.SetSheetCol(choicesTab, list+"1", &c.Choices), b.SetSheetVisible(choicesTab, false))
	}
	return err
}

// readMe explains the sheet, one column in each row.
func (b *templateBook) readMe() error {
	page := xlsx.NewPage("How to fill in this sheet")
	page.Skip(1)
	first := page.Last() + 1
	for _, line := range readMeLines() {
		page.AddHigh(xlsx.Lines(line, 120)*xlsx.LinePoints+2, xlsx.Wrapped(line))
	}
	last := page.Last()
	page.Skip(1)
	page.AddHigh(20, xlsx.Heading("Column"), xlsx.Heading("Needed"), xlsx.Heading("What belongs there"), xlsx.Heading("Example row"))
	for _, c := range b.t.Columns {
		page.AddHigh(xlsx.Lines(c.What, 70)*xlsx.LinePoints+4, xlsx.Text(c.Name), xlsx.Text(strings.ToLower(c.need())), xlsx.Wrapped(c.What), xlsx.Text(c.Example).In(xlsx.StyleCode))
	}
	err := b.AddPage(readMeTab, page, 24, 11, 70, 28)
	for row := first; row <= last; row++ {
		err = errors.Join(err, b.MergeCell(readMeTab, fmt.Sprintf("A%d", row), fmt.Sprintf("D%d", row)))
	}
	return err
}

func readMeLines() []string {
	return []string{
		"One payout per row on the tab \"" + templateTab + "\", below the header. Columns marked * are required; the others may be deleted. " +
			"You may add columns of your own: they come back in the result sheet.",
		"Everything but the amount is text, account numbers included: a spreadsheet program drops the leading zeros of a number and rounds it after 15 digits. " +
			"When you paste, choose Paste Special > Values, so that the columns keep their format.",
		"A last row \"Total\" with the sum under the amount is a check: it must agree to the paisa, and is never paid.",
		"Then: payrun check SHEET says what is wrong, row by row, and changes nothing. payrun load SHEET records it. payrun explain CODE explains a finding.",
	}
}
