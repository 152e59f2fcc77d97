package statement

import (
	"fmt"

	"payrun/ingest"
	"payrun/ledger"
)

// mostFindings is the limit of findings for one file.
const mostFindings = 50

// refusal is an error that carries findings.
type refusal []ledger.Finding

func (r refusal) Error() string { return r[0].Message }

// refuse returns a refusal with one finding. Row is 0 for the file as a whole.
func refuse(code string, row int, format string, args ...any) error {
	return refusal{ingest.NewFinding(code, row, format, args...)}
}

// defectFixes replace fixes that would mention payouts.
var defectFixes = map[string]struct {
	fix    string
	option ledger.Option
}{
	ingest.CodeNotRegular:   {"Give the path of the statement itself.", noOption},
	ingest.CodeFileEmpty:    {fixAgain, noOption},
	ingest.CodeFileTooLarge: {"Get the statement for fewer days.", noOption},
	ingest.CodeFileChanged:  {"Wait until the program that writes the file is done, and try again.", noOption},
	ingest.CodeTooManyRows:  {"Get the statement for fewer days.", noOption},
	ingest.CodeTooMuch:      {fixAgain, noOption},
	ingest.CodeTabNone:      {fixHeader, mapBalance},
}

// ofDefect returns a Defect of ingest as a finding.
func ofDefect(d *ingest.Defect) ledger.Finding {
	f := d.Finding
	if d.Column != "" {
		f.Cell, f.Column = fmt.Sprintf("%s%d", d.Column, d.Row), ""
	}
	if other, ok := defectFixes[d.Code]; ok {
		f.Fix, f.Option = other.fix, other.option
	}
	return f
}
