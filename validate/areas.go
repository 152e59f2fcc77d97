package validate

import (
	"fmt"
	"slices"

	"payrun/ingest"
	"payrun/ledger"
)

// areas adds one finding for merged cells and one for conditional formats. Each names the first range.
//
// It refuses the sheet if merged cells cover the header or a payout in a column that is read: only the first cell
// has the value, and the others look filled but are empty. It refuses the sheet too if a conditional format may
// strike out or hide a cell that is read in a payout. Only a spreadsheet program knows where the rule holds, and
// payrun would pay a payout that is shown as cancelled. For names and remarks it only warns, because they are sent
// as they are, and so it does if a number format may show a word, such as Hold, in a column that is not read. A
// priority moves no money.
func (c *check) areas(all []ingest.Area) {
	slices.Sort(c.asides)
	read, unread := c.layout.at, []int{}
	for at := range c.layout.width {
		if c.layout.isUnread(at) {
			unread = append(unread, at)
		}
	}
	deciding := read
	deciding[colName], deciding[colRemarks], deciding[colPriority] = -1, -1, -1
	conditional := false
	for _, rule := range [...]struct {
		code    string
		columns []int
		marks   ingest.Mark // any of them; 0: merged cells
	}{
		{ingest.CodeMerged, read[:], 0},
		{codeConditionalFormat, deciding[:], ^ingest.Mark(0)},
		{codeConditionalText, []int{read[colName], read[colRemarks]}, ^ingest.Mark(0)},
		{codeConditionalText, unread, ingest.MarkReshaped},
	} {
		at := slices.IndexFunc(all, func(a ingest.Area) bool {
			return (a.Mark == rule.marks || a.Mark&rule.marks != 0) && c.liesOver(a, rule.columns)
		})
		if at < 0 || conditional {
			continue
		}
		a := all[at]
		f := ledger.Finding{Row: a.Top, Code: rule.code, Value: a.Ref, Message: fmt.Sprintf("the cells %s are merged", a.Ref)}
		if conditional = a.Mark != 0; conditional {
			f.Row, f.Message = max(a.Top, c.layout.row+1), fmt.Sprintf("a conditional format over %s may %s", a.Ref, effectWords(a.Mark))
		}
		c.found.add(f)
	}
}

// liesOver reports whether a range covers the header or a payout in one of these columns.
func (c *check) liesOver(a ingest.Area, columns []int) bool {
	if a.Top > c.last || !slices.ContainsFunc(columns, func(at int) bool { return a.Left <= at && at <= a.Right }) {
		return false // or it covers only rows below the last payout
	}
	_, left := slices.BinarySearch(c.asides, a.Top)
	return !(left && a.Top == a.Bottom)
}

// effectWords says what a person may see in the cells.
func effectWords(e ingest.Mark) string {
	switch {
	case e&ingest.MarkStruck != 0:
		return "strike out what is there"
	case e&ingest.MarkUnseen != 0:
		return "hide what is there"
	case e&ingest.MarkRaised != 0:
		return "raise or lower what is there"
	}
	return "show other numbers than stand there"
}
