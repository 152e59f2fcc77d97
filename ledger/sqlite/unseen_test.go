package sqlite

import (
	"path/filepath"
	"slices"
	"testing"

	"payrun/ledger"
	"payrun/ledger/sqlite/sqlitetest"
)

// Whichever table loses its rows, verify finds it, or the next who opens the ledger.
func TestVerifyFindsDeletedRows(t *testing.T) {
	st := tellAll(t)
	tables := columnOf(t, st.db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	whole := bytesOf(t, st.Store)
	for _, table := range slices.DeleteFunc(tables, func(name string) bool { return name == "payee_names" }) { // see unnoticed
		t.Run(table, func(t *testing.T) {
			path := filepath.Join(sqlitetest.Folder(t), "payrun.db")
			write(t, path, whole)
			db := disarmed(t, path)
			r, err := db.Exec(`DELETE FROM ` + table)
			must(t, err)
			n, _ := r.RowsAffected()
			if db.Close(); n == 0 {
				return // there is none in this story
			}
			s, err := Open(t.Context(), path)
			if err != nil {
				return
			}
			defer s.Close()
			if problems, err := s.Verify(t.Context()); err == nil && len(ledger.WithoutMark(problems)) == 0 {
				t.Error("verify does not notice it")
			}
		})
	}
}

// What the schema lets through, verify finds.
func TestVerifyFindsWhatNoTriggerRefuses(t *testing.T) {
	for name, queries := range map[string][]string{
		"resolved without people":        {`UPDATE attempts SET resolved = 'not_paid' WHERE payout_id = 5`},
		"resolved as gone":               {`UPDATE attempts SET resolved = 'gone' WHERE state = 'cancelled'`},
		"shown no more":                  {`UPDATE batches SET shown = 0 WHERE shown = 1`},
		"a look added later":             {`INSERT INTO looks SELECT batch_no, intent_no, 7, asked, answer, not_found_status, not_found_code, complete, payouts, at FROM looks WHERE intent_no = 1`},
		"the machine widened":            {`INSERT INTO batch_transitions SELECT 'submit_unknown', event, 'abandoned' FROM batch_transitions WHERE from_state = 'held' AND to_state = 'abandoned'`},
		"the payout machine widened":     {`INSERT INTO payout_transitions VALUES ('success', 'cancelled')`},
		"states that are dead":           {`INSERT INTO retryable_states VALUES ('disputed')`},
		"states that are dead, a permit": {`INSERT INTO retryable_states VALUES ('success')`, `DELETE FROM retryable_states WHERE name = 'failed'`},
		"a batch that starts held":       {`UPDATE batches SET held_at = 1 WHERE held_at IS NULL`},
		"a copy's seq":                   {`INSERT INTO copied VALUES (1, 1)`, `UPDATE copied SET seq = 2`},
		"routes moved":                   {`UPDATE routes SET bank_account_id = 'other' WHERE no = 1`},
		"settled early":                  {`UPDATE batches SET state = 'settled' WHERE state = 'submitted'`},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t)
			setAside(t, s)
			correct(t, s)
			statementOf(t, s.Store)
			for _, q := range queries {
				r, err := s.write.Exec(q)
				must(t, err)
				if n, _ := r.RowsAffected(); n == 0 {
					t.Fatal("no row is changed")
				}
			}
			problems, err := s.Verify(t.Context())
			if err == nil && len(problems) == 0 {
				t.Error("verify does not notice it")
			}
		})
	}
}
