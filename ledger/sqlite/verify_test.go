package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
)

// disarmed opens the ledger as no program may: without triggers, checks and
// foreign keys. Closing it is the caller's.
func disarmed(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=ignore_check_constraints(1)&_pragma=foreign_keys(0)")
	must(t, err)
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`PRAGMA synchronous = OFF`); err != nil {
		t.Fatal(err)
	}
	for _, name := range columnOf(t, sqlReader{db}, `SELECT name FROM sqlite_schema WHERE type = 'trigger'`) {
		if _, err := db.Exec(`DROP TRIGGER ` + name); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// tamper changes the ledger as no program may; each statement touches a row.
func tamper(t *testing.T, path string, statements ...string) {
	t.Helper()
	db := disarmed(t, path)
	defer db.Close()
	for _, q := range statements {
		r, err := db.Exec(q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		if n, err := r.RowsAffected(); !strings.HasPrefix(q, "DROP") && (n == 0 || err != nil) {
			t.Fatalf("%s: touched %d rows, %v", q, n, err)
		}
	}
}

// tampering changes a ledger, which breaks an invariant.
type tampering struct {
	invariant int
	do        []string
}

// verifyFinds holds that verify finds each tampering with a ledger, which it closes. The copies
// have no mark.
func verifyFinds(t *testing.T, s *Store, list map[string]tampering) {
	whole := bytesOf(t, s)
	for name, c := range list {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "payrun.db")
			write(t, path, whole)
			tamper(t, path, c.do...)
			problems, err := openToRead(t, path).Verify(t.Context())
			must(t, err)
			if !slices.ContainsFunc(ledger.WithoutMark(problems), func(p ledger.Problem) bool { return p.Invariant == c.invariant && p.What != "" && p.Detail != "" }) {
				t.Errorf("invariant %d is not among the problems: %+v", c.invariant, problems)
			}
		})
	}
}

func TestVerifyFindsWhatWasTamperedWith(t *testing.T) {
	const lei = "5493001KJTIIGC8Y1R12"
	st := tell(t)
	batch := func(id string) string { return fmt.Sprintf(`(SELECT no FROM batches WHERE id = '%s')`, id) }
	verifyFinds(t, st.Store, map[string]tampering{
		"two live attempts":               {1, []string{`UPDATE attempts SET state = 'pending' WHERE payout_id = 13 AND number = 1`}},
		"a payout planned twice":          {1, []string{`UPDATE batches SET members = '[3,4]' WHERE no = 1`}},
		"a payout in two planned batches": {1, []string{`DELETE FROM attempts WHERE batch_no = 2`, `UPDATE batches SET made = 0, state = 'planned', members = '[1,3,4]' WHERE no = 2`}},
		"the same, and a batch whose member is no payout": {1, []string{`DELETE FROM attempts WHERE batch_no = 2`, `UPDATE batches SET made = 0, state = 'planned', members = '[4,3,1]' WHERE no = 2`,
			`UPDATE batches SET members = '[900]' WHERE no = 3`}},
		"members of a batch exchanged":                   {6, []string{`UPDATE batches SET members = '[1,2]' WHERE no = 2`}},
		"a planned batch that has attempts":              {6, []string{`UPDATE batches SET made = 0 WHERE no = 2`}},
		"attempts half made":                             {6, []string{`UPDATE batches SET made = 1 WHERE no = 2`}},
		"a planned batch with attempts lost":             {7, []string{`UPDATE batches SET made = 2 WHERE no = 1`}},
		"a member that is no payout":                     {7, []string{`UPDATE batches SET members = '[1,900]' WHERE no = 1`}},
		"a payout in two batches, one planned":           {1, []string{`UPDATE batches SET members = '[1,2,3]' WHERE no = 1`}},
		"an attempt before its batch's first step":       {1, []string{`INSERT INTO attempts (payout_id, number, batch_no) VALUES (1, 1, 1)`}},
		"a member of no number":                          {6, []string{`UPDATE batches SET members = '[1,"2"]' WHERE no = 1`}},
		"a member of another sheet":                      {6, []string{`UPDATE batches SET members = '[1,17]' WHERE no = 1`}},
		"a member too few":                               {13, []string{`UPDATE batches SET members = '[1]' WHERE no = 1`}},
		"an intent taken away":                           {2, []string{`DELETE FROM intents WHERE no = (SELECT max(no) FROM intents)`}},
		"another payload":                                {2, []string{`UPDATE intents SET payload_sha256 = '` + hash("other") + `' WHERE no = 1`}},
		"an intent left open":                            {2, []string{`UPDATE intents SET outcome = NULL, ended_at = NULL WHERE no = 1`}},
		"a quarantined submit":                           {3, []string{fmt.Sprintf(`UPDATE batches SET state = 'quarantined' WHERE id = '%s'`, st.submitted)}},
		"a submit after the end":                         {3, []string{fmt.Sprintf(`UPDATE events SET kind = 'abandoned' WHERE batch_id = '%s' AND kind = 'initiate_accepted'`, st.submitted)}},
		"two submits in doubt":                           {4, []string{`DROP INDEX intents_one_in_doubt`, fmt.Sprintf(`INSERT INTO intents (batch_no, kind, payload_sha256, at, outcome, ended_at, looks) VALUES (%s, 'submit', '%s', 1, 'accepted', 1, 1)`, batch(st.unknown), hash("x"))}},
		"alive next to a doubt":                          {5, []string{fmt.Sprintf(`INSERT INTO attempts (payout_id, number, batch_no, wire_ref) SELECT payout_id, 2, %s, 'x' FROM attempts WHERE batch_no = %s LIMIT 1`, batch(st.planned), batch(st.unknown))}},
		"a reference forgotten":                          {6, []string{`DELETE FROM wire_keys WHERE key = 'nov-3'`}},
		"a reference renamed":                            {6, []string{`UPDATE payouts SET ref = 'nov-33' WHERE id = 3`}},
		"a reference of another":                         {6, []string{`UPDATE wire_keys SET payout_id = 4 WHERE key = 'nov-3'`}},
		"a further reference renamed":                    {6, []string{`UPDATE attempts SET wire_ref = 'nov-13-R7' WHERE payout_id = 13 AND number = 2`}},
		"a payout gone":                                  {6, []string{`DELETE FROM payouts WHERE id = 3`}},
		"an observation gone":                            {6, []string{`DELETE FROM observations WHERE payout_id = 7 AND seq = 2`}},
		"an attempt gone":                                {6, []string{`DELETE FROM attempts WHERE payout_id = 13 AND number = 1`}},
		"a further attempt gone":                         {6, []string{`DELETE FROM attempts WHERE payout_id = 13 AND number = 2`}},
		"a batch renamed":                                {6, []string{`UPDATE batches SET id = 'prother' WHERE no = 1`}},
		"a sheet renamed":                                {6, []string{`UPDATE sheets SET id = 'shother'`}},
		"a batch at a single bank":                       {7, []string{`UPDATE batches SET partner_bank_id = 4, kind = '' WHERE no = 1`}},
		"a batch of another total":                       {7, []string{`UPDATE batches SET total = total + 1 WHERE no = 1`}},
		"a payout of another amount":                     {7, []string{`UPDATE payouts SET amount = amount + 1 WHERE id = 1`}},
		"a batch of another account":                     {7, []string{`INSERT INTO routes VALUES (9, 'other', '', '')`, `UPDATE batches SET route_no = 9 WHERE no = 1`}},
		"an LEI out of place":                            {8, []string{`UPDATE batches SET bene_lei = '` + lei + `' WHERE no = 1`}},
		"a false LEI":                                    {8, []string{`UPDATE batches SET bene_lei = '` + lei[:18] + `99' WHERE no = 1`}},
		"no IFSC":                                        {9, []string{`UPDATE payouts SET ifsc = '' WHERE id = 1`}},
		"RIB without a beneficiary":                      {9, []string{`UPDATE batches SET kind = 'rib' WHERE no = 1`}},
		"a submit without an echo":                       {10, []string{fmt.Sprintf(`UPDATE events SET kind = 'initiate_lost' WHERE batch_id = '%s' AND kind = 'initiate_accepted'`, st.submitted)}},
		"a row unaccounted for":                          {12, []string{`UPDATE sheets SET row_count = row_count + 1`}},
		"a payout too few":                               {12, []string{`UPDATE sheets SET last_payout = last_payout - 1`}},
		"money unaccounted for":                          {13, []string{`UPDATE sheets SET accepted_total = accepted_total + 1`}},
		"a payout nowhere":                               {13, []string{`DELETE FROM attempts WHERE payout_id = 3`}},
		"success unseen":                                 {14, []string{`UPDATE attempts SET state = 'success' WHERE payout_id = 5`}},
		"failed unseen":                                  {15, []string{`UPDATE attempts SET state = 'failed' WHERE payout_id = 5`}},
		"returned unseen":                                {15, []string{`UPDATE attempts SET state = 'returned' WHERE payout_id = 5`}},
		"settled too early":                              {15, []string{fmt.Sprintf(`UPDATE batches SET state = 'settled' WHERE id = '%s'`, st.submitted)}},
		"an event reworded":                              {18, []string{`UPDATE events SET detail = detail || '.' WHERE seq = 5`}},
		"an event by another":                            {18, []string{`UPDATE events SET actor = 'ravi' WHERE seq = 5`}},
		"an event at another time":                       {18, []string{`UPDATE events SET at = at + 1 WHERE seq = 5`}},
		"an event taken out":                             {18, []string{`DELETE FROM events WHERE seq = 5`}},
		"the last event cut off":                         {18, []string{`DELETE FROM events WHERE kind = 'all_final'`}},
		"a batch moved without event":                    {18, []string{fmt.Sprintf(`UPDATE batches SET state = 'submitted' WHERE id = '%s'`, st.held)}},
		"a look taken away":                              {22, []string{`DELETE FROM looks WHERE intent_no = 1`}},
		"a look taken away, and its count":               {22, []string{`DELETE FROM looks WHERE intent_no = 1`, `UPDATE intents SET looks = 0 WHERE no = 1`}},
		"every look taken away":                          {22, []string{`DELETE FROM looks`, `UPDATE intents SET looks = 0`}},
		"a look added":                                   {22, []string{`INSERT INTO looks SELECT batch_no, intent_no, 7, asked, answer, not_found_status, not_found_code, complete, payouts, at FROM looks WHERE intent_no = 1`}},
		"a look at another batch":                        {22, []string{`UPDATE looks SET asked = 'prother' WHERE intent_no = 1`}},
		"a look before an initiate that shows the batch": {22, []string{`UPDATE looks SET answer = 'shown', payouts = '{"request_initiated":2}' WHERE intent_no = (SELECT min(no) FROM intents WHERE kind = 'initiate')`}},
		"a look before a submit that shows it moving":    {22, []string{`UPDATE looks SET answer = 'shown', payouts = '{"pending":1,"request_initiated":1}' WHERE intent_no = (SELECT min(no) FROM intents WHERE kind = 'submit')`}},
		"a look without an answer":                       {22, []string{`UPDATE looks SET answer = 'unanswered' WHERE intent_no = (SELECT min(no) FROM intents WHERE kind = 'submit')`}},
		"a look that shows what cannot be read":          {22, []string{`UPDATE looks SET answer = 'shown', payouts = 'x' WHERE intent_no = (SELECT min(no) FROM intents WHERE kind = 'submit')`}},
		"a reference kept that was held":                 {25, []string{fmt.Sprintf(`UPDATE batches SET held_at = 1, shown = 1 WHERE id = '%s'`, st.refused)}},
		"a reference kept that was echoed":               {25, []string{fmt.Sprintf(`UPDATE intents SET outcome = 'accepted' WHERE batch_no = %s`, batch(st.refused))}},
		"a reference kept that may be alive":             {25, []string{fmt.Sprintf(`UPDATE batches SET state = 'quarantined' WHERE id = '%s'`, st.refused)}},
		"a row that refers to nothing":                   {0, []string{`UPDATE attempts SET batch_no = 900 WHERE payout_id = 3`}},
		"a value out of bounds":                          {0, []string{`UPDATE batches SET otp_tries = -1 WHERE no = 1`}},
	})
}

func TestADamagedPageIsFound(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 2000, 500)
	must(t, s.Close())
	content, err := os.ReadFile(s.path)
	must(t, err)
	middle := len(content) / 2 / pageSize * pageSize
	for i := range pageSize {
		content[middle+i] = 0xAA
	}
	must(t, os.WriteFile(s.path, content, 0o600))
	s, err = Open(t.Context(), s.path)
	if err != nil {
		if !errors.Is(err, ledger.ErrLedgerDamaged) {
			t.Error(err)
		}
		return
	}
	defer s.Close()
	problems, err := s.Verify(t.Context())
	if len(problems) == 0 && !errors.Is(err, ledger.ErrLedgerDamaged) {
		t.Errorf("a damaged page went unseen: %v", err)
	}
}
