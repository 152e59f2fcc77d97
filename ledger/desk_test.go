package ledger_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// desk is a ledger in memory: what ledger.Step and ledger.SheetPlan say is
// written to it, and it tells the facts of itself.
type desk struct {
	sheets  []ledger.SheetFacts
	batches []ledger.BatchFacts
	payouts []ledger.PayoutFacts
	refs    []ledger.ReferenceFacts
	events  []ledger.Event

	statements []ledger.Digest
	words      []ledger.StatementDecision
	listed     ledger.BankLists
	chain      ledger.Chain
	known      map[ledger.AttemptKey]*ledger.KnownAttempt
	intents    int64
	now        time.Time
	broken     map[string]error // streams that end with an error
}

const (
	deskID  = "LEDGERLEDGERLEDGERLEDGER"
	deskLEI = "5493001KJTIIGC8Y1R12"
)

var _ ledger.LedgerReader = (*desk)(nil)

func newDesk() *desk {
	d := &desk{chain: ledger.Chain{LedgerID: deskID}, known: map[ledger.AttemptKey]*ledger.KnownAttempt{}, now: t0}
	d.tell(ledger.CreatedEvent(deskID, "asha", t0))
	return d
}

func (d *desk) LedgerID() string { return deskID }

func (d *desk) Sheets(_ context.Context, fn func(*ledger.SheetFacts) error) error {
	return all(d.sheets, d.broken["sheets"], fn)
}

func (d *desk) Batches(_ context.Context, fn func(*ledger.BatchFacts) error) error {
	return all(d.batches, d.broken["batches"], fn)
}

func (d *desk) Payouts(_ context.Context, fn func(*ledger.PayoutFacts) error) error {
	return all(d.payouts, d.broken["payouts"], fn)
}

func (d *desk) References(_ context.Context, fn func(*ledger.ReferenceFacts) error) error {
	return all(d.refs, d.broken["references"], fn)
}

func (d *desk) Others(context.Context) (ledger.OtherFacts, error) {
	return ledger.OtherFacts{Statements: d.statements, Decisions: d.words, Listed: d.listed}, d.broken["others"]
}

func (d *desk) Events(_ context.Context, fn func(*ledger.Event) error) error {
	return all(d.events, d.broken["events"], fn)
}

// all gives copies, for what is given is the reader's until the next only.
func all[T any](list []T, broken error, fn func(*T) error) error {
	var v T
	for i := range list {
		v = list[i]
		if err := fn(&v); err != nil {
			return err
		}
	}
	return broken
}

func (d *desk) tell(e ledger.Event) { d.events = append(d.events, d.chain.Append(e)) }

// rebind gives the events the digests of what is there now.
func (d *desk) rebind() {
	for i := range d.sheets {
		for j := range d.events {
			if e := &d.events[j]; e.Kind == ledger.EventSheetLoaded && e.SheetID == d.sheets[i].ID {
				loaded := d.sheets[i].LoadedEvent(d.sheets[i].Reading)
				e.Actor, e.At, e.Detail, e.Digest = loaded.Actor, loaded.At, loaded.Detail, loaded.Digest
			}
		}
	}
	for i := range d.batches {
		k := ledger.BatchRecord{Batch: d.batches[i].Batch, Looks: d.batches[i].Looks}
		for _, c := range d.batches[i].Intents {
			k.Intents = append(k.Intents, c.Intent)
		}
		if s := d.batches[i].SheetNo; s > 0 && int(s) <= len(d.sheets) {
			k.Batch.SheetID = d.sheets[s-1].ID
		}
		for _, p := range d.payouts {
			for _, a := range p.Attempts {
				if a.BatchNo == d.batches[i].No {
					a.Payout = p.Payout
					k.Attempts = append(k.Attempts, ledger.KnownAttempt{Attempt: a.Attempt, Observations: a.Seen})
				}
			}
		}
		last := -1
		for j := range d.events {
			if d.events[j].BatchID == k.Batch.ID {
				last = j
				if d.events[j].Kind == ledger.EventPlanned {
					d.events[j].Digest = k.MembersDigest().String()
				}
			}
		}
		if last >= 0 {
			d.events[last].StateDigest = k.StateDigest().String()
		}
	}
}

// rechain makes the chain right again over events that were changed.
func (d *desk) rechain() {
	d.chain = ledger.Chain{LedgerID: deskID}
	for i := range d.events {
		d.events[i] = d.chain.Append(d.events[i])
	}
}

func shaOf(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// load records a sheet whose batches are planned as given; members are
// positions in payouts.
func (d *desk) load(name string, payouts []ledger.Payout, batches []ledger.PlannedBatch) {
	sha := shaOf(name)
	s := ledger.SheetFacts{No: int64(len(d.sheets) + 1), Sealed: true, First: int64(len(d.payouts) + 1), Last: int64(len(d.payouts) + len(payouts)),
		Sheet: ledger.Sheet{ID: ledger.SheetID(sha), Name: name, SHA256: sha, Content: sha, RowsHash: shaOf("rows of " + name), Rows: len(payouts), LoadedAt: d.now, LoadedBy: "asha"}}
	for i, p := range payouts {
		p.ID = s.First + int64(i)
		s.Accepted.Add(p.Amount)
		d.payouts = append(d.payouts, ledger.PayoutFacts{Payout: p, SheetNo: s.No, Key: strings.ToLower(p.Ref)})
		d.refs = append(d.refs, ledger.ReferenceFacts{Key: strings.ToLower(p.Ref), AttemptKey: ledger.AttemptKey{PayoutID: p.ID, Number: 1}})
	}
	s.Total = s.Accepted.Total
	d.sheets = append(d.sheets, s)
	d.tell(s.LoadedEvent(s.Reading))
	member := func(i int32) ledger.Digest {
		p := &d.payouts[s.First+int64(i)-1].Payout
		return ledger.MemberDigest(p, 1, p.Ref)
	}
	for _, n := range d.planFor(s, "asha").First(batches, member) {
		d.plan(n, s.First)
	}
}

// planFor is what planning for a sheet takes.
func (d *desk) planFor(s ledger.SheetFacts, actor string) ledger.SheetPlan {
	p := ledger.SheetPlan{LedgerID: deskID, SheetID: s.ID, Content: s.SHA256, Actor: actor, At: d.now}
	for _, b := range d.batches {
		if b.SheetID == s.ID {
			p.Sequence = max(p.Sequence, b.Sequence)
		}
	}
	return p
}

// plan records a batch. The members of one that a sheet brought are positions
// from its first payout.
func (d *desk) plan(n ledger.NewBatch, first int64) {
	sheet := slices.IndexFunc(d.sheets, func(s ledger.SheetFacts) bool { return s.ID == n.SheetID })
	b := ledger.BatchFacts{No: int64(len(d.batches) + 1), SheetNo: int64(sheet + 1), Batch: n.Batch}
	d.batches = append(d.batches, b)
	d.tell(n.Event())
	d.batches[b.No-1].Refs = n.Refs
	for i, m := range n.Members {
		if n.After == nil {
			d.attempt(first+int64(m), 1, d.payouts[first+int64(m)-1].Ref, b)
		} else {
			d.attempt(n.After[i].PayoutID, n.After[i].Number+1, n.Refs[i], b)
		}
	}
}

// nextRef is the reference of the attempt that follows a.
func (d *desk) nextRef(a ledger.Attempt) string {
	if ledger.KeepsRef(d.batches[d.payouts[a.ID-1].Attempts[a.Number-1].BatchNo-1].Batch) {
		return a.WireRef
	}
	for n := a.Number + 1; ; n++ {
		if ref := ledger.WireRef(a.Ref, n); !d.used(ledger.FurtherKey(a.Ref, d.payouts[a.ID-1].Key, ref)) {
			return ref
		}
	}
}

func (d *desk) used(key string) bool {
	return slices.ContainsFunc(d.refs, func(r ledger.ReferenceFacts) bool { return r.Key == key })
}

// attempt records an attempt.
func (d *desk) attempt(payout int64, number int, wireRef string, b ledger.BatchFacts) {
	p := &d.payouts[payout-1]
	key := ledger.AttemptKey{PayoutID: payout, Number: number}
	if folded := ledger.FurtherKey(p.Ref, p.Key, wireRef); !d.used(folded) {
		d.refs = append(d.refs, ledger.ReferenceFacts{Key: folded, AttemptKey: key})
	}
	a := ledger.Attempt{Payout: p.Payout, Number: number, WireRef: wireRef, BatchID: b.ID, State: ledger.PayoutPlanned}
	p.Attempts = append(p.Attempts, ledger.AttemptFacts{BatchNo: b.No, Attempt: a})
	d.known[key] = &ledger.KnownAttempt{Attempt: a}
}

// attemptsOf lists what is known of a batch's attempts.
func (d *desk) attemptsOf(no int64) (list []ledger.KnownAttempt) {
	for i := range d.payouts {
		for _, a := range d.payouts[i].Attempts {
			if a.BatchNo != no {
				continue
			}
			k := *d.known[ledger.AttemptKey{PayoutID: d.payouts[i].ID, Number: a.Number}]
			k.Records = nil
			for _, o := range d.payouts[i].Attempts {
				rec := ledger.AttemptRecord{Attempt: o.Attempt, Batch: d.batches[o.BatchNo-1].Batch}
				rec.Payout = d.payouts[i].Payout
				k.Records = append(k.Records, rec)
			}
			list = append(list, k)
		}
	}
	return list
}

// knownOf is what is known of a batch.
func (d *desk) knownOf(no int64) ledger.BatchRecord {
	b := &d.batches[no-1]
	k := ledger.BatchRecord{Batch: b.Batch, Attempts: d.attemptsOf(no), Looks: b.Looks, LedgerID: deskID, SheetContent: d.sheets[b.SheetNo-1].Content}
	for _, i := range b.Intents {
		k.Intents = append(k.Intents, i.Intent)
	}
	for i := range d.events {
		if d.events[i].BatchID == b.ID {
			k.Trail.Replay(&d.events[i])
		}
	}
	return k
}

// apply takes a step of batch number no, or refuses it.
// looks shows every earlier attempt as it was last seen, and a statement with nothing.
func (d *desk) looks(k ledger.BatchRecord, s *ledger.Step) {
	s.Statements = map[string]ledger.StatementFetch{k.Batch.BankAccountID: ledger.StatementFromBank}
	for _, a := range k.Attempts {
		for _, e := range a.Earlier() {
			i := slices.IndexFunc(s.Looks, func(l ledger.StatusCheck) bool { return l.BatchID == e.BatchID })
			if i < 0 {
				i, s.Looks = len(s.Looks), append(s.Looks, notKnown(e.BatchID))
			}
			if l := &s.Looks[i]; e.Status != "" {
				l.Answer, l.Complete, l.Closed = ledger.LookShown, true, true
				l.Payouts = append(l.Payouts, ledger.Observation{WireRef: e.WireRef, Status: e.Status, BankStatusCode: e.BankStatusCode})
			}
		}
	}
}

func (d *desk) apply(no int64, s ledger.Step) error {
	b := &d.batches[no-1]
	d.now = d.now.Add(time.Minute)
	s.Actor, s.BatchID, s.From, s.At = "asha", b.ID, b.State, d.now
	if s.Event.Call() != "" {
		s.PayloadSHA256 = shaOf(fmt.Sprint(s.Event, b.ID, d.intents))
		s.Looks = []ledger.StatusCheck{notKnown(b.ID)}
	}
	k := d.knownOf(no)
	if s.Event == ledger.SubmitIntended {
		d.looks(k, &s)
	}
	c, err := s.Change(k)
	if err != nil || c.Nothing {
		return err
	}
	b.Batch = c.Batch
	if c.Begins != nil {
		d.intents++
		b.Intents = append(b.Intents, ledger.RecordedIntent{No: d.intents, BatchID: b.ID, Intent: *c.Begins, Looked: len(c.Looks) > 0})
		b.Looks = append(b.Looks, c.Looks...)
	}
	if c.Ends != nil {
		b.Intents[len(b.Intents)-1].Intent = *c.Ends
	}
	for _, o := range c.Observations {
		p := &d.payouts[o.PayoutID-1]
		p.Attempts[o.Number-1].Seen = append(p.Attempts[o.Number-1].Seen, o)
		d.known[o.AttemptKey].See(o)
	}
	for _, a := range c.Attempts {
		d.payouts[a.ID-1].Attempts[a.Number-1].Attempt = a.Attempt
		d.known[a.Key()].Attempt = a.Attempt
	}
	d.tell(c.Event)
	if c.Successor != nil {
		d.plan(*c.Successor, 0)
	}
	return nil
}

// must takes steps that are legal.
func (d *desk) must(t testing.TB, no int64, steps ...ledger.Step) {
	t.Helper()
	for _, s := range steps {
		if err := d.apply(no, s); err != nil {
			t.Fatalf("%s of batch %d: %v", s.Event, no, err)
		}
	}
}

// answers is one that says the same of every payout of a batch.
func (d *desk) answers(no int64, status, code string) (list []ledger.Observed) {
	for _, a := range d.attemptsOf(no) {
		list = append(list, seen(a.Attempt, status, code))
	}
	return list
}

func seen(a ledger.Attempt, status, code string) ledger.Observed {
	o := ledger.Observation{WireRef: a.WireRef, Status: status, BankStatusCode: code, Amount: a.Amount, HasAmount: true}
	return ledger.Observed{PayoutID: a.ID, Number: a.Number, Observation: o, Verdict: ledger.Judge(a, o)}
}

// hold brings a planned batch to held.
func (d *desk) hold(t testing.TB, no int64) {
	t.Helper()
	d.must(t, no, ledger.Step{Event: ledger.InitiateIntended})
	d.must(t, no, ledger.Step{Event: ledger.InitiateAccepted, Outcome: ledger.Accepted, Observed: d.answers(no, ledger.StatusRequestInitiated, "")})
}

// submit brings a planned batch to submitted.
func (d *desk) submit(t testing.TB, no int64) {
	t.Helper()
	d.hold(t, no)
	d.must(t, no, ledger.Step{Event: ledger.SubmitIntended})
	d.must(t, no, ledger.Step{Event: ledger.SubmitAccepted, Outcome: ledger.Accepted, Observed: d.answers(no, ledger.StatusPending, "")})
}

// poll is an answer that changes no state of the batch.
func (d *desk) poll(t testing.TB, no int64, observed ...ledger.Observed) {
	t.Helper()
	d.must(t, no, ledger.Step{Observed: observed})
}

// retry plans a batch's payouts again, as they were planned.
func (d *desk) retry(no int64) {
	b := d.batches[no-1]
	again := ledger.PlannedBatch{BankAccountID: b.BankAccountID, PartnerBankID: b.PartnerBankID, Kind: b.Kind, SubMerchantID: b.SubMerchantID,
		TransactionTypeID: b.TransactionTypeID, BeneLEI: b.BeneLEI, Total: b.Total}
	var attempts []ledger.Attempt
	var refs []string
	for i, k := range d.attemptsOf(no) {
		again.Members = append(again.Members, int32(i))
		attempts, refs = append(attempts, k.Attempt), append(refs, d.nextRef(k.Attempt))
	}
	old := map[string]ledger.Batch{b.ID: b.Batch}
	for _, n := range d.planFor(d.sheets[b.SheetNo-1], "asha").Again(attempts, refs, []ledger.PlannedBatch{again}, old) {
		d.plan(n, 0)
	}
}

// somePayouts makes n payouts with references <prefix>-1, <prefix>-2, …
func somePayouts(prefix string, n int) []ledger.Payout {
	list := make([]ledger.Payout, n)
	for i := range list {
		list[i] = ledger.Payout{Row: i + 2, Ref: fmt.Sprintf("%s-%d", prefix, i+1), Amount: ledger.Paise(100_00 + i), VendorName: "Asha Traders",
			BankAccountNumber: fmt.Sprint(123456789000 + i), IFSC: "HDFC0001234", BankAccountID: "acct", SubMerchantID: "sm", TransactionTypeID: "NEFT"}
	}
	return list
}

// batchOf plans payouts at some positions at a partner bank.
func batchOf(payouts []ledger.Payout, bank int, kind ledger.AccountKind, members ...int32) ledger.PlannedBatch {
	p := payouts[members[0]]
	b := ledger.PlannedBatch{BankAccountID: p.BankAccountID, PartnerBankID: bank, Kind: kind, SubMerchantID: p.SubMerchantID,
		TransactionTypeID: p.TransactionTypeID, BeneLEI: p.BeneLEI, Members: members}
	for _, m := range members {
		b.Total += payouts[m].Amount
	}
	return b
}
