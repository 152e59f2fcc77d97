package submitter_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
	"payrun/submitter"
)

// pb3Number is the account number that the sandbox has for the debit account pb3.
const pb3Number = "50200003000009"

// numbered configures two debit accounts, and the number of one.
func numbered(set *submitter.Settings) {
	set.Accounts = map[string]ledger.DebitAccount{
		pb3: {BankAccountID: pb3, PartnerBankID: 3, AccountNumber: pb3Number},
		pb1: {BankAccountID: pb1, PartnerBankID: 1},
	}
}

// renumbered is a bank that answers for the right bank_account_id, and shows another
// number for it than is configured, at one of its answers.
func renumbered(b submitter.Bank, at string) submitter.Bank {
	return answering{b, func(answered string, a *ledger.Answer) {
		a.DebitAccountNumber = pb3Number
		if answered == at {
			a.DebitAccountNumber = otherNumber
		}
	}}
}

// A number that is not the configured one is another debit account: what is held there
// is not submitted, and what an answer to submit says from there is no answer.
func TestTheNumberOfTheDebitAccountIsTheConfiguredOne(t *testing.T) {
	for at, want := range map[string]struct {
		initiated, submitted ledger.BatchState
	}{
		"":         {ledger.BatchHeld, ledger.BatchSubmitted},
		"initiate": {initiated: ledger.BatchQuarantined},
		"status":   {initiated: ledger.BatchQuarantined},
		"submit":   {ledger.BatchHeld, ledger.BatchSubmitUnknown},
	} {
		t.Run(at, func(t *testing.T) {
			d, b := withPlanned(t, 2, numbered, func(s *submitter.Settings) { s.LeaveDoubts = true })
			e := func() *submitter.Engine { return submitter.New(d.store, renumbered(d.client, at), d.set) }
			d.verb(e().Initiate(t.Context(), nil, 0))
			if at == "status" {
				d.verb(e().Poll(t.Context(), nil, 0))
			}
			if got := d.batch(b.ID); got.State != want.initiated {
				t.Fatalf("%s: %s", got.State, got.Note)
			}
			if want.submitted != "" {
				d.verb(e().Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
				if got := d.batch(b.ID); got.State != want.submitted {
					t.Fatalf("%s: %s", got.State, got.Note)
				}
			}
			d.sound()
		})
	}
}

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

// mistyped configures the number of the debit account with one digit wrong.
func mistyped(set *submitter.Settings) {
	numbered(set)
	set.Accounts[pb3] = ledger.DebitAccount{Name: "salaries", BankAccountID: pb3, PartnerBankID: 3, AccountNumber: "50200003000010"}
}

// inEveryDoubt are batches that a nightly poll reads: held, or with an answer that was lost.
var inEveryDoubt = map[string]struct {
	batch func(*testing.T) (*desk, ledger.Batch)
	after ledger.BatchState // once a poll reads it with the right number
}{
	"held": {func(t *testing.T) (*desk, ledger.Batch) { return withHeld(t, 2) }, ledger.BatchHeld},
	"initiate in doubt": {func(t *testing.T) (*desk, ledger.Batch) {
		d, b := withPlanned(t, 2, func(s *submitter.Settings) { s.LeaveDoubts = true })
		d.faults(fault{Op: "initiate", Nth: []int{1}, Kind: "drop_after"})
		d.initiate()
		d.want(b.ID, ledger.BatchInitiateUnknown, states{"planned": 2})
		d.later(2 * d.set.DoubtQuiet)
		return d, b
	}, ledger.BatchHeld},
	"submit in doubt": {func(t *testing.T) (*desk, ledger.Batch) { return inDoubt(t, false) }, ledger.BatchSubmitUnknown},
	"submit in doubt, and paid": {func(t *testing.T) (*desk, ledger.Batch) {
		d, b := inDoubt(t, true)
		for range 7 {
			d.bank.Settle()
		}
		return d, b
	}, ledger.BatchSettled},
	"settled": {func(t *testing.T) (*desk, ledger.Batch) { return withPaid(t, 2) }, ledger.BatchSettled},
}

// A digit mistyped in payrun.toml, or two accounts swapped there, is no other debit
// account: the bank shows the number in its list as well. It ends the operation, and
// once it is mended everything goes on as if it had never been.
func TestAMistypedNumberOfTheDebitAccountLeavesEverythingAsItIs(t *testing.T) {
	for name, c := range inEveryDoubt {
		t.Run(name, func(t *testing.T) {
			d, b := c.batch(t)
			bank := renumbered(d.client, "never")
			before, stand := d.batch(b.ID), d.states(b.ID)
			set := d.set
			mistyped(&set)
			for range 2 {
				results, err := submitter.New(d.store, bank, set).Poll(t.Context(), nil, 0)
				if !errors.Is(err, submitter.ErrAccountNumber) || len(results) != 0 {
					t.Fatalf("%+v, %v", results, err)
				}
				for _, says := range []string{`"salaries"`, "XXXXXXXXXX0010", "XXXXXXXXXX0009", b.ID} {
					if !strings.Contains(err.Error(), says) {
						t.Errorf("it does not say %s: %v", says, err)
					}
				}
				if diff := cmp.Diff(before, d.batch(b.ID)) + cmp.Diff(stand, d.states(b.ID)); diff != "" {
					t.Fatalf("the batch after it (-before +after):\n%s", diff)
				}
			}
			numbered(&d.set)
			for range 2 {
				d.verb(submitter.New(d.store, bank, d.set).Poll(t.Context(), nil, 0))
			}
			if got := d.batch(b.ID); got.State != c.after || got.Attention != ledger.NeedsNothing || d.states(b.ID)[ledger.PayoutDisputed] > 0 {
				t.Errorf("mended: %s, %q (%s), %v", got.State, got.Attention, got.Note, d.states(b.ID))
			}
			d.sound()
		})
	}
}

// Where the list does not say whose number it is, a status read keeps all as it is, but
// for what it says of it, and nothing is sent. Mended, it is submitted as any other.
func TestANumberOfWhichTheListDoesNotTellEndsNothing(t *testing.T) {
	for what, list := range map[string]func(*desk) submitter.Bank{
		"no list": func(d *desk) submitter.Bank { return unlisting{d.client} },
		"no number": func(d *desk) submitter.Bank {
			return accountsOf{d.client, []ledger.LinkedAccount{{BankAccountID: pb3}}}
		},
		"not listed": func(d *desk) submitter.Bank { return accountsOf{d.client, nil} },
	} {
		for name, c := range inEveryDoubt {
			t.Run(what+"/"+name, func(t *testing.T) {
				d, b := c.batch(t)
				bank := renumbered(list(d), "never")
				before, stand := d.batch(b.ID), d.states(b.ID)
				set := d.set
				mistyped(&set)
				d.verb(submitter.New(d.store, bank, set).Poll(t.Context(), nil, 0))
				got := d.batch(b.ID)
				if moved := before.State == ledger.BatchSubmitUnknown && got.State == ledger.BatchSubmitted; got.State != before.State && !moved {
					t.Fatalf("%s: %s", got.State, got.Note)
				}
				if diff := cmp.Diff(stand, d.states(b.ID)); diff != "" {
					t.Fatalf("the payouts after it (-before +after):\n%s", diff)
				}
				if before.State == ledger.BatchHeld {
					if got.Attention != ledger.StatusDiffers || !strings.Contains(got.Note, "0009, not XXXXXXXXXX0010 as configured") {
						t.Errorf("it asks for %q: %s", got.Attention, got.Note)
					}
					d.verb(submitter.New(d.store, bank, set).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
					d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 2})
				}
				numbered(&d.set)
				for range 2 {
					d.verb(submitter.New(d.store, bank, d.set).Poll(t.Context(), nil, 0))
				}
				if got := d.batch(b.ID); got.State != c.after || got.Attention != ledger.NeedsNothing || d.states(b.ID)[ledger.PayoutDisputed] > 0 {
					t.Errorf("mended: %s, %q (%s), %v", got.State, got.Attention, got.Note, d.states(b.ID))
				}
				if got := d.batch(b.ID); got.State == ledger.BatchHeld {
					d.verb(submitter.New(d.store, bank, d.set).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
					d.settle()
					d.want(b.ID, ledger.BatchSettled, states{"success": 2})
				}
				d.sound()
			})
		}
	}
}

// What the answer to a submit said against a mistyped number is over once that is mended,
// although no status shows a number.
func TestAMendedNumberIsNoLongerAskedAbout(t *testing.T) {
	d, b := withHeld(t, 2, func(s *submitter.Settings) { s.LeaveDoubts = true })
	set := d.set
	mistyped(&set)
	d.verb(submitter.New(d.store, numbers(unlisting{d.client}, map[string]string{"submit": pb3Number}), set).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
	d.want(b.ID, ledger.BatchSubmitUnknown, states{"request_initiated": 2})
	numbered(&d.set)
	for range 8 {
		d.bank.Settle()
		d.verb(d.with(numbers(d.client, nil)).Poll(t.Context(), nil, 0))
	}
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
	if got := d.batch(b.ID); got.Attention != ledger.NeedsNothing {
		t.Errorf("it asks for %q: %s", got.Attention, got.Note)
	}
	d.sound()
}

// A bank whose status shows no number: before the submit, whose answer shows it, the list
// of accounts is asked, and nothing is sent.
func TestNothingIsSubmittedUnderAMistypedNumber(t *testing.T) {
	d, b := withHeld(t, 1)
	otp := d.otp(b.ID)
	set := d.set
	mistyped(&set)
	if _, err := submitter.New(d.store, d.client, set).Submit(t.Context(), []submitter.OTP{otp}); !errors.Is(err, submitter.ErrAccountNumber) {
		t.Errorf("%v", err)
	}
	d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 1})
	numbered(&d.set)
	d.submit(otp)
	d.settle()
	d.want(b.ID, ledger.BatchSettled, states{"success": 1})
	d.sound()
}

// unlisting is a bank whose list of accounts is not to be had.
type unlisting struct{ submitter.Bank }

func (unlisting) Accounts(context.Context) ([]ledger.LinkedAccount, error) {
	return nil, errors.New("no list today")
}

// A mistyped number sends nothing, and keeps no other account's batches from being read.
func TestAMistypedNumberStopsItsOwnAccountAlone(t *testing.T) {
	d := newDesk(t)
	loaded := d.load(payouts{account: pb3, bank: 3, n: 1}, payouts{account: pb1, bank: 1, n: 1})
	d.initiate()
	set := d.set
	mistyped(&set)
	bank := renumbered(d.client, "never")
	results, err := submitter.New(d.store, bank, set).Poll(t.Context(), nil, 0)
	if !errors.Is(err, submitter.ErrAccountNumber) || len(results) != 1 || results[0].Batch.BankAccountID != pb1 {
		t.Errorf("%+v, %v", results, err)
	}
	results, err = submitter.New(d.store, bank, set).Submit(t.Context(), []submitter.OTP{d.otp(loaded[0].ID), d.otp(loaded[1].ID)})
	if !errors.Is(err, submitter.ErrAccountNumber) || len(results) != 1 || results[0].Batch.ID != loaded[1].ID {
		t.Errorf("the submit: %+v, %v", results, err)
	}
	d.want(loaded[0].ID, ledger.BatchHeld, states{"request_initiated": 1})
	d.want(loaded[1].ID, ledger.BatchSubmitted, states{"initiated": 1})
	if got := d.batch(loaded[0].ID); !got.SubmittedAt.Equal(loaded[0].SubmittedAt) {
		t.Errorf("%s: %s", got.State, got.Note)
	}
	d.sound()
}

// An answer to initiate that was lost, and cannot be judged because of a mistyped number,
// keeps no other account's batches from being initiated, nor its doubts from being settled.
func TestADoubtUnderAMistypedNumberKeepsNoOtherAccountBack(t *testing.T) {
	d := newDesk(t, func(s *submitter.Settings) { s.LeaveDoubts, s.HeldAtOnce = true, 0 })
	lost := d.load(payouts{account: pb3, bank: 3, n: 1}, payouts{account: pb1, bank: 1, n: 1})
	d.faults(fault{Op: "initiate", Nth: []int{1, 2}, Kind: "drop_after"})
	d.initiate()
	d.faults()
	for _, b := range lost {
		d.want(b.ID, ledger.BatchInitiateUnknown, states{"planned": 1})
	}
	d.later(2 * d.set.DoubtQuiet)
	planned := d.load(payouts{account: pb3, bank: 3, n: 1}, payouts{account: pb1, bank: 1, n: 1})
	before := d.batch(lost[0].ID)
	set := d.set
	mistyped(&set)
	results, err := submitter.New(d.store, renumbered(d.client, "never"), set).Initiate(t.Context(), nil, 0)
	if !errors.Is(err, submitter.ErrAccountNumber) || !strings.Contains(err.Error(), lost[0].ID) || len(results) != 2 {
		t.Errorf("%+v, %v", results, err)
	}
	if diff := cmp.Diff(before, d.batch(lost[0].ID)); diff != "" {
		t.Errorf("the doubt after it (-before +after):\n%s", diff)
	}
	d.want(lost[1].ID, ledger.BatchHeld, states{"request_initiated": 1})
	d.want(planned[0].ID, ledger.BatchPlanned, states{"planned": 1})
	d.want(planned[1].ID, ledger.BatchHeld, states{"request_initiated": 1})
	numbered(&d.set)
	d.initiate()
	for _, b := range append(lost, planned...) {
		d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 1})
	}
	d.sound()
}

// hiding is a bank that does not know what was not submitted, nor, for a while, what was.
func (d *desk) hiding(known func(id string) bool) submitter.Bank {
	return wordy{Bank: d.client, status: 404, known: known}
}

func none(string) bool { return false }

// with is the engine at such a bank.
func (d *desk) with(bank submitter.Bank) *submitter.Engine {
	return submitter.New(d.store, bank, d.set)
}

// atPortal is someone who submits a batch at the bank's own portal.
func (d *desk) atPortal(id string, otp submitter.OTP) {
	d.t.Helper()
	payload, err := d.client.EncodeSubmit(id, "")
	if err == nil {
		_, err = d.client.Submit(d.t.Context(), payload, otp.OTP, otp.Token)
	}
	must(d.t, err)
}

// A held batch that one answer shows moving, under no debit account or another one, was
// submitted by someone. The next answer may not know it any more: it is not abandoned
// for that, nor submitted.
func TestAHeldBatchThatMovedIsNotForgottenWithTheNextAnswer(t *testing.T) {
	for name, shows := range map[string]struct {
		bank    func(submitter.Bank) submitter.Bank
		payouts states
	}{
		"under no account": {unnamed, states{"request_initiated": 1}},
		"under another":    {func(b submitter.Bank) submitter.Bank { return elsewhere{Bank: b} }, states{"disputed": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			d, b := withPlanned(t, 1)
			hides := d.hiding(none)
			d.verb(d.with(hides).Initiate(t.Context(), nil, 0))
			otp := d.otp(b.ID)
			d.atPortal(b.ID, otp)
			for range 8 {
				d.bank.Settle()
			}
			d.verb(d.with(shows.bank(d.client)).Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchSubmitted, shows.payouts)
			if got := d.batch(b.ID); got.Asks() != ledger.StatusDiffers || got.Listed != ledger.ListingNo {
				t.Errorf("asks for %s, listed %q", got.Asks(), got.Listed)
			}
			d.verb(d.with(hides).Poll(t.Context(), nil, 0))
			d.notAbandoned(hides, b.ID, "abandoned")
			if _, err := d.with(hides).Submit(t.Context(), []submitter.OTP{otp}); !errors.Is(err, submitter.ErrNotHeld) {
				t.Errorf("submitted: %v", err)
			}
			d.later(time.Hour)
			d.nothingToRetry(b.ID)
			d.paidTimes(1)
			d.sound()
		})
	}
}

// A payout that failed, and that an answer says was paid, is not tried again, also where it
// comes under no debit account, or another one: what the bank says next is not to decide it
// alone.
func TestAFailureThatIsPaidAfterAllIsDisputed(t *testing.T) {
	for name, shows := range map[string]func(submitter.Bank) submitter.Bank{
		"under its own":    func(b submitter.Bank) submitter.Bank { return b },
		"under no account": unnamed,
		"under another":    func(b submitter.Bank) submitter.Bank { return elsewhere{Bank: b} },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			b := d.corrected()
			d.verb(d.with(shows(d.client)).Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchSettled, states{"failed": 1})
			d.bank.Settle() // the bank corrects itself
			d.paidTimes(1)
			d.verb(d.with(shows(d.client)).Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchSettled, states{"disputed": 1})
			d.nothingToRetry(b.ID)
			d.sound()
		})
	}
}

// What an initiate's own answer shows moving is kept as what a status shows is.
func TestAnEchoThatMovesIsNotForgottenWithTheNextAnswer(t *testing.T) {
	d, b := withPlanned(t, 1)
	bank := answering{d.hiding(none), func(at string, a *ledger.Answer) {
		if at == "initiate" { // its echo says that it was paid
			a.Payouts[0].Status = ledger.StatusSuccess
		}
	}}
	d.verb(d.with(bank).Initiate(t.Context(), nil, 0))
	d.want(b.ID, ledger.BatchSettled, states{"success": 1})
	d.notAbandoned(bank, b.ID, "abandoned")
	d.sound()
}
