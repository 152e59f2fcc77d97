// Package xlsx writes rows of text and exact money into a workbook.
//
// excelize lays out the workbook: tabs, styles, widths, charts, print set-up.
// Its cells take a number only as a float or an integer, and it holds every
// row. So the rows go their own way: an amount from Paise to the cell's text
// digit for digit (cell.go), row after row (rows.go) and packed as they come to
// wherever the caller keeps them (packed.go), and from there into the place that
// excelize left for them (archive.go). The same rows and the same time give the same bytes.
//
// Nothing here is ever calculated but the formulas that a caller sets. Texts
// come in fit to be shown; only what XML needs is escaped.
package xlsx

import (
	"fmt"
	"io"
	"sort"
	"time"

	"github.com/xuri/excelize/v2"
)

// Book is a workbook while it is put together.
type Book struct {
	*excelize.File
	tabs int
	rows map[string]tab // by the name of the tab's part
}

// What a workbook holds.
const (
	// MaxRows is what a tab holds.
	MaxRows = 1_048_576
	// MaxTabBytes keeps a tab's part of the archive well below 4 GiB, from
	// where spreadsheet programs want another kind of archive.
	MaxTabBytes = 3 << 30
	// MaxCellLength is what a cell holds, in UTF-16 units.
	MaxCellLength = 32_767
)

// NewBook begins a workbook that has the styles of this room and no tab yet.
// Close gives its memory back.
func NewBook() (*Book, error) {
	b := &Book{File: excelize.NewFile(), rows: map[string]tab{}}
	if err := b.addStyles(); err != nil {
		_ = b.Close()
		return nil, err
	}
	return b, nil
}

// AddTab adds a tab of rows as Rows makes them: those of head, which may be made when
// all others are known, and those below, to which nothing is added any more; nil where
// there are none.
func (b *Book) AddTab(name string, head []byte, rows *Packed) error {
	b.tabs++
	if b.tabs == 1 { // a new workbook has one
		if err := b.SetSheetName(b.GetSheetName(0), name); err != nil {
			return err
		}
	} else if _, err := b.NewSheet(name); err != nil {
		return err
	}
	b.rows[fmt.Sprintf("xl/worksheets/sheet%d.xml", b.tabs)] = tab{head, rows}
	return nil
}

// Write writes the workbook. Its times are all `at`, never a clock's.
func (b *Book) Write(out io.Writer, title string, at time.Time) error {
	stamp := at.UTC().Format("2006-01-02T15:04:05Z")
	props := excelize.DocProperties{Title: title, Creator: "payrun", LastModifiedBy: "payrun", Created: stamp, Modified: stamp, Language: "en-IN"}
	if err := b.SetDocProps(&props); err != nil {
		return err
	}
	// excelize leaves the content types that a drawing may need in the order of a map.
	types := b.ContentTypes.Defaults
	sort.Slice(types, func(i, j int) bool { return types[i].Extension < types[j].Extension })
	archive := newArchive(out, at, b.rows)
	b.SetZipWriter(func(io.Writer) excelize.ZipWriter { return archive })
	return b.File.Write(io.Discard) // into the archive
}
