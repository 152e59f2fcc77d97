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

// Another number of the debit account than is configured asks for a person until a complete
// answer shows no difference: what an answer leaves out does not differ.
func TestAnotherNumberAsksUntilACompleteAnswerShowsNone(t *testing.T) {
	d, b := withSent(t, 2, numbered)
	d.verb(d.with(numbers(d.client, map[string]string{"status": otherNumber})).Poll(t.Context(), nil, 0))
	d.asksAboutNumber(b.ID, "at once")
	silent := numbers(d.client, nil)
	d.verb(d.with(odd{silent, map[string]func(statusRead) (statusRead, error){b.ID: oddities["half of it"]}}).Poll(t.Context(), nil, 0))
	d.asksAboutNumber(b.ID, "after half an answer")
	d.verb(d.with(silent).Poll(t.Context(), nil, 0))
	d.asks(b.ID, ledger.AtTheBank)
	if note := d.batch(b.ID).Note; note != "" {
		t.Errorf("%q stays", note)
	}
	d.settleAt(silent)
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
	d.sound()
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
	d.sound()
}

// A typo in account_number differs where no list of accounts shows it up, and no longer once
// it is corrected, however the bank writes the number in groups.
func TestATypoInTheNumberDiffersUntilItIsCorrected(t *testing.T) {
	for _, shown := range []string{pb3Number, "5020 0003 0000 09", "5020-0003-0000-09", pb3Number + " "} {
		d, b := withSent(t, 1, numbered)
		typo, corrected := d.set.Accounts[pb3], d.set.Accounts
		typo.AccountNumber = "50200003000010"
		bank := numbers(unlisting{d.client}, map[string]string{"status": shown})
		d.set.Accounts = map[string]ledger.DebitAccount{pb3: typo}
		d.verb(d.with(bank).Poll(t.Context(), nil, 0))
		if got := d.batch(b.ID); got.Asks() != ledger.StatusDiffers {
			t.Errorf("%q, with the typo: asks for %s: %q", shown, got.Asks(), got.Note)
		}
		d.set.Accounts = corrected
		d.verb(d.with(bank).Poll(t.Context(), nil, 0))
		if got := d.batch(b.ID); got.Asks() != ledger.AtTheBank || got.Note != "" {
			t.Errorf("%q, corrected: asks for %s: %q", shown, got.Asks(), got.Note)
		}
		d.sound()
	}
}
