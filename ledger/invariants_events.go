package ledger

import "context"

// Events checks the audit trail against the batches: the chain, the state to which the events
// lead each batch, and that calls and decisions are in both (invariants 2, 3, 6, 10 and 18).
func (a *Audit) Events(ctx context.Context, f LedgerReader) error {
	found, chain := &a.trail, Chain{LedgerID: f.LedgerID()}
	policy := keptPolicy{approved: map[uint64]int64{}, sentBack: map[uint64]int64{}}
	var roster Users
	var columns ColumnsTrail
	others, err := f.Others(ctx)
	if err != nil {
		return err
	}
	statements, words := others.Statements, others.Decisions
	said := 0    // decisions about statements so far
	listed := "" // the digest in the newest listing
	err = f.Events(ctx, func(e *Event) error {
		for _, wrong := range chain.Replay(*e) {
			found.add(trailIsWhole, "%s", wrong)
		}
		a.event(e)
		a.policy(&policy, roster, e)
		if err := roster.Replay(*e); err != nil {
			found.add(peopleKept, "event %d: %v", e.Seq, err)
		}
		a.columns(&columns, e)
		statements = a.statement(statements, e)
		said = a.statementWord(words, said, e, roster)
		if e.Kind == EventBankListed {
			listed = e.Digest
		}
		return nil
	})
	if err != nil {
		return err
	}
	if said < len(words) {
		found.add(statementsKept, "%d words of people about statements have no event", len(words)-said)
	}
	if len(statements) > 0 {
		found.add(statementsKept, "%d readings of statements have no event", len(statements))
	}
	if err := others.Listed.VerifyDigests(listed); err != nil {
		found.add(listedKept, "%v", err)
	}
	for _, b := range a.batches.all {
		a.matchesEvents(b)
	}
	a.allEvents = true
	return nil
}

// statement compares the next reading of a statement with its event. It returns the readings left.
func (a *Audit) statement(left []Digest, e *Event) []Digest {
	if e.Kind != EventStatementRead {
		return left
	}
	if len(left) == 0 {
		a.trail.add(statementsKept, "the statement of event %d is not there", e.Seq)
		return nil
	}
	if left[0].String() != e.Digest {
		a.trail.add(statementsKept, "the statement that event %d tells of is not what was read then", e.Seq)
	}
	return left[1:]
}

// statementWord compares the next decision about statements with its event, and checks that a
// decision that took effect has two people. It returns how many decisions were read so far.
func (a *Audit) statementWord(words []StatementDecision, said int, e *Event, people Users) int {
	switch e.Kind {
	case EventVoidAsked, EventVoided, EventExplainAsked, EventExplained:
	default:
		return said
	}
	if said == len(words) || words[said].Event().Digest != e.Digest || words[said].Event().Kind != e.Kind {
		a.trail.add(statementsKept, "what event %d tells of a statement is not what was said then", e.Seq)
		return min(said+1, len(words))
	}
	if first, err := words[said].Second(words[:said], people); err != nil || first != words[said].First {
		a.trail.add(statementsKept, "what event %d tells of a statement was not said by two people", e.Seq)
	}
	return said + 1
}

// keptPolicy is the policy at this point of the audit trail, and the newest events that approved a
// batch since the policy last changed, or sent one back. approved is keyed by a hash of batch and
// payload, sentBack by a hash of the batch.
type keptPolicy struct {
	trail              PolicyTrail
	approved, sentBack map[uint64]int64
}

// policy checks an event against the policy at that time.
func (a *Audit) policy(p *keptPolicy, people Users, e *Event) {
	switch e.Kind {
	case EventPolicySet, EventPolicyProposed:
		if err := p.trail.Replay(*e, people); err != nil {
			a.trail.add(policyKept, "%v", err)
		}
		if e.Kind == EventPolicySet {
			clear(p.approved)
		}
	case EventApproved:
		p.approved[a.digest(e.BatchID, e.payload())] = e.Seq
	case EventSentBack:
		p.sentBack[a.digest(e.BatchID)] = e.Seq
	case string(InitiateIntended):
		b := a.batches.byID[e.BatchID]
		back := p.sentBack[a.digest(e.BatchID)]
		asked := p.trail.TwoPerson || back > 0 || b != nil && b.needsApproval
		if asked && p.approved[a.digest(e.BatchID, e.payload())] <= back {
			a.trail.add(policyKept, "batch %s was to be initiated (event %d) without an approval", e.BatchID, e.Seq)
		}
	}
}

// columns checks an event against the columns kept before it, and against its sheet, which must
// have been loaded with it and read with these columns.
func (a *Audit) columns(trail *ColumnsTrail, e *Event) {
	if e.Kind != EventColumnsKept && e.Kind != EventColumnsForgotten {
		return
	}
	if err := trail.Replay(*e); err != nil {
		a.trail.add(columnsKept, "%v", err)
		return
	}
	s := a.sheets.byID[e.SheetID]
	if s == nil {
		a.trail.add(columnsKept, "event %d is of the sheet %q, which is not there", e.Seq, e.SheetID)
		return
	}
	if e.Actor != s.LoadedBy || !e.At.Equal(s.LoadedAt) {
		a.trail.add(columnsKept, "event %d is not by the person who loaded sheet %s, or not of that time", e.Seq, s.ID)
	}
	if e.Kind == EventColumnsForgotten {
		return
	}
	k, _ := e.keptColumns() // the trail has accepted it
	for name, header := range k.Columns {
		if s.Reading == nil || s.Reading.Columns[name] != header {
			a.trail.add(columnsKept, "event %d keeps a column for %s by which sheet %s was not read", e.Seq, name, s.ID)
		}
	}
}

// event moves a batch on by one event.
func (a *Audit) event(e *Event) {
	b, nth := a.batches.byID[e.BatchID], a.nth(e)
	if b == nil {
		a.eventOfNone(e, nth)
		return
	}
	found := &a.trail
	if to, err := e.Leads(b.led); err != nil {
		found.add(trailIsWhole, "event %d: %v", e.Seq, err)
	} else {
		b.led = to
	}
	switch e.Kind {
	case EventPlanned:
		b.planned = true
		if b.no != nth {
			found.add(trailIsWhole, "batch %s is number %d, and number %d in the trail", b.id, b.no, nth)
		}
	case EventCorrected:
		a.eventOfSheet(e, nth)
	case EventReleaseAsked:
		b.decided -= a.decision(nth, e.Kind, e.Actor, e.At, e.Detail)
	case string(SetAside), string(ClosedAsPaid), EventReleased:
		b.decided -= a.decision(nth, EventReleased, e.Actor, e.At, e.Detail)
	}
	members, state := e.digests()
	if members != "" {
		b.inTrail.members = a.digest(members)
	}
	if state != "" {
		b.inTrail.state = a.digest(state)
	}
	switch event := BatchEvent(e.Kind); event {
	case InitiateIntended, SubmitIntended:
		b.calls -= a.call(nth, event.Call(), e.payload())
		if event == SubmitIntended && b.ended {
			found.add(notAfterEnd, "batch %s was to be submitted (event %d) after it was abandoned, quarantined or refused", e.BatchID, e.Seq)
		}
		if event == SubmitIntended && !b.echoed {
			found.add(echoedFirst, "batch %s was to be submitted (event %d) and was never seen as planned", e.BatchID, e.Seq)
		}
	case InitiateAccepted, SeenAsPlanned:
		b.echoed = true
	case SeenElsewhere:
		b.shown = true // no later attempt existed yet; other signs of the batch may come after one
	case EchoDiffers:
		b.shown, b.ended = true, true
	case Abandoned, DoubtExpired, InitiateRefused, RefusalStands, SetAside:
		b.ended = true
	}
}

// nth returns the number of the event among those of its kind; all calls are one kind, and all
// release decisions. The rows of sheets, batches, calls and decisions are numbered in this order.
func (a *Audit) nth(e *Event) int64 {
	kind := e.Kind
	switch event := BatchEvent(kind); {
	case event.Call() != "":
		kind = "call"
	case kind == EventReleaseAsked, event.Released():
		kind = EventReleased
	}
	a.met[kind]++
	return a.met[kind]
}

// eventOfNone checks an event without a batch, or of a batch that does not exist.
func (a *Audit) eventOfNone(e *Event, nth int64) {
	if e.BatchID != "" {
		a.trail.add(nothingLost, "event %d (%s) is of batch %s, which is not there", e.Seq, e.Kind, e.BatchID)
		return
	}
	if e.SheetID != "" {
		a.eventOfSheet(e, nth)
	}
	if _, err := e.Leads(""); err != nil || e.Kind == EventPlanned {
		a.trail.add(trailIsWhole, "event %d (%s) is of no batch", e.Seq, e.Kind)
	}
}

// matchesEvents compares a batch with all of its events.
func (a *Audit) matchesEvents(b *keptBatch) {
	found, id := &a.trail, b.id
	if b.led != b.state {
		found.add(trailIsWhole, "batch %s is %s, its events led it to %q", id, b.state, b.led)
	}
	if !b.planned {
		found.add(nothingLost, "batch %s has no event that planned it", id)
	}
	if b.calls != 0 {
		found.add(recordedCall, "the calls that the intents of batch %s tell of are not those of its events", id)
	}
	if b.decided != 0 {
		found.add(wordsKept, "what people decided about batch %s is not what its events tell", id)
	}
}
