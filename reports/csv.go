package reports

import (
	"io"
	"unicode/utf8"

	"payrun/ledger"
	"payrun/reports/folder"
)

// payoutLine is a line of payouts.csv, of a payout's latest attempt, and of
// attempts.csv: the fields of `payrun payouts --json`, in that order, and what
// only people ask for.
type payoutLine struct {
	Ref               string
	WireRef           string
	Attempt           int
	Row               int
	SheetID           string
	BatchID           string
	Amount            ledger.Paise
	State             string
	Status            string
	BankStatusCode    string
	OpenTxnID         string
	BankTxnRefID      string
	VendorName        string
	BankAccountNumber string
	IFSC              string
	Remarks           string
	Reason            string
	UpdatedAt         string
	UpdatedAtLocal    string
	DebitAccount      string
	Corrected         string // what was and what is: since the attempt before, or of a payout since its first
	MatchedBy         string // why a debit of the bank's statement is the attempt's; "" where none is
}

func (s *Snapshot) payoutLine(a ledger.Attempt) payoutLine {
	return payoutLine{
		Ref: a.Ref, WireRef: a.WireRef, Attempt: a.Number, Row: a.Row, SheetID: a.SheetID, BatchID: a.BatchID,
		Amount: a.Amount, State: string(a.State), Status: a.Status, BankStatusCode: a.BankStatusCode,
		OpenTxnID: a.OpenTxnID, BankTxnRefID: a.BankTxnRefID, VendorName: a.VendorName,
		BankAccountNumber: a.BankAccountNumber, IFSC: a.IFSC, Remarks: a.Remarks, Reason: a.Reason,
		UpdatedAt: s.times(a.UpdatedAt).instant, UpdatedAtLocal: s.times(a.UpdatedAt).local, DebitAccount: s.debitAccount(a.BankAccountID),
	}
}

// adviceLine is a line of payee-advice.csv: what a payee is told of a payout that
// the bank has paid, for a mail merge.
type adviceLine struct {
	Payee  string
	Ref    string
	Amount ledger.Paise
	UTR    string
	Date   string // in the reader's zone
	Remark string
}

func (s *Snapshot) adviceLine(a ledger.Attempt) adviceLine {
	return adviceLine{Payee: a.VendorName, Ref: a.Ref, Amount: a.Amount, UTR: a.BankTxnRefID, Date: s.times(a.UpdatedAt).date, Remark: a.Remarks}
}

// exceptionLine is a line of exceptions.csv: everything that is not paid, why,
// and what to do. A line about a whole batch, or about the rows that were left
// out of a sheet, has neither ref nor row, and its amount is theirs.
type exceptionLine struct {
	Kind       ledger.Attention
	Ref        string
	Row        rowNumber
	Sheet      string
	SheetID    string
	BatchID    string
	Amount     ledger.Paise
	State      string
	VendorName string
	Reason     string
	Fix        string

	bucket bucket
	since  string
	count  int // payouts, rows or batches that it stands for
}

// isPayout reports a line about one payout.
func (e exceptionLine) isPayout() bool { return e.Row != 0 }

// isBatch reports a line about a whole batch, whose payouts have their amounts.
func (e exceptionLine) isBatch() bool { return e.Row == 0 && e.BatchID != "" }

// csvLine is a line of one of the CSV files.
type csvLine interface {
	heads() []string // names the columns
	cells(*csvRow)   // adds a cell for each
}

func (payoutLine) heads() []string {
	return []string{"ref", "wire_ref", "attempt", "row", "sheet_id", "batch_id", "amount", "state", "status", "bank_status_code", "open_txn_id", "bank_txn_ref_id",
		"vendor_name", "bank_account_number", "ifsc", "remarks", "reason", "updated_at", "updated_at_local", "debit_account", "corrected", "matched_by"}
}

func (l payoutLine) cells(r *csvRow) {
	r.texts(l.Ref, l.WireRef)
	r.number(l.Attempt)
	r.number(l.Row)
	r.texts(l.SheetID, l.BatchID)
	r.amount(l.Amount)
	r.texts(l.State, l.Status, l.BankStatusCode, l.OpenTxnID, l.BankTxnRefID, l.VendorName, l.BankAccountNumber, l.IFSC, l.Remarks, l.Reason,
		l.UpdatedAt, l.UpdatedAtLocal, l.DebitAccount, l.Corrected, l.MatchedBy)
}

func (adviceLine) heads() []string {
	return []string{"payee", "reference", "amount", "utr", "date", "remarks"}
}

func (l adviceLine) cells(r *csvRow) {
	r.texts(l.Payee, l.Ref)
	r.amount(l.Amount)
	r.texts(l.UTR, l.Date, l.Remark)
}

func (exceptionLine) heads() []string {
	return []string{"kind", "ref", "row", "sheet", "sheet_id", "batch_id", "amount", "state", "vendor_name", "reason", "fix"}
}

func (e exceptionLine) cells(r *csvRow) {
	r.texts(string(e.Kind), e.Ref, e.Row.String(), e.Sheet, e.SheetID, e.BatchID)
	r.amount(e.Amount)
	r.texts(e.State, e.VendorName, e.Reason, e.Fix)
}

// csvFile writes lines of one shape below their header.
type csvFile[T csvLine] struct {
	dir   *folder.Folder
	draft *folder.Draft
	row   csvRow
}

func newCSV[T csvLine](dir *folder.Folder) (*csvFile[T], error) {
	draft, err := dir.Scratch()
	if err != nil {
		return nil, err
	}
	c := &csvFile[T]{dir: dir, draft: draft}
	var line T
	c.row.texts(line.heads()...)
	_, err = draft.Write(c.row.end())
	return c, err
}

func (c *csvFile[T]) add(line T) error {
	line.cells(&c.row)
	_, err := c.draft.Write(c.row.end())
	return err
}

// finish makes it the file of that name.
func (c *csvFile[T]) finish(name string) error {
	if !c.row.wide { // what was written is the file
		c.dir.As(c.draft, name)
		return nil
	}
	out, err := c.dir.Create(name)
	if err != nil {
		return err
	}
	return CopyCSV(out, c.draft, true)
}

// byteOrderMark lets spreadsheet programs see that a CSV is UTF-8.
const byteOrderMark = "\ufeff"

// CopyCSV copies a CSV that is written, with the byte order mark before it where
// it holds letters beyond ASCII.
func CopyCSV(w io.Writer, from *folder.Draft, wide bool) error {
	if wide {
		if _, err := io.WriteString(w, byteOrderMark); err != nil {
			return err
		}
	}
	return from.CopyTo(w)
}

// IsASCII reports text that every program reads the same, whatever encoding it
// takes it for.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
