package reports

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/threeway"
)

// What the statements show otherwise is an exception beside what the status says,
// and the third pair says so; files of some sheets do not speak of balances.
func TestStatementsAreTheThirdWitness(t *testing.T) {
	m := allPaid()
	paid := m.attempts[0]
	result := &threeway.Result{Compared: true, Matched: ledger.Tally{Count: 1, Total: 100}, Unexplained: 7_00,
		Exceptions: []threeway.Exception{
			{Kind: ledger.ReturnedInStatement, Of: paid.Key(), BatchID: paid.BatchID, BankAccountID: "acc", Amount: paid.Amount, Detail: "it came back", Since: time.Unix(1, 0)},
			{Kind: ledger.StatementNotAvailable, BankAccountID: "acc", Amount: 5, Detail: "=request", Since: time.Unix(1, 0)},
		},
		Accounts: []threeway.Account{{BankAccountID: "acc", Sent: ledger.Tally{Count: 2, Total: 200}, Matched: ledger.Tally{Count: 1, Total: 100}, RequestIDs: []string{"rq"}, Unexplained: 7_00}}}
	var d struct {
		Matched        ledger.Tally
		MatchedAgainst []string `json:"matched_against"`
		Unexplained    string
		Pairs          []pair
		Accounts       []bookedJSON
		Exceptions     []exceptionJSON
	}
	readAll := func(o Options) string {
		dir := writeAll(t, m, o)
		d.Accounts, d.Exceptions = nil, nil
		if err := json.Unmarshal(read(t, dir, JSONFile), &d); err != nil {
			t.Fatal(err)
		}
		return string(read(t, dir, exceptionsFile))
	}
	lines := readAll(Options{Statements: result})
	if d.Unexplained != "7.00" || d.Matched.Count != 1 || len(d.MatchedAgainst) != 3 || len(d.Accounts) != 1 || d.Accounts[0].RequestIDs[0] != "rq" {
		t.Errorf("%+v", d)
	}
	if d.Pairs[2].Verdict != differs || d.Pairs[0].Verdict != tiesOut {
		t.Errorf("%+v", d.Pairs)
	}
	first := d.Exceptions[0]
	if first.Kind != ledger.ReturnedInStatement || first.Ref != paid.Ref || first.Since == "" || first.Detail != "it came back" || first.Fix == "" {
		t.Errorf("%+v", first)
	}
	if !strings.Contains(lines, "statement_not_available,") || strings.Contains(lines, ",=request") {
		t.Errorf("exceptions.csv:\n%s", lines)
	}
	result.Unexplained, result.Exceptions = 0, result.Exceptions[1:]
	if readAll(Options{Statements: result}); d.Pairs[2].Verdict != stillOpen {
		t.Errorf("with a part that is not there: %+v", d.Pairs[2])
	}
	result.Exceptions = nil
	if readAll(Options{Statements: result}); d.Pairs[2].Verdict != tiesOut {
		t.Errorf("with all: %+v", d.Pairs[2])
	}
	if readAll(Options{Statements: result, Scope: Scope{SheetIDs: []string{paid.SheetID}}}); d.Pairs[2].Verdict != notCompared || len(d.Accounts) != 0 {
		t.Errorf("of one sheet: %+v", d.Pairs[2])
	}
	result.Compared = false
	if readAll(Options{Statements: result}); d.Pairs[2].Verdict != notCompared || d.Matched.Count == 1 {
		t.Errorf("without entries: %+v", d.Pairs[2])
	}
}
