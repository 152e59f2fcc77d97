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

// ReadExport calls the functions of out for the lines of an export that ExportLines wrote, and
// returns the audit head in its last line. It returns ledger.ErrExport if the export is masked, cut
// off, edited or out of order, or has something that this program does not know.
func ReadExport(r io.Reader, out ledger.Export) (head ledger.AuditHead, err error) {
	x := exportReader{out: out, sum: sha256.New()}
	x.kinds = x.allKinds()
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
	kinds  []exportKind
	lines  int       // read so far
	sum    hash.Hash // of those lines
	place  int       // of the last line's kind
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
	at := slices.IndexFunc(x.kinds, func(k exportKind) bool { return k.name == string(name) })
	place := at
	if string(name) == "sheet_bytes" || string(name) == "attempt" { // they follow the kind before, and may alternate with it
		place--
	}
	switch {
	case !headed || !named || place > 0 && x.lines == 0:
		return x.wrong("is no line of an export")
	case place < 0:
		return x.wrong("is a %q, which this payrun does not know: a newer one wrote it", name)
	case place < x.place || x.end != nil || place == 0 && x.lines > 0:
		return x.wrong("does not come in its turn")
	}
	x.place = place
	if string(name) != "end" {
		x.sum.Write(line) // a hash never fails
		x.sum.Write([]byte{'\n'})
	}
	object := line[len(line)-len(fields)-1:] // from the comma on, which becomes the opening brace
	object[0] = '{'
	return x.kinds[at].read(object)
}

// exportKind is a kind of line, with what reads its object.
type exportKind struct {
	name string
	read func(object []byte) error
}

// reads returns a kind whose objects are decoded and given to fn.
func reads[T any](x *exportReader, name string, fn func(T) error) exportKind {
	return exportKind{name, func(object []byte) error {
		var v T
		d := json.NewDecoder(bytes.NewReader(object))
		d.DisallowUnknownFields()
		if err := d.Decode(&v); err != nil || d.InputOffset() != int64(len(object)) {
			return x.wrong("cannot be read: it was edited, or a newer payrun wrote it (%v)", err)
		}
		return fn(v)
	}}
}

// allKinds returns the kinds of lines in their order.
func (x *exportReader) allKinds() []exportKind {
	out, lists := &x.out, &x.lists
	return []exportKind{
		reads(x, "ledger", x.first),
		reads(x, "sheet", func(s exportSheet) error { return out.Sheet(s.Sheet, s.Reading) }),
		reads(x, "sheet_bytes", func(p exportSheetPart) error { return out.SheetPart(p.SheetID, p.Part, p.Bytes) }),
		reads(x, "batch", func(b exportBatch) error { return out.Batch(b.batch()) }),
		reads(x, "payout", func(p ledger.Payout) error { x.payout = p; return nil }),
		reads(x, "attempt", x.attempt),
		reads(x, "origin", func(o exportOrigin) error { return out.Origin(o.PayoutID, o.RowOrigin) }),
		reads(x, "correction", out.Correction),
		reads(x, "observation", func(o Observation) error { return out.Observation(o.observation()) }),
		reads(x, "intent", func(i exportIntent) error { return out.Intent(i.intent()) }),
		reads(x, "look", out.StatusCheck),
		reads(x, "approval", out.Approval),
		reads(x, "proposal", out.Release),
		reads(x, "statement", out.Statement),
		reads(x, "statement_line", func(l exportStatementLine) error { return out.Line(l.line()) }),
		reads(x, "statement_word", out.Decision),
		reads(x, "bank_list", func(l ledger.ListedWhole) error { lists.Lists = append(lists.Lists, l); return nil }),
		reads(x, "bank_account", func(a ledger.ListedAccount) error { lists.Accounts = append(lists.Accounts, a); return nil }),
		reads(x, "bank_beneficiary", func(b ledger.ListedBeneficiary) error {
			lists.Beneficiaries = append(lists.Beneficiaries, b)
			return nil
		}),
		reads(x, "event", x.event),
		reads(x, "end", x.last),
	}
}

// first checks the first line.
func (x *exportReader) first(l exportLedger) error {
	switch {
	case l.Schema != exportSchema:
		return x.wrong("says that it is %q, and this payrun reads %q", l.Schema, exportSchema)
	case l.Masked:
		return ledger.NotExport("its account numbers are masked: export the ledger without --masked")
	}
	return x.out.Ledger(l.ID, l.CreatedAt)
}

func (x *exportReader) attempt(a exportAttempt) error {
	if a.PayoutID != x.payout.ID {
		return x.wrong("does not follow its payout")
	}
	a.Payout = x.payout
	return x.out.Attempt(a.Attempt)
}

// event gives the bank's lists before the first event, when they are complete.
func (x *exportReader) event(e ledger.Event) error {
	if give := x.out.BankLists; give != nil {
		x.out.BankLists = nil
		if err := give(x.lists); err != nil {
			return err
		}
	}
	return x.out.Event(e)
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

func (o Observation) observation() ledger.NewObservation {
	n := ledger.NewObservation{AttemptKey: ledger.AttemptKey{PayoutID: o.PayoutID, Number: o.Attempt}, Seq: o.Seq, At: o.At, Observation: ledger.Observation{
		Status: o.Status, BankStatusCode: o.BankStatusCode, OpenTxnID: o.OpenTxnID, BankTxnRefID: o.BankTxnRefID, Error: o.Error, Unread: o.Unread}}
	n.Amount, n.HasAmount = set(o.Amount), o.Amount != nil
	return n
}

func (l exportStatementLine) line() ledger.KeptLine {
	l.Ref = ledger.EntryRef{Reading: l.Statement, Line: l.Line}
	return l.KeptLine
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
