package submitter

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"payrun/ledger"
)

// echo is how an answer of the bank compares with what was sent.
type echo struct {
	hide          func(string) string           // the batch's account numbers, in what the bank wrote
	differs       []string                      // in words; any of them and the batch is never submitted
	unread        []string                      // in words: what was shown and cannot be read, which differs until it can
	missing       []string                      // wire references the answer does not have
	amountsAbsent []string                      // wire references without an amount
	seen          map[string]ledger.Observation // by wire reference, only those that were sent
	unlike        map[string]bool               // those of them that are not as planned
	brokeOff      string                        // why the read ended before its last page; "" where it did not
	ofAnother     bool                          // the answer is about another batch, or debit account
	unnamed       bool                          // it names no debit account, or an unknown one
	unnumbered    string                        // the configured number of the debit account, where the answer does not show it
	otherNumber   string                        // another that it shows, as it shows it
	misconfigured error                         // that number is the account's, and the configured one is not: ErrAccountNumber
}

// equal: everything that was sent came back, and nothing else.
func (c echo) equal() bool {
	return c.asShown() && len(c.missing) == 0 && len(c.amountsAbsent) == 0
}

// asShown: nothing that came back is other than was sent, as far as it is shown.
func (c echo) asShown() bool { return len(c.differs) == 0 && len(c.unread) == 0 }

// whole: the read came to its end, and left nothing out that was sent.
func (c echo) whole() bool { return c.brokeOff == "" && len(c.missing) == 0 }

// why says what does not match, shortly.
func (c echo) why() string {
	all := slices.Concat(c.differs, c.unread)
	if len(c.missing) > 0 {
		all = append(all, "missing "+some(c.missing))
	}
	if len(c.amountsAbsent) > 0 {
		all = append(all, "no amount for "+some(c.amountsAbsent))
	}
	return some(all)
}

func some(list []string) string {
	const shown = 3
	if len(list) <= shown {
		return strings.Join(list, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(list[:shown], "; "), len(list)-shown)
}

// compare holds an answer against the plan, and the number of the debit account against
// the configured one. Where that is all that makes it another account, the bank's list
// says which of the two is wrong.
func (e *Engine) compare(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, a ledger.Answer) echo {
	c := compare(b, e.set.Accounts[b.BankAccountID].AccountNumber, attempts, a)
	if c.otherNumber != "" && !c.ofAnother {
		e.whoseNumber(ctx, b, a.DebitAccountNumber, &c)
	}
	return c
}

// compare holds an answer against the plan: same batch, same debit account, which has
// the number where both are known, the same references once each, the same amounts to
// the paisa, the same payee accounts where the answer shows them (interface.md,
// "Payout": they may be empty).
func compare(b ledger.Batch, number string, attempts []ledger.Attempt, a ledger.Answer) echo {
	hide := ledger.MaskerOf(attempts).Words // what the bank wrote, which is not always what was sent
	c := echo{hide: hide, seen: make(map[string]ledger.Observation, len(attempts)), unlike: map[string]bool{}}
	if !ofBatch(b, a) {
		c.ofAnother = true
		c.differs = append(c.differs, fmt.Sprintf("the answer is about batch %q", hide(a.BatchID)))
	}
	if !strings.EqualFold(a.BankAccountID, b.BankAccountID) { // UUIDs
		c.unnamed = a.BankAccountID == ""
		c.ofAnother = c.ofAnother || !c.unnamed
		c.differs = append(c.differs, fmt.Sprintf("debit account is %q, not %q", hide(a.BankAccountID), b.BankAccountID))
	}
	if !ledger.MayBeAccount(number, a.DebitAccountNumber) {
		c.unnumbered = number
	}
	if ledger.OtherAccount(number, a.DebitAccountNumber) {
		c.otherNumber, c.unnumbered = a.DebitAccountNumber, ""
		c.differs = append(c.differs, notConfigured(c.otherNumber, number))
	}
	if a.SubMerchantID != "" && b.SubMerchantID != "" && !sameID(a.SubMerchantID, b.SubMerchantID) {
		c.differs = append(c.differs, fmt.Sprintf("sub-merchant is %q, not %q", hide(a.SubMerchantID), b.SubMerchantID))
	}
	if a.Unread != 0 {
		c.unread = append(c.unread, fmt.Sprintf("it shows what cannot be read: %s", a.Unread))
	}
	sent := make(map[string]*ledger.Attempt, len(attempts))
	for i := range attempts {
		sent[attempts[i].WireRef] = &attempts[i]
	}
	about := len(c.differs)
	for _, o := range a.Payouts {
		at, ok := sent[o.WireRef]
		if !ok {
			c.differs = append(c.differs, fmt.Sprintf("%q was never sent", hide(o.WireRef)))
			continue
		}
		if _, twice := c.seen[o.WireRef]; twice {
			c.differs = append(c.differs, fmt.Sprintf("%q came twice", o.WireRef))
			continue
		}
		c.seen[o.WireRef] = o
		before := len(c.differs)
		c.payout(b.Rules(), at, o)
		c.unlike[o.WireRef] = len(c.differs) > before
	}
	slices.Sort(c.differs[about:]) // the same in whichever order the answer has its payouts
	slices.Sort(c.amountsAbsent)
	slices.Sort(c.unread)
	for i := range attempts {
		if _, ok := c.seen[attempts[i].WireRef]; !ok {
			c.missing = append(c.missing, attempts[i].WireRef)
		}
	}
	return c
}

// ofBatch: the answer names this batch, or none.
func ofBatch(b ledger.Batch, a ledger.Answer) bool {
	return a.BatchID == "" || a.BatchID == b.ID
}

// aboutAnother: the answer is not about this batch and its debit account, so
// nothing in it says that a payout of ours is paid, or is not.
func (c echo) aboutAnother() bool { return c.ofAnother || c.unnamed }

// onlyUntold: only the number of the debit account differs, and it is unknown whether it is the
// account's.
func (c echo) onlyUntold() bool { return c.otherNumber != "" && !c.ofAnother && len(c.differs) == 1 }

// number is what the answer says of the number of the debit account, for Step.OtherNumber: another than
// is configured, "" for the configured one, which an earlier one may be by now, and nil for nothing. The
// interface promises a number only in the answers to initiate and submit (interface.md, "Payout batch").
func (c echo) number(b ledger.Batch) *string {
	switch {
	case c.otherNumber != "":
		return &c.otherNumber
	case c.unnumbered == "" || ledger.MayBeAccount(c.unnumbered, b.OtherNumber):
		return new("")
	}
	return nil
}

// notConfigured says that the number of the debit account is another than the configured one.
func notConfigured(shown, configured string) string {
	shown, configured = ledger.MaskShown(shown), ledger.Mask(configured)
	if shown == configured {
		return "debit account has another number than is configured, which also ends in " + strings.TrimLeftFunc(shown, ledger.Masks)
	}
	return fmt.Sprintf("debit account has the number %s, not %s as configured", shown, configured)
}

// sameID: a UUID is the same in either case; of any other id that is not said.
func sameID(a, b string) bool {
	const uuid = len("00000000-0000-0000-0000-000000000000")
	return a == b || len(a) == uuid && strings.Count(a, "-") == 4 && strings.EqualFold(a, b)
}

// payout compares what is known of one payout: amount, account and branch, and on a RIB account the
// beneficiary id that replaces them.
func (c *echo) payout(rules ledger.Rules, at *ledger.Attempt, o ledger.Observation) {
	if unread := o.Unread & at.Compared(); unread != 0 {
		c.unread = append(c.unread, fmt.Sprintf("%q shows what cannot be read: %s", at.WireRef, unread))
	}
	switch {
	case o.Unread&ledger.FieldAmount != 0:
	case !o.HasAmount:
		c.amountsAbsent = append(c.amountsAbsent, at.WireRef)
	case o.Amount != at.Amount:
		c.differs = append(c.differs, fmt.Sprintf("%q is %s, not %s", at.WireRef, o.Amount, at.Amount))
	}
	if rules.NeedsBeneficiaryID {
		if o.OpenBeneficiaryID != "" && !strings.EqualFold(o.OpenBeneficiaryID, at.OpenBeneficiaryID) {
			c.differs = append(c.differs, fmt.Sprintf("%q pays beneficiary %q, not %s", at.WireRef, c.hide(o.OpenBeneficiaryID), at.OpenBeneficiaryID))
		}
	}
	if at.BankAccountNumber != "" && !mayBe(at.BankAccountNumber, o.BankAccountNumber) {
		c.differs = append(c.differs, fmt.Sprintf("%q pays account %s, not %s", at.WireRef, ledger.Mask(o.BankAccountNumber), ledger.Mask(at.BankAccountNumber)))
	}
	if at.IFSC != "" && o.IFSC != "" && !strings.EqualFold(o.IFSC, at.IFSC) {
		c.differs = append(c.differs, fmt.Sprintf("%q pays at %q, not %s", at.WireRef, c.hide(o.IFSC), at.IFSC))
	}
}

// mayBe reports whether what the bank shows may be the account that was sent. A
// masked one must agree in what can be seen of it; of fewer than four characters
// nothing is concluded.
func mayBe(sent, said string) bool {
	visible := strings.TrimLeftFunc(said, ledger.Masks)
	switch {
	case sent == said, len(visible) < 4 && visible != said, said == "":
		return true
	}
	return visible != said && strings.HasSuffix(sent, visible)
}

// unmoved adds to differs every payout that is beyond request_initiated: in a
// batch that was never submitted nothing may have moved.
func (c *echo) unmoved(attempts []ledger.Attempt) {
	for i := range attempts {
		o, ok := c.seen[attempts[i].WireRef]
		if ok && o.Status != ledger.StatusRequestInitiated {
			c.differs = append(c.differs, fmt.Sprintf("%q is %q before any submit", o.WireRef, o.Status))
		}
	}
}

// shows reports whether any payout is shown for which is returns true.
func (c echo) shows(is func(ledger.Observation) bool) bool {
	for _, o := range c.seen {
		if is(o) {
			return true
		}
	}
	return false
}

// moving reports whether the bank acted on a submit of any payout.
func (c echo) moving() bool { return c.shows(ledger.Observation.Moving) }

// unlisted returns a status that the interface does not list, if any is shown.
func (c echo) unlisted() (status string, ok bool) {
	for _, ref := range slices.Sorted(maps.Keys(c.seen)) {
		if s := c.seen[ref].Status; !ledger.Listed(s) {
			return s, true
		}
	}
	return "", false
}

// observed judges every payout that the answer shows, for the ledger. One that pays
// another amount, account or beneficiary than was planned is disputed; a dispute ends
// only with a complete read that shows what was planned.
func (c echo) observed(attempts []ledger.Attempt) []ledger.Observed {
	var list []ledger.Observed
	for _, at := range attempts {
		if o, ok := c.seen[at.WireRef]; ok {
			judge := ledger.Judge
			if !c.whole() || c.unlike[at.WireRef] {
				judge = ledger.JudgePart
			}
			v := judge(at, o)
			givenUp := at.State == ledger.PayoutCancelled && o.Status == ledger.StatusRequestInitiated
			if c.unlike[at.WireRef] && v.State != ledger.PayoutDisputed && at.Resolved == ledger.ResolutionNone && !givenUp {
				v = c.another(at.WireRef)
			}
			list = append(list, ledger.Observed{PayoutID: at.ID, Number: at.Number, Observation: o, Verdict: v})
		}
	}
	return list
}

// echoed records what the echo of a batch just held says, each payout now
// request_initiated.
func (c echo) echoed(attempts []ledger.Attempt) []ledger.Observed {
	held := make([]ledger.Attempt, len(attempts))
	copy(held, attempts)
	for i := range held {
		if held[i].State == ledger.PayoutPlanned { // a dispute stays one
			held[i].State = ledger.PayoutRequestInitiated
		}
	}
	return c.observed(held)
}

// another is the verdict on a payout that the bank shows otherwise than it was planned.
func (c echo) another(wireRef string) ledger.Verdict {
	own := slices.DeleteFunc(slices.Clone(c.differs), func(s string) bool { return !strings.HasPrefix(s, strconv.Quote(wireRef)+" ") })
	if len(own) == 0 {
		own = c.differs // of the whole batch
	}
	return ledger.Verdict{State: ledger.PayoutDisputed, Dispute: ledger.DisputeAmount, Reason: "the bank acts on something else than was planned: " + some(own)}
}

// asPlanned judges the payouts of a batch that was quarantined and moves at the
// bank all the same: what equals the plan as any payout that was held, what
// differs from it is disputed.
func (c echo) asPlanned(attempts []ledger.Attempt) []ledger.Observed {
	list := c.echoed(attempts)
	for i := range list {
		if c.unlike[list[i].WireRef] {
			list[i].Verdict = c.another(list[i].WireRef)
		}
	}
	return list
}

// paidAfterAll judges, of an answer under another debit account or under none, what it
// shows moving of payouts that could be tried again: they may be paid from there.
func (c echo) paidAfterAll(attempts []ledger.Attempt) []ledger.Observed {
	return slices.DeleteFunc(c.observed(slices.DeleteFunc(slices.Clone(attempts), func(a ledger.Attempt) bool { return !a.State.Retryable() })),
		func(o ledger.Observed) bool { return o.Verdict.State != ledger.PayoutDisputed })
}

// allUnlike is asPlanned where nothing of the batch is as planned, but what people
// have closed as paid seeing that.
func (c echo) allUnlike(attempts []ledger.Attempt) []ledger.Observed {
	for _, a := range attempts {
		c.unlike[a.WireRef] = a.Resolved != ledger.ResolutionPaid
	}
	return c.asPlanned(attempts)
}
