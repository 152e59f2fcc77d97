package reports

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"slices"
	"unicode/utf8"

	"payrun/ledger"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// attemptRow is an attempt ready to be shown in the files, with additions for people.
type attemptRow struct {
	ledger.Attempt
	batch        *ledger.Batch
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

// csvFile writes lines below their header. Programs take no cell of it for a formula.
type csvFile struct {
	*CSV
	columns int      // that it has; they come first
	texts   []string // buffer for a line
}

func newCSV[T any](dir *folder.Folder, columns []column[T]) (*csvFile, error) {
	c, err := NewCSV(dir)
	if err != nil {
		return nil, err
	}
	names := namesOf(columns)
	return &csvFile{CSV: c, columns: len(names)}, c.Write(names)
}

func (c *csvFile) add(line []xlsx.Cell) error {
	c.texts = c.texts[:0]
	for i := range line[:c.columns] {
		c.texts = append(c.texts, Inert(cmp.Or(line[i].Number, line[i].Text)))
	}
	return c.Write(c.texts)
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
