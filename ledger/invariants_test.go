package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"payrun/ledger"
)

// The batches of the story, by number.
const (
	asPlanned     = iota + 1
	asHeld        //
	asSettled     // one payout paid, one failed, one returned
	inDoubt       // its submit was never answered
	asRefused     //
	withLEI       //
	toBeneficiary // RIB
	asSubmitted   //
	givenUp       // of the second sheet
	again         // the refused one's payouts
)

// story is a ledger with a batch in each of the stations that matter.
func story(t testing.TB) *desk {
	t.Helper()
	d := newDesk()
	p := somePayouts("NOV", 12)
	p[9].Amount, p[9].BeneLEI = ledger.LEILine, deskLEI
	p[10].OpenBeneficiaryID = "ben-11"
	d.load("nov.csv", p, []ledger.PlannedBatch{
		batchOf(p, 3, "", 0, 1), batchOf(p, 3, "", 2), batchOf(p, 3, "", 3, 4, 5), batchOf(p, 3, "", 6), batchOf(p, 3, "", 7, 8),
		batchOf(p, 1, "", 9), batchOf(p, 12, ledger.KindRIB, 10), batchOf(p, 4, "", 11),
	})
	q := somePayouts("dec", 1)
	d.load("dec.csv", q, []ledger.PlannedBatch{batchOf(q, 4, "", 0)})
	d.hold(t, asHeld)
	d.submit(t, asSettled)
	d.poll(t, asSettled, d.each(asSettled, "success", "failed", "success")...)
	d.poll(t, asSettled, d.each(asSettled, "success", "failed", "returned")...)
	d.must(t, asSettled, ledger.Step{Event: ledger.AllFinal})
	d.hold(t, inDoubt)
	d.must(t, inDoubt, ledger.Step{Event: ledger.SubmitIntended}, ledger.Step{Event: ledger.SubmitLost})
	d.must(t, asRefused, ledger.Step{Event: ledger.InitiateIntended}, ledger.Step{Event: ledger.InitiateRefused, Outcome: ledger.Rejected})
	d.submit(t, asSubmitted)
	d.must(t, givenUp, ledger.Step{Event: ledger.Abandoned, Person: "sent twice by mail"})
	d.retry(asRefused)
	d.approve("ravi", asPlanned)
	d.propose("ravi", inDoubt)
	return d
}

// each is an answer that says something of each payout of a batch.
func (d *desk) each(no int64, says ...string) (list []ledger.Observed) {
	for i, a := range d.attemptsOf(no) {
		status, code := says[i], ""
		if status == "returned" {
			status, code = ledger.StatusSuccess, ledger.CodeReturned
		}
		list = append(list, seen(a.Attempt, status, code))
	}
	return list
}

func (d *desk) approve(actor string, no int64) {
	b := &d.batches[no-1]
	a := ledger.Approval{BatchID: b.ID, PayloadSHA256: shaOf("payload"), Actor: actor, At: d.now}
	d.tell(ledger.Approving{Approval: a}.Event(b.Batch))
}

func (d *desk) propose(actor string, no int64) {
	b := &d.batches[no-1]
	p := ledger.ReleaseApproval{No: int64(len(b.Proposals) + 1), BatchID: b.ID, As: ledger.ReleaseNotPaid, Reason: "it never came", Ticket: "mail; 4711", Actor: actor, At: d.now}
	p.Evidence = ledger.ReleaseEvidence{}.JSON()
	if p.No > 1 {
		p.Carried, p.Seconds = true, p.No-1
	}
	b.Proposals = append(b.Proposals, p)
	d.tell(p.Event(b.Batch))
}

// released is a release of a batch, by these two.
func (d *desk) released(no int64, first, second string) *ledger.ReleaseApproval {
	d.batch(no).Proposals = nil
	d.propose(first, no)
	d.now = d.now.Add(time.Hour)
	d.propose(second, no)
	d.unsaid(no)
	return &d.batch(no).Proposals[1]
}

// unsaid takes the statement of the story from the audit trail.
func (d *desk) unsaid(no int64) {
	i := slices.IndexFunc(d.events, func(e ledger.Event) bool { return e.Kind == ledger.EventReleaseAsked && e.BatchID == d.batch(no).ID })
	d.events = slices.Delete(d.events, i, i+1)
}

// batch, payout and event give what a case changes.
func (d *desk) batch(no int64) *ledger.BatchFacts { return &d.batches[no-1] }

// attemptIn is the first attempt of a batch.
func (d *desk) attemptIn(no int64) (*ledger.PayoutFacts, *ledger.AttemptFacts) {
	for i := range d.payouts {
		for j := range d.payouts[i].Attempts {
			if d.payouts[i].Attempts[j].BatchNo == no {
				return &d.payouts[i], &d.payouts[i].Attempts[j]
			}
		}
	}
	panic("no attempt")
}

// event is the first of a kind that is notified of a batch.
func (d *desk) event(kind string, no int64) *ledger.Event {
	i := slices.IndexFunc(d.events, func(e ledger.Event) bool { return e.Kind == kind && e.BatchID == d.batch(no).ID })
	return &d.events[i]
}

// numbers are the invariants that do not hold.
func numbers(problems []ledger.Problem) []int {
	broken := map[int]bool{}
	for _, p := range problems {
		broken[p.Invariant] = true
	}
	return slices.Sorted(maps.Keys(broken))
}

func verified(t testing.TB, d *desk) []ledger.Problem {
	t.Helper()
	problems, err := verify(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if p.What == "" || p.Detail == "" || p.Kind != ledger.ProblemBroken {
			t.Errorf("%+v", p)
		}
	}
	return problems
}

func TestARightLedgerHasNoProblem(t *testing.T) {
	for name, d := range map[string]*desk{"a story": story(t), "nothing loaded": newDesk()} {
		if problems := verified(t, d); len(problems) > 0 {
			t.Errorf("%s: %+v", name, problems)
		}
	}
}

// One thing is changed in a right ledger, as someone would who knows how to
// make the audit chain right again: these invariants do not hold then, and no
// others.
var doctored = map[string]struct {
	broken []int
	do     func(d *desk)
}{
	"two live attempts": {[]int{1}, func(d *desk) { _, a := d.attemptIn(asRefused); a.State = ledger.PayoutPending }},
	"a payout in two batches": {[]int{1}, func(d *desk) {
		p, a := d.attemptIn(asHeld)
		p.Attempts = append(p.Attempts, ledger.AttemptFacts{BatchNo: asPlanned, Attempt: ledger.Attempt{Number: 1, WireRef: p.Ref, State: ledger.PayoutCancelled}})
		a.State = ledger.PayoutRequestInitiated
		d.widen(asPlanned, p)
	}},
	"an intent of another payload": {[]int{2}, func(d *desk) { d.batch(asHeld).Intents[0].PayloadSHA256 = shaOf("other") }},
	"an intent of another kind":    {[]int{2}, func(d *desk) { d.batch(asHeld).Intents[0].Kind = ledger.CallSubmit }},
	"an intent taken away":         {[]int{2, 6}, func(d *desk) { d.batch(asHeld).Intents = nil }},
	"the last intent taken away":   {[]int{2}, func(d *desk) { b := d.batch(asSubmitted); b.Intents = b.Intents[:1] }},
	"an intent left open":          {[]int{2}, func(d *desk) { d.batch(asHeld).Intents[0].Outcome = "" }},
	"an intent's event reworded":   {[]int{2}, func(d *desk) { d.event("initiate_intended", asHeld).Detail = `{"payload":"` + shaOf("other") + `"}` }},
	"two intents with each other's numbers": {[]int{2}, func(d *desk) {
		a, b := &d.batch(asHeld).Intents[0], &d.batch(asSubmitted).Intents[0]
		a.No, b.No = b.No, a.No
	}},
	"a word with another number": {[]int{18}, func(d *desk) { d.batch(inDoubt).Proposals[0].No++ }},
	"two sheets in another order": {[]int{18}, func(d *desk) {
		of := func(sheet int) *ledger.Event {
			return &d.events[slices.IndexFunc(d.events, func(e ledger.Event) bool { return e.Kind == ledger.EventSheetLoaded && e.SheetID == d.sheets[sheet].ID })]
		}
		a, b := of(0), of(1)
		*a, *b = *b, *a
	}},
	"two batches in another order": {[]int{18}, func(d *desk) {
		a, b := d.event("batch_planned", asPlanned), d.event("batch_planned", asHeld)
		*a, *b = *b, *a
	}},
	"a call in progress without intent": {[]int{2, 18}, func(d *desk) { d.batch(asHeld).State = ledger.BatchSubmitting }},
	"a quarantined submit":              {[]int{3, 18}, func(d *desk) { d.batch(asSubmitted).State = ledger.BatchQuarantined }},
	"a submit after the end":            {[]int{3, 10, 18}, func(d *desk) { d.event("initiate_accepted", asSubmitted).Kind = "abandoned" }},
	"two submits in doubt": {[]int{2, 4}, func(d *desk) {
		b := d.batch(inDoubt)
		d.intents++
		b.Intents = append(b.Intents, ledger.RecordedIntent{No: d.intents, Looked: true, Intent: ledger.Intent{Kind: ledger.CallSubmit, Outcome: ledger.Unknown}})
	}},
	"alive next to a doubt": {[]int{1, 5}, func(d *desk) {
		p, _ := d.attemptIn(inDoubt)
		p.Attempts = append(p.Attempts, ledger.AttemptFacts{BatchNo: asPlanned, Attempt: ledger.Attempt{Number: 2, WireRef: p.Ref + "-R2", State: ledger.PayoutPlanned}})
		d.refs = append(d.refs, ledger.ReferenceFacts{Key: p.Key + "-r2", AttemptKey: ledger.AttemptKey{PayoutID: p.ID, Number: 2}})
		d.widen(asPlanned, p)
	}},
	"a first attempt that sends something else": {[]int{7, 12, 23}, func(d *desk) {
		p, a := d.attemptIn(asHeld)
		is := p.Payout
		is.Amount++
		a.Corrected = &ledger.CorrectionFacts{Number: 1, SheetNo: 1, Row: 2, Sends: is}
	}},
	"a sheet that corrects what was not corrected": {[]int{12, 13}, func(d *desk) { d.sheets[1].Corrected = ledger.Tally{Count: 1, Total: 5} }},
	"a statement read that no event has":           {[]int{23}, func(d *desk) { d.statements = append(d.statements, ledger.Digest{}) }},
	"a statement that is gone":                     {[]int{23}, func(d *desk) { d.tell(ledger.Event{Kind: ledger.EventStatementRead, Digest: ledger.Digest{}.String()}) }},
	"a statement that was changed": {[]int{23}, func(d *desk) {
		d.tell(ledger.Event{Kind: ledger.EventStatementRead, Digest: ledger.Digest{1}.String()})
		d.statements = append(d.statements, ledger.Digest{})
	}},
	"a word about a statement that no event has": {[]int{23}, func(d *desk) {
		d.words = append(d.words, ledger.StatementDecision{No: 1, Kind: ledger.WordVoid, Reading: 1})
	}},
	"a word about a statement that was changed": {[]int{23}, func(d *desk) {
		w := ledger.StatementDecision{No: 1, Kind: ledger.WordVoid, Reading: 1, Reason: "x", Actor: "asha"}
		d.tell(w.Event())
		w.Reason = "y"
		d.words = append(d.words, w)
	}},
	"a word about a statement that one person said twice": {[]int{23}, func(d *desk) {
		for i := range int64(2) {
			w := ledger.StatementDecision{No: i + 1, Kind: ledger.WordVoid, Reading: 1, Reason: "x", Actor: "asha", First: i}
			d.tell(w.Event())
			d.words = append(d.words, w)
		}
	}},
	"a reference forgotten":          {[]int{6}, func(d *desk) { d.refs = slices.Delete(d.refs, 2, 3) }},
	"a reference of nobody":          {[]int{6}, func(d *desk) { d.refs = append(d.refs, ledger.ReferenceFacts{Key: "x"}) }},
	"a reference of another payout":  {[]int{6}, func(d *desk) { d.refs[2].PayoutID = 1 }},
	"a reference of another attempt": {[]int{6}, func(d *desk) { d.refs[2].Number = 2 }},
	"a reference renamed":            {[]int{6}, func(d *desk) { d.payouts[2].Key = "nov-33" }},
	"a reference kept that the bank has shown": {[]int{25}, func(d *desk) {
		d.event("initiate_refused", asRefused).Kind = "echo_differs"
		d.batch(asRefused).State = ledger.BatchAbandoned
		d.tell(ledger.Event{Kind: "abandoned", BatchID: d.batch(asRefused).ID})
	}},
	"a further reference renamed": {[]int{6}, func(d *desk) { p, _ := d.attemptIn(again); p.Attempts[1].WireRef = p.Ref + "-R9" }},
	"a payout gone":               {[]int{6, 7, 12, 13, 23}, func(d *desk) { d.payouts = slices.Delete(d.payouts, 2, 3) }},
	"a batch gone":                {[]int{6}, func(d *desk) { d.batches = slices.Delete(d.batches, asPlanned-1, asPlanned) }},
	"a sheet gone":                {[]int{6, 12, 23}, func(d *desk) { d.sheets = d.sheets[1:] }},
	"an observation gone":         {[]int{6}, func(d *desk) { _, a := d.attemptIn(asSettled); a.Seen = a.Seen[1:] }},
	"an attempt gone":             {[]int{6, 7}, func(d *desk) { p, _ := d.attemptIn(again); p.Attempts = p.Attempts[1:] }},
	"a batch renamed":             {[]int{6, 18, 23}, func(d *desk) { d.batch(withLEI).ID = "prother" }},
	"two batches of one id":       {[]int{6, 18, 23}, func(d *desk) { d.batch(withLEI).ID = d.batch(toBeneficiary).ID }},
	"a sheet renamed":             {[]int{6, 23}, func(d *desk) { d.sheets[0].ID = "shother" }},
	"a sequence changed":          {[]int{6}, func(d *desk) { d.batch(withLEI).Sequence = 99 }},
	"a batch that nobody planned": {[]int{6, 18, 23}, func(d *desk) { d.event("batch_planned", withLEI).Kind = "observed" }},
	"a bank without bulk":         {[]int{7}, func(d *desk) { d.batch(asPlanned).PartnerBankID = 4 }},
	"a bank without such a kind":  {[]int{7}, func(d *desk) { d.batch(asPlanned).Kind = ledger.KindRIB }},
	"a batch of another total":    {[]int{7}, func(d *desk) { d.batch(asPlanned).Total++ }},
	"a batch of another count":    {[]int{7}, func(d *desk) { d.batch(asPlanned).Count++ }},
	"a payout of another amount":  {[]int{7, 13}, func(d *desk) { d.payouts[0].Amount++ }},
	"a payout of another account": {[]int{7}, func(d *desk) { d.payouts[0].BankAccountID = "other" }},
	"a payout of another sheet":   {[]int{7, 12, 13}, func(d *desk) { d.payouts[0].SheetNo = 2 }},
	"a payout in another batch":   {[]int{7, 23}, func(d *desk) { d.payouts[0].Attempts[0].BatchNo = withLEI; d.payouts[0].BeneLEI = deskLEI }},
	"amounts out of range":        {[]int{7, 13}, func(d *desk) { d.payouts[0].Amount, d.payouts[1].Amount = 1<<63-1, 1<<63-1 }},
	"an LEI out of place":         {[]int{8}, func(d *desk) { d.batch(asHeld).BeneLEI = deskLEI; d.payouts[2].BeneLEI = deskLEI }},
	"no LEI from the line on":     {[]int{8}, func(d *desk) { d.batch(withLEI).BeneLEI = "" }},
	"a false LEI": {[]int{8}, func(d *desk) {
		d.batch(withLEI).BeneLEI = deskLEI[:18] + "99"
		d.payouts[9].BeneLEI = deskLEI[:18] + "99"
	}},
	"a payout of another LEI":     {[]int{8}, func(d *desk) { d.payouts[9].BeneLEI = "" }},
	"no account":                  {[]int{9}, func(d *desk) { d.payouts[0].IFSC = "" }},
	"RIB without a beneficiary":   {[]int{9}, func(d *desk) { d.payouts[10].OpenBeneficiaryID = "" }},
	"a submit without an echo":    {[]int{10, 18}, func(d *desk) { d.event("initiate_accepted", asSubmitted).Kind = "initiate_undone" }},
	"a row unaccounted for":       {[]int{12}, func(d *desk) { d.sheets[0].Rows++ }},
	"a row rejected afterwards":   {[]int{12}, func(d *desk) { d.sheets[0].Rejected.Count++ }},
	"a sheet half recorded":       {[]int{12}, func(d *desk) { d.sheets[1].Sealed = false }},
	"a payout too few":            {[]int{12, 13}, func(d *desk) { d.sheets[0].Last-- }},
	"money unaccounted for":       {[]int{13}, func(d *desk) { d.sheets[0].Accepted.Total++ }},
	"a payout nowhere":            {[]int{7, 13}, func(d *desk) { d.payouts[0].Attempts = nil }},
	"success unseen":              {[]int{14}, func(d *desk) { _, a := d.attemptIn(asHeld); a.State = ledger.PayoutSuccess }},
	"success seen no more":        {[]int{14}, func(d *desk) { _, a := d.attemptIn(asSettled); say(a.Seen, "") }},
	"failed unseen":               {[]int{15}, func(d *desk) { _, a := d.attemptIn(asHeld); a.State = ledger.PayoutFailed }},
	"failed, seen once":           {[]int{15}, func(d *desk) { a := &d.payouts[4].Attempts[0]; say(a.Seen[:len(a.Seen)-1], "") }},
	"returned unseen":             {[]int{15}, func(d *desk) { say(d.payouts[5].Attempts[0].Seen, "") }},
	"settled too early":           {[]int{15, 18}, func(d *desk) { d.batch(asSubmitted).State = ledger.BatchSettled }},
	"a sheet of another content":  {[]int{6, 23}, func(d *desk) { d.sheets[1].Content = shaOf("x"); d.sheets[1].ID = ledger.SheetID(shaOf("x")) }},
	"the same tab twice":          {[]int{6, 16}, func(d *desk) { d.sheets[1].SHA256 = d.sheets[0].SHA256 }},
	"the same rows twice":         {[]int{16}, func(d *desk) { d.sheets[1].RowsHash = d.sheets[0].RowsHash }},
	"a batch moved without event": {[]int{18}, func(d *desk) { d.batch(asHeld).State = ledger.BatchSubmitted }},
	"an event of no batch":        {[]int{6}, func(d *desk) { d.tell(ledger.Event{Kind: ledger.EventObserved, BatchID: "prnone"}) }},
	"an event that cannot happen": {[]int{18}, func(d *desk) { d.tell(ledger.Event{Kind: "abandoned", BatchID: d.batch(asSettled).ID}) }},
	"an event of no name":         {[]int{18}, func(d *desk) { d.tell(ledger.Event{Kind: "paid"}) }},
	"a plan of no batch":          {[]int{18}, func(d *desk) { d.tell(ledger.Event{Kind: ledger.EventPlanned}) }},
	"an approval that was needed": {[]int{18}, func(d *desk) { d.batch(asHeld).NeedsApproval = true }},
	"a word taken away":           {[]int{18}, func(d *desk) { d.batch(inDoubt).Proposals = nil }},
	"a word turned round":         {[]int{18}, func(d *desk) { d.batch(inDoubt).Proposals[0].As = ledger.ReleasePaid }},
	"a word with another detail":  {[]int{18}, func(d *desk) { d.event(ledger.EventReleaseAsked, inDoubt).Detail = "{}" }},
	"other evidence":              {[]int{18}, func(d *desk) { d.batch(inDoubt).Proposals[0].Evidence = "{}" }},
	"a release by one person":     {[]int{24}, func(d *desk) { d.released(inDoubt, "ravi", "ravi") }},
	"a release by two":            {nil, func(d *desk) { d.released(inDoubt, "ravi", "asha") }},
	"a release of nothing before": {[]int{18, 24}, func(d *desk) {
		d.released(inDoubt, "ravi", "asha").Seconds = 7
	}},
	"a release on other evidence": {[]int{18, 24}, func(d *desk) {
		d.released(inDoubt, "ravi", "asha").Evidence = ledger.ReleaseEvidence{Charges: 1}.JSON()
	}},
	"a release four days later": {[]int{24}, func(d *desk) {
		d.batch(inDoubt).Proposals = nil
		d.propose("ravi", inDoubt)
		d.now = d.now.Add(4 * 24 * time.Hour)
		d.propose("asha", inDoubt)
		d.unsaid(inDoubt)
	}},
	"a payout that nobody released": {[]int{24}, func(d *desk) { _, a := d.attemptIn(asRefused); a.Resolved = ledger.ResolutionNotPaid }},
	"a batch that nobody set aside": {[]int{18, 24}, func(d *desk) { d.batch(inDoubt).State = ledger.BatchSetAside }},
}

// say puts other words into the bank's mouth.
func say(seen []ledger.NewObservation, status string) {
	for i := range seen {
		seen[i].Status, seen[i].BankStatusCode = status, ""
	}
}

// widen makes room for one more payout in a batch.
func (d *desk) widen(no int64, p *ledger.PayoutFacts) {
	b := d.batch(no)
	b.Count++
	b.Total += p.Amount
}

func TestJustTheInvariantIsBroken(t *testing.T) {
	for name, c := range doctored {
		t.Run(name, func(t *testing.T) {
			d := story(t)
			c.do(d)
			d.rebind()
			d.rechain()
			problems := verified(t, d)
			if got := numbers(problems); !slices.Equal(got, c.broken) {
				t.Errorf("%v do not hold, want %v: %+v", got, c.broken, problems)
			}
		})
	}
}

// Whatever is changed in the audit trail by someone who does not make the
// chain right again, the chain tells.
func TestTheChainTellsOfEveryChange(t *testing.T) {
	for name, do := range map[string]func(d *desk){
		"an event reworded":        func(d *desk) { d.events[5].Detail += "." },
		"an event by another":      func(d *desk) { d.events[5].Actor = "ravi" },
		"an event at another time": func(d *desk) { d.events[5].At = d.events[5].At.Add(1000) },
		"an event taken out":       func(d *desk) { d.events = slices.Delete(d.events, 5, 6) },
		"the first event gone":     func(d *desk) { d.events = d.events[1:] },
		"two events exchanged":     func(d *desk) { d.events[5], d.events[6] = d.events[6], d.events[5] },
	} {
		d := story(t)
		do(d)
		if got := numbers(verified(t, d)); !slices.Contains(got, 18) {
			t.Errorf("%s: only %v do not hold", name, got)
		}
	}
}

// Every invariant that a ledger alone can tell has a case above.
func TestEveryInvariantIsAsked(t *testing.T) {
	asked := map[int]bool{}
	for _, c := range doctored {
		for _, n := range c.broken {
			asked[n] = true
		}
	}
	if got, want := slices.Sorted(maps.Keys(asked)), []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 18, 23, 24, 25}; !slices.Equal(got, want) {
		t.Errorf("asked: %v, want %v", got, want)
	}
}

// Batches are found by number whichever of them are gone: what is left is held
// against its own payouts and events.
func TestGoneBatchesHideNoOthers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := story(t)
		here := len(d.batches)
		d.batches = slices.DeleteFunc(d.batches, func(ledger.BatchFacts) bool { return rapid.Bool().Draw(rt, "gone") })
		var want []int
		if len(d.batches) < here {
			want = []int{6}
		}
		if problems := verified(t, d); !slices.Equal(numbers(problems), want) {
			rt.Errorf("%+v", problems)
		}
	})
}

func TestManyBatchesAreFound(t *testing.T) {
	const n = 10_000
	d := newDesk()
	p := somePayouts("nov", n)
	var batches []ledger.PlannedBatch
	for i := range p {
		batches = append(batches, batchOf(p, 4, "", int32(i)))
	}
	d.load("nov.csv", p, batches)
	if problems := verified(t, d); len(problems) > 0 {
		t.Errorf("%d problems, the first: %+v", len(problems), problems[0])
	}
	d.batch(9_999).Total++
	d.batch(1_025).State = ledger.BatchHeld
	d.refs[5_000].Key = "x"
	got := verified(t, d)
	if want := []int{6, 7, 18, 23}; !slices.Equal(numbers(got), want) || len(got) != 6 {
		t.Errorf("%+v", got)
	}
}

// A ledger that is all damage is notified of in bounded words.
func TestOfMuchDamageNotEverythingIsNamed(t *testing.T) {
	d := newDesk()
	p := somePayouts("nov", 3_000)
	members := make([]int32, len(p))
	for i := range p {
		members[i] = int32(i)
	}
	d.load("nov.csv", p, []ledger.PlannedBatch{batchOf(p, 3, "", members...)})
	for i := range d.payouts {
		d.payouts[i].BankAccountNumber = ""
	}
	d.refs = nil
	d.rebind()
	d.rechain()
	problems := verified(t, d)
	if n := len(problems); n > 2_100 || !slices.Equal(numbers(problems), []int{6, 9}) {
		t.Errorf("%d problems, of %v", n, numbers(problems))
	}
	if last := problems[len(problems)-1].Detail; last != "and 2000 more" {
		t.Errorf("the last is %q", last)
	}
}

// What cannot be read is an error, and what was found is returned all the same.
func TestAStreamThatBreaksOffIsAnError(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, stream := range []string{"sheets", "batches", "payouts", "references", "events", "others"} {
		d := story(t)
		d.sheets[0].ID = "shother"
		d.broken = map[string]error{stream: broken}
		problems, err := verify(t.Context(), d)
		if !errors.Is(err, broken) || (stream != "sheets" && len(problems) == 0) {
			t.Errorf("%s: %v, %v", stream, problems, err)
		}
	}
}

// Whatever legal steps come, in whatever order and whatever the bank says in
// between, every invariant holds.
func TestNoHistoryBreaksAnInvariant(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := newDesk()
		p, q := somePayouts("nov", 6), somePayouts("dec", 3)
		d.load("nov", p, []ledger.PlannedBatch{batchOf(p, 3, "", 0, 2, 4), batchOf(p, 4, "", 1), batchOf(p, 12, ledger.KindCIB, 3, 5)})
		d.load("dec", q, []ledger.PlannedBatch{batchOf(q, 3, "", 0, 1, 2)})
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			no := int64(rapid.IntRange(1, len(d.batches)).Draw(rt, "batch"))
			if rapid.IntRange(0, 9).Draw(rt, "do") == 0 && d.retryable(no) {
				d.retry(no)
				continue
			}
			d.anyStep(rt, no)
		}
		problems, err := verify(t.Context(), d)
		if err != nil || len(problems) > 0 {
			rt.Fatalf("%+v, %v", problems, err)
		}
	})
}

// retryable reports whether every attempt of the batch is the last of its
// payout, and over for good.
func (d *desk) retryable(no int64) bool {
	for _, a := range d.attemptsOf(no) {
		all := d.payouts[a.ID-1].Attempts
		if ledger.MayFollow(a.Key(), a.Records) != nil || all[len(all)-1].Number != a.Number {
			return false
		}
	}
	return true
}

// onward are the steps of a batch that goes well.
var onward = []ledger.BatchEvent{ledger.InitiateIntended, ledger.InitiateAccepted, ledger.SubmitIntended, ledger.SubmitAccepted, ledger.AllFinal}

// anyStep takes a step that the machine allows, or only observes. What the
// ledger refuses leaves it as it was.
func (d *desk) anyStep(rt *rapid.T, no int64) {
	b := d.batch(no)
	legal := []ledger.BatchEvent{""}
	for _, e := range ledger.BatchEvents {
		if _, err := b.State.Next(e); err == nil {
			legal = append(legal, e)
			if slices.Contains(onward, e) {
				legal = append(legal, e, e, e, e, e)
			}
		}
	}
	s := ledger.Step{Event: rapid.SampledFrom(legal).Draw(rt, "event"), Note: fmt.Sprint("note ", rapid.IntRange(0, 1).Draw(rt, "note"))}
	s.Successor = s.Event == ledger.DoubtExpired && rapid.Bool().Draw(rt, "successor")
	usual := []string{"request_initiated"}
	switch b.State {
	case ledger.BatchSubmitting, ledger.BatchSubmitUnknown, ledger.BatchSubmitted, ledger.BatchSettled:
		usual = []string{"pending", "success", "failed"}
	}
	status := rapid.SampledFrom(usual).Draw(rt, "usual")
	for _, a := range d.attemptsOf(no) {
		if b.State == ledger.BatchPlanned {
			break
		}
		switch rapid.IntRange(0, 19).Draw(rt, "answer") {
		case 0: // not in the answer
		case 1:
			s.Observed = append(s.Observed, seen(a.Attempt, rapid.SampledFrom([]string{"", "odd", "initiated", "success", "failed"}).Draw(rt, "status"), ""))
		case 2:
			s.Observed = append(s.Observed, seen(a.Attempt, status, ledger.CodeReturned))
		default:
			s.Observed = append(s.Observed, seen(a.Attempt, status, ""))
		}
	}
	if err := d.apply(no, s); err != nil && !errors.Is(err, ledger.ErrTransition) && !errors.Is(err, ledger.ErrConflict) && !errors.Is(err, ledger.ErrPayoutLocked) && !errors.Is(err, ledger.ErrLook) {
		rt.Fatal(err)
	}
}

// verify holds a ledger against the invariants, part after part.
func verify(ctx context.Context, f ledger.LedgerReader) ([]ledger.Problem, error) {
	a := ledger.NewAudit()
	err := errors.Join(a.Batches(ctx, f), a.Payouts(ctx, f), a.References(ctx, f), a.Events(ctx, f))
	problems, last := a.Problems(ctx, f)
	return problems, errors.Join(err, last)
}
