package app

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"payrun/ledger"
)

// UnderWay is what is on its way, and with which bank.
type UnderWay struct {
	Accounts []AccountUnderWay // in the order of their ids
	Slowest  []Slow            // submitted batches that are not settled, the oldest first
	Unlisted []UnlistedStatus  // what the bank says of their payouts that its interface does not list
	Unread   int               // batches, newer than all these, whose payouts were not read for Unlisted
}

// AccountUnderWay is how much of a debit account is where on its way.
type AccountUnderWay struct {
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
	Late ledger.Late  // for its rail, now
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

// Late tells how late a batch is for its rail, now.
func (a *App) Late(b ledger.Batch) ledger.Late { return a.rails().LateBatch(b, a.env.Now()) }

// UnderWay tells what is on its way, by what the bank said last. It reads the
// payouts of the oldest submitted batches only.
func (a *App) UnderWay(ctx context.Context, call Call, st Status, inFlight map[string]ledger.Paise) (u UnderWay, err error) {
	var open []ledger.Batch
	for i := range st.Batches {
		if b := &st.Batches[i]; b.State == ledger.BatchSubmitted {
			open = append(open, *b)
		}
	}
	slices.SortStableFunc(open, func(a, b ledger.Batch) int { return a.StateSince.Compare(b.StateSince) })
	if u.Accounts, err = AccountsUnderWay(st.Batches, inFlight); err != nil {
		return u, err
	}
	err = a.read(ctx, call, func(o *operation) error {
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
			slow := Slow{Batch: b, Late: a.Late(b)}
			for _, at := range attempts {
				if !slices.Contains(ledger.PayoutsInFlight[:], at.AsRead()) {
					continue
				}
				if err := slow.Open.Add(at.Amount); err != nil {
					return err
				}
				if err := u.unlisted(at); err != nil {
					return err
				}
			}
			if i < slowestShown {
				u.Slowest = append(u.Slowest, slow)
			}
		}
		return nil
	})
	return u, err
}

// unlisted counts a payout of which the bank says what its interface does not list.
func (u *UnderWay) unlisted(at ledger.Attempt) error {
	var err error
	if !ledger.Listed(at.Status) {
		err = u.add("status", at.Status, at)
	}
	if !ledger.CodeListed(at.BankStatusCode) {
		err = errors.Join(err, u.add("bank_status_code", at.BankStatusCode, at))
	}
	return err
}

func (u *UnderWay) add(field, word string, at ledger.Attempt) error {
	i := slices.IndexFunc(u.Unlisted, func(one UnlistedStatus) bool { return one.Field == field && one.Status == word })
	if i < 0 {
		if len(u.Unlisted) == unlistedStatuses {
			return nil
		}
		i, u.Unlisted = len(u.Unlisted), append(u.Unlisted, UnlistedStatus{Field: field, Status: word})
	}
	one := &u.Unlisted[i]
	if len(one.Refs) < unlistedRefs {
		one.Refs = append(one.Refs, at.Ref)
	}
	return one.Add(at.Amount)
}

// AccountsUnderWay sums the batches up. inFlight is what may still be debited from
// each account: batches that are held or unanswered whole, and of submitted ones what
// is open.
func AccountsUnderWay(batches []ledger.Batch, inFlight map[string]ledger.Paise) (all []AccountUnderWay, err error) {
	for i := range batches {
		b := &batches[i]
		at := slices.IndexFunc(all, func(a AccountUnderWay) bool { return a.BankAccountID == b.BankAccountID })
		if at < 0 {
			at, all = len(all), append(all, AccountUnderWay{BankAccountID: b.BankAccountID, PartnerBankID: b.PartnerBankID, Open: inFlight[b.BankAccountID]})
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
		if *sum, err = sum.Plus(ledger.Tally{Count: b.Count, Total: b.Total}); err != nil {
			return nil, err
		}
	}
	for i := range all {
		all[i].Open -= all[i].Held.Total + all[i].Unanswered.Total
	}
	slices.SortFunc(all, func(a, b AccountUnderWay) int { return cmp.Compare(a.BankAccountID, b.BankAccountID) })
	return all, nil
}
