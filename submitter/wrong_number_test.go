package submitter_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
	"payrun/submitter"
)

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
