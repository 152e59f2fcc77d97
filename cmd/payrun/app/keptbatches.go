package app

import (
	"context"
	"slices"

	"payrun/ledger"
	"payrun/submitter"
)

// keptBatches is what was read of the planned batches of a sheet, for who looks again.
// Nothing is decided by it: what a decision is bound to is asked of the ledger, under its
// lock (Binding). A planned batch's payouts are what they were planned as, and whatever
// happens to it is an event of its own; what others were paid meanwhile bears on whom it
// pays. So only what these tell of is read anew.
type keptBatches struct {
	stands ledger.AuditHead // what happened up to then is in it
	hour   string           // who was paid lately is asked anew each hour, and with each day
	of     map[string]*keptBatch
}

// keptBatch is one of them. It is not changed any more.
type keptBatch struct {
	payload   string         // the hash of what would be sent
	told      ledger.Told    // what the trail tells of it
	consent   ledger.Consent // without the policy, and who is who
	corrected []string       // what a later sheet changed
	whom      *Whom          // whom it pays; nil where that was not asked
}

// Size is of how many batches and payouts something is kept, each a kilobyte at most.
func (p *Planned) Size() int {
	n := len(p.Batches) + len(p.Corrected)
	for _, k := range p.kept.of {
		if k.whom != nil {
			n += len(k.whom.New.First) + len(k.whom.Unusual.First) + len(k.whom.Largest)
			for _, same := range k.whom.Repeated.First {
				n += len(same)
			}
		}
	}
	return n
}

// keptOfBatch bounds what is kept of each list about a batch: as many as are shown of all
// of them.
const keptOfBatch = 50

// lookAtEach looks at planned batches, which are those of the filter.
func (o *operation) lookAtEach(ctx context.Context, f ledger.Filter, batches []ledger.Batch, payees bool, last keptBatches) (keptBatches, error) {
	now := keptBatches{hour: o.set.Hour(o.env.Now()), of: make(map[string]*keptBatch, len(batches))}
	then, err := o.happenedSince(ctx, last.stands)
	if err != nil {
		return now, err
	}
	now.stands = then.stands
	anew := batches
	if then.follow && now.hour == last.hour {
		if anew, err = o.goOn(ctx, f, batches, last, &then, now); err != nil {
			return now, err
		}
	}
	if len(anew) == 0 {
		return now, nil
	}
	from, err := o.ahead(ctx, f, anew)
	if err != nil {
		return now, err
	}
	fields, err := o.fields()
	if err != nil {
		return now, err
	}
	for _, b := range anew {
		k := &keptBatch{}
		now.of[b.ID] = k
		err := from.BatchEvents(ctx, b.ID, func(e ledger.Event) error {
			if e.Seq <= now.stands.Length { // the next look has the others
				k.follow(&e)
			}
			return nil
		})
		if err != nil {
			return now, err
		}
		consent, err := from.Consent(ctx, b.ID)
		if err != nil {
			return now, err
		}
		k.keep(consent)
		bound, err := submitter.BindPlanned(ctx, from, fields, b, &k.told)
		if err != nil {
			return now, err
		}
		k.payload = bound.Payload
	}
	if !payees {
		return now, nil
	}
	own := o.store
	defer func() { o.store = own }()
	o.store = from
	return now, o.askPayees(ctx, anew, func(b ledger.Batch, whom Whom) error {
		whom.New.First, whom.Unusual.First, whom.Repeated.First = atMost(whom.New.First), atMost(whom.Unusual.First), atMost(whom.Repeated.First)
		now.of[b.ID].whom = &whom
		return nil
	})
}

func atMost[T any](list []T) []T { return slices.Clip(list[:min(keptOfBatch, len(list))]) }

// follow takes the next event of the batch.
func (k *keptBatch) follow(e *ledger.Event) {
	k.told.Follow(e)
	if e.Kind == ledger.EventCorrected {
		k.corrected = append(k.corrected, e.Detail)
	}
}

// keep keeps a consent without what is the same of all.
func (k *keptBatch) keep(consent ledger.Consent) {
	consent.Policy, consent.People = ledger.PolicyTrail{}, ledger.Roster{}
	k.consent = consent
}

// goOn keeps of the batches those to which nothing happened, and of which others only
// approved what was read, and returns those that are to be read anew: all, where something
// happened to what was loaded before their sheet.
func (o *operation) goOn(ctx context.Context, f ledger.Filter, batches []ledger.Batch, last keptBatches, then *meanwhile, now keptBatches) (anew []ledger.Batch, err error) {
	sheets, err := o.store.Sheets(ctx)
	if err != nil {
		return nil, err
	}
	earlier := map[string]bool{}
	for _, s := range sheets {
		if s.ID == f.SheetID {
			break
		}
		earlier[s.ID] = true
	}
	happened := map[string][]*ledger.Event{}
	for i := range then.events {
		e := &then.events[i]
		if e.BatchID == "" {
			continue
		}
		if earlier[e.SheetID] && isOther(e) {
			return batches, nil
		}
		happened[e.BatchID] = append(happened[e.BatchID], e)
	}
	var approved []ledger.Batch
	for _, b := range batches {
		k, events := last.of[b.ID], happened[b.ID]
		switch {
		case k == nil || slices.ContainsFunc(events, isOther):
			anew = append(anew, b)
		case len(events) == 0:
			now.of[b.ID] = k
		default:
			now.of[b.ID] = k.after(events)
			approved = append(approved, b)
		}
	}
	return anew, o.consentAnew(ctx, f, approved, now)
}

// isOther reports whether an event is no approval: that leaves a batch, and whom it pays,
// as they are.
func isOther(e *ledger.Event) bool { return e.Kind != ledger.EventApproved }

// after is what is kept of the batch, with what happened since.
func (k *keptBatch) after(events []*ledger.Event) *keptBatch {
	now := *k
	now.told.Approved, now.told.ApprovedAt = slices.Clip(k.told.Approved), slices.Clip(k.told.ApprovedAt)
	now.corrected = slices.Clip(k.corrected)
	for _, e := range events {
		now.follow(e)
	}
	return &now
}

// consentAnew reads who agreed to some of the filter's batches.
func (o *operation) consentAnew(ctx context.Context, f ledger.Filter, batches []ledger.Batch, now keptBatches) (err error) {
	var all map[string]ledger.Consent
	if len(batches) > fewBatches {
		if all, err = o.store.Consents(ctx, f); err != nil {
			return err
		}
	}
	for _, b := range batches {
		consent := all[b.ID]
		if all == nil {
			if consent, err = o.store.Consent(ctx, b.ID); err != nil {
				return err
			}
		}
		now.of[b.ID].keep(consent)
	}
	return nil
}
