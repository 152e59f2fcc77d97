package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"payrun/ingest/visible"
	"payrun/ledger"
)

// Profile names the columns of one kind of sheet. It applies only to sheets whose header has all its columns.
type Profile struct {
	Name    string
	Columns map[string]string // like Options.Map
}

// ColumnOf returns the canonical name of a column, from that name or any word that headers use for it.
func ColumnOf(word string) (name string, ok bool) {
	c, ok := knownWords()[headerKey(word)]
	if !ok {
		return "", false
	}
	return c.String(), true
}

// knownWords has every word for a column, its name included, folded.
var knownWords = sync.OnceValue(func() map[string]column {
	words := make(map[string]column, 900)
	for c := range columnCount {
		words[visible.FoldHeader(columnNames[c])] = c
		for _, w := range columnWords[c] {
			words[visible.FoldHeader(w)] = c
		}
	}
	return words
})

// columnMap is the mapping from one source: the map of the run, a profile, or [columns] for every sheet.
type columnMap struct {
	from    string              // the profile's name
	headers [columnCount]string // as written; "" if there is none
}

// newColumnMap reads column → header. An unknown column, a column named by two words, or one header for two
// columns is a *UsageError.
func newColumnMap(from string, pairs map[string]string) (columnMap, error) {
	t := columnMap{from: from}
	taken := map[string]column{}
	for _, name := range slices.Sorted(maps.Keys(pairs)) {
		header := pairs[name]
		c, ok := knownWords()[headerKey(name)]
		key := headerKey(header)
		switch other, twice := taken[key]; {
		case !ok:
			return t, mapError(name, header, fmt.Sprintf("there is no column %q; known are %s and the words that headers use for them", name, strings.Join(columnNames[:], ", ")))
		case key == "":
			return t, mapError(name, header, "it names no column of the sheet")
		case twice:
			return t, mapError(name, header, fmt.Sprintf("the column %q is given to %s too", header, other))
		case t.headers[c] != "":
			return t, mapError(name, header, fmt.Sprintf("%s is given the column %q too", c, t.headers[c]))
		}
		t.headers[c], taken[key] = header, c
	}
	return t, nil
}

// MapOver combines a map with an earlier mapping of the same header, canonical name → header. A column in the
// map moves to its new header, and a header in the map loses its earlier meaning. Check reports faults of the
// map.
func MapOver(columns, over map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, over)
	for name, header := range columns {
		named := false
		for word, h := range over {
			c, ok := ColumnOf(word)
			named = named || ok && c == name || headerKey(h) == headerKey(header)
		}
		if !named {
			out[name] = header
		}
	}
	return out
}

// fits reports whether a header has every mapped column.
func (t *columnMap) fits(keys []string) bool {
	return !slices.ContainsFunc(t.headers[:], func(header string) bool { return header != "" && !slices.Contains(keys, headerKey(header)) })
}

// mapping is the meaning of the columns of one header. The first source wins.
type mapping struct {
	columns map[string]column // by folded header
	columnMap
	chosen  columnMap // from the run's map and the kept mapping
	settled columnMap // chosen, plus profiles that have all their columns here
}

// take adds the columns and headers that no earlier source has mapped.
func (m *mapping) take(t *columnMap, only func(key string) bool) {
	for c, header := range t.headers {
		key := headerKey(header)
		if header == "" || m.headers[c] != "" || !only(key) {
			continue
		}
		if _, taken := m.columns[key]; taken {
			continue
		}
		m.columns[key], m.headers[c] = column(c), header
	}
}

// meaning returns the column of a folded header: first by the mapping, then by the known words, unless the
// column is mapped to another header.
func (m *mapping) meaning(key string) (column, bool) {
	if c, ok := m.columns[key]; ok {
		return c, true
	}
	c, ok := knownWords()[key]
	return c, ok && m.headers[c] == ""
}

// mappingOf applies the sources to a header, given folded: the run's map, then the kept mapping and the
// profiles that fit, then [columns] for every sheet that has the column.
func (v *vocabulary) mappingOf(keys []string, kept *keptMap) (m mapping, clash []ledger.Finding) {
	m.columns = map[string]column{}
	m.take(&v.run, func(string) bool { return true }) // mapsTo reports a column that is not there
	settled := m.columnMap
	var used []*columnMap
	if kept != nil && !v.kept.without {
		used = append(used, &kept.columnMap)
		m.take(&kept.columnMap, func(string) bool { return true })
	}
	m.chosen = m.columnMap
	for i := range v.profiles {
		p := &v.profiles[i]
		if !p.fits(keys) {
			continue
		}
		for _, before := range used {
			if c, differ := before.differs(p, settled); differ && clash == nil {
				f := ledger.Finding{
					Column: c.String(), Code: codeProfilesDiffer, Value: p.headers[c], Option: mapOption(c.String(), p.headers[c]),
					Message: fmt.Sprintf("the sheet has all columns of the profiles %s and %s, which do not agree about %s", before.from, p.from, c),
				}
				if kept != nil && before == &kept.columnMap {
					f.Code, f.Option = codeKeptDiffers, readWithoutKept
					f.Message = fmt.Sprintf("what %s for this header and the profile %s do not agree about %s", v.kept.by(kept), p.from, c)
				}
				clash = append(clash, f)
			}
		}
		used = append(used, p)
		m.take(p, func(string) bool { return true })
	}
	m.settled = m.columnMap
	m.take(&v.always, func(key string) bool { return slices.Contains(keys, key) })
	return m, clash
}

// differs returns a column on which two sources disagree, unless an earlier source settles it.
func (t *columnMap) differs(u *columnMap, settled columnMap) (column, bool) {
	for c := range columnCount {
		if settled.headers[c] != "" || u.headers[c] == "" {
			continue
		}
		for other := range columnCount {
			same := headerKey(t.headers[other]) == headerKey(u.headers[c])
			if t.headers[other] != "" && same != (other == c) {
				return c, true
			}
		}
	}
	return 0, false
}

// byName returns the mapping by canonical name.
func (t *columnMap) byName() map[string]string {
	out := map[string]string{}
	for c, header := range t.headers {
		if header != "" {
			out[columnNames[c]] = header
		}
	}
	return out
}
