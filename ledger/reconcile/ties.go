package reconcile

import (
	"fmt"
	"strings"

	"payrun/ledger"
)

// Ties says how interface and statement compare, for all payouts or some.
type Ties struct {
	Due, On            ledger.Tally // attempts that a statement has to show, and those about which both agree
	Again              int          // how many of Due are further attempts of the same payouts
	Differ             int          // exceptions that a person has to check
	Awaited, Uncovered int          // attempts that a statement may still show, and accounts without a statement of all days
	Unexplained        ledger.Paise // part of the account balances that is not explained, in paise
}

// Out reports whether interface and statement tie out: nothing differs and nothing is awaited.
func (t Ties) Out() bool {
	return t.Differ == 0 && t.Awaited == 0 && t.Uncovered == 0 && t.Unexplained == 0 && t.On.Count == t.Due.Count
}

// Differs reports whether there is a difference that does not end by waiting.
func (t Ties) Differs() bool { return t.Differ > 0 || t.Unexplained != 0 }

// Words returns the sentence that the terminal, the reports, the demo and the desk all use.
func (t Ties) Words() string {
	if t.Due.Count == 0 && !t.Differs() {
		return "no payout is due on the bank's statement"
	}
	due := ledger.Counted(t.Due.Count, "payout is", "payouts are")
	if t.Again > 0 {
		due = fmt.Sprintf("%s attempts to pay %s are", ledger.Grouped(t.Due.Count), ledger.CountedPayouts(t.Due.Count-t.Again))
	}
	words := []string{ledger.Grouped(t.On.Count) + " of " + due + " on the bank's statement"}
	if t.Awaited > 0 && t.Differ == 0 {
		words = append(words, ledger.Counted(t.Awaited, "awaits it", "await it"))
	}
	if n := t.Due.Count - t.On.Count - t.Awaited; n > 0 && t.Differ == 0 {
		words = append(words, "no statement covers "+ledger.Grouped(n))
	}
	if t.Differ > 0 {
		words = append(words, ledger.Counted(t.Differ, "line differs", "lines differ"))
	}
	if t.Unexplained != 0 {
		words = append(words, t.Unexplained.Rupees()+" of the balances is unexplained")
	}
	if t.Out() {
		words = append(words, "ties out to the paisa")
	}
	return strings.Join(words, "; ")
}

// Ties returns the comparison for all payouts.
func (r *Result) Ties() (t Ties) {
	t.Unexplained = r.Unexplained
	for _, a := range r.Accounts {
		t.Due, t.On, t.Again = t.Due.Plus(a.Sent), t.On.Plus(a.Matched), t.Again+a.Again
	}
	for _, e := range r.Exceptions {
		t.Count(e.Kind)
	}
	return t
}

// Count counts an exception.
func (t *Ties) Count(kind ledger.Attention) {
	switch {
	case kind.NeedsPerson():
		t.Differ++
	case kind == ledger.AwaitingStatement:
		t.Awaited++
	default:
		t.Uncovered++
	}
}
