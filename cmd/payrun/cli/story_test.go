package cli

import (
	"slices"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// A document of a payout has a hundred lines of a statement, and how many more there
// are.
func TestADocumentHasAHundredLines(t *testing.T) {
	d := onStatement(&app.StatementView{Lines: make([]app.BookedLine, 103)})
	if len(d.Lines) != 100 || d.MoreLines != 3 {
		t.Errorf("%d lines and %d more", len(d.Lines), d.MoreLines)
	}
	if d = onStatement(&app.StatementView{}); d.Lines == nil || d.MoreLines != 0 {
		t.Error("without a line the list is not an empty one")
	}
}

// The story of a payout has when it was paid and when it came back, each once, and none of the bank's
// statuses on the way there.
func TestAStoryHasEachOutcomeOnce(t *testing.T) {
	s := &session{program: newProgram(System())}
	at := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	var said []ledger.NewObservation
	for i, of := range []struct{ status, code string }{
		{"request_initiated", ""}, {"pending", ""}, {"success", "COMPLETED"}, {"success", "COMPLETED"}, {"success", ledger.CodeReturned}, {"success", ledger.CodeReturned},
	} {
		said = append(said, ledger.NewObservation{At: at.Add(time.Duration(i) * time.Minute), Observation: ledger.Observation{Status: of.status, BankStatusCode: of.code}})
	}
	var got []string
	for _, m := range s.momentsOf([]ledger.Event{{At: at, Kind: "submit_intended"}, {At: at, Kind: "submit_accepted"}, {At: at.Add(time.Hour), Kind: "released"}}, said) {
		got = append(got, m.at.Format("15:04 ")+m.what)
	}
	if want := []string{"09:00 submitted", "09:02 paid", "09:04 came back", "10:00 released"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if open := s.momentsOf(nil, said[:2]); len(open) != 1 || open[0].status != "pending" {
		t.Errorf("while it is open: %+v", open)
	}
	s.term.Verbose = true
	if all := s.momentsOf(nil, said); len(all) != len(said) {
		t.Errorf("--verbose has %d of %d", len(all), len(said))
	}
}
