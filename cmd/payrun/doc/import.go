package doc

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"time"

	"payrun/ledger"
)

// mostExportLine is the longest line of an export, in bytes.
const mostExportLine = 1 << 30

// exportOrder is the order of the lines. The bytes of a sheet follow the sheet, attempts follow their payout.
var exportOrder = []string{"ledger", "sheet", "batch", "payout", "origin", "correction", "observation", "intent", "look", "approval", "proposal",
	"statement", "statement_line", "statement_word", "bank_list", "bank_account", "bank_beneficiary", "event", "end"}

// ReadExport calls the functions of out for the lines of an export that ExportLines wrote, and
// returns the audit head in its last line. It returns ledger.ErrExport if the export is masked, cut
// off, edited or out of order, or has something that this program does not know.
func ReadExport(r io.Reader, out ledger.Export) (head ledger.AuditHead, err error) {
	x := exportReader{out: out, sum: sha256.New()}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 256<<10), mostExportLine)
	for lines.Scan() {
		if err := x.line(lines.Bytes()); err != nil {
			return head, err
		}
		x.lines++
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return head, x.wrong("is too long")
	case err != nil:
		return head, err
	case x.end == nil:
		return head, ledger.NotExport("it is cut off: it has no last line")
	}
	return x.end.Audit, nil
}

// exportReader reads an export line by line.
type exportReader struct {
	out    ledger.Export
	lines  int       // read so far
	sum    hash.Hash // of those lines
	place  int       // of the last line, in exportOrder
	payout ledger.Payout
	lists  ledger.BankLists
	end    *exportEnd
}

func (x *exportReader) wrong(format string, args ...any) error {
	return ledger.NotExport("line %d %s", x.lines+1, fmt.Sprintf(format, args...))
}

func (x *exportReader) line(line []byte) error {
	rest, headed := bytes.CutPrefix(line, []byte(`{"type":"`))
	name, fields, named := bytes.Cut(rest, []byte(`",`))
	kind := string(name)
	follows := map[string]string{"sheet_bytes": "sheet", "attempt": "payout"}[kind]
	if follows == "" {
		follows = kind
	}
	place := slices.Index(exportOrder, follows)
	switch {
	case !headed || !named || place > 0 && x.lines == 0:
		return x.wrong("is no line of an export")
	case place < 0:
		return x.wrong("is a %q, which this payrun does not know: a newer one wrote it", kind)
	case place < x.place || x.end != nil || place == 0 && x.lines > 0:
		return x.wrong("does not come in its turn")
	}
	if x.place = place; kind == "event" && x.out.BankLists != nil {
		err := x.out.BankLists(x.lists)
		x.out.BankLists = nil
		if err != nil {
			return err
		}
	}
	if kind != "end" {
		x.sum.Write(line) // a hash never fails
		x.sum.Write([]byte{'\n'})
	}
	object := line[len(line)-len(fields)-1:] // from the comma on, which becomes the opening brace
	object[0] = '{'
	return x.read(kind, object)
}

// take decodes an object and calls fn with it.
func take[T any](x *exportReader, object []byte, fn func(T) error) error {
	var v T
	d := json.NewDecoder(bytes.NewReader(object))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil || d.InputOffset() != int64(len(object)) {
		return x.wrong("cannot be read: it was edited, or a newer payrun wrote it (%v)", err)
	}
	return fn(v)
}

func (x *exportReader) read(kind string, object []byte) error {
	out := &x.out
	switch kind {
	case "ledger":
		return take(x, object, func(l exportLedger) error {
			switch {
			case l.Schema != exportSchema:
				return x.wrong("says that it is %q, and this payrun reads %q", l.Schema, exportSchema)
			case l.Masked:
				return ledger.NotExport("its account numbers are masked: export the ledger without --masked")
			}
			return out.Ledger(l.ID, l.CreatedAt)
		})
	case "sheet":
		return take(x, object, func(s exportSheet) error { return out.Sheet(s.Sheet, s.Reading) })
	case "sheet_bytes":
		return take(x, object, func(p exportSheetPart) error { return out.SheetPart(p.SheetID, p.Part, p.Bytes) })
	case "batch":
		return take(x, object, func(b exportBatch) error { return out.Batch(b.batch()) })
	case "payout":
		return take(x, object, func(p ledger.Payout) error { x.payout = p; return nil })
	case "attempt":
		return take(x, object, func(a exportAttempt) error {
			if a.PayoutID != x.payout.ID {
				return x.wrong("does not follow its payout")
			}
			a.Payout = x.payout
			return out.Attempt(a.Attempt)
		})
	case "origin":
		return take(x, object, func(o exportOrigin) error { return out.Origin(o.PayoutID, o.RowOrigin) })
	case "correction":
		return take(x, object, out.Correction)
	case "observation":
		return take(x, object, func(o exportObservation) error { return out.Observation(o.observation()) })
	case "intent":
		return take(x, object, func(i exportIntent) error { return out.Intent(i.intent()) })
	case "look":
		return take(x, object, out.StatusCheck)
	case "approval":
		return take(x, object, out.Approval)
	case "proposal":
		return take(x, object, out.Release)
	case "statement":
		return take(x, object, out.Statement)
	case "statement_line":
		return take(x, object, func(l exportStatementLine) error {
			l.Ref = ledger.EntryRef{Reading: l.Statement, Line: l.Line}
			return out.Line(l.KeptLine)
		})
	case "statement_word":
		return take(x, object, out.Decision)
	case "bank_list":
		return take(x, object, func(l ledger.ListedWhole) error { x.lists.Lists = append(x.lists.Lists, l); return nil })
	case "bank_account":
		return take(x, object, func(a ledger.ListedAccount) error { x.lists.Accounts = append(x.lists.Accounts, a); return nil })
	case "bank_beneficiary":
		return take(x, object, func(b ledger.ListedBeneficiary) error {
			x.lists.Beneficiaries = append(x.lists.Beneficiaries, b)
			return nil
		})
	case "event":
		return take(x, object, out.Event)
	}
	return take(x, object, x.last)
}

// last checks the last line against those before it.
func (x *exportReader) last(e exportEnd) error {
	switch {
	case !slices.Equal(e.LeftOut, leftOut):
		return x.wrong("says that %v are left out, and this payrun expects %v", e.LeftOut, leftOut)
	case e.Lines != x.lines:
		return ledger.NotExport("it has %d lines, and its last one says %d: some are gone", x.lines, e.Lines)
	case e.SHA256 != hex.EncodeToString(x.sum.Sum(nil)):
		return ledger.NotExport("its lines are not those that were written: its last one tells another SHA-256")
	}
	x.end = &e
	return nil
}

func (b exportBatch) batch() ledger.Batch {
	b.Batch.HeldAt, b.Batch.SubmittedAt, b.Batch.SuccessAt = set(b.HeldAt), set(b.SubmittedAt), set(b.SuccessAt)
	return b.Batch
}

func (o exportObservation) observation() ledger.NewObservation {
	n := ledger.NewObservation{AttemptKey: ledger.AttemptKey{PayoutID: o.PayoutID, Number: o.Attempt}, Seq: o.Seq, At: o.At, Observation: ledger.Observation{
		Status: o.Status, BankStatusCode: o.BankStatusCode, OpenTxnID: o.OpenTxnID, BankTxnRefID: o.BankTxnRefID, Error: o.Error, Unread: o.Unread}}
	n.Amount, n.HasAmount = set(o.Amount), o.Amount != nil
	return n
}

func (i exportIntent) intent() ledger.RecordedIntent {
	i.RecordedIntent.EndedAt, i.RecordedIntent.Looked, i.RecordedIntent.BankTime = set(i.EndedAt), i.Looked, set(i.BankTime)
	return i.RecordedIntent
}

// set returns the zero value for nil.
func set[T ledger.Paise | time.Time](v *T) (is T) {
	if v != nil {
		is = *v
	}
	return is
}
