package sqlite

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// neighbours lie together, in the order of references.
const neighbours = lookups / 4

// TestUsedReferencesAreFoundWhereverTheyLie: first and last of those that are looked up
// together, alone among them, outside and repeated.
func TestUsedReferencesAreFoundWhereverTheyLie(t *testing.T) {
	s := newStore(t)
	payouts := samplePayouts("nov", 6)
	used := []int{0, neighbours - 1, neighbours, 5*neighbours + 7, lookups, 2000}
	for i := range payouts {
		payouts[i].Ref = fmt.Sprintf("r-%06d", used[i])
	}
	if _, err := tryLoad(s, "nov", payouts, planOf(payouts, 500)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to int
		want     []string
	}{
		{0, neighbours, []string{"r-000000", "r-000127"}},
		{1, neighbours - 1, nil},
		{0, 3000, []string{"r-000000", "r-000127", "r-000128", "r-000512", "r-000647", "r-002000"}},
		{2001, 3000, nil},
	} {
		var keys []string
		for n := c.from; n < c.to; n++ {
			keys = append(keys, fmt.Sprintf("r-%06d", n))
		}
		slices.Reverse(keys)
		found, err := s.UsedReferences(t.Context(), append(keys, keys[0]))
		must(t, err)
		if d := cmp.Diff(c.want, slices.Sorted(maps.Keys(found))); d != "" {
			t.Errorf("%d to %d: %s", c.from, c.to, d)
		}
	}
}
