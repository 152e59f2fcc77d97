package validate

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ingest"
	"payrun/ledger"

	"github.com/xuri/excelize/v2"
)

// formula is a cell with a formula and the value it was last calculated to;
// nil was never calculated.
type formula struct{ saved any }

// raw is a number as it is in the file, with the noise that the library
// would round away.
type raw string

// cellXML gives the cells that are written by hand, for the library does not keep
// what they are.
func cellXML(cell string, value any) string {
	switch v := value.(type) {
	case raw:
		return fmt.Sprintf(`<c r="%s"><v>%s</v></c>`, cell, string(v))
	case formula:
		switch saved := v.saved.(type) {
		case nil:
			return fmt.Sprintf(`<c r="%s"><f>SUM(1,2)</f></c>`, cell)
		case string:
			return fmt.Sprintf(`<c r="%s" t="str"><f>SUM(1,2)</f><v>%s</v></c>`, cell, saved)
		default:
			return fmt.Sprintf(`<c r="%s"><f>SUM(1,2)</f><v>%v</v></c>`, cell, saved)
		}
	}
	return ""
}

// replaceCells puts cells into the first tab of a saved workbook.
func replaceCells(t testing.TB, path string, cells map[string]string) {
	t.Helper()
	old, err := zip.OpenReader(path)
	must(t, err)
	defer old.Close()
	var book bytes.Buffer
	out := zip.NewWriter(&book)
	for _, part := range old.File {
		r, err := part.Open()
		must(t, err)
		text, err := io.ReadAll(r)
		must(t, err)
		if part.Name == "xl/worksheets/sheet1.xml" {
			for cell, xml := range cells {
				place := regexp.MustCompile(`<c r="` + cell + `"[^>]*>.*?</c>`)
				if !place.Match(text) {
					t.Fatalf("no cell %s in %s", cell, text)
				}
				text = place.ReplaceAllLiteral(text, []byte(xml))
			}
		}
		w, err := out.Create(part.Name)
		must(t, err)
		_, err = w.Write(text)
		must(t, err)
	}
	must(t, out.Close())
	must(t, os.WriteFile(path, book.Bytes(), 0o600))
}

// styled is a value under a number format.
type styled struct {
	value  any
	format string
}

// workbook writes a sheet cell by cell, with the kinds of its Go values.
func workbook(t testing.TB, rows ...[]any) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	byHand := map[string]string{}
	for r, row := range rows {
		for c, value := range row {
			cell, err := excelize.CoordinatesToCellName(c+1, r+1)
			must(t, err)
			switch v := value.(type) {
			case nil:
			case formula, raw:
				must(t, f.SetCellValue("Sheet1", cell, "to be replaced"))
				byHand[cell] = cellXML(cell, v)
			case styled:
				id, err := f.NewStyle(&excelize.Style{CustomNumFmt: &v.format})
				must(t, err)
				must(t, f.SetCellValue("Sheet1", cell, v.value))
				must(t, f.SetCellStyle("Sheet1", cell, cell, id))
			default:
				must(t, f.SetCellValue("Sheet1", cell, v))
			}
		}
	}
	path := filepath.Join(t.TempDir(), "sheet.xlsx")
	must(t, f.SaveAs(path))
	replaceCells(t, path, byHand)
	return path
}

var xlsxHeader = []any{"merchant_txn_ref_id", "vendor_name", "bank_account_number", "ifsc", "amount", "remarks"}

func TestCellsOfAWorkbook(t *testing.T) {
	const account, ifsc = "50200012345678", "HDFC0001234"
	for name, tc := range map[string]struct {
		row  []any
		want []string // findings
		paid ledger.Paise
	}{
		"text":                        {[]any{"A", "Asha", account, ifsc, "100.50"}, nil, 100_50},
		"numeric amount":              {[]any{"A", "Asha", account, ifsc, 100.5}, nil, 100_50},
		"amount under a format":       {[]any{"A", "Asha", account, ifsc, styled{1234567.5, `"₹" #,##,##0.00`}}, nil, 1234567_50},
		"noise below a double":        {[]any{"A", "Asha", account, ifsc, raw("1.1000000000000001")}, nil, 1_10},
		"noise of a calculation":      {[]any{"A", "Asha", account, ifsc, raw("0.30000000000000004")}, []string{"amount:amount_inexact"}, 0},
		"noise further up":            {[]any{"A", "Asha", account, ifsc, raw("100.10000000000001")}, []string{"amount:amount_inexact"}, 0},
		"three decimals":              {[]any{"A", "Asha", account, ifsc, 100.125}, []string{"amount:amount_decimals"}, 0},
		"large exponent":              {[]any{"A", "Asha", account, ifsc, raw("1E+10")}, []string{"bene_lei:lei_advised"}, 1e12},
		"negative number":             {[]any{"A", "Asha", account, ifsc, -5}, []string{"amount:amount_negative"}, 0},
		"zero":                        {[]any{"A", "Asha", account, ifsc, 0}, []string{"amount:amount_zero"}, 0},
		"percent":                     {[]any{"A", "Asha", account, ifsc, styled{0.5, "0%"}}, []string{"amount:cell_shows_something_else"}, 0},
		"a date":                      {[]any{"A", "Asha", account, ifsc, time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)}, []string{"amount:cell_date"}, 0},
		"a logical value":             {[]any{"A", "Asha", account, ifsc, true}, []string{"amount:cell_boolean"}, 0},
		"a formula":                   {[]any{"A", "Asha", account, ifsc, formula{250.0}}, []string{"amount:cell_formula"}, 250_00},
		"a formula never calculated":  {[]any{"A", "Asha", account, ifsc, formula{}}, []string{"amount:cell_formula_without_value"}, 0},
		"numeric account":             {[]any{"A", "Asha", 50200012345678, ifsc, 1}, []string{"bank_account_number:account_numeric_cell"}, 0},
		"account shown with zeros":    {[]any{"A", "Asha", styled{123456, "00000000"}, ifsc, 1}, []string{"bank_account_number:account_numeric_cell"}, 0},
		"account by a text formula":   {[]any{"A", "Asha", formula{"50200012345678"}, ifsc, 1}, []string{"bank_account_number:cell_formula"}, 1_00},
		"account by formula":          {[]any{"A", "Asha", formula{50200012345678}, ifsc, 1}, []string{"bank_account_number:cell_formula", "bank_account_number:account_numeric_cell"}, 0},
		"numeric reference":           {[]any{1001, "Asha", account, ifsc, 1}, nil, 1_00},
		"reference with decimals":     {[]any{10.5, "Asha", account, ifsc, 1}, []string{"merchant_txn_ref_id:cell_number_inexact"}, 0},
		"reference beyond 15 digits":  {[]any{12345678901234567, "Asha", account, ifsc, 1}, []string{"merchant_txn_ref_id:cell_number_inexact"}, 0},
		"reference that is a date":    {[]any{styled{45000, "d-mmm"}, "Asha", account, ifsc, 1}, []string{"merchant_txn_ref_id:cell_date"}, 0},
		"reference under a format":    {[]any{styled{7, `"INV-"0`}, "Asha", account, ifsc, 1}, []string{"merchant_txn_ref_id:cell_shows_something_else"}, 0},
		"a number as a remark":        {[]any{"A", "Asha", account, ifsc, 1, 10.5}, nil, 1_00},
		"a short row has empty cells": {[]any{"A", "Asha", account, ifsc}, []string{"amount:amount_missing"}, 0},
		"a cell beyond the header":    {[]any{"A", "Asha", account, ifsc, 1, "", "x"}, []string{":row_too_many_cells"}, 0},
		"a line break":                {[]any{"A", "Asha\nTraders", account, ifsc, 1}, []string{"vendor_name:text_line_break"}, 1_00},
	} {
		t.Run(name, func(t *testing.T) {
			out := checkFile(t, testOptions(), &memory{}, workbook(t, xlsxHeader, tc.row))
			var got []string
			for _, f := range out.Findings {
				got = append(got, f.Column+":"+f.Code)
			}
			same(t, tc.want, got)
			if out.Sheet.Accepted.Total != tc.paid {
				t.Errorf("paid %s, want %s", out.Sheet.Accepted.Total, tc.paid)
			}
		})
	}
}

func TestNumericAccountsAreReadWhenAllowed(t *testing.T) {
	o := testOptions()
	o.NumericAccounts = true
	for name, tc := range map[string]struct {
		cell any
		want []string
		read string
	}{
		"15 digits":   {123456789012345, []string{codeAccountNumericRead}, "123456789012345"},
		"16 digits":   {1234567890123456, []string{codeAccountNumeric}, ""},
		"not whole":   {12345.5, []string{codeAccountNumeric}, ""},
		"negative":    {-123456, []string{codeAccountNumeric}, ""},
		"too short":   {1234, []string{codeAccountNumericRead, codeAccountMalformed}, ""},
		"shown other": {styled{123456, "00000000"}, []string{codeAccountNumeric}, ""},
		"text":        {"00123456", nil, "00123456"},
	} {
		out := checkFile(t, o, nil, workbook(t, xlsxHeader, []any{"A", "Asha", tc.cell, "HDFC0001234", 1}))
		var codes []string
		for _, f := range out.Findings {
			codes = append(codes, f.Code)
			if f.Code != codeAccountMalformed && !strings.HasPrefix(f.Value, "XX") && f.Value != "1234" {
				t.Errorf("%s: %q is not masked", name, f.Value)
			}
		}
		same(t, tc.want, codes, name)
		if (len(out.kept) == 1) != (tc.read != "") || (tc.read != "" && out.kept[0].BankAccountNumber != tc.read) {
			t.Errorf("%s: %+v", name, out.kept)
		}
	}
}

func TestTheSameRowsAreTheSameInCSVAndXLSX(t *testing.T) {
	book := checkFile(t, testOptions(), nil, workbook(t,
		[]any{"Payouts"},
		[]any{"Cost centre", "Amount (INR)", "Ref No", "Payee", "Account No", "IFSC Code"},
		[]any{"north", 1234.5, "A", "Asha\nTraders", "50200012345678", "HDFC0001234"},
		[]any{},
		[]any{nil, formula{2.0}, 1002, "Bela", "00012345", "SBIN0000001"},
		[]any{"Total", formula{1236.5}},
	))
	text := checkText(t, testOptions(), nil, lines(header, "A,\"Asha\r\nTraders\",50200012345678,HDFC0001234,\"1,234.50\"\n", "1002,Bela,00012345,SBIN0000001,2/-\n"))
	if book.Sheet.RowsHash != text.Sheet.RowsHash || len(book.kept) != 2 {
		t.Errorf("XLSX: %v, CSV: %v", book.codes(), text.codes())
	}
	if book.Sheet.SHA256 == text.Sheet.SHA256 {
		t.Error("two files have one hash of their bytes")
	}
	strip := func(out outcome) []Accepted {
		for i := range out.kept {
			out.kept[i].Row = 0
		}
		return out.kept
	}
	same(t, strip(text), strip(book))
}

func TestAFormulaInTheTotalRowNeedsNoWarning(t *testing.T) {
	out := checkFile(t, testOptions(), nil, workbook(t, xlsxHeader,
		[]any{"A", "Asha", "50200012345678", "HDFC0001234", 100},
		[]any{"Total", nil, nil, nil, formula{100}},
	))
	if len(out.Findings) != 0 || !out.Sheet.HasTotal {
		t.Errorf("findings %v, total %v", out.codes(), out.Sheet.HasTotal)
	}
	out = checkFile(t, testOptions(), nil, workbook(t, xlsxHeader,
		[]any{"A", "Asha", "50200012345678", "HDFC0001234", 100},
		[]any{"Total", nil, nil, nil, formula{}},
	))
	same(t, []string{"3:amount:control_total_unreadable"}, out.codes())
}

func TestARowOfFormulasThatWereNeverCalculatedIsNotBlank(t *testing.T) {
	out := checkFile(t, testOptions(), nil, workbook(t, xlsxHeader,
		[]any{"A", "Asha", "50200012345678", "HDFC0001234", 100},
		[]any{formula{}, formula{}, formula{}, formula{}, formula{}},
	))
	if out.Sheet.Rows != 2 || out.Sheet.Blank != 0 || !out.Refused() {
		t.Errorf("rows %d, blank %d", out.Sheet.Rows, out.Sheet.Blank)
	}
}

func TestHiddenRows(t *testing.T) {
	path := workbook(t, xlsxHeader,
		[]any{"A", "Asha", "50200012345678", "HDFC0001234", 1},
		[]any{"B", "Asha", "50200012345678", "HDFC0001234", 2},
	)
	f, err := excelize.OpenFile(path)
	must(t, err)
	must(t, f.SetRowVisible("Sheet1", 3, false))
	must(t, f.Save())
	for hidden, want := range map[ingest.HiddenRows]struct {
		refs []string
		code []string
	}{
		"":                   {[]string{"A", "B"}, []string{"hidden_rows"}},
		ingest.HiddenError:   {[]string{"A", "B"}, []string{"hidden_rows"}},
		ingest.HiddenSkip:    {[]string{"A"}, nil},
		ingest.HiddenInclude: {[]string{"A", "B"}, nil},
	} {
		o := testOptions()
		o.HiddenRows = string(hidden)
		out := checkFile(t, o, nil, path)
		var codes []string
		for _, f := range out.Findings {
			codes = append(codes, f.Code)
		}
		same(t, want.code, codes, hidden)
		same(t, want.refs, out.refs(), hidden)
		if out.FileRefused() != (want.code != nil) {
			t.Errorf("%q: refused %v", hidden, out.FileRefused())
		}
	}
}

func TestTheTabWithAHeaderIsRead(t *testing.T) {
	f := excelize.NewFile()
	defer f.Close()
	must(t, f.SetSheetRow("Sheet1", "A1", &[]any{"How to fill in the amount and the IFSC"}))
	if _, err := f.NewSheet("November"); err != nil {
		t.Fatal(err)
	}
	for cell, row := range map[string][]any{"A1": xlsxHeader, "A2": {"A", "Asha", "50200012345678", "HDFC0001234", 1}} {
		must(t, f.SetSheetRow("November", cell, &row))
	}
	path := filepath.Join(t.TempDir(), "two.xlsx")
	must(t, f.SaveAs(path))
	out := checkFile(t, testOptions(), nil, path)
	if out.Sheet.Tab != "November" || len(out.kept) != 1 {
		t.Errorf("tab %q, %v", out.Sheet.Tab, out.codes())
	}
}

// A row came from a row of its sheet: below the header, and no lower than the last one. Gaps, which a workbook
// does not store, and hidden rows that were skipped count.
func TestARowCameFromARowThatItsSheetHas(t *testing.T) {
	payout := []any{"A", "Asha", "50200012345678", "HDFC0001234", 1}
	path := workbook(t, []any{"Salaries"}, xlsxHeader, payout, nil, nil, nil, []any{"B", "Bina", "50200012345679", "HDFC0001234", 2}, []any{"Total", nil, nil, nil, 3})
	f, err := excelize.OpenFile(path)
	must(t, err)
	must(t, f.SetRowVisible("Sheet1", 3, false))
	must(t, f.Save())
	o := testOptions()
	o.HiddenRows = string(ingest.HiddenSkip)
	from := checkFile(t, o, nil, path).Sheet
	from.ID = "sh22ghnaxmgj"
	for row, known := range map[int]bool{2: false, 3: true, 7: true, 8: true, 9: false} {
		o := testOptions()
		o.Origin = &from
		out := checkText(t, o, nil, fmt.Sprintf("%s,payrun_sheet,payrun_row\n%s,%s,%d\n", strings.TrimSpace(header), strings.TrimSpace(good("N", "1")), from.ID, row))
		if refused := slices.Contains(out.codes(), "2:payrun_row:origin_malformed"); refused == known {
			t.Errorf("row %d: %v", row, out.codes())
		}
	}
}

// What a person sees below an unread header counts, not the number behind it.
func TestANumberInAnUnreadColumnSaysWhatItsFormatShows(t *testing.T) {
	const flag = `[=1]"Hold";[=2]"OK";General`
	row := func(ref string, amount int, ready any) []any {
		return []any{ref, "Asha", "50200012345678", "HDFC0001234", amount, "", ready}
	}
	path := workbook(t, append(slices.Clone(xlsxHeader), "Status"), row("A-1", 100, styled{1, flag}), row("A-2", 200, styled{2, flag}))
	o := checkFile(t, testOptions(), nil, path)
	if f := o.finding(t, codeRowSaysOtherwise); len(o.Findings) != 1 || f.Row != 2 || f.Value != "Hold" {
		t.Errorf("%+v", o.Findings)
	}
}
