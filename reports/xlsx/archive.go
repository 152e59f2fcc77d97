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
	"time"

	"github.com/klauspost/compress/flate"
)

// archive is the ZIP writer that excelize writes the workbook into. It writes straight to the draft instead of
// memory, gives every part the same time, and inserts the packed rows of each tab into the sheet that excelize
// laid out around them.
//
// excelize reports only the error of the last part. The writer below keeps its own first error (bufio.Writer);
// the archive keeps the first error of a sheet, and Close returns it.
type archive struct {
	zip  *zip.Writer
	at   time.Time
	tabs map[string]tab // by the name of the sheet's part
	err  error
}

// tab is what excelize does not know: the packed rows, and the head rows above them, which summarise them.
type tab struct {
	head []byte
	rows *Packed
}

func newArchive(w io.Writer, at time.Time, tabs map[string]tab) *archive {
	earliest := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) // that a ZIP can hold
	if at.Before(earliest) {
		at = earliest
	}
	out := zip.NewWriter(w)
	out.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	return &archive{zip: out, at: at.UTC().Truncate(time.Second), tabs: maps.Clone(tabs)}
}

// Create implements excelize.ZipWriter.
func (a *archive) Create(name string) (io.Writer, error) {
	if t, ok := a.tabs[name]; ok {
		delete(a.tabs, name)
		return &sheetPart{archive: a, name: name, tab: t}, nil
	}
	return a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.at})
}

// AddFS implements excelize.ZipWriter; it is for workbooks that were read from a folder.
func (a *archive) AddFS(fs.FS) error { return a.keep(errors.ErrUnsupported) }

// Close implements excelize.ZipWriter.
func (a *archive) Close() error {
	for name := range a.tabs {
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
	tab     tab
}

const beforeRows, afterRows = `<sheetData>`, `</sheetData>`

// Write gets a whole part at once: excelize holds everything but the rows in memory.
func (p *sheetPart) Write(b []byte) (int, error) {
	before, after, found := bytes.Cut(b, []byte(beforeRows+afterRows))
	if !found {
		return 0, p.archive.keep(fmt.Errorf("%s: no place for the rows", p.name))
	}
	return len(b), p.archive.keep(p.splice(before, after))
}

// splice writes the part in three stretches, each packed separately, which is as small as packing them
// together.
func (p *sheetPart) splice(before, after []byte) error {
	front, err := packedWhole(false, before, []byte(beforeRows), p.tab.head)
	if err != nil {
		return err
	}
	back, err := packedWhole(true, []byte(afterRows), after)
	if err != nil {
		return err
	}
	stretches := []*Packed{front, back}
	if p.tab.rows != nil {
		if err := p.tab.rows.end(false); err != nil {
			return err
		}
		stretches = []*Packed{front, p.tab.rows, back}
	}
	h, err := p.archive.header(p.name)
	if err != nil {
		return err
	}
	for _, s := range stretches {
		h.CRC32 = crcJoined(h.CRC32, s.crc, s.size)
		h.UncompressedSize64 += uint64(s.size)
		h.CompressedSize64 += uint64(s.packed)
	}
	w, err := p.archive.zip.CreateRaw(h)
	if err != nil {
		return err
	}
	for _, s := range stretches {
		if err := s.to.CopyTo(w); err != nil {
			return err
		}
	}
	return nil
}

// header returns a header as CreateHeader would make it, with times and version, for CreateRaw to use
// unchanged.
func (a *archive) header(name string) (*zip.FileHeader, error) {
	const sizesFollow = 0x8 // sizes after the data, not before them
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.at}
	if _, err := zip.NewWriter(io.Discard).CreateHeader(h); err != nil {
		return nil, err
	}
	h.Flags &^= sizesFollow
	return h, nil
}
