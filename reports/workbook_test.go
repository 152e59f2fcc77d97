package reports

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"payrun/ledger"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

func openWorkbook(t *testing.T, dir string) *excelize.File {
	t.Helper()
	f, err := excelize.OpenFile(filepath.Join(dir, workbookFile))
	must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func cellText(t *testing.T, dir, tab, cell string) string {
	t.Helper()
	v, err := openWorkbook(t, dir).GetCellValue(tab, cell, excelize.Options{RawCellValue: true})
	must(t, err)
	return v
}

// workbookText is all that is in any cell.
func workbookText(t *testing.T, dir string) string {
	t.Helper()
	f := openWorkbook(t, dir)
	var b strings.Builder
	for _, tab := range f.GetSheetList() {
		rows, err := f.GetRows(tab, excelize.Options{RawCellValue: true})
		must(t, err)
		for _, row := range rows {
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
	}
	return b.String()
}

func TestWorkbookHasItsTabsInOrder(t *testing.T) {
	want := []string{"Summary", "Payouts", "Needs attention", "Attempts", "Batches", "Three-way match", "By account", "By bank", "Audit", "About"}
	for name, m := range map[string]*memory{"month": month(), "paid": allPaid(), "empty": {}} {
		f := openWorkbook(t, writeAll(t, m, Options{}))
		if diff := cmp.Diff(want, f.GetSheetList()); diff != "" {
			t.Errorf("%s: tabs (-want +got):\n%s", name, diff)
		}
		for _, tab := range want {
			if rows, err := f.GetRows(tab); err != nil || len(rows) < 3 {
				t.Errorf("%s: tab %s has %d rows, %v: a tab is never empty", name, tab, len(rows), err)
			}
		}
	}
}

func TestTablesAreFrozenFilteredAndTitled(t *testing.T) {
	dir := writeAll(t, month(), Options{})
	f := openWorkbook(t, dir)
	all := parts(t, dir)
	names := f.GetDefinedName()
	for i, tab := range f.GetSheetList() {
		if tab == summaryTab || tab == aboutTab {
			continue
		}
		panes, err := f.GetPanes(tab)
		if err != nil || !panes.Freeze || panes.YSplit != headerRow {
			t.Errorf("%s: panes %+v, %v", tab, panes, err)
		}
		rows, err := f.GetRows(tab)
		must(t, err)
		last, _ := excelize.ColumnNumberToName(len(rows[headerRow-1]))
		want := fmt.Sprintf(`<autoFilter ref="$A$%d:$%s$%d"`, headerRow, last, len(rows))
		if xml := all[fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)]; !strings.Contains(xml, want) {
			t.Errorf("%s: no %s", tab, want)
		}
		titled := slices.ContainsFunc(names, func(n excelize.DefinedName) bool {
			return n.Name == "_xlnm.Print_Titles" && n.Scope == tab && strings.HasSuffix(n.RefersTo, "!$2:$2")
		})
		if !titled {
			t.Errorf("%s: the header is no print title", tab)
		}
		layout, err := f.GetPageLayout(tab)
		if err != nil || *layout.Size != 9 || *layout.FitToWidth != 1 {
			t.Errorf("%s: page layout %+v, %v", tab, layout, err)
		}
	}
}

func TestSummaryHasNativeCharts(t *testing.T) {
	dir := writeAll(t, month(), Options{})
	all, f := parts(t, dir), openWorkbook(t, dir)
	drawn := regexp.MustCompile(`!\$([A-G])\$(\d+):\$([A-G])\$(\d+)<`)
	for i, c := range []struct{ title, head string }{{"Amount by status (INR)", "Status"}, {"Amount by partner bank (INR)", "Partner bank"}} {
		chart := all[fmt.Sprintf("xl/charts/chart%d.xml", i+1)]
		if !strings.Contains(chart, c.title) || strings.Count(chart, "<ser>") != int(buckets) {
			t.Errorf("chart %d: want %q with %d series", i+1, c.title, buckets)
		}
		ranges := drawn.FindAllStringSubmatch(chart, -1)
		if len(ranges) != 2*int(buckets) {
			t.Errorf("chart %d draws %d ranges", i+1, len(ranges))
		}
		for n, r := range ranges { // the names, and the amounts of one bucket
			from, _ := strconv.Atoi(r[2])
			to, _ := strconv.Atoi(r[4])
			column := []string{"A", string(rune('C' + n/2))}[n%2]
			head, _ := f.GetCellValue(summaryTab, fmt.Sprintf("A%d", from-1))
			total, _ := f.GetCellValue(summaryTab, fmt.Sprintf("A%d", to+1))
			if r[1] != column || r[3] != column || head != c.head || total != "Total" {
				t.Errorf("chart %d draws %s, between %q and %q; want all of column %s", i+1, r[0], head, total, column)
			}
		}
	}
}

// A UTR of RTGS has 22 characters, and a bank's reason any number.
func TestUTRsAndReasonsHaveRoom(t *testing.T) {
	f := openWorkbook(t, writeAll(t, month(), Options{}))
	for tab, at := range map[string][2]string{"Payouts": {"I", "J"}, "Attempts": {"G", "J"}} {
		if width, err := f.GetColWidth(tab, at[0]); err != nil || width < 22 {
			t.Errorf("%s: UTRs have %v characters, %v", tab, width, err)
		}
		rows, err := f.GetRows(tab)
		must(t, err)
		n := slices.IndexFunc(rows, func(row []string) bool { return len(row) > 9 && strings.HasPrefix(row[9], "the bank says failed") })
		id, err := f.GetCellStyle(tab, fmt.Sprintf("%s%d", at[1], n+1))
		must(t, err)
		if style, err := f.GetStyle(id); err != nil || style.Alignment == nil || !style.Alignment.WrapText {
			t.Errorf("%s: the reason in row %d is cut", tab, n+1)
		}
	}
}

func TestReferencesAndAccountsAreTextAmountsAreNumbers(t *testing.T) {
	m := allPaid()
	m.attempts[0].Ref, m.attempts[0].BankAccountNumber, m.attempts[0].BankTxnRefID = "0012345678901234567", "00119", "320000000000000001"
	dir := writeAll(t, m, Options{})
	f := openWorkbook(t, dir)
	for cell, want := range map[string]string{"A3": "0012345678901234567", "E3": ledger.Mask("00119"), "I3": "320000000000000001"} {
		kind, _ := f.GetCellType("Payouts", cell)
		got, _ := f.GetCellValue("Payouts", cell)
		style, _ := f.GetCellStyle("Payouts", cell)
		s, err := f.GetStyle(style)
		must(t, err)
		if kind != excelize.CellTypeInlineString || got != want || s.NumFmt != xlsx.TextFormat {
			t.Errorf("%s is %q of type %v in format %d, want the text %q", cell, got, kind, s.NumFmt, want)
		}
	}
	if xml := parts(t, dir)["xl/worksheets/sheet2.xml"]; !strings.Contains(xml, `"><v>100000.00</v></c>`) {
		t.Error("an amount is not in the cell with its two decimals")
	}
	style, _ := f.GetCellStyle("Payouts", "G3")
	if s, err := f.GetStyle(style); err != nil || s.CustomNumFmt == nil || *s.CustomNumFmt != xlsx.MoneyFormat {
		t.Errorf("the amount's format is %v, %v", s, err)
	}
}

func TestSubtotalsAreFormulasWithTheSumSaved(t *testing.T) {
	m := month()
	dir := writeAll(t, m, Options{})
	f := openWorkbook(t, dir)
	var want ledger.Tally
	for _, a := range m.attempts {
		want.Add(a.Amount)
	}
	end := headerRow + want.Count
	for cell, c := range map[string]struct{ formula, value string }{
		"A1": {fmt.Sprintf("SUBTOTAL(103,A3:A%d)", end), fmt.Sprint(want.Count)},
		"G1": {fmt.Sprintf("SUBTOTAL(109,G3:G%d)", end), want.Total.String()},
	} {
		formula, _ := f.GetCellFormula("Payouts", cell)
		value, _ := f.GetCellValue("Payouts", cell, excelize.Options{RawCellValue: true})
		if formula != c.formula || value != c.value {
			t.Errorf("%s is =%s saved as %s, want =%s saved as %s", cell, formula, value, c.formula, c.value)
		}
	}
	for _, tab := range []string{"Batches", "By bank"} {
		rows, err := f.GetRows(tab, excelize.Options{RawCellValue: true})
		must(t, err)
		if !slices.Contains(rows[0], want.Total.String()) {
			t.Errorf("%s: subtotals %v do not have %s", tab, rows[0], want.Total)
		}
	}
}

func TestSavedSumsEqualWhatTheFormulasGive(t *testing.T) {
	f := openWorkbook(t, writeAll(t, month(), Options{}))
	checked := 0
	for _, tab := range f.GetSheetList() {
		rows, err := f.GetRows(tab, excelize.Options{RawCellValue: true})
		must(t, err)
		for r, row := range rows {
			for c := range row {
				cell, _ := excelize.CoordinatesToCellName(c+1, r+1)
				formula, _ := f.GetCellFormula(tab, cell)
				if !strings.Contains(formula, "SUM(") && !strings.Contains(formula, "SUBTOTAL(109") {
					continue
				}
				shown, err := f.CalcCellValue(tab, cell)
				must(t, err)
				saved, _ := f.GetCellValue(tab, cell)
				if shown != saved {
					t.Errorf("%s!%s = %s gives %s, saved is %s", tab, cell, formula, shown, saved)
				}
				checked++
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d formulas were found", checked)
	}
}

func TestWorkbookPropertiesComeFromTheLastEvent(t *testing.T) {
	m := month()
	dir := writeAll(t, m, Options{})
	props, err := openWorkbook(t, dir).GetDocProps()
	must(t, err)
	head, _ := m.AuditHead(t.Context())
	want := head.At.UTC().Format("2006-01-02T15:04:05Z")
	if props.Created != want || props.Modified != want {
		t.Errorf("created %s, modified %s, want %s", props.Created, props.Modified, want)
	}
	b := read(t, dir, workbookFile)
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	must(t, err)
	for _, part := range z.File {
		if !part.Modified.Equal(head.At) {
			t.Errorf("%s is of %v, want %v", part.Name, part.Modified, head.At)
		}
	}
}

// People read words; the names of the interface are in the CSV files.
func TestStatesAreInWords(t *testing.T) {
	f := openWorkbook(t, writeAll(t, month(), Options{}))
	for _, tab := range []string{"Payouts", "Attempts", "Needs attention", "Batches"} {
		rows, err := f.GetRows(tab)
		must(t, err)
		at := slices.Index(rows[1], "State")
		for _, row := range rows[2:] {
			if state := row[at]; state == "" || strings.ToUpper(state[:1]) != state[:1] || strings.Contains(state, "_") {
				t.Errorf("%s: the state %q", tab, state)
			}
		}
	}
	if text := workbookText(t, writeAll(t, allPaid(), Options{})); !strings.Contains(text, "Paid") || strings.Contains(text, "settled") {
		t.Error("the workbook of a month that was paid has the name of a state, or not its word")
	}
}

func TestTimesAreDatesInTheReadersZone(t *testing.T) {
	m := allPaid()
	m.attempts[0].UpdatedAt = day // 10:00 in India, and a fraction of a day that needs rounding
	dir := writeAll(t, m, Options{})
	if got, err := openWorkbook(t, dir).GetCellValue("Payouts", "T3"); err != nil || got != "2026-11-20 10:00:00" {
		t.Errorf("updated shows as %q, %v", got, err)
	}
	// 10:00 is 0.41666… of a day: to the nearest, or some programs show 09:59:59.
	if xml := parts(t, dir)["xl/worksheets/sheet2.xml"]; !strings.Contains(xml, "<v>46346.416666666667</v>") {
		t.Error("the moment is not rounded to the nearest")
	}
}

func TestTableGoesOnInTheNextTab(t *testing.T) {
	m := allPaid()
	b := m.batches[0]
	for range 4 {
		m.payout(b, 50, ledger.PayoutSuccess)
	}
	s, err := takeSnapshot(t.Context(), m, Options{Dir: t.TempDir(), Zone: indianStandardTime})
	must(t, err)
	dir, err := folder.Make(s.Dir, "")
	must(t, err)
	defer dir.Discard()
	s.ledger = &memory{}
	g, err := newGathered(s, dir)
	must(t, err)
	must(t, g.read(t.Context(), s, func(Result) error { return nil }))
	s.ledger = m
	g.payoutsTab.perTab = 3
	must(t, s.eachAttempt(t.Context(), func(a ledger.Attempt, latest bool) error {
		g.attempt(s, &a, latest)
		return g.err
	}))
	must(t, writeWorkbook(context.Background(), dir, s, g))
	if _, err := dir.Commit([]string{workbookFile}); err != nil {
		t.Fatal(err)
	}
	f := openWorkbook(t, s.Dir)
	for tab, rows := range map[string]int{"Payouts": 3, "Payouts 2": 3, "Payouts 3": 1} {
		got, err := f.GetRows(tab)
		if err != nil || len(got) != headerRow+rows || got[1][0] != "Reference" {
			t.Errorf("%s has %d rows, %v, want %d below the header", tab, len(got)-headerRow, err, rows)
		}
	}
	if payoutsTab(dir).perTab+headerRow != xlsx.MaxRows {
		t.Errorf("a tab takes %d rows, want all %d", payoutsTab(dir).perTab+headerRow, xlsx.MaxRows)
	}
}

func TestARowIsAsHighAsItsLongestReasonNeeds(t *testing.T) {
	m := &memory{}
	b := m.batch(m.sheet("nov.csv"), 12, ledger.BatchSettled)
	m.payout(b, 100, ledger.PayoutFailed, because("short"))
	m.payout(b, 100, ledger.PayoutFailed, because(strings.Repeat("the payee's bank refused it ", 6)))
	w := openWorkbook(t, writeAll(t, m, Options{}))
	for row, want := range map[int]float64{headerRow + 1: 15, headerRow + 2: 4 * xlsx.LinePoints} {
		if got, err := w.GetRowHeight("Payouts", row); err != nil || got != want {
			t.Errorf("row %d is %v points high, %v; want %v", row, got, err, want)
		}
	}
}
