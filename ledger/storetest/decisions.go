package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var decisions = []Check{
	{"the reads of a submit in doubt are kept, each with its event", readsAreKept},
	{"two people set a submit aside, or nobody does", twoPeopleSetAside},
	{"what people decided is kept, in order, with its event", decisionsAreKept},
	{"what was set aside is planned anew only by its own name", setAsideIsPlannedByName},
	{"what follows a batch that was set aside is submitted with the books", booksBeforeASubmit},
	{"what follows a held batch that was set aside is submitted with the books since its initiate", booksSinceAnInitiate},
	{"two people close a dispute, and what the bank shows then stays", disputesAreClosed},
	{"people give a refused batch's payouts new references, for a quarter of an hour", newReferences},
}

// quick are waiting times that fit into a story of minutes: the bank's word needs
// 50 seconds, and the second person one.
var quick = ledger.Waits{Wait: 10 * time.Second, Between: time.Second}

// reads keeps what it takes of answered reads in the last minute before at.
func (d *desk) reads(id string, at time.Time) {
	d.Helper()
	for i, ago := range []int{50, 40, 30, 20, 10, 3} {
		r := ledger.Read{Run: t0.Add(time.Duration(i/2) * time.Second), At: at.Add(-time.Duration(ago) * time.Second), SaidAt: at.Add(-time.Duration(ago) * time.Second), Answer: ledger.LookShown}
		if i == 0 {
			r.SaidAt = at.Add(-time.Minute)
		}
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchSubmitUnknown, At: r.At, Read: &r})
	}
}

// deciding is a step in which a person decides, on the bank's word, with a fresh
// look that shows every payout with a status.
func (d *desk) deciding(as ledger.Decision, actor, id string, at time.Time, status string) ledger.Step {
	d.Helper()
	l := ledger.Look{BatchID: id, At: at, SaidAt: at, Answer: ledger.LookShown, Complete: true}
	for _, a := range d.attempts(id) {
		l.Payouts = append(l.Payouts, ledger.Observation{WireRef: a.WireRef, Status: status, Amount: a.Amount, HasAmount: true, OpenTxnID: a.OpenTxnID})
	}
	return ledger.Step{Actor: actor, BatchID: id, From: d.batch(id).State, At: at,
		Deciding: &ledger.Deciding{As: as, Reason: "because " + actor, Ticket: "mail 4711", Look: l, Waits: quick, Watch: time.Hour}}
}

func (d *desk) notSubmitted(actor, id string, at time.Time) ledger.Step {
	return d.deciding(ledger.DecidedNotSubmitted, actor, id, at, ledger.StatusRequestInitiated)
}

// setAside is how two people set a submit in doubt aside.
func (d *desk) setAside(id string, at time.Time) {
	d.Helper()
	d.reads(id, at)
	d.apply(d.notSubmitted(asha, id, at.Add(-2*time.Second)))
	d.apply(d.notSubmitted(ravi, id, at))
}

func readsAreKept(t testing.TB, o Opener) {
	st := tell(t, o)
	for i, answer := range []ledger.LookAnswer{ledger.LookShown, ledger.LookNotKnown} {
		r := ledger.Read{Run: minute(30), At: minute(30 + i), Answer: answer}
		if !st.takes(ledger.Step{Actor: asha, BatchID: st.unknown, From: ledger.BatchSubmitUnknown, At: r.At, Read: &r}) {
			st.Errorf("read %d is refused", i)
		}
	}
	for i := range 9 { // what adds nothing to those on record is not kept
		r := ledger.Read{Run: minute(31), At: minute(32).Add(time.Duration(i) * time.Second), Answer: ledger.LookShown}
		if i > 5 {
			r.Run = r.At // another run each
		}
		if !st.takes(ledger.Step{Actor: asha, BatchID: st.unknown, From: ledger.BatchSubmitUnknown, At: r.At, Read: &r, Waits: ledger.Waits{Wait: time.Hour}}) {
			st.Errorf("read %d is refused", i)
		}
	}
	if n := len(st.world().Reads); n != 9 {
		st.Errorf("%d reads are on record, want 9: enough of them from three runs, and the last ones add nothing", n)
	}
	r := ledger.Read{Run: minute(30), At: minute(42), Answer: ledger.LookShown}
	if err := st.Apply(st.ctx, ledger.Step{Actor: asha, BatchID: st.held, From: ledger.BatchHeld, At: r.At, Read: &r}); err == nil {
		st.Error("a read of a batch that is not in doubt is kept")
	}
	st.whole()
}

func twoPeopleSetAside(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 2)[0]
	stations[ledger.BatchSubmitUnknown](d, b.ID)
	before := d.world()
	refused := func(what string, step ledger.Step) {
		d.Helper()
		if err := d.Apply(d.ctx, step); !errors.Is(err, ledger.ErrNotYet) {
			d.Errorf("%s: %v", what, err)
		}
		d.is(before, "%s", what)
	}
	refused("without reads", d.notSubmitted(asha, b.ID, minute(9)))
	d.reads(b.ID, minute(10))
	before = d.world()
	noWord := d.notSubmitted(asha, b.ID, minute(10))
	noWord.Deciding.Ticket = ""
	refused("without books and word", noWord)
	if !d.takes(d.notSubmitted(asha, b.ID, minute(10).Add(-2*time.Second))) {
		d.Fatal("the first is refused")
	}
	before = d.world()
	refused("the same person", d.notSubmitted("ASHA", b.ID, minute(10)))
	refused("too soon", d.notSubmitted(ravi, b.ID, minute(10).Add(-1500*time.Millisecond)))
	if !d.takes(d.notSubmitted(ravi, b.ID, minute(10))) {
		d.Fatal("the second is refused")
	}
	if got := d.batch(b.ID); got.State != ledger.BatchSetAside {
		d.Errorf("it is %s", got.State)
	}
	d.whole()
}

func decisionsAreKept(t testing.TB, o Opener) {
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
		d.Errorf("by its sheet, after its retry was given up: %v", got)
	}
	if got := d.retryable(retry.ID); len(got) != 1 {
		d.Errorf("by the name of its retry: %v", got)
	}
	d.whole()
}

// statement are books in which nothing is, from before a story's submits on.
func statement(at time.Time) *ledger.Books {
	b := ledger.Books{BankAccountID: accountCIB, From: t0.Add(-48 * time.Hour), To: at, ReadAt: at, Closed: true, Before: 500_00, After: 500_00}
	b.Entries = []ledger.BookEntry{
		{At: t0.Add(-30 * time.Hour), Amount: 100_00, Balance: 501_00},
		{At: at.Add(-time.Second), Debit: true, Amount: 1_00, Balance: 500_00, Words: []string{"charges"}},
	}
	return &b
}

func booksBeforeASubmit(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 1, 1)[0]
	stations[ledger.BatchSubmitUnknown](d, b.ID)
	d.reads(b.ID, minute(5))
	d.apply(ledger.Step{BatchID: b.ID, From: ledger.BatchSubmitUnknown, At: minute(5), Listed: ledger.ListingYes})
	for i, actor := range []string{asha, ravi} { // on the books, not on a word
		step := d.notSubmitted(actor, b.ID, minute(5).Add(time.Duration(2*i-2)*time.Second))
		step.Deciding.Ticket, step.Deciding.Books, step.Deciding.Waits.Wait = "", statement(step.At), 50*time.Second
		if !d.takes(step) {
			d.Fatalf("%s is refused", actor)
		}
	}
	retry := d.again(minute(7), d.retryable(b.ID), 1)[0]
	d.hold(retry.ID)
	w := d.world()
	k, _ := w.known(retry.ID)
	submit := intent(retry.ID, ledger.SubmitIntended, minute(29), w.looks(k))
	submit.Waits = quick
	if d.takes(submit) {
		d.Error("submitted without the books")
	}
	submit.Books = statement(minute(13))
	if d.takes(submit) {
		d.Error("submitted with old books")
	}
	submit.Books = statement(minute(29))
	if !d.takes(submit) {
		d.Error("refused with fresh books")
	}
	d.whole()
}

// A held batch that a listing bank no longer shows was never submitted: the books are
// asked for from its initiate on, and a retry can be paid.
func booksSinceAnInitiate(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 1, 1)[0]
	d.hold(b.ID)
	d.apply(ledger.Step{BatchID: b.ID, From: ledger.BatchHeld, At: minute(4), Listed: ledger.ListingYes})
	for i, actor := range []string{asha, ravi} {
		step := d.notSubmitted(actor, b.ID, minute(5).Add(time.Duration(2*i-2)*time.Second))
		step.Deciding.Look = ledger.Look{BatchID: b.ID, At: step.At, SaidAt: step.At, Answer: ledger.LookNotKnown, Word: ledger.Word{HTTPStatus: 404}}
		step.Deciding.Ticket, step.Deciding.Books, step.Deciding.Waits.Wait = "", statement(step.At), 50*time.Second
		if !d.takes(step) {
			d.Fatalf("%s is refused", actor)
		}
	}
	retry := d.again(minute(7), d.retryable(b.ID), 1)[0]
	d.hold(retry.ID)
	k, err := d.Known(d.ctx, retry.ID)
	w := d.world()
	first, _ := w.known(b.ID)
	if since, ok := k.BooksSince(); err != nil || !ok || !since.Equal(first.Intents[0].At) {
		d.Errorf("the books are asked for from %s on, %t, %v", since, ok, err)
	}
	submit := intent(retry.ID, ledger.SubmitIntended, minute(29), w.looks(k))
	submit.Waits, submit.Books = quick, statement(minute(29))
	if !d.takes(submit) {
		d.Error("refused with fresh books")
	}
	d.whole()
}

func disputesAreClosed(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 2)[0]
	// what is perhaps gone from the account stays so, whatever becomes of it
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
	for i, c := range []struct {
		as     ledger.Decision
		status string
		want   ledger.PayoutState
	}{{ledger.DecidedPaid, ledger.StatusSuccess, ledger.PayoutSuccess}, {ledger.DecidedNotPaid, ledger.StatusFailed, ledger.PayoutCancelled}} {
		at := d.attempts(b.ID)[i]
		for n, actor := range []string{asha, ravi} {
			step := d.deciding(c.as, actor, b.ID, minute(10).Add(time.Duration(10*i+2*n)*time.Second), c.status)
			if step.Deciding.Of = at.Key(); !d.takes(step) {
				d.Fatalf("%s: %s is refused", c.as, actor)
			}
		}
		if at = d.attempts(b.ID)[i]; at.State != c.want || at.Resolved == ledger.ResolutionNone {
			d.Errorf("%s: %+v", c.as, at)
		}
		// what people saw is no dispute, however often it is seen
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

func newReferences(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 3, 1)
	rename := func(id string, at time.Time) ledger.Step {
		step := d.deciding(ledger.DecidedNewReferences, asha, id, at, "")
		step.Deciding.Look = looked(id)[0]
		return step
	}
	for i := range b {
		stations[ledger.BatchRefused](d, b[i].ID)
	}
	if d.retryable(b[0].ID)[0].WireRef != "nov-1" {
		d.Fatal("no such story")
	}
	for i, c := range []struct {
		decided time.Time
		want    string
	}{{minute(10), "nov-1-R2"}, {minute(10).Add(-ledger.RenamedFor - time.Second), "nov-2"}, {time.Time{}, "nov-3"}} {
		if !c.decided.IsZero() && !d.takes(rename(b[i].ID, c.decided)) {
			d.Errorf("%s: refused", c.want)
		}
		next := d.again(minute(10), d.retryable(b[i].ID), 1)[0]
		if refs := refsOf(d.attempts(next.ID)); !slices.Equal(refs, []string{c.want}) {
			d.Errorf("%v, want %s", refs, c.want)
		}
	}
	shown := d.load("dec", 1, 1)[0]
	d.giveUp(shown.ID, minute(11))
	if err := d.Apply(d.ctx, rename(shown.ID, minute(12))); !errors.Is(err, ledger.ErrNotYet) {
		d.Errorf("a batch that the bank has shown: %v", err)
	}
	d.whole()
}

func refsOf(attempts []ledger.Attempt) (refs []string) {
	for _, a := range attempts {
		refs = append(refs, a.WireRef)
	}
	return refs
}
