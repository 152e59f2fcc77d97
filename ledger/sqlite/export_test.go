package sqlite

import (
	"testing"
	"time"

	"payrun/ledger"
)

// counting is an export that counts what it is given, by table.
func counting(n map[string]int) ledger.Export {
	return ledger.Export{
		Ledger:      func(string, time.Time) error { n["ledger"]++; return nil },
		Sheet:       func(ledger.Sheet, *ledger.ReadOptions) error { n["sheets"]++; return nil },
		SheetPart:   func(string, int, []byte) error { n["parts"]++; return nil },
		Batch:       func(ledger.Batch) error { n["batches"]++; return nil },
		Attempt:     func(a ledger.Attempt) error { n["attempts"]++; return nil },
		Observation: func(ledger.NewObservation) error { n["observations"]++; return nil },
		Intent:      func(ledger.RecordedIntent) error { n["intents"]++; return nil },
		StatusCheck: func(ledger.RecordedLook) error { n["looks"]++; return nil },
		Approval:    func(ledger.Approval) error { n["approvals"]++; return nil },
		Release:     func(ledger.ReleaseApproval) error { n["proposals"]++; return nil },
		Origin:      func(int64, ledger.RowOrigin) error { n["origins"]++; return nil },
		Correction:  func(ledger.RecordedCorrection) error { n["corrections"]++; return nil },
		Statement:   func(ledger.KeptStatement) error { n["statement_readings"]++; return nil },
		Line:        func(ledger.KeptLine) error { n["statement_lines"]++; return nil },
		Decision:    func(ledger.StatementDecision) error { n["statement_words"]++; return nil },
		BankLists:   func(ledger.BankLists) error { n["bank_lists"]++; return nil },
		Event:       func(ledger.Event) error { n["events"]++; return nil },
	}
}

func TestAnExportLeavesNoRowOut(t *testing.T) {
	s := tellAll(t).Store
	n := map[string]int{}
	head, err := s.Export(t.Context(), counting(n))
	if err != nil || head != auditHeadOf(t, s) {
		t.Errorf("%+v, %v", head, err)
	}
	const attempts = `(SELECT 1 FROM attempts UNION ALL SELECT 1 FROM batches b, json_each(b.members) WHERE b.made = 0)`
	n[attempts] = n["attempts"] // made, or planned with their batch
	const approvals = `(SELECT 1 FROM events WHERE kind = 'approved')`
	n[approvals] = n["approvals"]
	for _, table := range []string{"ledger", "sheets", "batches", attempts, "observations", "intents", "looks", approvals, "proposals", "corrections", "statement_readings", "statement_lines", "statement_words", "bank_lists", "events"} {
		var rows int
		if err := s.read.QueryRow(`SELECT count(*) FROM ` + table).Scan(&rows); err != nil || rows == 0 {
			t.Fatalf("%s: %d rows, %v", table, rows, err)
		}
		if n[table] != rows {
			t.Errorf("%s: %d of %d", table, n[table], rows)
		}
	}
}
