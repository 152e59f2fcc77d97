package validate

import (
	"fmt"
	"slices"

	"payrun/ingest"
	"payrun/ledger"
)

// conditionals refuses the sheet where a conditional format may strike out or hide a cell
// of a payout that is read: only a spreadsheet program knows for which cells its rule
// holds, and a payout that is shown as cancelled would be paid. Names and remarks
// are sent as they are, with a warning, and a priority moves no money. One finding names the first range.
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

// effectWords says what a person may see of the cells.
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
