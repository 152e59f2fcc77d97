package app

import (
	"cmp"
	"context"
	"slices"

	"payrun/ledger"
)

// InProgress is what is on its way, and with which bank.
type InProgress struct {
	Accounts []AccountInProgress // in the order of their ids
	Slowest  []Slow              // submitted batches that are not settled, the oldest first
	Unlisted []UnlistedStatus    // what the bank says of their payouts that its interface does not list
	Unread   int                 // batches, newer than all these, whose payouts were not read for Unlisted
}

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

// Slow is a submitted batch.
type Slow struct {
	ledger.Batch
	Open ledger.Tally // its payouts that the bank has not finished
}

// UnlistedStatus is a word of the bank that its interface does not list.
type UnlistedStatus struct {
	Field  string // where the bank says it: status or bank_status_code
	Status string
	ledger.Tally
	Refs []string // the first of its payouts
}

// Limits of what one look reads of submitted batches.
const (
	slowestShown     = 20
	unlistedBatches  = 500
	unlistedPayouts  = 50_000
	unlistedStatuses = 50
	unlistedRefs     = 5
)

// InProgress tells what is on its way, by what the bank said last. It reads the
// payouts of the oldest submitted batches only.
func (a *App) InProgress(ctx context.Context, call Call) (InProgress, error) {
	return reading(ctx, a, call, func(o *operation) (u InProgress, err error) {
		batches, err := o.store.Batches(ctx, ledger.Filter{})
		if err != nil {
			return u, err
		}
		inFlight, err := o.store.InFlight(ctx)
		if err != nil {
			return u, err
		}
		u.Accounts = AccountsInProgress(batches, inFlight)
		open := slices.DeleteFunc(batches, func(b ledger.Batch) bool { return b.State != ledger.BatchSubmitted })
		slices.SortStableFunc(open, func(a, b ledger.Batch) int { return a.StateSince.Compare(b.StateSince) })
		err = o.slowest(ctx, &u, open)
		return u, err
	})
}

// slowest reads the payouts of submitted batches, the oldest first.
func (o *operation) slowest(ctx context.Context, u *InProgress, open []ledger.Batch) error {
	read := 0
	for i, b := range open {
		if i == unlistedBatches || i >= slowestShown && read+b.Count > unlistedPayouts {
			u.Unread = len(open) - i
			return nil
		}
		read += b.Count
		attempts, err := o.store.Attempts(ctx, b.ID)
		if err != nil {
			return err
		}
		slow := Slow{Batch: b}
		for _, at := range attempts {
			if !slices.Contains(ledger.PayoutsInFlight[:], at.AsRead()) {
				continue
			}
			slow.Open.Add(at.Amount)
			u.unlisted(at)
		}
		if i < slowestShown {
			u.Slowest = append(u.Slowest, slow)
		}
	}
	return nil
}

// unlisted counts a payout of which the bank says what its interface does not list.
func (u *InProgress) unlisted(at ledger.Attempt) {
	if !ledger.Listed(at.Status) {
		u.add("status", at.Status, at)
	}
	if !ledger.CodeListed(at.BankStatusCode) {
		u.add("bank_status_code", at.BankStatusCode, at)
	}
}

func (u *InProgress) add(field, word string, at ledger.Attempt) {
	i := slices.IndexFunc(u.Unlisted, func(one UnlistedStatus) bool { return one.Field == field && one.Status == word })
	if i < 0 {
		if len(u.Unlisted) == unlistedStatuses {
			return
		}
		i, u.Unlisted = len(u.Unlisted), append(u.Unlisted, UnlistedStatus{Field: field, Status: word})
	}
	one := &u.Unlisted[i]
	if len(one.Refs) < unlistedRefs {
		one.Refs = append(one.Refs, at.Ref)
	}
	one.Add(at.Amount)
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
