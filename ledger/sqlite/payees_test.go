package sqlite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plainFold is how these tests compare names. The store folds none itself.
func plainFold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

func TestIndexingGoesOnWhereItEnded(t *testing.T) {
	rows := func(s *Store) (all []string) {
		for _, q := range []string{`SELECT 'name', name, account, payout_id FROM payee_names ORDER BY 2, 3`, `SELECT 'paid', account, payout_id, amount FROM payee_payouts ORDER BY 2, 3`} {
			err := each(t.Context(), s.db, func(r Rows) error {
				var kind string
				var a, b, c int64
				err := r.Scan(&kind, &a, &b, &c)
				all = append(all, fmt.Sprint(kind, a, b, c))
				return err
			}, q)
			must(t, err)
		}
		return all
	}
	piecemeal, atOnce := newStore(t), newStore(t)
	for i := range 3 {
		for _, s := range []*Store{piecemeal, atOnce} {
			load(t, s, fmt.Sprintf("sheet%d", i), 150, 50)
		}
		for range 2 {
			must(t, piecemeal.IndexPayees(t.Context(), plainFold, 0))
		}
	}
	if err := atOnce.IndexPayees(t.Context(), plainFold, 450); err != nil || len(rows(atOnce)) != 0 {
		t.Fatalf("all may stay behind: %d rows, %v", len(rows(atOnce)), err)
	}
	must(t, atOnce.IndexPayees(t.Context(), plainFold, 449))
	if d := cmp.Diff(rows(atOnce), rows(piecemeal)); d != "" || len(rows(atOnce)) != 450+150 {
		t.Errorf("%d rows; (-at once +piecemeal):\n%s", len(rows(atOnce)), d)
	}
	sound(t, piecemeal)
}

func TestALoadWritesNothingIntoTheIndex(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 3, 3)
	var n int
	err := s.read.QueryRow(`SELECT (SELECT count(*) FROM payee_names) + (SELECT count(*) FROM payee_payouts) + (SELECT upto FROM payees_indexed)`).Scan(&n)
	if err != nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
}

// Those at either end and those that many share among them: what is found is what a look
// at every mark finds.
func TestMarksAreFoundWhereverTheyLie(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 2, 100, 3000} {
		hashes := []int64{math.MinInt64, -1, 0, 1, math.MaxInt64}
		for range size / 2 {
			hashes = append(hashes, int64(rng.Uint64()))
		}
		var marks []payeeMark
		want := map[int64]int{}
		for i := range size {
			h := hashes[rng.IntN(len(hashes))]
			if i%5 == 0 {
				h = hashes[0] // which many share
			}
			want[h]++
			marks = append(marks, payeeMark{account: h, payoutID: int64(i)})
		}
		slices.SortFunc(marks, byAccount)
		of := payeeMarks{byAccount: marks}
		for _, h := range hashes {
			if got := of.to(h); len(got) != want[h] || len(got) > 0 && (got[0].account != h || got[len(got)-1].account != h) {
				t.Fatalf("%d of %d marks with the hash %d are %d", want[h], size, h, len(got))
			}
		}
	}
}

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
