package sqlite

import (
	"bytes"
	"errors"
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
		Approval:    func(ledger.Approval) error { n["approvals"]++; return nil },
		Proposal:    func(ledger.Proposal) error { n["proposals"]++; return nil },
		Event:       func(ledger.Event) error { n["events"]++; return nil },
	}
}

func TestAnExportLeavesNoRowOut(t *testing.T) {
	st := tell(t)
	s := st.Store
	if err := errors.Join(s.Approve(t.Context(), approval("ravi", st.planned, hash("x"))), s.Propose(t.Context(), proposal("ravi", st.unknown, "submitted", "r"))); err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	head, err := s.Export(t.Context(), counting(n))
	if err != nil || head != auditHeadOf(t, s) {
		t.Errorf("%+v, %v", head, err)
	}
	n["every_attempt"] = n["attempts"] // made, or planned with their batch
	for _, table := range []string{"ledger", "sheets", "batches", "every_attempt", "observations", "intents", "approvals", "proposals", "events"} {
		var rows int
		if err := s.read.QueryRow(`SELECT count(*) FROM ` + table).Scan(&rows); err != nil || rows == 0 {
			t.Fatalf("%s: %d rows, %v", table, rows, err)
		}
		if n[table] != rows {
			t.Errorf("%s: %d of %d", table, n[table], rows)
		}
	}
}

func TestASheetsBytesAreExportedInParts(t *testing.T) {
	s := newStore(t)
	content := noise(3*exportPart + 17)
	if _, err := loadBytes(t, s, "nov", content, ledger.ReadOptions{HiddenRows: "error"}); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	parts, readings := 0, 0
	out := counting(map[string]int{})
	out.Sheet = func(_ ledger.Sheet, r *ledger.ReadOptions) error {
		if r != nil && r.HiddenRows == "error" {
			readings++
		}
		return nil
	}
	out.SheetPart = func(_ string, n int, b []byte) error {
		if parts++; n != parts {
			t.Errorf("part %d comes as number %d", n, parts)
		}
		got.Write(b)
		return nil
	}
	if _, err := s.Export(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	if parts != 4 || readings != 1 || !bytes.Equal(got.Bytes(), content) {
		t.Errorf("%d parts, %d readings, the bytes equal: %t", parts, readings, bytes.Equal(got.Bytes(), content))
	}
	out.SheetPart = nil
	if _, err := s.Export(t.Context(), out); err != nil {
		t.Errorf("without the bytes: %v", err)
	}
}

func TestAnExportThatWasOvertakenSaysSo(t *testing.T) {
	s := newStore(t)
	b := load(t, s, "nov", 4, 2)
	out := counting(map[string]int{})
	done := false
	out.Attempt = func(ledger.Attempt) error {
		if !done {
			done = true
			return s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: b[0].ID, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(1), Person: "x"})
		}
		return nil
	}
	if _, err := s.Export(t.Context(), out); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("the ledger moved on meanwhile: %v", err)
	}
	stop := errors.New("stop")
	out.Intent = func(ledger.RecordedIntent) error { return stop }
	out.Batch = func(ledger.Batch) error { return stop }
	if _, err := s.Export(t.Context(), out); !errors.Is(err, stop) {
		t.Errorf("a receiver that stops: %v", err)
	}
}
