package batcher

import (
	"fmt"
	"slices"
	"testing"
)

// Sheets that a property test once found to be planned wrongly, as small as
// they came. Each is compared with every property, in every order of loading.
func TestSheetsThatOnceFoundSomething(t *testing.T) {
	tests := map[string]struct {
		limit int
		items []Item
	}{
		"one payout at the line, one a batch: the bound said 2":                  {1, withLEI(0, line)},
		"a paisa under the line before small ones, one LEI: 3 in a batch of 2":   {2, withLEI(0, 1, line-1, 1, 1)},
		"one LEI, a paisa under the line, small ones without: 3 in a batch of 2": {2, slices.Concat(withLEI(0, line-1), plain(1, 1, 1))},
		"the large one without LEI comes last: 3 in a batch of 2":                {2, slices.Concat(withLEI(0, 1), plain(1, 1, line-1))},
		"three of one LEI and a small one without: 3 in a batch of 2":            {2, slices.Concat(withLEI(0, line-1, 1, 1), plain(1))},
		"three small ones of one LEI, then the large one: 4 batches, 3 would do": {2, slices.Concat(withLEI(0, 1, 1, 1), plain(line-1))},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, items := range permutations(tt.items) {
				t.Run(fmt.Sprint(items), func(t *testing.T) {
					in := sheet(bank1, tt.limit, items...)
					legalAndRepeatable(t, in)
					sameBound(t, in, tt.items)
					noBatchTooMany(t, in)
					plainBound(t, in)
					g := groupUnderTheLine(in)
					for most := g.floor(largestFirstOf(g)); most <= len(items); most++ {
						spreadsOverFewest(t, g, most)
					}
				})
			}
		})
	}
}

// permutations are all orders of the items.
func permutations(items []Item) [][]Item {
	if len(items) == 0 {
		return [][]Item{nil}
	}
	var all [][]Item
	for i, first := range items {
		for _, rest := range permutations(slices.Delete(slices.Clone(items), i, i+1)) {
			all = append(all, append([]Item{first}, rest...))
		}
	}
	return all
}
