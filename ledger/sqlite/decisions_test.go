package sqlite

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"payrun/ledger"
)

// readInDoubt keeps the reads that a decision of at takes.
func readInDoubt(t testing.TB, s *Store, id string, when time.Time) {
	t.Helper()
	for i, ago := range []int{50, 40, 30, 20, 10, 3} {
		r := ledger.Read{Run: t0.Add(time.Duration(i/2) * time.Second), At: when.Add(-time.Duration(ago) * time.Second), SaidAt: when.Add(-time.Duration(ago) * time.Second), Answer: ledger.LookShown}
		if i == 0 {
			r.SaidAt = when.Add(-time.Minute)
		}
		apply(t, s, ledger.Step{BatchID: id, From: ledger.BatchSubmitUnknown, At: r.At, Read: &r})
	}
}

// notSubmitted is a step in which a person decides so, on the bank's word.
func notSubmitted(t testing.TB, s *Store, actor, id string, when time.Time) ledger.Step {
	t.Helper()
	l := ledger.Look{BatchID: id, At: when, SaidAt: when, Answer: ledger.LookShown, Complete: true}
	for _, a := range attemptsOf(t, s, id) {
		l.Payouts = append(l.Payouts, ledger.Observation{WireRef: a.WireRef, Status: ledger.StatusRequestInitiated})
	}
	return ledger.Step{BatchID: id, Actor: actor, From: ledger.BatchSubmitUnknown, At: when, Deciding: &ledger.Deciding{As: ledger.DecidedNotSubmitted,
		Reason: "ticket; 4711", Ticket: "mail", Look: l, Waits: ledger.Waits{Wait: 10 * time.Second, Between: time.Second}}}
}

// oneDecided leaves a submit in doubt with the decision of one person.
func oneDecided(t testing.TB, st story) {
	t.Helper()
	readInDoubt(t, st.Store, st.unknown, at(20))
	if err := st.Apply(t.Context(), notSubmitted(t, st.Store, "asha", st.unknown, at(20).Add(-2*time.Second))); err != nil {
		t.Fatal(err)
	}
}

// setAside has two people set the story's doubt aside.
func setAside(t testing.TB, st story) {
	t.Helper()
	oneDecided(t, st)
	if err := st.Apply(t.Context(), notSubmitted(t, st.Store, "ravi", st.unknown, at(20))); err != nil {
		t.Fatal(err)
	}
}

// The schema repeats what no program may forget: two people, the bank's books or
// its word, and the books again.
func TestTheSchemaAsksForTwoWhoDecide(t *testing.T) { inBoth(t, theSchemaAsksForTwoWhoDecide) }

func theSchemaAsksForTwoWhoDecide(t *testing.T, st story) {
	oneDecided(t, st)
	no, moment := st.no(t, st.unknown), micros(at(20)).Int64
	second := func(actor string, at int64, columns, values string) string {
		return fmt.Sprintf(`INSERT INTO proposals (batch_no, decision, reason, rests, actor, at, carried, seconds, %s) VALUES (%d, 'not-submitted', 'r', 'x', '%s', %d, 1, 1, %s);`,
			columns, no, actor, at, values)
	}
	aside := fmt.Sprintf(`UPDATE batches SET state = 'set_aside', state_since = %d WHERE no = %d`, moment, no)
	disputed := fmt.Sprintf(`UPDATE attempts SET state = 'disputed' WHERE batch_no = %d;`, st.no(t, st.settled))
	for name, query := range map[string]string{
		"set aside by one":                  aside,
		"set aside at another moment":       second("ravi", moment-1, "ticket", "'mail'") + aside,
		"the same person twice":             second("asha", moment, "ticket", "'mail'"),
		"the same person, in capitals":      second(" ASHA ", moment, "ticket", "'mail'"),
		"neither books nor word":            second("ravi", moment, "books", "0"),
		"before the first":                  second("ravi", moment-2_000_001, "ticket", "'mail'"),
		"after three days":                  second("ravi", moment+73*3600*1_000_000, "ticket", "'mail'"),
		"a decision that rests on nothing":  fmt.Sprintf(`INSERT INTO proposals (batch_no, decision, reason, ticket, actor, at) VALUES (%d, 'not-submitted', 'r', 'mail', 'ravi', 1)`, no),
		"of a batch that is planned":        fmt.Sprintf(`INSERT INTO proposals (batch_no, decision, reason, ticket, rests, actor, at) VALUES (%d, 'not-submitted', 'r', 'mail', 'x', 'ravi', 1)`, st.no(t, st.planned)),
		"the old decision":                  fmt.Sprintf(`INSERT INTO proposals (batch_no, decision, reason, rests, actor, at) VALUES (%d, 'submitted', 'r', 'x', 'ravi', 1)`, no),
		"new references for what was shown": fmt.Sprintf(`INSERT INTO proposals (batch_no, decision, reason, ticket, rests, actor, at, carried) VALUES (%d, 'new-references', 'r', 'm', 'x', 'ravi', 1, 1)`, st.no(t, st.held)),
		"given up without books, as once":   fmt.Sprintf(`UPDATE batches SET state = 'abandoned' WHERE no = %d`, no),
		"a dispute that one person ends":    disputed + `UPDATE attempts SET state = 'success' WHERE state = 'disputed'`,
		"a dispute that nobody ends":        disputed + `UPDATE attempts SET state = 'success', resolved = 'paid' WHERE state = 'disputed'`,
		"and nobody paid":                   disputed + `UPDATE attempts SET state = 'cancelled', resolved = 'not_paid' WHERE state = 'disputed'`,
		"a read forgotten":                  `DELETE FROM reads`,
		"a read changed":                    `UPDATE reads SET run = 1`,
		"a read replaced":                   `REPLACE INTO reads SELECT * FROM reads`,
		"a read of what is held":            fmt.Sprintf(`INSERT INTO reads (batch_no, no, run, at, answer) VALUES (%d, 1, 1, 1, 'shown')`, st.no(t, st.held)),
		"a restore that nobody accepted":    `INSERT INTO restores (seq, at, newest_at, last_sheet) SELECT seq, at, at, 1 FROM events WHERE seq = 2`,
		"a decision changed":                `UPDATE proposals SET carried = 1`,
		"a decision deleted":                `DELETE FROM proposals`,
		"books that were read later":        `UPDATE intents SET books = 'x'`,
	} {
		tx, err := st.write.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(query); err == nil {
			t.Errorf("%s went through", name)
		} else if !isConstraint(err) {
			t.Errorf("%s: refused for the wrong reason: %v", name, err)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Apply(t.Context(), notSubmitted(t, st.Store, "ravi", st.unknown, at(20))); err != nil {
		t.Fatal(err)
	}
	sound(t, st.Store)
}

// A submit that follows needs the books where they set its payouts aside.
func TestTheSchemaAsksForTheBooksAgain(t *testing.T) {
	st := tell(t)
	setAside(t, st)
	if _, err := st.write.Exec(`DROP TRIGGER proposals_fixed; UPDATE proposals SET ticket = '', books = 1; DROP TRIGGER batches_looked;`); err != nil {
		t.Fatal(err)
	}
	over := attemptsOf(t, st.Store, st.unknown)
	next, err := st.PlanRetry(t.Context(), "asha", at(21), over, planOf(payoutsOf(over), 2))
	if err != nil {
		t.Fatal(err)
	}
	hold(t, st.Store, next[0].ID)
	no := st.no(t, next[0].ID)
	intent := func(books string) string {
		return fmt.Sprintf(`INSERT INTO intents (batch_no, kind, payload_sha256, at, looks, books) VALUES (%d, 'submit', '%s', 1, 1, %s);
			UPDATE batches SET state = 'submitting' WHERE no = %d`, no, hash("x"), books, no)
	}
	for books, want := range map[string]bool{"NULL": false, "'a statement'": true} {
		tx, err := st.write.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(intent(books)); (err == nil) != want {
			t.Errorf("with books %s: %v", books, err)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestVerifyFindsWhatOnePersonSetAside(t *testing.T) {
	for name, attack := range map[string]string{
		"the first decision gone":    `DELETE FROM proposals WHERE carried = 0`,
		"both by one person":         `UPDATE proposals SET actor = 'asha'`,
		"no decision at all":         `DELETE FROM proposals`,
		"another decision":           `UPDATE proposals SET decision = 'disputed'`,
		"a read taken away":          `DELETE FROM reads WHERE no = 2`,
		"a read slipped in":          `INSERT INTO reads SELECT batch_no, 7, run, at, said_at, answer FROM reads WHERE no = 1`,
		"a dispute closed by nobody": `UPDATE attempts SET resolved = 'paid' WHERE state = 'success'`,
	} {
		t.Run(name, func(t *testing.T) {
			st := tell(t)
			setAside(t, st)
			path := st.path
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			tamper(t, path, attack)
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			problems, err := s.Verify(t.Context())
			if err != nil || !slices.ContainsFunc(problems, func(p ledger.Problem) bool { return p.Invariant == 18 || p.Invariant == 5 }) {
				t.Errorf("unseen: %+v, %v", problems, err)
			}
		})
	}
}
