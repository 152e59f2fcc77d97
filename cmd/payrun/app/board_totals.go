package app

import (
	"context"
	"slices"

	"payrun/ledger"
)

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

// places says how much is where. What the tallies of the states do not tell is read of
// the few batches that are stopped.
func (o *operation) places(ctx context.Context, s Status) (map[Place]ledger.Tally, error) {
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
			t := stopped[at.State]
			err := t.Add(at.Amount)
			stopped[at.State] = t
			return err
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
			sum, err := by[place].Plus(part)
			if err != nil {
				return nil, err
			}
			by[place] = sum
		}
	}
	return by, nil
}

// less is a tally without a part of it.
func less(t, part ledger.Tally) ledger.Tally {
	return ledger.Tally{Count: t.Count - part.Count, Total: t.Total - part.Total}
}
