// Package xlsx writes rows of text and exact money into a workbook.
//
// excelize lays out the workbook: tabs, styles, widths, charts, print set-up. Its cells take numbers only as
// floats or integers, and it holds every row in memory. So the rows take another way: an amount goes from Paise
// to the cell's text digit by digit (cell.go), row after row (rows.go), into the caller's draft, and from there
// to the place that excelize left for them (archive.go). The same rows and the same time give the same bytes.
//
// The only calculations in a workbook are the formulas that a caller sets. Callers must pass texts that are
// safe to show; only what XML needs is escaped here.
package xlsx

import (
	"fmt"
	"io"
	"sort"
	"time"

	"github.com/xuri/excelize/v2"
)

// Book is a workbook while it is built.
type Book struct {
	*excelize.File
	rows map[string][]io.Reader // by the name of the tab's part
}

// The limits of a workbook.
const (
	// MaxRows is the limit of rows of a tab.
	MaxRows = 1_048_576
	// MaxTabBytes keeps a tab's part of the archive well below 4 GiB, above which spreadsheet programs need
	// another kind of archive.
	MaxTabBytes = 3 << 30
	// MaxCellLength is the limit of a cell, in UTF-16 units.
	MaxCellLength = 32_767
)

// NewBook begins a workbook with the styles of this package and no tab. Close frees its memory.
func NewBook() (*Book, error) {
	b := &Book{File: excelize.NewFile(), rows: map[string][]io.Reader{}}
	if err := b.addStyles(); err != nil {
		_ = b.Close()
		return nil, err
	}
	return b, nil
}

// AddTab adds a tab of rows as Rows writes them. Write reads them to their end.
func (b *Book) AddTab(name string, rows ...io.Reader) error {
	if len(b.rows) == 0 { // a new workbook has one tab
		if err := b.SetSheetName(b.GetSheetName(0), name); err != nil {
			return err
		}
	} else if _, err := b.NewSheet(name); err != nil {
		return err
	}
	b.rows[fmt.Sprintf("xl/worksheets/sheet%d.xml", len(b.rows)+1)] = rows
	return nil
}

// Write writes the workbook. All its times are `at`.
func (b *Book) Write(out io.Writer, title string, at time.Time) error {
	stamp := at.UTC().Format("2006-01-02T15:04:05Z")
	props := excelize.DocProperties{Title: title, Creator: "payrun", LastModifiedBy: "payrun", Created: stamp, Modified: stamp, Language: "en-IN"}
	if err := b.SetDocProps(&props); err != nil {
		return err
	}
	// excelize leaves the content types that a drawing needs in the random order of a map.
	types := b.ContentTypes.Defaults
	sort.Slice(types, func(i, j int) bool { return types[i].Extension < types[j].Extension })
	archive := newArchive(out, at, b.rows)
	b.SetZipWriter(func(io.Writer) excelize.ZipWriter { return archive })
	return b.File.Write(io.Discard) // into the archive
}
