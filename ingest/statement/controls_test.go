package statement_test

import (
	"strings"
	"testing"

	"payrun/ingest/statement"
)

// A row of several figures does not leave people to guess which of them disagrees.
func TestAFigureThatDisagreesIsNamed(t *testing.T) {
	for row, want := range map[string]string{
		"Dr Count,2,,,,":           "a count of debits of 2, and by the entries it is 1",
		"Cr Count,2,,,,":           "a count of credits of 2, and by the entries it is 1",
		"Closing Balance,1.00,,,,": "a closing balance of 1.00, and by the entries it is 949.50",
		",Total,,100.50,51.00,":    "credits of 51.00, and by the entries it is 50.00",
	} {
		f := read(t, plainTable+row+"\n", statement.Options{})
		if !f.Refused() || f.Findings[0].Code != statement.CodeChain || !strings.Contains(f.Findings[0].Message, want) {
			t.Errorf("%s: %+v", row, f.Findings)
		}
	}
}
