package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	driver "modernc.org/sqlite"

	"payrun/ledger"
)

func TestTheSchemasRetryableStatesAreTheDomains(t *testing.T) {
	var want []string
	for _, s := range retryable {
		want = append(want, string(s))
	}
	slices.Sort(want)
	if got := columnOf(t, newStore(t).db, `SELECT name FROM retryable_states ORDER BY name`); !slices.Equal(got, want) {
		t.Errorf("ledger.PayoutState says %q, retryable_states %q: a migration has to make them the same", want, got)
	}
}

// codeOf is the driver's number for what it refused.
func codeOf(err error) int {
	e, _ := errors.AsType[*driver.Error](err)
	return e.Code()
}

// What the database refuses has the ledger's meaning and words for people, and
// none of the driver's.
func TestWhatTheDatabaseRefusesIsSaidInWords(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 2, 1)
	batch := func(values string) string {
		return `INSERT INTO batches (id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei, count, total, reason, needs_approval, created_at, updated_at, state_since) VALUES ` + values
	}
	for name, c := range map[string]struct {
		query, words string
		want         error
	}{
		"a check":       {batch(`('x', 1, 9, 1, 1, 3, '', '', 0, 1, '', 0, 1, 1, 1)`), "count >= 1 does not hold", ledger.ErrRule},
		"a blank":       {batch(`('x', 1, 9, 1, 1, 3, NULL, '', 1, 1, '', 0, 1, 1, 1)`), "batches.kind is missing", ledger.ErrRule},
		"a type":        {batch(`('x', 1, 9, 1, 1, 3, '', '', 1, 'one', '', 0, 1, 1, 1)`), "TEXT value in INTEGER column batches.total", ledger.ErrRule},
		"a reference":   {batch(`('x', 9, 9, 1, 1, 3, '', '', 1, 1, '', 0, 1, 1, 1)`), "it refers to what is not there", ledger.ErrRule},
		"a step":        {`UPDATE batches SET state = 'abandoned'`, "the attempts of the batch are not made", ledger.ErrTransition},
		"what is there": {`INSERT INTO wire_keys VALUES ('nov-1', 2, 1)`, "another row has the same wire_keys.key", ledger.ErrDuplicate},
	} {
		t.Run(name, func(t *testing.T) {
			err := s.inTx(t.Context(), "do it", func(tx Writer) error {
				_, err := tx.Exec(t.Context(), c.query)
				return fmt.Errorf("batch x: %w", err)
			})
			if !errors.Is(err, c.want) || !isConstraint(err) {
				t.Errorf("%v is not %v", err, c.want)
			}
			if text := fmt.Sprint(err); !strings.HasPrefix(text, "do it: "+c.want.Error()+": batch x: ") || !strings.Contains(text, c.words) ||
				strings.Contains(text, "constraint") || strings.Contains(text, fmt.Sprintf("(%d)", codeOf(err))) {
				t.Errorf("%q does not say %q", text, c.words)
			}
		})
	}
}
