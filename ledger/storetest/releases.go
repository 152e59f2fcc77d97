package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var releases = []Check{
	{"two people release a submit in doubt, or nobody does", twoPeopleRelease},
	{"words in releases are kept, in order, with their events", wordsAreKept},
	{"what was set aside is planned again only by its own name", setAsideIsPlannedByName},
	{"two people close a dispute, and what the bank shows then stays", disputesAreClosed},
	{"a batch whose last payout is closed as paid is over", closedAsPaidIsOver},
	{"what is released of a batch in doubt is locked when the batch moves", whatMovesIsLocked},
	{"a credit without a name is used by one release", aCreditIsUsedOnce},
	{"two people give a refused batch's payouts new references", newReferences},
}

// quick are waiting times that fit a story of minutes.
var quick = ledger.Waits{Wait: 10 * time.Second, Between: time.Second}

// release returns one person's release of a batch as not paid. The bank shows the batch as it was held.
func (d *desk) release(actor, id string, at time.Time) ledger.Step {
	d.Helper()
	return d.releasing(actor, id, at, ledger.StatusRequestInitiated)
}

func (d *desk) releasing(actor, id string, at time.Time, status string) ledger.Step {
	d.Helper()
	l := ledger.StatusCheck{BatchID: id, At: at, BankTime: at, Answer: ledger.LookShown, Closed: true, Complete: true}
	for _, a := range d.attempts(id) {
		l.Payouts = append(l.Payouts, ledger.Observation{WireRef: a.WireRef, Status: status, Amount: a.Amount, HasAmount: true, OpenTxnID: a.OpenTxnID})
	}
	return ledger.Step{Actor: actor, BatchID: id, From: d.batch(id).State, At: at,
		Release: &ledger.ReleaseRequest{As: ledger.ReleaseNotPaid, Reason: "because " + actor, Ticket: "mail 4711", Check: l, Statement: ledger.StatementFromBank, Waits: quick}}
}

// both lets two people release a batch or one of its payouts.
func (d *desk) both(id string, at time.Time, status string, change func(*ledger.ReleaseRequest)) {
	d.Helper()
	for i, actor := range []string{asha, ravi} {
		step := d.releasing(actor, id, at.Add(time.Duration(2*i-2)*time.Second), status)
		if change(step.Release); !d.takes(step) {
			d.Fatalf("%s is refused", actor)
		}
	}
}

func whole(*ledger.ReleaseRequest) {}

func (d *desk) setAside(id string, at time.Time) {
	d.Helper()
	d.apply(d.release(asha, id, at.Add(-2*time.Second)))
	d.apply(d.release(ravi, id, at))
}

func twoPeopleRelease(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 2)[0]
	stations[ledger.BatchSubmitUnknown](d, b.ID)
	refused := func(rule string, step ledger.Step, change func(*ledger.ReleaseRequest)) {
		d.Helper()
		change(step.Release)
		before := d.world()
		if why, ok := errors.AsType[*ledger.Refusal](d.Apply(d.ctx, step)); !ok || why.Rule != rule {
			d.Errorf("want %s, got %v", rule, why)
		}
		d.is(before, "%s", rule)
	}
	refused(ledger.RuleTicket, d.release(asha, b.ID, minute(10)), func(r *ledger.ReleaseRequest) { r.Ticket = "" })
	refused(ledger.RuleStatus, d.releasing(asha, b.ID, minute(10), ledger.StatusSuccess), whole)
	refused(ledger.RuleWait, d.release(asha, b.ID, minute(3)), whole)
	if !d.takes(d.release(asha, b.ID, minute(10).Add(-2*time.Second))) {
		d.Fatal("the first is refused")
	}
	refused(ledger.RuleSecondPerson, d.release(asha, b.ID, minute(10)), whole)
	refused(ledger.RuleBetween, d.release(ravi, b.ID, minute(10).Add(-1500*time.Millisecond)), whole)
	refused(ledger.RuleChanged, d.releasing(ravi, b.ID, minute(10), ledger.StatusFailed), whole)
	if !d.takes(d.release(ravi, b.ID, minute(10))) {
		d.Fatal("the second is refused")
	}
	if got := d.batch(b.ID); got.State != ledger.BatchSetAside {
		d.Errorf("it is %s", got.State)
	}
	d.whole()
}

func wordsAreKept(t testing.TB, o Opener) {
	st := tell(t, o)
	st.setAside(st.unknown, minute(20))
	want := st.world().Proposals
	st.reopen()
	got, err := st.Proposals(st.ctx, st.unknown)
	if diff := cmp.Diff(want, got); err != nil || diff != "" || len(got) != 2 || !got[1].Carried || got[1].Seconds != got[0].No {
		st.Errorf("for one batch (-want +got):\n%s%v", diff, err)
	}
	if others, err := st.Proposals(st.ctx, st.held); err != nil || len(others) != 0 {
		st.Errorf("of another batch: %v, %v", others, err)
	}
	if all, err := st.Proposals(st.ctx, ""); err != nil || len(all) != 2 {
		st.Errorf("of every batch: %v, %v", all, err)
	}
	st.whole()
}

func setAsideIsPlannedByName(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 1)
	stations[ledger.BatchSetAside](d, b[0].ID)
	d.abandon(b[1].ID, minute(6))
	if got := d.retryable(b[0].SheetID); len(got) != 1 || got[0].BatchID != b[1].ID {
		d.Errorf("by its sheet: %v", got)
	}
	retry := d.again(minute(7), d.retryable(b[0].ID), 1)[0]
	d.abandon(retry.ID, minute(8))
	if got := d.retryable(b[0].SheetID); len(got) != 1 {
		d.Errorf("by its sheet, after its retry was abandoned: %v", got)
	}
	if got := d.retryable(retry.ID); len(got) != 1 {
		d.Errorf("by the name of its retry: %v", got)
	}
	d.whole()
}

func disputesAreClosed(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 2)[0]
	// what may have left the account counts as paid, however the payout ends
	allGone := func(when string) {
		d.Helper()
		if got, err := d.Paid(d.ctx); err != nil || got[b.BankAccountID] != b.Total {
			d.Errorf("%s: paid from the account are %v of %s, %v", when, got, b.Total, err)
		}
	}
	d.hold(b.ID)
	d.submit(b.ID)
	d.apply(ledger.Step{BatchID: b.ID, From: ledger.BatchSubmitted, At: minute(5), Observed: d.observe(b.ID, ledger.StatusSuccess, "")})
	allGone("paid")
	d.apply(ledger.Step{BatchID: b.ID, From: ledger.BatchSubmitted, At: minute(6), Observed: d.observe(b.ID, ledger.StatusFailed, "X")}) // a step back
	allGone("disputed")
	if free, locks, err := d.Retryable(d.ctx, b.ID); err != nil || len(free) > 0 || len(locks) != len(d.attempts(b.ID)) || locks[0].Kind != ledger.LockContradicted {
		d.Errorf("disputed: retryable %v, locked %v, %v", free, locks, err)
	}
	for i, c := range []struct {
		as     ledger.ReleaseAs
		status string
		want   ledger.PayoutState
	}{{ledger.ReleasePaid, ledger.StatusSuccess, ledger.PayoutSuccess}, {ledger.ReleaseNotPaid, ledger.StatusFailed, ledger.PayoutCancelled}} {
		at := d.attempts(b.ID)[i]
		d.both(b.ID, minute(10+i), c.status, func(r *ledger.ReleaseRequest) { r.As, r.Of = c.as, at.Key() })
		if at = d.attempts(b.ID)[i]; at.State != c.want || at.Resolved == ledger.ResolutionNone {
			d.Errorf("%s: %+v", c.as, at)
		}
		// what both people saw is no dispute when it is seen again
		o := ledger.Observation{WireRef: at.WireRef, Status: at.Status, BankStatusCode: at.BankStatusCode}
		if v := ledger.Judge(at, o); v.State != c.want {
			d.Errorf("%s: seen again it is %s", c.as, v.State)
		}
		allGone("closed as " + string(c.as))
	}
	d.apply(ledger.Step{BatchID: b.ID, From: ledger.BatchSubmitted, Event: ledger.AllFinal, At: minute(15)})
	allGone("settled")
	if got := d.retryable(b.ID); len(got) != 1 || got[0].Ref != "nov-2" {
		d.Errorf("retryable: %v", got)
	}
	d.whole()
}

// On the bank's confirmation alone the payout stays disputed, and its batch ends all the same.
func closedAsPaidIsOver(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 1, 1)[0]
	stations[ledger.BatchSubmitUnknown](d, b.ID)
	odd := see(d.attempts(b.ID)[0], ledger.StatusRequestInitiated, "")
	odd.Amount++
	odd.Verdict = ledger.Judge(d.attempts(b.ID)[0], odd.Observation)
	d.apply(ledger.Step{BatchID: b.ID, From: ledger.BatchSubmitUnknown, At: minute(5), Observed: []ledger.Observed{odd}})
	d.both(b.ID, minute(9), ledger.StatusRequestInitiated, func(r *ledger.ReleaseRequest) { r.As, r.Of = ledger.ReleasePaid, d.attempts(b.ID)[0].Key() })
	if got := d.batch(b.ID); got.State != ledger.BatchSubmitted {
		d.Errorf("it is %s", got.State)
	}
	if !d.takes(ledger.Step{Actor: asha, BatchID: b.ID, From: ledger.BatchSubmitted, Event: ledger.AllFinal, At: minute(10)}) {
		d.Error("it is not over")
	}
	if got := d.retryable(b.ID); len(got) != 0 {
		d.Errorf("it can be planned again: %v", got)
	}
	d.whole()
}

// One payout of a batch in doubt is released and planned again. Then the bank shows the other one moving:
// the submit arrived, and will also pay the released one.
func whatMovesIsLocked(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 2)[0]
	stations[ledger.BatchSubmitUnknown](d, b.ID)
	d.both(b.ID, minute(9), ledger.StatusRequestInitiated, func(r *ledger.ReleaseRequest) { r.Of = d.attempts(b.ID)[0].Key() })
	retry := d.again(minute(10), d.retryable(b.ID), 1)[0]
	d.hold(retry.ID)
	moves := []ledger.Observed{see(d.attempts(b.ID)[0], ledger.StatusRequestInitiated, ""), see(d.attempts(b.ID)[1], ledger.StatusPending, "")}
	d.takes(ledger.Step{Actor: asha, BatchID: b.ID, From: ledger.BatchSubmitUnknown, Event: ledger.SeenMoving, At: minute(11), Observed: moves})
	w := d.world()
	k, _ := w.known(retry.ID)
	submit := intent(retry.ID, ledger.SubmitIntended, minute(12), w.looks(k))
	if err := d.Apply(d.ctx, submit); !errors.Is(err, ledger.ErrPayoutLocked) {
		d.Errorf("its retry is submitted: %v", err)
	}
	d.is(w, "a submit of what is locked")
	d.whole()
}

// The store tells a release which credits without a name another release has used.
func aCreditIsUsedOnce(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 4, 2)
	back := ledger.StatementLine{Ref: ledger.EntryRef{Reading: 1, Line: 2}, Source: ledger.FromInterface, Day: "2025-11-04", Amount: 150_00}
	out := ledger.StatementLine{Ref: ledger.EntryRef{Reading: 1, Line: 1}, Source: ledger.FromInterface, Day: "2025-11-03", Debit: true, Amount: 150_00}
	shows := func(r *ledger.ReleaseRequest) { r.Account.Unexplained = []ledger.StatementLine{out, back} }
	for _, one := range b {
		stations[ledger.BatchSubmitUnknown](d, one.ID)
	}
	d.both(b[0].ID, minute(9), ledger.StatusRequestInitiated, shows)
	step := d.release(asha, b[1].ID, minute(10))
	shows(step.Release)
	if why, ok := errors.AsType[*ledger.Refusal](d.Apply(d.ctx, step)); !ok || why.Rule != ledger.RuleDebit {
		d.Errorf("one credit makes up for two debits: %v", why)
	}
	d.whole()
}

func newReferences(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 1)
	for i := range b {
		stations[ledger.BatchRefused](d, b[i].ID)
	}
	d.both(b[0].ID, minute(10), "", func(r *ledger.ReleaseRequest) {
		r.NewReferences, r.Check.Answer, r.Check.Payouts = true, ledger.LookNotKnown, nil
	})
	for i, want := range []string{"nov-1-R2", "nov-2"} {
		next := d.again(minute(11), d.retryable(b[i].ID), 1)[0]
		if refs := refsOf(d.attempts(next.ID)); !slices.Equal(refs, []string{want}) {
			d.Errorf("%v, want %s", refs, want)
		}
	}
	d.whole()
}

func refsOf(attempts []ledger.Attempt) []string {
	return ledger.ListOf(attempts, func(a ledger.Attempt) string { return a.WireRef })
}
