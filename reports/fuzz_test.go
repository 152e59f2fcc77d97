package reports

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strings"
	"testing"
	"unicode"

	"payrun/ledger"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// Whatever a sheet or a bank wrote: what a report shows of it is visible, fits a
// cell, is no formula, and comes back from the CSV as it was written.
func FuzzCell(f *testing.F) {
	for _, text := range []string{
		"Asha Traders", "=HYPERLINK(\"x\")", "@SUM(1)", "a;=1+1", "\t=1", "\x1b[31m", "\u202eabc", "＝1", "\"=1", "a\r\nb", "\xff", strings.Repeat("é", 40_000), " \u00a0-1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := ledger.Attempt{Payout: ledger.Payout{Ref: "INV-1", VendorName: text, Remarks: text}, Reason: text}
		cleanAttempt(&a)
		for _, shown := range []string{a.VendorName, a.Remarks, a.Reason} {
			if Clean(shown) != shown || xlsx.Length(shown) > xlsx.MaxCellLength || strings.ContainsFunc(shown, unicode.IsControl) {
				t.Errorf("%q is shown as %q", text, shown)
			}
		}
		dir, line := folder.At(t.TempDir()), new(bytes.Buffer)
		defer dir.Discard()
		f, err := newCSV(dir, attemptColumns)
		if err == nil {
			err = f.add(cellsOf(attemptColumns, &attemptRow{Attempt: a, batch: &ledger.Batch{}}, nil))
		}
		f.lines.Flush()
		must(t, errors.Join(err, f.draft.CopyTo(line)))
		rows, err := csv.NewReader(line).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%q: %d rows, %v", text, len(rows), err)
		}
		for _, cell := range rows[1] {
			for part := range strings.SplitSeq(cell, ";") {
				if bare := strings.TrimLeft(part, " \u00a0\u3000\""); bare != "" && strings.ContainsRune(formulaStarts, []rune(bare)[0]) {
					t.Errorf("%q is a formula in %q", part, cell)
				}
			}
		}
	})
}
