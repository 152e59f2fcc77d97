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

func TestWhatPeopleDecidedNeverChanges(t *testing.T) {
	st := tell(t)
	s := st.Store
	must(t, s.Approve(t.Context(), ledger.Approving{Approval: approval("ravi", st.planned, hash("x"))}))
	setAside(t, st)
	for _, attack := range []string{
		`DELETE FROM approvals`, `UPDATE approvals SET actor = 'eve'`, `INSERT OR REPLACE INTO approvals SELECT * FROM approvals`,
		`DELETE FROM proposals`, `UPDATE proposals SET outcome = 'paid'`,
	} {
		if _, err := s.write.Exec(attack); err == nil {
			t.Errorf("done: %s", attack)
		}
	}
	sound(t, s)
}

// TestNobodyApprovesWhatNobodyPlanned: the person who took the planning out of the file finds
// no batch that one person may send.
func TestNobodyApprovesWhatNobodyPlanned(t *testing.T) {
	st := tell(t)
	s := st.Store
	must(t, s.Approve(t.Context(), ledger.Approving{Approval: approval("ravi", st.planned, hash("x"))}))
	must(t, s.Close())
	tamper(t, s.path, `DELETE FROM events WHERE kind = 'batch_planned' AND batch_id = '`+st.planned+`'`)
	s, err := Open(t.Context(), s.path)
	must(t, err)
	defer s.Close()
	if c, err := s.ApprovalStatus(t.Context(), st.planned); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestVerifyFindsDecisionsThatWereTamperedWith(t *testing.T) {
	st := tell(t)
	s := st.Store
	must(t, s.Approve(t.Context(), ledger.Approving{Approval: approval("ravi", st.planned, hash("x"))}))
	setAside(t, st)
	must(t, s.Close())
	whole, err := os.ReadFile(s.path)
	must(t, err)
	for name, attack := range map[string]string{
		"an approval taken away":  `DELETE FROM approvals`,
		"an approval by another":  `UPDATE approvals SET actor = 'eve'`,
		"an approval of another":  `UPDATE approvals SET payload_sha256 = '` + hash("y") + `'`,
		"an approval slipped in":  fmt.Sprintf(`INSERT INTO approvals (batch_no, payload_sha256, actor, at) SELECT batch_no, '%s', 'eve', 1 FROM approvals`, hash("z")),
		"a proposal taken away":   `DELETE FROM proposals`,
		"a proposal turned round": `UPDATE proposals SET outcome = 'paid'`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "payrun.db")
			write(t, path, whole)
			tamper(t, path, attack)
			s, err := Open(t.Context(), path)
			must(t, err)
			defer s.Close()
			problems, err := s.Verify(t.Context())
			if err != nil || !slices.ContainsFunc(problems, func(p ledger.Problem) bool { return p.Invariant == 18 }) {
				t.Errorf("unseen: %+v, %v", problems, err)
			}
		})
	}
}
