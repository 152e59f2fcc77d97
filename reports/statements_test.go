package reports

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/reconcile"
)

// matchedWith holds the payouts of a ledger against a statement of its one account
// that shows the debits of these attempts by their UTRs, a month later.
func matchedWith(m *memory, shown ...int) *reconcile.Result {
	account, last := m.batches[0].BankAccountID, day.AddDate(0, 0, 30).Format(time.DateOnly)
	r := reconcile.NewReport(reconcile.Settings{Grace: time.Hour}, day.AddDate(0, 1, 0))
	r.Account(account, []ledger.KeptStatement{{No: 1, StatementRead: ledger.StatementRead{BankAccountID: account, Source: ledger.FromInterface, Shape: ledger.ShapeEntries,
		From: day.Format(time.DateOnly), To: last}}}, reconcile.Matching{}, last)
	for i, a := range m.attempts {
		s := reconcile.Shown{Attempt: reconcile.Attempt{AttemptKey: a.Key(), BankAccountID: account, Since: day, Amount: a.Amount, State: a.State, Batch: &reconcile.Batch{ID: a.BatchID, Count: 2},
			First: day.Format(time.DateOnly), Last: day.Format(time.DateOnly)}}
		if slices.Contains(shown, i) {
			l := ledger.StatementLine{Ref: ledger.EntryRef{Reading: 1, Line: i + 1}, Source: ledger.FromInterface, Day: s.First, Debit: true, Amount: a.Amount}
			s.Rows = []reconcile.Match{{Of: a.Key(), StatementMatch: ledger.StatementMatch{StatementLine: l, By: ledger.MatchedByUTR, Share: a.Amount}}}
		}
		r.Payouts([]reconcile.Shown{s})
	}
	return r.Result()
}

// read3 reads what one set of reports says of the third pair.
type read3 struct {
	Matched        ledger.Tally
	MatchedAgainst []string `json:"matched_against"`
	Unexplained    string
	Pairs          []Pair
	Accounts       []bookedJSON
	Exceptions     []exceptionLine

	lines, attempts string
}

func readThird(t *testing.T, m *memory, o Options) (d read3) {
	t.Helper()
	dir := writeAll(t, m, o)
	must(t, json.Unmarshal(read(t, dir, JSONFile), &d))
	d.lines, d.attempts = string(read(t, dir, exceptionsFile)), string(read(t, dir, attemptsFile))
	return d
}

// What the statements show otherwise is an exception next to what the status says,
// and the third pair says so.
func TestStatementsAreTheThirdWitness(t *testing.T) {
	m := allPaid()
	paid := m.attempts[0]
	result := matchedWith(m, 0, 1, 2)
	if len(result.Exceptions) != 0 {
		t.Fatalf("%+v", result.Exceptions)
	}
	d := readThird(t, m, Options{Statements: result})
	if d.Pairs[2].Verdict != tiesOut || strings.Count(d.attempts, ",utr\n") != 3 {
		t.Errorf("with all: %+v\n%s", d.Pairs[2], d.attempts)
	}

	account := paid.BankAccountID
	result.Unexplained, result.Accounts[0].Unexplained, result.Accounts[0].RequestIDs = 7_00, 7_00, []string{"rq"}
	result.Exceptions = []reconcile.Exception{
		{Kind: ledger.ReturnedInStatement, Of: paid.Key(), BatchID: paid.BatchID, BankAccountID: account, Amount: paid.Amount, Detail: "it came back", Since: time.Unix(1, 0)},
		{Kind: ledger.StatementNotAvailable, BankAccountID: account, Amount: 5, Detail: "=request", Since: time.Unix(1, 0)},
	}
	d = readThird(t, m, Options{Statements: result})
	if d.Unexplained != "7.00" || d.Matched.Count != 3 || len(d.MatchedAgainst) != 3 || len(d.Accounts) != 1 || d.Accounts[0].RequestIDs[0] != "rq" {
		t.Errorf("%+v", d)
	}
	if d.Pairs[2].Verdict != differs || d.Pairs[0].Verdict != tiesOut {
		t.Errorf("%+v", d.Pairs)
	}
	first := d.Exceptions[0]
	if first.Kind != ledger.ReturnedInStatement || first.Ref != paid.Ref || first.Since == "" || first.Reason != "it came back" || first.Fix == "" {
		t.Errorf("%+v", first)
	}
	if !strings.Contains(d.lines, "statement_not_available,") || strings.Contains(d.lines, ",=request") {
		t.Errorf("exceptions.csv:\n%s", d.lines)
	}
	result.Unexplained, result.Accounts[0].Unexplained, result.Exceptions = 0, 0, result.Exceptions[1:]
	if d = readThird(t, m, Options{Statements: result}); d.Pairs[2].Verdict != stillOpen {
		t.Errorf("with a part that is not there: %+v", d.Pairs[2])
	}
	result.Compared = false
	if d = readThird(t, m, Options{Statements: result}); d.Pairs[2].Verdict != notCompared || len(d.MatchedAgainst) != 2 {
		t.Errorf("without entries: %+v", d.Pairs[2])
	}
	if d = readThird(t, m, Options{}); d.Pairs[2].Verdict != notCompared || strings.Contains(d.attempts, "utr\n") {
		t.Errorf("without statements: %+v", d.Pairs[2])
	}
}

// Files of some sheets hold their own payouts against the statements, and no one
// else's. The balances of an account are of all sheets.
func TestStatementsOfSomeSheets(t *testing.T) {
	m := allPaid()
	december := m.sheet("dec.csv")
	b := m.batch(december, 12, ledger.BatchSettled)
	m.payout(b, 5_00, ledger.PayoutSuccess)
	m.payout(b, 7_00, ledger.PayoutSuccess)
	november, missing := Scope{SheetIDs: []string{m.sheets[0].ID}}, m.attempts[4]
	result := matchedWith(m, 0, 1, 2, 3) // the last is not on the statement

	d := readThird(t, m, Options{Statements: result})
	if d.Pairs[2].Verdict != differs || !strings.Contains(d.Pairs[2].Words, "4 of 5 payouts") {
		t.Errorf("of all: %+v", d.Pairs[2])
	}
	d = readThird(t, m, Options{Statements: result, Scope: november})
	if d.Pairs[2].Verdict != tiesOut || !strings.Contains(d.Pairs[2].Words, "3 of 3 payouts") || len(d.Exceptions) != 0 || len(d.Accounts) != 0 || d.Matched.Count != 3 || len(d.MatchedAgainst) != 3 || strings.Count(d.attempts, ",utr\n") != 3 {
		t.Errorf("of the sheet that is on it: %+v %+v", d.Pairs[2], d.Exceptions)
	}
	d = readThird(t, m, Options{Statements: result, Scope: Scope{SheetIDs: []string{december.ID}}})
	if d.Pairs[2].Verdict != differs || !strings.Contains(d.Pairs[2].Words, "1 of 2 payouts") || len(d.Exceptions) != 1 ||
		d.Exceptions[0].Kind != ledger.MissingInStatement || d.Exceptions[0].Ref != missing.Ref {
		t.Errorf("of the other: %+v %+v", d.Pairs[2], d.Exceptions)
	}
	result.Accounts[0].Unexplained = 1
	if d = readThird(t, m, Options{Statements: result, Scope: november}); d.Pairs[2].Verdict != differs || !strings.Contains(d.Pairs[2].Words, "₹0.01 of the balances is unexplained") {
		t.Errorf("of an account with a break: %+v", d.Pairs[2])
	}
}
