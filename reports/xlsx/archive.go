package xlsx

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/klauspost/compress/flate"
)

// archive is the ZIP writer that excelize writes the workbook into. It goes
// straight to the draft instead of a buffer in memory, stamps every part with
// the same time, and puts the rows of each tab into the sheet that excelize laid
// out around them.
//
// excelize forgets the error of every part but the last. What it is written to keeps the
// first of its own (bufio.Writer); the archive keeps the first of a sheet, and Close returns it.
type archive struct {
	zip  *zip.Writer
	at   time.Time
	tabs map[string]tab // by the name of the sheet's part
	err  error
}

// tab is what excelize knows nothing of: the rows above, which tell of all that are
// below, and what writes those; nil for none.
type tab struct {
	head []byte
	rows func(io.Writer) error
}

func newArchive(w io.Writer, at time.Time, tabs map[string]tab) *archive {
	earliest := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) // for a ZIP
	if at.Before(earliest) {
		at = earliest
	}
	out := zip.NewWriter(w)
	out.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) }) // docs/adr/0014
	return &archive{zip: out, at: at.UTC().Truncate(time.Second), tabs: maps.Clone(tabs)}
}

// Create is what excelize.ZipWriter asks.
func (a *archive) Create(name string) (io.Writer, error) {
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.at})
	t, ok := a.tabs[name]
	if !ok || err != nil {
		return w, err
	}
	delete(a.tabs, name)
	return &sheetPart{archive: a, name: name, part: w, tab: t}, nil
}

// AddFS is what excelize.ZipWriter asks; it is for workbooks that were read from a folder.
func (a *archive) AddFS(fs.FS) error { return a.keep(errors.ErrUnsupported) }

// Close is what excelize.ZipWriter asks.
func (a *archive) Close() error {
	for name := range a.tabs {
		_ = a.keep(fmt.Errorf("%s: the workbook has no such part", name))
	}
	return errors.Join(a.err, a.zip.Close())
}

func (a *archive) keep(err error) error {
	if err != nil && a.err == nil {
		a.err = err
	}
	return err
}

// sheetPart is a part that rows are put into.
type sheetPart struct {
	archive *archive
	name    string
	part    io.Writer
	tab     tab
}

const beforeRows, afterRows = `<sheetData>`, `</sheetData>`

// Write gets a whole part at once: excelize holds all but the rows in memory.
func (p *sheetPart) Write(b []byte) (int, error) {
	before, after, found := bytes.Cut(b, []byte(beforeRows+afterRows))
	if !found {
		return 0, p.archive.keep(fmt.Errorf("%s: no place for the rows", p.name))
	}
	_, err := p.part.Write(slices.Concat(before, []byte(beforeRows), p.tab.head))
	if err == nil && p.tab.rows != nil {
		err = p.tab.rows(p.part)
	}
	if err == nil {
		_, err = p.part.Write(slices.Concat([]byte(afterRows), after))
	}
	return len(b), p.archive.keep(err)
}
