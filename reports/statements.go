package reports

import (
	"fmt"

	"payrun/ledger"
	"payrun/ledger/threeway"
	"payrun/reports/xlsx"
)

// statements is what matching the bank's statements found, where these files are
// about the whole ledger; nil where they are not, or no statement is on record: the
// balances of an account are of all sheets.
func (s *Snapshot) statements() *threeway.Result {
	if !s.Scope.IsAll() {
		return nil
	}
	return s.Statements
}

// shown keeps what a line about an attempt says, where the statements do not agree
// about it.
func (g *gathered) shown(s *Snapshot, a ledger.Attempt) {
	if _, wanted := g.unlike[a.Key()]; wanted {
		g.unlike[a.Key()] = exceptionLine{Ref: a.Ref, Row: rowNumber(a.Row), Sheet: s.sheetNames[a.SheetID], SheetID: a.SheetID, State: string(a.State), VendorName: a.VendorName}
	}
}

// unlikeStatements names what statements and payouts do not tell alike. A payout
// may be named a second time by it: once for what the bank's status says, once for
// what its books do.
func (g *gathered) unlikeStatements(s *Snapshot) error {
	r := s.statements()
	if r == nil {
		return nil
	}
	for _, e := range r.Exceptions {
		line := g.unlike[e.Of]
		line.Kind, line.BatchID, line.Amount, line.Reason = e.Kind, Clean(e.BatchID), e.Amount, Clean(e.Detail)
		if row, ok := e.Kind.Row(); ok {
			line.Fix = row.Do
		}
		line.bucket, line.count, line.since = inDoubt, 1, ledger.Instant(e.Since)
		if !e.Kind.NeedsPerson() {
			line.bucket = open
		}
		if e.Of.PayoutID == 0 {
			line.Sheet = s.account(e.BankAccountID)
		}
		g.lines++
		if err := g.exception(line, s.batch(e.BatchID)); err != nil {
			return err
		}
	}
	return nil
}

// interfaceAndStatement holds what the bank reported against what it booked.
func (t *totals) interfaceAndStatement(s *Snapshot) pair {
	p := pair{Name: "Interface and statement", Verdict: notCompared}
	r := s.statements()
	switch {
	case r == nil && s.Scope.IsAll():
		p.Words = "not compared: these files rest on what the bank reported for each payout, not on what it booked."
		return p
	case r == nil:
		p.Words = "not compared: the balances of a statement are of all sheets, and these files are of some."
		return p
	case !r.Compared:
		p.Words = "not compared: the bank gave no statement of the days in question."
		return p
	}
	var sent ledger.Tally
	for _, a := range r.Accounts {
		sent.Count, sent.Total = sent.Count+a.Sent.Count, sent.Total+a.Sent.Total
	}
	unlike, later := 0, 0
	for _, e := range r.Exceptions {
		if e.Kind.NeedsPerson() {
			unlike++
		} else {
			later++
		}
	}
	matched := fmt.Sprintf("%s of %s, %s of %s, are on the bank's statement", ledger.Grouped(r.Matched.Count), ledger.Counted(sent.Count, "payout", "payouts"),
		r.Matched.Total.Rupees(), sent.Total.Rupees())
	switch {
	case unlike > 0 || r.Unexplained != 0:
		p.Verdict = differs
		p.Words = fmt.Sprintf("does not tie out: %s; %s, and %s of the balances unexplained.", matched, ledger.Counted(unlike, "line differs", "lines differ"), r.Unexplained.Rupees())
	case later > 0:
		p.Verdict = stillOpen
		p.Words = matched + "; the others may still come, or no statement covers their days."
	case sent.Count == 0:
		p.Words = "not compared: nothing was paid."
	default:
		p.Verdict, p.Words = tiesOut, "ties out to the paisa: "+matched+"."
	}
	return p
}

func threeWayTab() tableLayout {
	return tableLayout{name: "Three-way match", empty: "No statement is on record: payrun reconcile fetches them, payrun statement import takes files.", fixed: 1, columns: []column{
		{head: "Debit account", width: 26},
		{head: "Paid", width: 10, sum: xlsx.StyleCount},
		{head: "Paid (INR)", width: 19, sum: xlsx.StyleMoney},
		{head: "On the statement", width: 12, sum: xlsx.StyleCount},
		{head: "On the statement (INR)", width: 19, sum: xlsx.StyleMoney},
		{head: "By UTR", width: 10, sum: xlsx.StyleCount},
		{head: "By reference", width: 10, sum: xlsx.StyleCount},
		{head: "By amount and day", width: 10, sum: xlsx.StyleCount},
		{head: "By its batch's total", width: 10, sum: xlsx.StyleCount},
		{head: "Lines that differ", width: 12, sum: xlsx.StyleCount},
		{head: "Others' entries", width: 12, sum: xlsx.StyleCount},
		{head: "Unexplained (INR)", width: 19, sum: xlsx.StyleMoney},
		{head: "Newest entry", width: 14},
		{head: "Requests without entries", width: 40},
	}}
}

func (s *Snapshot) threeWayRows(t *table) error {
	r := s.statements()
	if r == nil {
		return nil
	}
	unlike := map[string]int{}
	for _, e := range r.Exceptions {
		if e.Kind.NeedsPerson() {
			unlike[e.BankAccountID]++
		}
	}
	for _, a := range r.Accounts {
		requests := ""
		for i, id := range a.RequestIDs {
			if i > 0 {
				requests += ", "
			}
			requests += Clean(id)
		}
		err := t.add(xlsx.Text(s.account(a.BankAccountID)), xlsx.Count(a.Sent.Count), xlsx.Money(a.Sent.Total), xlsx.Count(a.Matched.Count), xlsx.Money(a.Matched.Total),
			xlsx.Count(a.By[threeway.ByUTR]), xlsx.Count(a.By[threeway.ByReference]), xlsx.Count(a.By[threeway.ByAmount]), xlsx.Count(a.By[threeway.ByBatch]),
			xlsx.Count(unlike[a.BankAccountID]), xlsx.Count(a.Others.Count), xlsx.Money(a.Unexplained), xlsx.Text(a.Newest), xlsx.Text(requests))
		if err != nil {
			return err
		}
	}
	return nil
}
