package validate

import (
	"fmt"
	"strings"

	"payrun/ledger"
)

// group is the rows with a reference that the sheet has more than once.
type group struct {
	rows []int
	refs []string // as spelt in each row
}

// namedRows is how many other rows a finding names before it only counts them.
const namedRows = 5

// repeated records that a row repeats the reference of an earlier one. The first row of the group is refused
// too, and withdrawn if the sink already has it.
func (c *check) repeated(first refEntry, ref string, row int) {
	if before := c.index.group(first); before < 0 {
		f := &c.index.known[first]
		c.index.groups[first] = int32(len(c.groups))
		c.groups = append(c.groups, group{rows: []int{int(f.row)}, refs: []string{c.index.ref(first)}})
		c.RejectedRows = append(c.RejectedRows, int(f.row))
		if before != refused {
			c.withdraw(f)
		}
	}
	g := &c.groups[c.index.group(first)]
	g.rows = append(g.rows, row)
	g.refs = append(g.refs, strings.Clone(ref))
}

// withdraw takes back a payout that the sink already has.
func (c *check) withdraw(first *refFacts) {
	if !first.given {
		return
	}
	c.Withdrawn = append(c.Withdrawn, int(first.row))
	c.Sheet.Accepted.Count--
	c.Sheet.Accepted.Total -= first.amount
}

// refuseLate refuses the row of an entry that is alone, if the sink may already have it.
func (c *check) refuseLate(e refEntry) {
	if e == noEntry || c.index.group(e) != noGroup {
		return
	}
	c.index.groups[e] = refused
	c.withdraw(&c.index.known[e])
}

// reportRepeated adds a finding for every row of every group. Each names the other rows.
func (c *check) reportRepeated() {
	for _, g := range c.groups {
		for i, row := range g.rows {
			c.found.add(ledger.Finding{
				Row: row, Column: colReference.String(), Ref: g.refs[i], Code: codeReferenceRepeated, Value: g.refs[i],
				Message: "the same reference is also in " + otherRows(g.rows, i),
			})
		}
	}
}

// otherRows names the first rows of a group except one. It looks no further, because all rows of a sheet may
// have the same reference.
func otherRows(rows []int, self int) string {
	var named []string
	for i, row := range rows[:min(len(rows), namedRows+1)] {
		if i != self && len(named) < namedRows {
			named = append(named, fmt.Sprint(row))
		}
	}
	word := "row "
	if len(rows) > 2 {
		word = "rows "
	}
	words := word + strings.Join(named, ", ")
	if more := len(rows) - 1 - len(named); more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}
