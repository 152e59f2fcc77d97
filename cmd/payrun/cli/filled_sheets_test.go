package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/xuri/excelize/v2"
)

// fill FILE REF… fills a template in, as a person with a spreadsheet program
// does, a payout a reference.
func scriptFill(ts *testscript.TestScript, _ bool, args []string) {
	cells := map[string]any{}
	for i, ref := range args[1:] {
		for column, value := range map[string]any{
			"A": ref, "B": "Asha Traders", "C": fmt.Sprintf("0012345678%02d", i), "D": "HDFC0001234", "E": 100_000.25, "H": "pb3", "I": "NEFT",
		} {
			cells[fmt.Sprint(column, i+2)] = value
		}
	}
	setCells(ts, args[0], args[0], cells)
}

// spoil FROM TO makes another sheet of one that was filled in, with new
// references and one bad IFSC.
func scriptSpoil(ts *testscript.TestScript, _ bool, args []string) {
	setCells(ts, args[0], args[1], map[string]any{"A2": "OCT-1", "A3": "OCT-2", "D3": "HDFCO001234"})
}

// setCells writes into the cells of a template.
func setCells(ts *testscript.TestScript, from, to string, cells map[string]any) {
	f, err := excelize.OpenFile(ts.MkAbs(from))
	ts.Check(err)
	defer f.Close() //nolint:errcheck // saved before
	for at, value := range cells {
		ts.Check(f.SetCellValue("Payouts", at, value))
	}
	ts.Check(f.SaveAs(ts.MkAbs(to)))
}

// tabs FILE NAME… writes a workbook with two payouts on each tab of those names.
func scriptTabs(ts *testscript.TestScript, _ bool, args []string) {
	f := excelize.NewFile()
	defer f.Close() //nolint:errcheck // saved before
	for i, tab := range args[1:] {
		if i == 0 {
			ts.Check(f.SetSheetName("Sheet1", tab))
		} else {
			_, err := f.NewSheet(tab)
			ts.Check(err)
		}
		for n, row := range [][]string{
			{"Ref No", "Payee", "Account Number", "IFSC Code", "Amount"},
			{tab + "-1", "Asha Traders", "001234567890", "HDFC0001234", "1000"},
			{tab + "-2", "Bhima Traders", "001234567891", "HDFC0001234", "2000"},
		} {
			ts.Check(f.SetSheetRow(tab, fmt.Sprintf("A%d", n+1), &row))
		}
	}
	ts.Check(f.SaveAs(ts.MkAbs(args[0])))
}

// replace FILE OLD=NEW… edits a text.
func scriptReplace(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	for _, pair := range args[1:] {
		before, after, _ := strings.Cut(pair, "=")
		if !strings.Contains(text, before) {
			ts.Fatalf("%s does not have %q", args[0], before)
		}
		text = strings.ReplaceAll(text, before, after)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// mode MODE FILE holds a file's permissions against MODE.
func scriptMode(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%#o", info.Mode().Perm()); got != args[0] {
		ts.Fatalf("%s has the mode %s, want %s", args[1], got, args[0])
	}
}

// cells FILE [CELL VALUE]… holds cells of a workbook's first tab against what
// they show; the last may have no value, for an empty cell.
func scriptCells(ts *testscript.TestScript, _ bool, args []string) {
	f, err := excelize.OpenFile(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close() //nolint:errcheck // only read from
	for i := 1; i < len(args); i += 2 {
		want := ""
		if i+1 < len(args) {
			want = args[i+1]
		}
		got, err := f.GetCellValue(f.GetSheetName(0), args[i])
		ts.Check(err)
		if got != want {
			ts.Fatalf("%s of %s is %q, want %q", args[i], args[0], got, want)
		}
	}
}
