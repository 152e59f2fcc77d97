package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"payrun/ledger"
)

var races = []Check{
	{"of many steps at once one happens", ofManyStepsOneHappens},
	{"two who have the ledger open cannot both act on what they saw", twoCannotBothAct},
	{"what two record at once of one batch is all there, in order", nothingIsLostBetweenTwo},
	{"of two loads at once that share a reference one happens", ofTwoLoadsOneHappens},
	{"of two retries at once one happens", ofTwoRetriesOneHappens},
	{"a second run that opens the ledger waits its turn or shares it", aSecondRun},
	{"a run that was open when the ledger was moved records nothing more", aRunThatWasOpenWhenItWasMoved},
}

// atOnce runs do in n goroutines that start together, on the desks in turn, and returns the result of each.
func atOnce(n int, desks []*desk, do func(i int, d *desk) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			<-start
			errs[i] = do(i, desks[i%len(desks)])
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// one requires that exactly one of them succeeded and that the others failed with one of the sentinels.
func (d *desk) one(errs []error, sentinels ...error) {
	d.Helper()
	happened := 0
	for _, err := range errs {
		if err == nil {
			happened++
			continue
		}
		refused := false
		for _, sentinel := range sentinels {
			refused = refused || errors.Is(err, sentinel)
		}
		if !refused {
			d.Errorf("%v", err)
		}
	}
	if happened != 1 {
		d.Errorf("%d of them happened", happened)
	}
}

func ofManyStepsOneHappens(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 4, 2)
	d.hold(b[1].ID)
	desks := []*desk{d, d.other()}
	for _, step := range []ledger.Step{
		{BatchID: b[0].ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(4)},
		{BatchID: b[1].ID, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: minute(4)},
	} {
		before := d.world()
		step.Actor, step.PayloadSHA256, step.Looks = asha, hash("x"), looked(step.BatchID)
		d.one(atOnce(8, desks, func(_ int, d *desk) error { return d.Apply(d.ctx, step) }), ledger.ErrConflict)
		want, err := before.after(step)
		d.must(err)
		d.is(want, "%s eight times at once", step.Event)
	}
	d.whole()
}

// The second run acts on what it saw before the first one acted.
func twoCannotBothAct(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 6, 2)
	d.hold(b[0].ID)
	d.hold(b[1].ID)
	other := d.other()
	for i, c := range []struct{ first, second ledger.Step }{
		{ledger.Step{Event: ledger.SubmitIntended, PayloadSHA256: hash("a")}, ledger.Step{Event: ledger.SubmitIntended, PayloadSHA256: hash("b")}},
		{ledger.Step{Event: ledger.Abandoned, Person: "no OTP"}, ledger.Step{Event: ledger.SubmitIntended, PayloadSHA256: hash("b")}},
	} {
		id := b[i].ID
		seen := other.batch(id) // stale from here on
		c.first.BatchID, c.first.Actor, c.first.From, c.first.At = id, asha, ledger.BatchHeld, minute(10)
		c.second.BatchID, c.second.Actor, c.second.From, c.second.At = id, ravi, seen.State, minute(11)
		c.first.Looks, c.second.Looks = looksFor(c.first), looksFor(c.second)
		d.takes(c.first)
		before := d.world()
		if err := other.Apply(other.ctx, c.second); !errors.Is(err, ledger.ErrConflict) {
			d.Errorf("%s after %s: %v", c.second.Event, c.first.Event, err)
		}
		d.is(before, "%s after %s", c.second.Event, c.first.Event)
		other.is(before, "seen by the other")
	}
	// once another run has recovered a call of a run that ended, the call's outcome cannot be recorded
	d.intend(b[2].ID, ledger.InitiateIntended, minute(12))
	if _, err := other.Recover(other.ctx, ravi, minute(13)); err != nil {
		d.Fatal(err)
	}
	if d.takes(ledger.Step{Actor: asha, BatchID: b[2].ID, From: ledger.BatchInitiating, Event: ledger.InitiateAccepted, At: minute(14), Outcome: ledger.Accepted}) {
		d.Error("an outcome was recorded over the doubt")
	}
	d.whole()
}

// Steps that leave the batch in its state have the same From: each must see what the one before it
// recorded.
func nothingIsLostBetweenTwo(t testing.TB, o Opener) {
	const n = 100
	d := begin(t, o)
	id := d.load("nov", 3, 3)[0].ID
	d.hold(id)
	d.submit(id)
	had := d.world()
	attempts := d.attempts(id)
	errs := atOnce(n, []*desk{d, d.other()}, func(i int, d *desk) error {
		return d.Apply(d.ctx, ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchSubmitted, At: minute(5), Note: fmt.Sprint("note ", i),
			Observed: []ledger.Observed{see(attempts[i%len(attempts)], ledger.StatusPending, fmt.Sprint("CODE_", i))}})
	})
	for _, err := range errs {
		if err != nil && !errors.Is(err, ledger.ErrConflict) { // the step can be tried again; nothing of it was recorded
			d.Error(err)
		}
	}
	w, recorded := d.world(), 0
	for _, err := range errs {
		if err == nil {
			recorded++
		}
	}
	if len(w.Observations) != len(had.Observations)+recorded || len(w.Events) != len(had.Events)+recorded {
		d.Errorf("%d steps recorded %d observations and %d events", recorded, len(w.Observations)-len(had.Observations), len(w.Events)-len(had.Events))
	}
	seen := map[ledger.AttemptKey]ledger.NewObservation{}
	for _, o := range w.Observations {
		if o.Seq != seen[o.AttemptKey].Seq+1 {
			d.Errorf("after observation %d of payout %d comes %d", seen[o.AttemptKey].Seq, o.PayoutID, o.Seq)
		}
		seen[o.AttemptKey] = o
	}
	for _, a := range w.Attempts {
		if last := seen[a.Key()]; a.BankStatusCode != last.BankStatusCode {
			d.Errorf("payout %d has code %s, last seen was %s", a.ID, a.BankStatusCode, last.BankStatusCode)
		}
	}
	d.whole()
}

func ofTwoLoadsOneHappens(t testing.TB, o Opener) {
	d := begin(t, o)
	d.load("nov", 3, 3)
	d.one(atOnce(4, []*desk{d, d.other()}, func(i int, d *desk) error {
		list := payouts(fmt.Sprint("dec", i), 3)
		list[1].Ref = "shared"
		_, err := d.tryLoad(fmt.Sprint("dec", i), list, plan(list, 3))
		return err
	}), ledger.ErrDuplicate)
	if w := d.world(); len(w.Sheets) != 2 || len(w.Batches) != 2 || len(w.Attempts) != 6 {
		d.Errorf("%d sheets, %d batches, %d attempts", len(w.Sheets), len(w.Batches), len(w.Attempts))
	}
	d.whole()
}

func ofTwoRetriesOneHappens(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 2)
	d.abandon(b[0].ID, minute(1))
	over := d.attempts(b[0].ID)
	d.one(atOnce(6, []*desk{d, d.other()}, func(_ int, d *desk) error {
		_, err := d.PlanRetry(d.ctx, asha, minute(2), over, plan(payoutsOf(over), 2))
		return err
	}), ledger.ErrPayoutLocked)
	if w := d.world(); len(w.Batches) != 2 || len(w.Attempts) != 4 {
		d.Errorf("%d batches, %d attempts", len(w.Batches), len(w.Attempts))
	}
	d.whole()
}

func aSecondRun(t testing.TB, o Opener) {
	d := begin(t, o)
	id := d.load("nov", 2, 2)[0].ID
	before := d.world()
	second, err := o.Open(d.ctx)
	switch {
	case errors.Is(err, ledger.ErrLocked):
	case err != nil:
		d.Errorf("a second run: %v", err)
	default:
		if err := second.Close(); err != nil {
			d.Error(err)
		}
	}
	d.is(before, "a second run")
	d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: minute(1)})
	d.reopen()
	d.whole()
}

// A run that was open when the ledger was moved records nothing after that. Otherwise the ledger would go
// on next to the new one.
func aRunThatWasOpenWhenItWasMoved(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 2)
	other := d.other()
	_, head := d.rowsOf(d.Store)
	d.must(d.End(d.ctx, head, asha, "new.jsonl", minute(5)))
	for name, err := range map[string]error{
		"a step": other.Apply(other.ctx, ledger.Step{Actor: ravi, BatchID: b[0].ID, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: minute(6), Person: "x"}),
		"a load": func() error { _, _, err := other.loadAs("dec", func(*ledger.Sheet) {}); return err }(),
	} {
		if !errors.Is(err, ledger.ErrMoved) {
			d.Errorf("%s: %v", name, err)
		}
	}
	if err := other.Moved(other.ctx); !errors.Is(err, ledger.ErrMoved) {
		d.Errorf("then: %v", err)
	}
}
