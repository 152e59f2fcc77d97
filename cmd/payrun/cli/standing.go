package cli

import (
	"context"
	"errors"
	"strings"

	"payrun/ledger"
)

// scope says which batches a command's exit code speaks about.
type scope struct {
	named []string // the batches that were named or acted on
	all   bool     // whatever is unknown, held, disputed or open anywhere counts too
	past  bool     // and payouts that failed or came back, whenever that was
}

// standing turns what the ledger holds into the failures of the contract's
// table, or nil. A quarantined batch counts wherever it is.
func (d *desk) standing(ctx context.Context, s scope) error {
	all, err := d.store.Batches(ctx, ledger.Filter{})
	if err != nil {
		return err
	}
	named := make(map[string]bool, len(s.named))
	for _, id := range s.named {
		named[id] = true
	}
	var found sorted
	for _, b := range all {
		found.add(b, s.all || named[b.ID], named[b.ID])
	}
	tallies, err := d.tallies(ctx, s)
	if err != nil {
		return err
	}
	return errors.Join(append(found.failures(), payoutFailures(tallies)...)...)
}

// tallies counts the payouts the scope speaks about, by state.
func (d *desk) tallies(ctx context.Context, s scope) (map[ledger.PayoutState]ledger.Tally, error) {
	tallies := map[ledger.PayoutState]ledger.Tally{}
	if s.all {
		everything, err := d.store.Tallies(ctx)
		if err != nil || s.past {
			return everything, err
		}
		tallies[ledger.PayoutDisputed] = everything[ledger.PayoutDisputed]
	}
	for _, id := range s.named {
		err := d.store.EachPayout(ctx, ledger.Filter{BatchID: id}, func(at ledger.Attempt) error {
			if s.all && at.State == ledger.PayoutDisputed {
				return nil // counted above
			}
			t := tallies[at.State]
			t.Add(at.Amount)
			tallies[at.State] = t
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return tallies, nil
}

// sorted holds batches by what they wait for.
type sorted struct {
	quarantined, unknown, held, person, open, refused []ledger.Batch
}

// add sorts one batch in. within: the scope speaks about it; acted: this
// command did something to it.
func (s *sorted) add(b ledger.Batch, within, acted bool) {
	if b.State == ledger.BatchQuarantined {
		s.quarantined = append(s.quarantined, b)
		return
	}
	if !within {
		return
	}
	switch b.State {
	case ledger.BatchInitiating, ledger.BatchInitiateUnknown, ledger.BatchSubmitting, ledger.BatchSubmitUnknown:
		s.unknown = append(s.unknown, b)
	case ledger.BatchHeld:
		s.held = append(s.held, b)
	case ledger.BatchSubmitted:
		s.open = append(s.open, b)
	case ledger.BatchRefused:
		if acted {
			s.refused = append(s.refused, b)
		}
	}
	if b.Attention != ledger.NeedsNothing && b.State != ledger.BatchAbandoned {
		s.person = append(s.person, b)
	}
}

func (s *sorted) failures() []error {
	var out []error
	add := func(bs []ledger.Batch, f *failure) {
		if len(bs) > 0 {
			f.what = batches(len(bs)) + " " + f.what + ": " + someIDs(bs)
			out = append(out, f)
		}
	}
	add(s.quarantined, fail(exitMismatch, "quarantined, because the bank's answer did not match what was sent").
		hint("look at it with the bank, then: payrun abandon BATCH --reason TEXT"))
	add(s.unknown, fail(exitUnknown, "with an unknown outcome").
		hint("never send again; next: payrun poll"))
	add(s.refused, fail(exitReturned, "refused by the bank").
		hint("mend the cause, then plan the payouts anew: payrun retry BATCH"))
	add(s.held, fail(exitPerson, "waiting for the OTP").
		hint("next: payrun submit"))
	add(s.person, fail(exitPerson, "in need of a person").
		hint("the reason is in: payrun status"))
	add(s.open, fail(exitOpen, "still open at the bank").
		hint("next: payrun poll --wait 10m"))
	return out
}

func payoutFailures(tallies map[ledger.PayoutState]ledger.Tally) []error {
	var out []error
	if t := tallies[ledger.PayoutDisputed]; t.Count > 0 {
		out = append(out, fail(exitMismatch, "%s disputed (%s): the bank contradicts itself", payouts(t.Count), t.Total.Rupees()).
			hint("ask the bank; see them with: payrun payouts --state disputed"))
	}
	failed, returned := tallies[ledger.PayoutFailed], tallies[ledger.PayoutReturned]
	if n := failed.Count + returned.Count; n > 0 {
		out = append(out, fail(exitReturned, "%s failed or came back (%s)", payouts(n), (failed.Total+returned.Total).Rupees()).
			hint("see them with: payrun payouts --state failed,returned").
			hint("plan new attempts with: payrun retry SHEET_ID"))
	}
	return out
}

// someIDs names the first few batches.
func someIDs(bs []ledger.Batch) string {
	const few = 3
	var ids []string
	for _, b := range head(bs, few) {
		ids = append(ids, b.ID)
	}
	if len(bs) > few {
		ids = append(ids, "…")
	}
	return strings.Join(ids, ", ")
}

// whatNext words the next step where nothing is left to wait for.
func (d *desk) whatNext(ctx context.Context) error {
	planned, err := d.store.BatchesIn(ctx, ledger.BatchPlanned)
	if err != nil {
		return err
	}
	d.next = "Nothing is left to do. The files are written by: payrun report"
	if n := len(planned); n > 0 {
		d.next = d.nextPlanned(n)
	}
	return nil
}

// finish ends a command that worked on batches: what the engine said, then
// where the ledger stands.
func (d *desk) finish(ctx context.Context, s scope, engine error) error {
	if err := context.WithoutCancel(ctx); engine != nil {
		return errors.Join(engineFailed(engine), d.standing(err, s))
	}
	standing := d.standing(context.WithoutCancel(ctx), s)
	if standing != nil {
		return standing
	}
	return d.whatNext(ctx)
}
