package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var steps = []Check{
	{"every event in every state does what Change says", everyEventInEveryState},
	{"a wrong from, or an event that is not legal, changes nothing", refusedStepsChangeNothing},
	{"a step of a batch that is not there is not found", noSuchBatch},
	{"a step has an actor", aStepHasAnActor},
	{"an outcome must fit its event", anOutcomeFitsItsEvent},
	{"an intent keeps its outcome and the bank's words, clipped", anIntentKeepsItsOutcome},
	{"a second intent is refused where the first may have had an effect", noSecondCallInDoubt},
	{"no more batches of an account wait for an OTP than may", heldAtMost},
	{"what was confirmed is all that is held, or below the line", confirmedOrBelow},
	{"a wrong OTP counts and leaves the batch held", aWrongOTPCounts},
	{"only news is recorded, and a second read that confirms is news", onlyNewsIsRecorded},
	{"what one answer leaves out is not forgotten", nothingIsForgotten},
	{"a status that is not listed is kept raw and settles nothing", anUnlistedStatus},
	{"a text is kept as it came, whatever is in it", textsAreKept},
	{"what cannot be read is disputed, and goes back when it can", unreadGoesBack},
	{"observations belong to their batch and name a payout's state", observationsBelong},
	{"a batch in dispute is abandoned as far as nothing moved", givingUpADispute},
	{"only doubt that expired has a successor", onlyDoubtHasASuccessor},
	{"no step leads where a payout cannot go", noStepLeadsAstray},
	{"the first step of a batch changes its own payouts only", theFirstStep},
	{"a step without a sound payload hash is refused whole", aPayloadIsAHash},
}

// Two runs initiate, each with a confirmed total below the limit.
func confirmedOrBelow(t testing.TB, o Opener) {
	d := begin(t, o)
	batches := d.load("nov", 3, 1)
	line := batches[0].Total + batches[1].Total
	intend := func(b ledger.Batch, confirmed ...ledger.Batch) bool {
		step := ledger.Step{Actor: asha, BatchID: b.ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(20), PayloadSHA256: hash("x"),
			Looks: looked(b.ID), ConfirmAbove: line, Confirmed: map[string]ledger.Paise{}}
		for _, c := range confirmed {
			step.Confirmed[c.ID] = c.Total
		}
		return d.takes(step)
	}
	if !intend(batches[0], batches[0]) {
		d.Error("one below the line was refused")
	}
	if intend(batches[1], batches[1]) {
		d.Error("with what another run initiated meanwhile it is on the line, and nobody confirmed that")
	}
	if !intend(batches[1], batches[0], batches[1]) {
		d.Error("both were confirmed")
	}
	if intend(batches[2], batches[0], batches[1]) {
		d.Error("one was not confirmed with the others")
	}
}

// A sign that means something in a store's own language means nothing in a text.
func textsAreKept(t testing.TB, o Opener) {
	const odd = "\\N\t\n\r\\t{\"a\",'b'}?1 $1 -- /* \u2028\ufffd\U0010ffff\ufeff\x01"
	d := begin(t, o)
	list := payouts("nov", 2)
	list[0].VendorName, list[0].Remarks = odd, odd
	batches := d.loadList("nov "+odd, list, 2)
	id := batches[0].ID
	d.hold(id)
	d.submit(id)
	step := ledger.Step{Actor: odd, BatchID: id, From: ledger.BatchSubmitted, At: minute(5), Note: odd, Observed: d.observe(id, odd, odd)}
	if !d.takes(step) {
		d.Fatal("refused")
	}
	if a := d.attempts(id)[0]; a.VendorName != odd || a.Remarks != odd || a.Status != odd || a.BankStatusCode != odd {
		d.Errorf("attempt: %+v", a)
	}
	if sheets, err := d.Sheets(d.Context()); err != nil || sheets[0].Name != "nov "+odd+".csv" {
		d.Errorf("%+v, %v", sheets, err)
	}
}

func unreadGoesBack(t testing.TB, o Opener) {
	d := begin(t, o)
	id := d.load("nov", 2, 2)[0].ID
	stations[ledger.BatchSubmitted](d, id)
	says := func(n int, status string, unread ledger.Fields) (ledger.Step, ledger.Attempt) {
		a := d.attempts(id)[0]
		o := see(a, status, "").Observation
		o.Unread, o.HasAmount = unread, unread == 0
		return ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchSubmitted, At: minute(n),
			Observed: []ledger.Observed{{PayoutID: a.ID, Number: 1, Observation: o, Verdict: ledger.Judge(a, o)}}}, a
	}
	unread, _ := says(6, ledger.StatusPending, ledger.FieldAmount)
	d.takes(unread)
	read, a := says(7, ledger.StatusInitiated, 0)
	if a.State != ledger.PayoutDisputed || a.Was != ledger.PayoutPending || a.Unread != ledger.FieldAmount {
		d.Errorf("%+v", a)
	}
	d.takes(read)
	back, a := says(8, ledger.StatusRequestInitiated, 0)
	if a.State != ledger.PayoutInitiated || a.Was != "" || a.Unread != 0 {
		d.Errorf("%+v", a)
	}
	d.takes(back)
	forced, _ := says(9, ledger.StatusInitiated, 0)
	forced.Observed[0].Verdict.State = ledger.PayoutInitiated
	if err := d.Apply(d.ctx, forced); !errors.Is(err, ledger.ErrTransition) {
		d.Errorf("a step back is undone: %v", err)
	}
}

// stations bring a batch to each state.
var stations = map[ledger.BatchState]func(d *desk, id string){
	ledger.BatchPlanned:    func(*desk, string) {},
	ledger.BatchInitiating: func(d *desk, id string) { d.intend(id, ledger.InitiateIntended, minute(1)) },
	ledger.BatchInitiateUnknown: func(d *desk, id string) {
		d.intend(id, ledger.InitiateIntended, minute(1))
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchInitiating, Event: ledger.InitiateLost, At: minute(2)})
	},
	ledger.BatchHeld: (*desk).hold,
	ledger.BatchSubmitting: func(d *desk, id string) {
		d.hold(id)
		d.intend(id, ledger.SubmitIntended, minute(3))
	},
	ledger.BatchSubmitUnknown: func(d *desk, id string) {
		d.hold(id)
		d.intend(id, ledger.SubmitIntended, minute(3))
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchSubmitting, Event: ledger.SubmitLost, At: minute(4)})
	},
	ledger.BatchSubmitted: func(d *desk, id string) {
		d.hold(id)
		d.submit(id)
	},
	ledger.BatchSettled: (*desk).settle,
	ledger.BatchRefused: func(d *desk, id string) {
		d.intend(id, ledger.InitiateIntended, minute(1))
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchInitiating, Event: ledger.InitiateRefused, At: minute(2)})
	},
	ledger.BatchQuarantined: func(d *desk, id string) {
		d.intend(id, ledger.InitiateIntended, minute(1))
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchInitiating, Event: ledger.EchoDiffers, At: minute(2)})
	},
	ledger.BatchAbandoned: func(d *desk, id string) { d.abandon(id, minute(1)) },
	ledger.BatchSetAside: func(d *desk, id string) {
		d.hold(id)
		d.intend(id, ledger.SubmitIntended, minute(3))
		d.apply(ledger.Step{BatchID: id, From: ledger.BatchSubmitting, Event: ledger.SubmitLost, At: minute(4)})
		d.setAside(id, minute(5))
	},
}

// tried is one step to try, on a batch of its own.
type tried struct {
	from  ledger.BatchState
	event ledger.BatchEvent
	with  string // what the step carries
	add   func(d *desk, s *ledger.Step)
}

// allTried returns every event in every state, alone and with everything that the bank may say with it.
func allTried() []tried {
	answers := []struct{ status, code string }{
		{ledger.StatusRequestInitiated, ""}, {ledger.StatusPending, "X"}, {ledger.StatusSuccess, ""}, {ledger.StatusSuccess, ledger.CodeReturned}, {ledger.StatusFailed, ""}, {"odd", ""},
	}
	var all []tried
	for _, from := range ledger.BatchStates {
		for _, event := range append([]ledger.BatchEvent{""}, ledger.BatchEvents[:]...) {
			if _, err := from.Next(event); event != "" && err != nil || event.Released() {
				continue // refusedStepsChangeNothing, decisions
			}
			all = append(all, tried{from, event, "nothing else", func(*desk, *ledger.Step) {}})
			all = append(all, tried{from, event, "words", func(_ *desk, s *ledger.Step) {
				s.Note, s.Attention, s.Person, s.Code, s.Message, s.HTTPStatus, s.OpenBatchID = "look at it", ledger.StatusDiffers, "by mail", "C_1", "so says the bank", 200, "ob-2"
			}})
			for _, a := range answers {
				all = append(all, tried{from, event, "every payout " + a.status + " " + a.code, func(d *desk, s *ledger.Step) { s.Observed = d.observe(s.BatchID, a.status, a.code) }})
			}
			all = append(all, tried{from, event, "one payout of another amount", func(d *desk, s *ledger.Step) {
				a := d.attempts(s.BatchID)[1]
				o := see(a, ledger.StatusRequestInitiated, "")
				o.Amount++
				o.Verdict = ledger.Judge(a, o.Observation)
				s.Observed = []ledger.Observed{o}
			}})
			for _, outcome := range []ledger.Outcome{ledger.NotSent, ledger.Accepted, ledger.Rejected, ledger.Unknown} {
				all = append(all, tried{from, event, "outcome " + string(outcome), func(_ *desk, s *ledger.Step) { s.Outcome = outcome }})
			}
			all = append(all, tried{from, event, "a successor", func(_ *desk, s *ledger.Step) { s.Successor = true }})
			all = append(all, tried{from, event, "what the bank shows of it", func(_ *desk, s *ledger.Step) {
				s.Shown, s.Listed, s.Refusal, s.OtherNumber = true, ledger.ListingYes, strings.Repeat("n", ledger.MessageLimit+1), new("XXXX0010")
			}})
			all = append(all, tried{from, event, "that the bank does not list it", func(_ *desk, s *ledger.Step) { s.Listed = ledger.ListingNo }})
			for _, spoilt := range spoiltLooks {
				if event.Call() != "" {
					all = append(all, tried{from, event, spoilt.name, func(d *desk, s *ledger.Step) { s.Looks = spoilt.looks(d, s.BatchID) }})
				}
			}
		}
	}
	return all
}

func everyEventInEveryState(t testing.TB, o Opener) {
	d := begin(t, o)
	const atOnce = 24 // in one ledger, each with a batch of its own; then the whole ledger is compared
	taken := map[ledger.BatchState]map[ledger.BatchEvent]bool{}
	for _, state := range ledger.BatchStates {
		taken[state] = map[ledger.BatchEvent]bool{}
	}
	for n, now := range slices.Collect(slices.Chunk(allTried(), atOnce)) {
		if inPart(o) && n%3 != 0 {
			continue
		}
		d.reset()
		batches := d.load("nov", 2*len(now), 2)
		for i, c := range now {
			stations[c.from](d, batches[i].ID)
		}
		w := d.world()
		for i, c := range now {
			step := ledger.Step{BatchID: batches[i].ID, Actor: ravi, From: c.from, Event: c.event, At: minute(30 + i)}
			if c.event.Call() != "" {
				step.PayloadSHA256, step.Looks = hash("payload"), looked(step.BatchID)
			}
			c.add(d, &step)
			var ok bool
			if w, ok = d.answersFrom(w, step); ok {
				taken[c.from][c.event] = true
			}
			if d.Failed() {
				d.Fatalf("that was %s in %s with %s", nameOf(step), c.from, c.with)
			}
		}
		d.is(w, "steps of %d batches", len(now))
		d.whole()
		if d.Failed() {
			for i, c := range now {
				d.Errorf("batch %s was in %s, and took %q with %s", batches[i].ID, c.from, c.event, c.with)
			}
			return
		}
	}
	for _, c := range allTried() {
		if !taken[c.from][c.event] && !inPart(o) {
			d.Errorf("%q in %s was never taken: it shows nothing", c.event, c.from)
		}
	}
}

func refusedStepsChangeNothing(t testing.TB, o Opener) {
	d := begin(t, o)
	batches := d.load("nov", 2*len(ledger.BatchStates), 2)
	for i, state := range ledger.BatchStates {
		stations[state](d, batches[i].ID)
	}
	before := d.world()
	for i, state := range ledger.BatchStates {
		for j, event := range append([]ledger.BatchEvent{""}, ledger.BatchEvents[:]...) {
			for k, from := range ledger.BatchStates {
				_, illegal := from.Next(event)
				want := ledger.ErrConflict
				switch {
				case from == state && (event == "" || illegal == nil && !event.Released()):
					continue // everyEventInEveryState
				case from == state:
					want = ledger.ErrTransition
				case illegal != nil && k != (i+1+j)%len(ledger.BatchStates):
					continue // stale and illegal: one of them will do
				}
				err := d.Apply(d.ctx, ledger.Step{Actor: asha, BatchID: batches[i].ID, From: from, Event: event, At: minute(30), PayloadSHA256: hash("x"),
					Note: "must not be seen", Attention: ledger.StatusDiffers, OpenBatchID: "ob-2"})
				if !errors.Is(err, want) {
					d.Errorf("%s from %s on a batch that is %s: %v, want %v", event, from, state, err, want)
				}
			}
		}
		d.is(before, "refused steps of a batch that is %s", state)
	}
}

func noSuchBatch(t testing.TB, o Opener) {
	d := begin(t, o)
	d.takes(ledger.Step{Actor: asha, BatchID: "prnone", From: ledger.BatchPlanned, Event: ledger.Abandoned, At: minute(1)})
	if _, err := d.Batch(d.ctx, "prnone"); !errors.Is(err, ledger.ErrNotFound) {
		d.Errorf("asked for it: %v", err)
	}
	if list, err := d.Attempts(d.ctx, "prnone"); err != nil || len(list) != 0 {
		d.Errorf("its attempts: %v, %v", list, err)
	}
}

func aStepHasAnActor(t testing.TB, o Opener) {
	d := begin(t, o)
	id := d.load("nov", 2, 2)[0].ID
	before := d.world()
	for _, nobody := range []string{"", "  "} {
		if err := d.Apply(d.ctx, ledger.Step{Actor: nobody, BatchID: id, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: minute(1)}); err == nil {
			d.Errorf("a step in the name of %q was recorded", nobody)
		}
	}
	d.is(before, "a step in nobody's name")
	d.takes(ledger.Step{Actor: ravi, BatchID: id, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: minute(1)})
}

func anOutcomeFitsItsEvent(t testing.TB, o Opener) {
	d := begin(t, o)
	id := d.load("nov", 1, 1)[0].ID
	d.intend(id, ledger.InitiateIntended, minute(1))
	for event, outcome := range map[ledger.BatchEvent]ledger.Outcome{
		ledger.InitiateUndone: ledger.Unknown, ledger.InitiateAccepted: ledger.Rejected, ledger.InitiateLost: ledger.NotSent, ledger.InitiateRefused: ledger.Accepted,
	} {
		if d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchInitiating, Event: event, At: minute(2), Outcome: outcome}) {
			d.Errorf("%s with outcome %s was recorded", event, outcome)
		}
	}
}

func anIntentKeepsItsOutcome(t testing.TB, o Opener) {
	d := begin(t, o)
	id := d.load("nov", 1, 1)[0].ID
	d.apply(ledger.Step{BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(1), PayloadSHA256: hash("body"), Looks: looked(id)})
	d.apply(ledger.Step{BatchID: id, From: ledger.BatchInitiating, Event: ledger.InitiateRefused, At: minute(2), Outcome: ledger.Rejected,
		HTTPStatus: 400, Code: "SVC_CB_FT_002", Message: strings.Repeat("₹", ledger.MessageLimit+10)})
	want := []ledger.RecordedIntent{{No: 1, BatchID: id, Intent: ledger.Intent{
		Kind: ledger.CallInitiate, PayloadSHA256: hash("body"), At: minute(1), Outcome: ledger.Rejected, HTTPStatus: 400, Code: "SVC_CB_FT_002",
		Message: strings.Repeat("₹", ledger.MessageLimit), EndedAt: minute(2),
	}, Looked: true}}
	if diff := cmp.Diff(want, d.world().Intents); diff != "" {
		d.Errorf("intents (-want +got):\n%s", diff)
	}
	for _, a := range d.attempts(id) {
		if a.State != ledger.PayoutCancelled {
			d.Errorf("a payout of a refused batch is %s", a.State)
		}
	}
	d.whole()
}

func noSecondCallInDoubt(t testing.TB, o Opener) {
	d := begin(t, o)
	id := d.load("nov", 2, 2)[0].ID
	for i, end := range []ledger.Step{
		{Event: ledger.InitiateUndone, Outcome: ledger.NotSent},
		{Event: ledger.InitiateUndone, Outcome: ledger.Rejected, HTTPStatus: 401},
	} {
		d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(2 * i), PayloadSHA256: hash("x"), Looks: looked(id)})
		end.BatchID, end.Actor, end.From, end.At = id, asha, ledger.BatchInitiating, minute(2*i+1)
		d.takes(end)
	}
	d.hold(id)
	d.intend(id, ledger.SubmitIntended, minute(6))
	d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchSubmitting, Event: ledger.SubmitUndone, At: minute(7), Outcome: ledger.NotSent})
	d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: minute(8), PayloadSHA256: hash("y"), Looks: looked(id)})
	if b := d.batch(id); b.State != ledger.BatchSubmitting {
		d.Errorf("after a submit that was not sent the next was not begun: it is %s", b.State)
	}
	d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchSubmitting, Event: ledger.SubmitLost, At: minute(9)})
	d.whole()
}

func heldAtMost(t testing.TB, o Opener) {
	d := begin(t, o)
	batches := d.load("nov", 4, 1)
	list := payouts("dec", 1)
	list[0].BankAccountID = accountOne
	p := plan(list, 1)
	p[0].PartnerBankID, p[0].Kind = 3, ledger.KindNone
	elsewhere, err := d.tryLoad("dec", list, p)
	d.must(err)
	intend := func(id string, most int) bool {
		return d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(20), PayloadSHA256: hash("x"), Looks: looked(id), HeldAtMost: most})
	}
	d.hold(batches[0].ID)
	if intend(batches[1].ID, 1) {
		d.Error("a second batch of the account was begun where one may wait")
	}
	if !intend(elsewhere[0].ID, 1) {
		d.Error("a batch of another account was held up")
	}
	if !intend(batches[1].ID, 2) || intend(batches[2].ID, 2) {
		d.Error("of a limit of two, two wait")
	}
	if !intend(batches[2].ID, 0) {
		d.Error("no limit held a batch up")
	}
	d.whole()
}

func aWrongOTPCounts(t testing.TB, o Opener) {
	d := begin(t, o)
	id := d.load("nov", 1, 1)[0].ID
	d.hold(id)
	for i, end := range []ledger.Step{
		{Event: ledger.SubmitRejected, Outcome: ledger.Rejected, HTTPStatus: 400},
		{Event: ledger.SubmitUndone, Outcome: ledger.NotSent},
		{Event: ledger.SubmitUndone, Outcome: ledger.Rejected, HTTPStatus: 401},
		{Event: ledger.SubmitRejected, Outcome: ledger.Rejected, HTTPStatus: 400, Attention: ledger.StatusDiffers, Note: "two OTPs were rejected"},
	} {
		d.intend(id, ledger.SubmitIntended, minute(10+i))
		end.BatchID, end.Actor, end.From, end.At = id, asha, ledger.BatchSubmitting, minute(20+i)
		d.takes(end)
	}
	b := d.batch(id)
	if b.OTPTries != 2 || b.State != ledger.BatchHeld || !b.HeldAt.Equal(minute(2)) || !b.StateSince.Equal(minute(23)) || b.Attention != ledger.StatusDiffers || b.Note != "two OTPs were rejected" {
		d.Errorf("after two wrong OTPs: %+v", b)
	}
	d.submit(id)
	d.whole()
}

func onlyNewsIsRecorded(t testing.TB, o Opener) {
	d := begin(t, o)
	id := d.load("nov", 2, 2)[0].ID
	d.hold(id)
	d.submit(id)
	poll := func(n int, status, code string) world {
		d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchSubmitted, At: minute(n), Observed: d.observe(id, status, code)})
		return d.world()
	}
	first := d.world()
	had := len(first.Observations)
	if w := poll(5, ledger.StatusPending, "INITIATED"); len(w.Observations) != had || w.chain() != first.chain() || !d.batch(id).UpdatedAt.Equal(minute(4)) {
		d.Error("the same answer again was recorded as news")
	}
	if w := poll(6, ledger.StatusPending, "IN_PROCESS"); len(w.Observations) != had+2 || len(w.Events) != len(first.Events)+1 {
		d.Error("another bank code is news")
	}
	poll(7, ledger.StatusFailed, "")
	poll(8, ledger.StatusFailed, "") // the same answer, but it counts: the second read confirms
	for _, a := range d.attempts(id) {
		if a.State != ledger.PayoutFailed || a.FailedReads != 2 {
			d.Errorf("after two reads: %+v", a)
		}
	}
	if w := poll(9, ledger.StatusFailed, ""); len(w.Observations) != had+6 {
		d.Errorf("%d observations, want %d", len(w.Observations), had+6)
	}
	d.whole()
}

func nothingIsForgotten(t testing.TB, o Opener) {
	d := begin(t, o)
	id := d.load("nov", 1, 1)[0].ID
	d.settle(id)
	a := d.attempts(id)[0]
	bare := ledger.Observation{WireRef: a.WireRef, Status: ledger.StatusSuccess, BankStatusCode: "CREDITED"}
	d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchSettled, At: minute(8),
		Observed: []ledger.Observed{{PayoutID: a.ID, Number: 1, Observation: bare, Verdict: ledger.Judge(a, bare)}}})
	if a := d.attempts(id)[0]; a.OpenTxnID != "tx-nov-1" || a.BankTxnRefID != "UTR-nov-1" || a.BankStatusCode != "CREDITED" {
		d.Errorf("attempt: %+v", a)
	}
}

func anUnlistedStatus(t testing.TB, o Opener) {
	d := begin(t, o)
	id := d.load("nov", 1, 1)[0].ID
	d.hold(id)
	d.submit(id)
	d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchSubmitted, At: minute(5), Observed: d.observe(id, "on_hold", "XYZ")})
	if a := d.attempts(id)[0]; a.State != ledger.PayoutPending || a.Status != "on_hold" || a.BankStatusCode != "XYZ" || a.Reason == "" {
		d.Errorf("attempt: %+v", a)
	}
	if d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchSubmitted, Event: ledger.AllFinal, At: minute(6)}) {
		d.Error("settled with a payout open")
	}
}

func observationsBelong(t testing.TB, o Opener) {
	d := begin(t, o)
	batches := d.load("nov", 4, 2)
	d.hold(batches[0].ID)
	other := d.attempts(batches[1].ID)[0]
	if d.takes(ledger.Step{Actor: asha, BatchID: batches[0].ID, From: ledger.BatchHeld, At: minute(3), Note: "x", Observed: []ledger.Observed{see(other, ledger.StatusPending, "")}}) {
		d.Error("another batch's payout was observed")
	}
	seen := see(d.attempts(batches[0].ID)[0], ledger.StatusPending, "")
	seen.Number = 2
	if d.takes(ledger.Step{Actor: asha, BatchID: batches[0].ID, From: ledger.BatchHeld, At: minute(3), Observed: []ledger.Observed{seen}}) {
		d.Error("an attempt that was never made was observed")
	}
	seen.Number, seen.Verdict.State = 1, "paid"
	if d.takes(ledger.Step{Actor: asha, BatchID: batches[0].ID, From: ledger.BatchHeld, At: minute(3), Observed: []ledger.Observed{seen}}) {
		d.Error("a state of no name was recorded")
	}
}

// A quarantined batch may be abandoned, and its disputed payouts with it. It may not be abandoned while a
// payout of it moves, and a payout that an answer showed moving is not cancelled.
func givingUpADispute(t testing.TB, o Opener) {
	d := begin(t, o)
	for i, c := range []struct {
		name, status string
		amount       ledger.Paise
		want         ledger.PayoutState
		legal        bool
	}{
		{"another amount, nothing moved", ledger.StatusRequestInitiated, 1, ledger.PayoutCancelled, true},
		{"another amount, and paid", ledger.StatusSuccess, 1, ledger.PayoutDisputed, true},
		{"paid without a submit", ledger.StatusSuccess, 0, ledger.PayoutSuccess, false},
		{"on its way without a submit", ledger.StatusPending, 0, ledger.PayoutPending, false},
	} {
		id := d.load(fmt.Sprintf("sheet%d", i), 2, 2)[0].ID
		d.hold(id)
		seen := d.observe(id, c.status, "")
		seen[0].Amount += c.amount
		seen[0].Verdict = ledger.Judge(d.attempts(id)[0], seen[0].Observation)
		d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchHeld, Event: ledger.EchoDiffers, At: minute(3), Attention: ledger.StatusDiffers, Observed: seen[:1]})
		legal := d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchQuarantined, Event: ledger.Abandoned, At: minute(4), Person: "the bank confirmed by mail"})
		if a := d.attempts(id)[0]; legal != c.legal || a.State != c.want {
			d.Errorf("%s: abandoned %t, want %t; the payout is %s, want %s", c.name, legal, c.legal, a.State, c.want)
		}
	}
	d.whole()
}

func onlyDoubtHasASuccessor(t testing.TB, o Opener) {
	d := begin(t, o)
	id := d.load("nov", 1, 1)[0].ID
	if d.takes(ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: minute(1), Successor: true}) {
		d.Error("a batch that a person abandoned was planned again")
	}
}

// A verdict that Judge never returns is refused, no matter who made it.
func noStepLeadsAstray(t testing.TB, o Opener) {
	d := begin(t, o)
	batches := d.load("nov", 6, 2)
	d.settle(batches[1].ID)
	d.hold(batches[2].ID)
	for i, c := range []struct {
		from ledger.BatchState
		to   ledger.PayoutState
	}{
		{ledger.BatchPlanned, ledger.PayoutReturned}, {ledger.BatchPlanned, ledger.PayoutSuccess},
		{ledger.BatchSettled, ledger.PayoutPending}, {ledger.BatchSettled, ledger.PayoutFailed}, {ledger.BatchSettled, ledger.PayoutCancelled},
		{ledger.BatchHeld, ledger.PayoutPlanned},
	} {
		j := slices.IndexFunc(batches, func(b ledger.Batch) bool { return d.batch(b.ID).State == c.from })
		seen := see(d.attempts(batches[j].ID)[0], "odd", fmt.Sprint(i))
		seen.Verdict = ledger.Verdict{State: c.to}
		if d.takes(ledger.Step{Actor: asha, BatchID: batches[j].ID, From: c.from, At: minute(20), Observed: []ledger.Observed{seen}}) {
			d.Errorf("a payout of a batch that is %s became %s", c.from, c.to)
		}
	}
}

// The first step of a batch, of any kind, leaves its payouts as they were loaded and does not change other
// batches.
func theFirstStep(t testing.TB, o Opener) {
	d := begin(t, o)
	for i, first := range []ledger.Step{
		{Event: ledger.InitiateIntended, PayloadSHA256: hash("x")},
		{Event: ledger.Abandoned, Person: "sent twice by mail"},
		{Note: "wait for the invoice", Attention: ledger.StatusDiffers},
		{Observed: []ledger.Observed{{Number: 1, Observation: ledger.Observation{Status: "XYZ"}, Verdict: ledger.Verdict{State: ledger.PayoutDisputed}}}},
	} {
		b := d.load(fmt.Sprintf("sheet%d", i), 5, 3)
		planned := d.attempts(b[0].ID)
		for j := range first.Observed {
			first.Observed[j].PayoutID = planned[0].ID
		}
		first.BatchID, first.Actor, first.From, first.At = b[0].ID, asha, ledger.BatchPlanned, minute(1)
		first.Looks = looksFor(first)
		if !d.takes(first) {
			d.Errorf("%s is refused", nameOf(first))
		}
		for j, a := range d.attempts(b[0].ID) {
			if p := planned[j]; a.Payout != p.Payout || a.WireRef != p.WireRef || a.Number != 1 {
				d.Errorf("was %+v\nis %+v", p, a)
			}
		}
	}
	d.whole()
}

func aPayloadIsAHash(t testing.TB, o Opener) {
	d := begin(t, o)
	id := d.load("nov", 3, 3)[0].ID
	before := d.world()
	for _, payload := range []string{"", "x", strings.Repeat("Z", 64), strings.ToUpper(hash("x"))} {
		if err := d.Apply(d.ctx, ledger.Step{Actor: asha, BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(1), PayloadSHA256: payload, Looks: looked(id)}); err == nil {
			d.Errorf("an intent of payload %q was recorded", payload)
		}
		d.is(before, "an intent of payload %q", payload)
	}
}
