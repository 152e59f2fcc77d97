package simulation

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// check compares the ledger with the invariants and with what the bank really did. It runs after each step.
func (h *history) check() {
	if err := h.eye.look(); err != nil {
		h.found("looking at the ledger: %v", err)
		return
	}
	h.eye.noteHeld(h.skew)
	if h.eye.unchecked() {
		h.checkEvents()
		h.checkBatches()
		h.checkAttempts()
		h.checkIntents()
		h.checkHistoryKept()
		h.checkLocksEnd()
		h.checkCorrected()
		h.eye.check()
	}
	if !h.swapped { // a ledger that forgot does not know the truth; it must only send nothing
		h.checkTruth()
	}
	h.stats["checks"]++
}

func (h *history) checkEvents() {
	err := h.eye.newEvents(func(e event) error {
		batchID := e.batch
		if err := h.checkReleased(e); err != nil {
			return err
		}
		switch ledger.BatchEvent(e.kind) {
		case ledger.Abandoned, ledger.DoubtExpired, ledger.EchoDiffers, ledger.InitiateRefused, ledger.RefusalStands, ledger.SetAside:
			h.eye.closed[batchID] = e.kind
		case ledger.SubmitIntended:
			if why := h.eye.closed[batchID]; why != "" {
				return fmt.Errorf("invariant 3: %s was submitted after %s", batchID, why)
			}
		case ledger.SubmitRejected, ledger.SubmitUndone:
			if t := h.bank.byID[batchID]; t != nil && slices.Contains(t.takenBy, h.lastSubmit[batchID]) {
				return fmt.Errorf("invariant 4: %s of %s was recorded, and the bank took that submit", e.kind, batchID)
			}
		}
		h.secretFree("event", e.detail)
		return nil
	})
	if err != nil {
		h.found("%v", err)
	}
	h.eye.replays = false
}

func (h *history) checkBatches() {
	s := h.eye.now
	sum, count := map[int64]ledger.Paise{}, map[int64]int{}
	for _, a := range s.attempts {
		sum[a.batchNo] += a.amount
		count[a.batchNo]++
	}
	ids := map[string]bool{}
	for _, b := range s.batches {
		rules := ledger.RulesFor(b.partner, b.kind)
		switch {
		case ids[b.id]:
			h.found("invariant 6: batch id %s is there twice", b.id)
		case sum[b.no] != b.total || count[b.no] != b.count:
			h.found("invariant 11: batch %s says %d of %s, its payouts are %d of %s", b.id, b.count, b.total, count[b.no], sum[b.no])
		case b.count > 1 && !rules.Bulk:
			h.found("invariant 7: %d payouts in a batch of partner bank %d", b.count, b.partner)
		case rules.NeedsLEI(b.total) != ledger.ValidLEI(b.lei):
			h.found("invariant 8: batch %s of %s has LEI %q", b.id, b.total, b.lei)
		}
		ids[b.id] = true
		h.secretFree("note", b.note)
	}
}

func (h *history) checkAttempts() {
	s := h.eye.now
	live, refs := map[int64]int{}, map[string]seenAttempt{}
	inDoubt := map[int64]bool{}
	usedUp := map[string]bool{}
	var last seenAttempt // attempts are ordered by payout and number
	for _, a := range s.attempts {
		if before, ok := refs[a.ref]; ok {
			h.checkKeptName(before, a)
		}
		if last.payoutID == a.payoutID && last.ref != a.ref && !usedUp[last.ref] {
			h.found("rule N: %s follows %s, and the bank has never shown a batch with it", a.ref, last.ref)
		}
		last = a
		usedUp[a.ref] = usedUp[a.ref] || h.bank.everShown[s.batches[a.batchNo].id]
		refs[a.ref] = a
		if !a.state.Retryable() && a.state != ledger.PayoutDisputed { // a payout can become disputed after all was over
			live[a.payoutID]++
		}
		if state := s.batches[a.batchNo].state; state == ledger.BatchSubmitting || state == ledger.BatchSubmitUnknown {
			inDoubt[a.payoutID] = true
			if a.state.Retryable() && !h.eye.released[h.eye.nameOf(a)].is {
				h.found("invariant 5: %s may have paid, and is %s", a.ref, a.state)
			}
		}
		said := h.bank.said[attemptName{s.batches[a.batchNo].id, a.ref}]
		switch {
		case a.status != "" && said[a.status] == 0:
			h.found("invariant 15: the ledger has status %q of %s, which the bank never said", a.status, a.ref)
		case a.state == ledger.PayoutSuccess && said[ledger.StatusSuccess] == 0:
			h.found("invariant 14: %s is success, and the bank never said so", a.ref)
		case a.state == ledger.PayoutFailed && said[ledger.StatusFailed] < 2:
			h.found("invariant 15: %s is failed, and the bank said so %d time(s)", a.ref, said[ledger.StatusFailed])
		case a.state == ledger.PayoutFailed && a.code == ledger.CodeReturned && a.status == ledger.StatusFailed:
			h.found("%s is failed, and the bank says that it was returned", a.ref)
		case a.state == ledger.PayoutReturned && said["code "+ledger.CodeReturned] == 0:
			h.found("invariant 14: %s is returned, and the bank never said so", a.ref)
		}
	}
	h.checkFailedTwice()
	for payout, n := range live {
		if n > 1 {
			h.found("invariant 1: payout %d has %d live attempts", payout, n)
		}
	}
}

// checkKeptName is invariant 25: a reference that recurs belongs to one payout, and the batch that had it
// before was never shown.
func (h *history) checkKeptName(before, a seenAttempt) {
	b := h.eye.now.batches[before.batchNo]
	switch {
	case before.payoutID != a.payoutID:
		h.found("invariant 25: wire reference %s is of two payouts", a.ref)
	case b.state != ledger.BatchRefused && b.state != ledger.BatchAbandoned:
		h.found("invariant 25: wire reference %s recurs, and %s, which had it before, is %s", a.ref, b.id, b.state)
	}
}

func (h *history) checkIntents() {
	s := h.eye.now
	last := map[[2]string]string{}
	for _, i := range s.intents {
		key := [2]string{s.batches[i.batchNo].id, i.kind}
		if before, ok := last[key]; ok && before != string(ledger.Rejected) && before != string(ledger.NotSent) {
			h.found("invariant 4: a second %s of %s after one that was %q", i.kind, key[0], before)
		}
		last[key] = i.outcome
	}
}

func (h *history) checkHistoryKept() {
	was, is := h.eye.checked, h.eye.now
	for no, b := range was.batches {
		if is.batches[no].id != b.id {
			h.found("invariant 6: batch %s is gone or renamed", b.id)
		}
	}
	kept := map[[2]int64]seenAttempt{}
	for _, a := range is.attempts {
		kept[[2]int64{a.payoutID, int64(a.number)}] = a
	}
	for _, a := range was.attempts {
		if k := kept[[2]int64{a.payoutID, int64(a.number)}]; k.ref != a.ref || k.batchNo != a.batchNo {
			h.found("invariant 6: attempt %s is gone or renamed", a.ref)
		}
	}
	if len(is.intents) < len(was.intents) {
		h.found("invariant 6: intents are gone")
	}
}

// checkTruth is invariant 21: it compares the ledger with what the bank really paid.
func (h *history) checkTruth() {
	s := h.eye.now
	for _, a := range s.attempts {
		b := s.batches[a.batchNo]
		p := h.bank.payout(b.id, a.ref)
		executed := p != nil && len(p.paidBy) > 0
		elsewhere := executed && h.bank.takenElsewhere(p.batch) // seen when the batch is looked up next
		// The bank said twice that it failed, so that is no error here; it is watched.
		saidFailed := h.bank.said[attemptName{b.id, a.ref}][ledger.StatusFailed] >= 2 && a.state == ledger.PayoutFailed
		switch {
		case a.state == ledger.PayoutSuccess && !executed:
			h.found("invariant 21: %s is success here, and was not executed there", a.ref)
		case elsewhere:
			h.checkWatched(b, a, p)
		case a.state == ledger.PayoutDisputed:
		case h.eye.released[h.eye.nameOf(a)].is:
			if executed && p.paid() && !p.batch.lied {
				h.found("release: %s was paid, and two people released it on a true letter", a.ref)
			}
		case executed && b.state == ledger.BatchSetAside: // seen at the next poll that shows it
		case executed && !accountedFor(a.state) && !saidFailed:
			h.found("invariant 21: %s was executed there, and is %s here", a.ref, a.state)
		case executed && b.state != ledger.BatchSubmitted && b.state != ledger.BatchSettled && b.state != ledger.BatchSubmitUnknown && b.state != ledger.BatchSubmitting:
			h.found("invariant 21: %s was executed there, and its batch is %s here", a.ref, b.state)
		}
	}
	h.checkPaidOnce()
}

// accountedFor reports whether an executed payout may have this state in the ledger.
func accountedFor(s ledger.PayoutState) bool {
	switch s {
	case ledger.PayoutRequestInitiated, ledger.PayoutPending, ledger.PayoutInitiated, ledger.PayoutSuccess, ledger.PayoutReturned, ledger.PayoutDisputed:
		return true
	default:
		return false
	}
}

// checkPOST checks what must hold when a POST arrives, before it takes effect.
func (h *history) checkPOST(p *post) {
	h.stats["posts"]++
	if h.running != nil && h.running.damaged {
		h.found("local faults: a POST (%s of %s) after the ledger had failed", p.kind, p.batchID)
	}
	if h.swapped {
		h.found("local faults: a POST (%s of %s) from a ledger that is not what it was", p.kind, p.batchID)
	}
	sum, err := payloadHash(p)
	if err != nil {
		h.found("a POST that cannot be read: %v", err)
		return
	}
	open, intents, err := h.eye.view.intents(p.batchID, p.kind, sum)
	if err != nil {
		h.found("looking at the ledger: %v", err)
		return
	}
	posts := 0
	for _, q := range h.bank.posts {
		if q.kind == p.kind && q.batchID == p.batchID && q.by == p.by {
			posts++
		}
	}
	if posts > intents {
		h.found("invariant 2: %d POSTs of %s %s and %d intents", posts, p.kind, p.batchID, intents)
	}
	if !open && !h.rivalled && !(h.running != nil && h.running.behindLook) {
		h.found("invariant 2: %s of %s was sent without an open intent for it", p.kind, p.batchID)
	}
	if p.kind == "submit" {
		h.checkSubmit(p)
	}
	h.checkLooked(p)
	h.checkAgreed(p, sum)
}

// checkSubmit checks a submit. Money may move now, so everything must be right.
func (h *history) checkSubmit(p *post) {
	if err := h.eye.look(); err != nil {
		h.found("looking at the ledger: %v", err)
		return
	}
	h.eye.noteHeld(h.skew)
	h.checkEvents()
	h.lastSubmit[p.batchID] = p.number
	s := h.eye.now
	var b seenBatch
	for _, c := range s.batches {
		if c.id == p.batchID {
			b = c
		}
	}
	p.heldFor = h.clock.Sub(h.eye.held[b.id])
	if why := h.eye.closed[b.id]; why != "" {
		h.found("invariant 3: %s is submitted after %s", b.id, why)
	}
	var in bankapi.SubmitRequest
	if err := json.Unmarshal(p.body, &in); err != nil {
		h.found("a submit that cannot be read: %v", err)
	}
	rules := ledger.RulesFor(b.partner, b.kind)
	if rules.NeedsToken != (in.TransactionToken != "") || rules.NeedsLEI(b.total) != (in.BeneLEI != "") {
		h.found("invariant 9: submit of %s (partner bank %d, %s) has token %t, LEI %t", b.id, b.partner, b.total, in.TransactionToken != "", in.BeneLEI != "")
	}
	h.checkLocks(b)
	held := h.bank.byID[p.batchID]
	if held == nil {
		return // the bank lost it, or never had it
	}
	planned := map[string]seenAttempt{}
	for _, a := range s.attempts {
		if a.batchNo == b.no {
			planned[a.ref] = a
		}
	}
	if held.account != b.accountID || len(held.payouts) != len(planned) {
		h.found("invariant 10: %s is submitted, and the bank holds %d payouts of account %s", b.id, len(held.payouts), held.account)
	}
	for _, q := range held.payouts {
		a, ok := planned[q.ref]
		if !ok || a.amount != q.amount || (q.number != "" && a.payee != q.number) || (q.beneficiary != "" && a.benefic != q.beneficiary) {
			h.found("invariant 10: %s is submitted, and the bank holds %s of %s for it", b.id, q.ref, q.amount)
		}
	}
}

// payloadHash returns the hash that an intent covers: that of the body without OTP and token.
func payloadHash(p *post) (string, error) {
	body := p.body
	if p.kind == "submit" {
		var in bankapi.SubmitRequest
		if err := json.Unmarshal(body, &in); err != nil {
			return "", err
		}
		in.OTP, in.TransactionToken = "", ""
		var err error
		if body, err = in.Encode(); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]), nil
}

// secretFree is invariant 17, for every text that leaves the engine or enters the ledger.
func (h *history) secretFree(where, text string) {
	if text == "" {
		return
	}
	for _, m := range h.bank.phone {
		if strings.Contains(text, m.otp) || (m.token != "" && strings.Contains(text, m.token)) {
			h.found("invariant 17: an OTP or token is in a %s: %q", where, text)
		}
	}
	for _, secret := range []string{accessKey, secretKey, payeeNumber} {
		if strings.Contains(text, secret) {
			h.found("invariant 17: a key or an account number is in a %s: %q", where, text)
		}
	}
}
