package ingest_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ingest"
)

// manyRows is a workbook with rows of every length.
func manyRows(n int) string {
	var rows strings.Builder
	for i := 1; i <= n; i++ {
		if i%7 == 0 {
			fmt.Fprintf(&rows, `<row r="%d"/>`, i)
			continue
		}
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%d" s="%d"><v>%d</v></c><c r="C%d" t="str"><v>%s</v></c></row>`, i, i, i%2, i, i, strings.Repeat("x", i%500))
	}
	return rows.String()
}

// Nothing of a row is left in the next: each has the kinds and styles of its own cells.
func TestEachRowHasItsOwnCells(t *testing.T) {
	const n = 2000
	s, err := ingest.Open(write(t, "m.xlsx", newBook(manyRows(n)).styled("0", "0.00").zip(t)), ingest.Options{})
	must(t, err)
	defer func() { _ = s.Close() }()
	for i := 1; i <= n; i++ {
		row, err := s.Next()
		must(t, err)
		want := ingest.Row{Number: i}
		switch {
		case i%7 == 0:
		case i%500 == 0:
			want.Cells, want.Kinds, want.Styles = []string{fmt.Sprint(i)}, []ingest.Kind{ingest.Number}, []int{i % 2}
		default:
			want.Cells = []string{fmt.Sprint(i), "", strings.Repeat("x", i%500)}
			want.Kinds = []ingest.Kind{ingest.Number, ingest.Blank, ingest.Text}
			want.Styles = []int{i % 2, 0, 0}
		}
		if len(row.Cells) == 0 {
			row.Cells, row.Kinds, row.Styles = nil, nil, nil
		}
		if diff := cmp.Diff(want, row); diff != "" {
			t.Fatalf("row %d: %s", i, diff)
		}
	}
	if _, err := s.Next(); !errors.Is(err, io.EOF) || s.SHA256() == "" {
		t.Errorf("at the end: %v", err)
	}
}

func TestADefectFarDownComesBehindTheRowsBeforeIt(t *testing.T) {
	const n = 1000
	rows, d := read(t, write(t, "m.xlsx", newBook(manyRows(n)+`<row r="5"/>`).styled("0", "0").zip(t)), ingest.Options{})
	if len(rows) != n || d == nil || d.Code != ingest.CodeRowOrder {
		t.Errorf("%d rows, %v", len(rows), d)
	}
	rows, d = read(t, write(t, "m.csv", []byte(strings.Repeat("a,b\n", n)+"\"")), ingest.Options{})
	if len(rows) != n || d == nil || d.Code != ingest.CodeQuoteUnclosed || d.Row != n+1 {
		t.Errorf("%d rows, %v", len(rows), d)
	}
}
