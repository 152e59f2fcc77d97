package cli

import (
	"testing"

	"payrun/cmd/payrun/app"
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
