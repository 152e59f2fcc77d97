package xlsx

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"
)

// archive is the ZIP writer that excelize writes the workbook into. It writes straight to the draft instead of
// memory, gives every part the same time, and inserts the rows of each tab into the sheet that excelize laid
// out around them. It packs for speed, because packing takes the largest part of the time for reports. The best
// compression would be a fifth smaller and take several times as long, and Go's own takes twice as long for the
// same size (docs/adr/0014).
//
// excelize reports only the error of the last part. The writer below keeps its own first error (bufio.Writer);
// the archive keeps the first error of a sheet, and Close returns it.
type archive struct {
	zip  *zip.Writer
	at   time.Time
	rows map[string][]io.Reader // by the name of the sheet's part
	err  error
}

func newArchive(w io.Writer, at time.Time, rows map[string][]io.Reader) *archive {
	earliest := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) // that a ZIP can hold
	if at.Before(earliest) {
		at = earliest
	}
	out := zip.NewWriter(w)
	out.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	return &archive{zip: out, at: at.UTC().Truncate(time.Second), rows: maps.Clone(rows)}
}

// Create implements excelize.ZipWriter.
func (a *archive) Create(name string) (io.Writer, error) {
	out, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.at})
	rows, ok := a.rows[name]
	if err != nil || !ok {
		return out, err
	}
	delete(a.rows, name)
	return &sheetPart{archive: a, name: name, out: out, rows: rows}, nil
}

// AddFS implements excelize.ZipWriter; it is for workbooks that were read from a folder.
func (a *archive) AddFS(fs.FS) error { return a.keep(errors.ErrUnsupported) }

// Close implements excelize.ZipWriter.
func (a *archive) Close() error {
	for name := range a.rows {
		_ = a.keep(fmt.Errorf("%s: the workbook has no such part", name))
	}
	return errors.Join(a.err, a.zip.Close())
}

func (a *archive) keep(err error) error {
	a.err = cmp.Or(a.err, err)
	return err
}

// sheetPart is a part into which rows are inserted.
type sheetPart struct {
	archive *archive
	name    string
	out     io.Writer
	rows    []io.Reader
}

// Write gets a whole part at once: excelize holds everything but the rows in memory.
func (p *sheetPart) Write(b []byte) (int, error) {
	before, after, found := bytes.Cut(b, []byte(`<sheetData></sheetData>`))
	if !found {
		return 0, p.archive.keep(fmt.Errorf("%s: no place for the rows", p.name))
	}
	whole := slices.Concat(
		[]io.Reader{bytes.NewReader(before), strings.NewReader(`<sheetData>`)}, p.rows,
		[]io.Reader{strings.NewReader(`</sheetData>`), bytes.NewReader(after)})
	_, err := io.Copy(p.out, io.MultiReader(whole...))
	return len(b), p.archive.keep(err)
}
