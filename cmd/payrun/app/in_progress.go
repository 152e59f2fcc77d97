package app

import (
	"cmp"
	"context"
	"slices"

	"payrun/ledger"
)

// AccountInProgress is how much of a debit account is where on its way.
type AccountInProgress struct {
	BankAccountID string
	PartnerBankID int
	Planned       ledger.Tally // nothing is sent
	Held          ledger.Tally // waits for its OTP
	Unanswered    ledger.Tally // sent, and the bank's answer is not known
	Open          ledger.Paise // of submitted batches, what the bank has not finished
	Submitted     ledger.Tally // those batches, whole
}

// AccountsInProgress sums the batches up. inFlight is what may still be debited from
// each account: batches that are held or unanswered whole, and of submitted ones what
// is open.
func AccountsInProgress(batches []ledger.Batch, inFlight map[string]ledger.Paise) (all []AccountInProgress) {
	for i := range batches {
		b := &batches[i]
		at := slices.IndexFunc(all, func(a AccountInProgress) bool { return a.BankAccountID == b.BankAccountID })
		if at < 0 {
			at, all = len(all), append(all, AccountInProgress{BankAccountID: b.BankAccountID, PartnerBankID: b.PartnerBankID, Open: inFlight[b.BankAccountID]})
		}
		one := &all[at]
		var sum *ledger.Tally
		switch {
		case b.State == ledger.BatchPlanned:
			sum = &one.Planned
		case b.State == ledger.BatchHeld:
			sum = &one.Held
		case b.State == ledger.BatchSubmitted:
			sum = &one.Submitted
		case slices.Contains(ledger.BatchesInFlight[:], b.State):
			sum = &one.Unanswered
		default:
			continue
		}
		*sum = sum.Plus(ledger.Tally{Count: b.Count, Total: b.Total})
	}
	for i := range all {
		all[i].Open -= all[i].Held.Total + all[i].Unanswered.Total
	}
	slices.SortFunc(all, func(a, b AccountInProgress) int { return cmp.Compare(a.BankAccountID, b.BankAccountID) })
	return all
}

// tallied counts an amount under a key.
func tallied[K comparable](by map[K]ledger.Tally, key K, amount ledger.Paise) {
	t := by[key]
	t.Add(amount)
	by[key] = t
}
