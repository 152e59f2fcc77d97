package reports

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
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

// ErrNotTheirs says that a payouts.csv is not what was written from this ledger.
var ErrNotTheirs = errors.New("it was not written from this ledger, or was changed since")

// InFull copies the payouts.csv of a run, with each account number in full from the ledger, and returns how
// many payouts it has. attempts calls its argument for every attempt of the ledger, in the order of loading.
// Each line must belong to an attempt and show the end of its account number; else InFull returns ErrNotTheirs,
// and what it wrote so far is useless.
func InFull(w io.Writer, masked io.Reader, attempts func(func(ledger.Attempt) error) error) (payouts int, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", PayoutsFile, err)
		}
	}()
	from := bufio.NewReader(masked)
	if mark, _ := from.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		if _, err := io.CopyN(w, from, int64(len(byteOrderMark))); err != nil {
			return 0, err
		}
	}
	in, out := csv.NewReader(from), csv.NewWriter(w)
	heads, wrong := in.Read()
	if wrong != nil || !slices.Equal(heads, namesOf(attemptColumns)) {
		return 0, errors.Join(ErrNotTheirs, wrong)
	}
	if err := out.Write(heads); err != nil {
		return 0, err
	}
	at := func(name string) int { return slices.Index(heads, name) }
	ref, attempt, row, sheet, account := at("ref"), at("attempt"), at("row"), at("sheet_id"), at("bank_account_number")
	in.ReuseRecord = true
	line, wrong := in.Read()
	err = attempts(func(a ledger.Attempt) error {
		if wrong != nil || line[sheet] != a.SheetID || line[row] != strconv.Itoa(a.Row) || line[attempt] != strconv.Itoa(a.Number) {
			return nil // of another sheet, or not the payout's latest attempt at that time
		}
		if line[ref] != Inert(Clean(a.Ref)) || line[account] != Inert(Clean(ledger.Mask(a.BankAccountNumber))) {
			return ErrNotTheirs
		}
		line[account] = Inert(Clean(a.BankAccountNumber))
		payouts++
		err := out.Write(line)
		line, wrong = in.Read()
		return err
	})
	switch out.Flush(); {
	case err != nil:
		return payouts, err
	case wrong == nil: // a line without an attempt
		return payouts, ErrNotTheirs
	case !errors.Is(wrong, io.EOF):
		return payouts, errors.Join(ErrNotTheirs, wrong)
	}
	return payouts, out.Error()
}
