package reports

import (
	"strings"

	"payrun/ledger"
	"payrun/ledger/reconcile"
)

// statements returns what matching the bank's statements found about the accounts. It returns nil if these
// files are not about the whole ledger, because balances are about all sheets, or if no statement is on record.
func (s *Snapshot) statements() *reconcile.Result {
	if !s.Scope.IsAll() {
		return nil
	}
	return s.Statements
}

// onStatement is what the statements say about the payouts of these files.
type onStatement struct {
	reconcile.Ties       // without Unexplained
	last           int64 // the payout that was added to Due last
	accounts       map[string]bool
}

// matchedBy returns why a debit is the attempt's, and counts what the statements should show.
func (t *totals) matchedBy(s *Snapshot, a *ledger.Attempt) string {
	if s.Statements == nil {
		return ""
	}
	found := s.Statements.Found[a.Key()]
	if a.State == ledger.PayoutSuccess || a.State == ledger.PayoutReturned {
		if t.statements.Due.Add(a.Amount); t.statements.last == a.ID {
			t.statements.Again++
		}
		t.statements.last = a.ID
		t.statements.accounts[a.BankAccountID] = true
	}
	if found.Ties {
		t.statements.On.Add(a.Amount)
	}
	return string(found.By)
}

// shown keeps the details of an attempt for its line, if the statements contradict it.
func (g *gathered) shown(s *Snapshot, a *ledger.Attempt) {
	if _, wanted := g.unlike[a.Key()]; wanted {
		g.unlike[a.Key()] = exceptionLine{Ref: a.Ref, Row: a.Row, Sheet: s.sheetNames[a.SheetID], SheetID: a.SheetID, State: string(a.State), VendorName: a.VendorName}
	}
}

// unlikeStatements lists the differences between statements and payouts. They may list a payout a second time:
// once for the bank's status, once for its statement.
func (g *gathered) unlikeStatements(s *Snapshot) {
	r := s.Statements
	if r == nil {
		return
	}
	for _, e := range r.Exceptions {
		line := g.unlike[e.Of]
		if !s.Scope.IsAll() && line.Ref == "" {
			continue // not about a payout of these files
		}
		g.statements.Count(e.Kind)
		line.bucket = open
		if e.Kind.NeedsPerson() {
			line.bucket = inDoubt
		}
		line.Kind, line.BatchID, line.Amount, line.Reason = e.Kind, Clean(e.BatchID), e.Amount, Clean(e.Detail)
		line.Fix = e.Kind.Row().Do
		line.count, line.Since = 1, ledger.Instant(e.Since)
		if e.Of.PayoutID == 0 {
			line.Sheet = s.account(e.BankAccountID)
		}
		line.bank = s.batch(e.BatchID).PartnerBankID
		g.exception(line)
	}
}

// unexplainedBalances returns the sum of the breaks in the balances of the accounts in these files.
func (t *totals) unexplainedBalances(s *Snapshot) (sum ledger.Paise) {
	for _, a := range s.Statements.Accounts {
		if s.Scope.IsAll() || t.statements.accounts[a.BankAccountID] {
			sum = sum.PlusCapped(a.Unexplained)
		}
	}
	return sum
}

// interfaceAndStatement compares what the bank reported with what it booked.
func (t *totals) interfaceAndStatement(s *Snapshot) Pair {
	p := Pair{Name: "Interface and statement", Verdict: notCompared}
	r := s.Statements
	switch {
	case r == nil:
		p.Words = "not compared: these files rest on what the bank reported for each payout, not on what it booked."
		return p
	case !r.Compared:
		p.Words = "not compared: the bank gave no statement of the days in question."
		return p
	}
	ties := t.statements.Ties
	ties.Unexplained = t.unexplainedBalances(s)
	p.Words = ties.Words() + "."
	switch {
	case ties.Differs():
		p.Verdict = differs
	case !ties.Out():
		p.Verdict = stillOpen
	case ties.Due.Count > 0:
		p.Verdict = tiesOut
	}
	return p
}

// unlikeOn counts the differences between an account's statements and its payouts that need a person.
func (s *Snapshot) unlikeOn(a reconcile.Account) int {
	return len(ledger.Where(s.Statements.Exceptions, func(e reconcile.Exception) bool {
		return e.BankAccountID == a.BankAccountID && e.Kind.NeedsPerson()
	}))
}

func requestWords(a reconcile.Account) string { return Clean(strings.Join(a.RequestIDs, ", ")) }
