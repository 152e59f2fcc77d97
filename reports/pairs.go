package reports

import (
	"fmt"
	"strings"

	"payrun/ledger"
	"payrun/reports/xlsx"
)

// verdict is the result of comparing two sources. It is green only if everything was compared and agrees.
type verdict string

const (
	tiesOut     verdict = "ties_out"
	stillOpen   verdict = "open" // the final payouts agree; some are not final
	differs     verdict = "differs"
	notCompared verdict = "not_compared"
)

// look returns the style of the verdict on the page and in the workbook.
func (v verdict) look() (class string, style xlsx.Style) {
	switch v {
	case tiesOut:
		return "good", xlsx.StyleGood
	case differs:
		return "bad", xlsx.StyleBad
	}
	return "amber", xlsx.StyleAmber
}

// Class returns the class of the verdict in the page's style sheet.
func (p Pair) Class() string {
	class, _ := p.Verdict.look()
	return class
}

// Pair is two sources and whether they agree (contract.md, "Reports": each of the three pairs by itself).
type Pair struct {
	Name    string  `json:"pair"`
	Verdict verdict `json:"verdict"`
	Words   string  `json:"words"`
}

// line is the pair in the words of page and workbook.
func (p Pair) line() string { return p.Name + ": " + p.Words }

func (t *totals) pairs(s *Snapshot) []Pair {
	return []Pair{t.sheetAndLedger(s), t.ledgerAndInterface(), t.interfaceAndStatement(s)}
}

func (t *totals) sheetAndLedger(s *Snapshot) Pair {
	p := Pair{Name: "Sheet and ledger", Verdict: differs}
	tied, in := t.ties(s), s.cameIn()
	rows, left, corrects := in.rows, in.left, in.corrected
	sign, change := "+", tied.Corrected.Total
	if change < 0 {
		sign, change = "−", -change
	}
	switch {
	case tied.TiesOut && len(s.sheets) == 0:
		p.Verdict, p.Words = notCompared, "no sheet is loaded."
	case tied.TiesOut && corrects.Count+tied.Corrected.Count > 0:
		p.Verdict, p.Words = tiesOut, fmt.Sprintf("ties out to the paisa: %s = %s accepted + %s corrected + %s left out; %s = %s + %s + %s. Corrections changed %s: %s %s %s = %s in the ledger.",
			ledger.Counted(rows.Count, "row", "rows"), ledger.Grouped(tied.Accepted.Count), ledger.Grouped(corrects.Count), ledger.Grouped(left.Count),
			rows.Total.Rupees(), tied.Accepted.Total.Rupees(), corrects.Total.Rupees(), left.Total.Rupees(),
			ledger.CountedPayouts(tied.Corrected.Count),
			tied.Accepted.Total.Rupees(), sign, change.Rupees(), tied.ByStateSum.Total.Rupees())
	case tied.TiesOut && left.Count == 0:
		p.Verdict, p.Words = tiesOut, fmt.Sprintf("ties out to the paisa: %s, %s, and each is in the ledger.",
			ledger.Counted(rows.Count, "row", "rows"), rows.Total.Rupees())
	case tied.TiesOut:
		p.Verdict, p.Words = tiesOut, fmt.Sprintf("ties out to the paisa: %s = %s accepted + %s left out; %s = %s + %s.",
			ledger.Counted(rows.Count, "row", "rows"), ledger.Grouped(tied.Accepted.Count), ledger.Grouped(left.Count),
			rows.Total.Rupees(), tied.Accepted.Total.Rupees(), left.Total.Rupees())
	case tied.Difference == 0 && tied.CountDifference == 0:
		p.Words = "does not tie out: the totals agree, but the rows of at least one sheet do not. Run: payrun ledger verify."
	default:
		p.Words = fmt.Sprintf("does not tie out: accepted %s (%s), corrected by %s, in the ledger %s (%s), difference %s. Run: payrun ledger verify.",
			tied.Accepted.Total.Rupees(), ledger.CountedPayouts(tied.Accepted.Count), tied.Corrected.Total.Rupees(),
			tied.ByStateSum.Total.Rupees(), ledger.CountedPayouts(tied.ByStateSum.Count), tied.Difference.Rupees())
	}
	return p
}

// ledgerAndInterface compares what was sent with what the bank reported last.
func (t *totals) ledgerAndInterface() Pair {
	p := Pair{Name: "Ledger and interface", Verdict: tiesOut}
	var parts []string
	part := func(n ledger.Tally, words string) {
		if n.Count > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s) %s", ledger.CountedPayouts(n.Count), n.Total.Rupees(), words))
		}
	}
	ended := t.states[ledger.PayoutSuccess].all.Plus(t.states[ledger.PayoutFailed].all).Plus(t.states[ledger.PayoutReturned].all)
	sent := t.all.Count - t.states[ledger.PayoutPlanned].all.Count - t.states[ledger.PayoutCancelled].all.Count
	part(t.differ, "with a contradiction, or without an answer")
	part(t.by[open], "not ended yet")
	part(ended, "whose last status at the bank is final, and agrees")
	switch {
	case t.differ.Count > 0:
		p.Verdict, parts = differs, append([]string{"does not tie out"}, parts...)
	case sent == 0:
		p.Verdict, parts = notCompared, []string{"nothing was sent to the bank"}
	case t.by[open].Count > 0:
		p.Verdict = stillOpen
	default:
		parts = append([]string{"ties out to the paisa"}, parts...)
	}
	p.Words = strings.Join(parts, "; ") + "."
	return p
}

// bridge explains the difference between the total of the batches and that of the payouts; "" if there is none.
func (t *totals) bridge() string {
	if t.superseded.Count == 0 {
		return ""
	}
	batches := t.all.Plus(t.superseded)
	return fmt.Sprintf("The batches add up to %s (%s); less %s in %s of the same payouts; that is %s (%s).",
		batches.Total.Rupees(), ledger.Counted(batches.Count, "attempt", "attempts"),
		t.superseded.Total.Rupees(), ledger.Counted(t.superseded.Count, "other attempt", "other attempts"),
		t.all.Total.Rupees(), ledger.CountedPayouts(t.all.Count))
}
