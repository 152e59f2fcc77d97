package sqlite

import (
	"errors"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// decided is when people decide in these tests.
var decided = at(20)

func approval(actor, batchID, payload string) ledger.Approval {
	return ledger.Approval{BatchID: batchID, PayloadSHA256: payload, Actor: actor, At: decided}
}

// TestNobodyApprovesWhatNobodyPlanned: the person who took the planning out of the file finds
// no batch that one person may send.
func TestNobodyApprovesWhatNobodyPlanned(t *testing.T) {
	st := tell(t)
	s := st.Store
	must(t, s.Approve(t.Context(), ledger.Approving{Approval: approval("ravi", st.planned, hash("x"))}))
	must(t, s.Close())
	tamper(t, s.path, `DELETE FROM events WHERE kind = 'batch_planned' AND batch_id = '`+st.planned+`'`)
	s = openToRead(t, s.path)
	if c, err := s.ApprovalStatus(t.Context(), st.planned); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestVerifyFindsDecisionsThatWereTamperedWith(t *testing.T) {
	st := tell(t)
	s := st.Store
	must(t, s.Approve(t.Context(), ledger.Approving{Approval: approval("ravi", st.planned, hash("x"))}))
	setAside(t, st)
	verifyFinds(t, s, map[string]tampering{
		"an approval taken away":      {18, []string{`DELETE FROM events WHERE kind = 'approved'`}},
		"an approval by another":      {18, []string{`UPDATE events SET actor = 'eve' WHERE kind = 'approved'`}},
		"an approval of another":      {18, []string{`UPDATE events SET detail = '{"payload":"` + hash("y") + `"}' WHERE kind = 'approved'`}},
		"an approval slipped in":      {18, []string{`INSERT INTO events SELECT (SELECT max(seq) FROM events) + 1, at, 'eve', kind, sheet_id, batch_id, detail, '` + hash("z") + `', digest, state_digest, proof FROM events WHERE kind = 'approved'`}},
		"a proposal taken away":       {18, []string{`DELETE FROM proposals`}},
		"a proposal turned round":     {18, []string{`UPDATE proposals SET outcome = 'paid'`}},
		"the first word gone":         {24, []string{`DELETE FROM proposals WHERE carried = 0`}},
		"both by one person":          {24, []string{`UPDATE proposals SET actor = 'asha'`}},
		"other evidence":              {18, []string{`UPDATE proposals SET evidence = json_set(evidence, '$.charges', '1.00')`}},
		"a later word":                {24, []string{`UPDATE proposals SET at = at + 73 * 3600 * 1000000 WHERE carried = 1`}},
		"a payout closed by nobody":   {24, []string{`UPDATE attempts SET resolved = 'paid' WHERE state = 'success'`}},
		"a payout released by nobody": {24, []string{`UPDATE attempts SET resolved = 'not_paid' WHERE state = 'cancelled' AND resolved IS NULL`}},
	})
}

// A person who can write the file, and puts a password of their own into it, is not let
// in by it: the trail names another. A kept password never changes.
func TestAPasswordPutIntoTheFileIsFound(t *testing.T) {
	s := newStore(t)
	link := hash("link")
	kept := "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"
	err := s.ChangePeople(t.Context(),
		ledger.PersonChange{Kind: ledger.EventPersonAdded, First: true, Name: "asha", May: []ledger.Role{ledger.RoleAdmin}, Link: link, Until: at(1).Add(time.Hour), Actor: "asha", At: at(1)},
		ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: "asha", Link: link, Stored: kept, Actor: "asha", At: at(1)})
	must(t, err)
	roster, _, err := s.UsersAndPolicy(t.Context())
	must(t, err)
	p, _ := roster.Find("asha")
	exec := func(query string) error {
		return s.inTx(t.Context(), "tamper", func(tx Writer) error { _, err := tx.Exec(t.Context(), query); return err })
	}
	must(t, exec(`UPDATE passwords SET kept = '$argon2id$another'`))
	if got, err := s.StoredSecret(t.Context(), p, p.Password); !errors.Is(err, ledger.ErrTampered) || got != "" {
		t.Errorf("%q, %v", got, err)
	}
	must(t, exec(`DELETE FROM passwords`))
	if _, err := s.StoredSecret(t.Context(), p, p.Password); !errors.Is(err, ledger.ErrTampered) {
		t.Errorf("a password that is gone: %v", err)
	}
}

// Of many events only those about people and the policy are read.
func TestPeopleAreFoundByTheirIndex(t *testing.T) {
	for _, step := range queryPlan(t, newStore(t), `SELECT `+events.columns+` FROM events WHERE `+ofPeople+` ORDER BY seq`) {
		if strings.Contains(step, "events") && !strings.Contains(step, "INDEX events_of_none") {
			t.Error(step)
		}
	}
}
