package reports

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"payrun/ledger"
)

// ownOf gives the sheets of a ledger the rows of a test, by their names.
func ownOf(rows map[string][]OwnRow) func(context.Context, ledger.Sheet) (OwnRows, error) {
	return func(_ context.Context, s ledger.Sheet) (OwnRows, error) {
		own, ok := rows[s.Name]
		if !ok {
			return nil, ledger.ErrNotFound
		}
		return &ownSheet{rows: own}, nil
	}
}

// paidSheet is a ledger of one sheet: row 4 was left out, row 7 is its total.
func paidSheet() *memory {
	m := &memory{}
	s := m.sheet("nov.csv")
	m.sheets[0].Header, m.sheets[0].Rows, m.sheets[0].HasTotal = 2, 3, true
	b := m.batch(s, 3, ledger.BatchSettled)
	at := func(row int, change func(*ledger.Attempt)) func(*ledger.Attempt) {
		return func(a *ledger.Attempt) { a.Row = row; change(a) }
	}
	m.payout(b, 100_00, ledger.PayoutSuccess, at(3, func(a *ledger.Attempt) { a.BankTxnRefID, a.Status = "UTR0001", "success" }))
	m.payout(b, 200_00, ledger.PayoutFailed, at(6, func(a *ledger.Attempt) {
		a.Reason, a.Number, a.WireRef = "the bank says failed: \x1b[31mNO", 2, a.Ref+"-R2"
	}))
	return m
}

func paidRows() []OwnRow {
	rows := ownText("November||", "Ref|Amount|Dept", "INV-0001|100.00|Ops", "INV-X|=1+1|", "||", "INV-0002|200.00|Ops", "Total|300.00|", "||")
	rows[2].Cells[1] = OwnCell{Text: "100.00", Kind: OwnNumber, Format: OwnFormat{ID: 4}}
	return rows
}

func TestAResultSheetSaysOfEachRowWhatBecameOfIt(t *testing.T) {
	m := paidSheet()
	dir := writeAll(t, m, Options{Own: ownOf(map[string][]OwnRow{"nov.csv": paidRows()})})
	batch := m.batches[0].ID
	fix := "Settle the reason with the payee or the bank, then plan a new attempt: payrun retry " + batch + "."
	want := [][]string{
		{"November"},
		{"Ref", "Amount", "Dept", "payrun_status", "payrun_utr", "payrun_batch", "payrun_attempt", "payrun_reason", "payrun_fix"},
		{"INV-0001", "100.00", "Ops", "success", "UTR0001", batch, "1"},
		{"INV-X", "=1+1", "", leftOutStatus, "", "", "", leftOutReason, leftOutFix},
		nil,
		{"INV-0002", "200.00", "Ops", "failed", "", batch, "2", `the bank says failed: \x1b[31mNO`, fix},
		{"Total", "300.00"},
	}
	path := filepath.Join(dir, "nov.result.xlsx")
	if diff := cmp.Diff(want, bookRows(t, path)); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: the accounts in it are full", info.Mode(), err)
	}
	if strings.Contains(partOf(t, path, "xl/worksheets/sheet1.xml"), "<f>") {
		t.Error("a formula came back")
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read from
	if panes, err := f.GetPanes("Payouts"); err != nil || !panes.Freeze || panes.YSplit != 2 {
		t.Errorf("panes %+v, %v; want the header frozen", panes, err)
	}
}

func TestResultSheetsAreTheSameBytesForTheSameLedger(t *testing.T) {
	o := Options{Own: ownOf(map[string][]OwnRow{"nov.csv": paidRows()})}
	first := read(t, writeAll(t, paidSheet(), o), "nov.result.xlsx")
	if again := read(t, writeAll(t, paidSheet(), o), "nov.result.xlsx"); string(first) != string(again) {
		t.Error("two result sheets of one ledger differ")
	}
}

func TestARowOfTextBelowTheLastPayoutIsATotalOnlyWhereThereIsOne(t *testing.T) {
	m := paidSheet()
	m.sheets[0].HasTotal = false
	dir := writeAll(t, m, Options{Own: ownOf(map[string][]OwnRow{"nov.csv": paidRows()})})
	if last := bookRows(t, filepath.Join(dir, "nov.result.xlsx"))[6]; len(last) != 9 || last[3] != leftOutStatus {
		t.Errorf("the last row says %q", last)
	}
}

func TestCellsThatNoHeaderIsAboveStayBehindOurs(t *testing.T) {
	rows := paidRows()
	rows[3] = ownText("INV-X|=1+1|Ops|more|and more")[0]
	rows[3].Number = 4
	dir := writeAll(t, paidSheet(), Options{Own: ownOf(map[string][]OwnRow{"nov.csv": rows})})
	want := []string{"INV-X", "=1+1", "Ops", leftOutStatus, "", "", "", leftOutReason, leftOutFix, "more", "and more"}
	if diff := cmp.Diff(want, bookRows(t, filepath.Join(dir, "nov.result.xlsx"))[3]); diff != "" {
		t.Errorf("row 4 (-want +got):\n%s", diff)
	}
}

func TestASheetLargerThanAWorkbookIsGivenBackAsCSV(t *testing.T) {
	m, rows := paidSheet(), paidRows()
	rows[6].Number, rows[7].Number = maxTabRows+1, maxTabRows+2
	paths, err := Write(t.Context(), m, Options{Dir: t.TempDir(), Own: ownOf(map[string][]OwnRow{"nov.csv": rows})})
	if err != nil {
		t.Fatal(err)
	}
	path := paths[len(paths)-1]
	if len(paths) != 6 || filepath.Base(path) != "nov.result.csv" {
		t.Fatalf("%v", paths)
	}
	got := csvRows(t, path)
	if diff := cmp.Diff([]string{"INV-0001", "100.00", "Ops", "success", "UTR0001", m.batches[0].ID, "1", "", ""}, got[2]); diff != "" {
		t.Errorf("row 3 (-want +got):\n%s", diff)
	}
	if got[3][1] != "'=1+1" {
		t.Errorf("a formula went into a CSV: %q", got[3])
	}
	b, err := os.ReadFile(path)
	if lines := strings.Count(string(b), "\n"); err != nil || lines != maxTabRows+1 {
		t.Errorf("it has %d lines, %v: a row's number is no longer its line", lines, err)
	}
}

func TestASheetWhoseBytesAreNotKeptHasNoResultSheet(t *testing.T) {
	m := paidSheet()
	m.sheet("old.csv")
	paths, err := Write(t.Context(), m, Options{Dir: t.TempDir(), Own: ownOf(map[string][]OwnRow{"nov.csv": paidRows()})})
	if err != nil || len(paths) != 6 {
		t.Errorf("%v, %v", paths, err)
	}
	for _, o := range []Options{{}, {Own: ownOf(nil)}} {
		o.Dir = t.TempDir()
		if paths, err := Write(t.Context(), m, o); err != nil || len(paths) != 5 {
			t.Errorf("%v, %v", paths, err)
		}
	}
}

func TestAResultThatCannotBeWrittenLeavesNoReport(t *testing.T) {
	broken := errors.New("broken")
	missing := paidRows()
	missing = append(missing[:5:5], missing[6:]...)
	for name, own := range map[string]func(context.Context, ledger.Sheet) (OwnRows, error){
		"it cannot be opened":         func(context.Context, ledger.Sheet) (OwnRows, error) { return nil, broken },
		"a payout's row is missing":   ownOf(map[string][]OwnRow{"nov.csv": missing}),
		"it ends before the last one": ownOf(map[string][]OwnRow{"nov.csv": paidRows()[:4]}),
	} {
		dir := t.TempDir()
		if _, err := Write(t.Context(), paidSheet(), Options{Dir: dir, Own: own}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s: there is %v", name, left)
		}
	}
}
