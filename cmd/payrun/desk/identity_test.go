package desk

import (
	"fmt"
	"strings"
	"testing"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// asked is what a person of the desk asks for, with their proof.
func (h *house) asked(name string) app.Call {
	return app.Call{Actor: name, LoggedIn: true, Proof: "of a test"}
}

func refused(t *testing.T, err error, code app.Code, words string) {
	t.Helper()
	if e := app.Worst(err); e == nil || e.Code != code || !strings.Contains(err.Error(), words) {
		t.Errorf("%v, want %s: %q", err, code, words)
	}
}

// atTerminal is someone at a terminal, who is no one of the desk until they are tied.
const atTerminal = "uid:61001"

// R2: no one loads at a terminal and approves at the desk, or the other way round; and
// who can be none of two people decides nothing that takes two.
func TestNobodyIsTwoByComingTwoWays(t *testing.T) {
	h := build(t)
	h.adminWho("approve")
	h.invite("mina", "load", "approve")
	need(h.app.ChangePerson(t.Context(), h.asked("boss"), app.PersonRequest{Name: "mina", System: "61001"}))(t)
	need(h.app.SetPolicy(t.Context(), h.asked("boss"), ledger.PolicyChange{Key: ledger.PolicyTwoPerson, Value: "true", Reason: "as agreed"}))(t)
	need(h.app.Load(t.Context(), app.Call{Actor: atTerminal}, []string{h.file("nov.csv", sheetOf("INV/1"))}, app.SheetOptions{}))(t)
	approve := h.approving(h.batches()[0].ID)
	n := len(h.events())
	for actor, words := range map[string]string{
		atTerminal:             "planned it, and cannot approve it", // mina, at the terminal
		"uid:61002":            "belongs to no person on record",
		ledger.UID(0):          "root (uid 0)",
		ledger.MappedUID(1002): "user namespace",
	} {
		_, err := h.app.Approve(t.Context(), app.Call{Actor: actor}, approve)
		refused(t, err, app.NeedsPerson, words)
	}
	_, err := h.app.Approve(t.Context(), h.asked("mina"), approve)
	refused(t, err, app.NeedsPerson, "planned it, and cannot approve it")
	_, err = h.app.Approve(t.Context(), h.asked("boss"), approve)
	refused(t, err, app.NeedsPerson, "does not have the role approve")
	_, err = h.app.Initiate(t.Context(), app.Call{Actor: atTerminal}, app.InitiateRequest{Batches: []string{approve.ReviewedBatches.Batches[0].BatchID}}) // mina does not pay
	refused(t, err, app.NeedsPerson, "does not have the role pay")
	if _, err := h.app.Approve(t.Context(), app.Call{Actor: "ravi", LoggedIn: true}, approve); !strings.Contains(fmt.Sprint(err), "without a proof") {
		t.Errorf("without a proof: %v", err)
	}
	_, err = h.app.ChangePerson(t.Context(), app.Call{Actor: "uid:61002"}, app.PersonRequest{Name: "ravi", System: "61002"})
	refused(t, err, app.NeedsPerson, "is no admin")
	h.recorded(n)
	need(h.app.Approve(t.Context(), h.asked("ravi"), approve))(t)
	eventSays(t, h.last(), "\n"+ledger.EventApproved+" by ravi\n", "\nproof: of a test\n")
	h.isWhole()
}

// Who was removed, or may no longer, while their decision waited for the ledger,
// decides nothing.
func TestADecisionOfWhoIsGoneIsNone(t *testing.T) {
	h := build(t, "INV/1").twoPeople()
	call := h.asked("meera")
	call.Person = h.who("meera")
	req := h.approving(h.batches()[0].ID)
	fine(t, h.app.RemovePerson(t.Context(), h.asked("boss"), "meera"))
	_, err := h.app.Approve(t.Context(), call, req)
	refused(t, err, app.NeedsPerson, "changed, or they were removed")
	j := &job{task: task{Verb: "initiate", Page: "/batches/x"}, jobs: h.jobs}
	if why := h.wrong(j, nil, err); why == nil || !strings.Contains(why.What, "What meera may do was changed, or they were removed") || !strings.HasPrefix(why.Do, "Nothing was done") {
		t.Errorf("its page says %+v", why) // nothing of the batch
	}
	call = h.asked("asha")
	call.Person = h.who("asha")
	up := need(h.uploads.Bring("asha", "nov.csv", strings.NewReader(sheetOf("INV/2"))))(t)
	seen := need(h.uploads.Review(t.Context(), call, up.ID, app.Part{}))(t)
	need(h.app.ChangePerson(t.Context(), h.asked("boss"), app.PersonRequest{Name: "asha", May: []string{"view"}}))(t)
	up, err = h.uploads.Load(t.Context(), call, up.ID, app.Agreed{SHA256: seen.Sheet.Sheet.SHA256, Plan: seen.Plan})
	refused(t, err, app.NeedsPerson, "changed, or they were removed")
	same(t, "the sheet that was loaded", up.SheetID, "")
}
