package resultsheet

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"payrun/ingest"
	"payrun/ledger"
)

func openBook(t *testing.T, path string) *excelize.File {
	t.Helper()
	f, err := excelize.OpenFile(path)
	must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// isMarked reports whether a cell has the colour of what is wrong.
func isMarked(t *testing.T, f *excelize.File, cell string) bool {
	t.Helper()
	id, err := f.GetCellStyle(f.GetSheetName(0), cell)
	must(t, err)
	style, err := f.GetStyle(id)
	must(t, err)
	return len(style.Fill.Color) == 1 && style.Fill.Color[0] == wrongColour
}

func TestTheWrongCellIsYellowAndSaysWhy(t *testing.T) {
	rows := ownText("Ref|IFSC|Amount|Dept", "A|HDFC0001234|5|Ops", "B|HDFCO001234||Ops", "C|HDFC0001234|-7|Ops")
	rows[3].Kinds, rows[3].Styles = []ingest.Kind{ingest.Text, ingest.Text, ingest.Number, ingest.Text}, []int{0, 0, 1, 0}
	about := func(row int, cell, message string, severity ledger.Severity) ledger.Finding {
		return ledger.Finding{Row: row, Cell: cell, Message: message, Fix: "Do it.", Severity: severity}
	}
	r := Rejected{
		Sheet: ledger.Sheet{Name: "nov.xlsx", SHA256: "aa", Format: "xlsx", Tab: "Pay", Header: 1}, Rows: []int{3, 4}, Dirs: []string{t.TempDir()}, At: day,
		Findings: []ledger.Finding{
			about(2, "A2", "of another row", ledger.SeverityError),
			about(3, "B3", "not a valid IFSC", ledger.SeverityError), about(3, "B3", "and not known", ledger.SeverityError),
			about(3, "C3", "no amount", ledger.SeverityError), about(3, "D3", "only odd", ledger.SeverityWarning),
			about(4, "C4", "negative", ledger.SeverityError), about(4, "", "the row as a whole", ledger.SeverityError), about(4, "Z4", "beyond the row", ledger.SeverityError),
		},
	}
	open := func() (Rows, error) {
		return &ownSheet{rows: rows, formats: []ingest.NumberFormat{{}, {ID: 4}}, sha256: "aa"}, nil
	}
	f := openBook(t, keepOpened(t, r, open))
	marked := map[string]bool{}
	for _, cell := range []string{"A1", "B1", "A2", "B2", "C2", "D2", "E2", "A3", "B3", "C3", "D3", "E3"} {
		if isMarked(t, f, cell) {
			marked[cell] = true
		}
	}
	same(t, map[string]bool{"B2": true, "C2": true, "C3": true}, marked)
	// the amount still shows as it did
	id, _ := f.GetCellStyle("Pay", "C3")
	if style, err := f.GetStyle(id); err != nil || style.NumFmt != 4 {
		t.Errorf("the amount's format is %+v, %v", style, err)
	}
	notes, err := f.GetComments("Pay")
	must(t, err)
	got := map[string]string{}
	for _, n := range notes {
		for _, p := range n.Paragraph {
			got[n.Cell] += p.Text
		}
	}
	want := map[string]string{"B2": "not a valid IFSC. Do it.\nand not known. Do it.", "C2": "no amount. Do it.", "C3": "negative. Do it."}
	for cell, text := range want {
		if !strings.Contains(got[cell], text) {
			t.Errorf("the note at %s says %q, want %q", cell, got[cell], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("notes: %v", got)
	}
}

func TestOfVeryManyWrongCellsAllAreYellow(t *testing.T) {
	lines := []string{"Ref|IFSC"}
	r := Rejected{Sheet: ledger.Sheet{Name: "nov.xlsx", Format: "xlsx", Tab: "Pay", Header: 1}, Dirs: []string{t.TempDir()}, At: day}
	for row := 2; row < mostNotes+4; row++ {
		lines = append(lines, fmt.Sprintf("R%d|X", row))
		r.Rows = append(r.Rows, row)
		r.Findings = append(r.Findings, ledger.Finding{Row: row, Cell: fmt.Sprintf("B%d", row), Message: "wrong", Fix: "Do it.", Severity: ledger.SeverityError})
	}
	f := openBook(t, keepRejected(t, r, ownText(lines...)))
	notes, err := f.GetComments("Pay")
	if err != nil || len(notes) != mostNotes {
		t.Errorf("%d notes, %v", len(notes), err)
	}
	if last := fmt.Sprintf("B%d", mostNotes+3); !isMarked(t, f, last) {
		t.Errorf("%s is not marked", last)
	}
}

// A person who made a column wide finds it as wide.
func TestColumnsStayAsWideAsTheyWere(t *testing.T) {
	m := paidSheet()
	dir := writeAll(t, m, func(_ context.Context, s ledger.Sheet) (Rows, error) {
		return &ownSheet{rows: paidRows(), formats: []ingest.NumberFormat{{}, {ID: 4}}, sha256: s.SHA256, columnWidths: []float64{31.5, 0, 4, 77}}, nil
	})
	f := openBook(t, filepath.Join(dir, "nov.result.xlsx"))
	for column, want := range map[string]float64{"A": 31.5, "B": 12, "C": 4, "D": 17} {
		if got, err := f.GetColWidth("Payouts", column); err != nil || got != want {
			t.Errorf("%s is %v wide, %v, want %v", column, got, err, want)
		}
	}
}
