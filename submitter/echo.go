package submitter

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"payrun/ledger"
)

// echo is the comparison of an answer of the bank with what was sent.
type echo struct {
	hide          func(string) string           // masks the batch's account numbers in the bank's words
	differs       []string                      // in words; if there is any, the batch is never submitted
	unread        []string                      // in words: shown and unreadable values; they count as different
	missing       []string                      // wire references that the answer lacks
	amountsAbsent []string                      // wire references without an amount
	seen          map[string]ledger.Observation // by wire reference; only references that were sent
	unlike        map[string][]string           // in words: how payouts in seen differ from the plan; also in differs
	brokeOff      string                        // why the read ended before its last page; "" if it did not
	ofAnother     bool                          // the answer is about another batch, or debit account
	unnamed       bool                          // it names no debit account, or a number that cannot be judged
	unnumbered    string                        // the configured number of the debit account, if the answer does not show it
	otherNumber   string                        // another number that it shows, unchanged
	misconfigured error                         // ErrAccountNumber: the configured number is not the account's
}

// equal: everything that was sent came back, and nothing else.
func (c echo) equal() bool {
	return c.asShown() && len(c.missing) == 0 && len(c.amountsAbsent) == 0
}

// asShown: nothing in the answer differs from what was sent, as far as it is shown.
func (c echo) asShown() bool { return len(c.differs) == 0 && len(c.unread) == 0 }

// whole: the read reached its end and left out nothing that was sent.
func (c echo) whole() bool { return c.brokeOff == "" && len(c.missing) == 0 }

// why says briefly what does not match.
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

// compare compares an answer with the plan, and the number of the debit account with the configured one. If
// only that number differs, the bank's list of accounts decides which of the two is wrong.
func (e *Engine) compare(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, a ledger.Answer) echo {
	c := compare(b, e.set.Accounts[b.BankAccountID].AccountNumber, attempts, a)
	if c.otherNumber != "" && !c.ofAnother {
		e.whoseNumber(ctx, b, a.DebitAccountNumber, &c)
	}
	return c
}

// compare compares an answer with the plan: same batch; same debit account, with the same number if both are
// known; the same references, once each; the same amounts to the paisa; the same payee accounts if the answer
// shows them (interface.md, "Payout": they may be empty).
func compare(b ledger.Batch, number string, attempts []ledger.Attempt, a ledger.Answer) echo {
	hide := ledger.MaskerOf(attempts).Words // the bank may show other numbers than were sent
	c := echo{hide: hide, seen: make(map[string]ledger.Observation, len(attempts)), unlike: map[string][]string{}}
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
		c.unlike[o.WireRef] = c.payout(b.Rules(), at, o)
		// Another id is another payout. After the submit ledger.Judge disputes it.
		if b.State == ledger.BatchHeld && o.OpenTxnID != "" && at.OpenTxnID != "" && o.OpenTxnID != at.OpenTxnID {
			c.unlike[o.WireRef] = append(c.unlike[o.WireRef], fmt.Sprintf("%q has the open_txn_id %s, not %s", o.WireRef, hide(o.OpenTxnID), at.OpenTxnID))
		}
		c.differs = append(c.differs, c.unlike[o.WireRef]...)
	}
	slices.Sort(c.differs[about:]) // the same text in any order of the answer's payouts
	slices.Sort(c.amountsAbsent)
	slices.Sort(c.unread)
	for i := range attempts {
		if _, ok := c.seen[attempts[i].WireRef]; !ok {
			c.missing = append(c.missing, attempts[i].WireRef)
		}
	}
	return c
}

// ofBatch: the answer names this batch, or no batch.
func ofBatch(b ledger.Batch, a ledger.Answer) bool {
	return a.BatchID == "" || a.BatchID == b.ID
}

// aboutAnother: the answer is not about this batch and its debit account, so it does not say whether our
// payouts are paid.
func (c echo) aboutAnother() bool { return c.ofAnother || c.unnamed }

// onlyUntold: only the number of the debit account differs, and the bank's list does not settle whose number it
// is.
func (c echo) onlyUntold() bool { return c.otherNumber != "" && !c.ofAnother && len(c.differs) == 1 }

// number returns what the answer says of the number of the debit account, for Step.OtherNumber: the number if
// it is not the configured one, "" if it is (a number shown earlier may be configured by now), nil if it says
// nothing. Only answers to initiate and submit promise a number (interface.md, "Payout batch").
func (c echo) number(b ledger.Batch) *string {
	switch {
	case c.otherNumber != "":
		return &c.otherNumber
	case c.unnumbered == "" || ledger.MayBeAccount(c.unnumbered, b.OtherNumber):
		return new("")
	}
	return nil
}

// notConfigured says that the debit account has another number than the configured one.
func notConfigured(shown, configured string) string {
	shown, configured = ledger.MaskShown(shown), ledger.Mask(configured)
	if shown == configured {
		return "debit account has another number than is configured, which also ends in " + strings.TrimLeftFunc(shown, ledger.Masks)
	}
	return fmt.Sprintf("debit account has the number %s, not %s as configured", shown, configured)
}

// sameID ignores case in UUIDs. The interface does not say whether other ids ignore it, so they must be equal.
func sameID(a, b string) bool {
	const uuid = len("00000000-0000-0000-0000-000000000000")
	return a == b || len(a) == uuid && strings.Count(a, "-") == 4 && strings.EqualFold(a, b)
}

// payout compares amount, account and branch of one payout, and on a RIB account also the beneficiary id. A
// value that one side lacks is not compared, but a missing amount is noted. It returns what differs, in words.
func (c *echo) payout(rules ledger.Rules, at *ledger.Attempt, o ledger.Observation) (differs []string) {
	if unread := o.Unread & at.Compared(); unread != 0 {
		c.unread = append(c.unread, fmt.Sprintf("%q shows what cannot be read: %s", at.WireRef, unread))
	}
	switch {
	case o.Unread&ledger.FieldAmount != 0:
	case !o.HasAmount:
		c.amountsAbsent = append(c.amountsAbsent, at.WireRef)
	case o.Amount != at.Amount:
		differs = append(differs, fmt.Sprintf("%q is %s, not %s", at.WireRef, o.Amount, at.Amount))
	}
	if at.BankAccountNumber != "" && !mayBe(at.BankAccountNumber, o.BankAccountNumber) {
		differs = append(differs, fmt.Sprintf("%q pays account %s, not %s", at.WireRef, ledger.Mask(o.BankAccountNumber), ledger.Mask(at.BankAccountNumber)))
	}
	if at.IFSC != "" && o.IFSC != "" && !strings.EqualFold(o.IFSC, at.IFSC) {
		differs = append(differs, fmt.Sprintf("%q pays at %q, not %s", at.WireRef, c.hide(o.IFSC), at.IFSC))
	}
	if rules.NeedsBeneficiaryID && o.OpenBeneficiaryID != "" && !strings.EqualFold(o.OpenBeneficiaryID, at.OpenBeneficiaryID) {
		differs = append(differs, fmt.Sprintf("%q pays beneficiary %q, not %s", at.WireRef, c.hide(o.OpenBeneficiaryID), at.OpenBeneficiaryID))
	}
	return differs
}

// mayBe reports whether the account that the bank shows may be the one that was sent. The visible part of a
// masked account must agree; fewer than four characters prove nothing.
func mayBe(sent, said string) bool {
	visible := strings.TrimLeftFunc(said, ledger.Masks)
	switch {
	case sent == said, len(visible) < 4 && visible != said, said == "":
		return true
	}
	return visible != said && strings.HasSuffix(sent, visible)
}

// unmoved adds to differs every payout that is beyond request_initiated: no payout may move before a submit.
func (c *echo) unmoved(attempts []ledger.Attempt) {
	for i := range attempts {
		o, ok := c.seen[attempts[i].WireRef]
		if ok && o.Status != ledger.StatusRequestInitiated {
			c.differs = append(c.differs, fmt.Sprintf("%q is %q before any submit", o.WireRef, o.Status))
		}
	}
}

// first returns the first shown payout, in the order of references, for which is returns true.
func (c echo) first(is func(ledger.Observation) bool) (o ledger.Observation, ok bool) {
	for _, ref := range slices.Sorted(maps.Keys(c.seen)) {
		if is(c.seen[ref]) {
			return c.seen[ref], true
		}
	}
	return o, false
}

// moving reports whether the bank acted on a submit, for any payout.
func (c echo) moving() bool {
	_, is := c.first(ledger.Observation.Moving)
	return is
}

// unlisted returns a shown status that the interface does not list, if there is one; else "" for a payout without one.
func (c echo) unlisted() (status string, ok bool) {
	o, ok := c.first(func(o ledger.Observation) bool { return !ledger.Listed(o.Status) })
	if !ok {
		o, ok = c.first(func(o ledger.Observation) bool { return o.Status == "" })
	}
	return o.Status, ok
}

// observed judges every payout that the answer shows, for the ledger. A payout with another amount, account or
// beneficiary than planned is disputed. The dispute ends only with a complete read that shows the plan.
func (c echo) observed(attempts []ledger.Attempt) []ledger.Observed {
	var list []ledger.Observed
	for _, at := range attempts {
		if o, ok := c.seen[at.WireRef]; ok {
			judge := ledger.Judge
			unlike := c.unlike[at.WireRef]
			if !c.whole() || len(unlike) > 0 {
				judge = ledger.JudgePart
			}
			v := judge(at, o)
			givenUp := at.State == ledger.PayoutCancelled && o.Status == ledger.StatusRequestInitiated
			if len(unlike) > 0 && v.State != ledger.PayoutDisputed && at.Resolved == ledger.ResolutionNone && !givenUp {
				v = another(unlike)
			}
			list = append(list, ledger.Observed{PayoutID: at.ID, Number: at.Number, Observation: o, Verdict: v})
		}
	}
	return list
}

// echoed judges the echo of a batch that was just held: each planned payout becomes request_initiated first.
func (c echo) echoed(attempts []ledger.Attempt) []ledger.Observed {
	held := slices.Clone(attempts)
	for i := range held {
		if held[i].State == ledger.PayoutPlanned { // a dispute stays one
			held[i].State = ledger.PayoutRequestInitiated
		}
	}
	return c.observed(held)
}

// another is the verdict on a payout that the bank shows differently from the plan.
func another(unlike []string) ledger.Verdict {
	return ledger.Verdict{State: ledger.PayoutDisputed, Dispute: ledger.DisputeAmount, Reason: "the bank acts on something else than was planned: " + some(unlike)}
}

// asPlanned judges the payouts of a quarantined batch that moves at the bank. A payout equal to the plan is
// judged like one that was held; one that differs is disputed.
func (c echo) asPlanned(attempts []ledger.Attempt) []ledger.Observed {
	list := c.echoed(attempts)
	for i := range list {
		if unlike := c.unlike[list[i].WireRef]; len(unlike) > 0 {
			list[i].Verdict = another(unlike)
		}
	}
	return list
}

// paidAfterAll judges an answer under another debit account, or under none. It returns only payouts that could
// be retried and that the answer shows moving: they may be paid from that account.
func (c echo) paidAfterAll(attempts []ledger.Attempt) []ledger.Observed {
	return slices.DeleteFunc(c.observed(slices.DeleteFunc(slices.Clone(attempts), func(a ledger.Attempt) bool { return !a.State.Retryable() })),
		func(o ledger.Observed) bool { return o.Verdict.State != ledger.PayoutDisputed })
}

// allUnlike is asPlanned of an answer about another batch or debit account: every payout counts as different,
// except those that people already closed as paid.
func (c echo) allUnlike(attempts []ledger.Attempt) []ledger.Observed {
	for _, a := range attempts {
		switch {
		case a.Resolved == ledger.ResolutionPaid:
			c.unlike[a.WireRef] = nil
		case len(c.unlike[a.WireRef]) == 0:
			c.unlike[a.WireRef] = c.differs
		}
	}
	return c.asPlanned(attempts)
}
