package sqlite

import (
	"context"
	"errors"

	"payrun/ledger"
)

// KeptColumns returns the columns kept for each header, from the audit trail.
func (s *Tables) KeptColumns(ctx context.Context) (ledger.ColumnsTrail, error) {
	trail, err := columnsOf(ctx, s.db)
	return trail, damage("read which columns are kept", err)
}

// columnsOf replays the events about columns. An event that cannot have happened is damage: payrun does not
// guess how to read a sheet.
func columnsOf(ctx context.Context, r Reader) (trail ledger.ColumnsTrail, err error) {
	err = eachEvent(ctx, r, func(e ledger.Event) error {
		if err := trail.Replay(e); err != nil {
			return errors.Join(ledger.ErrLedgerDamaged, err)
		}
		return nil
	}, `kind = 'columns_kept' OR kind = 'columns_forgotten'`)
	return trail, err
}

// KeepColumns implements ledger.Load.
func (l *loading) KeepColumns(header string, columns map[string]string) {
	l.columns = &ledger.KeptColumns{Header: header, Columns: columns}
}

// recordColumns adds the event about the columns of the sheet, unless it changes nothing.
func (l *loading) recordColumns(ctx context.Context, sheet ledger.Sheet, chain *ledger.Chain) error {
	if l.columns == nil {
		return nil
	}
	trail, err := columnsOf(ctx, l.w)
	if err != nil {
		return err
	}
	l.columns.SheetID, l.columns.Actor, l.columns.At = sheet.ID, sheet.LoadedBy, sheet.LoadedAt
	e, news := trail.Decide(*l.columns)
	if !news {
		return nil
	}
	return chainEvent(ctx, l.w, chain, e)
}
