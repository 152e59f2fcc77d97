package ledger

import (
	"errors"
	"strings"
	"testing"
)

// Another person agrees where the policy or the batch wants it.
func TestWhatAsksForAnApproval(t *testing.T) {
	told := []Event{{Seq: 9, Actor: "uid:1002", BatchID: "pr1", Kind: EventApproved, Detail: `{"payload":"abc"}`}}
	for _, policy := range []bool{false, true} {
		for _, needed := range []bool{false, true} {
			for _, approvals := range [][]Event{nil, told} {
				k := BatchRecord{ApprovalStatus: ApprovalStatus{BatchID: "pr1", Needed: needed, PlannedBy: "uid:1001", Approvals: approvals}}
				k.ApprovalStatus.Policy.TwoPerson = policy
				err := k.approved(Step{PayloadSHA256: "abc"}, CallInitiate)
				if want := approvals != nil || !policy && !needed; (err == nil) != want {
					t.Errorf("policy %t, needed %t, %d approvals: %v", policy, needed, len(approvals), err)
				}
				if err != nil && (!errors.Is(err, ErrNotApproved) || strings.Contains(err.Error(), "locked payout") != needed) {
					t.Errorf("policy %t, needed %t: %v", policy, needed, err)
				}
				if err := k.approved(Step{PayloadSHA256: "abc"}, CallSubmit); err != nil {
					t.Errorf("a submit asks for an approval: %v", err)
				}
			}
		}
	}
}

// Two people have to have agreed: the planner is one of them where they count.
func TestTwoPeopleAgreeToABatch(t *testing.T) {
	const asha, ravi, lila = "uid:1001", "uid:1002", "uid:1003"
	for name, c := range map[string]struct {
		planner  string
		approved []string
		agreed   bool
		missing  int
	}{
		"nobody approved":                      {asha, nil, false, 1},
		"another":                              {asha, []string{ravi}, true, 0},
		"the planner":                          {asha, []string{asha}, false, 1},
		"root":                                 {asha, []string{UID(0)}, false, 1},
		"a user namespace":                     {asha, []string{MappedUID(1002)}, false, 1},
		"planned by root, nobody approved":     {UID(0), nil, false, 2},
		"planned by root":                      {UID(0), []string{ravi}, false, 1},
		"planned by root, approved by two":     {UID(0), []string{ravi, lila}, true, 0},
		"planned by root, approved twice":      {UID(0), []string{ravi, ravi}, false, 1},
		"planned in a user namespace":          {MappedUID(1002), []string{asha}, false, 1},
		"planned in a user namespace, for two": {MappedUID(1002), []string{asha, ravi}, true, 0},
	} {
		approval := ApprovalStatus{BatchID: "pr1", PlannedBy: c.planner}
		for i, by := range c.approved {
			approval.Approvals = append(approval.Approvals, Event{Seq: int64(i + 9), Actor: by, BatchID: "pr1", Kind: EventApproved, Detail: `{"payload":"abc"}`})
		}
		if err := approval.To("abc"); (err == nil) != c.agreed {
			t.Errorf("%s: %v", name, err)
		}
		if got := approval.Missing("abc"); got != c.missing {
			t.Errorf("%s: %d more have to approve it, not %d", name, got, c.missing)
		}
		if got := approval.Missing("abc", lila); got != max(0, c.missing-1) {
			t.Errorf("%s, and lila: %d more have to approve it", name, got)
		}
		for _, by := range c.approved {
			may := approval.May(Approving{Approval: Approval{Actor: by, PayloadSHA256: "abc"}})
			again := errors.Is(may, ErrDuplicate)
			if counts := approval.People.Counts(by) == nil && by != c.planner; again != counts || approval.May(Approving{Approval: Approval{Actor: by, PayloadSHA256: "def"}}) == nil != counts {
				t.Errorf("%s, by %s again: %v", name, by, may)
			}
		}
	}
	approval := ApprovalStatus{PlannedBy: asha}
	for actor, may := range map[string]bool{ravi: true, asha: false, UID(0): false, MappedUID(1002): false} {
		if err := approval.Another(actor); (err == nil) != may {
			t.Errorf("%s may approve: %v", actor, err)
		}
	}
}
