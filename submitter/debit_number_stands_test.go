package submitter_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// otherNumber is the number of another debit account, as a bank masks it.
const otherNumber = "XXXXXXXXXX0010"

// numbers is a bank that shows these numbers of the debit account, "" for none; it
// answers for the right bank_account_id. A status is promised none (interface.md,
// "Payout batch").
type numbers struct {
	submitter.Bank
	initiate, submit, status string
}

func (b numbers) Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error) {
	a, err := b.Bank.Initiate(ctx, p)
	a.DebitAccountNumber = b.initiate
	return a, err
}

func (b numbers) Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (ledger.Answer, error) {
	a, err := b.Bank.Submit(ctx, p, otp, token)
	a.DebitAccountNumber = b.submit
	return a, err
}

func (b numbers) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	r, err := b.Bank.ReadStatus(ctx, id, n, tries)
	r.DebitAccountNumber = b.status
	return r, err
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
			bank := numbers{Bank: d.client, initiate: pb3Number, submit: otherNumber}
			d.verb(d.with(bank).Initiate(d.t.Context(), nil, 0))
			d.verb(d.with(bank).Submit(d.t.Context(), []submitter.OTP{d.otp(b.ID)}))
			d.want(b.ID, ledger.BatchSubmitUnknown, states{"request_initiated": 2})
		},
		"in a status": func(d *desk, b ledger.Batch) {
			d.initiate()
			d.submit(d.otp(b.ID))
			d.verb(d.with(numbers{Bank: d.client, status: otherNumber}).Poll(d.t.Context(), nil, 0))
		},
		"in the echo": func(d *desk, b ledger.Batch) {
			d.verb(d.with(numbers{Bank: d.client, initiate: otherNumber}).Initiate(d.t.Context(), nil, 0))
			otp := d.otp(b.ID)
			if _, err := d.client.Submit(d.t.Context(), payloadOf(d.t, d, b.ID), otp.OTP, otp.Token); err != nil { // at the portal
				d.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, numbered, func(s *submitter.Settings) { s.LeaveDoubts = true })
			b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
			otherwise(d, b)
			if name != "in the echo" { // that is quarantined
				d.asksAboutNumber(b.ID, "at once")
			}
			silent := numbers{Bank: d.client}
			for range 7 {
				d.bank.Settle()
				d.verb(d.with(silent).Poll(t.Context(), nil, 0))
			}
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
			d.verb(d.with(numbers{Bank: d.client, status: "XXXXXXXXXX" + pb3Number[len(pb3Number)-4:]}).Poll(t.Context(), nil, 0))
			if got := d.batch(b.ID); got.Asks() != ledger.NeedsNothing {
				t.Errorf("once it is shown: asks for %s: %q", got.Asks(), got.Note)
			}
			d.sound()
		})
	}
}

// A submit in doubt whose answer came from another number becomes overdue as any other,
// and says both.
func TestADoubtFromAnotherNumberBecomesOverdue(t *testing.T) {
	d := newDesk(t, numbered, func(s *submitter.Settings) { s.LeaveDoubts = true })
	b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
	bank := numbers{Bank: d.hiding(none), submit: otherNumber}
	d.verb(d.with(bank).Initiate(t.Context(), nil, 0))
	d.verb(d.with(bank).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
	d.later(d.set.OverdueAfter + time.Minute)
	d.verb(d.with(bank).Poll(t.Context(), nil, 0))
	if got := d.batch(b.ID); got.Asks() != ledger.SubmitOverdue || !strings.Contains(got.Note, otherNumber) {
		t.Errorf("%s asks for %s: %q", got.State, got.Asks(), got.Note)
	}
	d.verb(d.with(numbers{Bank: d.client}).Poll(t.Context(), nil, 0)) // and then it moves
	d.asksAboutNumber(b.ID, "moving")
	d.sound()
}

// A typo in account_number differs until it is mended, where no list of accounts is to be
// had that shows it up, and also where no status shows a number.
func TestATypoInTheNumberStandsUntilItIsMended(t *testing.T) {
	d := newDesk(t, numbered)
	b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
	d.initiate()
	d.submit(d.otp(b.ID))
	typo, mended := d.set.Accounts[pb3], d.set.Accounts
	typo.AccountNumber = "50200003000010"
	d.set.Accounts = map[string]ledger.DebitAccount{pb3: typo}
	d.verb(d.with(numbers{Bank: unlisting{d.client}, status: pb3Number}).Poll(t.Context(), nil, 0))
	silent := numbers{Bank: d.client}
	d.verb(d.with(silent).Poll(t.Context(), nil, 0))
	if got := d.batch(b.ID); got.Asks() != ledger.StatusDiffers {
		t.Errorf("with the typo: asks for %s: %q", got.Asks(), got.Note)
	}
	d.set.Accounts = mended
	d.verb(d.with(silent).Poll(t.Context(), nil, 0))
	if got := d.batch(b.ID); got.Asks() != ledger.AtTheBank || got.Note != "" {
		t.Errorf("mended: asks for %s: %q", got.Asks(), got.Note)
	}
	d.sound()
}

// What an earlier answer said is written once, however many answers leave the number out.
func TestAnEarlierNumberIsWrittenOnce(t *testing.T) {
	d := newDesk(t, numbered)
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	d.initiate()
	d.submit(d.otp(b.ID))
	d.verb(d.with(numbers{Bank: d.client, status: otherNumber}).Poll(t.Context(), nil, 0))
	for range 3 {
		for _, name := range []string{"half of it", "another merchant", "no account", "as it is"} {
			bank := odd{numbers{Bank: d.client}, map[string]func(statusRead) (statusRead, error){b.ID: oddities[name]}}
			d.verb(d.with(bank).Poll(t.Context(), nil, 0))
			d.asksAboutNumber(b.ID, name)
			if note := d.batch(b.ID).Note; strings.Count(note, otherNumber) != 1 {
				t.Errorf("%s: %q", name, note)
			}
		}
	}
	d.sound()
}
