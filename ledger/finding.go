package ledger

import "slices"

// Severity says what a finding does to its row.
type Severity string

const (
	SeverityError   Severity = "error"   // the row, or with row 0 the file, is refused
	SeverityWarning Severity = "warning" // accepted, unless --strict
	SeverityInfo    Severity = "info"
)

// Order puts the graver first.
func (s Severity) Order() int {
	return slices.Index([]Severity{SeverityError, SeverityWarning, SeverityInfo}, s)
}

// Finding is one thing wrong, or worth saying, about a sheet. Row 0 with
// column "" means the file as a whole. Cell and Header are what the person
// calls the place: E3, and the column's name in the sheet; they are "" where
// the finding is of no one cell. Value is what stood there, masked when it is
// an account number. Codes are stable and listed in one table, in the validate
// room.
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
	Option   Option   `json:"option,omitzero"` // the choice that the fix speaks of
}

// OptionName names a choice in how a sheet is read. Nothing in it says how it
// is chosen: as a flag of a command, or in a field of a page.
type OptionName string

const (
	OptionTab             OptionName = "sheet_name"       // of an XLSX
	OptionHiddenRows      OptionName = "hidden_rows"      // error, skip or include
	OptionEncoding        OptionName = "encoding"         // of a CSV
	OptionMap             OptionName = "map"              // COLUMN=HEADER
	OptionKeepColumns     OptionName = "keep_columns"     // true: what is chosen of the columns is kept for the header; false: it is read without what was kept
	OptionRefPrefix       OptionName = "ref_prefix"       // put before every reference
	OptionAccount         OptionName = "account"          // the debit account of rows without one
	OptionNumericAccounts OptionName = "numeric_accounts" // account numbers in numeric cells
	OptionDayFirst        OptionName = "day_first"        // of the dates of a statement
	OptionCorrect         OptionName = "correct"          // each row corrects a payout that surely was not paid
)

// Option is such a choice and what to choose, or what was chosen. Of several
// values each is named, with | between them; "" where any may be meant.
type Option struct {
	Name  OptionName `json:"name"`
	Value string     `json:"value,omitempty"`
}
