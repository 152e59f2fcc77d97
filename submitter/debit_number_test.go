package submitter_test

import (
	"testing"

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
