package reports

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"slices"
	"strconv"
	"unicode/utf8"

	"payrun/ledger"
	"payrun/reports/folder"
)

// attemptRow is an attempt ready to be shown in the files, with additions for people.
type attemptRow struct {
	ledger.Attempt
	batch        ledger.Batch
	sheet        string // its name
	debitAccount string // its name
	at           instant
	corrected    string // what was and is: against the attempt before, or for a payout against its first
	matchedBy    string // why a debit on the bank's statement is the attempt's; "" if none is
}

// exceptionLine is a line of exceptions.csv, and of "exceptions" in reconciliation.json (contract.md, "JSON"):
// everything that is not paid, why, and what to do. A line about a whole batch, or about the rows left out of a
// sheet, has no ref and row, and the amount is the total.
type exceptionLine struct {
	Kind       ledger.Attention `json:"kind"`
	Ref        string           `json:"ref"`
	BatchID    string           `json:"batch_id"`
	Amount     ledger.Paise     `json:"amount"`
	Reason     string           `json:"detail"`
	Fix        string           `json:"fix"`
	SheetID    string           `json:"sheet_id"`
	Since      string           `json:"since,omitempty"` // since when the statements show it
	Row        int              `json:"-"`               // as the user sees it; 0 for the sheet as a whole
	Sheet      string           `json:"-"`
	State      string           `json:"-"`
	VendorName string           `json:"-"`

	bank   int // partner bank id; 0 if none
	bucket bucket
	count  int // payouts, rows or batches that it counts
}

// csvColumn is a column of a CSV file: its name, and its cell in each line.
type csvColumn[T any] struct {
	name string
	cell func(T) string
}

// payoutColumns are the columns of payouts.csv (latest attempts) and of attempts.csv: the fields of `payrun
// payouts --json`, in that order, then additions for people.
var payoutColumns = []csvColumn[*attemptRow]{
	{"ref", func(r *attemptRow) string { return r.Ref }},
	{"wire_ref", func(r *attemptRow) string { return r.WireRef }},
	{"attempt", func(r *attemptRow) string { return strconv.Itoa(r.Number) }},
	{"row", func(r *attemptRow) string { return strconv.Itoa(r.Row) }},
	{"sheet_id", func(r *attemptRow) string { return r.SheetID }},
	{"batch_id", func(r *attemptRow) string { return r.BatchID }},
	{"amount", func(r *attemptRow) string { return r.Amount.String() }},
	{"state", func(r *attemptRow) string { return string(r.State) }},
	{"status", func(r *attemptRow) string { return r.Status }},
	{"bank_status_code", func(r *attemptRow) string { return r.BankStatusCode }},
	{"open_txn_id", func(r *attemptRow) string { return r.OpenTxnID }},
	{"bank_txn_ref_id", func(r *attemptRow) string { return r.BankTxnRefID }},
	{"vendor_name", func(r *attemptRow) string { return r.VendorName }},
	{"bank_account_number", func(r *attemptRow) string { return r.BankAccountNumber }},
	{"ifsc", func(r *attemptRow) string { return r.IFSC }},
	{"remarks", func(r *attemptRow) string { return r.Remarks }},
	{"reason", func(r *attemptRow) string { return r.Reason }},
	{"updated_at", func(r *attemptRow) string { return r.at.instant }},
	{"updated_at_local", func(r *attemptRow) string { return r.at.local }},
	{"debit_account", func(r *attemptRow) string { return r.debitAccount }},
	{"corrected", func(r *attemptRow) string { return r.corrected }},
	{"matched_by", func(r *attemptRow) string { return r.matchedBy }},
}

var exceptionColumns = []csvColumn[*exceptionLine]{
	{"kind", func(e *exceptionLine) string { return string(e.Kind) }},
	{"ref", func(e *exceptionLine) string { return e.Ref }},
	{"row", func(e *exceptionLine) string {
		if e.Row == 0 {
			return ""
		}
		return strconv.Itoa(e.Row)
	}},
	{"sheet", func(e *exceptionLine) string { return e.Sheet }},
	{"sheet_id", func(e *exceptionLine) string { return e.SheetID }},
	{"batch_id", func(e *exceptionLine) string { return e.BatchID }},
	{"amount", func(e *exceptionLine) string { return e.Amount.String() }},
	{"state", func(e *exceptionLine) string { return e.State }},
	{"vendor_name", func(e *exceptionLine) string { return e.VendorName }},
	{"reason", func(e *exceptionLine) string { return e.Reason }},
	{"fix", func(e *exceptionLine) string { return e.Fix }},
}

// csvFile writes lines of one type below their header. Programs take no cell of it for a formula.
type csvFile[T any] struct {
	*CSV
	columns []csvColumn[T]
	cells   []string
}

func newCSV[T any](dir *folder.Folder, columns []csvColumn[T]) (*csvFile[T], error) {
	c, err := NewCSV(dir)
	if err != nil {
		return nil, err
	}
	names := namesOf(columns)
	return &csvFile[T]{c, columns, names}, c.Write(names)
}

func namesOf[T any](columns []csvColumn[T]) (names []string) {
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}

func (c *csvFile[T]) add(line T) error {
	for i, column := range c.columns {
		c.cells[i] = Inert(column.cell(line))
	}
	return c.Write(c.cells)
}

// CSV is a CSV file that is being written. If it has letters beyond ASCII, it begins with a byte order mark.
type CSV struct {
	dir   *folder.Folder
	draft *folder.Draft
	lines *csv.Writer  // into line
	line  bytes.Buffer // the last line
	wide  bool         // letters beyond ASCII were written, which programs read depending on the encoding that they assume
}

// NewCSV begins a file as a draft of dir.
func NewCSV(dir *folder.Folder) (*CSV, error) {
	draft, err := dir.Unnamed()
	if err != nil {
		return nil, err
	}
	c := &CSV{dir: dir, draft: draft}
	c.lines = csv.NewWriter(&c.line)
	return c, nil
}

// Write adds a line. A line without cells is blank.
func (c *CSV) Write(cells []string) error {
	c.line.Reset()
	err := c.lines.Write(cells)
	c.lines.Flush()
	return cmp.Or(err, c.repeat(c))
}

// repeat adds the line that was written last, to this file or another.
func (c *CSV) repeat(other *CSV) error {
	line := other.line.Bytes()
	c.wide = c.wide || slices.ContainsFunc(line, func(b byte) bool { return b >= utf8.RuneSelf })
	_, err := c.draft.Write(line)
	return err
}

// Finish gives the file its name.
func (c *CSV) Finish(name string) error {
	out, err := c.dir.Create(name)
	if err != nil {
		return err
	}
	if c.wide {
		if _, err := out.WriteString(byteOrderMark); err != nil {
			return err
		}
	}
	return c.draft.CopyTo(out)
}

// byteOrderMark lets spreadsheet programs see that a CSV is UTF-8.
const byteOrderMark = "\ufeff"
