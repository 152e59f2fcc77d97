package submitter_test

import (
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

func TestASettledBatchAsksForNobodyOnceTheBankShowsItAsItWas(t *testing.T) {
	for _, name := range []string{"another account", "no account", "other amounts", "one too many"} {
		d, b := withPaid(t, 2)
		bank := odd{d.client, map[string]func(statusRead) (statusRead, error){b.ID: oddities[name]}}
		d.verb(submitter.New(d.store, bank, d.set).Poll(t.Context(), nil, 0))
		if got := d.batch(b.ID); got.Asks() != ledger.StatusDiffers && name != "other amounts" {
			t.Errorf("%s: asks for %s", name, got.Asks())
		}
		d.poll()
		if got := d.batch(b.ID); got.Asks() != ledger.NeedsNothing {
			t.Errorf("%s, once it is shown as it was: %s, %s: %s, %v", name, got.State, got.Asks(), got.Note, d.states(b.ID))
		}
		d.sound()
	}
}

// Another id is another payout: it is not sent. An answer to a submit that shows one is none.
func TestAHeldPayoutThatIsShownUnderAnotherIDIsNotSubmitted(t *testing.T) {
	d, b := withHeld(t, 2)
	bank := odd{d.client, map[string]func(statusRead) (statusRead, error){b.ID: oddities["other ids"]}}
	d.became(d.verb(d.with(bank).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)})), submitter.OutcomeQuarantined)
	if note := d.batch(b.ID).Note; !strings.Contains(note, "has the open_txn_id ") {
		t.Errorf("noted: %s", note)
	}
	d.abandon(bank, b.ID, "the bank has another")
	d.sound()
}

// The read right after it was held got no answer, and a poll showed it: a later "not known" is no answer.
func TestAHeldBatchThatAPollShowedIsNotSubmittedOnceItIsGone(t *testing.T) {
	d, b := withPlanned(t, 2)
	saying := func(f func(statusRead) (statusRead, error)) odd {
		return odd{d.client, map[string]func(statusRead) (statusRead, error){b.ID: f}}
	}
	d.verb(d.with(saying(oddities["an internal error"])).Initiate(t.Context(), nil, 0))
	d.poll()
	gone := saying(func(statusRead) (statusRead, error) {
		return d.client.ReadStatus(t.Context(), "pr-none", 1, ledger.AskOnce)
	})
	d.became(d.verb(d.with(gone).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)})), submitter.OutcomeNotLooked)
	d.sound()
}

// A payout that was never sent and that the bank shows as paid may be one of the batch, under another reference.
func TestAStatusWithAPayoutThatWasNeverSentFreesNothing(t *testing.T) {
	d, b := withHeld(t, 1)
	d.outcomes(map[string]string{"S1-G0-000": "failed"})
	d.submit(d.otp(b.ID))
	d.settle()
	again := d.retryOf(d.batch(b.ID))
	d.initiate(again.ID)
	bank := odd{d.client, map[string]func(statusRead) (statusRead, error){b.ID: oddities["one too many"]}}
	d.became(d.verb(d.with(bank).Submit(t.Context(), []submitter.OTP{d.otp(again.ID)})), submitter.OutcomeNotLooked)

	d, b = inDoubt(t, false)
	d.later(200 * time.Hour)
	bank = odd{d.client, map[string]func(statusRead) (statusRead, error){b.ID: oddities["one too many"]}}
	_, err := d.says(bank, "asha", notPaid(b.ID))
	refusedBy(t, err, ledger.RuleAnswer)
}

// What is to be done about a batch that is quarantined, or was abandoned, stays the same
// while the bank shows it for another debit account and nothing moves there.
func TestWhatIsToBeDoneStaysWhileNothingMovesElsewhere(t *testing.T) {
	for stage, asks := range map[string]ledger.Attention{"quarantined": ledger.EchoDiffered, "abandoned": ledger.NeedsNothing} {
		d, b := withHeld(t, 2)
		stages[stage](d, b)
		note := d.batch(b.ID).Note
		d.verb(submitter.New(d.store, elsewhere{Bank: d.client}, d.set).Poll(t.Context(), nil, 0))
		if got := d.batch(b.ID); got.Attention != asks || got.Note != note {
			t.Errorf("%s: asks for %s: %q", stage, got.Attention, got.Note)
		}
		d.sound()
	}
}

// An answer without a debit account says of a batch that was never submitted from here
// that it moved. That is kept at once, for the next answer may show nothing any more; and
// as it was not shown for the planned account, people say the outcome of it.
func TestWhatMovesUnderNoAccountIsDisputed(t *testing.T) {
	for stage, stands := range map[string]ledger.BatchState{"quarantined": ledger.BatchSubmitted, "abandoned": ledger.BatchAbandoned} {
		t.Run(stage, func(t *testing.T) {
			d, b := withHeld(t, 1)
			otp := d.otp(b.ID)
			stages[stage](d, b)
			d.atPortal(b.ID, otp)
			d.verb(submitter.New(d.store, unnamed(d.client), d.set).Poll(t.Context(), nil, 0))
			d.want(b.ID, stands, states{"disputed": 1})
			d.nothingToRetry(b.ID)
			d.settle() // and then for the account that was planned
			d.want(b.ID, stands, states{"disputed": 1})
			d.both(d.client, submitter.Resolving{Batch: b.ID, ReleaseRequest: ledger.ReleaseRequest{As: ledger.ReleasePaid, Of: d.attempts(b.ID)[0].Key()}})
			if got := d.states(b.ID); got["success"] != 1 {
				t.Errorf("closed as paid: %v", got)
			}
			d.sound()
		})
	}
}

// A submit in doubt that is shown moving under no debit account arrived: no one sets it
// aside any more. The next answer that names the account says the outcome.
func TestADoubtThatMovesUnderNoAccountIsNoDoubt(t *testing.T) {
	d, b := inDoubt(t, true)
	for range 7 {
		d.bank.Settle()
	}
	d.verb(submitter.New(d.store, unnamed(d.client), d.set).Poll(t.Context(), nil, 0))
	d.want(b.ID, ledger.BatchSubmitted, states{"request_initiated": 2})
	d.asks(b.ID, ledger.StatusDiffers)
	d.poll()
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
	d.sound()
}

// Nothing follows from a payout that the answer to a submit leaves out. What the answer shows of the others is said to
// the people who decide about the doubt.
func TestAnAnswerToASubmitThatLeavesOutAPayoutDecidesNothing(t *testing.T) {
	d, b := withHeld(t, 2)
	left := answering{d.client, func(at string, a *ledger.Answer) {
		if at == "submit" {
			a.Payouts = a.Payouts[:1]
			a.Payouts[0].Status = ledger.StatusSuccess
		}
	}}
	d.set.LeaveDoubts = true
	d.verb(d.with(left).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
	d.want(b.ID, ledger.BatchSubmitUnknown, states{"request_initiated": 2})
	if note := d.batch(b.ID).Note; !strings.Contains(note, "missing ") || !strings.Contains(note, `; it shows "`) || !strings.Contains(note, `" as "success"`) {
		t.Errorf("noted: %s", note)
	}
	d.nothingToRetry(b.ID)
	d.settle()
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
	d.sound()
}
