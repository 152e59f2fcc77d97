package reports

import (
	"encoding/csv"
	"io"

	"github.com/gocarina/gocsv"
	"payrun/ledger"
)

// payoutLine is a line of payouts.csv: the fields of `payrun payouts --json`,
// in that order.
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
}

func newPayoutLine(a ledger.Attempt) payoutLine {
	return payoutLine{
		Ref: a.Ref, WireRef: a.WireRef, Attempt: a.Number, Row: a.Row, SheetID: a.SheetID, BatchID: a.BatchID,
		Amount: a.Amount, State: string(a.State), Status: a.Status, BankStatusCode: a.BankStatusCode,
		OpenTxnID: a.OpenTxnID, BankTxnRefID: a.BankTxnRefID, VendorName: a.VendorName,
		BankAccountNumber: a.BankAccountNumber, IFSC: a.IFSC, Remarks: a.Remarks, Reason: a.Reason,
		UpdatedAt: ledger.Instant(a.UpdatedAt),
	}
}

// exceptionLine is a line of exceptions.csv: everything that is not paid, why,
// and what to do. A line about a whole batch has neither ref nor row, and its
// amount is the batch's.
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
}

// isBatch reports a line about a whole batch.
func (e exceptionLine) isBatch() bool { return e.Row == 0 }

// csvChunk bounds how many lines wait for gocsv, which encodes slices.
const csvChunk = 512

// csvFile writes lines of one shape. finish writes the header also when there
// are no lines.
type csvFile[T any] struct {
	w       inertWriter
	pending []T
	headed  bool
}

func newCSV[T any](w io.Writer) *csvFile[T] {
	return &csvFile[T]{w: inertWriter{csv.NewWriter(w)}, pending: make([]T, 0, csvChunk)}
}

func (c *csvFile[T]) add(line T) error {
	c.pending = append(c.pending, line)
	if len(c.pending) < csvChunk {
		return nil
	}
	return c.flush()
}

func (c *csvFile[T]) finish() error {
	if c.headed && len(c.pending) == 0 {
		return nil
	}
	return c.flush()
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
type inertWriter struct{ *csv.Writer }

func (w inertWriter) Write(row []string) error {
	for i := range row {
		row[i] = Inert(row[i])
	}
	return w.Writer.Write(row)
}
