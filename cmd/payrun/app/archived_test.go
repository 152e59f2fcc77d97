package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const lateRow = "N-3,Asha Traders,123456789012,HDFC0001234,100.00,pb3\n"

// opened holds a file open for someone who writes the rest of it later.
func (d *desk) opened(path string) (writes func() error) {
	d.t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(d.t, err)
	d.t.Cleanup(func() { f.Close() })
	return func() error {
		_, err := f.WriteString(lateRow)
		return err
	}
}

// A stalled upload: nightly loads half of it, and the writer finishes into the archive.
func TestAWriterThatFinishesIntoTheArchiveIsNoticedTheNextNight(t *testing.T) {
	d := newDesk(t)
	writes := d.opened(d.drop("a.csv", sheetOf("N-1", "N-2")))
	d.night(t.Context(), NeedsPerson)
	d.night(t.Context(), NeedsPerson) // no one wrote
	must(t, writes())
	path := filepath.Join(d.dir, today, "a.csv")
	for range 2 { // until someone deals with it
		if _, line := d.night(t.Context(), ArchiveChanged); !strings.Contains(line, path+" changed after it was loaded") || !strings.Contains(line, "put it into the inbox") {
			t.Error(line)
		}
	}
	must(t, os.Remove(path))
	d.drop("rest.csv", sheetOf()+lateRow)
	d.night(t.Context(), NeedsPerson)
	d.holds(today, "rest.csv")
}

func TestAWriterThatFinishesWhileTheFileIsMovedIsNoticedTheSameNight(t *testing.T) {
	d := newDesk(t)
	writes := d.opened(d.drop("a.csv", sheetOf("N-1", "N-2")))
	rename = func(from, to string) error {
		return errors.Join(writes(), os.Rename(from, to))
	}
	defer func() { rename = os.Rename }()
	n, _ := d.night(t.Context(), ArchiveChanged)
	if len(n.Sheets) != 1 || n.Sheets[0].Outcome != SheetLoaded {
		t.Errorf("%+v", n.Sheets)
	}
}

// The same rows saved by another program are loaded already, and stay so.
func TestTheSameRowsInOtherBytesAreInOrder(t *testing.T) {
	d := newDesk(t)
	d.drop("a.csv", sheetOf("N-1"))
	d.night(t.Context(), NeedsPerson)
	writes := d.opened(d.drop("again.csv", strings.ReplaceAll(sheetOf("N-1"), "\n", "\r\n")))
	d.night(t.Context(), NeedsPerson)
	d.night(t.Context(), NeedsPerson)
	d.holds(today, "a.csv", "again.csv")
	must(t, writes())
	d.night(t.Context(), ArchiveChanged)
}
