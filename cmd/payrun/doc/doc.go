// Package doc is what payrun says to programs: the payrun.*/v1 documents, as
// structs, and the writers that put them on one line each. Fields are only
// ever added, never renamed, and amounts are strings with two decimals.
package doc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"payrun/ledger"
)

// Write writes v as one line: with a schema before its own fields, or with "" without.
func Write(w io.Writer, schema string, v any) error {
	line, err := encode(v)
	if schema != "" && err == nil {
		line = headed("schema", schema, line)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// headed puts a field before those of an encoded object.
func headed(name, value string, object []byte) []byte {
	return append(fmt.Appendf(nil, "{%q:%q,", name, value), object[1:]...)
}

// encode encodes v, without the line's end. What a terminal could act on is
// escaped: JSON leaves direction marks and the C1 controls as they are, and
// people look at documents too.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeUnprintable(bytes.TrimRight(b.Bytes(), "\n")), nil
}

func escapeUnprintable(line []byte) []byte {
	if bytes.IndexFunc(line, ledger.Unprintable) < 0 {
		return line
	}
	var out []byte
	for _, r := range string(line) {
		if !ledger.Unprintable(r) || r == utf8.RuneError {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}

// List is a list as a document has it: never null.
func List[T any](list []T) []T { return append([]T{}, list...) }

// Each has a document of each of a list: never null.
func Each[T, D any](list []T, document func(T) D) []D {
	all := make([]D, len(list))
	for i, v := range list {
		all[i] = document(v)
	}
	return all
}

// Verify is payrun.verify/v1.
type Verify struct {
	Problems []ledger.Problem `json:"problems"`
	Accepted bool             `json:"accepted_restored"`
	Batches  []Outcome        `json:"batches,omitempty"` // what the bank shows of the planned and held ones, before it is accepted
}

// Version is payrun.version/v1.
type Version struct {
	Version  string `json:"version"`
	Revision string `json:"revision"` // the commit; "" where the build knows none
	Go       string `json:"go"`

	CommittedAt string `json:"committed_at"`
	Modified    bool   `json:"modified"` // built with changes that are in no commit
}

// Error is payrun.error/v1.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Exit    int    `json:"exit"`

	Attention ledger.Attention `json:"attention,omitempty"` // what batches or payouts ask for, where that is why
}

// Checkup is one of the "checks" of payrun.doctor/v1.
type Checkup struct {
	Name   string   `json:"name"`
	Health string   `json:"health"` // ok, warning, failed, skipped
	What   string   `json:"what"`
	Code   string   `json:"code"` // of one that failed, as in payrun.error/v1; "" otherwise
	Next   []string `json:"next"` // what to do, in words and commands
}

// People is payrun.people/v1 of one person who was added, changed or removed.
type People struct {
	Name  string        `json:"name"`
	May   []ledger.Role `json:"may"`   // empty for one who was removed
	Link  string        `json:"link"`  // the path at the desk where they choose their password, once; "" for none
	Until string        `json:"until"` // when the link ends; "" for none

	Waits string `json:"waits,omitempty"` // what another admin has to confirm before it holds, in words
}

// Person is one of the "people" of payrun.people/v1 of everybody.
type Person struct {
	Name  string        `json:"name"`
	May   []ledger.Role `json:"may"`
	Added string        `json:"added"`
	State string        `json:"state"` // "joined", "invited", or "link_over" where they have no password and no open link

	Display    string `json:"display,omitempty"`        // how pages name them
	Factors    int    `json:"second_factors,omitempty"` // how many they have
	SystemUser string `json:"system_user,omitempty"`    // who they are at a terminal, as events have it
	Waits      string `json:"waits,omitempty"`          // what waits for another admin, in words
}

// Desk is payrun.desk/v1: where the desk listens.
type Desk struct {
	Schema string `json:"schema"`
	Addr   string `json:"addr"`
	URL    string `json:"url"`
	First  string `json:"first,omitempty"` // the one-time link for the first person, while there are no people
}

// PolicyProposal is one of the "proposals" of payrun.policy/v1: what one person proposed and another has to carry out.
type PolicyProposal struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	By     string `json:"by"`
	At     string `json:"at"`
	Reason string `json:"reason"`
}
