package submitter_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// fromAnother answers a submit from another debit account.
type fromAnother struct{ submitter.Bank }

func (b fromAnother) Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (ledger.Answer, error) {
	a, err := b.Bank.Submit(ctx, p, otp, token)
	a.BankAccountID = pb1
	return a, err
}

// altered changes every read of a batch.
type altered struct {
	submitter.Bank
	by func(*ledger.StatusRead)
}

func (b altered) Look(ctx context.Context, id string, n int) (ledger.StatusRead, error) {
	r, err := b.Bank.Look(ctx, id, n)
	if err == nil {
		b.by(&r)
	}
	return r, err
}

func (b altered) TransferStatus(ctx context.Context, id string, n int) (ledger.StatusRead, error) {
	return b.Look(ctx, id, n)
}

// timed says what time it is where it answers no.
type timed struct {
	submitter.Bank
	d *desk
}

func (b timed) Look(ctx context.Context, id string, n int) (ledger.StatusRead, error) {
	r, err := b.Bank.Look(ctx, id, n)
	if c, ok := errors.AsType[*ledger.CallError](err); ok {
		c.SaidAt = b.d.now()
	}
	return r, err
}

func (b timed) Ask(ctx context.Context, id string, n int) (ledger.StatusRead, error) {
	return b.Look(ctx, id, n)
}

func (b timed) TransferStatus(ctx context.Context, id string, n int) (ledger.StatusRead, error) {
	return b.Look(ctx, id, n)
}

// threeDays polls every eight hours.
func (d *desk) threeDays(bank submitter.Bank) {
	for range 9 {
		d.later(8 * time.Hour)
		d.verb(d.with(bank).Poll(d.t.Context(), nil, 0))
	}
}

// decidedBy is what comes of a decision that two people make.
func (d *desk) decidedBy(bank submitter.Bank, req submitter.Resolving) (r submitter.Result, err error) {
	d.set.Books, req.Reason = statement{d.quiet}, "nothing came of it"
	actor := d.set.Actor
	for _, d.set.Actor = range []string{"asha", "ravi"} {
		r, err = d.with(bank).Resolve(d.t.Context(), req)
		d.later(2 * time.Hour)
	}
	d.set.Actor = actor
	return r, err
}

// refuses wants a decision to be refused by a rule.
func (d *desk) refuses(bank submitter.Bank, req submitter.Resolving, rule string) {
	d.t.Helper()
	_, err := d.decidedBy(bank, req)
	if e, ok := errors.AsType[*ledger.NotYet](err); !ok || e.Rule != rule {
		d.t.Fatalf("%v, not refused by %s; the batch is %+v", err, rule, d.batch(req.Batch))
	}
}

// lostFrom is a submit whose answer the bank gives from elsewhere, and of which it shows
// nothing any more.
func lostFrom(t *testing.T, answers func(submitter.Bank) submitter.Bank) (*desk, ledger.Batch, submitter.Bank) {
	d := newDesk(t, numbered, func(s *submitter.Settings) { s.LeaveDoubts = true })
	b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
	hides := timed{d.hiding(none), d}
	d.verb(d.with(hides).Initiate(t.Context(), nil, 0))
	d.verb(d.with(answers(hides)).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
	d.threeDays(hides)
	if got := d.batch(b.ID); got.State != ledger.BatchSubmitUnknown || got.Attention != ledger.SubmitOverdue || !got.Differed() {
		t.Fatalf("%s, %s: %q", got.State, got.Attention, got.Note)
	}
	return d, b, hides
}

// What an answer differed in is remembered when time passes and when people decide: a
// statement of the configured account does not tell of another.
func TestWhatAnAnswerDifferedInOutlastsTimeAndDecisions(t *testing.T) {
	for name, answers := range map[string]func(submitter.Bank) submitter.Bank{
		"another account": func(b submitter.Bank) submitter.Bank { return fromAnother{b} },
		"another number":  func(b submitter.Bank) submitter.Bank { return numbers{Bank: b, submit: otherNumber} },
	} {
		t.Run(name, func(t *testing.T) {
			d, b, hides := lostFrom(t, answers)
			d.refuses(hides, submitter.Resolving{Batch: b.ID, As: ledger.DecidedNotSubmitted}, ledger.RuleTicket)
			if r, err := d.decidedBy(hides, submitter.Resolving{Batch: b.ID, As: ledger.DecidedDisputed, Ticket: "the bank cannot say"}); err != nil || r.Batch.State != ledger.BatchSubmitted {
				t.Fatal(r, err)
			}
			d.refuses(hides, submitter.Resolving{Batch: b.ID, As: ledger.DecidedNotPaid, Of: d.attempts(b.ID)[0].Key()}, ledger.RuleTicket)
		})
	}
	t.Run("one person says that it arrived", func(t *testing.T) {
		d, b, hides := lostFrom(t, func(b submitter.Bank) submitter.Bank { return fromAnother{b} })
		if r, err := d.with(hides).Resolve(t.Context(), submitter.Resolving{Batch: b.ID, As: ledger.DecidedSubmitted, Reason: "the portal shows it"}); err != nil || !r.Batch.Differed() {
			t.Fatal(r, err)
		}
	})
	t.Run("until an answer is as planned", func(t *testing.T) {
		d, b, _ := lostFrom(t, func(b submitter.Bank) submitter.Bank { return fromAnother{b} })
		for range 7 {
			d.control("/settle", nil)
		}
		d.verb(d.engine().Poll(t.Context(), nil, 0))
		if got := d.batch(b.ID); got.Differed() {
			t.Errorf("%s, %s: %q", got.State, got.Attention, got.Note)
		}
	})
}

// Whether a submit in doubt arrived is decided of the batch, and of none of its payouts
// before: their retry would be beside it.
func TestNoPayoutIsClosedWhileItsSubmitIsInDoubt(t *testing.T) {
	d, b := inDoubt(t, false)
	d.verb(d.with(altered{d.client, func(r *ledger.StatusRead) {
		for i := range r.Payouts {
			r.Payouts[i].Amount += 100
		}
	}}).Poll(t.Context(), nil, 0))
	hides := timed{d.hiding(none), d}
	d.threeDays(hides)
	if got := d.attempts(b.ID)[0]; got.State != ledger.PayoutDisputed {
		t.Fatalf("%+v", got)
	}
	for _, ticket := range []string{"", "their mail of today"} {
		d.refuses(hides, submitter.Resolving{Batch: b.ID, As: ledger.DecidedNotPaid, Of: d.attempts(b.ID)[0].Key(), Ticket: ticket}, ledger.RuleState)
	}
}

// One answer without a debit account does not ask for ever at a bank of which no read is
// whole.
func TestWhatEndedUnderItsAccountDiffersNoLonger(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	d.initiate()
	d.submit(d.otp(b.ID))
	d.verb(d.with(unnamed{d.client}).Poll(t.Context(), nil, 0))
	if got := d.batch(b.ID); got.Attention != ledger.StatusDiffers {
		t.Fatalf("%s: %q", got.Attention, got.Note)
	}
	for range 7 {
		d.control("/settle", nil)
	}
	for drop := range 2 {
		d.verb(d.with(altered{d.client, func(r *ledger.StatusRead) {
			if len(r.Payouts) == 2 {
				r.Payouts = append(r.Payouts[:drop:drop], r.Payouts[drop+1:]...)
			}
		}}).Poll(t.Context(), nil, 0))
	}
	if got := d.batch(b.ID); got.State != ledger.BatchSettled || got.Attention != ledger.NeedsNothing || got.Note != "" {
		t.Errorf("%s, %s: %q", got.State, got.Attention, got.Note)
	}
}

// A number that the bank writes in groups is known again when it is configured.
func TestANumberInGroupsIsKnownAgain(t *testing.T) {
	for _, shown := range []string{"5020 0003 0000 09", "5020-0003-0000-09", pb3Number + " "} {
		d := newDesk(t, numbered)
		b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
		d.initiate()
		d.submit(d.otp(b.ID))
		mended, mistyped := d.set.Accounts, d.set.Accounts[pb3]
		mistyped.AccountNumber = "50200003000010"
		d.set.Accounts = map[string]ledger.DebitAccount{pb3: mistyped}
		d.verb(d.with(numbers{Bank: unlisting{d.client}, status: shown}).Poll(t.Context(), nil, 0))
		if got := d.batch(b.ID); !strings.Contains(got.Note, ledger.OtherNumber) {
			t.Fatalf("%q: %q", shown, got.Note)
		}
		d.set.Accounts = mended
		for range 7 {
			d.control("/settle", nil)
			d.verb(d.with(numbers{Bank: d.client}).Poll(t.Context(), nil, 0))
		}
		if got := d.batch(b.ID); got.State != ledger.BatchSettled || got.Differed() {
			t.Errorf("%q: %s, %s: %q", shown, got.State, got.Attention, got.Note)
		}
	}
}
