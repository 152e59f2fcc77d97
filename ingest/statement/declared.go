package statement

import (
	"fmt"
	"maps"
	"slices"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// declared is Options.Map by folded header: the column that each header is.
type declared map[string]column

// newDeclared reads Map, whose keys are the name of a column or any known word for it.
func newDeclared(columns map[string]string) (declared, error) {
	t := declared{}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		header := columns[name]
		c, ok := headerWords[visible.FoldHeader(name)]
		if !ok {
			return nil, unsatisfied(name, header, "%q is no column of a statement", name)
		}
		key := visible.FoldHeader(header)
		if other, again := t[key]; again && other != c {
			return nil, unsatisfied(other.String(), header, "%q is said to be both %s and %s", header, other, c)
		}
		t[key] = c
	}
	return t, nil
}

func unsatisfied(name, header, format string, args ...any) error {
	return &ingest.UsageError{Option: ledger.Option{Name: ledger.OptionMap, Value: name + "=" + header}, Why: fmt.Sprintf(format, args...)}
}
