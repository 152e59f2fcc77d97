package validate

import (
	"fmt"
	"slices"

	"payrun/ingest"
	"payrun/ledger"
)

// merged refuses the sheet if merged cells cover the header or a payout in a column that is read: only the
// first cell has the value, and the others look filled but are empty. One finding names the first range.
func (c *check) merged(ranges []ingest.Merge) {
	slices.Sort(c.asides)
	at := slices.IndexFunc(ranges, func(m ingest.Merge) bool { return c.liesOver(m, func(column) bool { return true }) })
	if at < 0 {
		return
	}
	m := ranges[at]
	c.found.add(ledger.Finding{
		Row: m.Top, Code: ingest.CodeMerged, Value: m.Ref, Message: fmt.Sprintf("the cells %s are merged", m.Ref),
	})
}

// liesOver reports whether a range covers the header or a payout in one of these columns, if the column is
// read.
func (c *check) liesOver(m ingest.Merge, of func(column) bool) bool {
	read := false
	for col, at := range c.layout.at {
		read = read || at >= 0 && m.Left <= at && at <= m.Right && of(column(col))
	}
	if !read || m.Top > c.last {
		return false // or it covers only rows below the last payout
	}
	_, aside := slices.BinarySearch(c.asides, m.Top)
	return !(aside && m.Top == m.Bottom)
}
