// Package doc is payrun's output for programs: the payrun.*/v1 documents, as structs,
// and the writers that put each on one line. Fields are only added, never renamed.
// Amounts are strings with two decimals.
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

// Write writes v as one line, with a schema before v's own fields; "" for no schema.
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

// headed puts a field before the fields of an encoded object.
func headed(name, value string, object []byte) []byte {
	return append(fmt.Appendf(nil, "{%q:%q,", name, value), object[1:]...)
}

// encode encodes v, without the newline. It escapes what could control a terminal: JSON leaves direction marks
// and the C1 controls as they are, and people read documents too.
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

// List returns a list for a document: never null.
func List[T any](list []T) []T { return append([]T{}, list...) }

// Each returns the document of each element of a list: never null.
func Each[T, D any](list []T, document func(T) D) []D {
	return List(ledger.ListOf(list, document))
}

// Verify is payrun.verify/v1.
type Verify struct {
	Problems []ledger.Problem `json:"problems"`
	Accepted bool             `json:"accepted_restored"`
	Batches  []Outcome        `json:"batches,omitempty"` // what the bank shows of planned and held ones, before acceptance
}

// Version is payrun.version/v1.
type Version struct {
	Version  string `json:"version"`
	Revision string `json:"revision"` // the commit; "" if the build does not know it
	Go       string `json:"go"`

	CommittedAt string `json:"committed_at"`
	Modified    bool   `json:"modified"` // built with uncommitted changes
}

// Error is payrun.error/v1.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Exit    int    `json:"exit"`

	Attention ledger.Attention `json:"attention,omitempty"` // what batches or payouts need, if that is the reason
}

// Checkup is one of the "checks" of payrun.doctor/v1.
type Checkup struct {
	Name   string   `json:"name"`
	Health string   `json:"health"` // ok, warning, failed, skipped
	What   string   `json:"what"`
	Code   string   `json:"code"` // of a failed check, as in payrun.error/v1; "" otherwise
	Next   []string `json:"next"` // what to do, in words and commands
}

// People is payrun.people/v1 for one person who was added, changed or removed.
type People struct {
	Name  string        `json:"name"`
	May   []ledger.Role `json:"may"`   // empty if they were removed
	Link  string        `json:"link"`  // the path at the desk where they choose their password, once; "" for none
	Until string        `json:"until"` // when the link ends; "" for none

	Waits string `json:"waits,omitempty"` // what another admin has to confirm before it takes effect, in words
}

// Person is one of the "people" of payrun.people/v1 for everyone.
type Person struct {
	Name  string        `json:"name"`
	May   []ledger.Role `json:"may"`
	Added string        `json:"added"`
	State string        `json:"state"` // "joined", "invited", or "link_over" if they have no password and no open link

	Display    string `json:"display,omitempty"`        // their name on pages
	Factors    int    `json:"second_factors,omitempty"` // how many they have
	SystemUser string `json:"system_user,omitempty"`    // who they are at a terminal, as in events
	Waits      string `json:"waits,omitempty"`          // what waits for another admin, in words
}

// Desk is payrun.desk/v1: where the desk listens.
type Desk struct {
	Addr  string `json:"addr"`
	URL   string `json:"url"`
	First string `json:"first,omitempty"` // the one-time link for the first person, while there are no people
}

// PolicyProposal is one of the "proposals" of payrun.policy/v1: one person proposed it, another has to carry it out.
type PolicyProposal struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	By     string `json:"by"`
	At     string `json:"at"`
	Reason string `json:"reason"`
}
