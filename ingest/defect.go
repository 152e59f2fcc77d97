package ingest

import (
	"fmt"

	"payrun/ledger"
)

// Defect is a reason why a sheet cannot be read. It refuses the whole file; Row and Column say where the
// problem is. Codes are stable, see Codes.
type Defect struct {
	Row     int    // 0 for the file as a whole
	Column  string // letters of an XLSX column; "" where there is none
	Line    int    // of a pain.001; 0 where there is none
	Path    string // of the element in a pain.001; "" elsewhere
	Value   string // what the defect is about, such as rows or a tab; never the content of a cell
	Code    string
	Message string        // what is wrong, for the person who made the sheet
	Fix     string        // what that person does about it
	Option  ledger.Option // the option that the fix mentions
	Tabs    []string      // as Sheet.Tabs returns them, if they are known
}

func (d *Defect) Error() string {
	switch {
	case d.Line > 0 && d.Path != "":
		return fmt.Sprintf("line %d, %s: %s", d.Line, d.Path, d.Message)
	case d.Line > 0:
		return fmt.Sprintf("line %d: %s", d.Line, d.Message)
	case d.Row == 0:
		return d.Message
	}
	place := fmt.Sprintf("row %d", d.Row)
	if d.Column != "" {
		place += ", column " + d.Column
	}
	return place + ": " + d.Message
}

// defect makes a Defect with the fix from the table of codes.
func defect(code string, row int, format string, args ...any) *Defect {
	e, _ := Explained(code)
	return &Defect{Row: row, Code: code, Message: fmt.Sprintf(format, args...), Fix: e.Fix, Option: e.Option}
}

// at adds the column to a Defect.
func (d *Defect) at(column string) *Defect {
	d.Column = column
	return d
}

// value sets Value, cut to fit on one line.
func (d *Defect) value(s string) *Defect {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	d.Value = s
	return d
}

// fixedBy replaces the fix and its option, where those of the table would mislead.
func (d *Defect) fixedBy(fix string, o ledger.Option) *Defect {
	d.Fix, d.Option = fix, o
	return d
}
