package app

import (
	"context"
	"errors"

	"payrun/ledger"
	"payrun/submitter"
)

// concern says which batches a use case speaks about when it tells what waits
// for somebody.
type concern struct {
	named      []string // the batches that were named or acted on
	everywhere bool     // whatever is unknown, held, disputed or open anywhere counts too
	past       bool     // and payouts that failed or came back, whenever that was
}

// attention turns what the ledger holds into the errors of what waits for
// somebody, or nil. A quarantined batch counts wherever it is.
func (o *operation) attention(ctx context.Context, c concern) error {
	all, err := o.store.Batches(ctx, ledger.Filter{})
	if err != nil {
		return err
	}
	named := make(map[string]bool, len(c.named))
	for _, id := range c.named {
		named[id] = true
	}
	var found waits
	for _, b := range all {
		found.add(b, c.everywhere || named[b.ID], named[b.ID])
	}
	tallies, err := o.tallies(ctx, c)
	if err != nil {
		return err
	}
	return errors.Join(append(found.errors(), payoutErrors(tallies)...)...)
}

// tallies counts the payouts of the concern, by state.
func (o *operation) tallies(ctx context.Context, c concern) (map[ledger.PayoutState]ledger.Tally, error) {
	tallies := map[ledger.PayoutState]ledger.Tally{}
	if c.everywhere {
		everything, err := o.store.Tallies(ctx)
		if err != nil || c.past {
			return everything, err
		}
		tallies[ledger.PayoutDisputed] = everything[ledger.PayoutDisputed]
	}
	for _, id := range c.named {
		err := o.store.EachPayout(ctx, ledger.Filter{BatchID: id}, func(at ledger.Attempt) error {
			if c.everywhere && at.State == ledger.PayoutDisputed {
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

// waits holds batches by what they wait for.
type waits struct {
	quarantined, unknown, held, person, open, refused []ledger.Batch
}

// add sorts one batch in. within: the use case speaks about it; acted: it did
// something to it.
func (w *waits) add(b ledger.Batch, within, acted bool) {
	if b.State == ledger.BatchQuarantined {
		w.quarantined = append(w.quarantined, b)
		return
	}
	if !within {
		return
	}
	switch b.State {
	case ledger.BatchInitiating, ledger.BatchInitiateUnknown, ledger.BatchSubmitting, ledger.BatchSubmitUnknown:
		w.unknown = append(w.unknown, b)
	case ledger.BatchHeld:
		w.held = append(w.held, b)
	case ledger.BatchSubmitted:
		w.open = append(w.open, b)
	case ledger.BatchRefused:
		if acted {
			w.refused = append(w.refused, b)
		}
	}
	if b.Attention != ledger.NeedsNothing && b.State != ledger.BatchAbandoned {
		w.person = append(w.person, b)
	}
}

func (w *waits) errors() []error {
	var out []error
	add := func(bs []ledger.Batch, code Code, what string, next func(id string) Hint) {
		if len(bs) > 0 {
			out = append(out, Fail(code, "%s %s: %s", batches(len(bs)), what, someIDs(bs)).Then(next(bs[0].ID)))
		}
	}
	add(w.quarantined, Mismatch, "quarantined, because the bank's answer did not match what was sent", func(id string) Hint {
		return Do("abandon", id, "--reason", "the bank's answer did not match what was sent").First("look at it with the bank, then")
	})
	add(w.unknown, OutcomeUnknown, "with an unknown outcome", func(string) Hint { return Do("poll").First("never send again; next") })
	add(w.refused, PayoutsFailed, "refused by the bank", func(id string) Hint {
		return Do("retry", id).First("remove the cause, then plan the payouts anew")
	})
	add(w.held, NeedsPerson, "waiting for the OTP", func(string) Hint { return Do("submit").First("next") })
	add(w.person, NeedsPerson, "in need of a person", func(string) Hint { return Do("status").First("the reason is in") })
	add(w.open, PayoutsOpen, "still open at the bank", func(string) Hint { return Do("poll", "--wait", "10m").First("next") })
	return out
}

func payoutErrors(tallies map[ledger.PayoutState]ledger.Tally) []error {
	var out []error
	if t := tallies[ledger.PayoutDisputed]; t.Count > 0 {
		out = append(out, Fail(Mismatch, "%s disputed (%s): the bank contradicts itself", payouts(t.Count), t.Total.Rupees()).
			Then(Do("payouts", "--state", "disputed").First("ask the bank; see them with")))
	}
	failed, returned := tallies[ledger.PayoutFailed], tallies[ledger.PayoutReturned]
	if n := failed.Count + returned.Count; n > 0 {
		out = append(out, Fail(PayoutsFailed, "%s failed or came back (%s)", payouts(n), (failed.Total+returned.Total).Rupees()).
			Then(Do("payouts", "--state", "failed,returned").First("see them with")).
			Then(Do("retry", "SHEET_ID").First("plan new attempts with")))
	}
	return out
}

// waiting is the error of a use case that left batches planned, or nil: some
// wait for a second person, others behind a batch of their debit account.
func waiting(results []Result) error {
	var person, turn []ledger.Batch
	for _, r := range results {
		switch {
		case r.Attention == ledger.ToBeApproved:
			person = append(person, r.Batch)
		case r.Outcome == submitter.OutcomeWaiting:
			turn = append(turn, r.Batch)
		}
	}
	var failures []error
	if len(person) > 0 {
		failures = append(failures, Fail(NeedsPerson, "%s waiting for another person's approval: %s", batches(len(person)), someIDs(person)).
			Then(approve(person).First("a different person than who planned them has to run")).
			Then(Do("initiate", "--all").First("then")))
	}
	if len(turn) > 0 {
		failures = append(failures, Fail(NeedsPerson, "%s waiting until another of the debit account has its OTP: %s", batches(len(turn)), someIDs(turn)).
			Then(Do("submit").First("next")).
			Then(Do("initiate", "--all").First("then")))
	}
	return errors.Join(failures...)
}

// nextOf says what a person has to do next, by what stands in the way most.
// Empty when nothing is left to do.
func (o *operation) nextOf(all []ledger.Batch) []Hint {
	in := map[ledger.BatchState][]ledger.Batch{}
	for _, b := range all {
		in[b.State] = append(in[b.State], b)
	}
	quarantined, held, open := in[ledger.BatchQuarantined], in[ledger.BatchHeld], in[ledger.BatchSubmitted]
	switch {
	case len(quarantined) > 0:
		return []Hint{Do("abandon", quarantined[0].ID, "--reason", "the bank's answer did not match what was sent").
			First("look at the quarantined %s with the bank, then", batches(len(quarantined)))}
	case len(in[ledger.BatchInitiateUnknown])+len(in[ledger.BatchSubmitUnknown])+len(in[ledger.BatchInitiating])+len(in[ledger.BatchSubmitting]) > 0:
		return []Hint{Do("poll").Which("(an outcome is unknown; never send again)")}
	case len(held) > 0:
		return []Hint{Do("submit").Which("(%s held for the OTP)", batches(len(held)))}
	case len(in[ledger.BatchPlanned]) > 0:
		return o.nextOfPlanned(in[ledger.BatchPlanned])
	case len(open) > 0:
		return []Hint{Do("poll", "--wait", "10m").Which("(%s open at the bank)", batches(len(open)))}
	}
	return nil
}

// nextOfPlanned says what planned batches wait for.
func (o *operation) nextOfPlanned(planned []ledger.Batch) []Hint {
	if len(planned) == 0 {
		return nil
	}
	send := Do("initiate", "--all").Which("(%s planned)", batches(len(planned)))
	if o.set.Policy.TwoPerson {
		return []Hint{approve(planned).First("by another person than who planned them"), send}
	}
	return []Hint{send}
}

// approve is the command for the first few batches: a command for thousands
// would not be typed.
func approve(bs []ledger.Batch) Hint {
	const few = 3
	return Do(append([]string{"approve"}, ids(bs[:min(few, len(bs))])...)...)
}
