package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// Who says that a batch may be sent sees what a later sheet changed of its payouts.
func TestAReviewShowsWhatWasCorrected(t *testing.T) {
	var shown bytes.Buffer
	s := &session{program: newProgram(World{Stdout: &shown, Getenv: func(string) string { return "" }})}
	s.showOutgoing(app.Outgoing{Batches: make([]doc.PlannedBatch, 1), Accounts: make([]app.OutgoingAccount, 1),
		Corrected: []string{"INV-17: ifsc HDFC0001234 → ICIC0004321"}})
	if !strings.Contains(shown.String(), "Corrected: 1 payout\n  INV-17: ifsc HDFC0001234 → ICIC0004321\n") {
		t.Error(shown.String())
	}
}

// The next step that a story ends with is about the ledger of the story.
func TestTheNextStepOfAStoryNamesItsLedger(t *testing.T) {
	s := &session{program: newProgram(World{Getenv: func(string) string { return "" }, Stdout: io.Discard})}
	s.flags.ledger = "a.db"
	row := ledger.OTPWaiting.Row()
	if s.showAsked(row, ledger.Batch{ID: "pr1"}, ""); s.last != "Next: payrun submit pr1 --ledger a.db" {
		t.Error(s.last)
	}
}
