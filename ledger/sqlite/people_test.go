package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func TestWhatPeopleDecidedIsKept(t *testing.T) {
	st := tell(t) // by asha
	s := st.Store
	if by, err := s.PlannedBy(t.Context(), st.planned); err != nil || by != "asha" {
		t.Errorf("planned by %q, %v", by, err)
	}
	if _, err := s.PlannedBy(t.Context(), "prnone"); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("an unknown batch: %v", err)
	}
	if err := s.Approve(t.Context(), approval("ravi", st.planned, hash("payload"))); err != nil {
		t.Fatal(err)
	}
	if err := s.Propose(t.Context(), proposal("ravi", st.unknown, "not-submitted", "ticket 4711")); err != nil {
		t.Fatal(err)
	}
	approvals, err := s.Approvals(t.Context(), st.planned)
	if want := []ledger.Approval{{BatchID: st.planned, PayloadSHA256: hash("payload"), Actor: "ravi", At: decided}}; err != nil || !cmp.Equal(approvals, want) {
		t.Errorf("approvals %+v, %v", approvals, err)
	}
	proposals, err := s.Proposals(t.Context(), "")
	if want := []ledger.Proposal{{BatchID: st.unknown, Decision: "not-submitted", Reason: "ticket 4711", Actor: "ravi", At: decided}}; err != nil || !cmp.Equal(proposals, want) {
		t.Errorf("proposals %+v, %v", proposals, err)
	}
	if others, err := s.Approvals(t.Context(), st.held); err != nil || len(others) != 0 {
		t.Errorf("approvals of another batch: %v, %v", others, err)
	}
	sound(t, s)
}

func TestTheSchemaKnowsWhoMayDecide(t *testing.T) {
	st := tell(t)
	before := auditHeadOf(t, st.Store)
	for name, do := range map[string]func(*Store) error{
		"who planned it":           func(s *Store) error { return s.Approve(t.Context(), approval("asha", st.planned, hash("x"))) },
		"a batch that is held":     func(s *Store) error { return s.Approve(t.Context(), approval("ravi", st.held, hash("x"))) },
		"a batch not in doubt":     func(s *Store) error { return s.Propose(t.Context(), proposal("ravi", st.held, "submitted", "r")) },
		"a batch that is not here": func(s *Store) error { return s.Approve(t.Context(), approval("ravi", "prnone", hash("x"))) },
	} {
		if err := do(st.Store); !errors.Is(err, ledger.ErrTransition) && !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, spelt := range map[string]string{"capitals": "ASHA", "spaces": "  asha "} {
		if err := st.Approve(t.Context(), approval(spelt, st.planned, hash("x"))); !errors.Is(err, ledger.ErrTransition) {
			t.Errorf("asha, with %s: %v", name, err)
		}
	}
	s := st.Store
	if err := s.Propose(t.Context(), proposal("ravi", st.unknown, "perhaps", "r")); err == nil {
		t.Error("a decision that is none")
	}
	if err := s.Propose(t.Context(), proposal("ravi", st.unknown, "submitted", " ")); err == nil {
		t.Error("a decision without a reason")
	}
	if err := s.Approve(t.Context(), approval("ravi", st.planned, "abc")); err == nil {
		t.Error("an approval of no payload")
	}
	if after := auditHeadOf(t, s); after != before {
		t.Errorf("something was recorded: %+v", after)
	}
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
