package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/reports/resultsheet"
)

// ErrEnough is returned by a function given to a listing to stop it.
var ErrEnough = errors.New("enough")

func enough(err error) error {
	if errors.Is(err, ErrEnough) {
		return nil
	}
	return err
}

// gathered returns all that a listing of the store gives.
func gathered[F, T any](ctx context.Context, each func(context.Context, F, func(T) error) error, f F) (list []T, err error) {
	err = each(ctx, f, func(one T) error { list = append(list, one); return nil })
	return list, err
}

// listOf is ledger.ListOf with a function that may fail.
func listOf[T, U any](list []T, of func(T) (U, error)) (all []U, err error) {
	for _, one := range list {
		u, err := of(one)
		if err != nil {
			return nil, err
		}
		all = append(all, u)
	}
	return all, nil
}

// Status is the state of everything.
type Status struct {
	Batches []ledger.Batch
	Payouts map[ledger.PayoutState]ledger.Tally // by the state of their latest attempt
	Needs   []Need                              // what the batches need: first those with a contradicted payout, then the gravest
	Next    []Hint                              // empty if nothing is left to do

	twoPerson  bool
	refused    map[string]bool               // refused batches that no one has dealt with
	unpaid     map[string]unpaid             // by batch, only those that have some
	contradict []reconcile.Exception         // what contradicts payouts, gravest first
	kinds      map[string][]ledger.Attention // of contradict by batch, each kind once
}

// Asks says what a batch and its payouts need. What contradicts a payout comes before all else, even if
// the batch has changed since. Only this function decides whether it needs a person: for needs_person,
// for the metrics, and for the exit code of a night that its watcher gets.
func (s Status) Asks(b ledger.Batch) ledger.Attention {
	asks := b.AsksUnder(s.twoPerson)
	switch kinds := s.kinds[b.ID]; {
	case len(kinds) > 0:
		return kinds[0]
	case b.State == ledger.BatchRefused && !s.refused[b.ID]:
		return ledger.NeedsNothing
	case asks.NeedsPerson():
		return asks
	}
	return cmp.Or(s.unpaid[b.ID].asks, asks)
}

// needing returns the batches that need a person, by what they need.
func (s Status) needing() map[ledger.Attention][]ledger.Batch {
	by := map[ledger.Attention][]ledger.Batch{}
	for _, b := range s.Batches {
		if asks := s.Asks(b); asks.NeedsPerson() {
			by[asks] = append(by[asks], b)
		}
	}
	return by
}

// EarlierDisputes sums up the disputed attempts that Payouts does not show, because their
// payouts have a later attempt.
func (s Status) EarlierDisputes() (t ledger.Tally) {
	for _, e := range s.contradict {
		if e.Kind == ledger.PayoutContradicted {
			t.Add(e.Amount)
		}
	}
	return less(t, s.Payouts[ledger.PayoutDisputed])
}

// Unpaid counts and sums the payouts of a sheet, or of all (""), that failed or came back and may be planned again.
func (s Status) Unpaid(sheet string) (t ledger.Tally) {
	for _, b := range s.Batches {
		if u := s.unpaid[b.ID]; sheet == "" || b.SheetID == sheet {
			t = t.Plus(u.Tally)
		}
	}
	return t
}

// HeldAndOpen counts the held batches, and those whose state a status read can change.
func (s Status) HeldAndOpen() (held, open int) {
	for _, b := range s.Batches {
		if b.State == ledger.BatchHeld {
			held++
		}
		if b.State.Open() {
			open++
		}
	}
	return held, open
}

// Status returns the batches, and the payouts by state.
func (a *App) Status(ctx context.Context, call Call) (Status, error) {
	return reading(ctx, a, call, func(o *operation) (Status, error) {
		s, err := o.status(ctx)
		left, leftErr := o.leftOutLately(ctx)
		s.Next = append(s.Next, left...)
		return s, cmp.Or(err, leftErr)
	})
}

// leftOutShown is how long status and poll name the rows that were left out of a sheet. Reports always list them.
const leftOutShown = 31 * 24 * time.Hour

// leftOutLately names the rows that were left out of sheets and did not come with a later one.
func (o *operation) leftOutLately(ctx context.Context) ([]Hint, error) {
	sheets, err := o.store.Sheets(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	brings := map[string]bool{} // sheets that bring rows of earlier ones: what is left out of them counts there
	for _, h := range sheets {
		if h.Rejected.Count == 0 || o.env.Now().Sub(h.LoadedAt) > leftOutShown {
			continue
		}
		came := -h.Corrected.Count // rows that correct payouts of earlier sheets were never left out
		if err := o.store.Elsewhere(ctx, h.ID, func(_ int, a ledger.Attempt) error { came, brings[a.SheetID] = came+1, true; return nil }); err != nil {
			return nil, err
		}
		if left := h.Rejected.Count - max(0, came); left > 0 && !brings[h.ID] {
			name := ledger.CountedRows(left) + " of " + ledger.Plain(h.Name)
			if left == h.Rejected.Count { // else the rest may be with a later sheet
				name += " (" + ledger.Plain(resultsheet.RejectedName(h)) + ")"
			}
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	return []Hint{Say("Left out: %s. %s", some(names, 3), ledger.LeftOut.Row().Do)}, nil
}

func (o *operation) status(ctx context.Context) (s Status, err error) {
	if s, err = o.weighed(ctx); err != nil {
		return s, err
	}
	s.Payouts, err = o.store.Tallies(ctx)
	needs := s.needs()
	s.Needs = append(s.contradicted(), needs...)
	s.Next = o.next(s, needs)
	return s, err
}

// next says what to do next about all batches, which need this.
func (o *operation) next(s Status, needs []Need) []Hint {
	if blocked := o.store.Restored(); blocked != nil { // then no other next step is possible
		e := classify(blocked)
		return append([]Hint{Say("Sending is blocked: %s", e.What)}, e.Next...)
	}
	return slices.Concat(hintsIn(exceptions(s.contradict)...), nextOf(needs), hintsIn(s.unpaidError(func(string) bool { return true })))
}

// weighed returns all batches, and what Asks needs to know about them.
func (o *operation) weighed(ctx context.Context) (s Status, err error) {
	if s.Batches, err = o.shown(ctx); err != nil {
		return s, err
	}
	return s, o.weigh(ctx, &s)
}

// weighedAlone is the most batches that weigh reads one by one; of more, one reading of the whole ledger is quicker.
const weighedAlone = 3

// weigh reads what Asks needs to know about the batches of s.
func (o *operation) weigh(ctx context.Context, s *Status) (err error) {
	s.twoPerson, s.unpaid, s.kinds = o.policy.TwoPerson, map[string]unpaid{}, map[string][]ledger.Attention{}
	batches := []string{""} // all
	if len(s.Batches) <= weighedAlone {
		batches = ids(s.Batches)
	}
	var over []ledger.Attempt
	if s.contradict, over, err = o.contradictions(ctx, batches); err != nil {
		return err
	}
	for _, e := range s.contradict {
		if kinds := s.kinds[e.BatchID]; !slices.Contains(kinds, e.Kind) {
			s.kinds[e.BatchID] = append(kinds, e.Kind)
		}
	}
	for _, at := range over {
		one := unpaid{ledger.Tally{Count: 1, Total: at.Amount}, at.Asks(ledger.Batch{})}
		s.unpaid[at.BatchID] = s.unpaid[at.BatchID].and(one)
	}
	s.refused, err = o.openRefusals(ctx, s.Batches)
	return err
}

// contradictions returns what contradicts payouts, gravest first: what statements show, disputed attempts that are not
// closed, even if they are not the latest, and payouts that an accepted copy locked. It also returns the other payouts of
// some batches, or of all (""), that failed or came back and are not locked.
func (o *operation) contradictions(ctx context.Context, batches []string) (list []reconcile.Exception, over []ledger.Attempt, err error) {
	var suspects []int64
	for _, batch := range batches {
		f := ledger.Filter{BatchID: batch, States: []ledger.PayoutState{ledger.PayoutDisputed}, Attempts: true}
		err := o.store.EachPayout(ctx, f, func(at ledger.Attempt) error {
			if suspects = append(suspects, at.ID); !at.Over() {
				list = append(list, reconcile.Exception{Kind: ledger.PayoutContradicted, Of: at.Key(), WireRef: at.WireRef, BatchID: at.BatchID, Amount: at.Amount})
			}
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
		f = ledger.Filter{BatchID: batch, States: []ledger.PayoutState{ledger.PayoutFailed, ledger.PayoutReturned}}
		err = o.store.EachPayout(ctx, f, func(at ledger.Attempt) error {
			suspects, over = append(suspects, at.ID), append(over, at)
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	shown, err := o.store.Contradicted(ctx, o.matching(), suspects)
	list = append(shown, list...)
	slices.SortStableFunc(list, func(a, b reconcile.Exception) int { return a.Kind.Rank() - b.Kind.Rank() })
	locked := map[int64]bool{}
	for _, e := range list {
		locked[e.Of.PayoutID] = locked[e.Of.PayoutID] || e.Kind != ledger.AmountDiffers // that is a charge, or comes with a possible debit
	}
	return list, slices.DeleteFunc(over, func(at ledger.Attempt) bool { return locked[at.ID] }), err
}

// gravest returns the gravest of the exceptions of each attempt, and with number 0 of each payout.
func gravest(list []reconcile.Exception) map[ledger.AttemptKey]ledger.Attention {
	by := map[ledger.AttemptKey]ledger.Attention{}
	for _, e := range slices.Backward(list) {
		by[e.Of], by[ledger.AttemptKey{PayoutID: e.Of.PayoutID}] = e.Kind, e.Kind
	}
	return by
}

// Overview is the state of everything: the status, and the rest of the home page.
type Overview struct {
	Status
	InFlight map[string]ledger.Paise // what may still be debited, by debit account
	Paid     map[string]ledger.Paise // what was paid, or may have been, by debit account: see App.Paid

	Sheets    []SheetStanding          // newest first
	Proposals []ledger.PolicyChange    // to weaken the policy; they wait for a second person
	Releases  []ledger.ReleaseApproval // of locked payouts; they wait for a second person
}

// Overview reads all of it from the ledger. It does not ask the bank.
func (a *App) Overview(ctx context.Context, call Call) (Overview, error) {
	return reading(ctx, a, call, func(o *operation) (v Overview, err error) {
		if v.Status, err = o.status(ctx); err != nil {
			return v, err
		}
		if v.InFlight, err = o.store.InFlight(ctx); err != nil {
			return v, err
		}
		if v.Paid, err = o.store.Paid(ctx); err != nil {
			return v, err
		}
		sheets, err := o.store.Sheets(ctx)
		if err != nil {
			return v, err
		}
		slices.Reverse(sheets)
		if v.Sheets, err = o.standings(ctx, v.Status, sheets); err != nil {
			return v, err
		}
		v.Proposals = o.trail.Waiting(o.env.Now())
		v.Releases, err = o.waitingReleases(ctx)
		return v, err
	})
}

// waitingReleases returns the decisions about locked payouts that wait for a second person, oldest first.
func (o *operation) waitingReleases(ctx context.Context) ([]ledger.ReleaseApproval, error) {
	all, err := o.store.Proposals(ctx, "")
	return ledger.WaitingReleases(all, o.env.Now()), err
}

// Sheets lists the loaded sheets, in the order of loading.
func (a *App) Sheets(ctx context.Context, call Call) ([]ledger.Sheet, error) {
	return reading(ctx, a, call, func(o *operation) ([]ledger.Sheet, error) { return o.store.Sheets(ctx) })
}

// PayoutRow is a payout with one of its attempts, and what it needs.
type PayoutRow struct {
	ledger.Attempt
	Asks    ledger.Attention
	Planned time.Time // when its batch was planned
}

// EachPayout is called for each payout of a list. An error ends the list; ErrEnough ends it without error.
type EachPayout = func(PayoutRow) error

// Payouts calls each for every payout of the filter with its latest attempt, or for every
// attempt, in the order of loading, and with what it needs. If any attempt of a payout is
// disputed, or contradicted by a statement, the payout needs that first.
func (a *App) Payouts(ctx context.Context, call Call, f ledger.Filter, each EachPayout) error {
	return a.read(ctx, call, func(o *operation) (err error) {
		if f.SheetID != "" {
			if f.SheetID, err = o.sheetID(ctx, f.SheetID); err != nil {
				return err
			}
		}
		if f.BatchID != "" {
			if f.BatchID, err = o.batchID(ctx, f.BatchID); err != nil {
				return err
			}
		}
		return o.payouts(ctx, f, each)
	})
}

// payouts is Payouts for a filter with full ids.
func (o *operation) payouts(ctx context.Context, f ledger.Filter, each EachPayout) error {
	batches, err := o.batchesFor(ctx, f)
	if err != nil {
		return err
	}
	if o.against == nil { // some lists are read in parts
		list, _, err := o.contradictions(ctx, []string{""})
		if err != nil {
			return err
		}
		o.against = gravest(list)
	}
	return enough(o.store.EachPayout(ctx, f, func(at ledger.Attempt) error {
		b, known := batches[at.BatchID]
		if !known {
			if b, err = o.store.Batch(ctx, at.BatchID); err != nil {
				return err
			}
			batches[b.ID] = b
		}
		of := at.Key()
		if !f.Attempts {
			of.Number = 0
		}
		return each(PayoutRow{at, cmp.Or(o.against[of], at.Asks(b)), b.CreatedAt})
	}))
}

// batchesFor reads the batches of a filter's payouts in advance, if most of them will be
// needed. For a few payouts it reads none, and the caller reads each when it needs it.
func (o *operation) batchesFor(ctx context.Context, f ledger.Filter) (map[string]ledger.Batch, error) {
	by := map[string]ledger.Batch{}
	if f.Exact != "" || f.Find != nil || f.Most > 0 || f.Payouts != nil {
		return by, nil
	}
	all, err := o.store.Batches(ctx, f)
	for _, b := range all {
		by[b.ID] = b
	}
	return by, err
}

// Log calls each for every event of the audit trail, oldest first.
func (a *App) Log(ctx context.Context, call Call, each func(ledger.Event) error) error {
	return a.read(ctx, call, func(o *operation) error { return enough(o.store.Events(ctx, each)) })
}

// tallied adds an amount to the tally of a key.
func tallied[K comparable](by map[K]ledger.Tally, key K, amount ledger.Paise) {
	t := by[key]
	t.Add(amount)
	by[key] = t
}
