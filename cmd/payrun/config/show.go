package config

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"payrun/ledger"
)

// Value is one setting: the value in effect, and where it came from.
type Value struct {
	Key   string `json:"key"`
	Holds string `json:"value"` // as written in payrun.toml; a secret is masked
	From  string `json:"from"`  // a flag, a variable of the environment, a line of payrun.toml, or "default"
}

// Place is a path where payrun looks for the configuration.
type Place struct {
	Path  string
	Why   string // what names it, such as "--config"
	There bool

	named bool  // a person named it
	err   error // why it is not there
}

// LookedFor lists the places of the configuration, in order. The first one that exists is
// read. One that is named must exist.
func (s Sources) LookedFor() []Place {
	var out []Place
	for _, p := range []Place{
		{Path: s.Config, Why: "--config", named: true}, {Path: s.Getenv("PAYRUN_CONFIG"), Why: "PAYRUN_CONFIG", named: true},
		{Path: Name, Why: "the current folder"}, {Path: s.user(), Why: "the user's configuration folder"},
	} {
		if p.Path == "" {
			continue
		}
		_, p.err = os.Stat(p.Path)
		p.There = p.err == nil
		out = append(out, p)
	}
	return out
}

// masked is shown for a secret that is set.
const masked = "(set, not shown)"

// Show lists every setting and where it came from, in the order of payrun.toml.
func Show(from Sources) ([]Value, error) {
	s, err := Load(from)
	if err != nil {
		return nil, err
	}
	v := shower{path: s.Path, text: s.text, getenv: from.Getenv}
	v.table(reflect.ValueOf(s.File), nil)
	v.override("ledger", cmp.Or(s.LedgerServer, s.LedgerPath), "default")
	if name, where := from.namedLedger(); name != "" {
		v.of("ledger").From = where
	}
	v.override("base_url", s.BaseURL, "default")
	v.override("id_url", s.IDURL, "default: base_url")
	v.override("linking_url", s.LinkingURL, "default: base_url")
	for _, which := range []string{"access", "secret"} {
		v.key(which)
	}
	actor := Value{"actor", fmt.Sprintf("%q", s.Actor), "the system user"}
	if s.LedgerServer != "" {
		actor.From += "; in the ledger it is the database role"
	}
	return append(v.values, actor), nil
}

// shower collects the settings of one configuration.
type shower struct {
	path, text string
	getenv     func(string) string
	values     []Value
}

// table adds the keys of a table, or of the whole file.
func (v *shower) table(t reflect.Value, key toml.Key) {
	for i := range t.NumField() {
		name := t.Type().Field(i).Tag.Get("toml")
		if name == "" {
			continue
		}
		at := append(slices.Clone(key), name)
		switch held := t.Field(i).Interface().(type) {
		case []ledger.DebitAccount:
			v.accounts(held)
		case Columns:
			for _, t := range held.tables() {
				v.words(t.key, t.columns)
			}
		case map[string]string:
			v.words(at, held)
		default:
			text, path := written(held), at.String()
			if (path == "nightly.ping_url" || path == "notify.url") && text != `""` {
				text = masked
			}
			if text == "" {
				v.table(t.Field(i), at)
			} else {
				v.add(at, text)
			}
		}
	}
}

// written returns a value as payrun.toml would have it; "" for a table.
func written(held any) string {
	switch held.(type) {
	case string, fmt.Stringer:
		return fmt.Sprintf("%q", held)
	case bool, int, AtLeastOne:
		return fmt.Sprint(held)
	}
	return ""
}

func (v *shower) add(key toml.Key, value string) {
	from := "default"
	if at := keyPosition(v.text, key); at.line > 0 {
		from = at.in(v.path)
	}
	v.values = append(v.values, Value{key.String(), value, from})
}

// accounts adds one line for each account: its name, and what it is.
func (v *shower) accounts(all []ledger.DebitAccount) {
	for _, a := range all {
		is := fmt.Sprintf("%q, partner bank %d", a.BankAccountID, a.PartnerBankID)
		if a.Kind != "" {
			is += ", " + string(a.Kind)
		}
		if a.Default {
			is += ", default"
		}
		if a.AccountNumber != "" {
			is += ", account " + ledger.Mask(a.AccountNumber)
		}
		v.values = append(v.values, Value{"accounts." + a.Name, is, v.path})
	}
}

// words adds the keys of a table whose keys the user chooses.
func (v *shower) words(table toml.Key, held map[string]string) {
	for _, k := range slices.Sorted(maps.Keys(held)) {
		v.add(append(slices.Clone(table), k), fmt.Sprintf("%q", held[k]))
	}
}

// of returns the value of a key that table added.
func (v *shower) of(key string) *Value {
	return &v.values[slices.IndexFunc(v.values, func(v Value) bool { return v.Key == key })]
}

// override sets the value and the source of a key that the environment may set. unset is the source if
// nothing set it.
func (v *shower) override(key, holds, unset string) {
	set, variable := v.of(key), "PAYRUN_"+strings.ToUpper(key)
	set.Holds = fmt.Sprintf("%q", holds)
	switch {
	case v.getenv(variable) != "":
		set.From = variable
	case set.From == "default":
		set.From = unset
	}
}

// key adds one of the two keys: where it comes from, never its value.
func (v *shower) key(which string) {
	variable := "PAYRUN_" + strings.ToUpper(which) + "_KEY"
	value, file := Value{Key: which + "_key", Holds: masked}, v.of("credentials."+which+"_key_file")
	switch {
	case v.getenv(variable) != "":
		value.From = variable
	case v.getenv(variable+"_FILE") != "":
		value.From = variable + "_FILE"
	case file.Holds != `""`:
		value.From = file.From
	default:
		value.Holds, value.From = "(not set)", "default"
	}
	v.values = append(v.values, value)
}
