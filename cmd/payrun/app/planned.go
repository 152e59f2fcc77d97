package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/submitter"
)

// ErrOwn means that the planner of a batch tries to approve it.
var ErrOwn = submitter.ErrSamePerson

// Planned is what people see before they approve or initiate planned batches, and what binds their decision.
// The bank was not asked. All readers share one value, so it must not be changed.
type Planned struct {
	Outgoing // ToType is what a person types to initiate

	Each     []PlannedBatch          // one for each of Batches, in their order
	Agreed   bool                    // no further approval is needed
	Plan     string                  // digest of all of them; see ReviewedBatches
	InFlight map[string]ledger.Paise // what may still be debited, by debit account
	Paid     map[string]ledger.Paise // what was paid, or may have been: see App.Paid

	// TwoPerson means that another person than the planner has to approve all or some of them.
	TwoPerson bool
	// Environment is what a person has to type once; nil for nothing.
	Environment *ledger.Environment
}

// PlannedBatch is a planned batch, what binds a decision about it, and who has approved it.
type PlannedBatch struct {
	doc.PlannedBatch
	ledger.Bound
	ledger.ApprovalStatus
	Missing string // why it may not be initiated yet; "" if it may
}

// ApprovedBy reports whether a person's approval of each of the batches counts already.
func (p *Planned) ApprovedBy(actor string) bool {
	return !slices.ContainsFunc(p.Each, func(b PlannedBatch) bool {
		return !errors.Is(b.May(ledger.Approving{Approval: ledger.Approval{Actor: actor, PayloadSHA256: b.Payload}}), ledger.ErrDuplicate)
	})
}

// Needed says how many people still have to approve a batch whose planner does not count as one of two people;
// "" for other batches.
func (p *Planned) Needed() string {
	for _, b := range p.Each {
		if words := approvalsNeeded(b.ApprovalStatus, b.Payload); b.Missing != "" && words != "" {
			return words
		}
	}
	return ""
}

func approvalsNeeded(c ledger.ApprovalStatus, payload string) string {
	switch missing := c.Missing(payload); {
	case missing == 0 || c.People.Counts(c.PlannedBy) == nil:
		return ""
	case missing == 1:
		return "One more person has to approve it, because its planner does not count as one of two people."
	}
	return "Two people have to approve it, because its planner does not count as one of two people."
}

// Own returns why a person cannot approve one of the batches: they planned it, or may be the
// planner (ledger.ErrNotApart). nil if they may.
func (p *Planned) Own(actor string) error {
	for _, b := range p.Each {
		if own := b.Another(actor); own != nil {
			return own
		}
	}
	return nil
}

// Planned returns the planned batches of a sheet, or one batch. nil if none is planned;
// ledger.ErrNotFound if there is no such sheet or batch.
func (a *App) Planned(ctx context.Context, call Call, f ledger.Filter) (*Planned, error) {
	return reading(ctx, a, call, func(o *operation) (*Planned, error) {
		now, err := o.asOf(ctx)
		if err != nil {
			return nil, err
		}
		a.plans.mu.Lock()
		defer a.plans.mu.Unlock() // if many look at the same time, it is read once
		same := func(k keptPlan) bool { return k.of == f.SheetID+f.BatchID }
		if i := slices.IndexFunc(a.plans.all, same); i >= 0 && a.plans.all[i].asOf == now {
			return a.plans.all[i].plan, nil
		}
		plan, from, err := o.lookAtPlanned(ctx, f)
		if err == nil && plan != nil {
			err = o.lookAtPayees(ctx, plan, from)
		}
		if err != nil {
			return nil, err
		}
		a.plans.all = append(slices.DeleteFunc(a.plans.all, same), keptPlan{f.SheetID + f.BatchID, now, plan})
		a.plans.all = slices.Delete(a.plans.all, 0, max(0, len(a.plans.all)-plansKept))
		return plan, nil
	})
}

// plansKept is how many plans are kept, each of a sheet or batch.
const plansKept = 4

// keptPlans caches what was read of planned sheets and batches: for 100,000 payouts, reading takes seconds.
type keptPlans struct {
	mu  sync.Mutex
	all []keptPlan // oldest first
}

type keptPlan struct {
	of string // the id of a sheet or batch
	asOf
	plan *Planned // nil if nothing is planned
}

// asOf says when something was read that is shown again as long as it is the same. Nothing in it changes
// without an event, except which payees were paid recently: that changes with the hour.
type asOf struct {
	head ledger.AuditHead
	hour string
}

func (o *operation) asOf(ctx context.Context) (asOf, error) {
	head, err := o.store.StandsSince(ctx)
	return asOf{head, o.set.Hour(o.env.Now())}, err
}

// Unreviewed is Planned without the payees, which take long to read. It is for a caller that
// checks again what may be done, and for a button.
func (a *App) Unreviewed(ctx context.Context, call Call, f ledger.Filter) (*Planned, error) {
	return reading(ctx, a, call, func(o *operation) (*Planned, error) {
		plan, _, err := o.lookAtPlanned(ctx, f)
		return plan, err
	})
}

// sheet returns the loaded sheet with an id; ledger.ErrNotFound if there is none.
func (o *operation) sheet(ctx context.Context, id string) (ledger.Sheet, error) {
	all, err := o.store.Sheets(ctx)
	s, known := ledger.First(all, func(s ledger.Sheet) bool { return s.ID == id })
	if err == nil && !known {
		err = ledger.ErrNotFound
	}
	return s, err
}

// planned returns the planned batches of the filter, in the order of planning.
func (o *operation) planned(ctx context.Context, f ledger.Filter) ([]ledger.Batch, error) {
	batches, err := o.store.Batches(ctx, f)
	return slices.DeleteFunc(batches, func(b ledger.Batch) bool { return b.State != ledger.BatchPlanned }), err
}

// lookAtPlanned returns the planned batches of the filter, without their payees. from holds the facts
// that were read about them. d is nil if none is planned; ledger.ErrNotFound if there is no such sheet or batch.
func (o *operation) lookAtPlanned(ctx context.Context, f ledger.Filter) (d *Planned, from readAhead, err error) {
	if f.SheetID != "" {
		_, err = o.sheet(ctx, f.SheetID)
	} else {
		_, err = o.store.Batch(ctx, f.BatchID)
	}
	if err != nil {
		return nil, from, err
	}
	batches, err := o.planned(ctx, f)
	if err != nil || len(batches) == 0 {
		return nil, from, err
	}
	d = &Planned{Agreed: true, TwoPerson: slices.ContainsFunc(batches, o.needsApproval)}
	o.addBatches(&d.Outgoing, batches)
	slices.SortStableFunc(d.Accounts, func(a, b OutgoingAccount) int { return cmp.Compare(b.Payouts.Total, a.Payouts.Total) })
	if from, err = o.ahead(ctx, f, batches); err != nil {
		return nil, from, err
	}
	if err := o.lookAtEach(ctx, d, from); err != nil {
		return nil, from, err
	}
	if d.InFlight, err = o.store.InFlight(ctx); err != nil {
		return nil, from, err
	}
	if d.Paid, err = o.store.Paid(ctx); err != nil {
		return nil, from, err
	}
	if d.ToType, err = o.toType(ctx, batches, false); err != nil {
		return nil, from, err
	}
	d.Environment, err = o.unsaidEnvironment(ctx)
	return d, from, err
}

// lookAtEach adds, for each batch, what binds a decision about it, and who has approved it.
func (o *operation) lookAtEach(ctx context.Context, d *Planned, from readAhead) (err error) {
	bound := make([]ledger.Bound, len(from.batches))
	for i, b := range from.batches {
		var trail ledger.TrailDigest
		for j := range from.events[b.ID] {
			trail.Replay(&from.events[b.ID][j])
		}
		if bound[i], err = submitter.BindPlanned(ctx, from, o.fields(), b, &trail); err != nil {
			return err
		}
		approval, err := from.ApprovalStatus(ctx, b.ID)
		if err != nil {
			return err
		}
		approval.Policy.TwoPerson = o.policy.TwoPerson // the configuration may be stricter
		one := PlannedBatch{PlannedBatch: d.Batches[i], Bound: bound[i], ApprovalStatus: approval}
		if missing := approval.To(one.Payload); missing != nil && approval.Asked() {
			one.Missing, d.Agreed = missing.Error(), false
		}
		d.Each = append(d.Each, one)
		d.Corrected = append(d.Corrected, correctedIn(from.events[b.ID])...)
	}
	d.Plan = ledger.PlanDigest(bound).String()
	return nil
}

// lookAtPayees adds the payees of the planned batches, and what changed since the last sheet.
func (o *operation) lookAtPayees(ctx context.Context, d *Planned, from readAhead) (err error) {
	if d.Since, err = o.sinceLast(ctx, from.batches); err != nil {
		return err
	}
	own := o.store
	defer func() { o.store = own }()
	o.store = from
	return o.askPayees(ctx, &d.PayeeReview, from.batches)
}

// Steps are what people may do about a batch in its current state.
type Steps struct {
	Bound ledger.Bound     // what binds a decision about it
	Legal []ledger.Next    // ledger.BatchRecord.Legal
	Retry []ledger.Attempt // its payouts that may be planned again
	Locks []ledger.Lock    // of its payouts that are over; for each payout the gravest first
}

// Steps returns what may be done about a batch.
func (a *App) Steps(ctx context.Context, call Call, id string) (Steps, error) {
	return reading(ctx, a, call, func(o *operation) (s Steps, err error) {
		if s.Bound, err = o.bound(ctx, id); err != nil {
			return s, err
		}
		k, err := o.store.BatchRecord(ctx, id)
		if err != nil {
			return s, err
		}
		s.Legal = k.Legal(o.set.Poll.OverdueAfter.Std(), o.env.Now())
		s.Retry, s.Locks, err = o.store.Retryable(ctx, id)
		return s, err
	})
}

// readAhead is a store that has read the facts about the batches of a whole sheet at once. With many batches,
// one query for each takes far longer. It is only for code that does not write while it uses it.
type readAhead struct {
	store
	batches  []ledger.Batch
	attempts map[string][]ledger.Attempt      // by batch
	events   map[string][]ledger.Event        // by batch
	statuses map[string]ledger.ApprovalStatus // by batch
}

// fewPayouts is the highest average number of payouts in a batch for which the attempts of a sheet are
// read ahead. Above it, a query for each batch costs little compared with its payouts, and a large
// sheet must not be in memory as a whole.
const fewPayouts = 20

// ahead reads the facts about these batches, which are some of the filter's. For a few batches it
// leaves approvals and attempts to be read when they are needed.
func (o *operation) ahead(ctx context.Context, f ledger.Filter, batches []ledger.Batch) (r readAhead, err error) {
	r = readAhead{o.store, batches, map[string][]ledger.Attempt{}, map[string][]ledger.Event{}, nil}
	if len(batches) <= fewBatches {
		for _, b := range batches {
			if r.events[b.ID], err = o.eventsOf(ctx, b.ID); err != nil {
				return r, err
			}
		}
		return r, nil
	}
	payouts := 0
	for _, b := range batches {
		payouts += b.Count
		r.events[b.ID] = nil
	}
	f.Attempts = true
	if payouts <= fewPayouts*len(batches) {
		err = o.store.EachPayout(ctx, f, func(a ledger.Attempt) error {
			r.attempts[a.BatchID] = append(r.attempts[a.BatchID], a)
			return nil
		})
		if err != nil {
			return r, err
		}
	}
	err = o.store.EventsOf(ctx, f, func(e ledger.Event) error {
		if of, asked := r.events[e.BatchID]; asked {
			r.events[e.BatchID] = append(of, e)
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	r.statuses, err = o.store.ApprovalStatuses(ctx, f)
	return r, err
}

// Attempts implements submitter.Store.
func (r readAhead) Attempts(ctx context.Context, batchID string) ([]ledger.Attempt, error) {
	if list, ok := r.attempts[batchID]; ok {
		return slices.Clone(list), nil
	}
	return r.store.Attempts(ctx, batchID)
}

// ApprovalStatus implements submitter.Store.
func (r readAhead) ApprovalStatus(ctx context.Context, batchID string) (ledger.ApprovalStatus, error) {
	if c, ok := r.statuses[batchID]; ok {
		return c, nil
	}
	return r.store.ApprovalStatus(ctx, batchID)
}

// fewBatches is the highest number of batches that are read one by one instead of with all of their sheet.
const fewBatches = 100

// eventsOf returns the events of a batch, oldest first.
func (o *operation) eventsOf(ctx context.Context, batchID string) ([]ledger.Event, error) {
	return gathered(ctx, o.store.EventsOf, ledger.Filter{BatchID: batchID})
}
