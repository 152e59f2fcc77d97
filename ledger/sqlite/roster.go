package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"payrun/ledger"
)

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
