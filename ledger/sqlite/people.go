package sqlite

import (
	"context"
	"fmt"

	"payrun/ledger"
)

// Approve records that people approved batches or sent them back; all or none. It returns ledger.ErrTransition
// if a batch is not planned or the actor planned it or approved it already (ledger.ErrDuplicate), and
// ledger.ErrStale if one has changed since it was shown to them.
func (s *Tables) Approve(ctx context.Context, words ...ledger.Approving) error {
	return s.inTx(ctx, "record what was decided", func(tx Writer) error {
		for _, a := range words {
			b, err := mayDecide(ctx, tx, a)
			if err == nil {
				err = s.appendEvent(ctx, tx, a.Event(b.Batch))
			}
			if err != nil {
				return fmt.Errorf("of batch %s: %w", a.BatchID, err)
			}
		}
		return nil
	})
}

// mayDecide reads the planned batch that a person decides about. It returns an error if the batch has changed
// since it was shown to them, or if they planned it or approved it already.
func mayDecide(ctx context.Context, tx Writer, a ledger.Approving) (b batchRow, err error) {
	if b, err = batchByID(ctx, tx, a.BatchID); err != nil {
		return b, err
	}
	trail, err := trailOf(ctx, tx, b.ID)
	if err != nil {
		return b, err
	}
	payload := a.PayloadSHA256
	if a.SentBack != "" {
		payload = a.Shown.Payload
	}
	if err := a.Shown.Held(b.ID, payload, &trail); err != nil {
		return b, err
	}
	approval, err := approvalOf(ctx, tx, b.ID)
	if err != nil {
		return b, err
	}
	if b.State != ledger.BatchPlanned {
		return b, fmt.Errorf("%w: it is %s", ledger.ErrTransition, b.State)
	}
	if err := approval.May(a); err != nil {
		return b, fmt.Errorf("%w: %w", ledger.ErrTransition, err)
	}
	return b, nil
}

// Comment records what a person says about a sheet. It returns ledger.ErrNotFound if there is no such sheet.
func (s *Tables) Comment(ctx context.Context, c ledger.Comment) error {
	return s.inTx(ctx, "record a comment", func(tx Writer) error {
		var no int64
		if err := tx.QueryRow(ctx, `SELECT no FROM sheets WHERE id = ?`, c.SheetID).Scan(&no); err != nil {
			return orNotFound(err)
		}
		return s.appendEvent(ctx, tx, c.Event())
	})
}

// SheetWords calls fn for what people said about a sheet, approvals excluded: what they sent back, and
// comments; oldest first.
func (s *Tables) SheetWords(ctx context.Context, sheetID string, fn func(ledger.Event) error) error {
	return damage("read what was said of a sheet", eachEvent(ctx, s.db, fn, `sheet_id = ? AND (kind = 'sent_back' OR kind = 'commented')`, sheetID))
}
