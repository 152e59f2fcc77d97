package reports

import (
	"cmp"
	"slices"
	"strconv"

	"payrun/ledger"
)

// rowNumber is a row of the sheet as the user sees it; 0, the sheet as a
// whole, shows as nothing.
type rowNumber int

// MarshalCSV is what gocsv asks.
func (r rowNumber) MarshalCSV() (string, error) {
	if r == 0 {
		return "", nil
	}
	return strconv.Itoa(int(r)), nil
}

// group gathers exceptions that a person handles the same way, for the page
// that has no room for each.
type group struct {
	kind    kind
	reason  string // "" when there were too many different ones
	tally   ledger.Tally
	first   string // the first reference
	batch   string // the batch id while there is one only
	batches int    // 1, or 2 for more
}

type groupKey struct {
	kind   kind
	reason string
}

// reasonsPerKind bounds what the page remembers: a bank may give every payout
// a reason of its own.
const reasonsPerKind = 12

func (t *totals) group(e exceptionLine) {
	g := t.groups[groupKey{e.Kind, e.Reason}]
	if g == nil {
		g = t.newGroup(e)
	}
	g.tally.Add(e.Amount)
	if g.batch != e.BatchID {
		g.batch, g.batches = "", 2
	}
}

func (t *totals) newGroup(e exceptionLine) *group {
	key := groupKey{e.Kind, e.Reason}
	n := 0
	for k := range t.groups {
		if k.kind == e.Kind {
			n++
		}
	}
	if n >= reasonsPerKind {
		key.reason = ""
	}
	if g := t.groups[key]; g != nil {
		return g
	}
	g := &group{kind: e.Kind, reason: key.reason, first: e.Ref, batch: e.BatchID, batches: 1}
	t.groups[key] = g
	return g
}

// gravest returns the groups in the order in which a person should take them.
func (t *totals) gravest() []*group {
	all := make([]*group, 0, len(t.groups))
	for _, g := range t.groups {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b *group) int {
		return cmp.Or(
			cmp.Compare(a.kind.index(), b.kind.index()),
			cmp.Compare(b.tally.Total, a.tally.Total),
			cmp.Compare(a.reason, b.reason),
		)
	})
	return all
}
