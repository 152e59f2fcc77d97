package ingest_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ingest"
)

func TestACopyIsTheVeryBytesOfTheSheet(t *testing.T) {
	long := "ref,amount\n" + strings.Repeat("INV-1,100.00\n", 100_000)
	for name, content := range map[string][]byte{
		"short.csv": []byte("ref,amount\nINV-1,100.00\n"),
		"long.csv":  []byte(long),
		"bom.csv":   []byte("\ufeffref,amount\nINV-1,100.00\n"),
		"wide.csv":  inUTF16("ref,amount\nINV-1,100.00\n", true),
		"some.xlsx": newBook(textRow(1, "ref", "amount") + textRow(2, "INV-1", "100")).zip(t),
	} {
		var kept bytes.Buffer
		rows, d := read(t, write(t, name, content), ingest.Options{IsHeader: isHeader, Copy: &kept})
		if d != nil || len(rows) < 2 {
			t.Errorf("%s: %d rows, %v", name, len(rows), d)
		}
		if !bytes.Equal(kept.Bytes(), content) {
			t.Errorf("%s: kept %d bytes of %d, or others", name, kept.Len(), len(content))
		}
	}
}

// full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestACopyThatFailsEndsTheReading(t *testing.T) {
	for name, content := range map[string][]byte{
		"a.csv":  []byte("ref,amount\nINV-1,100.00\n"),
		"a.xlsx": newBook(textRow(1, "ref", "amount")).zip(t),
	} {
		s, err := ingest.Open(write(t, name, content), ingest.Options{IsHeader: isHeader, Copy: full{}})
		for err == nil {
			_, err = s.Next()
		}
		if !errors.Is(err, os.ErrClosed) || errors.Is(err, io.EOF) {
			t.Errorf("%s: %v, want the writer's error", name, err)
		}
	}
}

func TestNumberFormatsAreGivenAsTheyAre(t *testing.T) {
	const rows = 700
	var sheet strings.Builder
	for n := range rows {
		fmt.Fprintf(&sheet, `<row r="%d"><c r="A%[1]d"><v>1</v></c><c r="C%[1]d" s="%d"><v>7</v></c></row>`, n+1, n%2)
	}
	b := newBook(sheet.String()).styled("General", `"INV-"0000`)
	s, err := ingest.Open(write(t, "a.xlsx", b.zip(t)), ingest.Options{})
	must(t, err)
	defer s.Close() //nolint:errcheck // only read from
	for n := range rows {
		row, err := s.Next()
		must(t, err)
		var codes []string
		for _, style := range row.Styles {
			codes = append(codes, s.NumberFormat(style).Code)
		}
		want := []string{"General", "General", [...]string{"General", `"INV-"0000`}[n%2]}
		if diff := cmp.Diff(want, codes); diff != "" {
			t.Fatalf("row %d, formats (-want +got):\n%s", n+1, diff)
		}
	}
	if got := s.NumberFormat(99); got != (ingest.NumberFormat{}) {
		t.Errorf("a style that is not there: %+v", got)
	}
}
