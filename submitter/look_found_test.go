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

// part is a bank that shows only the first payout of a batch, and calls that all.
func part(b submitter.Bank) submitter.Bank {
	return altered{b, func(r *ledger.StatusRead) { r.Payouts = r.Payouts[:min(1, len(r.Payouts))] }}
}

func TestALostInitiateThatTheBankTookInPartIsQuarantined(t *testing.T) {
	d, b := withPlanned(t, 2)
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
	d, b := withHeld(t, 2)
	e := func() *submitter.Engine { return submitter.New(d.store, unnamed(d.client), d.set) }
	d.verb(e().Poll(t.Context(), nil, 0))
	d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 2})
	d.became(d.verb(e().Submit(t.Context(), []submitter.OTP{d.otp(b.ID)})), submitter.OutcomeNotLooked)
	d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 2})
	d.poll()
	if got := d.batch(b.ID); got.Asks() != ledger.OTPWaiting || got.Note != "" {
		t.Errorf("asks for %s: %q", got.Asks(), got.Note)
	}
	d.became(d.submit(d.otp(b.ID)), submitter.OutcomeSubmitted)
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
			d, b := withHeld(t, 2)
			e := func() *submitter.Engine { return submitter.New(d.store, elsewhere{Bank: d.client}, d.set) }
			if poll {
				d.verb(e().Poll(t.Context(), nil, 0))
			}
			r, err := e().Submit(t.Context(), []submitter.OTP{d.otp(b.ID)})
			if poll != errors.Is(err, submitter.ErrNotHeld) || !poll && (err != nil || len(r) != 1 || r[0].Outcome != submitter.OutcomeQuarantined) {
				t.Errorf("submit: %+v, %v", r, err)
			}
			d.want(b.ID, ledger.BatchQuarantined, states{"request_initiated": 2})
			d.paidTimes(0)
			d.sound()
		})
	}
}

// And where it moves there, its payouts may have been paid, no matter who submitted it.
// People can close them as paid, which frees nothing; as not paid they cannot.
func TestADisputeAboutAnotherDebitAccountIsClosedAsPaid(t *testing.T) {
	for name, state := range map[string]struct{ moved, settled ledger.BatchState }{
		"quarantined": {ledger.BatchSubmitted, ledger.BatchSettled}, "abandoned": {ledger.BatchAbandoned, ledger.BatchAbandoned}, "in doubt": {settled: ledger.BatchSettled},
	} {
		t.Run(name, func(t *testing.T) {
			d, b := withHeld(t, 1)
			otp := d.otp(b.ID)
			bank := elsewhere{Bank: d.client, moved: name == "in doubt"}
			if name == "in doubt" {
				d.faults(fault{Op: "submit", Nth: []int{1}, Kind: "drop_after"})
				d.verb(d.with(bank).Submit(t.Context(), []submitter.OTP{otp}))
			} else {
				d.verb(d.with(bank).Poll(t.Context(), nil, 0))
				d.want(b.ID, ledger.BatchQuarantined, states{"request_initiated": 1})
				if name == "abandoned" {
					d.abandon(bank, b.ID, "it is held for another debit account")
				}
				d.atPortal(b.ID, otp)
				d.verb(d.with(bank).Poll(t.Context(), nil, 0))
				d.want(b.ID, state.moved, states{"disputed": 1})
				d.nothingToRetry(b.ID)
			}
			d.settleAt(bank)
			if got := d.states(b.ID); got["disputed"] != 1 {
				t.Fatalf("%s, %v", d.batch(b.ID).State, got)
			}
			if _, err := d.says(bank, "asha", of(notPaid(b.ID), d.attempts(b.ID)[0])); !errors.Is(err, submitter.ErrRefused) {
				t.Errorf("as not paid: %v", err)
			}
			d.both(bank, submitter.Resolving{Batch: b.ID, ReleaseRequest: ledger.ReleaseRequest{As: ledger.ReleasePaid, Of: d.attempts(b.ID)[0].Key(), Ticket: "mail 7"}})
			d.verb(d.with(bank).Poll(t.Context(), nil, 0))     // and is shown so further on
			d.want(b.ID, state.settled, states{"disputed": 1}) // on the bank's answer alone
			if !d.attempts(b.ID)[0].Over() {
				t.Errorf("%+v", d.attempts(b.ID)[0])
			}
			d.sound()
		})
	}
}

// What is shown of an earlier attempt for another debit account says nothing of it.
func TestARetryIsNotSubmittedOnWhatIsShownForAnotherDebitAccount(t *testing.T) {
	d := newDesk(t)
	first := d.corrected()
	retry := d.retryOf(first)
	d.initiate()
	d.became(d.verb(submitter.New(d.store, elsewhere{Bank: d.client, batch: first.ID}, d.set).Submit(t.Context(), []submitter.OTP{d.otp(retry.ID)})), submitter.OutcomeNotLooked)
	d.want(retry.ID, ledger.BatchHeld, states{"request_initiated": 1})
	d.sound()
}

// What was held for another debit account, and abandoned there, is paid from the right
// one: the bank goes on showing the first, for the other account, where nothing moves.
func TestWhatWasGivenUpAtAnotherDebitAccountIsPaidByItsRetry(t *testing.T) {
	d, first := withHeld(t, 1)
	e := func() *submitter.Engine {
		return submitter.New(d.store, elsewhere{Bank: d.client, batch: first.ID}, d.set)
	}
	d.verb(e().Poll(t.Context(), nil, 0))
	if _, err := e().Abandon(t.Context(), first.ID, "it is held for another debit account"); err != nil {
		t.Fatal(err)
	}
	retry := d.retryOf(first)
	d.verb(e().Initiate(t.Context(), nil, 0))
	d.became(d.verb(e().Submit(t.Context(), []submitter.OTP{d.otp(retry.ID)})), submitter.OutcomeSubmitted)
	d.want(first.ID, ledger.BatchAbandoned, states{"cancelled": 1})
	d.sound()
}

// What was abandoned is not over by an answer about another batch, which the bank shows
// for the earlier id.
func TestARetryIsNotSubmittedOnAnAnswerAboutAnotherBatch(t *testing.T) {
	d, first := withHeld(t, 1)
	d.verb(submitter.New(d.store, elsewhere{Bank: d.client, batch: first.ID}, d.set).Poll(t.Context(), nil, 0))
	d.abandon(d.client, first.ID, "it is held for another debit account")
	retry := d.retryOf(first)
	d.verb(d.engine().Initiate(t.Context(), nil, 0))
	another := altered{d.client, func(r *ledger.StatusRead) {
		if r.Answer.BatchID == first.ID {
			r.Answer.BatchID = "pr-another"
		}
	}}
	d.became(d.verb(d.with(another).Submit(t.Context(), []submitter.OTP{d.otp(retry.ID)})), submitter.OutcomeNotLooked)
	d.want(retry.ID, ledger.BatchHeld, states{"request_initiated": 1})
	d.sound()
}
