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

// columnsWord is a load's decision about the columns of its sheet.
type columnsWord struct {
	header  string
	columns map[string]string
}

// KeepColumns implements ledger.Load.
func (l *loading) KeepColumns(header string, columns map[string]string) {
	l.columns = &columnsWord{header, columns}
}

// recordColumns adds the event of that decision, unless it changes nothing.
func (l *loading) recordColumns(ctx context.Context, sheet ledger.Sheet, chain *ledger.Chain) error {
	if l.columns == nil {
		return nil
	}
	trail, err := columnsOf(ctx, l.w)
	if err != nil {
		return err
	}
	e, news := trail.Decide(ledger.KeptColumns{Header: l.columns.header, Columns: l.columns.columns, SheetID: sheet.ID, Actor: sheet.LoadedBy, At: sheet.LoadedAt})
	if !news {
		return nil
	}
	return chainEvent(ctx, l.w, chain, e)
}
