package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/BurntSushi/toml"

	"payrun/ledger"
)

// Columns is [columns]: the headers of the user's own sheets, by the canonical name of the
// column or any word for it.
type Columns struct {
	Always   map[string]string // for every sheet that has the header
	Profiles []Profile         // sorted by name
}

// Profile is [columns.NAME], for sheets whose header has all its columns.
type Profile struct {
	Name    string
	Columns map[string]string
}

// UnmarshalTOML reads headers, and profiles of headers.
func (c *Columns) UnmarshalTOML(v any) error {
	table, ok := v.(map[string]any)
	if !ok {
		return errors.New(`want headers, as in amount = "Net Pay"`)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		switch said := table[name].(type) {
		case string:
			if c.Always == nil {
				c.Always = map[string]string{}
			}
			c.Always[name] = said
		case map[string]any:
			p := Profile{Name: name, Columns: map[string]string{}}
			for column, header := range said {
				text, ok := header.(string)
				if !ok {
					return fmt.Errorf("%s.%s: want the header of the column, in quotes", name, column)
				}
				p.Columns[column] = text
			}
			c.Profiles = append(c.Profiles, p)
		default:
			return fmt.Errorf("%s: want the header of the column, in quotes", name)
		}
	}
	return nil
}

// tables returns the tables of columns with their keys: [columns] itself, then the profiles.
func (c Columns) tables() []columnsTable {
	profiles := ledger.ListOf(c.Profiles, func(p Profile) columnsTable { return columnsTable{toml.Key{"columns", p.Name}, p.Columns} })
	return append([]columnsTable{{toml.Key{"columns"}, c.Always}}, profiles...)
}

type columnsTable struct {
	key     toml.Key
	columns map[string]string
}

// check refuses what no sheet can satisfy: a column that does not exist, one that is mapped twice, or an
// empty header. canonicalOf knows the names of columns; this package does not.
func (t columnsTable) check(canonicalOf func(word string) (string, bool)) (at toml.Key, wrong string) {
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(t.columns)) {
		at := append(slices.Clone(t.key), name)
		canonical, ok := canonicalOf(name)
		switch {
		case !ok:
			return at, "no column of a sheet is called so; payrun help sheets lists them"
		case t.columns[name] == "":
			return at, "must not be empty: it is the header of the column"
		case seen[canonical] != "":
			return at, fmt.Sprintf("%s and %s are both %s", seen[canonical], name, canonical)
		}
		seen[canonical] = name
	}
	return nil, ""
}
