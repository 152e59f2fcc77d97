package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"payrun/ledger"
)

// Export calls the functions of out for everything in a snapshot of the ledger, and returns the audit head of
// that snapshot.
func (s *Tables) Export(ctx context.Context, out ledger.Export) (head ledger.AuditHead, err error) {
	err = s.db.Moment(ctx, func(r Reader) (err error) {
		head, err = (&Tables{id: s.id, db: snapshot{Reader: r}}).export(ctx, out)
		return err
	})
	return head, damage("export the ledger", err)
}

// snapshot is an Engine that only reads what one reader sees.
type snapshot struct {
	Reader
	noWriter
}

type noWriter struct{ Engine }

func (s snapshot) Moment(_ context.Context, fn func(Reader) error) error { return fn(s.Reader) }
func (snapshot) Writable() bool                                          { return false }

func (s *Tables) export(ctx context.Context, out ledger.Export) (ledger.AuditHead, error) {
	err := inTurn(
		func() error { return s.exportSheets(ctx, out) },
		func() error { return give(out.Batch)(s.Batches(ctx, ledger.Filter{})) },
		func() error { return s.EachPayout(ctx, ledger.Filter{Attempts: true}, out.Attempt) },
		func() error { return s.exportOrigins(ctx, out) },
		func() error { return s.exportCorrections(ctx, out) },
		func() error { return eachObservation(ctx, s.db, out.Observation, factsOfAnswers) },
		func() error { return s.exportIntents(ctx, out) },
		func() error { return eachLook(ctx, s.db, out.StatusCheck, `true`) },
		func() error {
			return eachEvent(ctx, s.db, func(e ledger.Event) error { return out.Approval(e.Approval()) }, `kind = 'approved'`)
		},
		func() error { return give(out.Release)(s.Proposals(ctx, "")) },
		func() error { return give(out.Statement)(s.Statements(ctx, "")) },
		func() error { return s.EachLine(ctx, "", out.Line) },
		func() error { return give(out.Decision)(s.StatementWords(ctx)) },
		func() error {
			listed, err := listedOf(ctx, s.db)
			if err != nil {
				return err
			}
			return out.BankLists(listed)
		},
		func() error { return s.Events(ctx, out.Event) },
	)
	if err != nil {
		return ledger.AuditHead{}, err
	}
	return s.AuditHead(ctx)
}

// End records that the ledger continues elsewhere, created from the export in a file, which ends with head. It
// is the last event: afterwards only a copy of the ledger can be opened to write. It returns ledger.ErrConflict
// if another run wrote since, because the export lacks that.
func (s *Tables) End(ctx context.Context, head ledger.AuditHead, actor, file string, at time.Time) error {
	return s.inTx(ctx, "end the ledger", func(tx Writer) error {
		now, err := auditHead(ctx, tx)
		if err != nil {
			return err
		}
		if now != head {
			return fmt.Errorf("%w: it reached event %d since it was exported", ledger.ErrConflict, now.Length)
		}
		return s.appendEvent(ctx, tx, ledger.MovedEvent(file, actor, at))
	})
}

// Moved returns ledger.ErrMoved for a ledger that ended, else nil. A copy of such a ledger may be used once a
// person accepts it.
func (s *Tables) Moved(ctx context.Context) error { return moved(ctx, s.db) }

func moved(ctx context.Context, r Reader) error {
	e := ledger.Event{Kind: ledger.EventMoved}
	err := r.QueryRow(ctx, `SELECT detail FROM events WHERE seq = (SELECT max(seq) FROM events) AND kind = ? AND NOT EXISTS (SELECT 1 FROM copied)`, e.Kind).Scan(&e.Detail)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return cmp.Or(damage("ask whether the ledger was moved", err), fmt.Errorf("%w: it was %s", ledger.ErrMoved, e.Words()))
}

// give returns a function that calls fn for each element that was read.
func give[T any](fn func(T) error) func([]T, error) error {
	return func(all []T, err error) error {
		for i := 0; err == nil && i < len(all); i++ {
			err = fn(all[i])
		}
		return err
	}
}

func (s *Tables) exportSheets(ctx context.Context, out ledger.Export) error {
	var created time.Time
	if err := s.db.QueryRow(ctx, `SELECT created_at FROM ledger`).Scan(moment{&created}); err != nil {
		return err
	}
	if err := out.Ledger(s.id, created); err != nil {
		return err
	}
	return give(func(sheet ledger.Sheet) error { return s.exportSheet(ctx, sheet, out) })(s.Sheets(ctx))
}

func (s *Tables) exportSheet(ctx context.Context, sheet ledger.Sheet, out ledger.Export) error {
	var r ledger.ReadOptions
	err := s.db.QueryRow(ctx, `SELECT `+readings.columns+` FROM sheet_readings WHERE sheet_no = (SELECT no FROM sheets WHERE id = ?)`, sheet.ID).Scan(readings.fields(&r)...)
	if errors.Is(err, sql.ErrNoRows) {
		return out.Sheet(sheet, nil)
	}
	if err != nil {
		return err
	}
	if err := out.Sheet(sheet, &r); err != nil || out.SheetPart == nil {
		return err
	}
	var whole bytes.Buffer
	if _, err := s.SheetContents(ctx, sheet.ID, &whole); err != nil {
		return err
	}
	n := 0
	for part := range slices.Chunk(whole.Bytes(), exportPart) {
		n++
		if err := out.SheetPart(sheet.ID, n, part); err != nil {
			return err
		}
	}
	return nil
}

// exportPart is the size of a part of a sheet, in bytes.
const exportPart = 48 << 10

func (s *Tables) exportOrigins(ctx context.Context, out ledger.Export) error {
	return each(ctx, s.db, func(rows Rows) error {
		var id int64
		var from ledger.RowOrigin
		if err := rows.Scan(&id, &from.SheetID, &from.Row); err != nil {
			return err
		}
		return out.Origin(id, from)
	}, `SELECT o.payout_id, s.id, o.row FROM origins o JOIN sheets s ON s.no = o.sheet_no ORDER BY o.payout_id`)
}

func (s *Tables) exportCorrections(ctx context.Context, out ledger.Export) error {
	return eachOf(ctx, s.db, func(c *ledger.RecordedCorrection) []any {
		return append([]any{&c.ID, &c.Number, &c.SheetID, &c.Row, &c.Ref, &c.BankAccountID, &c.SubMerchantID, &c.TransactionTypeID}, corrections.fields(&c.Payout)...)
	}, out.Correction, `SELECT c.payout_id, c.number, s.id, c.row, p.ref, r.bank_account_id, r.sub_merchant_id, r.transaction_type_id, `+corrections.of("c")+`
		FROM corrections c JOIN payouts p ON p.id = c.payout_id JOIN sheets s ON s.no = c.sheet_no JOIN routes r ON r.no = c.route_no ORDER BY c.payout_id, c.number`)
}

func (s *Tables) exportIntents(ctx context.Context, out ledger.Export) error {
	return eachOf(ctx, s.db, func(i *ledger.RecordedIntent) []any {
		return append([]any{&i.No, &i.BatchID, &i.Looked}, intents.fields(&i.Intent)...)
	}, out.Intent,
		`SELECT no, (SELECT id FROM batches b WHERE b.no = batch_no), looks = (SELECT count(*) FROM looks l WHERE l.batch_no = intents.batch_no AND l.intent_no = intents.no), `+
			intents.columns+` FROM intents ORDER BY no`)
}
