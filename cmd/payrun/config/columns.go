package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/BurntSushi/toml"
)

// Columns is [columns], or [statement_columns]: what the columns of sheets, or of
// statement files, are called here, each by its canonical name or any word for it.
type Columns struct {
	Always   map[string]string // for every file that has the header
	Profiles []Profile         // in the order of their names
}

// Profile is [columns.NAME], for a file whose header has all its columns.
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

// tables are the tables of columns with their keys: the one of that name itself, then the profiles.
func (c Columns) tables(name string) []columnsTable {
	list := []columnsTable{{toml.Key{name}, c.Always}}
	for _, p := range c.Profiles {
		list = append(list, columnsTable{toml.Key{name, p.Name}, p.Columns})
	}
	return list
}

type columnsTable struct {
	key     toml.Key
	columns map[string]string
}

// columnWords tell the columns of one kind of file.
type columnWords struct {
	canonical func(word string) (string, bool) // what a column is called is not this room's to know
	unknown   string                           // what is said of a word that is none
}

// check refuses what no file can satisfy: a column that does not exist, one mapped twice, or a header
// for two.
func (t columnsTable) check(words columnWords) (at toml.Key, wrong string) {
	seen := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(t.columns)) {
		at := append(slices.Clone(t.key), name)
		canonical, ok := words.canonical(name)
		switch {
		case !ok:
			return at, words.unknown
		case t.columns[name] == "":
			return at, "must not be empty: it is the header of the column"
		case seen[canonical] != "":
			return at, fmt.Sprintf("%s and %s are both %s", seen[canonical], name, canonical)
		}
		seen[canonical] = name
	}
	return nil, ""
}
