package validate

import (
	"fmt"
	"slices"

	"payrun/ingest"
	"payrun/ledger"
)

// conditionals refuses the sheet if a conditional format may strike out or hide a cell that is read in a
// payout. Only a spreadsheet program knows where the rule holds, and payrun would pay a payout that is shown as
// cancelled. For names and remarks it only warns, because they are sent as they are; a priority moves no money.
// One finding names the first range.
func (c *check) conditionals(ranges []ingest.Conditional) {
	slices.Sort(c.asides)
	for _, kind := range []struct {
		code string
		over func(column) bool
	}{
		{codeConditionalFormat, func(col column) bool { return col != colName && col != colRemarks && col != colPriority }},
		{codeConditionalText, func(col column) bool { return col == colName || col == colRemarks }},
	} {
		at := slices.IndexFunc(ranges, func(r ingest.Conditional) bool { return c.liesOver(r.Merge, kind.over) })
		if at < 0 {
			continue
		}
		r := ranges[at]
		c.found.add(ledger.Finding{
			Row: max(r.Top, c.layout.row+1), Code: kind.code, Value: r.Ref,
			Message: fmt.Sprintf("a conditional format over %s may %s", r.Ref, effectWords(r.Mark)),
		})
		return
	}
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
