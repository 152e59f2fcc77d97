package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var policies = []Check{
	{"the policy is what its events say, and only two people lower it", thePolicyIsItsEvents},
	{"where two people have to agree nothing is initiated without the other", nothingWithoutTheOther},
	{"a batch that needs an approval is not initiated without, whatever the policy says", nothingWithoutWhatItNeeds},
	{"what was sent back is not initiated before it is approved, whatever the policy says", nothingThatWasSentBack},
	{"a batch is read with how people stand to it", approvalIsRead},
	{"what people said of a sheet is kept", wordsOfSheets},
	{"an environment that a person confirmed is kept, the newest", environmentsAreKept},
}

func change(actor, key, value string, at time.Time) ledger.PolicyChange {
	return ledger.PolicyChange{Key: key, Value: value, Reason: "as agreed", Actor: actor, At: at}
}

func thePolicyIsItsEvents(t testing.TB, o Opener) {
	d := begin(t, o)
	for i, c := range []struct {
		change ledger.PolicyChange
		kind   string // of its event; "" if it is refused
		want   ledger.Policy
	}{
		{change(asha, "two_person", "true", minute(1)), ledger.EventPolicySet, ledger.Policy{TwoPerson: true}},
		{change(asha, "two_person", "true", minute(2)), "", ledger.Policy{TwoPerson: true}},
		{change(asha, "confirm_above", "500.00", minute(3)), ledger.EventPolicySet, ledger.Policy{TwoPerson: true, ConfirmAbove: 500_00}},
		{change(asha, "two_person", "false", minute(4)), ledger.EventPolicyProposed, ledger.Policy{TwoPerson: true, ConfirmAbove: 500_00}},
		{change(asha, "two_person", "false", minute(5)), ledger.EventPolicyProposed, ledger.Policy{TwoPerson: true, ConfirmAbove: 500_00}},
		{change(ravi, "confirm_above", "", minute(6)), ledger.EventPolicyProposed, ledger.Policy{TwoPerson: true, ConfirmAbove: 500_00}},
		{change(asha, "confirm_above", "600.00", minute(7)), ledger.EventPolicyProposed, ledger.Policy{TwoPerson: true, ConfirmAbove: 500_00}},
		{change(ravi, "two_person", "false", minute(8)), ledger.EventPolicySet, ledger.Policy{ConfirmAbove: 500_00}},
		{change(asha, "confirm_above", "", minute(9)), ledger.EventPolicySet, ledger.Policy{}},
		{change(ravi, "confirm_above", "600.00", minute(10)), ledger.EventPolicySet, ledger.Policy{ConfirmAbove: 600_00}},
		{change(asha, "second_factor", "true", minute(10)), ledger.EventPolicySet, ledger.Policy{ConfirmAbove: 600_00, SecondFactor: true}},
		{change(asha, "second_factor", "false", minute(10)), ledger.EventPolicyProposed, ledger.Policy{ConfirmAbove: 600_00, SecondFactor: true}},
		{change(ravi, "second_factor", "false", minute(10)), ledger.EventPolicySet, ledger.Policy{ConfirmAbove: 600_00}},
		{change(ravi, "second_factor", "yes", minute(10)), "", ledger.Policy{ConfirmAbove: 600_00}},
		{change(ravi, "payout_most", "1.00", minute(11)), "", ledger.Policy{ConfirmAbove: 600_00}},
		{change(ravi, "confirm_above", "0.00", minute(11)), "", ledger.Policy{ConfirmAbove: 600_00}},
		{change(" ", "confirm_above", "1.00", minute(11)), "", ledger.Policy{ConfirmAbove: 600_00}},
	} {
		want := d.world()
		e, err := d.SetPolicy(d.ctx, c.change)
		if (err == nil) != (c.kind != "") || c.kind != "" && e.Kind != c.kind {
			d.Errorf("%d: %+v, %v; want %q", i, e, err, c.kind)
		}
		if err == nil {
			want.event(e)
		}
		d.is(want, "change %d", i)
		if _, got, err := d.UsersAndPolicy(d.ctx); err != nil || got.Policy != c.want {
			d.Errorf("%d: %+v, %v; want %+v", i, got, err, c.want)
		}
	}
	want := d.world().policy()
	d.reopen()
	_, got, err := d.UsersAndPolicy(d.ctx)
	if diff := cmp.Diff(want.Policy, got.Policy); err != nil || diff != "" || got.Since != want.Since {
		d.Errorf("after all (-want +got):\n%s%v", diff, err)
	}
	d.whole()
}

func nothingWithoutTheOther(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 3, 1) // by asha
	payload := func(id string) string { return hash(string(ledger.InitiateIntended) + id) }
	initiate := func(id string) ledger.Step {
		return ledger.Step{Actor: ravi, BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(20), PayloadSHA256: payload(id), Looks: looked(id)}
	}
	d.must(d.Approve(d.ctx, ledger.Approving{Approval: approval(ravi, b[0].ID, payload(b[0].ID), minute(1))})) // before the policy
	_, err := d.SetPolicy(d.ctx, change(ravi, "two_person", "true", minute(2)))
	d.must(err)
	d.must(d.Approve(d.ctx, ledger.Approving{Approval: approval(ravi, b[1].ID, hash("another payload"), minute(3))}))
	for i, why := range []string{"approved before the policy changed", "approved with another payload", "approved by nobody"} {
		if d.takes(initiate(b[i].ID)) {
			d.Errorf("initiated: %s", why)
		}
	}
	for _, one := range b[:2] {
		d.must(d.Approve(d.ctx, ledger.Approving{Approval: approval(ravi, one.ID, payload(one.ID), minute(4))}))
		if !d.takes(initiate(one.ID)) {
			d.Error("approved, and not initiated")
		}
	}
	c, err := d.ApprovalStatus(d.ctx, b[1].ID)
	if err != nil || c.PlannedBy != asha || len(c.Approvals) != 2 || !c.Policy.TwoPerson || c.To(payload(b[1].ID)) != nil || c.To(hash("x")) == nil {
		d.Errorf("who agreed: %+v, %v", c, err)
	}
	if c, err := d.ApprovalStatus(d.ctx, b[2].ID); err != nil || !errors.Is(c.To(payload(b[2].ID)), ledger.ErrNotApproved) {
		d.Errorf("nobody agreed: %+v, %v", c, err)
	}
	if _, err := d.ApprovalStatus(d.ctx, "prnone"); !errors.Is(err, ledger.ErrNotFound) {
		d.Errorf("a batch that is not here: %v", err)
	}
	d.whole()
}

func nothingWithoutWhatItNeeds(t testing.TB, o Opener) {
	d := begin(t, o)
	list := payouts("nov", 3)
	batches := plan(list, 1)
	batches[0].NeedsApproval = true
	b, err := d.tryLoad("nov", list, batches)
	d.must(err)
	initiate := func(id string) ledger.Step {
		return ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(20), PayloadSHA256: hash(id), Looks: looked(id)}
	}
	noted := ledger.Step{Actor: asha, BatchID: b[2].ID, From: ledger.BatchPlanned, At: minute(19), Attention: ledger.ToBeApproved}
	// approved before a payout like it was locked
	d.must(d.Approve(d.ctx, ledger.Approving{Approval: approval(ravi, b[2].ID, hash(b[2].ID), minute(18))}))
	before := d.shown(b[2].ID, hash(b[2].ID))
	if !d.takes(noted) || d.takes(initiate(b[0].ID)) || d.takes(initiate(b[2].ID)) || !d.takes(initiate(b[1].ID)) {
		d.Error("what needs an approval was initiated without, or what needs none was not")
	}
	if err := d.Approve(d.ctx, ledger.Approving{Approval: approval(ravi, b[2].ID, hash(b[2].ID), minute(20)), Shown: before}); !errors.Is(err, ledger.ErrStale) {
		d.Errorf("approved as it was shown before a payout like it was locked: %v", err)
	}
	d.reopen()
	for i, b := range b {
		all, err := d.Batches(d.ctx, ledger.Filter{SheetID: b.SheetID})
		c, cerr := d.ApprovalStatus(d.ctx, b.ID)
		if err != nil || cerr != nil || d.batch(b.ID).NeedsApproval != b.NeedsApproval || all[b.Sequence-1].NeedsApproval != b.NeedsApproval || c.Needed != (i != 1) {
			d.Errorf("read again, needing one %t: %+v, %v, %v", b.NeedsApproval, c, err, cerr)
		}
	}
	for _, id := range []string{b[0].ID, b[2].ID} {
		if asks := d.batch(id).Asks(); asks != ledger.ToBeApproved {
			d.Errorf("it asks for %q", asks)
		}
		d.must(d.Approve(d.ctx, ledger.Approving{Approval: approval(ravi, id, hash(id), minute(21))}))
		if asks := d.batch(id).Asks(); asks != ledger.ToBeInitiated || !d.takes(initiate(id)) {
			d.Errorf("approved, and not initiated: it asks for %q", asks)
		}
	}
	d.whole()
}

func nothingThatWasSentBack(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 1) // by asha
	payload := func(id string) string { return hash(string(ledger.InitiateIntended) + id) }
	initiate := func(id string) ledger.Step {
		return ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(20), PayloadSHA256: payload(id), Looks: looked(id)}
	}
	back := func(actor string, at time.Time, shown ledger.ExpectedVersion) error {
		return d.Approve(d.ctx, ledger.Approving{Approval: ledger.Approval{BatchID: b[0].ID, Actor: actor, At: at}, SentBack: "the rent is of October", Shown: shown})
	}
	approve := func(at time.Time) {
		d.Helper()
		d.must(d.Approve(d.ctx, ledger.Approving{Approval: approval(ravi, b[0].ID, payload(b[0].ID), at)}))
	}
	asks := func(want ledger.Attention) {
		d.Helper()
		if got := d.batch(b[0].ID); got.State != ledger.BatchPlanned || got.Asks() != want {
			d.Errorf("it is %s and asks for %q, not %q", got.State, got.Asks(), want)
		}
	}
	if err := back(asha, minute(1), ledger.ExpectedVersion{}); !errors.Is(err, ledger.ErrTransition) {
		d.Errorf("sent back by who planned it: %v", err)
	}
	approve(minute(2)) // no rule asks for this approval
	if err := back(ravi, minute(3), ledger.ExpectedVersion{Sequence: "1-0123456789abcdef"}); !errors.Is(err, ledger.ErrStale) {
		d.Errorf("sent back as it was before it was approved: %v", err)
	}
	asks(ledger.ToBeInitiated)
	d.must(back(ravi, minute(4), ledger.ExpectedVersion{}))
	d.reopen()
	asks(ledger.SentBack)
	if d.takes(initiate(b[0].ID)) {
		d.Error("sent back, and initiated by an approval of before")
	}
	d.whole()
	approve(minute(5))
	asks(ledger.ToBeInitiated)
	if !d.takes(initiate(b[0].ID)) || !d.takes(initiate(b[1].ID)) {
		d.Error("approved since, or never sent back, and not initiated")
	}
	if err := back(ravi, minute(30), ledger.ExpectedVersion{}); !errors.Is(err, ledger.ErrTransition) {
		d.Errorf("sent back once it is initiated: %v", err)
	}
	d.whole()
}

func approvalIsRead(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 3, 1)
	asks := func(want ...ledger.ApprovalState) {
		d.Helper()
		all, err := d.Batches(d.ctx, ledger.Filter{})
		in, ierr := d.BatchesIn(d.ctx, ledger.BatchPlanned)
		d.must(errors.Join(err, ierr))
		for i := range want {
			if all[i].Approval != want[i] || in[i].Approval != want[i] || d.batch(b[i].ID).Approval != want[i] {
				d.Errorf("batch %d: %q, %q and %q, not %q", i, all[i].Approval, in[i].Approval, d.batch(b[i].ID).Approval, want[i])
			}
			if by := d.batch(b[i].ID).ApprovedBy; (want[i] == ledger.ApprovalGiven) != slices.Equal(by, []string{ravi}) || !slices.Equal(by, all[i].ApprovedBy) || !slices.Equal(by, in[i].ApprovedBy) {
				d.Errorf("batch %d is %q by %q, %q and %q", i, want[i], by, all[i].ApprovedBy, in[i].ApprovedBy)
			}
		}
	}
	asks("", "", "")
	if _, err := d.SetPolicy(d.ctx, change(ravi, "two_person", "true", minute(1))); err != nil {
		d.Fatal(err)
	}
	asks(ledger.ApprovalWanted, ledger.ApprovalWanted, ledger.ApprovalWanted)
	d.must(d.Approve(d.ctx, ledger.Approving{Approval: approval(ravi, b[0].ID, hash("x"), minute(2))}))
	d.must(d.Approve(d.ctx, ledger.Approving{Approval: ledger.Approval{BatchID: b[2].ID, Actor: ravi, At: minute(3)}, SentBack: "too much"}))
	asks(ledger.ApprovalGiven, ledger.ApprovalWanted, ledger.ApprovalSentBack)
	if _, err := d.SetPolicy(d.ctx, change(ravi, "confirm_above", "1.00", minute(4))); err != nil {
		d.Fatal(err)
	}
	asks(ledger.ApprovalWanted, ledger.ApprovalWanted, ledger.ApprovalSentBack) // the policy changed
}

func wordsOfSheets(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 1)
	other := d.load("dec", 1, 1)
	said := func(actor, sheet, text string, at time.Time) error {
		return d.Comment(d.ctx, ledger.Comment{SheetID: sheet, Actor: actor, At: at, Text: text})
	}
	if err := said(ravi, "shnone", "where is it?", minute(1)); !errors.Is(err, ledger.ErrNotFound) {
		d.Errorf("of no sheet: %v", err)
	}
	err := errors.Join(said(ravi, b[0].SheetID, "Who is <b>Ravi</b>?", minute(2)), said(asha, other[0].SheetID, "the other", minute(3)),
		d.Approve(d.ctx, ledger.Approving{Approval: ledger.Approval{BatchID: b[1].ID, Actor: ravi, At: minute(4)}, SentBack: "ask first"}))
	d.must(err)
	d.reopen()
	var words []string
	err = d.SheetWords(d.ctx, b[0].SheetID, func(e ledger.Event) error {
		words = append(words, e.Kind+" "+e.Actor+" "+e.BatchID+": "+e.Words())
		return nil
	})
	want := []string{"commented " + ravi + " : Who is <b>Ravi</b>?", "sent_back " + ravi + " " + b[1].ID + ": by a person: ask first"}
	if diff := cmp.Diff(want, words); err != nil || diff != "" {
		d.Errorf("said of a sheet (-want +got):\n%s%v", diff, err)
	}
	d.whole()
}

func environmentsAreKept(t testing.TB, o Opener) {
	d := begin(t, o)
	if e, err := d.EnvironmentConfirmed(d.ctx); err != nil || e.Kind != "" {
		d.Errorf("nobody confirmed one: %+v, %v", e, err)
	}
	want := d.world()
	for i, host := range []string{"one.test", "two.test"} {
		e := ledger.Environment{Name: "sandbox", IDHost: "id.test", BaseHost: host}.Confirmed(ledger.Event{At: minute(i + 1), Actor: asha})
		d.must(d.ConfirmEnvironment(d.ctx, e))
		want.event(e)
		d.is(want, "confirmed %s", host)
		if got, err := d.EnvironmentConfirmed(d.ctx); err != nil || got.Detail != e.Detail {
			d.Errorf("%+v, %v; want %s", got, err, e.Detail)
		}
	}
	d.whole()
	d.load("nov", 2, 2)
	if sent, err := d.Sent(d.ctx); err != nil || sent {
		d.Errorf("sent: %v, %v; nothing was", sent, err)
	}
	if sent, err := tell(t, o).Sent(d.ctx); err != nil || !sent {
		d.Errorf("sent: %v, %v; calls were recorded", sent, err)
	}
}
