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

// ExportLines writes payrun.export/v1: everything in the ledger, one JSON line each, by the functions of Export. It
// counts the lines.
type ExportLines struct {
	ledger.Export
	w     *bufio.Writer
	lines int
	sum   hash.Hash      // of all lines so far
	hide  *ledger.Masker // nil: nothing is masked
}

// NewExport starts an export to w. hide knows every account number of the ledger: with it, only the
// last four characters of each remain, everywhere in the export, and the bytes of sheets are left out.
func NewExport(w io.Writer, hide *ledger.Masker) *ExportLines {
	x := &ExportLines{w: bufio.NewWriterSize(w, 256<<10), sum: sha256.New(), hide: hide}
	x.Export = ledger.Export{
		Ledger: func(id string, at time.Time) error {
			return x.write("ledger", exportLedger{exportSchema, id, at, hide != nil})
		},
		Sheet: func(s ledger.Sheet, r *ledger.ReadOptions) error {
			return add(x, "sheet", exportSheet{s, r}, x.maskSheet)
		},
		Batch: func(b ledger.Batch) error {
			return add(x, "batch", exportBatch{b, b.Attention != ledger.NeedsNothing, whenSet(b.HeldAt), whenSet(b.SubmittedAt), whenSet(b.SuccessAt)}, x.maskBatch)
		},
		Attempt:    x.attempt,
		Origin:     func(id int64, from ledger.RowOrigin) error { return x.write("origin", exportOrigin{id, from}) },
		Correction: adds(x, "correction", func(c *ledger.RecordedCorrection) { x.maskPayout(&c.Payout) }),
		Observation: func(o ledger.NewObservation) error {
			return add(x, "observation", NewObservation(o), func(o *Observation) {
				x.mask(&o.Status, &o.BankStatusCode, &o.Error)
				x.maskIDs(&o.OpenTxnID, &o.BankTxnRefID)
			})
		},
		Intent: func(i ledger.RecordedIntent) error {
			line := exportIntent{i, whenSet(i.EndedAt), i.Looked, whenSet(i.BankTime)}
			return add(x, "intent", line, func(i *exportIntent) { x.mask(&i.Code, &i.Message) })
		},
		StatusCheck: adds(x, "look", x.maskCheck),
		Approval:    adds(x, "approval", func(a *ledger.Approval) { x.mask(&a.Actor) }),
		Release:     adds(x, "proposal", func(p *ledger.ReleaseApproval) { x.mask(&p.Actor, &p.Reason, &p.Ticket) }),
		Statement: func(k ledger.KeptStatement) error {
			k.Same, k.RequestIDs, k.Balances = List(k.Same), List(k.RequestIDs), List(k.Balances)
			return add(x, "statement", k, func(k *ledger.KeptStatement) { x.mask(&k.FileName) })
		},
		Line: func(l ledger.KeptLine) error {
			l.Details = List(l.Details)
			return add(x, "statement_line", exportStatementLine{l.Ref.Reading, l.Ref.Line, l}, x.maskLine)
		},
		Decision: func(d ledger.StatementDecision) error {
			d.Entries = List(d.Entries)
			return add(x, "statement_word", d, func(d *ledger.StatementDecision) { x.mask(&d.Reason) })
		},
		BankLists: x.bankLists,
		Event:     adds(x, "event", func(e *ledger.Event) { x.mask(&e.Actor, &e.Detail) }),
	}
	if hide == nil {
		x.SheetPart = func(id string, n int, b []byte) error { return x.write("sheet_bytes", exportSheetPart{id, n, b}) }
	}
	return x
}

// adds returns add for lines of a kind.
func adds[T any](x *ExportLines, kind string, hide func(*T)) func(T) error {
	return func(v T) error { return add(x, kind, v, hide) }
}

// add writes a line. In a masked export, hide masks the account numbers in it.
func add[T any](x *ExportLines, kind string, v T, hide func(*T)) error {
	if x.hide != nil {
		hide(&v)
	}
	return x.write(kind, v)
}

// mask hides account numbers in texts from people and the bank.
func (x *ExportLines) mask(texts ...*string) {
	for _, t := range texts {
		*t = x.hide.Words(*t)
	}
}

// maskIDs hides ids of the bank that are account numbers. An id that only ends like an
// account number is another number, and stays.
func (x *ExportLines) maskIDs(ids ...*string) {
	for _, id := range ids {
		*id = x.hide.ID(*id)
	}
}

func (x *ExportLines) maskSheet(s *exportSheet) {
	x.mask(&s.Name, &s.Tab, &s.LoadedBy)
	if s.Reading != nil {
		masked := *s.Reading
		masked.Columns = maps.Clone(masked.Columns)
		for column, header := range masked.Columns {
			masked.Columns[column] = x.hide.Words(header)
		}
		s.Reading = &masked
	}
}

func (x *ExportLines) maskBatch(b *exportBatch) {
	x.mask(&b.Note, &b.Refusal, &b.Reason)
	x.maskIDs(&b.OpenBatchID)
	b.OtherNumber = ledger.Mask(b.OtherNumber)
}

func (x *ExportLines) maskPayout(p *ledger.Payout) {
	x.mask(&p.Ref, &p.VendorName, &p.Remarks)
	x.maskIDs(&p.OpenBeneficiaryID)
	p.BankAccountNumber = ledger.Mask(p.BankAccountNumber)
}

func (x *ExportLines) maskAttempt(a *exportAttempt) {
	x.mask(&a.WireRef, &a.Status, &a.BankStatusCode, &a.Reason)
	x.maskIDs(&a.OpenTxnID, &a.BankTxnRefID)
}

func (x *ExportLines) maskCheck(l *ledger.RecordedLook) {
	x.mask(&l.NotFoundReply.Code)
	shown := make(map[string]int, len(l.Payouts))
	for status, n := range l.Payouts {
		shown[x.hide.Words(status)] += n
	}
	l.Payouts = shown
}

func (x *ExportLines) maskLine(l *exportStatementLine) {
	x.mask(&l.Reference, &l.Remarks)
	x.maskIDs(&l.TransactionID)
	for i := range l.Details {
		x.mask(&l.Details[i].Reference, &l.Details[i].Remarks)
	}
}

// attempt writes an attempt, and before the first one its payout.
func (x *ExportLines) attempt(a ledger.Attempt) error {
	if a.Number == 1 {
		if err := add(x, "payout", a.Payout, x.maskPayout); err != nil {
			return err
		}
	}
	return add(x, "attempt", exportAttempt{a.ID, a}, x.maskAttempt)
}

// Observation is one status of an attempt from the bank, in its own words: a line of an export, and of the "bank" of
// payrun.story/v1.
type Observation struct {
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

// NewObservation returns the document of one status.
func NewObservation(o ledger.NewObservation) Observation {
	line := Observation{o.PayoutID, o.Number, o.Seq, o.At, o.Status, o.BankStatusCode, nil, o.OpenTxnID, o.BankTxnRefID, o.Error, o.Unread}
	if o.HasAmount {
		line.Amount = &o.Amount
	}
	return line
}

// bankLists writes what the bank listed when it was last asked.
func (x *ExportLines) bankLists(l ledger.BankLists) (err error) {
	for _, w := range l.Lists {
		err = errors.Join(err, x.write("bank_list", w))
	}
	for _, a := range l.Accounts {
		err = errors.Join(err, add(x, "bank_account", a, func(a *ledger.ListedAccount) { x.mask(&a.Status, &a.AccountName, &a.Identifier) }))
	}
	for _, b := range l.Beneficiaries {
		err = errors.Join(err, add(x, "bank_beneficiary", b, func(b *ledger.ListedBeneficiary) {
			x.mask(&b.Status, &b.VendorName)
			b.BankAccountNumber = ledger.Mask(b.BankAccountNumber)
		}))
	}
	return err
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
