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
	err = s.db.Moment(ctx, func(r Snapshot) error {
		return inTurn(
			func() error { return s.exportSheets(ctx, r, out) },
			func() error { return give(out.Batch)(batchesWhere(ctx, r, `true`)) },
			func() error { return selection{Filter: ledger.Filter{Attempts: true}}.each(ctx, r, out.Attempt) },
			func() error { return exportOrigins(ctx, r, out) },
			func() error { return exportCorrections(ctx, r, out) },
			func() error { return eachObservation(ctx, r, out.Observation, factsOfAnswers) },
			func() error { return exportIntents(ctx, r, out) },
			func() error { return eachLook(ctx, r, out.StatusCheck, `true`) },
			func() error {
				return eachEvent(ctx, r, func(e ledger.Event) error { return out.Approval(e.Approval()) }, `kind = 'approved'`)
			},
			func() error { return give(out.Release)(proposals(ctx, r, "")) },
			func() error { return give(out.Statement)(readingsOf(ctx, r, "", "")) },
			func() error { return eachLine(ctx, r, out.Line, `true`) },
			func() error { return give(out.Decision)(statementWords(ctx, r, `true`)) },
			func() error {
				listed, err := listedOf(ctx, r)
				if err != nil {
					return err
				}
				return out.BankLists(listed)
			},
			func() error { return eachEvent(ctx, r, out.Event, `true`) },
			func() (err error) { head, err = auditHead(ctx, r); return err },
		)
	})
	return head, damage("export the ledger", err)
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

func (s *Tables) exportSheets(ctx context.Context, r Reader, out ledger.Export) error {
	var created time.Time
	if err := r.QueryRow(ctx, `SELECT created_at FROM ledger`).Scan(moment{&created}); err != nil {
		return err
	}
	if err := out.Ledger(s.id, created); err != nil {
		return err
	}
	return give(func(sheet ledger.Sheet) error { return exportSheet(ctx, r, sheet, out) })(sheets.list(ctx, r, `true ORDER BY no`))
}

func exportSheet(ctx context.Context, r Reader, sheet ledger.Sheet, out ledger.Export) error {
	var as ledger.ReadOptions
	err := r.QueryRow(ctx, `SELECT `+readings.columns+` FROM sheet_readings WHERE sheet_no = (SELECT no FROM sheets WHERE id = ?)`, sheet.ID).Scan(readings.fields(&as)...)
	if errors.Is(err, sql.ErrNoRows) {
		return out.Sheet(sheet, nil)
	}
	if err != nil {
		return err
	}
	if err := out.Sheet(sheet, &as); err != nil || out.SheetPart == nil {
		return err
	}
	var whole bytes.Buffer
	if _, err := sheetContents(ctx, r, sheet.ID, &whole); err != nil {
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

func exportOrigins(ctx context.Context, r Reader, out ledger.Export) error {
	type origin struct {
		payoutID int64
		from     ledger.RowOrigin
	}
	return eachOf(ctx, r, func(o *origin) []any { return []any{&o.payoutID, &o.from.SheetID, &o.from.Row} },
		func(o origin) error { return out.Origin(o.payoutID, o.from) }, `SELECT o.payout_id, s.id, o.row FROM origins o JOIN sheets s ON s.no = o.sheet_no ORDER BY o.payout_id`)
}

func exportCorrections(ctx context.Context, r Reader, out ledger.Export) error {
	return eachOf(ctx, r, func(c *ledger.RecordedCorrection) []any {
		return append([]any{&c.ID, &c.Number, &c.SheetID, &c.Row, &c.Ref, &c.BankAccountID, &c.SubMerchantID, &c.TransactionTypeID}, corrections.fields(&c.Payout)...)
	}, out.Correction, `SELECT c.payout_id, c.number, s.id, c.row, p.ref, r.bank_account_id, r.sub_merchant_id, r.transaction_type_id, `+corrections.of("c")+`
		FROM corrections c JOIN payouts p ON p.id = c.payout_id JOIN sheets s ON s.no = c.sheet_no JOIN routes r ON r.no = c.route_no ORDER BY c.payout_id, c.number`)
}

func exportIntents(ctx context.Context, r Reader, out ledger.Export) error {
	return eachOf(ctx, r, func(i *ledger.RecordedIntent) []any {
		return append([]any{&i.No, &i.BatchID, &i.Looked}, intents.fields(&i.Intent)...)
	}, out.Intent,
		`SELECT no, (SELECT id FROM batches b WHERE b.no = batch_no), looks = (SELECT count(*) FROM looks l WHERE l.batch_no = intents.batch_no AND l.intent_no = intents.no), `+
			intents.columns+` FROM intents ORDER BY no`)
}
