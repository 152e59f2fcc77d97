package reports

import (
	"encoding/csv"
	"io"
	"time"
	"unicode/utf8"

	"github.com/gocarina/gocsv"
	"payrun/ledger"
	"payrun/reports/folder"
)

// payoutLine is a line of payouts.csv, of a payout's latest attempt, and of
// attempts.csv: the fields of `payrun payouts --json`, in that order, and what
// only people ask for.
type payoutLine struct {
	Ref               string       `csv:"ref"`
	WireRef           string       `csv:"wire_ref"`
	Attempt           int          `csv:"attempt"`
	Row               int          `csv:"row"`
	SheetID           string       `csv:"sheet_id"`
	BatchID           string       `csv:"batch_id"`
	Amount            ledger.Paise `csv:"amount"`
	State             string       `csv:"state"`
	Status            string       `csv:"status"`
	BankStatusCode    string       `csv:"bank_status_code"`
	OpenTxnID         string       `csv:"open_txn_id"`
	BankTxnRefID      string       `csv:"bank_txn_ref_id"`
	VendorName        string       `csv:"vendor_name"`
	BankAccountNumber string       `csv:"bank_account_number"`
	IFSC              string       `csv:"ifsc"`
	Remarks           string       `csv:"remarks"`
	Reason            string       `csv:"reason"`
	UpdatedAt         string       `csv:"updated_at"`
	UpdatedAtLocal    string       `csv:"updated_at_local"`
	DebitAccount      string       `csv:"debit_account"`
	Corrected         string       `csv:"corrected"` // what was and what is: since the attempt before, or of a payout since its first
}

func (s *Snapshot) payoutLine(a ledger.Attempt) payoutLine {
	return payoutLine{
		Ref: a.Ref, WireRef: a.WireRef, Attempt: a.Number, Row: a.Row, SheetID: a.SheetID, BatchID: a.BatchID,
		Amount: a.Amount, State: string(a.State), Status: a.Status, BankStatusCode: a.BankStatusCode,
		OpenTxnID: a.OpenTxnID, BankTxnRefID: a.BankTxnRefID, VendorName: a.VendorName,
		BankAccountNumber: a.BankAccountNumber, IFSC: a.IFSC, Remarks: a.Remarks, Reason: a.Reason,
		UpdatedAt: ledger.Instant(a.UpdatedAt), UpdatedAtLocal: s.local(a.UpdatedAt), DebitAccount: s.account(a.BankAccountID),
	}
}

// local is a time in the reader's zone, as spreadsheet programs take it for one;
// "" when it is not set.
func (s *Snapshot) local(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(s.Zone).Format(time.DateTime)
}

// adviceLine is a line of payee-advice.csv: what a payee is told of a payout that
// the bank has paid, for a mail merge.
type adviceLine struct {
	Payee  string       `csv:"payee"`
	Ref    string       `csv:"reference"`
	Amount ledger.Paise `csv:"amount"`
	UTR    string       `csv:"utr"`
	Date   string       `csv:"date"` // in the reader's zone
	Remark string       `csv:"remarks"`
}

func (s *Snapshot) adviceLine(a ledger.Attempt) adviceLine {
	return adviceLine{Payee: a.VendorName, Ref: a.Ref, Amount: a.Amount, UTR: a.BankTxnRefID, Date: a.UpdatedAt.In(s.Zone).Format(time.DateOnly), Remark: a.Remarks}
}

// exceptionLine is a line of exceptions.csv: everything that is not paid, why,
// and what to do. A line about a whole batch, or about the rows that were left
// out of a sheet, has neither ref nor row, and its amount is theirs.
type exceptionLine struct {
	Kind       ledger.Attention `csv:"kind"`
	Ref        string           `csv:"ref"`
	Row        rowNumber        `csv:"row"`
	Sheet      string           `csv:"sheet"`
	SheetID    string           `csv:"sheet_id"`
	BatchID    string           `csv:"batch_id"`
	Amount     ledger.Paise     `csv:"amount"`
	State      string           `csv:"state"`
	VendorName string           `csv:"vendor_name"`
	Reason     string           `csv:"reason"`
	Fix        string           `csv:"fix"`

	bucket bucket
	since  string
	count  int // payouts, rows or batches that it stands for
}

// isPayout reports a line about one payout.
func (e exceptionLine) isPayout() bool { return e.Row != 0 }

// isBatch reports a line about a whole batch, whose payouts have their amounts.
func (e exceptionLine) isBatch() bool { return e.Row == 0 && e.BatchID != "" }

// csvChunk bounds how many lines wait for gocsv, which encodes slices.
const csvChunk = 512

// csvFile writes lines of one shape. finish writes the header also when there
// are no lines.
type csvFile[T any] struct {
	dir     *folder.Folder
	draft   *folder.Draft
	w       *inertWriter
	pending []T
	headed  bool
}

func newCSV[T any](dir *folder.Folder) (*csvFile[T], error) {
	draft, err := dir.Scratch()
	if err != nil {
		return nil, err
	}
	return &csvFile[T]{dir: dir, draft: draft, w: &inertWriter{Writer: csv.NewWriter(draft)}, pending: make([]T, 0, csvChunk)}, nil
}

func (c *csvFile[T]) add(line T) error {
	c.pending = append(c.pending, line)
	if len(c.pending) < csvChunk {
		return nil
	}
	return c.flush()
}

// finish makes it the file of that name.
func (c *csvFile[T]) finish(name string) error {
	if !c.headed || len(c.pending) > 0 {
		if err := c.flush(); err != nil {
			return err
		}
	}
	if !c.w.wide { // what was written is the file
		c.dir.As(c.draft, name)
		return nil
	}
	out, err := c.dir.Create(name)
	if err != nil {
		return err
	}
	return CopyCSV(out, c.draft, true)
}

func (c *csvFile[T]) flush() error {
	encode := gocsv.MarshalCSVWithoutHeaders
	if !c.headed {
		encode, c.headed = gocsv.MarshalCSV, true
	}
	err := encode(c.pending, c.w)
	c.pending = c.pending[:0]
	return err
}

// inertWriter is the only way into a CSV report.
type inertWriter struct {
	*csv.Writer
	wide bool // letters beyond ASCII were written
}

func (w *inertWriter) Write(row []string) error {
	for i := range row {
		row[i] = Inert(row[i])
		w.wide = w.wide || !IsASCII(row[i])
	}
	return w.Writer.Write(row)
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
