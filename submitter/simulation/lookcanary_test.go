package simulation

import (
	"context"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// lookCanaries are variants that skip a status check or ignore what it shows.
var lookCanaries = []canary{
	{name: "no_look_before_a_submit", wrap: onLook(func(b ledger.Batch) bool { return b.State == ledger.BatchHeld }), by: "invariant 22: submit"},
	{name: "no_look_before_an_initiate", wrap: onLook(func(b ledger.Batch) bool { return b.State == ledger.BatchPlanned }), by: "invariant 22: initiate"},
	{name: "no_look_at_earlier_attempts", wrap: onLook(func(b ledger.Batch) bool {
		return b.State == ledger.BatchSettled || b.State == ledger.BatchRefused || b.State == ledger.BatchAbandoned
	}), by: "invariant 22: submit"},
	{name: "refused_reference_renamed", wrap: onStore(func(s submitter.Store) submitter.Store { return renamingStore{s} }), by: "rule N"},
	{name: "broken_off_read_ignored", wrap: onRead(func(_ *history, r *ledger.StatusRead, attempts []ledger.Attempt) {
		if !r.Complete { // and everything is taken to be unchanged
			*r = asRecorded(ledger.Batch{ID: r.BatchID, BankAccountID: r.BankAccountID}, attempts)
		}
	}), by: "invariant 22: submit"},
	{name: "unlisted_value_ignored", wrap: onRead(func(_ *history, r *ledger.StatusRead, _ []ledger.Attempt) {
		for i := range r.Payouts {
			if !ledger.Listed(r.Payouts[i].Status) {
				r.Payouts[i].Status = ledger.StatusRequestInitiated
			}
		}
	}), by: "invariant 22: submit"},
	{name: "over_is_over", wrap: onStore(func(s submitter.Store) submitter.Store { return unwatchedStore{s} }), by: "rule W: a poll"},
	{name: "second_read_at_once", set: func(_ *history, s *submitter.Settings) { s.PollFirst = 0 }, by: "rule W"},
}

// onLook answers the checks of some batches from the ledger, without asking the bank.
func onLook(blind func(ledger.Batch) bool) wrapper {
	return func(_ *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		return s, blindBank{b, s, blind}
	}
}

type blindBank struct {
	submitter.Bank
	store submitter.Store
	blind func(ledger.Batch) bool
}

func (c blindBank) ReadStatus(ctx context.Context, id string, expect int, tries ledger.Patience) (ledger.StatusRead, error) {
	if tries != ledger.Brisk { // not a check
		return c.Bank.ReadStatus(ctx, id, expect, tries)
	}
	b, err := c.store.Batch(ctx, id)
	if err != nil || !c.blind(b) { // an id that is not in the ledger, or another batch
		return c.Bank.ReadStatus(ctx, id, expect, tries)
	}
	attempts, err := c.store.Attempts(ctx, id)
	if err != nil {
		return ledger.StatusRead{}, err
	}
	if b.State == ledger.BatchPlanned || b.State == ledger.BatchRefused {
		return c.Bank.ReadStatus(ctx, ledger.ProbeID(c.store.LedgerID()), expect, tries) // which the bank does not know
	}
	return asRecorded(b, attempts), nil
}

// asRecorded returns what the bank would show if nothing had happened since.
func asRecorded(b ledger.Batch, attempts []ledger.Attempt) ledger.StatusRead {
	r := ledger.StatusRead{Complete: true, Pages: 1, Answer: ledger.Answer{BatchID: b.ID, BankAccountID: b.BankAccountID}}
	for _, a := range attempts {
		o := ledger.Observation{WireRef: a.WireRef, Amount: a.Amount, HasAmount: true, OpenTxnID: a.OpenTxnID, BankTxnRefID: a.BankTxnRefID,
			Status: a.Status, BankStatusCode: a.BankStatusCode}
		if o.Status == "" {
			o.Status = ledger.StatusRequestInitiated
		}
		r.Payouts = append(r.Payouts, o)
	}
	return r
}

// unwatchedStore does not watch batches that are over.
type unwatchedStore struct{ submitter.Store }

func (s unwatchedStore) Watched(context.Context, time.Time, time.Time) ([]ledger.Batch, error) {
	return nil, nil
}

// renamingStore treats the references of a refused batch as used up, so that its payouts go out under new
// ones.
type renamingStore struct{ submitter.Store }

func (s renamingStore) Apply(ctx context.Context, step ledger.Step) error {
	if step.Event == ledger.InitiateRefused || step.Event == ledger.RefusalStands {
		step.Shown = true
	}
	return s.Store.Apply(ctx, step)
}
