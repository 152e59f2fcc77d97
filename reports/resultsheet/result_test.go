package resultsheet

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/reports"
	"payrun/reports/xlsx"
)

// must ends a test at an error that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same wants two values to be equal; of says of what, where the line does not.
func same(t testing.TB, want, got any, of ...any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(append(of, diff)...)
	}
}

// ownOf gives the sheets of a ledger the rows of a test, by their names.
func ownOf(rows map[string][]ingest.Row) func(context.Context, ledger.Sheet) (Rows, error) {
	return func(_ context.Context, s ledger.Sheet) (Rows, error) {
		own, ok := rows[s.Name]
		if !ok {
			return nil, ledger.ErrNotFound
		}
		return &ownSheet{rows: own, formats: []ingest.NumberFormat{{}, {ID: 4}}, sha256: s.SHA256}, nil
	}
}

// paidLedger is a ledger of one sheet: row 4 was left out, row 7 is its total.
type paidLedger struct {
	sheets  []ledger.Sheet
	batch   ledger.Batch
	payouts []ledger.Attempt
}

var day = time.Date(2026, 11, 20, 4, 30, 0, 0, time.UTC)

func paidSheet() *paidLedger {
	m := &paidLedger{
		sheets: []ledger.Sheet{{ID: "sh1", Name: "nov.csv", SHA256: "aa", Format: "csv", Header: 2, Rows: 3, HasTotal: true, LoadedAt: day}},
		batch:  ledger.Batch{ID: "prt1", SheetID: "sh1", Sequence: 1, Attempt: 1, State: ledger.BatchSettled, PartnerBankID: 3},
	}
	add := func(row int, ref string, amount ledger.Paise, state ledger.PayoutState, change func(*ledger.Attempt)) {
		a := ledger.Attempt{
			Payout: ledger.Payout{ID: int64(row), SheetID: "sh1", Row: row, Ref: ref, Amount: amount},
			Number: 1, WireRef: ref, BatchID: m.batch.ID, State: state, UpdatedAt: day,
		}
		change(&a)
		m.payouts = append(m.payouts, a)
	}
	add(3, "INV-0001", 100_00, ledger.PayoutSuccess, func(a *ledger.Attempt) { a.BankTxnRefID, a.Status = "UTR0001", "success" })
	add(6, "INV-0002", 200_00, ledger.PayoutFailed, func(a *ledger.Attempt) {
		a.Reason, a.Number, a.WireRef = "the bank says failed: \x1b[31mNO", 2, a.Ref+"-R2"
		a.BankAccountNumber, a.IFSC = "000111222333", "TSTB0000333"
	})
	return m
}

func (m *paidLedger) Sheets(context.Context) ([]ledger.Sheet, error) { return m.sheets, nil }

func (m *paidLedger) Batches(context.Context, ledger.Filter) ([]ledger.Batch, error) {
	return []ledger.Batch{m.batch}, nil
}

func (m *paidLedger) EachPayout(_ context.Context, f ledger.Filter, fn func(ledger.Attempt) error) error {
	for _, a := range m.payouts {
		if f.SheetID != "" && f.SheetID != a.SheetID {
			continue
		}
		if err := fn(a); err != nil {
			return err
		}
	}
	return nil
}

func (m *paidLedger) Events(context.Context, func(ledger.Event) error) error { return nil }

func (m *paidLedger) AuditHead(context.Context) (ledger.AuditHead, error) {
	return ledger.AuditHead{Length: 1, Hash: "aa", At: day}, nil
}

func paidRows() []ingest.Row {
	rows := ownText("November||", "Ref|Amount|Dept", "INV-0001|100.00|Ops", "INV-X|=1+1|", "||", "INV-0002|200.00|Ops", "Total|300.00|", "||")
	rows[2].Kinds, rows[2].Styles = []ingest.Kind{ingest.Text, ingest.Number, ingest.Text}, []int{0, 1, 0}
	return rows
}

func paidOnes() func(context.Context, ledger.Sheet) (Rows, error) {
	return ownOf(map[string][]ingest.Row{"nov.csv": paidRows()})
}

// writeAll writes reports and results into a fresh folder and returns it.
func writeAll(t *testing.T, l reports.Ledger, open func(context.Context, ledger.Sheet) (Rows, error)) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := reports.Write(t.Context(), l, reports.Options{Dir: dir, Zone: time.UTC, Results: Results(open)}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	must(t, err)
	return b
}

func TestAResultSheetSaysOfEachRowWhatBecameOfIt(t *testing.T) {
	m := paidSheet()
	dir := writeAll(t, m, paidOnes())
	batch := m.batch.ID
	row := ledger.PayoutNotPaid.Row()
	fix := row.Do + " Run: payrun retry " + batch + " --out to-correct.xlsx --ref INV-0002; or: payrun retry " + batch + " --ref INV-0002"
	want := [][]string{
		{"November"},
		{"Ref", "Amount", "Dept", "payrun_status", "payrun_utr", "payrun_batch", "payrun_attempt", "payrun_reason", "payrun_fix"},
		{"INV-0001", "100.00", "Ops", "success", "UTR0001", batch, "1"},
		{"INV-X", "=1+1", "", leftOutStatus, "", "", "", leftOutReason, leftOutFix},
		nil,
		{"INV-0002", "200.00", "Ops", "failed", "", batch, "2", `the bank says failed: \x1b[31mNO; attempt 2 sends ₹200.00 to XXXXXXXX2333 TSTB0000333`, fix},
		{"Total", "300.00"},
	}
	path := filepath.Join(dir, "nov.result.xlsx")
	same(t, want, bookRows(t, path))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: the accounts in it are full", info.Mode(), err)
	}
	if strings.Contains(partOf(t, path, "xl/worksheets/sheet1.xml"), "<f>") {
		t.Error("a formula came back")
	}
	f := openBook(t, path)
	if panes, err := f.GetPanes("Payouts"); err != nil || !panes.Freeze || panes.YSplit != 2 {
		t.Errorf("panes %+v, %v; want the header frozen", panes, err)
	}
}

func TestResultSheetsAreTheSameBytesForTheSameLedger(t *testing.T) {
	o := paidOnes()
	first := read(t, writeAll(t, paidSheet(), o), "nov.result.xlsx")
	if again := read(t, writeAll(t, paidSheet(), o), "nov.result.xlsx"); string(first) != string(again) {
		t.Error("two result sheets of one ledger differ")
	}
}

func TestARowOfTextBelowTheLastPayoutIsATotalOnlyWhereThereIsOne(t *testing.T) {
	m := paidSheet()
	m.sheets[0].HasTotal = false
	dir := writeAll(t, m, paidOnes())
	if last := bookRows(t, filepath.Join(dir, "nov.result.xlsx"))[6]; len(last) != 9 || last[3] != leftOutStatus {
		t.Errorf("the last row says %q", last)
	}
}

func TestCellsThatNoHeaderIsAboveStayBehindOurs(t *testing.T) {
	rows := paidRows()
	rows[3] = ownText("INV-X|=1+1|Ops|more|and more")[0]
	rows[3].Number = 4
	dir := writeAll(t, paidSheet(), ownOf(map[string][]ingest.Row{"nov.csv": rows}))
	want := []string{"INV-X", "=1+1", "Ops", leftOutStatus, "", "", "", leftOutReason, leftOutFix, "more", "and more"}
	same(t, want, bookRows(t, filepath.Join(dir, "nov.result.xlsx"))[3])
}

func TestASheetLargerThanAWorkbookIsGivenBackAsCSV(t *testing.T) {
	m, rows := paidSheet(), paidRows()
	rows[6].Number, rows[7].Number = xlsx.MaxRows+1, xlsx.MaxRows+2
	paths, err := reports.Write(t.Context(), m, reports.Options{Dir: t.TempDir(), Zone: time.UTC, Results: Results(ownOf(map[string][]ingest.Row{"nov.csv": rows}))})
	must(t, err)
	path := paths[len(paths)-1]
	if len(paths) != 7 || filepath.Base(path) != "nov.result.csv" {
		t.Fatalf("%v", paths)
	}
	got := csvRows(t, path)
	same(t, []string{"INV-0001", "100.00", "Ops", "success", "UTR0001", m.batch.ID, "1", "", ""}, got[2])
	if got[3][1] != "'=1+1" {
		t.Errorf("a formula went into a CSV: %q", got[3])
	}
	b, err := os.ReadFile(path)
	if lines := strings.Count(string(b), "\n"); err != nil || lines != xlsx.MaxRows+1 {
		t.Errorf("it has %d lines, %v: a row's number is no longer its line", lines, err)
	}
}

func TestAResultThatCannotBeWrittenLeavesNoReport(t *testing.T) {
	broken := errors.New("broken")
	missing := paidRows()
	missing = append(missing[:5:5], missing[6:]...)
	for name, own := range map[string]func(context.Context, ledger.Sheet) (Rows, error){
		"it cannot be opened": func(context.Context, ledger.Sheet) (Rows, error) { return nil, broken },
		"it is another sheet": func(context.Context, ledger.Sheet) (Rows, error) {
			return &ownSheet{rows: paidRows(), sha256: "bb"}, nil
		},
		"a payout's row is missing":   ownOf(map[string][]ingest.Row{"nov.csv": missing}),
		"it ends before the last one": ownOf(map[string][]ingest.Row{"nov.csv": paidRows()[:4]}),
	} {
		dir := t.TempDir()
		if _, err := reports.Write(t.Context(), paidSheet(), reports.Options{Dir: dir, Zone: time.UTC, Results: Results(own)}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s: there is %v", name, left)
		}
	}
}

// A sheet of many columns goes on next to the first page rather than to print
// that no one can read.
func TestAWideResultSheetIsPrintedOnSeveralPagesSideBySide(t *testing.T) {
	for name, c := range map[string]struct {
		columns, want int
		titles        string // that each page has
	}{"two columns": {2, 1, "'Payouts'!$2:$2"}, "twenty": {20, 2, "'Payouts'!$A:$B,'Payouts'!$2:$2"}} {
		t.Run(name, func(t *testing.T) {
			m, rows := paidSheet(), []ingest.Row(nil)
			for n := 2; n <= 7; n++ {
				row := ingest.Row{Number: n}
				for range c.columns {
					row.Cells = append(row.Cells, "Beneficiary")
				}
				rows = append(rows, row)
			}
			dir := writeAll(t, m, ownOf(map[string][]ingest.Row{"nov.csv": rows}))
			f := openBook(t, filepath.Join(dir, "nov.result.xlsx"))
			if layout, err := f.GetPageLayout(f.GetSheetName(0)); err != nil || *layout.FitToWidth != c.want {
				t.Errorf("%d pages wide, want %d (%v)", *layout.FitToWidth, c.want, err)
			}
			titles := slices.DeleteFunc(f.GetDefinedName(), func(n excelize.DefinedName) bool { return n.Name != "_xlnm.Print_Titles" })
			if len(titles) != 1 || titles[0].RefersTo != c.titles {
				t.Errorf("on every page: %+v, want %s", titles, c.titles)
			}
		})
	}
}

func (m *paidLedger) Elsewhere(context.Context, string, func(int, ledger.Attempt) error) error {
	return nil
}
