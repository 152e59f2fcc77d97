package storetest

import (
	"errors"
	"testing"

	"payrun/ledger"
)

var bindings = []Check{
	{"a decision is recorded only while the batch is as it was shown", decisionsAreBound},
	{"of many who decide on what they were shown one does", ofManyDecisionsOneIsTaken},
	{"approvals are recorded all or none", approvalsTogether},
}

// shown returns what a page would show of a batch.
func (d *desk) shown(id, payload string) ledger.ExpectedVersion {
	d.Helper()
	k, err := d.BatchRecord(d.ctx, id)
	d.must(err)
	return ledger.ExpectedVersion{Payload: payload, Sequence: k.Trail.Sequence()}
}

func decisionsAreBound(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 4, 2) // by asha
	id, payload := b[0].ID, hash("payload")
	first := d.shown(id, payload)
	initiate := func(shown ledger.ExpectedVersion) ledger.Step {
		return ledger.Step{Actor: ravi, BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(9), PayloadSHA256: payload, Looks: looked(id), ExpectedVersion: shown}
	}
	approve := func(shown ledger.ExpectedVersion) error {
		return d.Approve(d.ctx, ledger.Approving{Approval: approval(ravi, id, payload, minute(4)), Shown: shown})
	}
	refused := func(doing string, err error, before world) {
		d.Helper()
		if !errors.Is(err, ledger.ErrStale) {
			d.Errorf("%s: %v", doing, err)
		}
		d.is(before, "%s", doing)
	}

	d.hold(b[1].ID) // another batch, which does not matter
	d.apply(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchPlanned, At: minute(3), Note: "a note, which does not count either"})
	if now := d.shown(id, payload); now != first {
		d.Errorf("%+v became %+v", first, now)
	}
	before := d.world()
	refused("approving another payload", approve(ledger.ExpectedVersion{Payload: hash("other"), Sequence: first.Sequence}), before)
	refused("sending another payload", d.Apply(d.ctx, initiate(ledger.ExpectedVersion{Payload: hash("other"), Sequence: first.Sequence})), before)
	d.must(approve(first))
	before = d.world()
	refused("approving what was approved since", approve(first), before)
	refused("sending what was approved since", d.Apply(d.ctx, initiate(first)), before)

	d.reopen()
	approved := d.shown(id, payload)
	if !d.takes(initiate(approved)) {
		d.Error("what is as it was shown is not sent")
	}
	d.apply(ledger.Step{Actor: ravi, BatchID: id, From: ledger.BatchInitiating, Event: ledger.InitiateUndone, At: minute(10), Outcome: ledger.NotSent})
	before = d.world()
	refused("sending again what was tried since", d.Apply(d.ctx, initiate(approved)), before)
	refused("giving up what was tried since", d.Apply(d.ctx, ledger.Step{Actor: ravi, BatchID: id, From: ledger.BatchPlanned, Event: ledger.Abandoned,
		At: minute(11), Person: "not needed", ExpectedVersion: approved}), before)
	d.whole()
}

func ofManyDecisionsOneIsTaken(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 4, 2) // by asha
	desks := []*desk{d, d.other()}
	payload := hash("x")
	approving := ledger.Approving{Approval: approval(ravi, b[0].ID, payload, minute(4)), Shown: d.shown(b[0].ID, payload)}
	d.one(atOnce(8, desks, func(_ int, d *desk) error { return d.Approve(d.ctx, approving) }), ledger.ErrStale)
	initiate := ledger.Step{Actor: ravi, BatchID: b[1].ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(5), PayloadSHA256: payload,
		Looks: looked(b[1].ID), ExpectedVersion: d.shown(b[1].ID, payload)}
	d.one(atOnce(8, desks, func(_ int, d *desk) error { return d.Apply(d.ctx, initiate) }), ledger.ErrStale)
	if c, err := d.ApprovalStatus(d.ctx, b[0].ID); err != nil || len(c.Approvals) != 1 {
		d.Errorf("%d approvals, %v", len(c.Approvals), err)
	}
	d.whole()
}

func approvalsTogether(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 6, 2) // by asha
	var words []ledger.Approving
	for i, one := range b {
		words = append(words, ledger.Approving{Approval: approval(ravi, one.ID, hash(one.ID), minute(10+i)), Shown: d.shown(one.ID, hash(one.ID))})
	}
	d.abandon(b[2].ID, minute(5))
	before := d.world()
	if err := d.Approve(d.ctx, words...); !errors.Is(err, ledger.ErrStale) {
		d.Errorf("one was abandoned since: %v", err)
	}
	d.is(before, "one of them was abandoned since")
	d.must(d.Approve(d.ctx, words[:2]...))
	for i, a := range words[:2] {
		before.Approvals = append(before.Approvals, a.Approval)
		before.event(a.Event(b[i]))
	}
	d.is(before, "two of them together")
	d.whole()
}
