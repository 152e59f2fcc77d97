package validate

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"

	"payrun/ingest"
)

// Open opens the sheet at path as Check reads it, for code that returns its rows to the person: the
// same tab, separator and encoding, and the same rows.
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

// mostRows is how many lines the sheet may have below its header, blank ones
// too, its total row not (contract.md, "Sheets").
func mostRows(o Options) int { return cmp.Or(o.Limits.Rows, ingest.DefaultLimits().Rows) }

// reading is how the sheet is read.
func (c *check) reading() ingest.Options {
	limits := c.o.Limits
	limits.Rows = mostRows(c.o)
	if limits.Rows < math.MaxInt-ingest.HeaderRows-1 {
		limits.Rows += ingest.HeaderRows + 1 // the header with its titles, and the total; line counts those between
	}
	return ingest.Options{
		Name: c.o.Name, Tab: c.o.Tab, Encoding: c.o.Encoding, Hidden: ingest.HiddenRows(c.o.HiddenRows), Limits: limits, Copy: c.o.Copy,
		IsHeader: c.words.isHeader, IsComplete: c.words.isComplete, MayPay: c.words.mayPay,
	}
}
