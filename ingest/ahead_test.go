package ingest_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ingest"
)

// manyRows is a workbook with so many rows that they are read ahead.
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

// TestRowsReadAheadAreTheSameRows compares what a sheet gives while its rows
// come one by one with what it gives from batches: every row as when it is
// first seen, with the kinds and styles that belong to its cells.
func TestRowsReadAheadAreTheSameRows(t *testing.T) {
	const n = 2000
	s, err := ingest.Open(write(t, "m.xlsx", newBook(manyRows(n)).styled("0", "0.00").zip(t)), ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for i := 1; i <= n; i++ {
		row, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
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
	if len(rows) != n || d == nil || d.Code != string(ingest.CodeRowOrder) {
		t.Errorf("%d rows, %v", len(rows), d)
	}
	rows, d = read(t, write(t, "m.csv", []byte(strings.Repeat("a,b\n", n)+"\"")), ingest.Options{})
	if len(rows) != n || d == nil || d.Code != string(ingest.CodeQuoteUnclosed) || d.Row != n+1 {
		t.Errorf("%d rows, %v", len(rows), d)
	}
}

func TestTheHeaderIsOnlyAskedForBeforeRowsAreReadAhead(t *testing.T) {
	asked := 0 // a race with this goroutine would be found by -race
	s, err := ingest.Open(write(t, "m.csv", []byte(strings.Repeat("a,b\n", 5000))), ingest.Options{IsHeader: func([]string) bool {
		asked++
		return false
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for range ingest.HeaderRows {
		if _, err := s.Next(); err != nil {
			t.Fatal(err)
		}
	}
	before := asked
	for err == nil {
		_, err = s.Next()
	}
	if !errors.Is(err, io.EOF) || asked != before {
		t.Errorf("%v; asked %d times more", err, asked-before)
	}
}

func TestCloseEndsWhatReadsAhead(t *testing.T) {
	path := write(t, "m.csv", []byte(strings.Repeat("a,b\n", 50_000)))
	before := runtime.NumGoroutine()
	for range 20 {
		s, err := ingest.Open(path, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if _, err := s.Next(); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if after := runtime.NumGoroutine(); after > before+1 {
		t.Errorf("%d goroutines are left", after-before)
	}
}
