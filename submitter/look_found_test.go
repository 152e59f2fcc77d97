package submitter_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// What histories of the simulation found, each as a day of its own.

// A bank whose word for "not known" is a 200 without payouts says nothing of a
// held batch that asks for anybody.
func TestAnAnswerWithoutPayoutsIsNotAboutAnotherBatch(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	bank := wordy{Bank: d.client, status: 200, known: func(string) bool { return false }}
	if r := d.verb(submitter.New(d.store, bank, d.set).Initiate(t.Context(), nil, 0)); r[0].Outcome != submitter.OutcomeHeld {
		t.Fatalf("%+v", r)
	}
	r := d.verb(submitter.New(d.store, bank, d.set).Poll(t.Context(), nil, 0))
	if got := d.batch(b.ID); r[0].Outcome != submitter.OutcomeHeld || got.Asks() != ledger.OTPWaiting || got.Note != "" {
		t.Errorf("%+v; asks for %s: %q", r, got.Asks(), got.Note)
	}
	d.sound()
}

// part is a bank that shows only the first payout of a batch, and calls that all.
func part(b submitter.Bank) submitter.Bank {
	return altered{b, func(r *ledger.StatusRead) { r.Payouts = r.Payouts[:min(1, len(r.Payouts))] }}
}

func TestALostInitiateThatTheBankTookInPartIsQuarantined(t *testing.T) {
	d := listing(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	d.faults(fault{Op: "initiate", Nth: []int{1}, Kind: "drop_after"})
	e := func() *submitter.Engine { return submitter.New(d.store, part(d.client), d.set) }
	d.verb(e().Initiate(t.Context(), nil, 0))
	if got := d.batch(b.ID).State; got != ledger.BatchInitiateUnknown {
		t.Fatalf("%s before doubt.quiet", got)
	}
	d.later(11 * time.Minute)
	d.verb(e().Poll(t.Context(), nil, 0))
	d.want(b.ID, ledger.BatchQuarantined, states{"planned": 2})
	d.sound()
}

// elsewhere is a bank whose status shows another debit account than its echo did: of
// one batch, or of all.
type elsewhere struct {
	submitter.Bank
	batch string
	moved bool // only once it moves
}

// unnamed is a bank whose status leaves the debit account out.
func unnamed(b submitter.Bank) submitter.Bank {
	return altered{b, func(r *ledger.StatusRead) { r.BankAccountID = "" }}
}

// An answer that leaves the debit account out says nothing against the batch, nor for
// it: it waits for one that names it.
func TestAHeldBatchWaitsForAnAnswerThatNamesItsDebitAccount(t *testing.T) {
	d := listing(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	d.initiate()
	e := func() *submitter.Engine { return submitter.New(d.store, unnamed(d.client), d.set) }
	d.verb(e().Poll(t.Context(), nil, 0))
	d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 2})
	if r := d.verb(e().Submit(t.Context(), []submitter.OTP{d.otp(b.ID)})); r[0].Outcome != submitter.OutcomeNotLooked {
		t.Errorf("%+v", r)
	}
	d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 2})
	d.poll()
	if got := d.batch(b.ID); got.Asks() != ledger.OTPWaiting || got.Note != "" {
		t.Errorf("asks for %s: %q", got.Asks(), got.Note)
	}
	if r := d.submit(d.otp(b.ID)); r[0].Outcome != submitter.OutcomeSubmitted {
		t.Errorf("%+v", r)
	}
	d.sound()
}

func (b elsewhere) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	r, err := b.Bank.ReadStatus(ctx, id, n, tries)
	if len(r.Payouts) > 0 && (b.batch == "" || b.batch == id) && (!b.moved || r.Payouts[0].Status != ledger.StatusRequestInitiated) {
		r.BankAccountID = pb4
	}
	return r, err
}

// What the bank holds for another debit account than was planned is never
// submitted, also where only the last look shows it.
func TestABatchThatTheBankShowsForAnotherDebitAccountIsNotSubmitted(t *testing.T) {
	for name, poll := range map[string]bool{"by the last look": false, "by a poll": true} {
		t.Run(name, func(t *testing.T) {
			d := listing(t)
			b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
			d.initiate()
			e := func() *submitter.Engine { return submitter.New(d.store, elsewhere{Bank: d.client}, d.set) }
			if poll {
				d.verb(e().Poll(t.Context(), nil, 0))
			}
			r, err := e().Submit(t.Context(), []submitter.OTP{d.otp(b.ID)})
			if poll != errors.Is(err, submitter.ErrNotHeld) || !poll && (err != nil || len(r) != 1 || r[0].Outcome != submitter.OutcomeQuarantined) {
				t.Errorf("submit: %+v, %v", r, err)
			}
			d.want(b.ID, ledger.BatchQuarantined, states{"request_initiated": 2})
			if n := d.executed("S1-G0-000"); n != 0 {
				t.Errorf("paid %d times", n)
			}
			d.sound()
		})
	}
}

// And where it moves there, its payouts may have been paid, no matter who submitted it.
func TestABatchThatMovesForAnotherDebitAccountIsDisputed(t *testing.T) {
	for name, stands := range map[string]ledger.BatchState{"quarantined": ledger.BatchSubmitted, "abandoned": ledger.BatchAbandoned} {
		t.Run(name, func(t *testing.T) {
			d := listing(t)
			b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
			d.initiate()
			otp := d.otp(b.ID)
			e := func() *submitter.Engine { return submitter.New(d.store, elsewhere{Bank: d.client}, d.set) }
			d.verb(e().Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchQuarantined, states{"request_initiated": 2})
			if name == "abandoned" {
				if _, err := e().Abandon(t.Context(), b.ID, "it is held for another debit account"); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := d.client.Submit(t.Context(), payloadOf(t, d, b.ID), otp.OTP, otp.Token); err != nil { // someone at the portal
				t.Fatal(err)
			}
			d.verb(e().Poll(t.Context(), nil, 0))
			d.want(b.ID, stands, states{"disputed": 2})
			if again, _, err := d.store.Retryable(t.Context(), b.ID); err != nil || len(again) != 0 {
				t.Errorf("%d payouts may be tried again (%v)", len(again), err)
			}
			d.sound()
		})
	}
}

// What the bank shows paid for another debit account, people can close as paid, which
// frees nothing; as not paid they cannot.
func TestADisputeAboutAnotherDebitAccountIsClosedAsPaid(t *testing.T) {
	for name, state := range map[string]ledger.BatchState{"quarantined": ledger.BatchSettled, "in doubt": ledger.BatchSettled, "abandoned": ledger.BatchAbandoned} {
		t.Run(name, func(t *testing.T) {
			d := listing(t)
			b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
			d.initiate()
			otp := d.otp(b.ID)
			e := func(actor string) *submitter.Engine {
				set := d.set
				set.Actor = actor
				return submitter.New(d.store, elsewhere{Bank: d.client, moved: name == "in doubt"}, set)
			}
			if name == "in doubt" {
				d.faults(fault{Op: "submit", Nth: []int{1}, Kind: "drop_after"})
				d.verb(e("tester").Submit(t.Context(), []submitter.OTP{otp}))
			} else {
				d.verb(e("tester").Poll(t.Context(), nil, 0))
				if name == "abandoned" {
					if _, err := e("tester").Abandon(t.Context(), b.ID, "it is held for another debit account"); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := d.client.Submit(t.Context(), payloadOf(t, d, b.ID), otp.OTP, otp.Token); err != nil {
					t.Fatal(err)
				}
			}
			for range 7 {
				d.bank.Settle()
				d.verb(e("tester").Poll(t.Context(), nil, 0))
			}
			if got := d.states(b.ID); got["disputed"] != 1 {
				t.Fatalf("%s, %v", d.batch(b.ID).State, got)
			}
			bank := elsewhere{Bank: d.client, moved: name == "in doubt"}
			if _, err := d.says(bank, "asha", of(notPaid(b.ID), d.attempts(b.ID)[0])); !errors.Is(err, submitter.ErrRefused) {
				t.Errorf("as not paid: %v", err)
			}
			d.both(bank, submitter.Resolving{Batch: b.ID, ReleaseRequest: ledger.ReleaseRequest{As: ledger.ReleasePaid, Of: d.attempts(b.ID)[0].Key(), Ticket: "mail 7"}})
			d.verb(e("tester").Poll(t.Context(), nil, 0)) // and is shown so further on
			d.want(b.ID, state, states{"disputed": 1})    // on the bank's answer alone
			if !d.attempts(b.ID)[0].Over() {
				t.Errorf("%+v", d.attempts(b.ID)[0])
			}
			d.sound()
		})
	}
}

// What is shown of an earlier attempt for another debit account says nothing of it.
func TestARetryIsNotSubmittedOnWhatIsShownForAnotherDebitAccount(t *testing.T) {
	d := listing(t)
	first := d.corrected()
	retry := d.retryOf(first)
	d.initiate()
	r := d.verb(submitter.New(d.store, elsewhere{Bank: d.client, batch: first.ID}, d.set).Submit(t.Context(), []submitter.OTP{d.otp(retry.ID)}))
	if len(r) != 1 || r[0].Outcome != submitter.OutcomeNotLooked {
		t.Errorf("%+v", r)
	}
	d.want(retry.ID, ledger.BatchHeld, states{"request_initiated": 1})
	d.sound()
}

// What was held for another debit account, and abandoned there, is paid from the right
// one: the bank goes on showing the first, for the other account, where nothing moves.
func TestWhatWasGivenUpAtAnotherDebitAccountIsPaidByItsRetry(t *testing.T) {
	d := listing(t)
	first := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
	d.initiate()
	e := func() *submitter.Engine {
		return submitter.New(d.store, elsewhere{Bank: d.client, batch: first.ID}, d.set)
	}
	d.verb(e().Poll(t.Context(), nil, 0))
	if _, err := e().Abandon(t.Context(), first.ID, "it is held for another debit account"); err != nil {
		t.Fatal(err)
	}
	retry := d.retryOf(first)
	d.verb(e().Initiate(t.Context(), nil, 0))
	r := d.verb(e().Submit(t.Context(), []submitter.OTP{d.otp(retry.ID)}))
	if len(r) != 1 || r[0].Outcome != submitter.OutcomeSubmitted {
		t.Errorf("%+v", r)
	}
	d.want(first.ID, ledger.BatchAbandoned, states{"cancelled": 1})
	d.sound()
}

// What was abandoned is not over by an answer about another batch, which the bank shows
// for the earlier id.
func TestARetryIsNotSubmittedOnAnAnswerAboutAnotherBatch(t *testing.T) {
	d := listing(t)
	first := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
	d.initiate()
	d.verb(submitter.New(d.store, elsewhere{Bank: d.client, batch: first.ID}, d.set).Poll(t.Context(), nil, 0))
	if _, err := d.engine().Abandon(t.Context(), first.ID, "it is held for another debit account"); err != nil {
		t.Fatal(err)
	}
	retry := d.retryOf(first)
	d.verb(d.engine().Initiate(t.Context(), nil, 0))
	another := altered{d.client, func(r *ledger.StatusRead) {
		if r.Answer.BatchID == first.ID {
			r.Answer.BatchID = "pr-another"
		}
	}}
	if r := d.verb(d.with(another).Submit(t.Context(), []submitter.OTP{d.otp(retry.ID)})); len(r) != 1 || r[0].Outcome != submitter.OutcomeNotLooked {
		t.Errorf("%+v", r)
	}
	d.want(retry.ID, ledger.BatchHeld, states{"request_initiated": 1})
	d.sound()
}

func payloadOf(t *testing.T, d *desk, id string) ledger.Payload {
	t.Helper()
	p, err := d.client.EncodeSubmit(id, "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}
