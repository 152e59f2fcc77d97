package reports

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"time"

	"github.com/klauspost/compress/flate"

	"payrun/ledger"
	"payrun/reports/xlsx"
)

// List writes the payouts that a person searched for, one line each.
type List struct {
	Zone    *time.Location
	Account func(bankAccountID string) string // the name of a debit account
	Full    bool                              // account numbers in full, else masked
}

// EachAttempt calls its argument for every payout to write.
type EachAttempt = func(func(ledger.Attempt) error) error

var listHeads = [...]string{"reference", "payee", "bank_account_number", "ifsc", "amount", "state", "utr", "changed_at", "debit_account", "sheet_id", "batch_id", "remarks", "reason"}

const amountColumn = 4

func (l List) cells(a *ledger.Attempt) [len(listHeads)]string {
	number := a.BankAccountNumber
	if !l.Full {
		number = ledger.Mask(number)
	}
	return [...]string{a.WireRef, a.VendorName, number, a.IFSC, a.Amount.String(), string(a.State), a.BankTxnRefID,
		a.UpdatedAt.In(l.Zone).Format(time.DateTime), l.Account(a.BankAccountID), a.SheetID, a.BatchID, a.Remarks, a.Reason}
}

// WriteCSV writes the payouts as a CSV. Programs take no cell of it for a formula.
func (l List) WriteCSV(w io.Writer, each EachAttempt) error {
	if _, err := io.WriteString(w, byteOrderMark); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	if err := out.Write(listHeads[:]); err != nil {
		return err
	}
	err := each(func(a ledger.Attempt) error {
		line := l.cells(&a)
		for i := range line {
			line[i] = Inert(Clean(line[i]))
		}
		return out.Write(line[:])
	})
	out.Flush()
	return errors.Join(err, out.Error())
}

// WriteXLSX writes the payouts as a workbook with one tab and the time at. If they do not fit, it
// returns an error and writes nothing.
func (l List) WriteXLSX(w io.Writer, at time.Time, each EachAttempt) (err error) {
	const tab = "Payouts"
	book, err := xlsx.NewBook()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	var packed bytes.Buffer                              // unpacked, a million payouts take a gigabyte
	pack, _ := flate.NewWriter(&packed, flate.BestSpeed) // the level exists
	rows := xlsx.NewRows(pack, 0)
	var cells [len(listHeads)]xlsx.Cell
	for i, name := range listHeads {
		cells[i] = xlsx.Heading(name)
	}
	cells[amountColumn] = xlsx.NumberHeading(listHeads[amountColumn])
	rows.Add(cells[:]...)
	err = each(func(a ledger.Attempt) error {
		if rows.Last() == xlsx.MaxRows {
			return errors.New("more payouts than a workbook holds")
		}
		for i, text := range l.cells(&a) {
			cells[i] = xlsx.Text(Clean(text))
		}
		cells[amountColumn] = xlsx.Money(a.Amount)
		rows.Add(cells[:]...)
		return nil
	})
	if err != nil {
		return err
	}
	err = errors.Join(pack.Close(),
		book.AddTab(tab, flate.NewReader(&packed)),
		book.SetColWidth(tab, "A", xlsx.ColumnName(len(listHeads)-1), 20),
		book.SetFrame(tab, xlsx.Frame{Header: 1, Last: rows.Last(), Columns: len(listHeads)}))
	if err != nil {
		return err
	}
	return book.Write(w, tab, at)
}
