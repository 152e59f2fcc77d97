package resultsheet

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"payrun/reports/xlsx"
)

func sampleTemplate() Template {
	return Template{Columns: []TemplateColumn{
		{Name: "merchant_txn_ref_id", Required: true, What: "Your reference.", Example: "EXAMPLE"},
		{Name: "bank_account_number", Required: true, What: "The account.", Example: "001234567890"},
		{Name: "amount", Required: true, Amount: true, What: "Rupees.", Example: "1250.50"},
		{Name: "bank_account_id", What: "The debit account.", Choices: []string{"main, Mumbai", "salaries"}},
		{Name: "transaction_type_id", What: "How.", Choices: []string{"NEFT"}},
	}}
}

func openTemplate(t *testing.T) *excelize.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.xlsx")
	must(t, WriteTemplate(path, sampleTemplate()))
	return openBook(t, path)
}

func TestATemplateHasItsHeaderAndNothingBelow(t *testing.T) {
	f := openTemplate(t)
	rows, err := f.GetRows(templateTab)
	want := [][]string{{"merchant_txn_ref_id *", "bank_account_number *", "amount *", "bank_account_id", "transaction_type_id"}}
	if diff := cmp.Diff(want, rows); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if panes, err := f.GetPanes(templateTab); err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("panes %+v, %v", panes, err)
	}
	notes, err := f.GetComments(templateTab)
	if err != nil || len(notes) != 5 || !strings.HasPrefix(notes[0].Paragraph[0].Text, "Required. Your reference. For example: EXAMPLE") ||
		notes[3].Paragraph[0].Text != "Optional. The debit account." {
		t.Errorf("notes %+v, %v", notes, err)
	}
}

// TestATemplateKeepsDigits: whatever is typed into any row, account numbers
// keep their zeros.
func TestATemplateKeepsDigits(t *testing.T) {
	f := openTemplate(t)
	for column, want := range map[string]int{"A": xlsx.TextFormat, "B": xlsx.TextFormat, "D": xlsx.TextFormat} {
		id, err := f.GetColStyle(templateTab, column)
		must(t, err)
		if style, err := f.GetStyle(id); err != nil || style.NumFmt != want {
			t.Errorf("column %s: %+v, %v", column, style, err)
		}
	}
	id, _ := f.GetColStyle(templateTab, "C")
	if style, err := f.GetStyle(id); err != nil || style.CustomNumFmt == nil || *style.CustomNumFmt != xlsx.MoneyFormat {
		t.Errorf("the amount's format is %+v, %v", style, err)
	}
}

func TestATemplateOffersChoices(t *testing.T) {
	f := openTemplate(t)
	rules, err := f.GetDataValidations(templateTab)
	if err != nil || len(rules) != 2 {
		t.Fatalf("%d rules, %v", len(rules), err)
	}
	for i, want := range []string{"D2:D1048576 'Choices'!$A$1:$A$2", "E2:E1048576 'Choices'!$B$1:$B$1"} {
		if got := rules[i].Sqref + " " + rules[i].Formula1; got != want || rules[i].ShowErrorMessage {
			t.Errorf("rule %d is %s, want %s, as an offer", i, got, want)
		}
	}
	if visible, err := f.GetSheetVisible(choicesTab); err != nil || visible {
		t.Errorf("the lists are in sight: %v", err)
	}
	if got, _ := f.GetCellValue(choicesTab, "A1"); got != "main, Mumbai" {
		t.Errorf("the first choice is %q", got)
	}
}

func TestTheReadMeTabExplainsEveryColumn(t *testing.T) {
	f := openTemplate(t)
	rows, err := f.GetRows(readMeTab)
	must(t, err)
	var table [][]string
	for i, row := range rows {
		if len(row) > 0 && row[0] == "Column" {
			table = rows[i+1:]
		}
	}
	want := [][]string{
		{"merchant_txn_ref_id", "required", "Your reference.", "EXAMPLE"},
		{"bank_account_number", "required", "The account.", "001234567890"},
		{"amount", "required", "Rupees.", "1250.50"},
		{"bank_account_id", "optional", "The debit account."},
		{"transaction_type_id", "optional", "How."},
	}
	for i := range table {
		if len(table[i]) > 3 && table[i][3] == "" {
			table[i] = table[i][:3]
		}
	}
	same(t, want, table)
}

func TestACSVTemplateHasItsExampleRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.CSV")
	must(t, WriteTemplate(path, sampleTemplate()))
	want := [][]string{
		{"merchant_txn_ref_id *", "bank_account_number *", "amount *", "bank_account_id", "transaction_type_id"},
		{"EXAMPLE", "001234567890", "1250.50", "", ""},
	}
	same(t, want, csvRows(t, path))
}

func TestATemplateNeverOverwrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.xlsx")
	must(t, os.WriteFile(path, []byte("mine"), 0o600))
	if err := WriteTemplate(path, sampleTemplate()); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v, want ErrExist", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "mine" {
		t.Error("what was there is gone")
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("there is more: %v", left)
	}
	if err := WriteTemplate(filepath.Join(path, "no", "t.csv"), sampleTemplate()); err == nil {
		t.Error("it was written into a folder that is none")
	}
}
