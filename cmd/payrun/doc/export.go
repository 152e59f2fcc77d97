package doc

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"maps"
	"time"

	"payrun/ledger"
)

// exportSchema is the schema of the lines.
const exportSchema = "payrun.export/v1"

// ExportLines writes payrun.export/v1: everything in the ledger, one JSON line each. It counts the lines.
type ExportLines struct {
	w     *bufio.Writer
	lines int
	sum   hash.Hash      // of all lines so far
	hide  *ledger.Masker // nil: nothing is masked
}

// NewExport starts an export to w. hide knows every account number of the ledger: with it, only the
// last four characters of each remain, everywhere in the export.
func NewExport(w io.Writer, hide *ledger.Masker) *ExportLines {
	return &ExportLines{w: bufio.NewWriterSize(w, 256<<10), sum: sha256.New(), hide: hide}
}

// mask hides account numbers in texts from people and the bank.
func (x *ExportLines) mask(texts ...*string) {
	if x.hide == nil {
		return
	}
	for _, t := range texts {
		*t = x.hide.Words(*t)
	}
}

// maskIDs hides ids of the bank that are account numbers. An id that only ends like an
// account number is another number, and stays.
func (x *ExportLines) maskIDs(ids ...*string) {
	if x.hide == nil {
		return
	}
	for _, id := range ids {
		*id = x.hide.ID(*id)
	}
}

// maskNumber hides an account number.
func (x *ExportLines) maskNumber(number *string) {
	if x.hide != nil {
		*number = ledger.Mask(*number)
	}
}

// Lines returns how many lines were written.
func (x *ExportLines) Lines() int { return x.lines }

// End writes the last line. Without it an export is incomplete.
func (x *ExportLines) End(head ledger.AuditHead) error {
	err := x.write("end", exportEnd{x.lines, head, hex.EncodeToString(x.sum.Sum(nil)), leftOut})
	return errors.Join(err, x.w.Flush())
}

// leftOut is what no export contains: branch lists have to be imported again, and people
// have to set new passwords.
var leftOut = []string{"branch_list", "passwords"}

// Flush writes what is still buffered, for an export that was cut off.
func (x *ExportLines) Flush() error { return x.w.Flush() }

// write writes a line that begins with its type.
func (x *ExportLines) write(kind string, v any) error {
	object, err := encode(v)
	if err != nil {
		return err
	}
	line := headed("type", kind, object)
	x.lines++
	line = append(line, '\n')
	x.sum.Write(line) // a hash does not fail
	_, err = x.w.Write(line)
	return err
}

// Ledger writes the first line.
func (x *ExportLines) Ledger(id string, at time.Time) error {
	return x.write("ledger", exportLedger{exportSchema, id, at, x.hide != nil})
}

// SheetPart writes a piece of a sheet's bytes.
func (x *ExportLines) SheetPart(id string, n int, b []byte) error {
	return x.write("sheet_bytes", exportSheetPart{id, n, b})
}

// Observation writes what the bank said about an attempt.
func (x *ExportLines) Observation(o ledger.NewObservation) error {
	x.mask(&o.Status, &o.BankStatusCode, &o.Error)
	x.maskIDs(&o.OpenTxnID, &o.BankTxnRefID)
	line := exportObservation{o.PayoutID, o.Number, o.Seq, o.At, o.Status, o.BankStatusCode, nil, o.OpenTxnID, o.BankTxnRefID, o.Error, o.Unread}
	if o.HasAmount {
		line.Amount = &o.Amount
	}
	return x.write("observation", line)
}

// Intent writes a call to the bank.
func (x *ExportLines) Intent(i ledger.RecordedIntent) error {
	x.mask(&i.Code, &i.Message)
	return x.write("intent", exportIntent{i, whenSet(i.EndedAt), i.Looked, whenSet(i.BankTime)})
}

// StatusCheck writes what the bank showed before a call.
func (x *ExportLines) StatusCheck(l ledger.RecordedLook) error {
	x.mask(&l.NotFoundReply.Code)
	if x.hide != nil {
		shown := make(map[string]int, len(l.Payouts))
		for status, n := range l.Payouts {
			shown[x.hide.Words(status)] += n
		}
		l.Payouts = shown
	}
	return x.write("look", l)
}

// Statement writes a reading of a debit account's statement.
func (x *ExportLines) Statement(k ledger.KeptStatement) error {
	x.mask(&k.FileName)
	k.Same, k.RequestIDs, k.Balances = append([]ledger.SameDay{}, k.Same...), append([]string{}, k.RequestIDs...), append([]ledger.BalanceRead{}, k.Balances...)
	return x.write("statement", k)
}

// StatementLine writes a line of a statement.
func (x *ExportLines) StatementLine(l ledger.KeptLine) error {
	x.mask(&l.Reference, &l.Remarks)
	x.maskIDs(&l.TransactionID)
	details := make([]ledger.EntryDetail, 0, len(l.Details))
	for _, d := range l.Details {
		x.mask(&d.Reference, &d.Remarks)
		details = append(details, d)
	}
	l.Details = details
	return x.write("statement_line", exportStatementLine{l.Ref.Reading, l.Ref.Line, l})
}

// StatementWord writes what a person decided about a statement.
func (x *ExportLines) StatementWord(d ledger.StatementDecision) error {
	x.mask(&d.Reason)
	d.Entries = append([]ledger.EntryRef{}, d.Entries...) // never null
	return x.write("statement_word", d)
}

// BankLists writes what the bank listed when it was last asked.
func (x *ExportLines) BankLists(l ledger.BankLists) error {
	for _, w := range l.Lists {
		if err := x.write("bank_list", w); err != nil {
			return err
		}
	}
	for _, a := range l.Accounts {
		x.mask(&a.Status, &a.AccountName, &a.Identifier)
		if err := x.write("bank_account", a); err != nil {
			return err
		}
	}
	for _, b := range l.Beneficiaries {
		x.maskNumber(&b.BankAccountNumber)
		x.mask(&b.Status, &b.VendorName)
		if err := x.write("bank_beneficiary", b); err != nil {
			return err
		}
	}
	return nil
}

// Approval writes a second person's approval.
func (x *ExportLines) Approval(a ledger.Approval) error {
	x.mask(&a.Actor)
	return x.write("approval", a)
}

// Release writes a person's decision about a release.
func (x *ExportLines) Release(p ledger.ReleaseApproval) error {
	x.mask(&p.Actor, &p.Reason, &p.Ticket)
	return x.write("proposal", p)
}

// Event writes one line of the audit trail.
func (x *ExportLines) Event(e ledger.Event) error {
	x.mask(&e.Actor, &e.Detail)
	return x.write("event", e)
}

// Sheet writes a sheet. r is nil if its bytes were not kept.
func (x *ExportLines) Sheet(s ledger.Sheet, r *ledger.ReadOptions) error {
	x.mask(&s.Name, &s.Tab, &s.LoadedBy)
	if x.hide != nil && r != nil {
		masked := *r
		masked.Columns = maps.Clone(r.Columns)
		for column, header := range masked.Columns {
			masked.Columns[column] = x.hide.Words(header)
		}
		r = &masked
	}
	return x.write("sheet", exportSheet{s, r})
}

// Batch writes a batch.
func (x *ExportLines) Batch(b ledger.Batch) error {
	x.mask(&b.Note, &b.Refusal, &b.Reason)
	x.maskIDs(&b.OpenBatchID)
	x.maskNumber(&b.OtherNumber)
	return x.write("batch", exportBatch{b, b.Attention != ledger.NeedsNothing, whenSet(b.HeldAt), whenSet(b.SubmittedAt), whenSet(b.SuccessAt)})
}

// Attempt writes an attempt, and before the first one its payout.
func (x *ExportLines) Attempt(a ledger.Attempt) error {
	x.mask(&a.WireRef, &a.Status, &a.BankStatusCode, &a.Reason)
	x.maskIDs(&a.OpenTxnID, &a.BankTxnRefID)
	if p := a.Payout; a.Number == 1 {
		x.mask(&p.Ref, &p.VendorName, &p.Remarks)
		x.maskIDs(&p.OpenBeneficiaryID)
		x.maskNumber(&p.BankAccountNumber)
		if err := x.write("payout", p); err != nil {
			return err
		}
	}
	return x.write("attempt", exportAttempt{a.ID, a})
}

// Origin writes the row of an earlier sheet that a payout came from.
func (x *ExportLines) Origin(payoutID int64, from ledger.RowOrigin) error {
	return x.write("origin", exportOrigin{payoutID, from})
}

// Correction writes what a payout was corrected to.
func (x *ExportLines) Correction(c ledger.RecordedCorrection) error {
	x.mask(&c.Ref, &c.VendorName, &c.Remarks)
	x.maskIDs(&c.OpenBeneficiaryID)
	x.maskNumber(&c.BankAccountNumber)
	return x.write("correction", c)
}

// whenSet returns nil for the zero time.
func whenSet(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// The lines.
type (
	exportLedger struct {
		Schema    string    `json:"schema"`
		ID        string    `json:"id"`
		CreatedAt time.Time `json:"created_at"`
		Masked    bool      `json:"masked,omitempty"`
	}
	exportEnd struct {
		Lines   int              `json:"lines"` // how many are before it
		Audit   ledger.AuditHead `json:"audit"`
		SHA256  string           `json:"sha256"` // of the lines before it
		LeftOut []string         `json:"left_out"`
	}
	exportSheet struct {
		ledger.Sheet
		Reading *ledger.ReadOptions `json:"reading"` // null: the sheet's bytes were not kept
	}
	exportSheetPart struct {
		SheetID string `json:"sheet_id"`
		Part    int    `json:"part"`
		Bytes   []byte `json:"bytes"` // base64
	}
	exportBatch struct {
		ledger.Batch
		NeedsPerson bool       `json:"needs_person"`
		HeldAt      *time.Time `json:"held_at"`
		SubmittedAt *time.Time `json:"submitted_at"`
		SuccessAt   *time.Time `json:"success_at,omitempty"`
	}
	exportAttempt struct {
		PayoutID int64 `json:"payout_id"`
		ledger.Attempt
	}
	exportOrigin struct {
		PayoutID int64 `json:"payout_id"`
		ledger.RowOrigin
	}
	exportObservation struct {
		PayoutID       int64         `json:"payout_id"`
		Attempt        int           `json:"attempt"`
		Seq            int           `json:"seq"`
		At             time.Time     `json:"at"`
		Status         string        `json:"status"`
		BankStatusCode string        `json:"bank_status_code"`
		Amount         *ledger.Paise `json:"amount"` // null if the answer had no readable amount
		OpenTxnID      string        `json:"open_txn_id"`
		BankTxnRefID   string        `json:"bank_txn_ref_id"`
		Error          string        `json:"error"`
		Unread         ledger.Fields `json:"unread,omitempty"` // fields that were shown but cannot be read
	}
	exportIntent struct {
		ledger.RecordedIntent
		EndedAt  *time.Time `json:"ended_at"`
		Looked   bool       `json:"looked"`
		BankTime *time.Time `json:"said_at,omitempty"` // the bank's clock before the call
	}
	exportStatementLine struct {
		Statement int64 `json:"statement"` // the number of the reading that holds it
		Line      int   `json:"line"`
		ledger.KeptLine
	}
)
