package sqlite

import (
	"slices"
	"strings"
	"testing"
)

// The sheet before is looked for at each look at a review: it walks back along the
// sheets, and finds everything else by an index.
func TestTheSheetBeforeIsFoundByIndexes(t *testing.T) {
	s := newStore(t)
	for query, args := range map[string][]any{paysBefore: {"", "", ""}, sheetAndRest: {""}} {
		for _, step := range queryPlan(t, s, `SELECT * FROM sheets WHERE `+query, args...) {
			if table, walked := strings.CutPrefix(step, "SCAN "); walked && slices.Contains([]string{"b", "a", "p", "o", "r", "origins"}, table) {
				t.Errorf("%s of\n%s", step, query)
			}
		}
	}
}
