package submitter_test

import (
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// otherNumber is the number of another debit account, as a bank masks it.
const otherNumber = "XXXXXXXXXX0010"

// numbers is a bank that shows these numbers of the debit account, at "initiate", "submit"
// or "status"; it answers for the right bank_account_id. A status is promised none
// (interface.md, "Payout batch").
func numbers(b submitter.Bank, shown map[string]string) submitter.Bank {
	return answering{b, func(at string, a *ledger.Answer) { a.DebitAccountNumber = shown[at] }}
}

// asksAboutNumber holds that a person is asked for the other number of the debit account.
func (d *desk) asksAboutNumber(id, when string) {
	d.t.Helper()
	if got := d.batch(id); got.Asks() != ledger.StatusDiffers || !strings.Contains(got.Note, otherNumber) {
		d.t.Errorf("%s: %s asks for %s: %q", when, got.State, got.Asks(), got.Note)
	}
}

// Another number of the debit account than is configured is looked up until an answer
// shows the configured one: that a status shows none says nothing.
func TestAnotherNumberStandsUntilTheConfiguredOneIsShown(t *testing.T) {
	for name, otherwise := range map[string]func(d *desk, b ledger.Batch){
		"in the answer to submit": func(d *desk, b ledger.Batch) {
			bank := numbers(d.client, map[string]string{"initiate": pb3Number, "submit": otherNumber})
			d.verb(d.with(bank).Initiate(d.t.Context(), nil, 0))
			d.verb(d.with(bank).Submit(d.t.Context(), []submitter.OTP{d.otp(b.ID)}))
			d.want(b.ID, ledger.BatchSubmitUnknown, states{"request_initiated": 2})
		},
		"in a status": func(d *desk, b ledger.Batch) {
			d.initiate()
			d.submit(d.otp(b.ID))
			d.verb(d.with(numbers(d.client, map[string]string{"status": otherNumber})).Poll(d.t.Context(), nil, 0))
		},
		"in the echo": func(d *desk, b ledger.Batch) {
			d.verb(d.with(numbers(d.client, map[string]string{"initiate": otherNumber})).Initiate(d.t.Context(), nil, 0))
			otp := d.otp(b.ID)
			d.atPortal(b.ID, otp)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, b := withPlanned(t, 2, numbered, func(s *submitter.Settings) { s.LeaveDoubts = true })
			otherwise(d, b)
			if name != "in the echo" { // that is quarantined
				d.asksAboutNumber(b.ID, "at once")
			}
			silent := numbers(d.client, nil)
			d.settleAt(silent)
			d.want(b.ID, ledger.BatchSettled, states{"success": 2})
			d.asksAboutNumber(b.ID, "settled")
			d.verb(d.with(odd{silent, map[string]func(statusRead) (statusRead, error){b.ID: oddities["no account"]}}).Poll(t.Context(), nil, 0))
			d.asksAboutNumber(b.ID, "after a status without an account")
			note := d.batch(b.ID).Note
			d.verb(d.with(silent).Poll(t.Context(), nil, 0))
			d.asksAboutNumber(b.ID, "and one with it")
			if got := d.batch(b.ID).Note; len(got) >= len(note) {
				t.Errorf("%q stays", got)
			}
			d.verb(d.with(numbers(d.client, map[string]string{"status": "XXXXXXXXXX" + pb3Number[len(pb3Number)-4:]})).Poll(t.Context(), nil, 0))
			d.asks(b.ID, ledger.NeedsNothing)
			d.sound()
		})
	}
}

// A submit in doubt whose answer came from another number becomes overdue as any other,
// and says both.
func TestADoubtFromAnotherNumberBecomesOverdue(t *testing.T) {
	d, b := withPlanned(t, 1, numbered, func(s *submitter.Settings) { s.LeaveDoubts = true })
	bank := numbers(d.hiding(none), map[string]string{"submit": otherNumber})
	d.verb(d.with(bank).Initiate(t.Context(), nil, 0))
	d.verb(d.with(bank).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
	d.later(d.set.OverdueAfter + time.Minute)
	d.verb(d.with(bank).Poll(t.Context(), nil, 0))
	d.asks(b.ID, ledger.SubmitOverdue, otherNumber)
	d.verb(d.with(numbers(d.client, nil)).Poll(t.Context(), nil, 0)) // and then it moves
	d.asksAboutNumber(b.ID, "moving")
	d.sound()
}

// A typo in account_number differs until it is mended, where no list of accounts is to be
// had that shows it up, and also where no status shows a number. A number that the bank
// writes in groups is known again then.
func TestATypoInTheNumberStandsUntilItIsMended(t *testing.T) {
	for _, shown := range []string{pb3Number, "5020 0003 0000 09", "5020-0003-0000-09", pb3Number + " "} {
		d, b := withSent(t, 1, numbered)
		typo, mended := d.set.Accounts[pb3], d.set.Accounts
		typo.AccountNumber = "50200003000010"
		d.set.Accounts = map[string]ledger.DebitAccount{pb3: typo}
		d.verb(d.with(numbers(unlisting{d.client}, map[string]string{"status": shown})).Poll(t.Context(), nil, 0))
		silent := numbers(d.client, nil)
		d.verb(d.with(silent).Poll(t.Context(), nil, 0))
		if got := d.batch(b.ID); got.Asks() != ledger.StatusDiffers || got.OtherNumber == "" {
			t.Errorf("%q, with the typo: asks for %s: %q", shown, got.Asks(), got.Note)
		}
		d.set.Accounts = mended
		d.verb(d.with(silent).Poll(t.Context(), nil, 0))
		if got := d.batch(b.ID); got.Asks() != ledger.AtTheBank || got.Note != "" {
			t.Errorf("%q, mended: asks for %s: %q", shown, got.Asks(), got.Note)
		}
		d.settleAt(silent)
		if got := d.batch(b.ID); got.State != ledger.BatchSettled || got.Differed() {
			t.Errorf("%q: %s, %s: %q", shown, got.State, got.Attention, got.Note)
		}
		d.sound()
	}
}

// What an earlier answer said is written once, however many answers leave the number out.
func TestAnEarlierNumberIsWrittenOnce(t *testing.T) {
	d, b := withSent(t, 2, numbered)
	d.verb(d.with(numbers(d.client, map[string]string{"status": otherNumber})).Poll(t.Context(), nil, 0))
	for range 3 {
		for _, name := range []string{"half of it", "another merchant", "no account", "as it is"} {
			bank := odd{numbers(d.client, nil), map[string]func(statusRead) (statusRead, error){b.ID: oddities[name]}}
			d.verb(d.with(bank).Poll(t.Context(), nil, 0))
			d.asksAboutNumber(b.ID, name)
			if note := d.batch(b.ID).Note; strings.Count(note, otherNumber) != 1 {
				t.Errorf("%s: %q", name, note)
			}
		}
	}
	d.sound()
}

// The number in an answer that comes after another run took the call for lost is kept too.
func TestTheNumberInALateAnswerStays(t *testing.T) {
	d, b := withPlanned(t, 2, numbered, func(s *submitter.Settings) { s.LeaveDoubts = true })
	d.initiate()
	otp := d.otp(b.ID)
	takenForLost := lookingStore{d.store, func() error {
		_, err := d.store.Recover(t.Context(), "ravi", d.now())
		return err
	}}
	bank := numbers(d.client, map[string]string{"submit": otherNumber})
	d.verb(submitter.New(takenForLost, bank, d.set).Submit(t.Context(), []submitter.OTP{otp}))
	silent := numbers(d.client, nil)
	d.verb(d.with(silent).Poll(t.Context(), nil, 0))
	d.asksAboutNumber(b.ID, "submitted")
	d.settleAt(silent)
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
	d.asksAboutNumber(b.ID, "settled")
	d.sound()
}

// A held batch of which a status showed another number, and what each answer to the submit makes of that.
func TestTheNumberOfAHeldBatch(t *testing.T) {
	of := map[string]string{"status": otherNumber}
	for name, c := range map[string]struct {
		submit map[string]string // the numbers that are shown while it is submitted
		fault  string
		asks   bool
	}{
		"no number since":                      {nil, "", true},
		"the configured number, by the look":   {map[string]string{"status": pb3Number}, "", false},
		"the configured number, by the submit": {map[string]string{"submit": pb3Number}, "", false},
		"no answer":                            {nil, "500_before", true},
		"a rejected OTP":                       {nil, "rejected", true},
	} {
		t.Run(name, func(t *testing.T) {
			d, b := withHeld(t, 2, numbered, func(s *submitter.Settings) { s.LeaveDoubts = true })
			d.verb(d.with(numbers(unlisting{d.client}, of)).Poll(t.Context(), nil, 0))
			d.asksAboutNumber(b.ID, "held")
			otp := d.otp(b.ID)
			switch c.fault {
			case "rejected":
				otp = submitter.OTP{BatchID: b.ID, OTP: ledger.NewSecret("000000"), Token: otp.Token}
			case "":
			default:
				d.faults(fault{Op: "submit", Nth: []int{1, 2, 3, 4}, Kind: c.fault})
			}
			d.verb(d.with(numbers(d.client, c.submit)).Submit(t.Context(), []submitter.OTP{otp}))
			silent := numbers(d.client, nil)
			lost := d.batch(b.ID).Note
			d.verb(d.with(silent).Poll(t.Context(), nil, 0))
			if note := d.batch(b.ID).Note; c.fault == "500_before" && !strings.HasPrefix(note, lost) {
				t.Errorf("%q is now %q", lost, note)
			}
			for range 2 {
				if c.asks {
					d.asksAboutNumber(b.ID, "after the submit")
				} else if got := d.batch(b.ID); got.Differed() || got.OtherNumber != "" {
					t.Errorf("%s, asks for %s: %q", got.State, got.Asks(), got.Note)
				}
				d.settleAt(silent)
			}
			d.sound()
		})
	}
}

// What was abandoned and is not touched is left as it is, whichever number an answer shows.
func TestTheNumberOfAnAbandonedBatchIsLeftAlone(t *testing.T) {
	d, b := withHeld(t, 2, numbered)
	d.abandon(d.client, b.ID, "sent by mail")
	before := d.batch(b.ID)
	for _, shown := range []map[string]string{{"status": otherNumber}, nil, nil} {
		for _, bank := range []submitter.Bank{d.client, unlisting{d.client}} {
			d.verb(d.with(numbers(bank, shown)).Poll(t.Context(), nil, 0))
		}
	}
	if got := d.batch(b.ID); got.Note != before.Note || got.Attention != before.Attention || got.OtherNumber != "" {
		t.Errorf("%+v, was %+v", got, before)
	}
	d.sound()
}

// Another number with the same end, shown whole, is another number, also when no answer shows it again.
func TestAnotherNumberOfTheSameEndStays(t *testing.T) {
	d, b := withSent(t, 1, numbered)
	other := "50299" + pb3Number[5:]
	d.verb(d.with(numbers(unlisting{d.client}, map[string]string{"status": other})).Poll(t.Context(), nil, 0))
	d.settleAt(numbers(d.client, nil))
	d.asks(b.ID, ledger.StatusDiffers, "another number than is configured, which also ends in "+pb3Number[len(pb3Number)-4:])
	if strings.Contains(d.batch(b.ID).Note, other) {
		t.Errorf("%q shows the number", d.batch(b.ID).Note)
	}
	d.sound()
}
