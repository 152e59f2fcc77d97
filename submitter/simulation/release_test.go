package simulation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// target is what people release: everything that is locked in a batch, or one attempt.
type target struct {
	batch string
	of    ledger.AttemptKey
}

// letter is the bank's written answer whether payouts were paid.
type letter struct {
	ticket  string
	paid    bool
	charges ledger.Paise // what it kept of them
}

// writes answers a letter about payouts of a batch. ok is false while the bank cannot tell. The bank will
// not pay those that it calls not paid, unless it lies.
func (b *bank) writes(batchID string, refs []string) (l letter, ok bool) {
	var paid, rest []*heldPayout
	for _, ref := range refs {
		for _, t := range b.order {
			for _, p := range t.payouts {
				switch {
				case ownRef(p.ref) != ownRef(ref):
				case p.paid():
					paid = append(paid, p)
				case t.id == batchID:
					rest = append(rest, p)
				}
			}
		}
	}
	l = letter{ticket: fmt.Sprintf("LTR-%d", len(b.wrote)+1)}
	if l.paid = len(paid) > 0 && !b.nature.lies; l.paid && len(refs) > 1 {
		return letter{}, false // it writes about each of them separately
	}
	for _, p := range rest {
		switch {
		case l.paid:
		case b.nature.lies:
			p.batch.lied = true
		case p.due != nil && p.fate != sticks && p.status != ledger.StatusFailed:
			return letter{}, false // the bank still works on it
		}
	}
	if b.nature.lies {
		for _, p := range paid {
			p.batch.lied = true
		}
	}
	for _, p := range rest {
		if !l.paid && !b.nature.lies {
			p.barred, p.due = true, nil
			b.givesBack(p)
		}
		if out, back := p.moved(b, func(l *line) bool { return l.shown(b.now()) }); back > 0 && back < out {
			l.charges += out - back
		}
	}
	b.wrote[l.ticket] = batchID
	b.log("letter: %s about %d of %s: paid %t", l.ticket, len(refs), batchID, l.paid)
	return l, true
}

// toRelease returns what people would release now: batches in doubt, disputed attempts, and attempts that a
// statement or an older copy locks.
func (h *history) toRelease() (list []target) {
	whole := map[string]bool{}
	for _, b := range h.batches() {
		if b.state == ledger.BatchSubmitUnknown && b.person {
			whole[b.id] = true
			list = append(list, target{batch: b.id})
		}
	}
	for _, a := range h.eye.now.attempts {
		b := h.eye.now.batches[a.batchNo]
		t := target{b.id, ledger.AttemptKey{PayoutID: a.payoutID, Number: a.number}}
		over := b.state == ledger.BatchSubmitted || b.state == ledger.BatchSettled || b.state == ledger.BatchRefused || b.state == ledger.BatchAbandoned || b.state == ledger.BatchSetAside
		if over && !whole[b.id] && (a.state == ledger.PayoutDisputed && h.eye.words[t].as != ledger.ReleasePaid || h.isLocked(a)) {
			list = append(list, t)
		}
	}
	return list
}

// isLocked reports whether the bank's statement or an older copy locks an attempt that is over.
func (h *history) isLocked(a seenAttempt) bool {
	p := h.bank.payout(h.eye.now.batches[a.batchNo].id, a.ref)
	return a.state.Retryable() && (h.restored[ownRef(a.ref)] || p != nil && h.outSince(a, p) > 0)
}

// outSince returns how much the statements that were read show to be out for an attempt, less what two
// people saw when they released it.
func (h *history) outSince(a seenAttempt, p *heldPayout) ledger.Paise {
	if h.bank.wronglyExplained(p, h.bank.by) {
		return 0 // cannot be promised: the rest is matched without that debit
	}
	out := h.bank.shownOut(p, h.bank.by) - h.eye.released[h.eye.nameOf(a)].out
	// Cannot be promised either: if a bank takes a reference from two ledgers, both have the same name.
	return out - h.bank.givenBackToAnother(p, h.bank.by) - h.bank.bulkTwice(p, h.bank.by)
}

// said is the latest statement of people about a target.
type said struct {
	as  ledger.ReleaseAs
	who string
	at  time.Time
}

// release is a release by two people.
type release struct {
	is  bool
	out ledger.Paise // what statements then showed to be out for it
}

func (e *eye) nameOf(a seenAttempt) attemptName {
	return attemptName{e.now.batches[a.batchNo].id, a.ref}
}

// refsOf returns the wire references of a target.
func (h *history) refsOf(t target) (refs []string) {
	for _, a := range h.eye.now.attempts {
		if h.eye.now.batches[a.batchNo].id == t.batch && (t.of == (ledger.AttemptKey{}) || t.of == ledger.AttemptKey{PayoutID: a.payoutID, Number: a.number}) {
			refs = append(refs, a.ref)
		}
	}
	return refs
}

// resolve is one person's part of a release: they write to the bank, look at the evidence, and state what
// the letter states. After a refusal they wait until the time that it names.
func (h *history) resolve(p *process, t target) {
	if h.now().Before(h.until[t]) && h.people.IntN(4) > 0 {
		return
	}
	l, ok := h.bank.writes(t.batch, h.refsOf(t))
	if !ok && t.of == (ledger.AttemptKey{}) {
		for _, a := range h.eye.now.attempts { // each payout separately
			if h.eye.now.batches[a.batchNo].id == t.batch && !a.state.Final() {
				h.resolve(&process{actor: p.actor}, target{t.batch, ledger.AttemptKey{PayoutID: a.payoutID, Number: a.number}})
			}
		}
		return
	}
	if !ok || l.paid && t.of == (ledger.AttemptKey{}) {
		return
	}
	req := submitter.Resolving{Batch: t.batch, ReleaseRequest: ledger.ReleaseRequest{Of: t.of, As: ledger.ReleaseNotPaid, Reason: "as the bank writes", Ticket: l.ticket, Charges: l.charges}}
	if l.paid {
		req.As, req.Charges = ledger.ReleasePaid, 0
	}
	forbidden := h.people.IntN(6) == 0
	if forbidden {
		h.forbid(&req)
	}
	words := h.recordedWords
	why := h.says(p, req)
	if why == nil {
		return
	}
	if h.until[t] = why.Until; why.Rule == ledger.RuleDays {
		h.imports(&process{actor: p.actor}, h.accountOf(t.batch), wholeDays)
	}
	if h.check(); h.recordedWords != words {
		h.found("release: it was refused (%s), and recorded", why.Rule)
	}
}

// forbid changes a release so that it must be refused.
func (h *history) forbid(req *submitter.Resolving) {
	switch h.people.IntN(4) {
	case 0:
		req.Ticket, req.As = " ", ledger.ReleaseNotPaid
	case 1:
		req.Reason = ""
	case 2:
		req.Shown = "what another person was shown"
	case 3:
		req.NewReferences, req.Of = true, ledger.AttemptKey{}
	}
}

// says looks at the evidence and makes the statement. It returns the refusal, or nil.
func (h *history) says(p *process, req submitter.Resolving) (why *ledger.Refusal) {
	err := h.run(p, fmt.Sprintf("resolve %s %d as %s by %s", req.Batch, req.Of.PayoutID, req.As, p.actor), func(p *process, e *submitter.Engine) error {
		errLooks := errors.New("the person looks first")
		_, err := e.Resolve(context.Background(), req, func(evidence ledger.ReleaseEvidence, _ *ledger.ReleaseApproval) error {
			req.Shown = cmp.Or(req.Shown, evidence.Digest())
			return errLooks
		})
		if !errors.Is(err, errLooks) {
			return err
		}
		r, err := e.Resolve(context.Background(), req, func(ledger.ReleaseEvidence, *ledger.ReleaseApproval) error { return nil })
		h.results([]submitter.Result{r})
		return err
	})
	if r, ok := errors.AsType[*ledger.Refusal](err); ok {
		h.logf("refused: %s", r.Rule)
		why = r
	}
	h.unexpected(p, err, ledger.ErrReleaseRefused)
	h.check()
	return why
}

func (h *history) accountOf(batchID string) string {
	for _, b := range h.eye.now.batches {
		if b.id == batchID {
			return b.accountID
		}
	}
	return ""
}

// releases lets two people release everything that is locked; n says who is first.
func (h *history) releases(n int) {
	for _, t := range h.toRelease() {
		if h.broken() {
			return
		}
		h.resolve(&process{actor: []string{"asha", approver}[n%2]}, t)
	}
}

// checkReleased is the rule of a release, checked against the bank's log (safety.md, "Release").
func (h *history) checkReleased(e event) error {
	switch e.kind {
	case ledger.EventReleaseAsked, ledger.EventReleased, string(ledger.SetAside), string(ledger.ClosedAsPaid):
	default:
		return nil
	}
	var w ledger.ReleaseApproval
	if err := json.Unmarshal([]byte(e.detail), &w); err != nil {
		return fmt.Errorf("release: %q: %w", e.detail, err)
	}
	t := target{w.BatchID, w.Of()}
	before := h.eye.words[t]
	h.eye.words[t] = said{w.As, e.actor, h.clock}
	if w.Carried {
		for _, a := range w.Saw().Attempts {
			name := attemptName{w.BatchID, a.WireRef}
			h.eye.released[name] = release{w.As == ledger.ReleaseNotPaid, 0}
			if p := h.bank.payout(w.BatchID, a.WireRef); p != nil {
				h.eye.released[name] = release{w.As == ledger.ReleaseNotPaid, h.bank.shownOut(p, h.bank.by)}
			}
			delete(h.restored, ownRef(a.WireRef))
		}
	}
	if h.eye.replays {
		return nil
	}
	h.recordedWords++
	own, _ := h.bank.askedIn(&post{run: h.bank.run, seq: h.bank.seq + 1}, w.BatchID)
	switch {
	case w.As == ledger.ReleaseNotPaid && h.bank.wrote[w.Ticket] != w.BatchID:
		return fmt.Errorf("release: no letter: %s is said not to be paid, by %q", w.BatchID, w.Ticket)
	case own.run == 0:
		return fmt.Errorf("release: stale: the bank was not asked about %s", w.BatchID)
	case w.As == ledger.ReleaseNotPaid && h.bank.nature.statements && h.bank.readIn[h.accountOf(w.BatchID)] != h.bank.run:
		return fmt.Errorf("release: stale: the statement was not read for %s", w.BatchID)
	case w.Carried && (before.who == "" || before.who == e.actor || before.as != w.As || e.actor != "asha" && e.actor != approver):
		return fmt.Errorf("release: one person: %s by %s, after %q", w.BatchID, e.actor, before.who)
	case w.Carried && h.clock.Sub(before.at) < ledger.LeastBetween-5*time.Minute:
		return fmt.Errorf("release: %s by %s %s after %s", w.BatchID, e.actor, h.clock.Sub(before.at), before.who)
	}
	return h.checkEvidence(w, own)
}

// checkEvidence requires that people saw what the bank showed in that run, and that it allows the release.
func (h *history) checkEvidence(w ledger.ReleaseApproval, own asked) error {
	for _, s := range w.Saw().Attempts {
		shown, p := own.stood[s.WireRef], h.bank.payout(w.BatchID, s.WireRef)
		was := s.Status
		if s.Code == ledger.CodeReturned {
			was = s.Code
		}
		if was != shown {
			return fmt.Errorf("release: stale: %s was seen as %q, and the bank showed %q", s.WireRef, was, shown)
		}
		if w.As == ledger.ReleasePaid {
			continue
		}
		if shown == ledger.StatusSuccess {
			return fmt.Errorf("release: %s is said not to be paid, and the bank showed it as paid", s.WireRef)
		}
		if p == nil {
			continue
		}
		for _, q := range h.bank.posts {
			if q.kind == "submit" && q.batchID == w.BatchID && q.by == h.bank.by && h.clock.Sub(q.at) < ledger.LeastWait {
				return fmt.Errorf("release: too soon: %s, %s after its submit", s.WireRef, h.clock.Sub(q.at))
			}
		}
		out, back := p.moved(h.bank, func(l *line) bool { return l.seen[h.bank.by] && l.shown(h.clock) })
		if p.code == ledger.CodeReturned {
			back = max(back, p.amount)
		}
		if out -= back; h.bank.nature.statements && !h.bank.wronglyExplained(p, h.bank.by) && out > w.Saw().Charges && len(w.Saw().Other) == 0 && !slices.Contains([]style{nameless, cutName, partInBulk}, h.bank.nature.style) {
			return fmt.Errorf("release: %s is said not to be paid, and %s of it is out on the bank's statement", s.WireRef, out)
		}
	}
	return nil
}

// checkLocks is invariant 24 when a submit comes: no other attempt that may have paid one of its payouts is
// open.
func (h *history) checkLocks(b seenBatch) {
	s := h.eye.now
	own := map[int64]int{}
	for _, a := range s.attempts {
		if a.batchNo == b.no {
			own[a.payoutID] = a.number
		}
	}
	for _, a := range s.attempts {
		number, of := own[a.payoutID]
		at := s.batches[a.batchNo]
		switch q := h.bank.payout(at.id, a.ref); {
		case !of:
		case h.restored[ownRef(a.ref)]:
			h.found("invariant 24: submit of %s, and an older copy that knew %s was accepted", b.id, a.ref)
		case a.number != number && (a.state == ledger.PayoutDisputed || !a.state.Final()):
			h.found("invariant 24: submit of %s, and %s is %s in %s", b.id, a.ref, a.state, at.id)
		case q != nil && h.outSince(a, q) > 0:
			h.found("invariant 24: submit of %s, and the bank's statement shows %s out for %s of %s", b.id, h.outSince(a, q), a.ref, at.id)
		}
	}
}

// checkLocksEnd is the other half of invariant 24: what was in doubt or disputed ends as its row says or by
// a release, and what the bank's statement shows to be out has a lock.
func (h *history) checkLocksEnd() {
	was := map[ledger.AttemptKey]seenAttempt{}
	for _, a := range h.eye.checked.attempts {
		was[ledger.AttemptKey{PayoutID: a.payoutID, Number: a.number}] = a
	}
	var out []int64
	alive := map[int64]bool{} // nothing follows a payout that is paid or on its way
	for _, a := range h.eye.now.attempts {
		alive[a.payoutID] = alive[a.payoutID] || !a.state.Retryable()
	}
	for _, a := range h.eye.now.attempts {
		b := h.eye.now.batches[a.batchNo]
		released := h.eye.released[h.eye.nameOf(a)].is
		before, known := was[ledger.AttemptKey{PayoutID: a.payoutID, Number: a.number}]
		if known && before.state == ledger.PayoutDisputed && a.state != before.state && a.state != ledger.PayoutSuccess && !released && h.eye.closed[b.id] != string(ledger.Abandoned) {
			h.found("invariant 24: %s was disputed, is %s, and nobody released it", a.ref, a.state)
		}
		if h.eye.checked.batches[b.no].state == ledger.BatchSubmitUnknown && b.state == ledger.BatchSubmitted && a.state.Retryable() && !released && a.status == "" {
			h.found("invariant 24: %s was in doubt, is %s, and the bank showed nothing", a.ref, a.state)
		}
		p := h.bank.payout(b.id, a.ref)
		if p != nil && !alive[a.payoutID] && h.outSince(a, p) > 0 {
			if !slices.Contains(out, a.payoutID) {
				out = append(out, a.payoutID)
			}
		}
	}
	if len(out) == 0 || h.store == nil && !h.severalMachines() {
		return
	}
	records, err := h.records(out)
	if err != nil {
		h.found("reading locks: %v", err)
	}
	for _, id := range out {
		if len(ledger.Locks(records[id])) == 0 {
			h.found("invariant 24: payout %d has no lock, and the bank's statement shows money out", id)
		}
	}
}

// releaseStory is one submit whose answer is lost: it never arrives, it arrives while the status does not
// show it, or it arrives days later. Two people ask the bank, release the batch as its letter says, and its
// payouts are planned again.
func releaseStory(h *history) {
	h.bank.nature = calm()
	h.bank.nature.listsUnsubmitted = h.rng.IntN(2) == 0
	h.bank.nature.lag = time.Duration(h.rng.IntN(2)) * 30 * 24 * time.Hour // the status of what was lost
	h.bank.nature.unlucky, h.bank.nature.breaksFinality, h.of = 0.5, h.rng.IntN(2) == 0, "release"
	h.wire.script = map[string]trouble{"submit 1": []trouble{hangBefore, hangAfter, lateEffectOnly}[h.rng.IntN(3)]}
	h.weeks()
}

// bookStory is a bank whose status calls paid payouts failed or returned, and whose statement shows the
// truth.
func bookStory(h *history) {
	h.bank.nature = calm()
	h.bank.nature.unlucky, h.bank.nature.breaksFinality, h.of = 0.8, true, "books"
	h.weeks()
}

// weeks are nine days with a network that works, and two people who retry everything they may.
func (h *history) weeks() {
	h.bank.nature.anyBooks(h.people)
	h.bank.nature.statements, h.bank.honest, h.set.HeldAtOnce = true, true, 0
	h.load(&process{}, h.write(of(0, 100_00, 250_00, 60_00)...))
	h.day(&process{})
	h.load(&process{}, h.write(of(0, 77_77)...)) // a batch that the bank shows
	wrongly := h.people.IntN(4) == 0             // people explain debits that they do not know
	for n := range 24 {
		h.later(9 * time.Hour)
		h.day(&process{})
		if n%2 == 0 {
			h.readStatement()
		}
		h.check()
		h.releases(n)
		switch n % 3 {
		case 0:
			h.retry(&process{})
		case 1:
			h.imports(&process{}, accounts[0].id, min(papers(h.people.IntN(int(kindsOfPapers)+3)), madeUp))
			if wrongly && h.people.IntN(2) == 0 {
				h.explains(&process{actor: []string{"asha", approver}[n/3%2]}, accounts[0].id)
			}
		}
		if h.check(); h.broken() {
			return
		}
	}
	h.verify()
}

// releaseCanaries release on less than the rules demand.
var releaseCanaries = []canary{
	{name: "released_at_once", story: releaseStory, by: "release: too soon", set: func(_ *history, set *submitter.Settings) { set.ResolveWait = 0 }},
	{name: "released_without_a_letter", story: releaseStory, by: "release: no letter", wrap: onRelease(func(_ *history, s *ledger.Step) { s.Release.Ticket += "?" })},
	{name: "same_person_at_once", story: releaseStory, by: "release: one person", wrap: onStore(func(s submitter.Store) submitter.Store { return lonelyStore{s} })},
	{name: "released_on_an_old_status", story: releaseStory, by: "release: stale", wrap: onRelease(func(h *history, s *ledger.Step) {
		if first, ok := h.firstChecks[s.BatchID]; ok {
			first.BankTime, first.At = s.Release.Check.BankTime, s.Release.Check.At
			s.Release.Check = first
		}
		h.firstChecks[s.BatchID] = s.Release.Check
	})},
	{name: "stale_statement_taken", story: releaseStory, by: "release: stale", set: func(_ *history, set *submitter.Settings) { set.Statements = unread{} }},
	{name: "set_aside_not_watched", story: releaseStory, wrap: onStore(func(s submitter.Store) submitter.Store { return blindToAside{s} }), by: "rule W"},
	{name: "lines_counted", story: bookStory, by: "invariant 24", misreads: func(_ *history, r *ledger.StatementRead) {
		for i, back := range r.Entries {
			for _, d := range r.Entries[:i] {
				if !back.Debit && d.Debit && d.Amount > back.Amount && lastWord(d) == lastWord(back) {
					r.Entries[i].Amount = d.Amount
				}
			}
		}
	}},
	{name: "file_that_frees", story: bookStory, by: "invariant 24", misreads: func(_ *history, r *ledger.StatementRead) {
		r.Source, r.FileName, r.FileSHA256, r.FileFormat, r.Period = ledger.FromInterface, "", "", "", false
	}},
	{name: "second_debit_taken_for_known", story: bookStory, by: "invariant 24", misreads: func(_ *history, r *ledger.StatementRead) {
		dropDebits(r, func(i int) bool {
			return slices.ContainsFunc(r.Entries[:i], func(d ledger.StatementEntry) bool {
				return d.Debit && d.Amount == r.Entries[i].Amount && lastWord(d) == lastWord(r.Entries[i])
			})
		})
	}},
	{name: "returned_excuses_two_debits", story: bookStory, by: "invariant 24", misreads: func(h *history, r *ledger.StatementRead) {
		dropDebits(r, func(i int) bool {
			return slices.ContainsFunc(h.bank.byRef[lastWord(r.Entries[i])], func(p *heldPayout) bool { return p.code == ledger.CodeReturned })
		})
	}},
}

func lastWord(e ledger.StatementEntry) string { return e.Remarks[strings.LastIndex(e.Remarks, " ")+1:] }

// dropDebits leaves debits out of a reading. Its balances still chain.
func dropDebits(r *ledger.StatementRead, drop func(at int) bool) {
	var left []ledger.StatementEntry
	for i, e := range r.Entries {
		if !e.Debit || !drop(i) {
			left = append(left, e)
		}
	}
	r.Entries = left
}

// unread claims that a statement was read, but reads none.
type unread struct{}

func (unread) ReadStatement(context.Context, string, time.Time) error { return nil }

// onRelease changes the evidence of a release as it is recorded.
func onRelease(change func(*history, *ledger.Step)) wrapper {
	return func(h *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		return changedRelease{s, func(step *ledger.Step) { change(h, step) }}, b
	}
}

type changedRelease struct {
	submitter.Store
	change func(*ledger.Step)
}

func (s changedRelease) Apply(ctx context.Context, step ledger.Step) error {
	if step.Release != nil {
		r := *step.Release
		step.Release, r.Shown = &r, ""
		s.change(&step)
	}
	return s.Store.Apply(ctx, step)
}

// lonelyStore lets one person make both statements, the second under another name.
type lonelyStore struct{ submitter.Store }

func (s lonelyStore) Apply(ctx context.Context, step ledger.Step) error {
	err := s.Store.Apply(ctx, step)
	if step.Release == nil || err != nil {
		return err
	}
	again := *step.Release
	again.Check.BankTime = again.Check.BankTime.Add(2 * time.Hour)
	step.Actor, step.At, step.Release = "nobody", step.At.Add(2*time.Hour), &again
	_ = s.Store.Apply(ctx, step)
	return nil
}

// blindToAside does not watch batches that were set aside.
type blindToAside struct{ submitter.Store }

func (s blindToAside) Watched(ctx context.Context, since, asideSince time.Time) ([]ledger.Batch, error) {
	list, err := s.Store.Watched(ctx, since, asideSince)
	return slices.DeleteFunc(list, func(b ledger.Batch) bool { return b.State == ledger.BatchSetAside }), err
}

// TestWhatIsReleasedIsPaidOnce plays both stories with one seed after the other.
func TestWhatIsReleasedIsPaidOnce(t *testing.T) {
	outcomes := map[string]int{}
	for _, story := range []func(*history){releaseStory, bookStory} {
		playAll(t, max(*histories/20, 6), story, func(h *history) {
			for _, r := range h.eye.released {
				outcomes[fmt.Sprintf("released as not paid: %t", r.is)]++
			}
			for _, why := range h.unprevented {
				outcomes["paid twice: "+why]++
			}
		})
	}
	t.Logf("figures: %v", outcomes)
	if outcomes["released as not paid: true"] == 0 || outcomes["released as not paid: false"] == 0 {
		t.Errorf("nothing was released one way: %v", outcomes)
	}
}
