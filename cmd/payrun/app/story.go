package app

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"payrun/ledger"
)

// BatchStory is a batch, its payouts, and what happened to it in order.
type BatchStory struct {
	Sheet    ledger.Sheet
	Batch    ledger.Batch
	Asks     ledger.AttentionRow
	Needed   string // how many people still have to approve it, if its planner never counts; else ""
	Attempts []ledger.Attempt
	Events   []ledger.Event

	against map[ledger.AttemptKey]ledger.Attention
}

// AsksOf says what one of its attempts needs.
func (s BatchStory) AsksOf(at ledger.Attempt) ledger.Attention {
	return cmp.Or(s.against[at.Key()], at.Asks(s.Batch))
}

// Batch returns everything about one batch; ledger.ErrNotFound if there is none.
func (a *App) Batch(ctx context.Context, call Call, id string) (BatchStory, error) {
	return reading(ctx, a, call, func(o *operation) (BatchStory, error) { return o.batchStory(ctx, id) })
}

func (o *operation) batchStory(ctx context.Context, id string) (s BatchStory, err error) {
	if s.Batch, err = o.store.Batch(ctx, id); err != nil {
		return s, err
	}
	status := Status{Batches: []ledger.Batch{s.Batch}}
	if err := o.weigh(ctx, &status); err != nil {
		return s, err
	}
	s.against = gravest(status.contradict)
	if s.Asks = status.Asks(s.Batch).Row(); s.Asks.Kind == ledger.ToBeApproved {
		approval, err := o.store.ApprovalStatus(ctx, id)
		if err != nil {
			return s, err
		}
		s.Needed = approvalsNeeded(approval, approval.LastApproved())
	}
	if s.Attempts, err = o.store.Attempts(ctx, id); err != nil {
		return s, err
	}
	if s.Events, err = o.eventsOf(ctx, id); err != nil {
		return s, err
	}
	s.Sheet, err = o.sheet(ctx, s.Batch.SheetID)
	return s, err
}

// Standing returns the current state of these batches, by their full ids.
func (a *App) Standing(ctx context.Context, call Call, ids []string) ([]ledger.Batch, error) {
	return reading(ctx, a, call, func(o *operation) ([]ledger.Batch, error) { return o.batchesByID(ctx, ids) })
}

// PayoutStory is a payout: its row, its attempts in order, and for each attempt what
// happened to its batch, what the bank said and what the statements show.
type PayoutStory struct {
	Sheet    ledger.Sheet
	Attempts []AttemptStory
	Unclear  []BookedLine // statement lines that may be its own and are assigned to no payout
	Locks    []ledger.Lock
}

// AttemptStory is one attempt to pay.
type AttemptStory struct {
	ledger.Attempt
	Batch       ledger.Batch
	Asks        ledger.AttentionRow
	Events      []ledger.Event
	Said        []ledger.NewObservation
	OnStatement *StatementView // nil if it was never sent and no statement shows it
}

// Payout returns everything about one payout, by its exact reference; ledger.ErrNotFound if there is none.
func (a *App) Payout(ctx context.Context, call Call, ref string) (PayoutStory, error) {
	return reading(ctx, a, call, func(o *operation) (PayoutStory, error) {
		s, err := o.payoutStory(ctx, ref)
		if err == nil && s.Attempts[0].Ref != ref {
			err = ledger.ErrNotFound
		}
		return s, err
	})
}

// payoutStory returns the story of the payout with a reference, its own or a wire reference.
func (o *operation) payoutStory(ctx context.Context, ref string) (s PayoutStory, err error) {
	records, err := o.recordsNamed(ctx, ref)
	if err == nil && len(records) == 0 {
		err = ledger.ErrNotFound
	}
	if err != nil {
		return s, err
	}
	s.Attempts = ledger.ListOf(records, func(r ledger.AttemptRecord) AttemptStory { return AttemptStory{Attempt: r.Attempt} })
	s.Locks = ledger.Locks(records)
	latest := ledger.Latest(ledger.ListOf(records, func(r ledger.AttemptRecord) ledger.Attempt { return r.Attempt }))
	for i := range s.Attempts {
		if err := o.tell(ctx, &s.Attempts[i]); err != nil {
			return s, err
		}
		if i > latest { // one before it may have paid: it is not planned again
			s.Attempts[i].Asks = ledger.NeedsNothing.Row()
		}
	}
	if err := o.onStatement(ctx, &s, records); err != nil {
		return s, err
	}
	s.Sheet, err = o.sheet(ctx, s.Attempts[0].SheetID)
	return s, err
}

func (o *operation) tell(ctx context.Context, s *AttemptStory) (err error) {
	if s.Batch, err = o.store.Batch(ctx, s.BatchID); err != nil {
		return err
	}
	s.Asks = s.Attempt.Asks(s.Batch).Row()
	events, err := o.eventsOf(ctx, s.BatchID)
	if err != nil {
		return err
	}
	s.Events = slices.DeleteFunc(events, func(e ledger.Event) bool { return e.OfAnother(s.Ref) })
	return o.store.Observations(ctx, s.ID, func(n ledger.NewObservation) error {
		if n.Number == s.Number {
			s.Said = append(s.Said, n)
		}
		return nil
	})
}

// SheetStory is a loaded sheet and its batches.
type SheetStory struct {
	ledger.Sheet
	Batches     []ledger.Batch
	Approvals   map[string]ledger.ApprovalStatus // of each batch
	Standing    SheetStanding
	Corrects    []Correction   // the batches in which it corrects payouts of earlier sheets
	CorrectedIn []Correction   // the batches in which later sheets correct its own
	Said        []ledger.Event // send-backs and comments, oldest first, each once
	Status      Status         // of its batches
}

// Correction is a batch of corrected payouts, and the other sheet of the correction.
type Correction struct {
	Sheet   ledger.Sheet
	BatchID string
}

// Sheet returns everything about one sheet; ledger.ErrNotFound if there is none.
func (a *App) Sheet(ctx context.Context, call Call, id string) (SheetStory, error) {
	return reading(ctx, a, call, func(o *operation) (SheetStory, error) { return o.sheetStory(ctx, id) })
}

func (o *operation) sheetStory(ctx context.Context, id string) (s SheetStory, err error) {
	if s.Sheet, err = o.sheet(ctx, id); err != nil {
		return s, err
	}
	of := ledger.Filter{SheetID: id}
	if s.Batches, err = o.store.Batches(ctx, of); err != nil {
		return s, err
	}
	if s.Approvals, err = o.store.ApprovalStatuses(ctx, of); err != nil {
		return s, err
	}
	for _, b := range s.Batches {
		c := s.Approvals[b.ID]
		c.Policy.TwoPerson = b.State == ledger.BatchPlanned && o.needsApproval(b) // of one that was sent, only what happened counts
		s.Approvals[b.ID] = c
	}
	s.Status.Batches = s.Batches
	if err := o.weigh(ctx, &s.Status); err != nil {
		return s, err
	}
	standing, err := o.standings(ctx, s.Status, []ledger.Sheet{s.Sheet})
	if err != nil {
		return s, err
	}
	s.Standing = standing[0]
	links, err := o.store.SheetCorrections(ctx, id)
	if err != nil {
		return s, err
	}
	for _, l := range links {
		other, to := l.Of, &s.Corrects
		if l.Of == id {
			other, to = l.By, &s.CorrectedIn
		}
		sheet, err := o.sheet(ctx, other)
		if err != nil {
			return s, err
		}
		*to = append(*to, Correction{sheet, l.BatchID})
	}
	return s, o.store.SheetWords(ctx, id, func(e ledger.Event) error {
		if n := len(s.Said); n > 0 && e.Kind == ledger.EventSentBack && s.Said[n-1].Kind == e.Kind && s.Said[n-1].At.Equal(e.At) {
			return nil // the same send-back of another batch
		}
		s.Said = append(s.Said, e)
		return nil
	})
}

// Story is everything about one sheet, batch or payout: one of the fields is not nil.
type Story struct {
	Sheet  *SheetStory
	Batch  *BatchStory
	Payout *PayoutStory
}

// Story returns everything about what a person named: a sheet or batch by the beginning of its
// id, or a payout by its full reference, its own or a wire reference.
func (a *App) Story(ctx context.Context, call Call, word string) (Story, error) {
	return reading(ctx, a, call, func(o *operation) (Story, error) {
		if id, err := o.sheetID(ctx, word); err == nil {
			sheet, err := o.sheetStory(ctx, id)
			return Story{Sheet: &sheet}, err
		}
		if id, err := o.batchID(ctx, word); err == nil {
			batch, err := o.batchStory(ctx, id)
			return Story{Batch: &batch}, err
		}
		payout, err := o.payoutStory(ctx, word)
		if errors.Is(err, ledger.ErrNotFound) {
			err = Fail(Usage, "there is no sheet, batch or payout %q", ledger.Plain(word)).Because(err).
				Then(Do("find", word).Which("looks for a part of it"))
		}
		return Story{Payout: &payout}, err
	})
}

// Events returns the events of a filter, newest first.
func (a *App) Events(ctx context.Context, call Call, f ledger.EventFilter) ([]ledger.Event, error) {
	return reading(ctx, a, call, func(o *operation) ([]ledger.Event, error) {
		events, err := gathered(ctx, o.store.EventsWhere, f)
		slices.Reverse(events)
		return events, err
	})
}

// Changed is an event, with the current state of its batch.
type Changed struct {
	ledger.Event
	Batch ledger.Batch // zero if the event has no batch, or an earlier event in the list has the same one
	Asks  ledger.Attention
}

// Changes returns the events with numbers above after, up to upTo, oldest first.
func (a *App) Changes(ctx context.Context, call Call, after, upTo int64) (list []Changed, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		err := o.store.EventsWhere(ctx, ledger.EventFilter{After: after, Before: upTo + 1}, func(e ledger.Event) error {
			list = append(list, Changed{Event: e})
			return nil
		})
		var changed Status
		listed := map[string]bool{}
		for i := range list {
			c := &list[i]
			if err != nil || c.BatchID == "" || listed[c.BatchID] {
				continue
			}
			listed[c.BatchID] = true
			c.Batch, err = o.store.Batch(ctx, c.BatchID)
			changed.Batches = append(changed.Batches, c.Batch)
		}
		if err != nil || len(changed.Batches) == 0 {
			return err
		}
		err = o.weigh(ctx, &changed)
		for i := range list {
			list[i].Asks = changed.Asks(list[i].Batch)
		}
		return err
	})
	return list, err
}
