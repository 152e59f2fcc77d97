package sqlite

import (
	"context"
	"database/sql"
	"errors"
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

// ChangePeople records changes of who may use the desk, all or none. It returns a *ledger.PeopleError if one of
// them is not possible.
func (s *Tables) ChangePeople(ctx context.Context, changes ...ledger.PersonChange) error {
	return s.inTx(ctx, "change who may use the desk", func(tx Writer) error {
		for _, c := range changes {
			roster, _, err := trailsOf(ctx, tx)
			if err != nil {
				return err
			}
			e, err := roster.Decide(c)
			if err != nil {
				return err
			}
			if c.Stored != "" {
				if _, err := tx.Exec(ctx, `INSERT INTO passwords (name, kept) VALUES (?, ?)`, ledger.KeptPassword(c.Stored), c.Stored); err != nil {
					return err
				}
			}
			if err := s.appendEvent(ctx, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// StoredSecret returns what is kept of a person's password or factor, by its name in the trail. It returns ""
// for no name, or if an import brought none, and ledger.ErrTampered if it does not match its event.
func (s *Tables) StoredSecret(ctx context.Context, p ledger.Person, name string) (kept string, err error) {
	if name == "" {
		return "", nil
	}
	err = s.db.QueryRow(ctx, `SELECT kept FROM passwords WHERE name = ?`, name).Scan(&kept)
	if errors.Is(err, sql.ErrNoRows) {
		var copied bool // an import has no passwords; it is a copy, or an accepted one
		err = s.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM copied) OR EXISTS (SELECT 1 FROM restores)`).Scan(&copied)
		if copied {
			return "", nil
		}
	}
	if err == nil && ledger.KeptPassword(kept) != name {
		return "", fmt.Errorf("the password of %s: %w", p.Name, ledger.ErrTampered)
	}
	return kept, damage("read the password of "+p.Name, err)
}

// RecordLogin records that a person signed in at the desk, left it, or was refused.
func (s *Tables) RecordLogin(ctx context.Context, l ledger.Login) error {
	return s.inTx(ctx, "record a login", func(tx Writer) error { return s.appendEvent(ctx, tx, l.Event()) })
}
