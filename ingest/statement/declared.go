package statement

import (
	"fmt"
	"maps"
	"slices"

	"payrun/ingest/visible"
	"payrun/ledger"
)

// OptionError is a choice that no file can satisfy.
type OptionError struct {
	Option ledger.Option
	Why    string
}

func (e *OptionError) Error() string { return e.Why }

// ColumnOf gives the name of a column of a statement, by any word for it.
func ColumnOf(word string) (string, bool) {
	c, ok := headerWords[visible.FoldHeader(word)]
	if !ok {
		return "", false
	}
	return c.String(), true
}

// declared has the mappings of headers: for this file, for a file that has all the headers of a profile, and
// for every file that has the header. The first wins.
type declared struct {
	run      []meaning
	profiles [][]meaning
	always   []meaning
}

// meaning is one header and the column that it is said to be.
type meaning struct {
	key    string // the header, folded
	header string
	column column
}

// newDeclared takes Map, Profiles and Columns, whose left sides are a column's name or
// any word for it.
func newDeclared(o Options) (t declared, err error) {
	if t.run, err = meanings(o.Map); err != nil {
		return declared{}, err
	}
	columns := map[string]column{}
	for _, m := range t.run {
		if other, again := columns[m.key]; again && other != m.column {
			return declared{}, unsatisfied(other.String(), m.header, "%q is said to be both %s and %s", m.header, other, m.column)
		}
		columns[m.key] = m.column
	}
	for _, p := range o.Profiles {
		profile, err := meanings(p)
		if err != nil {
			return declared{}, err
		}
		t.profiles = append(t.profiles, profile)
	}
	t.always, err = meanings(o.Columns)
	return t, err
}

func meanings(m map[string]string) ([]meaning, error) {
	var out []meaning
	for _, name := range slices.Sorted(maps.Keys(m)) {
		header := m[name]
		c, ok := headerWords[visible.FoldHeader(name)]
		if !ok {
			return nil, unsatisfied(name, header, "%q is no column of a statement", name)
		}
		out = append(out, meaning{visible.FoldHeader(header), header, c})
	}
	return out, nil
}

func unsatisfied(name, header, format string, args ...any) error {
	return &OptionError{ledger.Option{Name: ledger.OptionMap, Value: name + "=" + header}, fmt.Sprintf(format, args...)}
}

// clash is a header that is said to be two columns.
type clash struct {
	header     string
	one, other column
}

// of returns the mappings for the headers of a row, by folded header. Two profiles that fit and
// disagree are a clash. If they name two headers for one column, the layout reports it.
func (t declared) of(cells []string) (said map[string]column, bad *clash) {
	said = map[string]column{}
	for _, m := range t.run {
		said[m.key] = m.column
	}
	there := map[string]bool{}
	for _, cell := range cells {
		there[visible.FoldHeader(cell)] = true
	}
	lay := func(list []meaning, settled map[string]column) {
		taken := map[column]bool{}
		for _, c := range settled {
			taken[c] = true
		}
		for _, m := range list {
			if _, before := settled[m.key]; before || taken[m.column] {
				continue
			}
			if other, again := said[m.key]; again && other != m.column && bad == nil {
				bad = &clash{m.header, other, m.column}
			}
			said[m.key] = m.column
		}
	}
	settled := maps.Clone(said)
	for _, p := range t.profiles {
		if !slices.ContainsFunc(p, func(m meaning) bool { return !there[m.key] }) {
			lay(p, settled)
		}
	}
	lay(slices.DeleteFunc(slices.Clone(t.always), func(m meaning) bool { return !there[m.key] }), maps.Clone(said))
	return said, bad
}
