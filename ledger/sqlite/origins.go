package sqlite

import (
	"context"
	"fmt"
	"slices"

	"payrun/ledger"
)

// insertOrigins records the rows that payouts came from, before their sheet is sealed.
func (l *loading) insertOrigins(ctx context.Context) error {
	for _, o := range l.origins {
		n, err := l.w.Exec(ctx, `INSERT INTO origins (payout_id, sheet_no, row) SELECT ?, no, ? FROM sheets WHERE id = ?`, o.ID, o.From.Row, o.From.SheetID)
		if err != nil {
			return fmt.Errorf("the origin of %q: %w", o.Ref, err)
		}
		if n != 1 {
			return fmt.Errorf("the origin of %q: %w: there is no sheet %s", o.Ref, ledger.ErrNotFound, o.From.SheetID)
		}
	}
	return nil
}

// recordOrigins adds the events of the origins.
func (l *loading) recordOrigins(ctx context.Context, sheet ledger.Sheet, chain *ledger.Chain) error {
	for i := range l.origins {
		if err := chainEvent(ctx, l.w, chain, sheet.OriginEvent(&l.origins[i].Payout, *l.origins[i].From)); err != nil {
			return err
		}
	}
	return nil
}

// RowsUsed returns which of these rows of a sheet are payouts: of the sheet itself, or left out there and
// loaded with a later sheet.
func (s *Tables) RowsUsed(ctx context.Context, sheetID string, rows []int) (map[int]ledger.RowUse, error) {
	const use = `p.ref, s.id, s.name, p.row, s.loaded_at, ifnull((SELECT a.state FROM attempts a WHERE a.payout_id = p.id AND ` + latest + `), 'planned')`
	used, err := byKey(ctx, s.db, func(row *int, u *ledger.RowUse) []any {
		return []any{row, &u.Own, &u.Ref, &u.SheetID, &u.SheetName, &u.Row, moment{&u.LoadedAt}, &u.State}
	}, `SELECT p.row, 1, `+use+` FROM sheets s JOIN payouts p ON p.id BETWEEN s.first_payout AND s.last_payout
		WHERE s.id = ?1 AND p.row IN (SELECT value FROM json_each(?2))
		UNION ALL SELECT o.row, 0, `+use+` FROM origins o JOIN payouts p ON p.id = o.payout_id JOIN sheets s ON s.no = p.sheet_no
		WHERE o.sheet_no = (SELECT no FROM sheets WHERE id = ?1) AND o.row IN (SELECT value FROM json_each(?2))`, sheetID, inList(rows))
	return used, damage("look where rows went", err)
}

// Elsewhere calls fn for each row of a sheet that is a payout of another sheet, with its latest attempt, in the
// order of the rows: rows that correct a payout, and rows that came from an earlier sheet that left them out.
func (s *Tables) Elsewhere(ctx context.Context, sheetID string, fn func(row int, a ledger.Attempt) error) error {
	const doing = "look where rows went"
	type place struct {
		row int
		id  int64
	}
	places, err := list(ctx, s.db, func(p *place) []any { return []any{&p.row, &p.id} }, `SELECT row, payout_id FROM corrections WHERE sheet_no = (SELECT no FROM sheets WHERE id = ?1)
		UNION ALL SELECT row, payout_id FROM origins WHERE sheet_no = (SELECT no FROM sheets WHERE id = ?1) ORDER BY 1`, sheetID)
	if err != nil {
		return damage(doing, err)
	}
	for chunk := range slices.Chunk(places, lookups) {
		ids := ledger.ListOf(chunk, func(p place) int64 { return p.id })
		latest := map[int64]ledger.Attempt{}
		err := s.eachAttempt(ctx, selection{Filter: ledger.Filter{Payouts: ids}}, func(a ledger.Attempt) error { latest[a.ID] = a; return nil })
		if err != nil {
			return damage(doing, err)
		}
		for _, p := range chunk {
			if err := fn(p.row, latest[p.id]); err != nil {
				return err
			}
		}
	}
	return nil
}
