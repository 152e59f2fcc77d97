package simulation

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"payrun/ledger"
)

// asked is one status request as it reached the bank, and the state of the batch at that moment.
type asked struct {
	run, seq int
	by       string
	honest   bool
	stood    map[string]string // by wire reference: the status, or the code of a return
}

// tick numbers what happens at the bank.
func (b *bank) tick() int {
	b.seq++
	return b.seq
}

// noteAsked records that a batch was looked up.
func (b *bank) noteAsked(id string) {
	a := asked{run: b.run, seq: b.tick(), by: b.by, honest: b.honest}
	if t, known := b.known(id); known {
		a.stood = b.statusOf(t)
	}
	b.asks[id] = append(b.asks[id], a)
}

// begins gives a process the number by which the bank knows its requests.
func (h *history) begins() {
	h.processes++
	h.bank.run = h.processes
}

// post numbers a POST. For a submit it records the state of everything at that moment.
func (b *bank) post(kind, batchID string, body []byte) *post {
	p := &post{number: len(b.posts) + 1, run: b.run, seq: b.tick(), at: b.now(), by: b.by, kind: kind, batchID: batchID, body: body}
	if kind != "initiate" {
		p.stood, p.out = map[string]map[string]string{}, map[*heldPayout]ledger.Paise{}
		for _, t := range b.order {
			for _, q := range t.payouts {
				p.out[q] = b.shownOut(q, b.by)
			}
			if _, known := b.known(t.id); known {
				p.stood[t.id] = b.statusOf(t)
			}
		}
	}
	b.posts = append(b.posts, p)
	return p
}

func (b *bank) statusOf(t *heldBatch) map[string]string {
	m := make(map[string]string, len(t.payouts))
	for _, p := range t.payouts {
		m[p.ref] = p.status
		if !b.honest {
			m[p.ref] = t.shows(p)
		}
		if p.code == ledger.CodeReturned {
			m[p.ref] = p.code
		}
		if t.lags(b) {
			m[p.ref] = ledger.StatusRequestInitiated
		}
	}
	return m
}

// askedIn returns the last time before a POST that its run looked up a batch.
func (b *bank) askedIn(p *post, id string) (asked, bool) {
	asks := b.asks[id]
	for i := len(asks) - 1; i >= 0; i-- {
		if asks[i].run == p.run && asks[i].seq < p.seq {
			return asks[i], true
		}
	}
	return asked{}, false
}

// lastLook returns the state of a batch when the run of a POST last looked it up. If it did not, lastLook
// returns the state when the POST came, which would have been shown.
func (b *bank) lastLook(p *post, id string) asked {
	if a, ok := b.askedIn(p, id); ok {
		return a
	}
	return asked{run: p.run, seq: p.seq, stood: p.stood[id]}
}

// checkLooked is invariant 22, checked against the bank's log: the run asked the bank before the POST, and
// what the bank then showed allows it.
func (h *history) checkLooked(p *post) {
	own, ok := h.bank.askedIn(p, p.batchID)
	switch {
	case !ok:
		h.found("invariant 22: %s of %s, and its status was not asked for in this run", p.kind, p.batchID)
	case p.kind == "initiate" && own.stood != nil:
		h.found("invariant 22: initiate of %s, which the bank showed to have", p.batchID)
	}
	if p.kind != "submit" {
		return
	}
	for ref, stood := range own.stood {
		if stood != ledger.StatusRequestInitiated {
			h.found("invariant 22: submit of %s, and the bank showed %s as %q", p.batchID, ref, stood)
		}
	}
	s := h.eye.now
	here := map[int64]int{}
	for _, a := range s.attempts {
		if s.batches[a.batchNo].id == p.batchID {
			here[a.payoutID] = a.number
		}
	}
	for _, a := range s.attempts {
		id := s.batches[a.batchNo].id
		if a.number >= here[a.payoutID] {
			continue
		}
		if _, ok := h.bank.askedIn(p, id); !ok {
			h.found("invariant 22: submit of %s, and the bank was not asked about %s, where %s was before", p.batchID, id, a.ref)
		}
	}
}

// takenElsewhere reports whether another submitted the batch, not this ledger.
func (b *bank) takenElsewhere(t *heldBatch) bool {
	return slices.ContainsFunc(t.takenBy, func(n int) bool { return b.posts[n-1].kind == "portal" || b.posts[n-1].by != b.by })
}

// execution is money that moved for one submit and did not come back.
type execution struct {
	of   *heldPayout
	post *post
}

func (x execution) takenAt() int { return x.of.batch.takenAt[x.post.number] }

// checkPaidOnce requires at most one execution that did not come back for each payout, under all its
// references, no matter who sent them. A payment that a status check could not have prevented is counted;
// any other is a violation.
func (h *history) checkPaidOnce() {
	paid := map[string][]execution{}
	for _, t := range h.bank.order {
		for _, p := range t.payouts {
			if !p.paid() {
				continue
			}
			for n := range distinct(p.paidBy) {
				own := ownRef(p.ref)
				paid[own] = append(paid[own], execution{p, h.bank.posts[n-1]})
			}
		}
	}
	for _, own := range slices.Sorted(maps.Keys(paid)) {
		if len(paid[own]) > 1 {
			h.paidTwice(own, paid[own])
		}
	}
}

func (h *history) paidTwice(own string, list []execution) {
	slices.SortFunc(list, func(x, y execution) int { return cmp.Compare(x.takenAt(), y.takenAt()) })
	for i, later := range list {
		for _, earlier := range list[:i] {
			why := h.unpreventable(earlier, later)
			if why == "" {
				h.found("invariant 21: payout %s was paid %d times: in %s and in %s", own, len(list), earlier.of.batch.id, later.of.batch.id)
				return
			}
			h.unprevented[own] = why
		}
	}
}

// unpreventable names the case of safety.md, "What cannot be promised", by which two submits paid a payout;
// "" if a status check would have prevented it.
func (h *history) unpreventable(earlier, later execution) string {
	if later.post.kind == "portal" {
		return "portal_afterwards" // the batch stayed payable at the portal, where no check can stop it
	}
	if earlier.of.batch.lied || later.of.batch.lied {
		return "letter_was_false"
	}
	if h.bank.wronglyExplained(earlier.of, later.post.by) {
		return "explained_wrongly"
	}
	look := h.bank.lastLook(later.post, earlier.of.batch.id)
	if earlier.post.kind == "portal" && earlier.takenAt() > look.seq {
		return "portal_after_last_look"
	}
	switch stood := look.stood[earlier.of.ref]; {
	case later.post.out[earlier.of] > 0: // the statement showed the debit
	case stood == ledger.StatusFailed, stood == ledger.CodeReturned:
		return "paid_after_failed" // and the last check still showed it so
	}
	_, was := h.bank.askedIn(later.post, earlier.of.batch.id)
	if by := later.post.by; !was && earlier.of.batch.by != by || earlier.post.by != by && earlier.post.kind != "portal" {
		return h.ofTwoLedgers(earlier, later, look)
	}
	return ""
}

// ownRef returns the sheet's reference for a wire reference.
func ownRef(wireRef string) string {
	own, _, _ := strings.Cut(wireRef, "-R")
	return own
}

// distinct returns the submits for which a payout was paid. If a bank executes one submit twice, that is
// the bank's fault; two submits are payrun's.
func distinct(posts []int) map[int]bool {
	seen := map[int]bool{}
	for _, p := range posts {
		seen[p] = true
	}
	return seen
}
