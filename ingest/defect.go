package ingest

import (
	"fmt"

	"payrun/ingest/visible"
	"payrun/ledger"
)

// Defect is the finding that a sheet cannot be read. It refuses the whole file. Column has the letters of an XLSX
// column. In a pain.001, Cell is the line and Header the path of the element. Value is what the defect is about, such
// as rows or a tab, and never the content of a cell.
type Defect struct {
	ledger.Finding
	Tabs []string // as Sheet.Tabs returns them, if they are known
}

func (d *Defect) Error() string {
	if place := d.Place(); place != "" {
		return place + ": " + d.Message
	}
	return d.Message
}

// LineWords names a line of a text, as Finding.Cell has it.
func LineWords(line int) string { return fmt.Sprintf("line %d", line) }

// NewFinding returns a finding with the severity and the fix from the table of codes. Row is 0 for the file as a whole.
func NewFinding(code string, row int, format string, args ...any) ledger.Finding {
	e, _ := Explained(code)
	return ledger.Finding{Row: row, Code: code, Severity: e.Severity, Message: fmt.Sprintf(format, args...), Fix: e.Fix, Option: e.Option}
}

func defect(code string, row int, format string, args ...any) *Defect {
	return &Defect{Finding: NewFinding(code, row, format, args...)}
}

// at adds the column to a Defect.
func (d *Defect) at(column string) *Defect {
	d.Column = column
	return d
}

// value sets Value, cut to fit on one line.
func (d *Defect) value(s string) *Defect {
	d.Value = visible.Shorten(s)
	return d
}

// fixedBy replaces the fix and its option, where those of the table would mislead.
func (d *Defect) fixedBy(fix string, o ledger.Option) *Defect {
	d.Fix, d.Option = fix, o
	return d
}
