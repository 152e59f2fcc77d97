package app

import (
	"cmp"
	"context"
	"slices"

	"payrun/ledger"
	"payrun/submitter"
)

// ErrOwn: who planned a batch cannot approve it.
var ErrOwn = submitter.ErrSamePerson

// Planned is what a person looks at before they approve planned batches or
// initiate them, with what their decision is bound to. The bank was not asked.
type Planned struct {
	Outgoing // ToType is what is typed to initiate

	Bound     []ledger.Bound // each of Batches, in their order
	Plan      string         // of all of them; see Binding
	Decisions []BatchDecision
	InFlight  map[string]ledger.Paise // what may still be debited, by debit account
	Paid      map[string]ledger.Paise // what was, or may have been: see App.Paid

	// TwoPerson: another person than the planner has to approve each.
	TwoPerson bool
	// Own is why whoever looks cannot approve one of them: they planned it, or may be
	// who did (ledger.ErrNotApart); nil where they may.
	Own error
	// Agreed: nobody has to approve anything any more.
	Agreed bool
	// Environment is what has to be typed once, as the bank does not say of the host
	// where money moves which environment it is; nil where it need not.
	Environment *ledger.Environment
}

// BatchDecision is how people stand to a planned batch.
type BatchDecision struct {
	PlannedBy string
	Approvals []ledger.Event // oldest first
	Missing   string         // why it may not be initiated yet; "" where it may

	own error
}

// Planned tells of the planned batches of a sheet, or of one batch. It is nil where
// none is planned; ledger.ErrNotFound where there is no such sheet or batch.
func (a *App) Planned(ctx context.Context, call Call, f ledger.Filter) (*Planned, error) {
	return a.lookAtPlanned(ctx, call, f, (*operation).addPlanned)
}

// Unreviewed is Planned without what takes long: nothing is said of the payees. It is
// for who asks again what may be done, and for a button.
func (a *App) Unreviewed(ctx context.Context, call Call, f ledger.Filter) (*Planned, error) {
	return a.lookAtPlanned(ctx, call, f, (*operation).addBatches)
}

// adding adds planned batches to what is about to be sent.
type adding func(o *operation, ctx context.Context, out *Outgoing, batches []ledger.Batch) error

func (a *App) lookAtPlanned(ctx context.Context, call Call, f ledger.Filter, add adding) (d *Planned, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		if err := o.exists(ctx, f); err != nil {
			return err
		}
		batches, err := o.planned(ctx, f)
		if err != nil || len(batches) == 0 {
			return err
		}
		from, err := o.ahead(ctx, f, batches)
		if err != nil {
			return err
		}
		o.store = from
		d, err = o.lookAt(ctx, from, batches, add)
		return err
	})
	return d, err
}

// exists is ledger.ErrNotFound where the filter names what is not in the ledger.
func (o *operation) exists(ctx context.Context, f ledger.Filter) (err error) {
	if f.SheetID != "" {
		_, err = o.sheet(ctx, f.SheetID)
	} else {
		_, err = o.store.Batch(ctx, f.BatchID)
	}
	return err
}

// planned are the planned batches of the filter, in the order of planning.
func (o *operation) planned(ctx context.Context, f ledger.Filter) ([]ledger.Batch, error) {
	batches, err := o.store.Batches(ctx, f)
	return slices.DeleteFunc(batches, func(b ledger.Batch) bool { return b.State != ledger.BatchPlanned }), err
}

func (o *operation) lookAt(ctx context.Context, from readAhead, batches []ledger.Batch, add adding) (*Planned, error) {
	d := &Planned{Outgoing: *o.newOutgoing(), TwoPerson: o.policy.TwoPerson, Agreed: true}
	fields, err := o.fields()
	if err != nil {
		return nil, err
	}
	if err := add(o, ctx, &d.Outgoing, batches); err != nil {
		return nil, err
	}
	slices.SortStableFunc(d.Accounts, func(a, b OutgoingAccount) int { return cmp.Compare(b.Payouts.Total, a.Payouts.Total) })
	if d.Bound, err = from.bound(ctx, fields, batches); err != nil {
		return nil, err
	}
	d.Plan = ledger.PlanDigest(d.Bound).String()
	if d.InFlight, err = o.store.InFlight(ctx); err != nil {
		return nil, err
	}
	if d.Paid, err = o.store.Paid(ctx); err != nil {
		return nil, err
	}
	for _, b := range d.Bound {
		one, err := o.decision(ctx, b)
		if err != nil {
			return nil, err
		}
		d.Decisions = append(d.Decisions, one)
		d.Agreed = d.Agreed && one.Missing == ""
		if d.Own == nil {
			d.Own = one.own
		}
	}
	need, err := submitter.New(o.store, nil, o.engineSettings()).ToConfirm(ctx, batches) // which asks the ledger alone
	if err != nil {
		return nil, err
	}
	if need != nil {
		d.ToType = &NeedsConfirmation{Total: need.Total, Above: o.policy.ConfirmAbove}
	}
	d.Environment, err = o.unsaidEnvironment(ctx)
	return d, err
}

// decision is how people stand to a batch that is bound so.
func (o *operation) decision(ctx context.Context, b ledger.Bound) (one BatchDecision, err error) {
	consent, err := o.store.Consent(ctx, b.BatchID)
	if err != nil {
		return one, err
	}
	consent = consent.Now(o.env.Now())
	one = BatchDecision{PlannedBy: consent.PlannedBy, Approvals: consent.Approvals, own: consent.Another(o.call.Actor)}
	if missing := consent.To(b.Payload); missing != nil && o.policy.TwoPerson {
		one.Missing = missing.Error()
	}
	return one, nil
}
