package xlsx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/xuri/excelize/v2"
)

var day = time.Date(2026, 11, 20, 4, 30, 0, 0, time.UTC)

var errDisk = errors.New("disk trouble")

func TestArchiveTellsOfAPartThatNeverCame(t *testing.T) {
	a := newArchive(&failingWriter{after: math.MaxInt}, day, map[string][]io.Reader{"xl/worksheets/sheet9.xml": nil})
	if err := a.Close(); err == nil {
		t.Error("rows had nowhere to go, and no error")
	}
}

// must ends a test at an error that it is not about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestArchiveKeepsTheFirstError: excelize forgets all errors but the last
// part's, so a full disk in the middle must come back from Close.
func TestArchiveKeepsTheFirstError(t *testing.T) {
	a := newArchive(&failingWriter{after: 1}, day, nil)
	for i := range 3 {
		w, err := a.Create(fmt.Sprint(i))
		if err != nil {
			continue
		}
		noise := make([]byte, 1<<16)
		for j := range noise {
			noise[j] = byte(j * j * 31 >> 3)
		}
		_, _ = w.Write(noise)
	}
	if err := a.Close(); !errors.Is(err, errDisk) {
		t.Errorf("err = %v, want the writer's", err)
	}
}

func TestSheetWithoutAPlaceForItsRowsIsAnError(t *testing.T) {
	a := newArchive(&failingWriter{after: math.MaxInt}, day, map[string][]io.Reader{"s": nil})
	w, err := a.Create("s")
	must(t, err)
	_, _ = w.Write([]byte(`<worksheet><xlsx.Rows><row r="1"/></xlsx.Rows></worksheet>`))
	if a.Close() == nil {
		t.Error("the rows were dropped, and no error")
	}
}

func TestRowsThatCannotBeReadAreAnError(t *testing.T) {
	a := newArchive(io.Discard, day, map[string][]io.Reader{"s": {iotest.ErrReader(errDisk)}})
	w, err := a.Create("s")
	must(t, err)
	_, _ = w.Write([]byte(`<worksheet><sheetData></sheetData></worksheet>`))
	if err := a.Close(); !errors.Is(err, errDisk) {
		t.Errorf("err = %v, want the draft's", err)
	}
}

type failingWriter struct{ after int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.after--; w.after < 0 {
		return 0, errDisk
	}
	return len(p), nil
}

func TestColumnNames(t *testing.T) {
	for _, i := range []int{0, 1, 25, 26, 51, 52, 701, 702, 16383} {
		want, err := excelize.ColumnNumberToName(i + 1)
		if err != nil || ColumnName(i) != want {
			t.Errorf("ColumnName(%d) = %s, want %s", i, ColumnName(i), want)
		}
	}
}

// written makes a small workbook.
func written(t *testing.T, at time.Time) []byte {
	t.Helper()
	b, err := NewBook()
	must(t, err)
	defer b.Close() //nolint:errcheck // in memory only
	var out bytes.Buffer
	var text bytes.Buffer
	rows := NewRows(&text, 0)
	cells := []Cell{
		Text("=1+1 & <b> _x0041_ _x0041\x1b "), Money(math.MaxInt64), Count(1234567), Blank(), Moment(day, time.UTC), Money(5).From("SUM(B2:B2)"),
	}
	rows.Add(Heading("Text"), NumberHeading("Money"))
	rows.AddHigh(30, cells...)
	err = errors.Join(
		b.AddTab("Rows", &text),
		b.SetFrame("Rows", Frame{Header: 1, Last: rows.Last(), Columns: rows.wide, Fixed: 1}),
		b.Write(&out, "Test", at),
	)
	must(t, err)
	return out.Bytes()
}

func TestWhatGoesInComesOutToTheLastDigit(t *testing.T) {
	f, err := excelize.OpenReader(bytes.NewReader(written(t, day)))
	must(t, err)
	defer f.Close() //nolint:errcheck // only read from
	for at, want := range map[string]string{
		"A1": "Text", "A2": "=1+1 & <b> _x0041_ _x0041\x1b ", "B2": "92233720368547758.07", "C2": "1234567", "D2": "", "E2": "46346.187500000000", "F2": "0.05",
	} {
		if got, err := f.GetCellValue("Rows", at, excelize.Options{RawCellValue: true}); err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", at, got, err, want)
		}
	}
	for at, want := range map[string]string{"A2": "", "F2": "SUM(B2:B2)"} {
		if got, err := f.GetCellFormula("Rows", at); err != nil || got != want {
			t.Errorf("%s has the formula %q, %v; want %q", at, got, err, want)
		}
	}
}

func TestTheSameRowsAndTimeGiveTheSameBytes(t *testing.T) {
	first := written(t, day)
	if !bytes.Equal(first, written(t, day)) {
		t.Error("two workbooks of the same rows differ")
	}
	if bytes.Equal(first, written(t, day.Add(time.Hour))) {
		t.Error("the time is not in it")
	}
}

func TestLines(t *testing.T) {
	hash := strings.Repeat("0f", 32)
	for _, c := range []struct {
		text  string
		width float64
		want  int
	}{
		{"", 10, 1},
		{"settled", 10, 1},
		{"eleven char", 10, 1},
		{"twelve chars", 10, 2},
		{"one two three four five", 10, 3}, // a word that does not fit goes to the next line
		{strings.Repeat("x", 22), 10, 2},
		{strings.Repeat("x", 23), 10, 3}, // nor is there room for it whole
		{"a " + strings.Repeat("x", 23), 10, 4},
		{"nov.csv; sha256 " + hash + "; rows " + hash + "; 180 payouts of 3034249318.06; 0 rejected of 0.00", 70, 4},
	} {
		if got := Lines(c.text, c.width); got != c.want {
			t.Errorf("%q at %v: %d lines, want %d", c.text, c.width, got, c.want)
		}
	}
}

func TestARowOfOneLineHasTheUsualHeightAndNoneIsTallerThanTwelveLines(t *testing.T) {
	for lines, want := range map[int]int{0: 0, 1: 0, 2: 28, 12: 168, 13: 168} {
		if got := Height(lines); got != want {
			t.Errorf("%d lines: %d points, want %d", lines, got, want)
		}
	}
}
