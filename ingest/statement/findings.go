package statement

import (
	"fmt"

	"payrun/ingest"
	"payrun/ledger"
)

// mostFindings bounds what is said of one file: the first ones tell.
const mostFindings = 50

// refusal is an error that carries what is wrong with the file.
type refusal []ledger.Finding

func (r refusal) Error() string { return r[0].Message }

// refuse makes the refusal of one finding. Row is 0 for the file as a whole.
func refuse(code string, row int, format string, args ...any) error {
	return refusal{finding(code, row, format, args...)}
}

// finding makes a Finding with the fix that the table of codes has for it.
func finding(code string, row int, format string, args ...any) ledger.Finding {
	e, _ := ingest.Explained(code)
	return ledger.Finding{Row: row, Code: code, Severity: e.Severity, Message: fmt.Sprintf(format, args...), Fix: e.Fix, Option: e.Option}
}

// defectFixes are for what would otherwise speak of payouts.
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

// ofDefect gives what ingest refuses as a finding.
func ofDefect(d *ingest.Defect) ledger.Finding {
	f := ledger.Finding{
		Row: d.Row, Code: d.Code, Severity: ledger.SeverityError, Value: d.Value, Message: d.Message, Fix: d.Fix, Option: d.Option,
	}
	if d.Column != "" {
		f.Cell = fmt.Sprintf("%s%d", d.Column, d.Row)
	}
	if other, ok := defectFixes[d.Code]; ok {
		f.Fix, f.Option = other.fix, other.option
	}
	return f
}
