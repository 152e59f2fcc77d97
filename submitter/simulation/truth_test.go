package simulation

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"payrun/ledger"
)

// asked is one status request as it reached the bank, and how the batch stood
// there at that moment.
type asked struct {
	run, seq int
	stood    map[string]string // by wire reference: status, or the code of a return
}

// tick numbers what happens at the bank.
func (b *bank) tick() int {
	b.seq++
	return b.seq
}

// noteAsked keeps that somebody asked about a batch.
func (b *bank) noteAsked(id string) {
	a := asked{run: b.run, seq: b.tick()}
	if t, known := b.known(id); known {
		a.stood = t.stands()
	}
	b.asks[id] = append(b.asks[id], a)
}

// begins gives a process the number by which the bank tells its requests.
func (h *history) begins() {
	h.processes++
	h.bank.run = h.processes
}

// post numbers a POST, and for a submit keeps how things stood as it came.
func (b *bank) post(kind, batchID string, body []byte) *post {
	p := &post{number: len(b.posts) + 1, run: b.run, seq: b.tick(), kind: kind, batchID: batchID, body: body}
	if kind == "submit" {
		p.stood = map[string]map[string]string{}
		for _, t := range b.order {
			if _, known := b.known(t.id); known {
				p.stood[t.id] = t.stands()
			}
		}
	}
	b.posts = append(b.posts, p)
	return p
}

func (t *heldBatch) stands() map[string]string {
	m := make(map[string]string, len(t.payouts))
	for _, p := range t.payouts {
		m[p.ref] = p.status
		if p.code == ledger.CodeReturned {
			m[p.ref] = p.code
		}
	}
	return m
}

// lastLook is how a batch stood when it was asked about in the run of a POST, the
// last time before it. Where nobody asked, it is as the POST came: so it would
// have been shown.
func (b *bank) lastLook(p *post, id string) asked {
	asks := b.asks[id]
	for i := len(asks) - 1; i >= 0; i-- {
		if asks[i].run == p.run && asks[i].seq < p.seq {
			return asks[i]
		}
	}
	return asked{run: p.run, seq: p.seq, stood: p.stood[id]}
}

// execution is money that moved for one submit, and did not come back.
type execution struct {
	of   *heldPayout
	post *post
}

func (x execution) takenAt() int { return x.of.batch.takenAt[x.post.number] }

// checkPaidOnce: executions that did not come back, at most one a payout,
// summed over all its references, whoever sent them. What a look cannot prevent
// is counted; a payment that a look would have prevented is a violation.
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
			why := h.bank.unpreventable(earlier, later)
			if why == "" {
				h.found("invariant 21: payout %s was paid %d times: in %s and in %s", own, len(list), earlier.of.batch.id, later.of.batch.id)
				return
			}
			h.unprevented[own] = why
		}
	}
}

// unpreventable names what safety.md says cannot be promised, where that is how
// a payout was paid by two submits; "" where a look would have prevented it.
func (b *bank) unpreventable(earlier, later execution) string {
	look := b.lastLook(later.post, earlier.of.batch.id)
	switch stood := look.stood[earlier.of.ref]; {
	case stood == ledger.StatusFailed, stood == ledger.CodeReturned:
		return "paid_after_failed" // and was still said to be so at the last look
	}
	return ""
}

// ownRef is the reference on the sheet behind a wire reference.
func ownRef(wireRef string) string {
	own, _, _ := strings.Cut(wireRef, "-R")
	return own
}

// distinct are the submits that a payout was paid for. A bank that executes
// one submit twice is at fault by itself; two submits are our fault.
func distinct(posts []int) map[int]bool {
	seen := map[int]bool{}
	for _, p := range posts {
		seen[p] = true
	}
	return seen
}
