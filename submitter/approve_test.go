package submitter_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

// as goes on in another person's name.
func (d *desk) as(actor string) *desk {
	d.t.Helper()
	d.set.Actor, d.set.TwoPerson = actor, true
	return d
}

func (d *desk) approve(id string) (r submitter.Result, err error) {
	d.t.Helper()
	fields := bankapi.RequestFields{} // those of newDesk's client
	word := ledger.Approving{Approval: ledger.Approval{BatchID: id, Actor: d.set.Actor, At: d.now()}}
	results, may, err := submitter.Approvable(d.t.Context(), d.store, fields, []ledger.Approving{word})
	if len(results) > 0 {
		r = results[0]
	}
	if len(may) > 0 {
		err = errors.Join(err, d.store.Approve(d.t.Context(), may...))
	}
	return r, err
}

func (d *desk) mustApprove(id string) {
	d.t.Helper()
	if r, err := d.approve(id); err != nil || r.Outcome != submitter.OutcomeApproved {
		d.t.Fatalf("approving %s: %+v, %v", id, r, err)
	}
}

// refusedUnapproved holds that a batch waits for a second person and nothing was sent.
func (d *desk) refusedUnapproved(id, why string) {
	d.t.Helper()
	r := d.initiate(id)
	if len(r) != 1 || r[0].Outcome != submitter.OutcomeWaiting || r[0].Attention != ledger.ToBeApproved || !strings.Contains(r[0].Message, why) {
		d.t.Errorf("initiate: %+v, want it to wait because %q", r, why)
	}
	if got := d.batch(id).State; got != ledger.BatchPlanned {
		d.t.Errorf("the batch is %s", got)
	}
	if _, _, sent := d.bank.OTP(id); sent {
		d.t.Error("the bank was asked to initiate it")
	}
}

func TestWhatOnePersonPlannedAnotherApproves(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 3})[0] // as "tester"
	d.as("tester").refusedUnapproved(b.ID, "planned by tester")
	d.as("ravi").refusedUnapproved(b.ID, "planned by tester") // initiating is not approving
	for _, same := range []string{"tester", ledger.UID(0), ledger.MappedUID(1002)} {
		if r, err := d.as(same).approve(b.ID); !errors.Is(err, submitter.ErrSamePerson) || r.Attention != ledger.ToBeApproved {
			t.Errorf("%q approved their own batch: %+v, %v", same, r, err)
		}
	}
	d.refusedUnapproved(b.ID, "planned by tester")
	d.as("ravi").mustApprove(b.ID)
	d.became(d.as("tester").initiate(b.ID), submitter.OutcomeHeld)
	if r, err := d.as("ravi").approve(b.ID); err != nil || r.Outcome != submitter.OutcomeUnchanged {
		t.Errorf("a held batch: %+v, %v", r, err)
	}
	if _, err := d.approve("pr-none"); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("an unknown batch: %v", err)
	}
	d.sound()
}

func TestAnApprovalIsVoidForAnyOtherPayload(t *testing.T) {
	d, b := withPlanned(t, 3)
	d.as("ravi").mustApprove(b.ID)
	same := d.client
	d.client = d.clientWith(func(c *bankapi.Config) { c.RequestFields.Amount = "amount_inr" })
	d.refusedUnapproved(b.ID, "what would be sent is not what ravi approved")
	d.client = same
	d.became(d.initiate(b.ID), submitter.OutcomeHeld)
	d.sound()
}

// A batch that was once sent back needs another person for good, also where the policy needs none.
func TestABatchThatWasSentBackIsApprovedAgain(t *testing.T) {
	d, b := withPlanned(t, 1)
	d.as("ravi").set.TwoPerson = false
	must(t, d.store.Approve(t.Context(), ledger.Approving{Approval: ledger.Approval{BatchID: b.ID, Actor: "ravi", At: d.now()}, SentBack: "ask first"}))
	d.mustApprove(b.ID)
	change := ledger.PolicyChange{Key: ledger.PolicyConfirmAbove, Value: "1000000.00", Reason: "as audited", Actor: "tester", At: d.now()}
	if _, err := d.store.SetPolicy(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	d.refusedUnapproved(b.ID, "the policy has changed since ravi approved")
	d.mustApprove(b.ID)
	d.became(d.initiate(b.ID), submitter.OutcomeHeld)
	d.sound()
}

// It was planned before a payout of another sheet with its account and amount was locked: it may be that payout.
func TestABatchLikeAPayoutThatWasLockedSinceWaitsForAnotherPerson(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 3})[0]
	d.set.LikeLocked = func(context.Context, ledger.Batch, []ledger.Attempt) ([]ledger.Lock, error) {
		return []ledger.Lock{{Kind: ledger.LockInDoubt, Ref: "OCT-1"}}, nil
	}
	d.refusedUnapproved(b.ID, `a payout of it has the account and amount of "OCT-1", which is locked`)
	d.refusedUnapproved(b.ID, "planned by tester and not approved by another person; it pays the account and amount of a locked payout")
	d.as("ravi").mustApprove(b.ID)
	d.as("tester").set.TwoPerson = false
	d.became(d.initiate(b.ID), submitter.OutcomeHeld)
	d.sound()
}

// Who approved it before could not know.
func TestAnApprovalFromBeforeAPayoutLikeItWasLockedDoesNotCount(t *testing.T) {
	d, b := withPlanned(t, 1)
	d.as("ravi").mustApprove(b.ID)
	d.set.LikeLocked = func(context.Context, ledger.Batch, []ledger.Attempt) ([]ledger.Lock, error) {
		return []ledger.Lock{{Kind: ledger.LockInDoubt, Ref: "OCT-1"}}, nil
	}
	d.refusedUnapproved(b.ID, `a payout of it has the account and amount of "OCT-1", which is locked`)
	d.refusedUnapproved(b.ID, "it pays the account and amount of a locked payout")
	d.mustApprove(b.ID)
	d.became(d.initiate(b.ID), submitter.OutcomeHeld)
	d.sound()
}

// A person who runs payrun when a lost initiate is planned again did not plan it.
func TestASuccessorHasThePlannerOfTheBatchItReplaces(t *testing.T) {
	d, b := withPlanned(t, 2)
	d.as("ravi").mustApprove(b.ID)
	d.faults(fault{Op: "initiate", Nth: []int{1}, Kind: "drop_before"})
	d.initiate(b.ID)
	d.want(b.ID, ledger.BatchInitiateUnknown, states{"planned": 2})
	d.later(time.Hour)
	d.poll()
	next := d.in(ledger.BatchPlanned, 1)[0].ID
	d.refusedUnapproved(next, "planned by tester") // another payload needs another approval
	d.mustApprove(next)                            // ravi polled; tester planned
	d.became(d.initiate(next), submitter.OutcomeHeld)
	d.sound()
}

// mustConfirm holds that an operation is refused until this total is confirmed.
func mustConfirm(t *testing.T, err error, count int, total ledger.Paise) {
	t.Helper()
	needs, ok := errors.AsType[*submitter.NeedsConfirmation](err)
	if want := (ledger.Tally{Count: count, Total: total}); !ok || needs.Total != want {
		t.Errorf("got %v, want %v to be confirmed", err, want)
	}
}

func TestTheTotalOfARunIsConfirmedBeforeAnyOfItIsSent(t *testing.T) {
	d := newDesk(t, func(s *submitter.Settings) { s.ConfirmAbove = 500_00 })
	below := d.load(payouts{account: pb4, bank: 4, n: 1, amount: 499_99})[0]
	d.became(d.initiate(below.ID), submitter.OutcomeHeld)
	// one of the three waits behind another's OTP, and counts all the same
	b := d.load(payouts{account: pb3, bank: 3, n: 1, amount: 200_00}, payouts{account: pb3, bank: 3, n: 1, amount: 200_00}, payouts{account: pb1, bank: 1, n: 1, amount: 100_00})
	e := d.engine()
	for _, typed := range []ledger.Paise{0, 499_99, 500_00} {
		_, err := e.Initiate(t.Context(), nil, typed)
		mustConfirm(t, err, 4, 999_99) // with what is held
	}
	for i := range b {
		d.want(b[i].ID, ledger.BatchPlanned, states{"planned": 1})
	}
	d.became(d.verb(e.Initiate(t.Context(), nil, 999_99)), "held", "waiting", "held")
	d.verb(e.Submit(t.Context(), []submitter.OTP{d.otp(b[0].ID)})) // one operation asks once for both
	d.verb(e.Initiate(t.Context(), nil, 0))                        // the next round of the same operation
	d.want(b[1].ID, ledger.BatchHeld, states{"request_initiated": 1})
}

func TestARunIsNotMadeSmallByItsRounds(t *testing.T) {
	d := newDesk(t, func(s *submitter.Settings) { s.ConfirmAbove = 500_00 })
	b := d.load(payouts{account: pb3, bank: 3, n: 1, amount: 300_00}, payouts{account: pb4, bank: 4, n: 1, amount: 200_00})
	e := d.engine()
	d.verb(e.Initiate(t.Context(), []string{b[0].ID}, 0))
	_, err := e.Initiate(t.Context(), []string{b[1].ID}, 0)
	mustConfirm(t, err, 2, 500_00)
	d.verb(e.Initiate(t.Context(), []string{b[1].ID}, 500_00))
}

// Two operations are no smaller than one: what is held counts. Where money
// moves, it is asked again.
func TestWhatIsHeldCounts(t *testing.T) {
	d := newDesk(t, func(s *submitter.Settings) { s.ConfirmAbove = 500_00 })
	b := d.load(payouts{account: pb3, bank: 3, n: 1, amount: 300_00}, payouts{account: pb4, bank: 4, n: 1, amount: 200_00}, payouts{account: pb1, bank: 1, n: 1, amount: 499_99})
	d.verb(d.engine().Initiate(t.Context(), []string{b[0].ID}, 0))
	_, err := d.engine().Initiate(t.Context(), []string{b[1].ID}, 0)
	mustConfirm(t, err, 2, 500_00)
	d.verb(d.engine().Initiate(t.Context(), []string{b[1].ID}, 500_00))

	first, second := d.batch(b[0].ID), d.batch(b[1].ID)
	_, err = d.engine().Submit(t.Context(), []submitter.OTP{d.otp(first.ID)}) // one of the two
	mustConfirm(t, err, 2, 500_00)
	e := d.engine()
	mustConfirm(t, e.ConfirmTotal(t.Context(), []ledger.Batch{first}, 300_00, true), 2, 500_00)
	d.want(first.ID, ledger.BatchHeld, states{"request_initiated": 1})
	must(t, e.ConfirmTotal(t.Context(), []ledger.Batch{first}, 500_00, true))
	for _, id := range []string{first.ID, second.ID} { // asked once
		d.verb(e.Submit(t.Context(), []submitter.OTP{d.otp(id)}))
		if got := d.batch(id).State; got != ledger.BatchSubmitted {
			t.Errorf("%s is %s", id, got)
		}
	}
	d.verb(d.engine().Initiate(t.Context(), []string{b[2].ID}, 0)) // nothing is held any more
}

// What another machine is initiating counts too, as the step counts it: else the total that is shown
// is never enough.
func TestWhatAnotherMachineInitiatesCounts(t *testing.T) {
	d := newDesk(t, func(s *submitter.Settings) { s.ConfirmAbove = 500_00 })
	b := d.load(payouts{account: pb3, bank: 3, n: 1, amount: 300_00}, payouts{account: pb4, bank: 4, n: 1, amount: 200_00})
	d.apply(ledger.Step{BatchID: b[0].ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, PayloadSHA256: sum, Looks: unknownTo(b[0].ID)})
	_, err := d.engine().Initiate(t.Context(), []string{b[1].ID}, 0)
	mustConfirm(t, err, 2, 500_00)
	d.verb(d.engine().Initiate(t.Context(), []string{b[1].ID}, 500_00))
	d.want(b[1].ID, ledger.BatchHeld, states{"request_initiated": 1})
}

// What waits for a second person is not among what a person is asked to confirm.
func TestOnlyWhatIsApprovedIsConfirmed(t *testing.T) {
	d := newDesk(t, func(s *submitter.Settings) { s.ConfirmAbove = 1 })
	b := d.load(payouts{account: pb3, bank: 3, n: 1, amount: 300_00}, payouts{account: pb4, bank: 4, n: 1, amount: 200_00})
	d.as("ravi").initiate() // nothing may be sent: nothing is to be confirmed
	d.mustApprove(b[1].ID)
	_, err := d.engine().Initiate(t.Context(), nil, 0)
	mustConfirm(t, err, 1, 200_00)
}

// An operation that does not remember what another made held finds it in the
// ledger: no two of a debit account wait for their OTPs at once.
func TestTwoOperationsDoNotHoldTwoBatchesOfAnAccount(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 1}, payouts{account: pb3, bank: 3, n: 1})
	late := &lateStore{Store: d.store, first: func() { d.initiate(b[0].ID) }}
	results, err := submitter.New(late, d.client, d.set).Initiate(t.Context(), []string{b[1].ID}, 0)
	if err != nil || len(results) != 1 || results[0].Outcome != submitter.OutcomeWaiting || results[0].Attention != ledger.QueuedBehindOTP {
		t.Errorf("initiate: %+v, %v", results, err)
	}
	d.want(b[0].ID, ledger.BatchHeld, states{"request_initiated": 1})
	d.want(b[1].ID, ledger.BatchPlanned, states{"planned": 1})
}

// lateStore lets someone else act just before the first step is recorded.
type lateStore struct {
	submitter.Store
	first func()
}

func (s *lateStore) Apply(ctx context.Context, step ledger.Step) error {
	if do := s.first; do != nil {
		s.first = nil
		do()
	}
	return s.Store.Apply(ctx, step)
}
