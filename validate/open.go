package validate

import (
	"fmt"
	"path/filepath"

	"payrun/ingest"
)

// Open opens the sheet at path as Check reads it, for whoever gives its rows
// back to the person: the same tab, separator and encoding, and the same rows.
func Open(path string, o Options) (*ingest.Sheet, error) {
	if err := checkReading(o); err != nil {
		return nil, err
	}
	words, err := newVocabulary(o)
	if err != nil {
		return nil, err
	}
	c := check{o: o, words: words}
	sheet, err := ingest.Open(path, c.reading())
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", filepath.Base(path), err)
	}
	return sheet, nil
}

// reading is how the sheet is read.
func (c *check) reading() ingest.Options {
	return ingest.Options{
		Tab: c.o.Tab, Encoding: c.o.Encoding, Hidden: c.o.Hidden, Limits: c.o.Limits, Copy: c.o.Copy, IsHeader: c.words.isHeader,
	}
}
