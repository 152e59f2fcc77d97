package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"payrun/ledger"
)

// Export is everything in the ledger that cannot be derived from the rest, in
// an order in which it could be recorded again. The bank's branch list is not
// in it: it is imported, not made here.
type Export struct {
	Ledger      func(id string, createdAt time.Time) error
	Sheet       func(ledger.Sheet, *ledger.ReadOptions) error // the reading is nil where the bytes were not kept
	SheetPart   func(sheetID string, part int, bytes []byte) error
	Batch       func(ledger.Batch) error
	Attempt     func(ledger.Attempt) error // with its payout; the first attempt of a payout before its others
	Observation func(Observation) error
	Intent      func(Intent) error
	Approval    func(ledger.Approval) error
	Proposal    func(ledger.Proposal) error
	Event       func(ledger.Event) error
}

// Observation is what the bank said of an attempt, as the ledger keeps it.
type Observation struct {
	PayoutID       int64         `json:"payout_id"`
	Attempt        int           `json:"attempt"`
	Seq            int           `json:"seq"`
	At             time.Time     `json:"at"`
	Status         string        `json:"status"`
	BankStatusCode string        `json:"bank_status_code"`
	Amount         *ledger.Paise `json:"amount"` // null when the answer had none that could be read
	OpenTxnID      string        `json:"open_txn_id"`
	BankTxnRefID   string        `json:"bank_txn_ref_id"`
	Error          string        `json:"error"`
}

// Intent is a call to the bank that changes something, and its outcome.
type Intent struct {
	No            int64          `json:"no"`
	BatchID       string         `json:"batch_id"`
	Kind          string         `json:"kind"` // initiate or submit
	PayloadSHA256 string         `json:"payload_sha256"`
	At            time.Time      `json:"at"`
	Outcome       ledger.Outcome `json:"outcome"` // "" while it is open
	HTTPStatus    int            `json:"http_status"`
	Code          string         `json:"code"`
	Message       string         `json:"message"`
	EndedAt       *time.Time     `json:"ended_at"`
}

// Export calls the functions of out for everything in the ledger and returns
// the audit head of what it read. ledger.ErrConflict when another run wrote
// meanwhile; then the export has to be repeated.
func (s *Store) Export(ctx context.Context, out Export) (ledger.AuditHead, error) {
	const doing = "export the ledger"
	before, err := s.AuditHead(ctx)
	if err != nil {
		return before, err
	}
	for _, part := range []func(context.Context, Export) error{
		s.exportSheets, s.exportBatches, s.exportAttempts, s.exportObservations, s.exportIntents, s.exportPeople,
	} {
		if err := part(ctx, out); err != nil {
			return before, damage(doing, err)
		}
	}
	if err := s.Events(ctx, out.Event); err != nil {
		return before, err
	}
	after, err := s.AuditHead(ctx)
	if err == nil && after != before {
		err = fmt.Errorf("%s: %w: it reached event %d while it was read", doing, ledger.ErrConflict, after.Length)
	}
	return before, err
}

func (s *Store) exportSheets(ctx context.Context, out Export) error {
	var created sql.NullInt64
	if err := s.read.QueryRowContext(ctx, `SELECT created_at FROM ledger`).Scan(&created); err != nil {
		return err
	}
	if err := out.Ledger(s.id, fromMicros(created)); err != nil {
		return err
	}
	sheets, err := s.Sheets(ctx)
	if err != nil {
		return err
	}
	for _, sheet := range sheets {
		if err := s.exportSheet(ctx, sheet, out); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) exportSheet(ctx context.Context, sheet ledger.Sheet, out Export) error {
	var r ledger.ReadOptions
	var columns string
	err := s.read.QueryRowContext(ctx, `SELECT r.encoding, r.hidden_rows, r.columns FROM sheet_readings r JOIN sheets s ON s.no = r.sheet_no
		WHERE s.id = ?`, sheet.ID).Scan(&r.Encoding, &r.HiddenRows, &columns)
	if errors.Is(err, sql.ErrNoRows) {
		return out.Sheet(sheet, nil)
	}
	if err == nil {
		err = json.Unmarshal([]byte(columns), &r.Columns)
	}
	if err != nil {
		return err
	}
	if err := out.Sheet(sheet, &r); err != nil || out.SheetPart == nil {
		return err
	}
	parts := &partWriter{give: func(n int, b []byte) error { return out.SheetPart(sheet.ID, n, b) }}
	if _, err := s.SheetContents(ctx, sheet.ID, parts); err != nil {
		return err
	}
	return parts.flush()
}

// exportPart is how many bytes of a sheet are given at once.
const exportPart = 48 << 10

// partWriter cuts what is written to it into parts of one size.
type partWriter struct {
	buf  []byte
	n    int
	give func(n int, b []byte) error
}

var _ io.Writer = (*partWriter)(nil)

func (w *partWriter) Write(b []byte) (int, error) {
	w.buf = append(w.buf, b...)
	for len(w.buf) >= exportPart {
		w.n++
		if err := w.give(w.n, w.buf[:exportPart]); err != nil {
			return 0, err
		}
		w.buf = append(w.buf[:0], w.buf[exportPart:]...)
	}
	return len(b), nil
}

func (w *partWriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	w.n++
	return w.give(w.n, w.buf)
}

func (s *Store) exportBatches(ctx context.Context, out Export) error {
	all, err := s.Batches(ctx, ledger.Filter{})
	if err != nil {
		return err
	}
	for _, b := range all {
		if err := out.Batch(b); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) exportAttempts(ctx context.Context, out Export) error {
	return s.EachPayout(ctx, ledger.Filter{Attempts: true}, out.Attempt)
}

func (s *Store) exportObservations(ctx context.Context, out Export) error {
	return each(ctx, s.read, func(rows *sql.Rows) error {
		var o Observation
		var at, amount sql.NullInt64
		if err := rows.Scan(&o.PayoutID, &o.Attempt, &o.Seq, &at, &o.Status, &o.BankStatusCode, &amount, &o.OpenTxnID, &o.BankTxnRefID, &o.Error); err != nil {
			return err
		}
		o.At = fromMicros(at)
		if amount.Valid {
			p := ledger.Paise(amount.Int64)
			o.Amount = &p
		}
		return out.Observation(o)
	}, `SELECT payout_id, number, seq, at, status, bank_status_code, amount, open_txn_id, bank_txn_ref_id, error
		FROM observations ORDER BY payout_id, number, seq`)
}

func (s *Store) exportIntents(ctx context.Context, out Export) error {
	return each(ctx, s.read, func(rows *sql.Rows) error {
		var i Intent
		var at, ended sql.NullInt64
		err := rows.Scan(&i.No, &i.BatchID, &i.Kind, &i.PayloadSHA256, &at, &i.Outcome, &i.HTTPStatus, &i.Code, &i.Message, &ended)
		if err != nil {
			return err
		}
		i.At = fromMicros(at)
		if ended.Valid {
			t := fromMicros(ended)
			i.EndedAt = &t
		}
		return out.Intent(i)
	}, `SELECT i.no, b.id, i.kind, i.payload_sha256, i.at, ifnull(i.outcome, ''), ifnull(i.http_status, 0), ifnull(i.code, ''), ifnull(i.message, ''), i.ended_at
		FROM intents i JOIN batches b ON b.no = i.batch_no ORDER BY i.no`)
}

func (s *Store) exportPeople(ctx context.Context, out Export) error {
	approvals, err := s.Approvals(ctx, "")
	if err != nil {
		return err
	}
	for _, a := range approvals {
		if err := out.Approval(a); err != nil {
			return err
		}
	}
	proposals, err := s.Proposals(ctx, "")
	if err != nil {
		return err
	}
	for _, p := range proposals {
		if err := out.Proposal(p); err != nil {
			return err
		}
	}
	return nil
}
