package resultsheet

import (
	"archive/zip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/reports/xlsx"
)

// ownSheet is a person's own sheet in memory. Styles are positions in formats.
type ownSheet struct {
	rows    []ingest.Row
	formats []ingest.NumberFormat
	sha256  string
	next    int
	closed  *int

	columnWidths []float64
}

func (s *ownSheet) Next() (ingest.Row, error) {
	if s.next == len(s.rows) {
		return ingest.Row{}, io.EOF
	}
	s.next++
	return s.rows[s.next-1], nil
}

func (s *ownSheet) NumberFormat(style int) ingest.NumberFormat {
	if style >= len(s.formats) {
		return ingest.NumberFormat{}
	}
	return s.formats[style]
}

func (s *ownSheet) ColumnWidth(column int) float64 {
	if column >= len(s.columnWidths) {
		return 0
	}
	return s.columnWidths[column]
}

func (s *ownSheet) SHA256() string { return s.sha256 }

func (s *ownSheet) Close() error {
	if s.closed != nil {
		*s.closed++
	}
	return nil
}

// ownText makes rows of text cells from lines, the first being row 1.
func ownText(lines ...string) []ingest.Row {
	var rows []ingest.Row
	for i, line := range lines {
		rows = append(rows, ingest.Row{Number: i + 1, Cells: strings.Split(line, "|")})
	}
	return rows
}

func opener(rows []ingest.Row) func() (Rows, error) {
	return func() (Rows, error) { return &ownSheet{rows: rows}, nil }
}

// refused makes an error for each of the rows.
func refused(rows ...int) (found []ledger.Finding) {
	for _, row := range rows {
		found = append(found, ledger.Finding{Row: row, Column: "ifsc", Code: "ifsc_malformed", Severity: ledger.SeverityError,
			Message: "not a valid IFSC", Fix: "Correct it."})
	}
	return found
}

func keepRejected(t *testing.T, r Rejected, rows []ingest.Row) string {
	t.Helper()
	return keepOpened(t, r, opener(rows))
}

func keepOpened(t *testing.T, r Rejected, open func() (Rows, error)) string {
	t.Helper()
	s, err := WriteRejected(t.Context(), r, open)
	must(t, err)
	path, err := s.Keep()
	must(t, err)
	return path
}

// bookRows is what excelize reads in the only tab of a workbook.
func bookRows(t *testing.T, path string) [][]string {
	t.Helper()
	f := openBook(t, path)
	if tabs := f.GetSheetList(); len(tabs) != 1 {
		t.Errorf("%s has the tabs %v, want one", path, tabs)
	}
	rows, err := f.GetRows(f.GetSheetList()[0], excelize.Options{RawCellValue: true})
	must(t, err)
	return rows
}

func csvRows(t *testing.T, path string) [][]string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(b), "\ufeff")))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	must(t, err)
	return rows
}

func rejectedOf(t *testing.T, name, format string, header int, rows ...int) Rejected {
	return Rejected{
		Sheet: ledger.Sheet{ID: "shown", Name: name, Format: format, Header: header}, Rows: rows, Findings: refused(rows...), Dirs: []string{t.TempDir()}, At: day,
	}
}

func TestRejectedRowsComeBackInTheirOwnColumns(t *testing.T) {
	rows := ownText("Payroll|||", "|||", "Ref No|Payee|IFSC|Dept", "R-1|Asha|HDFC0001234|Ops", "R-2|Bhima|HDFCO001234|Ops", "R-3|Chenab|x|", "Total|||")
	why := func(row int) string { return fmt.Sprintf("row %d of nov: ifsc: not a valid IFSC", row) }
	want := [][]string{
		{"Payroll"}, nil, {"Ref No", "Payee", "IFSC", "Dept", "payrun_reason", "payrun_fix", "payrun_sheet", "payrun_row"},
		{"R-2", "Bhima", "HDFCO001234", "Ops", why(5), "Correct it.", "shown", "5"},
		{"R-3", "Chenab", "x", "", why(6), "Correct it.", "shown", "6"},
	}
	book := keepRejected(t, rejectedOf(t, "nov", "xlsx", 3, 5, 6), rows)
	same(t, want, bookRows(t, book))
	want[0] = []string{"Payroll", "", "", ""}
	want = slices.Delete(want, 1, 2) // encoding/csv passes over blank lines
	list := keepRejected(t, rejectedOf(t, "nov", "csv", 3, 5, 6), rows)
	same(t, want, csvRows(t, list))
	for path, name := range map[string]string{book: "nov.rejected.xlsx", list: "nov.rejected.csv"} {
		info, err := os.Stat(path)
		if err != nil || filepath.Base(path) != name || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want %s for its owner only", path, info.Mode(), err, name)
		}
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
			t.Errorf("beside %s there is more: %v", name, left)
		}
	}
}

// TestCellsKeepWhatTheyHold: digits, dates, formats and every character.
func TestCellsKeepWhatTheyHold(t *testing.T) {
	cells := []struct {
		text   string
		kind   ingest.Kind
		format ingest.NumberFormat
	}{
		{text: "0012345678901234567"},
		{text: "1.10", kind: ingest.Number}, // as it is, not as it is worth
		{text: "12345678901234567", kind: ingest.FormulaNumber, format: ingest.NumberFormat{ID: 4}},
		{text: "7", kind: ingest.Formatted, format: ingest.NumberFormat{ID: 164, Code: `"INV-"0000`}},
		{text: "2026-01-31", kind: ingest.Date, format: ingest.NumberFormat{ID: 14}},
		{text: "2026-01-31 18:00:00", kind: ingest.Date},
		{text: "1900-02-29", kind: ingest.Date}, // which never was
		{text: "TRUE", kind: ingest.Bool}, {text: "#N/A", kind: ingest.Error},
		{text: "=HYPERLINK(\"http://x\")"}, {text: " two \n lines "}, {text: "a\x1b[31m & <b> _x0041_ \u202e", kind: ingest.Formula},
		{kind: ingest.FormulaEmpty}, // no one knows its value
	}
	own := &ownSheet{rows: []ingest.Row{{Number: 1}, {Number: 2}}}
	for i, c := range cells {
		head, row := &own.rows[0], &own.rows[1]
		head.Cells, head.Kinds, head.Styles = append(head.Cells, fmt.Sprintf("column %d", i)), append(head.Kinds, ingest.Text), append(head.Styles, i)
		row.Cells, row.Kinds, row.Styles = append(row.Cells, c.text), append(row.Kinds, c.kind), append(row.Styles, i)
		own.formats = append(own.formats, c.format)
	}
	path := keepOpened(t, rejectedOf(t, "nov.xlsx", "xlsx", 1, 2), func() (Rows, error) { return own, nil })
	sheet := partOf(t, path, "xl/worksheets/sheet1.xml")
	for _, want := range []string{
		`>0012345678901234567</t>`, `><v>1.10</v>`, `><v>12345678901234567</v>`, `><v>7</v>`,
		`><v>46053.000000000000</v>`, `><v>46053.750000000000</v>`, `t="d"><v>1900-02-29</v>`, `t="b"><v>1</v>`, `t="e"><v>#N/A</v>`,
		`>=HYPERLINK("http://x")</t>`, "> two \n lines </t>", "a_x001B_[31m &amp; &lt;b&gt; _x005F_x0041_ \u202e</t>",
	} {
		if !strings.Contains(sheet, want) {
			t.Errorf("there is no %s in\n%s", want, sheet)
		}
	}
	if strings.Contains(sheet, "<f>") {
		t.Error("a formula came back")
	}
	f := openBook(t, path)
	for at, want := range map[string]string{"A2": "0012345678901234567", "D2": "INV-0007", "I2": "#N/A", "M2": "#N/A"} {
		if got, err := f.GetCellValue("Payouts", at); err != nil || got != want {
			t.Errorf("%s shows %q, %v; want %q", at, got, err, want)
		}
	}
	for at, want := range map[string]int{"A2": xlsx.TextFormat, "J2": xlsx.TextFormat, "C2": 4, "E2": 14} {
		id, _ := f.GetCellStyle("Payouts", at)
		if style, err := f.GetStyle(id); err != nil || style.NumFmt != want {
			t.Errorf("%s has the format %+v, %v; want %d", at, style, err, want)
		}
	}
	if id, err := f.GetColStyle("Payouts", "A"); err != nil || id != int(xlsx.StyleText) {
		t.Errorf("an empty cell of a column of texts has style %d, %v: what is typed there would become a number", id, err)
	}
}

// TestBrokenRowsStayBroken: a row with other cells than the header has must be
// refused again until a person has put its cells in their places.
func TestBrokenRowsStayBroken(t *testing.T) {
	rows := ownText("a|b|c", "1|2", "1|2|3|4", "1|2|3|4|5", "1|2|3")
	list := csvRows(t, keepRejected(t, rejectedOf(t, "nov.csv", "csv", 1, 2, 3, 4, 5), rows))
	for i, width := range []int{7, 6, 8, 9, 7} {
		if len(list[i]) != width {
			t.Errorf("CSV row %d has %d cells, want %d: %q", i+1, len(list[i]), width, list[i])
		}
	}
	rows[1].Cells[0] = "=1" // which makes it a workbook
	book := bookRows(t, keepRejected(t, rejectedOf(t, "nov.csv", "csv", 1, 2, 3, 4, 5), rows))
	for i, width := range []int{7, 8, 8, 9, 7} {
		if len(book[i]) != width {
			t.Errorf("XLSX row %d has %d cells, want %d: %q", i+1, len(book[i]), width, book[i])
		}
	}
	if !strings.Contains(book[1][7], "2 cells under 3 headers") {
		t.Errorf("the short row says %q", book[1])
	}
}

// TestColumnsOfOursAreFilledWhereTheyStand: a rejected sheet that is rejected
// again must not get two columns of one name.
func TestColumnsOfOursAreFilledWhereTheyStand(t *testing.T) {
	const why = "row 2 of nov.rejected.xlsx: ifsc: not a valid IFSC"
	for header, want := range map[string][]string{
		"a|payrun_reason|b|payrun_fix": {"1", why, "3", "Correct it.", "shown", "2"},
		"a|b|Payrun Reason|d":          {"1", "old", why, "old too", "Correct it.", "shown", "2"},
	} {
		r := rejectedOf(t, "nov.rejected.xlsx", "xlsx", 1, 2)
		path := keepRejected(t, r, ownText(header, "1|old|3|old too"))
		same(t, want, bookRows(t, path)[1], header)
		if filepath.Base(path) != "nov.rejected.xlsx" {
			t.Errorf("a rejected sheet that is rejected again is %s", path)
		}
	}
}

func TestARejectedSheetThatIsThereIsNeverOverwritten(t *testing.T) {
	r := rejectedOf(t, "nov.csv", "csv", 1, 2)
	for _, want := range []string{"nov.rejected.csv", "nov.rejected-2.csv", "nov.rejected-3.csv"} {
		if got := filepath.Base(keepRejected(t, r, ownText("a|b", "1|2"))); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestAFolderThatTakesNothingIsPassedOver(t *testing.T) {
	r := rejectedOf(t, "nov.csv", "csv", 1, 2)
	second := r.Dirs[0]
	r.Dirs = []string{filepath.Join(second, "nosuch"), second}
	if got := filepath.Dir(keepRejected(t, r, ownText("a|b", "1|2"))); got != second {
		t.Errorf("it is in %s, want %s", got, second)
	}
	r.Dirs = r.Dirs[:1]
	if _, err := WriteRejected(t.Context(), r, opener(nil)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

func TestNothingHalfWrittenStays(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		open func() (Rows, error)
		rows []int
	}{
		"it cannot be opened": {func() (Rows, error) { return nil, broken }, []int{2}},
		"a row is gone":       {opener(ownText("a|b", "1|2")), []int{2, 3}},
		"a row was never":     {opener([]ingest.Row{{Number: 1}, {Number: 3}}), []int{2}},
	} {
		for _, format := range []string{"csv", "xlsx"} {
			r := rejectedOf(t, "nov", format, 1, test.rows...)
			if _, err := WriteRejected(t.Context(), r, test.open); err == nil {
				t.Errorf("%s, %s: no error", name, format)
			}
			if left, _ := os.ReadDir(r.Dirs[0]); len(left) != 0 {
				t.Errorf("%s, %s: there is %v", name, format, left)
			}
		}
	}
	r, closed := rejectedOf(t, "nov.csv", "csv", 1, 2), 0
	s, err := WriteRejected(t.Context(), r, func() (Rows, error) {
		return &ownSheet{rows: ownText("a|b", "1|2"), closed: &closed}, nil
	})
	must(t, err)
	s.Discard()
	if left, _ := os.ReadDir(r.Dirs[0]); len(left) != 0 || closed != 1 {
		t.Errorf("after Discard there is %v; the sheet was closed %d times", left, closed)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := WriteRejected(ctx, r, opener(ownText("a|b", "1|2"))); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestACSVHoldsOnlyWhatEveryProgramReadsAlike(t *testing.T) {
	for cell, wantCSV := range map[string]bool{
		"plain": true, "-500.00": true, "+91": true, "नर्मदा": true, "two\nlines": true, `a "quote"`: true, "": true, " x ": true,
		"=1+1": false, " =1+1": false, "@SUM(A1)": false, "-cmd": false, "+1+1": false, "--1": false, "\tx": false, "＝1": false, "a\x1b[31m": false,
	} {
		path := keepRejected(t, rejectedOf(t, "nov.csv", "csv", 1, 2), ownText("a|b", "1|"+cell))
		if got := filepath.Ext(path) == ".csv"; got != wantCSV {
			t.Errorf("%q went into %s", cell, filepath.Base(path))
		}
		rows := [][]string(nil)
		if wantCSV {
			rows = csvRows(t, path)
		} else {
			rows = bookRows(t, path)
		}
		if got := rows[1][1]; got != cell {
			t.Errorf("%q came back as %q", cell, got)
		}
	}
	for text, want := range map[string]bool{"Asha": false, "नर्मदा": true} {
		b, err := os.ReadFile(keepRejected(t, rejectedOf(t, "nov.csv", "csv", 1, 2), ownText("a|b", "1|"+text)))
		if err != nil || strings.HasPrefix(string(b), "\ufeff") != want {
			t.Errorf("%s: byte order mark is %v, %v; want %v", text, !want, err, want)
		}
	}
}

func TestARowBeyondTheListedFindingsStillSaysWhatToDo(t *testing.T) {
	r := rejectedOf(t, "nov.csv", "csv", 1, 2)
	r.Findings = append(refused(9), ledger.Finding{Row: 2, Severity: ledger.SeverityWarning, Message: "only a warning", Fix: "none"})
	slices.SortFunc(r.Findings, func(a, b ledger.Finding) int { return a.Row - b.Row })
	row := csvRows(t, keepRejected(t, r, ownText("a|b", "1|2")))[1]
	if row[2] != "row 2 of nov.csv has errors" || row[3] == "" {
		t.Errorf("%q", row)
	}
}

// partOf reads one part of a workbook.
func partOf(t *testing.T, path, name string) string {
	t.Helper()
	z, err := zip.OpenReader(path)
	must(t, err)
	defer z.Close() //nolint:errcheck // only read from
	f, err := z.Open(name)
	must(t, err)
	b, err := io.ReadAll(f)
	must(t, err)
	return string(b)
}

func TestNamesAreFitForAnyDisk(t *testing.T) {
	for name, want := range map[string]string{
		"nov.csv": "nov", "nov.final.xlsx": "nov.final", "a/b\\c:d.csv": "a_b_c_d", ".csv": "sheet", "..": "sheet", "x\x1b\u202e.csv": "x__",
		"वेतन.csv": "वेतन", strings.Repeat("é", 200) + ".csv": strings.Repeat("é", 90),
	} {
		if got := baseName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"nov.csv": "nov.rejected", "nov.rejected.csv": "nov.rejected", "nov.rejected-2.xlsx": "nov.rejected", "rejected.csv": "rejected.rejected",
		"nov.rejected.final.csv": "nov.rejected.final.rejected",
	} {
		if got := RejectedName(ledger.Sheet{Name: name, Format: "csv"}); got != want+".csv" {
			t.Errorf("rejected rows of %q are %q, want %q", name, got, want)
		}
	}
	sheets := []ledger.Sheet{{ID: "sh1", Name: "nov.csv"}, {ID: "sh2", Name: "Nov.xlsx"}, {ID: "sh3", Name: "dec.csv"}}
	want := map[string]string{"sh1": "nov.result", "sh2": "Nov.sh2.result", "sh3": "dec.result"}
	same(t, want, resultNames(sheets))
	for tab, want := range map[string]string{"": "Payouts", "Nov 2026": "Nov 2026", "a/b": "Payouts", strings.Repeat("x", 32): "Payouts", "x\x1b": "Payouts", "'q'": "Payouts"} {
		if got := tabName(ledger.Sheet{Tab: tab}); got != want {
			t.Errorf("tab %q is %q, want %q", tab, got, want)
		}
	}
}

// A payout whose row was left out of an earlier sheet is one of the sheet that brought it:
// written to be corrected, it says so, and can be. Left out once more it says where it
// came from first.
func TestWhatIsCorrectedCameFromItsOwnSheet(t *testing.T) {
	rows := opener(ownText("Reference|Amount|payrun_reason|payrun_fix|payrun_sheet|payrun_row", "E18|100.00|wrong|mend it|sh1|3"))
	r := Rejected{Sheet: ledger.Sheet{ID: "sh2", Name: "rest.csv", Format: "csv", Header: 1}, Rows: []int{2}, Findings: refused(2)}
	path := filepath.Join(t.TempDir(), "to-correct.csv")
	must(t, WriteToCorrect(t.Context(), r, path, rows))
	corrects, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(corrects), ",sh2,2\n") || strings.Contains(string(corrects), "sh1") {
		t.Errorf("to be corrected is %s, %v", corrects, err)
	}
	r.Dirs = []string{t.TempDir()}
	again, err := WriteRejected(t.Context(), r, rows)
	must(t, err)
	name, err := again.Keep()
	must(t, err)
	left, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(left), ",sh1,3\n") {
		t.Errorf("left out is %s, %v", left, err)
	}
}
