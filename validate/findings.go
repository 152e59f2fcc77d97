package validate

import (
	"cmp"
	"fmt"
	"slices"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// maxFindings limits the findings that are kept for one sheet. One more finding gives the number of the others.
const maxFindings = 100_000

// findings collects findings in any order.
type findings struct {
	strict bool
	list   []ledger.Finding
	layout *layout         // of the header; nil before it is known
	beyond int             // how many are only counted
	worst  ledger.Severity // the highest severity among those
}

// add adds a finding. Its severity, and its fix if it has none, come from the table of codes. It returns the
// severity.
func (f *findings) add(found ledger.Finding) ledger.Severity {
	e, _ := ingest.Explained(found.Code)
	found.Severity = e.Severity
	if f.strict && found.Severity == ledger.SeverityWarning {
		found.Severity = ledger.SeverityError
	}
	if found.Fix == "" {
		found.Fix = e.Fix
		found.Option = cmp.Or(found.Option, e.Option)
	}
	if f.full() && e.Scope == ofRow {
		f.count(found.Severity)
		return found.Severity
	}
	found.Value, found.Ref = visible.Shorten(found.Value), visible.Shorten(found.Ref)
	if f.layout != nil {
		f.layout.locate(&found)
	}
	f.list = append(f.list, found)
	return found.Severity
}

// full reports whether further findings of rows are only counted.
func (f *findings) full() bool { return len(f.list) >= maxFindings }

// merge adds the findings of other.
func (f *findings) merge(other *findings) {
	listed := min(len(other.list), max(maxFindings-len(f.list), 0))
	f.list = append(f.list, other.list[:listed]...)
	for _, found := range other.list[listed:] {
		f.count(found.Severity)
	}
	if other.beyond > 0 {
		f.count(other.worst)
		f.beyond += other.beyond - 1
	}
}

func (f *findings) count(s ledger.Severity) {
	if f.beyond == 0 || s.Order() < f.worst.Order() {
		f.worst = s
	}
	f.beyond++
}

// sorted returns all findings by row, in the order found within a row. Findings about the file as a whole come
// first.
func (f *findings) sorted() []ledger.Finding {
	slices.SortStableFunc(f.list, func(a, b ledger.Finding) int { return cmp.Compare(a.Row, b.Row) })
	if f.beyond == 0 {
		return f.list
	}
	e, _ := ingest.Explained(codeFindingsCapped)
	return append(f.list, ledger.Finding{
		Code: codeFindingsCapped, Severity: f.worst, Fix: e.Fix,
		Message: fmt.Sprintf("%d more findings are counted here and not listed", f.beyond),
	})
}
