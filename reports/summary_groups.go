package reports

import (
	"cmp"
	"maps"
	"slices"

	"payrun/ledger"
)

// group is exceptions that a person handles in the same way, because the page does not have room for each.
type group struct {
	groupKey
	bucket bucket // the worst
	tally  ledger.Tally
	refs   []string // the first references
	batch  string   // "" if there are several
}

type groupKey struct {
	kind   ledger.Attention
	of     unit
	reason string // "" if there are several
}

// unit is what a line counts.
type unit int

const (
	ofPayouts unit = iota
	ofBatches
	ofRows // rows that were left out
)

func (u unit) counted(n int) string {
	switch u {
	case ofBatches:
		return ledger.CountedBatches(n)
	case ofRows:
		return ledger.Counted(n, "row", "rows")
	}
	return ledger.CountedPayouts(n)
}

func (e exceptionLine) unit() unit {
	switch {
	case e.Row != 0:
		return ofPayouts
	case e.BatchID != "":
		return ofBatches
	}
	return ofRows
}

// refsShown is how many references the page shows for a group.
const refsShown = 5

// mostGroups limits the memory: a bank may give every payout its own reason. It is more than a page has.
const mostGroups = 100

func (t *totals) group(e exceptionLine) {
	key := groupKey{e.Kind, e.unit(), e.Reason}
	if t.groups[key] == nil && len(t.groups) >= mostGroups {
		key.reason = ""
	}
	g := t.groups[key]
	if g == nil {
		g = &group{groupKey: key, batch: e.BatchID}
		t.groups[key] = g
	}
	g.tally = g.tally.Plus(ledger.Tally{Count: e.count, Total: e.Amount})
	if e.Ref != "" && len(g.refs) < refsShown {
		g.refs = append(g.refs, e.Ref)
	}
	g.bucket = max(g.bucket, e.bucket)
	if g.batch != e.BatchID {
		g.batch = ""
	}
}

// gravest returns the groups in the order in which a person should handle them.
func (t *totals) gravest() []*group {
	return slices.SortedFunc(maps.Values(t.groups), func(a, b *group) int {
		return cmp.Or(
			cmp.Compare(a.kind.Rank(), b.kind.Rank()),
			cmp.Compare(a.kind, b.kind),
			cmp.Compare(a.of, b.of),
			cmp.Compare(b.tally.Total, a.tally.Total),
			cmp.Compare(a.reason, b.reason),
		)
	})
}

// merged returns one group for each kind, in the same order. If there are too many groups for a page, it leaves
// out reasons rather than kinds.
func merged(groups []*group) []*group {
	var all []*group
	for _, g := range groups {
		last := len(all) - 1
		if last < 0 || all[last].kind != g.kind || all[last].of != g.of {
			one := *g
			one.refs = slices.Clone(g.refs)
			all = append(all, &one)
			continue
		}
		m := all[last]
		m.reason, m.bucket = "", max(m.bucket, g.bucket)
		m.tally = m.tally.Plus(g.tally)
		m.refs = append(m.refs, g.refs[:min(len(g.refs), refsShown-len(m.refs))]...)
		if m.batch != g.batch {
			m.batch = ""
		}
	}
	return all
}
