package app

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"payrun/ledger"
)

// ErrEnough is what the function given to a listing returns to end it.
var ErrEnough = errors.New("enough")

func enough(err error) error {
	if errors.Is(err, ErrEnough) {
		return nil
	}
	return err
}

// Status is the state of everything.
type Status struct {
	Batches  []ledger.Batch
	Payouts  map[ledger.PayoutState]ledger.Tally // by the state of their latest attempt
	Disputed map[string]ledger.Tally             // by batch: its attempts that are disputed, earlier ones of their payouts too
	Needs    []Need                              // what the batches ask for, gravest first
	Next     []Hint                              // empty when nothing is left to do

	twoPerson bool
	refused   map[string]bool   // batches that the bank refused, which no one has dealt with
	unpaid    map[string]unpaid // by batch, those that have some
}

// Asks says what a batch asks for, with its payouts. That one of its attempts is disputed comes
// before all else, whatever became of the batch since. Whether it needs a person is decided here
// alone: for needs_person, for the metrics, and for the exit code of a night and what its watcher hears.
func (s Status) Asks(b ledger.Batch) ledger.Attention {
	asks := b.AsksUnder(s.twoPerson)
	switch {
	case s.Disputed[b.ID].Count > 0:
		return ledger.PayoutContradicted
	case b.State == ledger.BatchRefused && !s.refused[b.ID]:
		return ledger.NeedsNothing
	case asks.NeedsPerson():
		return asks
	}
	return cmp.Or(s.unpaid[b.ID].asks(), asks)
}

// NeedPerson are the batches that need a person.
func (s Status) NeedPerson() []ledger.Batch {
	return slices.DeleteFunc(slices.Clone(s.Batches), func(b ledger.Batch) bool { return !s.Asks(b).NeedsPerson() })
}

// needing are the batches that need a person, by what they ask for.
func (s Status) needing() map[ledger.Attention][]ledger.Batch {
	by := map[ledger.Attention][]ledger.Batch{}
	for _, b := range s.NeedPerson() {
		by[s.Asks(b)] = append(by[s.Asks(b)], b)
	}
	return by
}

// EarlierDisputes sums up the disputed attempts that Payouts does not show:
// their payouts have a later one.
func (s Status) EarlierDisputes() (t ledger.Tally) {
	for _, d := range s.Disputed {
		t = t.Plus(d)
	}
	return less(t, s.Payouts[ledger.PayoutDisputed])
}

// HeldAndOpen counts the batches that are held, and those that a status read can move on.
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

// Status shows the batches, and the payouts by state.
func (a *App) Status(ctx context.Context, call Call) (Status, error) {
	return reading(ctx, a, call, func(o *operation) (Status, error) { return o.status(ctx) })
}

func (o *operation) status(ctx context.Context) (s Status, err error) {
	if s.Batches, err = o.shown(ctx); err != nil {
		return s, err
	}
	if s.Payouts, err = o.store.Tallies(ctx); err != nil {
		return s, err
	}
	err = o.weigh(ctx, &s, anyBatch)
	s.Needs = o.needs(s.Batches, s.Disputed, s.refused)
	s.Next = o.nextOf(s.Needs)
	s.Next = append(s.Next, s.nextOfUnpaid()...)
	if blocked := o.store.Restored(); blocked != nil { // what else would be next cannot be done
		e := classify(blocked)
		s.Next = append([]Hint{Say("Sending is blocked: %s", e.What)}, e.Next...)
	}
	return s, err
}

// weigh reads what Asks needs to know of the batches of s: of some batches, or of any.
func (o *operation) weigh(ctx context.Context, s *Status, batches ...string) (err error) {
	s.twoPerson, s.Disputed, s.unpaid = o.policy.TwoPerson, map[string]ledger.Tally{}, map[string]unpaid{}
	for _, batch := range batches {
		err := o.eachDispute(ctx, batch, func(at ledger.Attempt) error {
			tallied(s.Disputed, at.BatchID, at.Amount)
			return nil
		})
		if err == nil {
			err = o.addUnpaid(ctx, batch, s.unpaid)
		}
		if err != nil {
			return err
		}
	}
	s.refused, err = o.openRefusals(ctx, s.Batches)
	return err
}

// Overview is the state of everything: the status, and what else the home page shows.
type Overview struct {
	Status
	InFlight map[string]ledger.Paise // what may still be debited, by debit account
	Paid     map[string]ledger.Paise // the same of what was, or may have been: see App.Paid

	Sheets    []SheetStanding          // newest first
	Proposals []ledger.PolicyChange    // of a laxer policy, that wait for a second person
	Releases  []ledger.ReleaseApproval // of locked payouts, that wait for a second person
}

// Overview reads all of it at once. The bank is not asked.
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
		if v.Sheets, err = o.allStandings(ctx, v.Status); err != nil {
			return v, err
		}
		policy, err := o.store.Policy(ctx)
		if err != nil {
			return v, err
		}
		v.Proposals = policy.Waiting(o.env.Now())
		v.Releases, err = o.waitingReleases(ctx)
		return v, err
	})
}

// waitingReleases is what people said about locked payouts and waits for a second person,
// oldest first.
func (o *operation) waitingReleases(ctx context.Context) ([]ledger.ReleaseApproval, error) {
	all, err := o.store.Proposals(ctx, "")
	return ledger.WaitingReleases(all, o.env.Now()), err
}

// Sheets lists the loaded sheets, in the order of loading.
func (a *App) Sheets(ctx context.Context, call Call) ([]ledger.Sheet, error) {
	return reading(ctx, a, call, func(o *operation) ([]ledger.Sheet, error) { return o.store.Sheets(ctx) })
}

// EachPayout is called for a payout with an attempt of it and what it asks for. Its error
// ends the list; ErrEnough is none.
type EachPayout = func(ledger.Attempt, ledger.Attention) error

// Payouts calls each for every payout of the filter with its latest attempt, or
// for every attempt, in the order of loading, with what it asks for. A payout asks for the
// dispute of any of its attempts.
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

// payouts is Payouts of a filter with whole ids.
func (o *operation) payouts(ctx context.Context, f ledger.Filter, each EachPayout) error {
	batches, err := o.batchesFor(ctx, f)
	if err != nil {
		return err
	}
	disputed := map[int64]bool{}
	err = o.eachDispute(ctx, anyBatch, func(at ledger.Attempt) error {
		disputed[at.ID] = true
		return nil
	})
	if err != nil {
		return err
	}
	return enough(o.store.EachPayout(ctx, f, func(at ledger.Attempt) error {
		if disputed[at.ID] && (at.State == ledger.PayoutDisputed || !f.Attempts) {
			return each(at, ledger.PayoutContradicted)
		}
		b, known := batches[at.BatchID]
		if !known {
			if b, err = o.store.Batch(ctx, at.BatchID); err != nil {
				return err
			}
			batches[b.ID] = b
		}
		return each(at, at.Asks(b))
	}))
}

// batchesFor reads the batches whose payouts a filter selects, where they are likely
// to be needed; of a few payouts, each is read when it is.
func (o *operation) batchesFor(ctx context.Context, f ledger.Filter) (map[string]ledger.Batch, error) {
	by := map[string]ledger.Batch{}
	if f.Exact != "" || f.Search != "" || f.Find != nil || f.Most > 0 || f.Payouts != nil {
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

// tallied counts an amount under a key.
func tallied[K comparable](by map[K]ledger.Tally, key K, amount ledger.Paise) {
	t := by[key]
	t.Add(amount)
	by[key] = t
}
