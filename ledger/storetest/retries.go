package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var retries = []Check{
	{"a payout is what an earlier attempt is, once the later one surely did not pay", anEarlierAttemptDecides},
	{"only what is over for good can be retried", onlyWhatIsOver},
	{"planned payouts are not retryable, and abandoned ones are", plannedIsNotRetryable},
	{"a further attempt's reference is the first that was never used", retryReferences},
	{"a retry is planned whole or not at all", aRetryIsWhole},
	{"an attempt that comes back to life forbids the next submit", aliveElsewhere},
	{"doubt that expired is planned again, in the same step", doubtIsPlannedAnew},
}

func (d *desk) retryable(id string) []ledger.Attempt {
	d.Helper()
	list, _, err := d.Retryable(d.ctx, id)
	d.must(err)
	return list
}

func onlyWhatIsOver(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 6, 6)[0]
	d.hold(b.ID)
	d.submit(b.ID)
	answers := []string{ledger.StatusFailed, ledger.StatusFailed, ledger.StatusSuccess, ledger.StatusSuccess, ledger.StatusPending, "odd"}
	for n := range 2 {
		if got := d.retryable(b.SheetID); len(got) != 0 {
			d.Errorf("payouts in progress: %v", got)
		}
		var seen []ledger.Observed
		for i, a := range d.attempts(b.ID) {
			seen = append(seen, see(a, answers[i], ""))
		}
		d.takes(ledger.Step{Actor: asha, BatchID: b.ID, From: ledger.BatchSubmitted, At: minute(5 + n), Observed: seen})
	}
	back := see(d.attempts(b.ID)[3], ledger.StatusFailed, ledger.CodeReturned)
	d.takes(ledger.Step{Actor: asha, BatchID: b.ID, From: ledger.BatchSubmitted, At: minute(8), Observed: []ledger.Observed{back}})

	got := d.retryable(b.SheetID)
	refs := ledger.ListOf(got, func(a ledger.Attempt) string { return a.Ref + " " + string(a.State) })
	if diff := cmp.Diff([]string{"nov-1 failed", "nov-2 failed", "nov-4 returned"}, refs); diff != "" {
		d.Errorf("retryable (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(got, d.retryable(b.ID)); diff != "" {
		d.Errorf("by batch instead of by sheet:\n%s", diff)
	}
	if _, _, err := d.Retryable(d.ctx, "shnone"); !errors.Is(err, ledger.ErrNotFound) {
		d.Errorf("neither sheet nor batch: %v", err)
	}
	planned := d.again(minute(10), got, 2)
	if len(planned) != 2 || planned[0].Attempt != 2 || planned[0].Sequence != 2 || planned[1].Sequence != 3 ||
		planned[0].ID != ledger.BatchID(ledgerID, hash("nov"), accountCIB, 2, 2, []string{"nov-1-R2", "nov-2-R2"}) {
		d.Errorf("planned: %+v", planned)
	}
	if got := d.retryable(b.SheetID); len(got) != 0 {
		d.Errorf("once more: %v", got)
	}
	d.whole()
}

func plannedIsNotRetryable(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 4, 2)
	planned := d.attempts(b[0].ID)
	before := d.world()
	if got := d.retryable(b[0].SheetID); len(got) != 0 {
		d.Errorf("retryable: %v", got)
	}
	if _, err := d.PlanRetry(d.ctx, asha, minute(1), planned, plan(payoutsOf(planned), 2)); !errors.Is(err, ledger.ErrPayoutLocked) {
		d.Errorf("planning them again: %v", err)
	}
	d.is(before, "planning them again")
	d.abandon(b[1].ID, minute(2))
	if got := d.retryable(b[0].SheetID); len(got) != 2 || got[0].Ref != "nov-3" {
		d.Errorf("after one batch was abandoned: %v", got)
	}
	d.whole()
}

// It does not matter who used the references, and how they were spelt.
func retryReferences(t testing.TB, o Opener) {
	d := begin(t, o)
	list := payouts("INV", 3)
	list[1].Ref, list[2].Ref = "inv-1-r2", "Inv-1-R3"
	batches := d.loadList("nov", list, 1)
	id := batches[0].ID
	for n, want := range []string{"INV-1-R4", "INV-1-R5", "INV-1-R6"} {
		d.giveUp(id, minute(n))
		planned := d.again(minute(n), d.attempts(id), 1)
		id = planned[0].ID
		if a := d.attempts(id)[0]; a.WireRef != want || a.Number != n+2 || planned[0].Attempt != n+2 {
			d.Errorf("attempt %d carries %s, want %s", a.Number, a.WireRef, want)
		}
	}
	d.whole()
}

func aRetryIsWhole(t testing.TB, o Opener) {
	st := tell(t, o)
	over, alive := st.attempts(st.abandoned), st.attempts(st.submitted)
	other := st.load("dec", 1, 1)[0]
	st.desk.abandon(other.ID, minute(9))
	foreign, superseded := st.attempts(other.ID), st.attempts(st.refused)
	unknown := slices.Clone(over[:1])
	unknown[0].SheetID = "shnone"
	before := st.world()
	for name, c := range map[string]struct {
		attempts []ledger.Attempt
		plan     func([]ledger.PlannedBatch) []ledger.PlannedBatch
		want     error
	}{
		"an attempt that can still pay":        {attempts: slices.Concat(over, alive), want: ledger.ErrPayoutLocked},
		"an attempt that has another after it": {attempts: slices.Concat(over, superseded), want: ledger.ErrPayoutLocked},
		"attempts of two sheets":               {attempts: slices.Concat(over, foreign)},
		"an attempt in no batch":               {attempts: over, plan: func(b []ledger.PlannedBatch) []ledger.PlannedBatch { return b[:1] }, want: ledger.ErrRule},
		"an attempt in two batches":            {attempts: over, plan: func(b []ledger.PlannedBatch) []ledger.PlannedBatch { return append(b, b[0]) }, want: ledger.ErrRule},
		"a batch that sums otherwise":          {attempts: over, plan: func(b []ledger.PlannedBatch) []ledger.PlannedBatch { b[0].Total++; return b }, want: ledger.ErrRule},
		"another debit account":                {attempts: over, plan: func(b []ledger.PlannedBatch) []ledger.PlannedBatch { b[0].BankAccountID = accountOne; return b }, want: ledger.ErrRule},
		"an LEI its payouts do not have":       {attempts: over, plan: func(b []ledger.PlannedBatch) []ledger.PlannedBatch { b[0].BeneLEI = someLEI; return b }, want: ledger.ErrRule},
		"several payouts at a single bank": {attempts: over, plan: func(b []ledger.PlannedBatch) []ledger.PlannedBatch {
			b[0].Members, b[0].Total = []int32{0, 1}, b[0].Total+b[1].Total
			b[0].PartnerBankID, b[0].Kind = 4, ""
			return b[:1]
		}, want: ledger.ErrRule},
		"a sheet that is not there": {attempts: unknown, want: ledger.ErrNotFound},
	} {
		batches := plan(payoutsOf(c.attempts), 1)
		if c.plan != nil {
			batches = c.plan(batches)
		}
		planned, err := st.PlanRetry(st.ctx, asha, minute(20), c.attempts, batches)
		if err == nil || planned != nil || (c.want != nil && !errors.Is(err, c.want)) {
			st.Errorf("%s: %v, want %v", name, err, c.want)
		}
		st.is(before, "%s", name)
	}
	if planned, err := st.PlanRetry(st.ctx, asha, minute(20), nil, nil); err != nil || planned != nil {
		st.Errorf("nothing to retry: %v, %v", planned, err)
	}
	if _, err := st.PlanRetry(st.ctx, " ", minute(20), over, plan(payoutsOf(over), 1)); err == nil {
		st.Error("a retry was planned in nobody's name")
	}
	st.is(before, "a retry of nothing, and one of nobody")
	st.whole()
}

// A payout failed and was planned again, and then the bank calls it paid. The new attempt must not be
// submitted.
func aliveElsewhere(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 2)[0]
	d.hold(b.ID)
	d.submit(b.ID)
	for n := range 2 {
		d.apply(ledger.Step{BatchID: b.ID, From: ledger.BatchSubmitted, At: minute(5 + n), Observed: d.observe(b.ID, ledger.StatusFailed, "")})
	}
	next := d.again(minute(7), d.retryable(b.SheetID), 2)[0]
	d.hold(next.ID)
	late := see(d.attempts(b.ID)[1], ledger.StatusSuccess, "")
	d.takes(ledger.Step{Actor: asha, BatchID: b.ID, From: ledger.BatchSubmitted, At: minute(8), Observed: []ledger.Observed{late}})
	if a := d.attempts(b.ID)[1]; a.State != ledger.PayoutDisputed {
		d.Fatalf("paid after it failed: %s", a.State)
	}
	if d.takes(ledger.Step{Actor: asha, BatchID: next.ID, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: minute(9), PayloadSHA256: hash("x"), Looks: looked(next.ID), Statements: fetched}) {
		d.Error("a payout was about to be submitted whose earlier attempt may have paid")
	}
	d.takes(ledger.Step{Actor: asha, BatchID: next.ID, From: ledger.BatchHeld, Event: ledger.Abandoned, At: minute(10), Person: "paid already"})
	if got := d.retryable(b.SheetID); len(got) != 1 || got[0].Ref != "nov-1" {
		d.Errorf("retryable: %v", got)
	}
	d.whole()
}

func doubtIsPlannedAnew(t testing.TB, o Opener) {
	d := begin(t, o)
	old := d.load("nov", 3, 3)[0]
	d.intend(old.ID, ledger.InitiateIntended, minute(1))
	d.takes(ledger.Step{Actor: asha, BatchID: old.ID, From: ledger.BatchInitiating, Event: ledger.InitiateLost, At: minute(2)})
	d.takes(ledger.Step{Actor: ravi, BatchID: old.ID, From: ledger.BatchInitiateUnknown, Event: ledger.DoubtExpired, At: minute(40), Successor: true})
	planned, err := d.BatchesIn(d.ctx, ledger.BatchPlanned)
	if err != nil || len(planned) != 1 {
		d.Fatalf("%v, %v", planned, err)
	}
	b := planned[0]
	if b.ID == old.ID || b.ID != ledger.BatchID(ledgerID, hash("nov"), accountCIB, 1, 2, []string{"nov-1", "nov-2", "nov-3"}) || b.Attempt != 2 || b.Sequence != 1 || b.Total != old.Total || b.Count != 3 {
		d.Errorf("successor: %+v", b)
	}
	for i, a := range d.attempts(b.ID) {
		if a.Number != 2 || a.WireRef != fmt.Sprintf("nov-%d", i+1) || a.State != ledger.PayoutPlanned {
			d.Errorf("attempt: %+v", a)
		}
	}
	for _, a := range d.attempts(old.ID) {
		if a.State != ledger.PayoutCancelled {
			d.Errorf("old attempt: %+v", a)
		}
	}
	d.whole()
}

// The bank corrects `failed` to `success` after the payout was planned again.
func anEarlierAttemptDecides(t testing.TB, o Opener) {
	d := begin(t, o)
	first := d.load("nov", 1, 1)[0].ID
	d.failed(first)
	attempts := d.retryable(first)
	c := to(attempts[0], 2, "77700012345", attempts[0].Amount)
	_, planned, err := d.correct("fixed", []ledger.Corrected{c}, 0)
	d.must(err)
	second := planned[0].ID
	d.apply(ledger.Step{BatchID: first, From: ledger.BatchSubmitted, At: minute(8), Observed: d.observe(first, ledger.StatusSuccess, "")})
	is := func(state ledger.PayoutState, number int, batch string, to ledger.Payee) {
		d.Helper()
		for _, indexed := range []bool{false, true} {
			if indexed {
				d.index()
			}
			paid, err := d.Payees(plainFold).PaidSince(d.ctx, []ledger.Payee{attempts[0].Payee(), c.Is.Payee()}, t0, true)
			if err != nil || len(paid) != 1 || paid[to].State != state {
				d.Errorf("indexed %t: paid %v, %v, not %v", indexed, paid, err, to)
			}
		}
		tallies, err1 := d.Tallies(d.ctx)
		of, err2 := d.Tallies(d.ctx, batch)
		bySheet, err3 := d.SheetTallies(d.ctx)
		known, err4 := d.Payees(plainFold).PastPayouts(d.ctx, []int64{attempts[0].ID})
		d.must(errors.Join(err1, err2, err3, err4))
		list := d.listed(ledger.Filter{})
		if len(list) != 1 || list[0].Number != number || list[0].State != state || known[list[0].ID].Use.State != state {
			d.Errorf("%+v and %+v, not attempt %d, %s", list, known, number, state)
		}
		for _, by := range []map[ledger.PayoutState]ledger.Tally{tallies, of, bySheet[attempts[0].SheetID]} {
			if len(by) != 1 || by[state].Count != 1 {
				d.Errorf("not 1 %s: %v", state, by)
			}
		}
	}
	is(ledger.PayoutPlanned, 2, second, c.Is.Payee())
	d.abandon(second, minute(9))
	is(ledger.PayoutDisputed, 1, first, attempts[0].Payee())
	for _, batch := range []string{first, second} {
		free, locks, err := d.Retryable(d.ctx, batch)
		if err != nil || len(free) != 0 || len(locks) != 1 || locks[0].Kind != ledger.LockContradicted {
			d.Errorf("%v, %v, %v", free, locks, err)
		}
	}
	d.whole()
}
