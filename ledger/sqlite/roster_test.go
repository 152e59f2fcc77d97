package sqlite

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// Whoever can write the file, and puts a password of their own into it, is not let
// in by it: the trail names another. A kept password never changes.
func TestAPasswordPutIntoTheFileIsFound(t *testing.T) {
	s := newStore(t)
	link := hash("link")
	kept := "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"
	err := s.ChangePeople(t.Context(),
		ledger.PersonChange{Kind: ledger.EventPersonAdded, First: true, Name: "asha", May: []ledger.Role{ledger.RoleAdmin}, Link: link, Until: at(1).Add(time.Hour), Actor: "asha", At: at(1)},
		ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: "asha", Link: link, Kept: kept, Actor: "asha", At: at(1)})
	if err != nil {
		t.Fatal(err)
	}
	roster, err := s.Roster(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, _ := roster.Find("asha")
	exec := func(query string) error {
		return s.inTx(t.Context(), "tamper", func(tx *sql.Tx) error { _, err := tx.ExecContext(t.Context(), query); return err })
	}
	if err := exec(`UPDATE passwords SET kept = '$argon2id$another'`); err == nil {
		t.Error("a kept password was changed")
	}
	if err := exec(`DROP TRIGGER passwords_kept; UPDATE passwords SET kept = '$argon2id$another'`); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Password(t.Context(), p); !errors.Is(err, ledger.ErrTampered) || got != "" {
		t.Errorf("%q, %v", got, err)
	}
	if err := exec(`DELETE FROM passwords`); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Password(t.Context(), p); !errors.Is(err, ledger.ErrTampered) {
		t.Errorf("a password that is gone: %v", err)
	}
}

// The schema repeats that a name is never given twice.
func TestTheSchemaGivesANameOnce(t *testing.T) {
	s := newStore(t)
	insert := func(detail string) error {
		return s.inTx(t.Context(), "tell", func(tx *sql.Tx) error {
			return s.appendEvent(t.Context(), tx, ledger.Event{At: at(1), Actor: "asha", Kind: ledger.EventPersonAdded, Detail: detail})
		})
	}
	if err := insert("asha; may admin"); err != nil {
		t.Fatal(err)
	}
	if err := insert("asha; may view; link x"); err == nil {
		t.Error("a name was given twice")
	}
	if err := insert("ash; may view"); err != nil {
		t.Errorf("another name: %v", err)
	}
}

// Of many events only those about people are read, for the desk as for the rules
// of the schema.
func TestPeopleAreFoundByTheirIndexes(t *testing.T) {
	s := newStore(t)
	for _, query := range []string{selectRoster, `SELECT * FROM actors`} {
		err := each(t.Context(), s.read, func(rows *sql.Rows) error {
			var id, parent, unused int
			var step string
			err := rows.Scan(&id, &parent, &unused, &step)
			if strings.Contains(step, "events") && !strings.Contains(step, "INDEX events_people") && !strings.Contains(step, "INDEX events_confirmed") {
				t.Errorf("%s: %s", query, step)
			}
			return err
		}, `EXPLAIN QUERY PLAN `+query)
		if err != nil {
			t.Error(err)
		}
	}
}
