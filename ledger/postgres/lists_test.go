package postgres

import (
	"slices"
	"testing"
	"time"

	"payrun/ledger/sqlite"
)

// Texts go into a query and come back as they are, whatever is in them.
func TestAListIsOneParameter(t *testing.T) {
	p := &place{t: t}
	st, err := p.Create(t.Context(), "abcdefghijklmnopqrstuvwxyz", "asha", time.Now())
	must(t, err)
	want := []string{"a", `b"c`, `d\e`, "f,g", "{h}", "i\nj", "", "NULL", "₹ क", "'k'"}
	got, err := sqlite.List(t.Context(), st.(*Store).engine, func(s *string) []any { return []any{s} }, `SELECT value FROM json_each(?)`, texts(want))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := sqlite.List(t.Context(), st.(*Store).engine, func(n *int64) []any { return []any{n} }, `SELECT value FROM json_each(?)`, numbers(nil)); err != nil || len(got) > 0 {
		t.Errorf("%d, %v", got, err)
	}
}

type texts []string

func (l texts) Items() any { return []string(l) }

type numbers []int64

func (l numbers) Items() any { return []int64(l) }
