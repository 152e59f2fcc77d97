package statement_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"payrun/ingest/statement"
)

var update = flag.Bool("update", false, "write the statements of samples/ anew")

// TestTheShippedStatements: the month in every format, under names that people
// give such files, is read alike.
func TestTheShippedStatements(t *testing.T) {
	b := november()
	titled := append([][]string{{"Statement of account", "", "", "", "", ""}, {"Account No", account, "", "", "", ""}}, b.rows(false)...)
	for name, want := range map[string]struct{ format, content string }{
		"november.csv":        {statement.FormatCSV, csvOf(titled)},
		"november.xlsx":       {statement.FormatXLSX, xlsxOf(t, titled)},
		"november-02.xml":     {statement.FormatCamt, b.camt("02")},
		"november-08.xml":     {statement.FormatCamt, b.camt("08")},
		"november.sta":        {statement.FormatMT940, b.mt940(2, false)},
		"november-blocks.sta": {statement.FormatMT940, b.mt940(0, true)},
	} {
		path := filepath.Join("..", "..", "samples", "statements", name)
		if *update {
			must(t, os.WriteFile(path, []byte(want.content), 0o644))
		}
		f, err := statement.Read(path, statement.Options{Ours: ours, Format: want.format})
		if err != nil || f.Refused() {
			t.Fatalf("%s: %v %+v", name, err, f.Findings)
		}
		if f.Account != account || f.From != "2025-11-20" || f.To != "2025-11-23" {
			t.Errorf("%s: account %s, %s to %s", name, f.Account, f.From, f.To)
		}
		same(t, name, f, b)
	}
}
