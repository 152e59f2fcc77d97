package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"payrun/ledger"
)

// decided is when people decide in these tests.
var decided = at(20)

func approval(actor, batchID, payload string) ledger.Approval {
	return ledger.Approval{BatchID: batchID, PayloadSHA256: payload, Actor: actor, At: decided}
}

func proposal(actor, batchID, decision, reason string) ledger.Proposal {
	return ledger.Proposal{BatchID: batchID, Decision: decision, Reason: reason, Actor: actor, At: decided}
}

func TestWhatPeopleDecidedNeverChanges(t *testing.T) {
	st := tell(t)
	s := st.Store
	if err := errors.Join(s.Approve(t.Context(), approval("ravi", st.planned, hash("x"))), s.Propose(t.Context(), proposal("ravi", st.unknown, "submitted", "r"))); err != nil {
		t.Fatal(err)
	}
	for _, attack := range []string{
		`DELETE FROM approvals`, `UPDATE approvals SET actor = 'eve'`, `INSERT OR REPLACE INTO approvals SELECT * FROM approvals`,
		`DELETE FROM proposals`, `UPDATE proposals SET decision = 'not-submitted'`,
	} {
		if _, err := s.write.Exec(attack); err == nil {
			t.Errorf("done: %s", attack)
		}
	}
	sound(t, s)
}

func TestVerifyFindsDecisionsThatWereTamperedWith(t *testing.T) {
	st := tell(t)
	s := st.Store
	if err := errors.Join(s.Approve(t.Context(), approval("ravi", st.planned, hash("x"))), s.Propose(t.Context(), proposal("ravi", st.unknown, "submitted", "r"))); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for name, attack := range map[string]string{
		"an approval taken away":  `DELETE FROM approvals`,
		"an approval by another":  `UPDATE approvals SET actor = 'eve'`,
		"an approval of another":  `UPDATE approvals SET payload_sha256 = '` + hash("y") + `'`,
		"an approval slipped in":  fmt.Sprintf(`INSERT INTO approvals (batch_no, payload_sha256, actor, at) SELECT batch_no, '%s', 'eve', 1 FROM approvals`, hash("z")),
		"a proposal taken away":   `DELETE FROM proposals`,
		"a proposal turned round": `UPDATE proposals SET decision = 'not-submitted'`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "payrun.db")
			write(t, path, whole)
			tamper(t, path, attack)
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			problems, err := s.Verify(t.Context())
			if err != nil || !slices.ContainsFunc(problems, func(p ledger.Problem) bool { return p.Invariant == 18 }) {
				t.Errorf("unseen: %+v, %v", problems, err)
			}
		})
	}
}
