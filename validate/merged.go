package validate

import (
	"fmt"
	"slices"

	"payrun/ingest"
	"payrun/ledger"
)

// merged refuses the sheet where merged cells lie over the header or a payout in
// a column that is read: only the first of them holds the value, and the
// others look filled and are empty. One finding names the first.
func (c *check) merged(ranges []ingest.Merge) {
	slices.Sort(c.asides)
	at := slices.IndexFunc(ranges, c.liesOverData)
	if at < 0 {
		return
	}
	m := ranges[at]
	c.found.add(ledger.Finding{
		Row: m.Top, Code: string(ingest.CodeMerged), Value: m.Ref, Message: fmt.Sprintf("the cells %s are merged", m.Ref),
	})
}

func (c *check) liesOverData(m ingest.Merge) bool {
	read := slices.ContainsFunc(c.layout.at[:], func(at int) bool { return m.Left <= at && at <= m.Right })
	if !read || m.Top > c.last {
		return false // or it lies over signatures and the total
	}
	_, aside := slices.BinarySearch(c.asides, m.Top)
	return !(aside && m.Top == m.Bottom)
}
