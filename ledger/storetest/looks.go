package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var looks = []Check{
	{"a call is made after a look at the bank that allows it, or not at all", aCallNeedsALook},
	{"a look is kept with its intent, and the bank's last answer with it", looksAreKept},
	{"a retry is submitted where each earlier attempt is shown as it is here", earlierAttemptsAreLookedAt},
	{"a batch that was held for long is compared with the ids of a copy", copiesAreLookedAt},
	{"a reference is used up by a batch that the bank has shown, and kept otherwise", referencesAreKept},
	{"a reference that the bank shows in an older batch is used up", shownLater},
	{"a batch that takes the whole of an old one keeps its sequence", aWholeBatchKeepsItsSequence},
	{"what was quarantined or set aside is submitted when it is seen moving", seenMoving},
	{"an answered no is a refusal when the doubt is over", anAnsweredNoIsARefusal},
	{"what is known of a batch is what a step is compared with", whatIsKnown},
	{"the newest batch that a status showed is known", theLastShown},
}

// spoiltLooks are checks that a step may carry. Each differs from a check that found the batch unknown to
// the bank.
var spoiltLooks = []struct {
	name  string
	looks func(d *desk, id string) []ledger.StatusCheck
}{
	{"no look", func(*desk, string) []ledger.StatusCheck { return nil }},
	{"a look at another", func(*desk, string) []ledger.StatusCheck { return looked("prother") }},
	{"a look without an answer", func(_ *desk, id string) []ledger.StatusCheck {
		return []ledger.StatusCheck{{BatchID: id, At: t0, Answer: ledger.LookUnanswered, Why: "no answer in 30s"}}
	}},
	{"a look that shows it as it was sent", func(d *desk, id string) []ledger.StatusCheck {
		return []ledger.StatusCheck{d.shows(id, ledger.StatusRequestInitiated, true)}
	}},
	{"a look that shows it as it was sent, and broke off", func(d *desk, id string) []ledger.StatusCheck {
		return []ledger.StatusCheck{d.shows(id, ledger.StatusRequestInitiated, false)}
	}},
	{"a look that shows it moving", func(d *desk, id string) []ledger.StatusCheck {
		return []ledger.StatusCheck{d.shows(id, ledger.StatusPending, true)}
	}},
	{"a look that shows an unlisted value", func(d *desk, id string) []ledger.StatusCheck {
		return []ledger.StatusCheck{d.shows(id, "on_hold", false)}
	}},
}

// shows returns a check that shows every payout of a batch with one status.
func (d *desk) shows(id, status string, complete bool) ledger.StatusCheck {
	d.Helper()
	l := ledger.StatusCheck{BatchID: id, At: t0, Answer: ledger.LookShown, Closed: complete, Complete: complete, Why: "page 2"}
	for _, a := range d.attempts(id) {
		l.Payouts = append(l.Payouts, see(a, status, "").Observation)
	}
	return l
}

// looks returns what the bank would show before a submit if it agreed with this ledger and there were no
// copy of it.
func (w world) looks(k ledger.BatchRecord) []ledger.StatusCheck {
	list := looked(k.Batch.ID)
	if k.Batch.Listed == ledger.ListingYes {
		list[0] = ledger.StatusCheck{BatchID: k.Batch.ID, At: t0, Answer: ledger.LookShown, Closed: true, Complete: true}
		for _, a := range k.Attempts {
			list[0].Payouts = append(list[0].Payouts, ledger.Observation{WireRef: a.WireRef, Status: ledger.StatusRequestInitiated})
		}
	}
	for _, a := range k.Attempts {
		for _, e := range a.Earlier() {
			at := slices.IndexFunc(list, func(l ledger.StatusCheck) bool { return l.BatchID == e.BatchID })
			if at < 0 {
				at, list = len(list), append(list, looked(e.BatchID)...)
			}
			if e.State == ledger.PayoutFailed || e.State == ledger.PayoutReturned || e.Resolved == ledger.ResolutionNotPaid {
				list[at].Answer, list[at].Closed, list[at].Complete, list[at].NotFoundReply = ledger.LookShown, true, true, ledger.NotFoundReply{}
				list[at].Payouts = append(list[at].Payouts, ledger.Observation{WireRef: e.WireRef, Status: e.Status, BankStatusCode: e.BankStatusCode, OpenTxnID: e.OpenTxnID})
			}
		}
	}
	return append(list, looked(append(k.MovedIDs(), k.CopyIDs()...)...)...)
}

// intent returns a step that is about to make a call.
func intent(id string, event ledger.BatchEvent, at time.Time, looks []ledger.StatusCheck) ledger.Step {
	from := ledger.BatchPlanned
	if event == ledger.SubmitIntended {
		from = ledger.BatchHeld
	}
	return ledger.Step{Actor: asha, BatchID: id, From: from, Event: event, At: at, PayloadSHA256: hash("x"), Looks: looks, Statements: fetched}
}

// A call that is refused leaves nothing, and the refusal says whether it may help to ask again.
func aCallNeedsALook(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 6, 2)
	planned, held, listed := b[0].ID, b[1].ID, b[2].ID
	d.hold(held)
	d.hold(listed)
	d.apply(ledger.Step{BatchID: listed, From: ledger.BatchHeld, At: minute(3), Listed: ledger.ListingYes})
	before := d.world()
	legal := map[string]bool{
		string(ledger.SubmitIntended) + held + "a look that shows it as it was sent":   true,
		string(ledger.SubmitIntended) + listed + "a look that shows it as it was sent": true,
	}
	try := func(name string, step ledger.Step) {
		if legal[string(step.Event)+step.BatchID+name] {
			return
		}
		_, look := before.after(step)
		err := d.Apply(d.ctx, step)
		if !errors.Is(err, ledger.ErrLook) || !errors.Is(look, ledger.ErrLook) {
			d.Errorf("%s with %s: %v, the domain says %v", step.Event, name, err, look)
		}
		got, ok := errors.AsType[*ledger.LookError](err)
		says, _ := errors.AsType[*ledger.LookError](look)
		if !ok || says == nil || *got != *says {
			d.Errorf("%s with %s: the store says %+v, the domain %+v", step.Event, name, got, says)
		}
		d.is(before, "%s with %s", step.Event, name)
	}
	for _, s := range spoiltLooks {
		try(s.name, intent(planned, ledger.InitiateIntended, minute(5), s.looks(d, planned)))
		try(s.name, intent(held, ledger.SubmitIntended, minute(5), s.looks(d, held)))
		try(s.name, intent(listed, ledger.SubmitIntended, minute(5), s.looks(d, listed)))
	}
	try("not known, of a bank that listed it", intent(listed, ledger.SubmitIntended, minute(5), looked(listed)))
	for _, step := range []ledger.Step{
		intent(planned, ledger.InitiateIntended, minute(6), looked(planned)),
		intent(held, ledger.SubmitIntended, minute(6), looked(held)),
		intent(listed, ledger.SubmitIntended, minute(6), []ledger.StatusCheck{d.shows(listed, ledger.StatusRequestInitiated, true)}),
	} {
		if !d.takes(step) {
			d.Errorf("%s of %s was refused", step.Event, step.BatchID)
		}
	}
	d.whole()
}

func looksAreKept(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 4, 2)
	lastWord := func(doing string, want ledger.NotFoundReply) {
		d.Helper()
		for who, s := range map[string]Store{"who writes": d.Store, "who views": d.view().Store} {
			if got, err := s.LastNotFoundReply(d.ctx); err != nil || got != want {
				d.Errorf("%s, for %s: %+v, %v; want %+v", doing, who, got, err, want)
			}
		}
	}
	lastWord("in a new ledger", ledger.NotFoundReply{})
	first := looked(b[1].ID)
	first[0].NotFoundReply = ledger.NotFoundReply{HTTPStatus: 200}
	d.takes(intent(b[1].ID, ledger.InitiateIntended, minute(1), first))
	lastWord("after the first look", ledger.NotFoundReply{HTTPStatus: 200})
	d.takes(intent(b[0].ID, ledger.InitiateIntended, minute(2), looked(b[0].ID)))
	lastWord("after another", word)
	d.takes(ledger.Step{Actor: asha, BatchID: b[0].ID, From: ledger.BatchInitiating, Event: ledger.InitiateAccepted, At: minute(3), Outcome: ledger.Accepted,
		Observed: d.observe(b[0].ID, ledger.StatusRequestInitiated, "")})
	d.takes(intent(b[0].ID, ledger.SubmitIntended, minute(4), []ledger.StatusCheck{d.shows(b[0].ID, ledger.StatusRequestInitiated, true)}))
	lastWord("after a look that showed it", word)
	spoilt := looked(b[0].ID) // refused, with another not-found reply
	spoilt[0].NotFoundReply = ledger.NotFoundReply{HTTPStatus: 500}
	d.takes(intent(b[0].ID, ledger.SubmitIntended, minute(5), spoilt))
	lastWord("after a step that was refused", word)
	w := d.world()
	for _, i := range w.Intents {
		if !i.Looked {
			d.Errorf("intent %d was recorded without its look", i.No)
		}
	}
	var found []string
	for _, e := range w.Events {
		if ledger.BatchEvent(e.Kind).Call() != "" {
			_, words, _ := strings.Cut(e.Words(), "; looked: ")
			found = append(found, words)
		}
	}
	want := []string{b[1].ID + " not known (HTTP 200)", b[0].ID + " not known (HTTP 404 SVC_CB_FT_014)", b[0].ID + " shown"}
	if diff := cmp.Diff(want, found); diff != "" {
		d.Errorf("what the trail tells of looks (-want +got):\n%s", diff)
	}
	d.reopen()
	lastWord("opened again", word)
	d.is(w, "opened again")
	d.whole()
}

// failed submits a planned batch, and every payout of it fails.
func (d *desk) failed(id string) {
	d.Helper()
	d.hold(id)
	d.submit(id)
	for n := range 2 {
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchSubmitted, At: minute(5 + n), Observed: d.observe(id, ledger.StatusFailed, "")})
	}
}

func earlierAttemptsAreLookedAt(t testing.TB, o Opener) {
	d := begin(t, o)
	old := d.load("nov", 2, 2)[0]
	d.failed(old.ID)
	next := d.again(minute(8), d.retryable(old.SheetID), 2)[0]
	d.hold(next.ID)
	before := d.world()
	k, _ := before.known(next.ID)
	sound := before.looks(k)
	for name, spoil := range map[string]func(l *ledger.StatusCheck) bool{ // false: the check is left out
		"not asked":                func(*ledger.StatusCheck) bool { return false },
		"not answered":             func(l *ledger.StatusCheck) bool { l.Answer = ledger.LookUnanswered; return true },
		"not known":                func(l *ledger.StatusCheck) bool { *l = looked(l.BatchID)[0]; return true },
		"paid after all":           func(l *ledger.StatusCheck) bool { l.Payouts[1].Status = ledger.StatusSuccess; return true },
		"held again":               func(l *ledger.StatusCheck) bool { l.Payouts[0].Status = ledger.StatusRequestInitiated; return true },
		"a payout that is missing": func(l *ledger.StatusCheck) bool { l.Payouts = l.Payouts[:1]; return true },
		"a read that broke off":    func(l *ledger.StatusCheck) bool { l.Closed, l.Complete = false, false; return true },
	} {
		var list []ledger.StatusCheck
		for _, l := range sound {
			l.Payouts = slices.Clone(l.Payouts)
			if l.BatchID != old.ID || spoil(&l) {
				list = append(list, l)
			}
		}
		if err := d.Apply(d.ctx, intent(next.ID, ledger.SubmitIntended, minute(9), list)); !errors.Is(err, ledger.ErrLook) {
			d.Errorf("an earlier attempt, %s: %v", name, err)
		}
		d.is(before, "an earlier attempt, %s", name)
	}
	if !d.takes(intent(next.ID, ledger.SubmitIntended, minute(9), sound)) {
		d.Error("refused, though everything is shown as it is here")
	}
	d.whole()
}

func copiesAreLookedAt(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 4, 2)
	d.hold(b[0].ID)
	d.hold(b[1].ID)
	submit := func(id string, window time.Duration, looks []ledger.StatusCheck) bool {
		step := intent(id, ledger.SubmitIntended, minute(12), looks)
		step.OTPWindow = window
		return d.takes(step)
	}
	if submit(b[0].ID, 10*time.Minute-time.Microsecond, looked(b[0].ID)) {
		d.Error("submitted after the window without a look at the ids of a copy")
	}
	within := append(looked(b[0].ID), ledger.StatusCheck{BatchID: "prother", At: t0, Answer: ledger.LookUnanswered, Why: "no answer in 30s"}) // a check that the step does not need
	if !submit(b[0].ID, 10*time.Minute, within) {
		d.Error("refused within the window")
	}
	// the ids of a copy: what this ledger would give the batch's payouts next
	w := d.world()
	k, _ := w.known(b[1].ID)
	list := w.looks(k)
	shown := slices.Clone(list)
	shown[len(shown)-1].Answer = ledger.LookShown
	if submit(b[1].ID, time.Minute, shown) {
		d.Error("submitted although a copy sent the same payouts")
	}
	if !submit(b[1].ID, time.Minute, list) {
		d.Error("refused though no copy is known")
	}
	d.whole()
}

// endings are the ways in which a planned batch can end so that it can be retried, and whether the bank has
// then seen its references.
var endings = []struct {
	name  string
	shown bool
	end   func(d *desk, id string)
}{
	{"abandoned before anything was sent", false, func(d *desk, id string) { d.abandon(id, minute(1)) }},
	{"refused", false, func(d *desk, id string) { stations[ledger.BatchRefused](d, id) }},
	{"abandoned in doubt, by a person", false, func(d *desk, id string) {
		stations[ledger.BatchInitiateUnknown](d, id)
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchInitiateUnknown, Event: ledger.Abandoned, At: minute(3), Person: "x"})
	}},
	{"abandoned in doubt, by itself", false, func(d *desk, id string) {
		stations[ledger.BatchInitiateUnknown](d, id)
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchInitiateUnknown, Event: ledger.DoubtExpired, At: minute(40)})
	}},
	{"answered no in doubt", false, func(d *desk, id string) {
		stations[ledger.BatchInitiateUnknown](d, id)
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchInitiateUnknown, Event: ledger.RefusalStands, At: minute(40), Refusal: "HTTP 409"})
	}},
	{"refused, and said to be shown", true, func(d *desk, id string) {
		stations[ledger.BatchRefused](d, id)
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchRefused, At: minute(3), Shown: true})
	}},
	{"abandoned in doubt after it was shown in part", true, func(d *desk, id string) {
		stations[ledger.BatchInitiateUnknown](d, id)
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchInitiateUnknown, At: minute(3), Shown: true})
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchInitiateUnknown, Event: ledger.Abandoned, At: minute(4), Person: "x"})
	}},
	{"held and abandoned", true, func(d *desk, id string) { d.giveUp(id, minute(3)) }},
	{"quarantined and abandoned", true, func(d *desk, id string) {
		stations[ledger.BatchQuarantined](d, id)
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchQuarantined, Event: ledger.Abandoned, At: minute(3), Person: "x"})
	}},
	{"known to the bank before it was sent", true, func(d *desk, id string) {
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchPlanned, Event: ledger.SeenElsewhere, At: minute(1)})
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchQuarantined, Event: ledger.Abandoned, At: minute(3), Person: "x"})
	}},
	{"set aside", true, func(d *desk, id string) { stations[ledger.BatchSetAside](d, id) }},
	{"failed", true, (*desk).failed},
}

// Each ending follows each other: the second attempt ends too, and a third follows.
func referencesAreKept(t testing.TB, o Opener) {
	d := begin(t, o)
	for i, first := range endings {
		d.reset()
		b := d.load("nov", len(endings), 1)
		for j, second := range endings {
			if inPart(o) && (i+j)%3 != 0 {
				continue
			}
			id := b[j].ID
			ref := d.attempts(id)[0].Ref
			want := ref
			for n, end := range []int{i, j} {
				endings[end].end(d, id)
				if got := d.batch(id).Shown; got != endings[end].shown {
					d.Errorf("a batch %s: shown %t", endings[end].name, got)
				}
				next := d.again(minute(60), d.attempts(id), 1)[0]
				a := d.attempts(next.ID)[0]
				if endings[end].shown {
					want = fmt.Sprintf("%s-R%d", ref, n+2)
				}
				if a.WireRef != want || a.Number != n+2 {
					d.Errorf("%s, then %s: attempt %d goes under %s, want %s", first.name, second.name, a.Number, a.WireRef, want)
				}
				id = next.ID
			}
		}
		d.whole()
		if d.Failed() {
			return
		}
	}
}

// The first batch was refused. The second kept its reference and was refused too. Then the bank shows the
// first.
func shownLater(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 2, 1)
	for i, end := range []func(id string){
		func(id string) { endings[1].end(d, id) },
		func(id string) { stations[ledger.BatchInitiateUnknown](d, id) },
	} {
		first := b[i].ID
		endings[1].end(d, first)
		second := d.again(minute(3), d.attempts(first), 1)[0].ID
		end(second)
		d.takes(ledger.Step{Actor: asha, BatchID: first, From: ledger.BatchRefused, At: minute(50), Shown: true})
		if i == 1 {
			if d.takes(ledger.Step{Actor: asha, BatchID: second, From: ledger.BatchInitiateUnknown, Event: ledger.DoubtExpired, At: minute(51), Successor: true}) {
				d.Error("planned again by itself, under a reference that the bank has seen")
			}
			d.takes(ledger.Step{Actor: asha, BatchID: second, From: ledger.BatchInitiateUnknown, Event: ledger.DoubtExpired, At: minute(52)})
		}
		third := d.attempts(d.again(minute(53), d.attempts(second), 1)[0].ID)[0]
		if want := third.Ref + "-R3"; third.WireRef != want || third.Number != 3 {
			d.Errorf("attempt %d goes under %s, want %s", third.Number, third.WireRef, want)
		}
	}
	d.whole()
}

func aWholeBatchKeepsItsSequence(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 8, 2)
	d.abandon(b[1].ID, minute(1))
	d.abandon(b[2].ID, minute(1))
	d.abandon(b[3].ID, minute(1))
	check := func(what string, got ledger.Batch, sequence, attempt int) {
		d.Helper()
		if got.Sequence != sequence || got.Attempt != attempt || got.ID != ledger.BatchID(ledgerID, hash("nov"), accountCIB, sequence, attempt, refsOf(d.attempts(got.ID))) {
			d.Errorf("%s is %s, sequence %d, attempt %d; want %d and %d", what, got.ID, got.Sequence, got.Attempt, sequence, attempt)
		}
	}
	whole := d.again(minute(2), d.attempts(b[1].ID), 2)[0]
	check("the whole of a batch", whole, 2, 2)
	k, _ := d.world().known(b[1].ID)
	if !slices.Contains(k.CopyIDs(), whole.ID) {
		d.Error("a copy's id is not recognised")
	}
	halves := d.again(minute(3), d.attempts(b[2].ID), 1)
	check("half of a batch", halves[0], 5, 2)
	check("the other half", halves[1], 6, 2)
	d.abandon(whole.ID, minute(4))
	d.abandon(halves[0].ID, minute(4))
	check("the whole again", d.again(minute(5), d.attempts(whole.ID), 2)[0], 2, 3)
	check("the whole of a half", d.again(minute(6), d.attempts(halves[0].ID), 1)[0], 5, 3)
	d.abandon(halves[1].ID, minute(7))
	mixed := append(d.attempts(halves[1].ID), d.attempts(b[3].ID)...)
	check("of two batches one", d.again(minute(8), mixed, 3)[0], 7, 3)

	// a held batch knows the ids that a copy of this ledger would give two more attempts
	held := d.load("dec", 2, 2)[0]
	d.hold(held.ID)
	known, _ := d.world().known(held.ID)
	d.apply(ledger.Step{BatchID: held.ID, From: ledger.BatchHeld, Event: ledger.Abandoned, At: minute(20), Person: "no OTP"})
	once := d.again(minute(21), d.attempts(held.ID), 2)[0]
	d.giveUp(once.ID, minute(22))
	twice := d.again(minute(23), d.attempts(once.ID), 2)[0]
	for _, id := range []string{once.ID, twice.ID} {
		if !slices.Contains(known.CopyIDs(), id) {
			d.Errorf("%s is not among the ids of a copy %v", id, known.CopyIDs())
		}
	}
	d.whole()
}

func seenMoving(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 8, 2)
	stations[ledger.BatchQuarantined](d, b[0].ID)
	stations[ledger.BatchSetAside](d, b[1].ID)
	d.apply(ledger.Step{BatchID: b[2].ID, From: ledger.BatchPlanned, Event: ledger.SeenElsewhere, At: minute(1)})
	stations[ledger.BatchSetAside](d, b[3].ID)
	retry := d.again(minute(6), d.attempts(b[3].ID), 2)[0]
	d.hold(retry.ID)
	for i, c := range []struct {
		from ledger.BatchState
		want ledger.PayoutState
	}{
		{ledger.BatchQuarantined, ledger.PayoutPending}, {ledger.BatchSetAside, ledger.PayoutDisputed},
		{ledger.BatchQuarantined, ledger.PayoutPending}, {ledger.BatchSetAside, ledger.PayoutDisputed},
	} {
		id := b[i].ID
		var observed []ledger.Observed
		for _, a := range d.attempts(id) {
			if a.State == ledger.PayoutPlanned { // SeenMoving takes them to request_initiated first
				a.State = ledger.PayoutRequestInitiated
			}
			observed = append(observed, see(a, ledger.StatusPending, ""))
		}
		if !d.takes(ledger.Step{Actor: asha, BatchID: id, From: c.from, Event: ledger.SeenMoving, At: minute(20 + i), Observed: observed}) {
			d.Errorf("%s is not moved", c.from)
		}
		if got := d.batch(id); got.State != ledger.BatchSubmitted || !got.SubmittedAt.Equal(minute(20+i)) || !got.Shown {
			d.Errorf("%s, seen moving: %+v", c.from, got)
		}
		for _, a := range d.attempts(id) {
			if a.State != c.want {
				d.Errorf("a payout of one that was %s is %s, want %s", c.from, a.State, c.want)
			}
		}
	}
	w := d.world()
	k, _ := w.known(retry.ID)
	if d.takes(intent(retry.ID, ledger.SubmitIntended, minute(30), w.looks(k))) {
		d.Error("the retry of what was set aside was submitted, and that moves")
	}
	d.whole()
}

func anAnsweredNoIsARefusal(t testing.TB, o Opener) {
	d := begin(t, o)
	id := d.load("nov", 2, 2)[0].ID
	d.intend(id, ledger.InitiateIntended, minute(1))
	d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchInitiating, Event: ledger.InitiateLost, At: minute(2), Outcome: ledger.Unknown,
		HTTPStatus: 409, Code: "SVC_CB_FT_009", Message: "duplicate", Refusal: "HTTP 409 SVC_CB_FT_009: duplicate"})
	d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchInitiateUnknown, At: minute(3), Note: "asked again"})
	if b := d.batch(id); b.Refusal != "HTTP 409 SVC_CB_FT_009: duplicate" {
		d.Errorf("the bank's words are %q", b.Refusal)
	}
	d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchInitiateUnknown, Event: ledger.RefusalStands, At: minute(40)})
	if b := d.batch(id); b.State != ledger.BatchRefused || b.Shown || b.Refusal != "HTTP 409 SVC_CB_FT_009: duplicate" {
		d.Errorf("refused: %+v", b)
	}
	for _, a := range d.retryable(id) {
		if a.State != ledger.PayoutCancelled {
			d.Errorf("a payout of it is %s", a.State)
		}
	}
	if list, err := d.BatchesIn(d.ctx, ledger.BatchPlanned); err != nil || len(list) != 0 {
		d.Errorf("planned again by itself: %v, %v", list, err)
	}
	d.whole()
}

// A batch's record has all attempts of its payouts, each with what its locks depend on.
func whatIsKnown(t testing.TB, o Opener) {
	st := tell(t, o)
	b := st.load("dec", 3, 1)
	stations[ledger.BatchSetAside](st.desk, b[0].ID)
	st.failed(b[1].ID)
	for i := range 2 {
		next := st.again(minute(10), st.attempts(b[i].ID), 1)[0]
		st.giveUp(next.ID, minute(11))
		st.hold(st.again(minute(12), st.attempts(next.ID), 1)[0].ID)
	}
	w := st.world()
	bare := func(k ledger.BatchRecord) ledger.BatchRecord {
		k.Waiting, k.Held, k.Before = 0, nil, nil
		k.Attempts = slices.Clone(k.Attempts)
		for i := range k.Attempts {
			a := &k.Attempts[i].Attempt
			a.UpdatedAt = time.Time{}
			for j := range k.Attempts[i].Records {
				k.Attempts[i].Records[j].Statement = ledger.StatementEvidence{}
			}
		}
		return k
	}
	earlier := 0
	for _, v := range []*desk{st.desk, st.view()} {
		for _, b := range w.Batches {
			if b.State == ledger.BatchPlanned { // nothing of it is to be submitted
				continue
			}
			want, _ := w.known(b.ID)
			got, err := v.BatchRecord(v.ctx, b.ID)
			if diff := cmp.Diff(bare(want), bare(got), cmp.Comparer(sameRoster)); diff != "" || err != nil {
				st.Errorf("of a batch that is %s (-want +got):\n%s%v", b.State, diff, err)
			}
			for _, a := range got.Attempts {
				earlier = max(earlier, len(a.Earlier()))
			}
		}
	}
	if earlier != 2 {
		st.Errorf("at most %d earlier attempts: it shows too little", earlier)
	}
	if _, err := st.BatchRecord(st.ctx, "prnone"); !errors.Is(err, ledger.ErrNotFound) {
		st.Errorf("of a batch that is not there: %v", err)
	}
	st.is(w, "asking what is known")
}

// The bank's status shows what was submitted. It may drop what was only held.
func theLastShown(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 4, 1)
	check := func(doing, want string) {
		d.Helper()
		got, ok, err := d.LastShown(d.ctx)
		if err != nil || ok != (want != "") || got.ID != want || ok && !reflect.DeepEqual(got, d.batch(want)) {
			d.Errorf("%s: %+v, %t, %v; want %s", doing, got, ok, err, want)
		}
	}
	check("of a new ledger", "")
	d.hold(b[3].ID)
	check("after one was held", "")
	d.hold(b[1].ID)
	d.apply(ledger.Step{BatchID: b[1].ID, From: ledger.BatchHeld, At: minute(3), Listed: ledger.ListingNo})
	check("after one was held and not listed", "")
	d.hold(b[2].ID)
	d.apply(ledger.Step{BatchID: b[2].ID, From: ledger.BatchHeld, At: minute(3), Listed: ledger.ListingYes})
	check("after one was listed", "")
	d.settle(b[0].ID)
	check("after an older one was submitted", b[0].ID)
	d.submit(b[3].ID)
	check("after a newer one was submitted", b[3].ID)
	d.intend(b[1].ID, ledger.SubmitIntended, minute(20))
	d.apply(ledger.Step{BatchID: b[1].ID, From: ledger.BatchSubmitting, Event: ledger.SubmitAccepted, At: minute(21), Outcome: ledger.Accepted,
		HTTPStatus: 200, Observed: d.observe(b[1].ID, ledger.StatusPending, "INITIATED")})
	check("after one with a lower number was submitted later", b[1].ID)
}
