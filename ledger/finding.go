package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a finding refuses its row.
type Severity string

const (
	SeverityError   Severity = "error"   // the row, or with row 0 the file, is refused
	SeverityWarning Severity = "warning" // accepted, unless --strict
	SeverityInfo    Severity = "info"
)

// Order returns the place of the severity, the gravest first.
func (s Severity) Order() int {
	return slices.Index([]Severity{SeverityError, SeverityWarning, SeverityInfo}, s)
}

// Finding is one problem or note about a sheet. Row 0 with column "" means the file as a whole.
// Cell and Header name the place for people: E3, and the column's name in the sheet; they are
// "" if the finding is not about one cell. Value is the content of the cell, masked if it is an
// account number. Codes are stable and listed in one table, in package validate.
type Finding struct {
	Row      int      `json:"row"`
	Column   string   `json:"column"`
	Cell     string   `json:"cell"`
	Header   string   `json:"header"`
	Ref      string   `json:"ref"`
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Value    string   `json:"value"`
	Message  string   `json:"message"`
	Fix      string   `json:"fix"`
	Option   Option   `json:"option,omitzero"` // the option that the fix names
}

// Place returns the cell with its column's header, or the row with its column; "" for the sheet as a whole.
func (f Finding) Place() string {
	where, column := fmt.Sprintf("row %d", f.Row), f.Column
	switch {
	case f.Cell != "":
		where, column = f.Cell, f.Header
	case f.Row == 0:
		return ""
	}
	return strings.TrimSuffix(where+", "+column, ", ")
}

// FindingsAbout returns the findings about a row. all are the findings of a sheet, in the order of
// its rows; the last one may say how many are not listed.
func FindingsAbout(row int, all []Finding) []Finding {
	if n := len(all); n > 0 && all[n-1].Row == 0 {
		all = all[:n-1]
	}
	of := func(f Finding, row int) int { return cmp.Compare(f.Row, row) }
	first, _ := slices.BinarySearchFunc(all, row, of)
	behind, _ := slices.BinarySearchFunc(all, row+1, of)
	return all[first:max(first, behind)]
}

// OptionName names an option for reading a sheet. It does not depend on how a person sets it:
// as a flag of a command, or in a field of a page.
type OptionName string

const (
	OptionTab             OptionName = "sheet_name"       // of an XLSX
	OptionHiddenRows      OptionName = "hidden_rows"      // error, skip or include
	OptionEncoding        OptionName = "encoding"         // of a CSV
	OptionMap             OptionName = "map"              // COLUMN=HEADER
	OptionKeepColumns     OptionName = "keep_columns"     // true: the chosen columns are kept for the header; false: kept columns are ignored
	OptionRefPrefix       OptionName = "ref_prefix"       // put before every reference
	OptionAccount         OptionName = "account"          // the debit account of rows without one
	OptionNumericAccounts OptionName = "numeric_accounts" // account numbers in numeric cells
	OptionDayFirst        OptionName = "day_first"        // of the dates of a statement
	OptionCorrect         OptionName = "correct"          // each row corrects a payout that was certainly not paid
)

// Option is an option with its value, or with the values to choose from, separated by |. "" means
// any value.
type Option struct {
	Name  OptionName `json:"name"`
	Value string     `json:"value,omitempty"`
}
