package resultsheet_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/reports/resultsheet"
	"payrun/validate"
)

// must ends a test at an error that it is not about.
func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// readBack reads a sheet with the reader that payouts are read with.
func readBack(t rapid.TB, path string) (rows []ingest.Row) {
	t.Helper()
	s, err := validate.Open(path, validate.Options{Choices: validate.Choices{HiddenRows: string(ingest.HiddenInclude)}})
	must(t, err)
	defer s.Close() //nolint:errcheck // only read from
	for {
		row, err := s.Next()
		if errors.Is(err, io.EOF) {
			return rows
		}
		must(t, err)
		row.Cells, row.Kinds, row.Styles = slices.Clone(row.Cells), slices.Clone(row.Kinds), nil
		rows = append(rows, row)
	}
}

// giveBack lets a sheet of one header and bad rows go out and come back.
func giveBack(t rapid.TB, dir, path string) string {
	t.Helper()
	info, rows := ledger.Sheet{Name: filepath.Base(path), Format: strings.TrimPrefix(filepath.Ext(path), "."), Header: 1}, []int(nil)
	for _, row := range readBack(t, path)[1:] {
		rows = append(rows, row.Number)
	}
	s, err := validate.Open(path, validate.Options{})
	must(t, err)
	for err == nil {
		_, err = s.Next()
	}
	info.SHA256 = s.SHA256()
	_ = s.Close()
	out, err := resultsheet.WriteRejected(context.Background(), resultsheet.Rejected{Sheet: info, Rows: rows, Dirs: []string{dir}, At: time.Unix(0, 0)},
		func() (resultsheet.Rows, error) { return validate.Open(path, validate.Options{}) })
	must(t, err)
	back, err := out.Keep()
	must(t, err)
	return back
}

const ownHeader = "merchant_txn_ref_id,vendor_name,bank_account_number,ifsc,amount"

// anyCell draws what people and other programs put into cells.
func anyCell() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "INV-1", "001234567890", "1,00,000.00", "-5", "=1+1", "@x", "+91 98", " x ", "_x0041_", "a\nb", "नर्मदा ट्रेडर्स",
			"\u202eabc", "\u200b", "'=1", "<&>\"'", "1E5", "\t=1", "a\tb", "]]>", "\x1b[31m", "_x", "\u00a0"}),
		rapid.StringOfN(rapid.RuneFrom([]rune("ab01=+-@,;|\"' \t\n_x<&\u0001\u007f\u200e₹é\U0001F600")), 0, 12, -1),
	)
}

// TestATextGoesOutAndComesBackAsItWas: what a CSV holds is read the same after
// it was given back, as CSV or as XLSX.
func TestATextGoesOutAndComesBackAsItWas(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(anyCell(), 5, 5).Draw(t, "cells")
		cells[0] += "." // a blank row is no row
		quoted := make([]string, len(cells))
		for i, c := range cells {
			quoted[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
		}
		path := filepath.Join(dir, "sheet.csv")
		must(t, os.WriteFile(path, []byte(ownHeader+"\n"+strings.Join(quoted, ",")+"\n"), 0o600))
		back := giveBack(t, dir, path)
		defer os.Remove(back) //nolint:errcheck // of a folder that goes away
		row := readBack(t, back)[1]
		if diff := cmp.Diff(cells, row.Cells[:5]); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", filepath.Base(back), diff)
		}
		for i, k := range row.Kinds {
			if k != ingest.Text && k != ingest.Blank {
				t.Fatalf("cell %d of %s is no text any more but %d", i, filepath.Base(back), k)
			}
		}
	})
}

// TestCellsOfAWorkbookComeBackAsTheyWere: kind and value of each, whatever its
// format makes of it.
func TestCellsOfAWorkbookComeBackAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	f := excelize.NewFile()
	for i, name := range strings.Split(ownHeader, ",") {
		_ = f.SetCellStr("Sheet1", fmt.Sprintf("%c1", 'A'+i), name)
	}
	format := func(code string) int {
		id, err := f.NewStyle(&excelize.Style{CustomNumFmt: &code})
		must(t, err)
		return id
	}
	builtin := func(n int) int {
		id, err := f.NewStyle(&excelize.Style{NumFmt: n})
		must(t, err)
		return id
	}
	for row, c := range []struct {
		value any
		style int
	}{
		{"001234567890", 0}, {"=1+1", 0}, {1250.5, 0}, {0.1 + 0.2, 0}, {123456789012345678, 0}, {42, format("000000")}, {7, format(`"INV-"0`)},
		{0.12, builtin(9)}, {1250.5, builtin(4)}, {46053, builtin(14)}, {46053.75, builtin(22)}, {0.5, builtin(20)}, {1, builtin(14)}, {60, builtin(14)},
		{46053, format("dd/mm/yyyy")}, {true, 0}, {-5.25, format("#,##0.00;(#,##0.00)")}, {"text in a date", builtin(14)}, {"17", builtin(49)}, {17, builtin(49)},
	} {
		at := fmt.Sprintf("A%d", row+2)
		must(t, f.SetCellValue("Sheet1", at, c.value))
		must(t, f.SetCellStyle("Sheet1", at, at, c.style))
	}
	last := 22
	for _, formula := range []string{"1+1", "1/0"} { // excelize saves no value
		must(t, f.SetCellFormula("Sheet1", fmt.Sprintf("A%d", last), formula))
		last++
	}
	path := filepath.Join(dir, "sheet.xlsx")
	must(t, f.SaveAs(path))
	want, got := readBack(t, path), readBack(t, giveBack(t, dir, path))
	if len(want) != len(got) || len(want) != 23 {
		t.Fatalf("%d rows came back of %d", len(got), len(want))
	}
	for i := range want {
		w, g := want[i], got[i]
		if i == 0 {
			continue
		}
		if w.Kinds[0] == ingest.FormulaEmpty {
			w.Kinds[0], w.Cells[0] = ingest.Error, "#N/A" // refused as before, and not as if nothing were there
		}
		if w.Cells[0] != g.Cells[0] || w.Kinds[0] != g.Kinds[0] {
			t.Errorf("row %d: %q of kind %d came back as %q of kind %d", w.Number, w.Cells[0], w.Kinds[0], g.Cells[0], g.Kinds[0])
		}
	}
}

// TestEveryFormatComesBackAsWhatItIs: a date stays one, and a number
// that shows as something else stays refused.
func TestEveryFormatComesBackAsWhatItIs(t *testing.T) {
	dir := t.TempDir()
	f := excelize.NewFile()
	for i, name := range strings.Split(ownHeader, ",") {
		_ = f.SetCellStr("Sheet1", fmt.Sprintf("%c1", 'A'+i), name)
	}
	row := 1
	for n := range 500 { // the numbers that mean something, and more codes than a workbook has room for
		style := &excelize.Style{NumFmt: n}
		if n >= 82 {
			code := fmt.Sprintf(`"INV%d-"0`, n)
			style = &excelize.Style{CustomNumFmt: &code}
		}
		id, err := f.NewStyle(style)
		must(t, err)
		row++
		at := fmt.Sprintf("A%d", row)
		must(t, errors.Join(f.SetCellValue("Sheet1", at, 46053.5), f.SetCellStyle("Sheet1", at, at, id)))
	}
	path := filepath.Join(dir, "sheet.xlsx")
	must(t, f.SaveAs(path))
	want, got := readBack(t, path), readBack(t, giveBack(t, dir, path))
	for i := range want[1:] {
		w, g := want[i+1], got[i+1]
		if w.Cells[0] != g.Cells[0] || w.Kinds[0] != g.Kinds[0] {
			t.Errorf("format %d: %q of kind %d came back as %q of kind %d", i, w.Cells[0], w.Kinds[0], g.Cells[0], g.Kinds[0])
		}
	}
}

// TestASheetThatChangedMeanwhileIsNotGivenBack: neither its rejected rows nor
// its result, as whatever it is written.
func TestASheetThatChangedMeanwhileIsNotGivenBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sheet.csv")
	must(t, os.WriteFile(path, []byte(ownHeader+"\nINV-1,a,b,c,d\n"), 0o600))
	for _, format := range []string{"csv", "xlsx"} {
		sheet := ledger.Sheet{Name: "nov." + format, Format: format, Header: 1, SHA256: strings.Repeat("0", 64)}
		r := resultsheet.Rejected{Sheet: sheet, Rows: []int{2}, Dirs: []string{t.TempDir()}}
		_, err := resultsheet.WriteRejected(t.Context(), r, func() (resultsheet.Rows, error) { return validate.Open(path, validate.Options{}) })
		if err == nil || !strings.Contains(err.Error(), "no longer the sheet that was read") {
			t.Errorf("%s: another sheet was given back in the place of the one that was read: %v", format, err)
		}
	}
}

// TestRowsOfAnotherShapeAreRefusedAgain: no one knows which cell of theirs
// belongs where, so as long as no person has moved them nothing may pass,
// whatever the number of cells and whichever file they come back in.
func TestRowsOfAnotherShapeAreRefusedAgain(t *testing.T) {
	accounts := []ledger.DebitAccount{{Name: "main", BankAccountID: "11111111-1111-4111-8111-111111111111", PartnerBankID: 3, Default: true}}
	o := validate.Options{Accounts: accounts, TransactionTypeID: "NEFT", Origin: &ledger.Sheet{}}
	const header = ownHeader + ",remarks,dept"
	broken := []string{
		"INV-1,Asha Traders,001234567890,HDFC0001234,5.00,Nov",                // the last is missing
		"INV-2,Asha Traders,001234567890,HDFC0001234,5.00",                    // the last two are: as many as we add
		"INV-3,Asha Traders,001234567890,HDFC0001234,1,000.00,Nov,Ops",        // one too many
		"INV-4,Asha Traders,001234567890,HDFC0001234,1,00,000.00,Nov,Ops",     // two too many: as many as we add
		"INV-5,Asha Traders,001234567890,HDFC0001234,1,00,000.00,Nov,Ops,,,,", // and empty ones
		"INV-6",
		"INV-7,Asha Traders,001234567890", // the last four are: as many as we add
		"INV-8,Asha Traders,001234567890,HDFC0001234,5.00,Nov,Ops,1,2,3,shx,12", // and as many too many
	}
	for name, more := range map[string]string{"csv": "INV-9,Bhima,x,y,5.00,Nov,Ops", "xlsx": "INV-9,=Bhima(),x,y,5.00,Nov,Ops"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "sheet.csv")
		must(t, os.WriteFile(path, []byte(header+"\n"+strings.Join(append(broken, more), "\n")+"\n"), 0o600))
		for round := range 3 { // and the rows that come back are given back again
			path = giveBack(t, dir, path)
			if ext := filepath.Ext(path); ext != "."+name {
				t.Errorf("round %d, %s: it came back as %s", round, name, path)
			}
			result, err := validate.Check(t.Context(), path, o, nil, func([]validate.Accepted) error { return nil })
			must(t, err)
			if a := result.Sheet.Accepted.Count; a != 0 || result.Sheet.Rejected.Count != len(broken)+1 {
				t.Errorf("round %d, %s: %d accepted, %d rejected of %d", round, filepath.Base(path), a, result.Sheet.Rejected.Count, len(broken)+1)
			}
		}
	}
}
