package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

const refusalsPath = "../../../samples/why-refused.md"

// samples/why-refused.md has what `payrun explain` says of each finding; -update writes it.
func TestTheDocumentSaysWhySheetsAreRefused(t *testing.T) {
	var page strings.Builder
	page.WriteString("# Why was it refused?\n\nEach finding of `payrun check`, `load` and `statement import`, as `payrun explain CODE` says it: why it matters and what to do.\n" +
		"An error refuses its row, or the sheet as a whole; a warning refuses only with `--strict`.\n" +
		"This page is made from the table that `payrun explain` reads: `go test ./cmd/payrun/cli -run WhySheetsAreRefused -update`.\n")
	for _, severity := range []ledger.Severity{ledger.SeverityError, ledger.SeverityWarning, ledger.SeverityInfo} {
		heading := false
		for _, e := range app.Explanations() {
			if e.Kind != app.KindFinding || e.Severity != severity {
				continue
			}
			if !heading {
				fmt.Fprintf(&page, "\n## %s\n", map[ledger.Severity]string{ledger.SeverityError: "Errors", ledger.SeverityWarning: "Warnings", ledger.SeverityInfo: "For information"}[severity])
				heading = true
			}
			fmt.Fprintf(&page, "\n### %s\n\n**%s.** %s", e.Code, strings.TrimSuffix(e.Title, "."), e.Why)
			if fix := e.Option.EndFix(e.Fix); fix != "" {
				fmt.Fprintf(&page, " %s", fix)
			}
			page.WriteString("\n")
			if e.Example != "" {
				fmt.Fprintf(&page, "\n    %s\n", strings.ReplaceAll(e.Example, "\n", "\n    "))
			}
		}
	}
	was, err := os.ReadFile(refusalsPath)
	if string(was) == page.String() {
		return
	}
	if !*update {
		t.Fatalf("%s is not as the table is (%v); go test ./cmd/payrun/cli -run WhySheetsAreRefused -update writes it", refusalsPath, err)
	}
	must(t, os.WriteFile(refusalsPath, []byte(page.String()), 0o644))
}
