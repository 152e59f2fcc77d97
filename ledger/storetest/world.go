package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// world is everything that a ledger exports, and the model that predicts it. The two are compared whole:
// anything that the model does not predict must not happen.
type world struct {
	ID           string
	CreatedAt    time.Time
	Sheets       []sheet
	Batches      []ledger.Batch
	Attempts     []ledger.Attempt // by payout and number
	Origins      map[int64]ledger.RowOrigin
	Corrections  []ledger.RecordedCorrection
	Observations []ledger.NewObservation
	Intents      []ledger.RecordedIntent
	Looks        []ledger.RecordedLook // in the order of their calls
	Approvals    []ledger.Approval
	Proposals    []ledger.ReleaseApproval
	Events       []ledger.Event
	Statements   []ledger.KeptStatement // without entries
	Lines        []ledger.KeptLine
	Words        []ledger.StatementDecision // people's decisions about statements
	BankLists    ledger.BankLists
	Branches     ledger.BranchList
}

// sheet is a sheet with its read options and the hash of its bytes, if they are stored.
type sheet struct {
	ledger.Sheet
	Reading *ledger.ReadOptions
	Bytes   string
}

// look reads the whole ledger through an export.
func look(ctx context.Context, s Store) (world, error) {
	var w world
	parts := map[string]*bytes.Buffer{}
	head, err := s.Export(ctx, ledger.Export{
		Ledger: func(id string, at time.Time) error { w.ID, w.CreatedAt = id, at; return nil },
		Sheet: func(sh ledger.Sheet, r *ledger.ReadOptions) error {
			w.Sheets = append(w.Sheets, sheet{Sheet: sh, Reading: r})
			parts[sh.ID] = &bytes.Buffer{}
			return nil
		},
		SheetPart: func(id string, _ int, b []byte) error { parts[id].Write(b); return nil },
		Batch: func(b ledger.Batch) error {
			b.Approval, b.ApprovedBy = "", nil // derived from the events
			w.Batches = append(w.Batches, b)
			return nil
		},
		Attempt: func(a ledger.Attempt) error { w.Attempts = append(w.Attempts, a); return nil },
		Origin: func(id int64, from ledger.RowOrigin) error {
			if w.Origins == nil {
				w.Origins = map[int64]ledger.RowOrigin{}
			}
			w.Origins[id] = from
			return nil
		},
		Correction:  func(c ledger.RecordedCorrection) error { w.Corrections = append(w.Corrections, c); return nil },
		Observation: func(o ledger.NewObservation) error { w.Observations = append(w.Observations, o); return nil },
		Intent:      func(i ledger.RecordedIntent) error { w.Intents = append(w.Intents, i); return nil },
		StatusCheck: func(l ledger.RecordedLook) error { w.Looks = append(w.Looks, l); return nil },
		Approval:    func(a ledger.Approval) error { w.Approvals = append(w.Approvals, a); return nil },
		Release:     func(p ledger.ReleaseApproval) error { w.Proposals = append(w.Proposals, p); return nil },
		Statement:   func(s ledger.KeptStatement) error { w.Statements = append(w.Statements, s); return nil },
		Line:        func(l ledger.KeptLine) error { w.Lines = append(w.Lines, l); return nil },
		Decision:    func(d ledger.StatementDecision) error { w.Words = append(w.Words, d); return nil },
		BankLists:   func(l ledger.BankLists) error { w.BankLists = l; return nil },
		Event:       func(e ledger.Event) error { w.Events = append(w.Events, e); return nil },
	})
	if err != nil {
		return w, err
	}
	for i, sh := range w.Sheets {
		if sh.Reading != nil {
			sum := sha256.Sum256(parts[sh.ID].Bytes())
			w.Sheets[i].Bytes = hex.EncodeToString(sum[:])
		}
	}
	if head != w.chain().Head {
		return w, errors.New("the export's audit head is not that of its last event")
	}
	if w.Branches, err = s.BranchList(ctx); errors.Is(err, ledger.ErrNotFound) {
		err = nil
	}
	return w, err
}

func (w world) clone() world {
	w.Sheets, w.Batches, w.Attempts = slices.Clone(w.Sheets), slices.Clone(w.Batches), slices.Clone(w.Attempts)
	w.Observations, w.Intents, w.Events = slices.Clone(w.Observations), slices.Clone(w.Intents), slices.Clone(w.Events)
	w.Looks, w.Approvals, w.Proposals = slices.Clone(w.Looks), slices.Clone(w.Approvals), slices.Clone(w.Proposals)
	w.Statements, w.Lines = slices.Clone(w.Statements), slices.Clone(w.Lines)
	return w
}

// chain returns the audit chain at its last event.
func (w world) chain() ledger.Chain {
	c := ledger.Chain{LedgerID: w.ID}
	if n := len(w.Events); n > 0 {
		e := w.Events[n-1]
		c.Head = ledger.AuditHead{Length: e.Seq, Hash: e.Hash, At: e.At}
	}
	return c
}

func (w world) batch(id string) (at int, ok bool) {
	at = slices.IndexFunc(w.Batches, func(b ledger.Batch) bool { return b.ID == id })
	return at, at >= 0
}

// shown reports whether the bank has shown or echoed a batch.
func (w world) shown(id string) bool {
	at, ok := w.batch(id)
	return ok && w.Batches[at].Shown
}

func (w world) attempt(key ledger.AttemptKey) int {
	return slices.IndexFunc(w.Attempts, func(a ledger.Attempt) bool { return a.Key() == key })
}

func (w world) sheet(id string) (at int) {
	return slices.IndexFunc(w.Sheets, func(s sheet) bool { return s.ID == id })
}

// known returns the record with which a step of the batch is checked.
func (w world) known(id string) (k ledger.BatchRecord, ok bool) {
	at, ok := w.batch(id)
	if !ok {
		return k, false
	}
	k = w.recorded(at)
	k.SheetContent = w.Sheets[w.sheet(k.Batch.SheetID)].Content
	for i, b := range w.Batches {
		if b.ID != id && slices.ContainsFunc(k.Attempts, func(a ledger.KnownAttempt) bool {
			return slices.ContainsFunc(a.Earlier(), func(e ledger.AttemptRecord) bool { return e.BatchID == b.ID })
		}) {
			k.Before = append(k.Before, w.recorded(i))
		}
		if b.ID != id && b.BankAccountID == k.Batch.BankAccountID &&
			(b.State == ledger.BatchInitiating || b.State == ledger.BatchInitiateUnknown || b.State == ledger.BatchHeld) {
			k.Waiting++
		}
		if b.State == ledger.BatchInitiating || b.State == ledger.BatchHeld {
			k.Held = append(k.Held, b)
		}
	}
	k.ApprovalStatus.Needed = k.Batch.NeedsApproval || k.Batch.Attention == ledger.ToBeApproved
	k.ApprovalStatus.Policy = w.policy()
	if c := w.approval(id, k.ApprovalStatus); c.Asked() {
		k.ApprovalStatus = c
	}
	k.Proposals = w.proposals(id)
	for _, e := range w.Events {
		if err := k.Users.Replay(e); err != nil {
			panic(err) // the suite makes no such events
		}
	}
	for _, p := range w.Proposals {
		if at, _ := w.batch(p.BatchID); p.Carried && w.Batches[at].BankAccountID == k.Batch.BankAccountID {
			k.Spent = append(k.Spent, p.Saw().Credits...)
		}
	}
	return k, true
}

func (w world) proposals(id string) []ledger.ReleaseApproval {
	return ledger.Where(w.Proposals, func(p ledger.ReleaseApproval) bool { return p.BatchID == id })
}

// policy returns the policy according to the events.
func (w world) policy() (trail ledger.PolicyTrail) {
	var people ledger.Users
	for _, e := range w.Events {
		if err := errors.Join(trail.Replay(e, people), people.Replay(e)); err != nil {
			panic(err) // the suite makes no such events
		}
	}
	return trail
}

// approval adds to c who planned a batch, approved it and sent it back, according to the events.
func (w world) approval(id string, c ledger.ApprovalStatus) ledger.ApprovalStatus {
	c.BatchID = id
	for _, e := range w.Events {
		switch {
		case e.BatchID != c.BatchID:
		case e.Kind == ledger.EventPlanned:
			c.PlannedBy = e.Actor
		case e.Kind == ledger.EventApproved:
			c.Approvals = append(c.Approvals, e)
		case e.Kind == ledger.EventSentBack:
			c.SentBack = e
		case e.Kind == ledger.EventObserved && strings.Contains(e.Detail, `"`+string(ledger.ToBeApproved)+`"`):
			c.LikeSince = e.Seq
		}
	}
	return c
}

// recorded returns the record of a batch and its audit trail.
func (w world) recorded(at int) ledger.BatchRecord {
	b := w.Batches[at]
	k := ledger.BatchRecord{Batch: b, LedgerID: w.ID}
	for _, a := range w.Attempts {
		if a.BatchID == b.ID {
			k.Attempts = append(k.Attempts, w.knownAttempt(a))
		}
	}
	for _, i := range w.Intents {
		if i.BatchID == b.ID {
			k.Intents = append(k.Intents, i.Intent)
		}
	}
	k.Looks = ledger.Where(w.Looks, func(l ledger.RecordedLook) bool { return l.BatchID == b.ID })
	for i := range w.Events {
		if w.Events[i].BatchID == b.ID {
			k.Trail.Replay(&w.Events[i])
		}
	}
	return k
}

// record returns an attempt with everything that its locks depend on, except statements.
func (w world) record(a ledger.Attempt) ledger.AttemptRecord {
	at, _ := w.batch(a.BatchID)
	rec := ledger.AttemptRecord{Attempt: a, Batch: w.Batches[at], CalledAt: w.Batches[at].CreatedAt}
	for _, i := range w.Intents {
		if i.BatchID != a.BatchID || i.Kind != ledger.CallSubmit && rec.Submit != nil {
			continue
		}
		if rec.CalledAt, rec.BankTime = i.At, i.BankTime; i.Kind == ledger.CallSubmit {
			rec.Submit = &i.Intent
		}
	}
	for _, p := range w.proposals(a.BatchID) {
		if seen, of := p.Saw().Of(a.Key()); of && p.Carried && p.As == ledger.ReleaseNotPaid {
			rec.Released = &ledger.ReleasedEvidence{At: p.At, Keys: seen.Lines}
		}
	}
	return rec
}

// records returns the records of all attempts of a payout.
func (w world) records(payoutID int64) (all []ledger.AttemptRecord) {
	for _, a := range w.Attempts {
		if a.ID == payoutID {
			all = append(all, w.record(a))
		}
	}
	return all
}

func (w world) knownAttempt(a ledger.Attempt) ledger.KnownAttempt {
	k := ledger.KnownAttempt{Attempt: a, Records: w.records(a.ID)}
	for _, e := range k.Earlier() {
		k.RefShown = k.RefShown || e.WireRef == a.WireRef && w.shown(e.BatchID)
	}
	for _, o := range w.Observations {
		if o.AttemptKey == a.Key() {
			k.See(o)
		}
	}
	return k
}

// after returns the world after a step, or the step's error.
func (w world) after(step ledger.Step) (world, error) {
	k, ok := w.known(step.BatchID)
	if !ok {
		return w, ledger.ErrNotFound
	}
	c, err := step.Change(k)
	if err != nil || c.Nothing {
		return w, err
	}
	w = w.clone()
	at, _ := w.batch(step.BatchID)
	w.Batches[at] = c.Batch
	w.call(step.BatchID, c)
	if c.Said != nil {
		p := *c.Said
		p.No = int64(len(w.Proposals) + 1)
		w.Proposals = append(w.Proposals, p)
	}
	w.Observations = append(w.Observations, c.Observations...)
	slices.SortFunc(w.Observations, byAttempt)
	for _, a := range c.Attempts {
		w.Attempts[w.attempt(a.Key())] = a.Attempt
	}
	w.event(c.Event)
	if c.Successor != nil {
		err = w.plan(*c.Successor)
	}
	return w, err
}

func byAttempt(a, b ledger.NewObservation) int {
	if a.PayoutID != b.PayoutID {
		return int(a.PayoutID - b.PayoutID)
	}
	if a.Number != b.Number {
		return a.Number - b.Number
	}
	return a.Seq - b.Seq
}

func (w *world) call(batchID string, c ledger.Change) {
	if c.Begins != nil {
		w.Intents = append(w.Intents, ledger.RecordedIntent{No: int64(len(w.Intents) + 1), BatchID: batchID, Intent: *c.Begins, Looked: len(c.Looks) > 0})
		for _, l := range c.Looks {
			l.At = l.At.UTC().Truncate(time.Microsecond) // as it is stored
			w.Looks = append(w.Looks, l)
		}
	}
	if c.Ends != nil {
		i := slices.IndexFunc(w.Intents, func(i ledger.RecordedIntent) bool { return i.BatchID == batchID && i.Open() })
		w.Intents[i].Intent = *c.Ends
	}
}

func (w *world) event(e ledger.Event) {
	c := w.chain()
	w.Events = append(w.Events, c.Append(e))
}

// plan adds a batch of further attempts.
func (w *world) plan(n ledger.NewBatch) error {
	w.Batches = append(w.Batches, n.Batch)
	w.event(n.Event())
	for i, key := range n.After {
		all := w.records(key.PayoutID)
		if err := ledger.MayFollow(key, all); err != nil {
			return err
		}
		w.Attempts = append(w.Attempts, ledger.Attempt{
			Payout: all[0].Payout, Number: key.Number + 1, WireRef: n.Refs[i], BatchID: n.ID,
			State: ledger.PayoutPlanned, UpdatedAt: n.CreatedAt,
		})
	}
	slices.SortStableFunc(w.Attempts, func(a, b ledger.Attempt) int {
		if a.ID != b.ID {
			return int(a.ID - b.ID)
		}
		return a.Number - b.Number
	})
	return nil
}

// nextRef returns the wire reference of the attempt after a. It stays the same if the bank has shown no
// batch in which the payout had it, and two people gave the payout no new one.
func (w world) nextRef(a ledger.Attempt) string {
	var under []ledger.Batch
	for _, e := range w.Attempts {
		if at, _ := w.batch(e.BatchID); e.ID == a.ID && e.WireRef == a.WireRef {
			under = append(under, w.Batches[at])
		}
	}
	renamed := slices.ContainsFunc(under, func(b ledger.Batch) bool { return b.NewReferences })
	if ledger.KeepsRef(under...) && !renamed {
		return a.WireRef
	}
	return w.furtherRef(a.Ref, a.Number+1)
}

// furtherRef returns the first of <ref>-R<number>, <ref>-R<number+1>, … that was never used.
func (w world) furtherRef(ref string, number int) string {
	for ; ; number++ {
		wireRef := ledger.WireRef(ref, number)
		key := ledger.FurtherKey(ref, keyOf(ref), wireRef)
		if !slices.ContainsFunc(w.Attempts, func(a ledger.Attempt) bool { return keyOf(a.WireRef) == key }) {
			return wireRef
		}
	}
}

// again returns the world after a retry was planned, or the retry's error.
func (w world) again(actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) (world, error) {
	w = w.clone()
	sh := w.Sheets[w.sheet(attempts[0].SheetID)]
	p := ledger.SheetPlan{LedgerID: w.ID, SheetID: sh.ID, Content: sh.SHA256, Actor: actor, At: at}
	for _, b := range w.Batches {
		if b.SheetID == sh.ID {
			p.Sequence = max(p.Sequence, b.Sequence)
		}
	}
	var refs []string
	old := map[string]ledger.Batch{}
	for _, a := range attempts {
		refs = append(refs, w.nextRef(a))
		at, _ := w.batch(a.BatchID)
		old[a.BatchID] = w.Batches[at]
	}
	for _, n := range p.Again(attempts, refs, batches, old) {
		if err := w.plan(n); err != nil {
			return w, err
		}
	}
	return w, nil
}

// recovered returns the world after all calls in progress were put in doubt, and the ids of their batches.
func (w world) recovered(actor string, at time.Time) (_ world, ids []string, err error) {
	for _, b := range w.Batches {
		if step, cut := b.Recovery(actor, at); cut {
			if w, err = w.after(step); err != nil {
				return w, ids, err
			}
			ids = append(ids, b.ID)
		}
	}
	return w, ids, nil
}

// tallies counts and sums the payouts by the state of their latest attempt.
func (w world) tallies() map[ledger.PayoutState]ledger.Tally {
	all := map[ledger.PayoutState]ledger.Tally{}
	for i, a := range w.Attempts {
		if i+1 < len(w.Attempts) && w.Attempts[i+1].ID == a.ID {
			continue
		}
		t := all[a.State]
		t.Add(a.Amount)
		all[a.State] = t
	}
	return all
}

// spelt are references whose folded form, as validate folds them, is not their lower case.
var spelt = map[string]string{"ＩＮＶ-2": "inv-2", "Straße-3": "strasse-3", "ＩＮＶ-2-R2": "inv-2-r2", "Straße-3-R2": "strasse-3-r2"}

// keyOf returns the folded form of a reference.
func keyOf(ref string) string {
	if key, ok := spelt[ref]; ok {
		return key
	}
	return strings.ToLower(ref)
}
