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

type states = map[ledger.PayoutState]int

func TestABatchGoesFromPlannedToSettled(t *testing.T) {
	d, b := withPlanned(t, 5)
	d.became(d.initiate(), submitter.OutcomeHeld)
	d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 5})
	d.became(d.submit(d.otp(b.ID)), submitter.OutcomeSubmitted)
	d.settle()
	d.want(b.ID, ledger.BatchSettled, states{"success": 5})
	for _, a := range d.attempts(b.ID) {
		if a.BankTxnRefID == "" || a.OpenTxnID == "" {
			t.Errorf("%s has no UTR or open_txn_id", a.WireRef)
		}
	}
	d.sound()
}

func TestPartnerBank1NeedsTokenAndLEI(t *testing.T) {
	const lei = "5493001KJTIIGC8Y1R12"
	d := newDesk(t)
	b := d.load(payouts{account: pb1, bank: 1, n: 2, amount: ledger.LEILine / 2, lei: lei})[0]
	d.initiate()
	otp := d.otp(b.ID)
	without := otp
	without.Token = ledger.Secret{}
	d.became(d.submit(without), submitter.OutcomeNeedsToken)
	other := otp
	other.LEI = "213800WSGIIZCXF1P572"
	d.became(d.submit(other), submitter.OutcomeNeedsPerson)
	d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 2})
	d.became(d.submit(otp), submitter.OutcomeSubmitted)
	d.settle()
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
	d.sound()
}

func TestOneBatchAnAccountIsHeldAtOnce(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb4, bank: 4, n: 1}, payouts{account: pb4, bank: 4, n: 1}, payouts{account: pb3, bank: 3, n: 2})
	d.became(d.initiate(), "held", "waiting", "held")
	d.want(b[1].ID, ledger.BatchPlanned, states{"planned": 1})
	d.submit(d.otp(b[0].ID))
	d.became(d.initiate(b[1].ID), submitter.OutcomeHeld)
	d.set.HeldAtOnce = 0
	more := d.load(payouts{account: pb4, bank: 4, n: 1})[0]
	d.became(d.initiate(more.ID), submitter.OutcomeHeld)
}

// What the client cannot know comes from a status read where the bank lists what
// is not submitted yet; where it does not, the doubt stays until it is abandoned.
func TestInitiateFaults(t *testing.T) {
	for _, c := range []struct {
		kind string
		took bool // the bank has the batch
	}{
		{"drop_after", true},
		{"500_after", true},
		{"garbage", true},
		{"truncate", true},
		{"html502", false},
		{"drop_before", false},
		{"500_before", false},
		{"429", false},
	} {
		t.Run(c.kind, func(t *testing.T) {
			d, b := withPlanned(t, 3)
			d.faults(fault{Op: "initiate", Nth: []int{1}, Kind: c.kind})
			r := d.initiate()
			if c.took {
				d.became(r, submitter.OutcomeHeld)
				d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 3})
			} else {
				d.became(r, submitter.OutcomeUnknown)
				d.want(b.ID, ledger.BatchInitiateUnknown, states{"planned": 3})
			}
			if took := d.posts(); (took == 1) != c.took || took > 1 {
				t.Errorf("the bank took %d initiates of one batch", took)
			}
			if !c.took {
				d.giveUp(b)
			}
			d.sound()
		})
	}
}

// giveUp lets the doubt expire and expects the payouts in a new batch under the same references.
func (d *desk) giveUp(old ledger.Batch) ledger.Batch {
	d.t.Helper()
	d.later(11 * time.Minute)
	d.poll()
	d.want(old.ID, ledger.BatchAbandoned, states{"cancelled": old.Count})
	next := d.in(ledger.BatchPlanned, 1)[0]
	if next.ID == old.ID || next.Total != old.Total || next.Count != old.Count {
		d.t.Fatalf("successor %+v of %+v", next, old)
	}
	for _, a := range d.attempts(next.ID) {
		if a.WireRef != a.Ref || a.Number != 2 {
			d.t.Errorf("attempt %d of %s goes as %s", a.Number, a.Ref, a.WireRef)
		}
	}
	return next
}

// posts counts the batches that the sandbox took.
func (d *desk) posts() int { return len(d.bank.State().Batches) }

func TestALostSubmitIsNeverSentAgain(t *testing.T) {
	for _, kind := range []string{"drop_after", "500_after", "garbage", "truncate"} {
		t.Run(kind, func(t *testing.T) {
			d, b := withHeld(t, 3)
			otp := d.otp(b.ID)
			d.faults(fault{Op: "submit", Nth: []int{1}, Kind: kind})
			r := d.submit(otp)
			if r[0].Outcome != submitter.OutcomeOpen && r[0].Outcome != submitter.OutcomeSettled {
				t.Errorf("the bank did take it, and status tells: %+v", r)
			}
			d.settle()
			d.want(b.ID, ledger.BatchSettled, states{"success": 3})
			if _, err := d.engine().Submit(t.Context(), []submitter.OTP{otp}); !errors.Is(err, submitter.ErrNotHeld) {
				t.Errorf("a second submit: %v", err)
			}
			d.sound()
		})
	}
}

func TestASubmitThatNeverArrivedStaysInDoubtAndNeedsAPerson(t *testing.T) {
	for _, kind := range []string{"drop_before", "500_before", "429"} {
		t.Run(kind, func(t *testing.T) {
			d, b := withHeld(t, 3)
			d.faults(fault{Op: "submit", Nth: []int{1}, Kind: kind})
			d.became(d.submit(d.otp(b.ID)), submitter.OutcomeUnknown)
			d.settle()
			d.want(b.ID, ledger.BatchSubmitUnknown, states{"request_initiated": 3})
			d.later(25 * time.Hour)
			d.poll()
			if got := d.batch(b.ID); got.Attention != ledger.SubmitOverdue {
				t.Errorf("after 25 hours nobody is asked: %+v", got)
			}
			d.notAbandoned(d.client, b.ID, "a batch that may have paid was abandoned")
			d.sound()
		})
	}
}

func TestAWrongOTPGoesBackToHeldUntilTheTriesAreUsed(t *testing.T) {
	d, b := withHeld(t, 1)
	good := d.otp(b.ID)
	wrong := good
	wrong.OTP = ledger.NewSecret("not-it")
	for try := 1; try <= 3; try++ {
		if r := d.submit(wrong); r[0].Outcome != submitter.OutcomeRejected {
			t.Fatalf("try %d: %+v", try, r)
		}
		if got := d.batch(b.ID); got.State != ledger.BatchHeld || got.OTPTries != try || (got.Attention == ledger.OTPSpent) != (try == 3) {
			t.Fatalf("try %d: %+v", try, got)
		}
	}
	d.became(d.submit(good), submitter.OutcomeNeedsPerson)
	if paid := d.bank.State().Executed; paid.Count != 0 {
		t.Errorf("paid %v", paid)
	}
	d.set.OTPTries = 4 // a person raised it
	d.became(d.submit(d.otp(b.ID)), submitter.OutcomeSubmitted)
	d.sound()
}

func TestWrongCredentialsStopAfterOneCall(t *testing.T) {
	d := newDesk(t)
	d.load(payouts{account: pb3, bank: 3, n: 1}, payouts{account: pb4, bank: 4, n: 1})
	d.client = d.clientWith(func(c *bankapi.Config) { c.AccessKey, c.SecretKey = ledger.NewSecret("x"), ledger.NewSecret("y") })
	if _, err := d.engine().Initiate(t.Context(), nil, 0); !errors.Is(err, ledger.ErrUnauthorized) {
		t.Fatalf("%v", err)
	}
	d.in(ledger.BatchPlanned, 2)
	d.sound()
}

func TestTheEnvironmentMustAgreeBeforeAnythingIsInitiated(t *testing.T) {
	d, b := withPlanned(t, 1, func(s *submitter.Settings) { s.Environment = "production" })
	if _, err := d.engine().Initiate(t.Context(), nil, 0); !errors.Is(err, submitter.ErrEnvironment) {
		t.Fatalf("%v", err)
	}
	d.want(b.ID, ledger.BatchPlanned, states{"planned": 1})
	if n := d.posts(); n != 0 {
		t.Errorf("%d initiates", n)
	}
}

func TestACrashUnderwayBecomesDoubtAtTheNextStart(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2}, payouts{account: pb4, bank: 4, n: 1})
	d.apply(ledger.Step{BatchID: b[0].ID, From: "planned", Event: ledger.InitiateIntended, PayloadSHA256: sum, Looks: unknownTo(b[0].ID)})
	d.initiate(b[1].ID)
	d.apply(ledger.Step{BatchID: b[1].ID, From: "held", Event: ledger.SubmitIntended, PayloadSHA256: sum, Looks: d.asHeld(b[1].ID)})
	must(t, d.engine().Recover(t.Context()))
	d.want(b[0].ID, ledger.BatchInitiateUnknown, states{"planned": 2})
	d.want(b[1].ID, ledger.BatchSubmitUnknown, states{"request_initiated": 1})
	d.giveUp(b[0])
	d.sound()
}

const sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func TestOutcomesOfPayouts(t *testing.T) {
	d, b := withHeld(t, 5)
	d.outcomes(map[string]string{"S1-G0-000": "failed", "S1-G0-001": "returned", "S1-G0-002": "stuck", "S1-G0-003": "unknown:ON_HOLD"})
	d.submit(d.otp(b.ID))
	d.settle()
	d.settle()
	d.want(b.ID, ledger.BatchSubmitted, d.states(b.ID))
	got := d.states(b.ID)
	if got["failed"] != 1 || got["returned"] != 1 || got["success"] != 1 || got["failed"]+got["returned"]+got["success"] != 3 {
		t.Errorf("payouts are %v", got)
	}
	after := d.batch(b.ID)
	if after.Asks() != ledger.StatusUnlisted || !strings.Contains(after.Note, "ON_HOLD") {
		t.Errorf("the batch asks for %q: %s", after.Asks(), after.Note)
	}
	asks := map[ledger.Attention]int{}
	for _, at := range d.attempts(b.ID) {
		asks[at.Asks(after)]++
	}
	if asks[ledger.StatusUnlisted] != 1 || asks[ledger.AtTheBank] != 1 {
		t.Errorf("the payouts ask for %v", asks)
	}
	d.later(25 * time.Hour)
	d.poll()
	if after := d.batch(b.ID); after.Attention != ledger.Overdue {
		t.Error("stuck for a day and nobody is asked")
	}
	d.sound()
}

func TestAnInterruptFinishesTheCallUnderWay(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 1}, payouts{account: pb4, bank: 4, n: 1})
	d.faults(fault{Op: "initiate", Nth: []int{1}, Kind: "slow", Seconds: 0.2})
	ctx, cancel := context.WithCancel(t.Context())
	d.set.Progress = nil
	store := cancelAfterIntent{d.store, cancel}
	_, err := submitter.New(store, d.client, d.set).Initiate(ctx, nil, 0)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	d.want(b[0].ID, ledger.BatchHeld, states{"request_initiated": 1})
	d.want(b[1].ID, ledger.BatchPlanned, states{"planned": 1})
}

// cancelAfterIntent interrupts the run as soon as an intent is recorded.
type cancelAfterIntent struct {
	submitter.Store
	cancel context.CancelFunc
}

func (s cancelAfterIntent) Apply(ctx context.Context, step ledger.Step) error {
	err := s.Store.Apply(ctx, step)
	if step.Event == ledger.InitiateIntended {
		s.cancel()
	}
	return err
}

func TestAbandon(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2}, payouts{account: pb4, bank: 4, n: 1}, payouts{account: pb1, bank: 1, n: 1})
	d.initiate(b[0].ID, b[1].ID)
	for _, id := range []string{b[0].ID, b[2].ID} { // held, planned
		r, err := d.engine().Abandon(t.Context(), id, "wrong month")
		if err != nil || r.Batch.State != ledger.BatchAbandoned {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	d.want(b[0].ID, ledger.BatchAbandoned, states{"cancelled": 2})
	d.submit(d.otp(b[1].ID))
	d.notAbandoned(d.client, b[1].ID, "submitted")
	d.settle()
	d.notAbandoned(d.client, b[1].ID, "settled")
	d.notAbandoned(d.client, b[0].ID, "abandoned already")
	d.sound()
}

// A bank that took or kept a part of a batch never shows the rest. The batch can still be abandoned, so that
// its payouts are planned again.
func TestABatchOfWhichTheBankShowsAPartIsAbandoned(t *testing.T) {
	for state, echo := range map[ledger.BatchState]bool{ledger.BatchQuarantined: true, ledger.BatchHeld: false} {
		d, b := withPlanned(t, 2)
		e, blur := d.blurring()
		part := func(a *ledger.Answer) { a.Payouts = a.Payouts[:1] }
		if echo {
			*blur = part
		}
		d.verb(e().Initiate(t.Context(), nil, 0))
		*blur = part
		d.want(b.ID, state, d.states(b.ID))
		if !echo {
			d.verb(e().Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
			d.asks(b.ID, ledger.OTPWaiting, "leaves out", "abandon the batch and retry its payouts")
		}
		if _, err := e().Abandon(t.Context(), b.ID, "the bank has a part of it"); err != nil {
			t.Errorf("%s: %v", state, err)
		}
		retry := d.retryOf(d.batch(b.ID))
		*blur = func(a *ledger.Answer) {
			if a.BatchID == b.ID {
				part(a)
			}
		}
		d.verb(e().Initiate(t.Context(), []string{retry.ID}, 0))
		d.became(d.verb(e().Submit(t.Context(), []submitter.OTP{d.otp(retry.ID)})), submitter.OutcomeSubmitted)
		d.settleAt(blurred(d.client, blur))
		d.paidTimes(1)
		d.sound()
	}
}

// A bank that shows held batches may drop one whose OTP expired.
func TestAHeldBatchThatTheBankDroppedIsAbandoned(t *testing.T) {
	for _, rejected := range []bool{false, true} {
		d, b := withHeld(t, 2)
		otp := d.otp(b.ID)
		if rejected {
			d.later(time.Hour)
			d.submit(submitter.OTP{BatchID: b.ID, OTP: ledger.NewSecret("0000")})
		}
		shown := ""
		drops := d.hiding(func(id string) bool { return id == shown })
		d.notAbandoned(drops, b.ID, "just held")
		d.later(d.set.DoubtQuiet)
		d.verb(d.with(drops).Submit(t.Context(), []submitter.OTP{otp}))
		d.asks(b.ID, ledger.OTPWaiting, "does not now", "abandon the batch and retry its payouts")
		d.abandon(drops, b.ID, "the OTP expired")
		retry := d.retryOf(d.batch(b.ID))
		d.verb(d.with(drops).Initiate(t.Context(), []string{retry.ID}, 0))
		shown = retry.ID
		d.became(d.verb(d.with(drops).Submit(t.Context(), []submitter.OTP{d.otp(retry.ID)})), submitter.OutcomeSubmitted)
		d.settleAt(drops)
		d.paidTimes(1)
		d.sound()
	}
}

// notAbandoned wants a batch not to be abandoned at such a bank.
func (d *desk) notAbandoned(bank submitter.Bank, id, why string) {
	d.t.Helper()
	before := d.batch(id)
	if _, err := d.with(bank).Abandon(d.t.Context(), id, "no"); !errors.Is(err, submitter.ErrRefused) {
		d.t.Errorf("%s: %v", why, err)
	}
	if after := d.batch(id); after.State != before.State && after.State == ledger.BatchAbandoned {
		d.t.Errorf("%s: it is abandoned", why)
	}
}

// A batch is not abandoned on a word that may be wrong: of each state, what
// is against it.
func TestWhatIsNotAbandoned(t *testing.T) {
	for name, story := range map[string]func(d *desk, b ledger.Batch){
		"no answer": func(d *desk, b ledger.Batch) {
			d.initiate()
			d.faults(fault{Op: "status", Kind: "500_before"})
		},
		"a submit without an answer": func(d *desk, b ledger.Batch) {
			d.initiate()
			d.faults(fault{Op: "submit", Nth: []int{1}, Kind: "drop_before"})
			d.submit(d.otp(b.ID))
		},
		"submitted at the bank's portal": func(d *desk, b ledger.Batch) {
			d.initiate()
			d.atPortal(b.ID, d.otp(b.ID))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, b := withPlanned(t, 2)
			story(d, b)
			d.notAbandoned(d.client, b.ID, name)
			if got := d.batch(b.ID).State; got == ledger.BatchAbandoned {
				t.Errorf("it is %s", got)
			}
			d.sound()
		})
	}
}

func TestPollWaitsUntilFinalAndNotLonger(t *testing.T) {
	d, b := withSent(t, 2)
	d.became(d.verb(d.engine().Poll(t.Context(), nil, 30*time.Millisecond)), submitter.OutcomeOpen)
	polls := 0
	d.set.Progress = func(string, string) {
		polls++
		d.bank.Settle()
	}
	d.became(d.verb(d.engine().Poll(t.Context(), nil, time.Minute)), submitter.OutcomeSettled)
	if polls < 2 {
		t.Fatalf("after %d polls", polls)
	}
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
}
