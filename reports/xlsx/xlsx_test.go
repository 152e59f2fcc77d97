package xlsx

import (
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
)

var day = time.Date(2026, 11, 20, 4, 30, 0, 0, time.UTC)

var errDisk = errors.New("disk trouble")

func TestArchiveTellsOfAPartThatNeverCame(t *testing.T) {
	a := newArchive(&failingWriter{after: math.MaxInt}, day, map[string]func(io.Writer) error{"xl/worksheets/sheet9.xml": nil})
	if err := a.Close(); err == nil {
		t.Error("rows had nowhere to go, and no error")
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
	a := newArchive(&failingWriter{after: math.MaxInt}, day, map[string]func(io.Writer) error{"s": func(io.Writer) error { return nil }})
	w, err := a.Create("s")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte(`<worksheet><xlsx.Rows><row r="1"/></xlsx.Rows></worksheet>`))
	if a.Close() == nil {
		t.Error("the rows were dropped, and no error")
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
