package samples_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"payrun/ledger"
)

// column is a column of a sheet: what its header says, and what a payout puts there.
type column struct {
	header string
	cell   func(payout) string
	kind   kind
}

// kind is how a workbook holds the cells of a column.
type kind int

const (
	text    kind = iota // text format, so that zeros and long numbers stay
	money               // a number with lakh and crore groups
	heading             // text above the payouts, and their header
)

// payout is a row of a sheet as a person thinks of it.
type payout struct {
	ref, name, account, ifsc string
	amount                   ledger.Paise
	written                  string // the amount as typed, where it is not the amount in Indian groups
	remarks, debit           string
	beneficiary, lei         string
	invoice                  string
	day                      int // of November 2025; 0 for none
}

func (p payout) typed() string {
	if p.written != "" || p.amount == 0 {
		return p.written
	}
	return p.amount.Indian()
}

// sheet is everything on one tab, ready to be written as CSV or XLSX.
type sheet struct {
	titles  []string
	columns []column
	payouts []payout
	gap     bool         // a blank row before the total
	total   ledger.Paise // of the total row; 0 for none
}

func (s sheet) sum() (total ledger.Paise) {
	for _, p := range s.payouts {
		total += p.amount
	}
	return total
}

// rows gives every row below the titles as text.
func (s sheet) rows() [][]string {
	var header []string
	for _, c := range s.columns {
		header = append(header, c.header)
	}
	rows := [][]string{header}
	for _, p := range s.payouts {
		var cells []string
		for _, c := range s.columns {
			cells = append(cells, c.cell(p))
		}
		rows = append(rows, cells)
	}
	if s.gap {
		rows = append(rows, make([]string, len(s.columns)))
	}
	if s.total != 0 {
		last := make([]string, len(s.columns))
		last[0] = "Total"
		for i, c := range s.columns {
			if c.kind == money {
				last[i] = s.total.Indian()
			}
		}
		rows = append(rows, last)
	}
	return rows
}

// csv writes the sheet as spreadsheet programs do: CRLF, quotes where needed.
func (s sheet) csv(t *testing.T) []byte { return s.separated(t, ',') }

func (s sheet) separated(t *testing.T, separator rune) []byte {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF, w.Comma = true, separator
	for _, title := range s.titles {
		check(t, w.Write([]string{title}))
	}
	check(t, w.WriteAll(s.rows()))
	return b.Bytes()
}

// Excel has two ways to group digits; lakh and crore take a format with conditions.
const indianFormat = `[>=10000000]##\,##\,##\,##0.00;[>=100000]##\,##\,##0.00;##,##0.00`

// workbook writes the sheet to the tab of that name.
func (s sheet) workbook(t *testing.T, f *excelize.File, tab string) {
	t.Helper()
	if i, err := f.GetSheetIndex(tab); err != nil || i < 0 {
		_, err := f.NewSheet(tab)
		check(t, err)
	}
	styles := s.styles(t, f)
	for i, title := range s.titles {
		name := cellName(t, 0, i)
		check(t, f.SetCellStyle(tab, name, name, styles[heading]))
		check(t, f.SetCellStr(tab, name, title))
	}
	for r, cells := range s.rows() {
		for c, value := range cells {
			name := cellName(t, c, len(s.titles)+r)
			kind := s.columns[c].kind
			switch {
			case r == 0:
				kind = heading
			case value == "":
				kind = text
			}
			check(t, f.SetCellStyle(tab, name, name, styles[kind]))
			writeCell(t, f, tab, name, value, kind)
		}
	}
	check(t, f.SetPanes(tab, &excelize.Panes{
		Freeze: true, YSplit: len(s.titles) + 1, TopLeftCell: cellName(t, 0, len(s.titles)+1), ActivePane: "bottomLeft",
	}))
	for i := range s.columns {
		name, err := excelize.ColumnNumberToName(i + 1)
		check(t, err)
		check(t, f.SetColWidth(tab, name, name, float64(s.widest(i))+3))
	}
}

// styles are made in a fixed order, so that the workbook's bytes are the same each time.
func (s sheet) styles(t *testing.T, f *excelize.File) [3]int {
	t.Helper()
	format := indianFormat
	asText, err := f.NewStyle(&excelize.Style{NumFmt: 49})
	check(t, err)
	asMoney, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
	check(t, err)
	bold, err := f.NewStyle(&excelize.Style{NumFmt: 49, Font: &excelize.Font{Bold: true, Family: "Calibri", Size: 11}})
	check(t, err)
	return [3]int{text: asText, money: asMoney, heading: bold}
}

// writeCell writes numbers digit by digit, as short as Excel does: no money
// passes through a double on its way into a sheet.
func writeCell(t *testing.T, f *excelize.File, tab, cell, value string, k kind) {
	t.Helper()
	switch {
	case value == "":
	case k == money:
		value = strings.ReplaceAll(value, ",", "")
		check(t, f.SetCellDefault(tab, cell, strings.TrimSuffix(strings.TrimRight(value, "0"), ".")))
	default:
		check(t, f.SetCellStr(tab, cell, value))
	}
}

func cellName(t *testing.T, column, row int) string {
	t.Helper()
	name, err := excelize.CoordinatesToCellName(column+1, row+1)
	check(t, err)
	return name
}

// widest is the number of characters of a column's longest cell.
func (s sheet) widest(column int) int {
	n := 0
	for _, cells := range s.rows() {
		n = max(n, utf8.RuneCountInString(cells[column]))
	}
	return n
}

// xlsx writes a workbook of one tab; change may spoil it before it is written.
func (s sheet) xlsx(t *testing.T, tab string, change func(*excelize.File)) []byte {
	t.Helper()
	f := excelize.NewFile()
	check(t, f.SetSheetName("Sheet1", tab))
	s.workbook(t, f, tab)
	if change != nil {
		change(f)
	}
	var b bytes.Buffer
	check(t, f.Write(&b))
	check(t, f.Close())
	return b.Bytes()
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The columns, under the words that each kind of sheet uses.
func canonical() []column {
	return []column{
		{"merchant_txn_ref_id", func(p payout) string { return p.ref }, text},
		{"vendor_name", func(p payout) string { return p.name }, text},
		{"bank_account_number", func(p payout) string { return p.account }, text},
		{"ifsc", func(p payout) string { return p.ifsc }, text},
		{"amount", payout.typed, money},
		{"remarks", func(p payout) string { return p.remarks }, text},
		{"bank_account_id", func(p payout) string { return p.debit }, text},
	}
}

// without drops the column with the header.
func without(columns []column, header string) []column {
	var rest []column
	for _, c := range columns {
		if c.header != header {
			rest = append(rest, c)
		}
	}
	if len(rest) == len(columns) {
		panic(fmt.Sprintf("there is no column %s", header))
	}
	return rest
}

// renamed gives the columns other headers, in their order.
func renamed(columns []column, headers ...string) []column {
	for i := range columns {
		columns[i].header = headers[i]
	}
	return columns
}

// extended adds what only a whole month-end has.
func extended() []column {
	return append(canonical(),
		column{"open_beneficiary_id", func(p payout) string { return p.beneficiary }, text},
		column{"bene_lei", func(p payout) string { return p.lei }, text},
		column{"Invoice No", func(p payout) string { return p.invoice }, text},
		column{"Invoice Date", func(p payout) string {
			if p.day == 0 {
				return ""
			}
			return fmt.Sprintf("%02d-11-2025", p.day)
		}, text},
	)
}

// only writes the columns with these headers as a workbook.
func (s sheet) only(headers ...string) workbook {
	s.columns = slices.DeleteFunc(s.columns, func(c column) bool { return !slices.Contains(headers, c.header) })
	return s.parts()
}
