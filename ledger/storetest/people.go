package storetest

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var people = []Check{
	{"what people approved is kept, in order, with its event", approvalsAreKept},
	{"who may not decide decides nothing", whoMayDecide},
	{"a batch has the planner of the batch that it replaces", plannersAreInherited},
}

func approval(actor, batchID, payload string, at time.Time) ledger.Approval {
	return ledger.Approval{BatchID: batchID, PayloadSHA256: payload, Actor: actor, At: at}
}

func approvalsAreKept(t testing.TB, o Opener) {
	st := tell(t, o)
	want := st.world()
	for i, a := range []ledger.Approval{
		approval(ravi, st.planned, hash("payload"), minute(20)), approval("Meera", st.replanned, hash("other"), minute(21)), approval("meera", st.planned, hash("payload"), minute(22)),
	} {
		st.must(st.Approve(st.ctx, ledger.Approving{Approval: a}))
		at, _ := want.batch(a.BatchID)
		want.Approvals = append(want.Approvals, a)
		want.event(ledger.Approving{Approval: a}.Event(want.Batches[at]))
		st.is(want, "approval %d", i)
		a.At = minute(23)
		if err := st.Approve(st.ctx, ledger.Approving{Approval: a}); !errors.Is(err, ledger.ErrDuplicate) {
			st.Errorf("approval %d, by the same person again: %v", i, err)
		}
		st.is(want, "approval %d again", i)
	}
	st.reopen()
	status, err := st.ApprovalStatus(st.ctx, st.planned)
	var approvals []ledger.Approval
	for i := range status.Approvals {
		approvals = append(approvals, status.Approvals[i].Approval())
	}
	if diff := cmp.Diff([]ledger.Approval{want.Approvals[0], want.Approvals[2]}, approvals); err != nil || diff != "" {
		st.Errorf("of one batch (-want +got):\n%s%v", diff, err)
	}
	statuses, err := st.ApprovalStatuses(st.ctx, ledger.Filter{})
	if err != nil || len(statuses) != len(want.Batches) {
		st.Errorf("of %d batches %d say who agreed: %v", len(want.Batches), len(statuses), err)
	}
	for id, c := range statuses {
		one, err := st.ApprovalStatus(st.ctx, id)
		same := cmp.Exporter(func(reflect.Type) bool { return true })
		if diff := cmp.Diff(one, c, same); err != nil || diff != "" || c.PlannedBy == "" || (len(c.Approvals) == 0) != (id != st.planned && id != st.replanned) {
			st.Errorf("who agreed to %s (-alone +among others):\n%s%v", id, diff, err)
		}
	}
	of, err := st.ApprovalStatuses(st.ctx, ledger.Filter{BatchID: st.planned})
	if _, there := of[st.planned]; err != nil || len(of) != 1 || !there {
		st.Errorf("of one batch: %v, %v", of, err)
	}
	st.whole()
}

func whoMayDecide(t testing.TB, o Opener) {
	st := tell(t, o)
	before, at := st.world(), minute(20)
	approve := func(a ledger.Approval) func() error {
		return func() error { return st.Approve(st.ctx, ledger.Approving{Approval: a}) }
	}
	for _, c := range []struct {
		name string
		do   func() error
		want error // nil: any error
	}{
		{"who planned it", approve(approval(asha, st.planned, hash("x"), at)), ledger.ErrTransition},
		{"root", approve(approval(ledger.UID(0), st.planned, hash("x"), at)), ledger.ErrNotApart},
		{"a person in a user namespace", approve(approval(ledger.MappedUID(1002), st.planned, hash("x"), at)), ledger.ErrNotApart},
		{"a batch that is held", approve(approval(ravi, st.held, hash("x"), at)), ledger.ErrTransition},
		{"a batch that is not here", approve(approval(ravi, "prnone", hash("x"), at)), ledger.ErrNotFound},
		{"an approval of nobody", approve(approval(" ", st.planned, hash("x"), at)), nil},
	} {
		if err := c.do(); err == nil || c.want != nil && !errors.Is(err, c.want) {
			st.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		st.is(before, "%s", c.name)
	}
	st.whole()
}

// A batch that is planned again by itself keeps its planner: the person who ran payrun then did not plan
// it.
func plannersAreInherited(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 1) // by asha
	d.intend(b[0].ID, ledger.InitiateIntended, minute(1))
	d.apply(ledger.Step{BatchID: b[0].ID, From: ledger.BatchInitiating, Event: ledger.InitiateLost, At: minute(2)})
	d.apply(ledger.Step{Actor: ravi, BatchID: b[0].ID, From: ledger.BatchInitiateUnknown, Event: ledger.DoubtExpired, At: minute(40), Successor: true})
	d.abandon(b[1].ID, minute(3))
	over := d.attempts(b[1].ID)
	retry, err := d.PlanRetry(d.ctx, ravi, minute(41), over, plan(payoutsOf(over), 1))
	d.must(err)
	all := d.world().Batches
	for id, want := range map[string]string{b[0].ID: asha, all[2].ID: asha, retry[0].ID: ravi} {
		if approval, err := d.ApprovalStatus(d.ctx, id); err != nil || approval.PlannedBy != want {
			d.Errorf("batch %s was planned by %q, %v; want %s", id, approval.PlannedBy, err, want)
		}
	}
	if _, err := d.ApprovalStatus(d.ctx, "prnone"); !errors.Is(err, ledger.ErrNotFound) {
		d.Errorf("an unknown batch: %v", err)
	}
	if err := d.Approve(d.ctx, ledger.Approving{Approval: approval(asha, all[2].ID, hash("x"), minute(42))}); !errors.Is(err, ledger.ErrTransition) {
		d.Errorf("the successor, approved by who planned the first: %v", err)
	}
	if err := d.Approve(d.ctx, ledger.Approving{Approval: approval(ravi, retry[0].ID, hash("x"), minute(42))}); !errors.Is(err, ledger.ErrTransition) {
		d.Errorf("a retry, approved by who planned it: %v", err)
	}
	if err := errors.Join(d.Approve(d.ctx, ledger.Approving{Approval: approval(ravi, all[2].ID, hash("x"), minute(43))}), d.Approve(d.ctx, ledger.Approving{Approval: approval(asha, retry[0].ID, hash("x"), minute(43))})); err != nil {
		d.Errorf("by the other: %v", err)
	}
	d.whole()
}
