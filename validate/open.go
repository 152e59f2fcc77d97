package validate

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"

	"payrun/ingest"
)

// Open opens the sheet at path as Check reads it, for code that returns its rows to the person: with the same
// tab, separator, encoding and rows.
func Open(path string, o Options) (*ingest.Sheet, error) {
	words, err := newVocabulary(o)
	if err != nil {
		return nil, err
	}
	c := check{o: o, words: words}
	sheet, err := ingest.Open(path, c.reading())
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", cmp.Or(o.Name, filepath.Base(path)), err)
	}
	return sheet, nil
}

// reading returns the options for ingest.
func (c *check) reading() ingest.Options {
	limits := c.o.Limits
	limits.Rows = math.MaxInt // see withinLimit
	return ingest.Options{
		Name: c.o.Name, Tab: c.o.Tab, Encoding: c.o.Encoding, Hidden: ingest.HiddenRows(c.o.HiddenRows), Limits: limits, Copy: c.o.Copy,
		IsHeader: c.words.isHeader, IsComplete: c.words.isComplete, MayPay: c.words.mayPay,
	}
}
