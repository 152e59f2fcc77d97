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

// Place is where a payout is, as people ask who look after the money. Each payout is in
// one of them, by its latest attempt, so that together they are all there is.
type Place string

// The places.
const (
	ToFix     Place = "to_fix"    // failed, refused, disputed or stopped: it stays so until a person has found out and decided
	ToSend    Place = "to_send"   // planned: nothing was sent, or the bank does not hold it yet
	ToEnter   Place = "to_enter"  // held for OTP
	AtTheBank Place = "at_bank"   // submitted, or perhaps submitted, and not finished
	Paid      Place = "paid"      // the bank says so
	CameBack  Place = "came_back" // paid and returned; it may be planned again
	GivenUp   Place = "given_up"  // by a person; nothing is paid for it
)

// Places lists them, in the order in which a payout passes through them but for the
// first, which comes before all.
var Places = [...]Place{ToFix, ToSend, ToEnter, AtTheBank, Paid, CameBack, GivenUp}

// ordinary are what a planned or held batch asks for where it only waits its turn.
var ordinary = [...]ledger.Attention{ledger.ToBeInitiated, ledger.ToBeApproved, ledger.QueuedBehindOTP, ledger.AfterRestore, ledger.FundsShort, ledger.OTPWaiting, ledger.OTPLate}

// stopped reports whether a batch goes no further before a person has dealt with it,
// and nothing of it was submitted.
func (s Status) stopped(b *ledger.Batch) bool {
	switch b.State {
	case ledger.BatchQuarantined:
		return true
	case ledger.BatchRefused:
		return s.refused[b.ID]
	case ledger.BatchPlanned, ledger.BatchHeld:
		return !slices.Contains(ordinary[:], b.Asks())
	}
	return false
}

// Stopped are the ids of the batches of which what is planned, held or cancelled is ToFix.
func (s Status) Stopped() map[string]bool {
	ids := map[string]bool{}
	for i := range s.Batches {
		if s.stopped(&s.Batches[i]) {
			ids[s.Batches[i].ID] = true
		}
	}
	return ids
}

// boardTotals says how much is where. What the tallies of the states do not tell is read of
// the few batches that are stopped.
func (o *operation) boardTotals(ctx context.Context, s Status) (map[Place]ledger.Tally, error) {
	var held ledger.Tally
	stopped := map[ledger.PayoutState]ledger.Tally{}
	for i := range s.Batches {
		b := &s.Batches[i]
		if !s.stopped(b) {
			if b.State == ledger.BatchHeld { // all of it is request_initiated, but for what is disputed
				disputed := s.Disputed[b.ID]
				held.Count, held.Total = held.Count+b.Count-disputed.Count, held.Total+b.Total-disputed.Total
			}
			continue
		}
		f := ledger.Filter{BatchID: b.ID, States: []ledger.PayoutState{ledger.PayoutPlanned, ledger.PayoutRequestInitiated, ledger.PayoutCancelled}}
		err := o.store.EachPayout(ctx, f, func(at ledger.Attempt) error {
			tallied(stopped, at.State, at.Amount)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	of := func(state ledger.PayoutState) ledger.Tally { return less(s.Payouts[state], stopped[state]) }
	by := map[Place]ledger.Tally{
		ToSend: of(ledger.PayoutPlanned), ToEnter: held, Paid: of(ledger.PayoutSuccess), CameBack: of(ledger.PayoutReturned), GivenUp: of(ledger.PayoutCancelled),
	}
	for place, parts := range map[Place][]ledger.Tally{
		ToFix: {of(ledger.PayoutFailed), of(ledger.PayoutDisputed), stopped[ledger.PayoutPlanned], stopped[ledger.PayoutRequestInitiated], stopped[ledger.PayoutCancelled]},
		// of what the bank has, those that are not held were submitted
		AtTheBank: {less(of(ledger.PayoutRequestInitiated), held), of(ledger.PayoutPending), of(ledger.PayoutInitiated)},
	} {
		for _, part := range parts {
			by[place] = by[place].Plus(part)
		}
	}
	return by, nil
}

// tallied counts an amount under a key.
func tallied[K comparable](by map[K]ledger.Tally, key K, amount ledger.Paise) {
	t := by[key]
	t.Add(amount)
	by[key] = t
}

// less is a tally without a part of it.
func less(t, part ledger.Tally) ledger.Tally {
	return ledger.Tally{Count: t.Count - part.Count, Total: t.Total - part.Total}
}
