package desk

import (
	"errors"
	"fmt"
	"path/filepath"
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
	if e, ok := errors.AsType[*app.Error](err); !ok || e.Code != code || !strings.Contains(err.Error(), words) {
		t.Errorf("%v, want %s: %q", err, code, words)
	}
}

// R2: nobody loads at a terminal and approves at the desk, or the other way round:
// it is the person who counts, and who nobody knows decides nothing.
func TestNobodyIsTwoByComingTwoWays(t *testing.T) {
	h := build(t, "INV/1") // loaded by asha, at a terminal
	h.admin()
	h.invite("mina", "load", "approve")
	h.invite("ravi", "approve")
	st, err := h.app.Status(t.Context(), app.Call{})
	if err != nil {
		t.Fatal(err)
	}
	approve := app.ApproveRequest{Batches: []string{st.Batches[0].ID}}
	asha := app.Call{Actor: "asha"}
	if _, err := h.app.SetPolicy(t.Context(), asha, app.PolicyRequest{Key: ledger.PolicyTwoPerson, Value: "true", Reason: "as agreed"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.app.AddPerson(t.Context(), h.asked("boss"), app.PersonRequest{Name: "dev", May: []string{"view"}}); err != nil {
		t.Fatal(err)
	}
	n := len(h.events())
	_, err = h.app.Approve(t.Context(), app.Call{Actor: "somebody"}, approve)
	refused(t, err, app.Usage, "which person of the desk the system user somebody is")
	_, err = h.app.Approve(t.Context(), app.Call{Actor: "dev"}, approve) // named like a person, whom nobody claims
	refused(t, err, app.Usage, "which person of the desk the system user dev is")
	_, err = h.app.Load(t.Context(), asha, []string{filepath.Join(h.dir, "nov.csv")}, app.SheetOptions{})
	refused(t, err, app.Usage, "which person of the desk the system user asha is")
	_, err = h.app.Approve(t.Context(), h.asked("ravi"), approve) // asha may be ravi
	refused(t, err, app.NeedsPerson, "nobody has said which person of the desk the system user asha is")
	if _, err := h.app.Approve(t.Context(), app.Call{Actor: "ravi", LoggedIn: true}, approve); !strings.Contains(fmt.Sprint(err), "without a proof") {
		t.Errorf("without a proof: %v", err)
	}
	if got := h.kinds(n); len(got) > 0 {
		t.Errorf("on record: %q", got)
	}
	if _, err := h.app.ChangePerson(t.Context(), h.asked("boss"), app.PersonRequest{Name: "mina", System: "asha"}); err != nil {
		t.Fatal(err)
	}
	_, err = h.app.Approve(t.Context(), h.asked("ravi"), approve) // one person's word
	refused(t, err, app.NeedsPerson, "nobody has said which person of the desk the system user asha is")
	h.confirm("ravi", "mina")
	_, err = h.app.Approve(t.Context(), h.asked("mina"), approve) // who loaded it, at the terminal
	refused(t, err, app.NeedsPerson, "are the same person")
	_, err = h.app.Approve(t.Context(), asha, approve)
	refused(t, err, app.NeedsPerson, "are the same person")
	_, err = h.app.ChangePerson(t.Context(), app.Call{Actor: "eve"}, app.PersonRequest{Name: "ravi", System: "eve"})
	refused(t, err, app.Usage, "which person of the desk the system user eve is")
	if _, err := h.app.Approve(t.Context(), h.asked("ravi"), approve); err != nil {
		t.Errorf("ravi: %v", err)
	}
	events := h.events()
	if e := events[len(events)-1]; e.Actor != "ravi" || e.Proof != "of a test" || e.Kind != ledger.EventApproved {
		t.Errorf("on record: %+v", e)
	}
	if _, err := h.app.Abandon(t.Context(), asha, app.AbandonRequest{Batches: approve.Batches, Reason: "wrong day"}); err != nil {
		t.Fatal(err)
	}
	events = h.events()
	if e := events[len(events)-1]; e.Actor != "mina" || e.Proof != "" {
		t.Errorf("what asha does at the terminal is on record as %+v", e)
	}
	if problems, err := h.app.Verify(t.Context(), app.Call{}, ""); err != nil || len(problems) > 0 {
		t.Errorf("the ledger: %v, %v", problems, err)
	}
}

// Who was removed, or may no longer, while their decision waited for the ledger,
// decides nothing.
func TestADecisionOfWhoIsGoneIsNone(t *testing.T) {
	h := build(t, "INV/1")
	h.twoPeople()
	people, err := h.app.People(t.Context(), app.Call{})
	if err != nil {
		t.Fatal(err)
	}
	call := h.asked("meera")
	call.Person, _ = people.Find("meera")
	req := app.ApproveRequest{Batches: []string{h.batches()[0].ID}}
	if err := h.app.RemovePerson(t.Context(), h.asked("boss"), "meera"); err != nil {
		t.Fatal(err)
	}
	_, err = h.app.Approve(t.Context(), call, req)
	refused(t, err, app.NeedsPerson, "changed, or they were removed")
	j := &job{task: task{Verb: "initiate", Page: "/batches/x"}, jobs: h.jobs}
	if why := h.wrong(j, nil, err); why == nil || !strings.Contains(why.What, "What meera may do was changed, or they were removed") || !strings.HasPrefix(why.Do, "Nothing was done") {
		t.Errorf("its page says %+v", why) // nothing of the batch
	}
}
