package sqlite

import (
	"errors"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

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
