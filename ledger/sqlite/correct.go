package sqlite

import (
	"context"
	"errors"
	"fmt"

	"payrun/ledger"
)

// correctedBatches are the corrections of one sheet's payouts, and their plan.
type correctedBatches struct {
	list    []ledger.Corrected
	batches []ledger.PlannedBatch
}

// Correct implements ledger.Load.
func (l *loading) Correct(list []ledger.Corrected, batches []ledger.PlannedBatch) error {
	if err := l.usable(); err != nil {
		return err
	}
	if len(list) == 0 {
		return errors.New("no corrections are given")
	}
	l.corrections = append(l.corrections, correctedBatches{list, batches})
	return nil
}

// corrected counts and sums the corrections of this load.
func (l *loading) corrected() (t ledger.Tally) {
	for _, c := range l.corrections {
		for _, one := range c.list {
			t.Add(one.Is.Amount)
		}
	}
	return t
}

// SheetCorrections returns the batches in which a sheet corrects payouts of others, and those in which its own
// were corrected, in the order of planning.
func (s *Tables) SheetCorrections(ctx context.Context, sheetID string) ([]ledger.SheetCorrection, error) {
	list, err := list(ctx, s.db, func(c *ledger.SheetCorrection) []any { return []any{&c.Of, &c.By, &c.BatchID} },
		`SELECT f.id, g.id, b.id FROM batches b JOIN sheets f ON f.no = b.sheet_no JOIN (
			SELECT a.batch_no, c.sheet_no FROM corrections c JOIN attempts a ON a.payout_id = c.payout_id AND a.number = c.number GROUP BY a.batch_no, c.sheet_no
		) c ON c.batch_no = b.no JOIN sheets g ON g.no = c.sheet_no WHERE f.id = ?1 OR g.id = ?1 ORDER BY b.no`, sheetID)
	return list, damage("read the corrections", err)
}

// correct records what the further attempts will send, before the sheet is sealed: a correction belongs to its
// sheet.
func (l *loading) correct(ctx context.Context) error {
	for _, group := range l.corrections {
		for i := range group.list {
			c := &group.list[i]
			if err := mayFollow(ctx, l.w, []ledger.AttemptKey{c.After.Key()}); err != nil {
				return fmt.Errorf("row %d: %w", c.Is.Row, err)
			}
			if err := l.insertCorrection(ctx, c); err != nil {
				return fmt.Errorf("row %d: %w", c.Is.Row, err)
			}
		}
	}
	return nil
}

func (l *loading) insertCorrection(ctx context.Context, c *ledger.Corrected) error {
	route, err := routeNo(ctx, l.w, c.Is.Route())
	if err != nil {
		return err
	}
	return corrections.insert(ctx, l.w, &c.Is, "payout_id, number, sheet_no, row, route_no, ", c.After.ID, c.After.Number+1, l.sheetNo, c.Is.Row, route)
}

// planCorrected plans the further attempts, and records in the audit trail how each differs from the one before
// it.
func (l *loading) planCorrected(ctx context.Context, sheet ledger.Sheet) error {
	for _, group := range l.corrections {
		attempts := ledger.ListOf(group.list, ledger.Corrected.Sends)
		planned, err := l.s.planAgain(ctx, l.w, sheet.LoadedBy, sheet.LoadedAt, attempts, group.batches)
		if err != nil {
			return err
		}
		chain, err := l.s.chain(ctx, l.w)
		if err != nil {
			return err
		}
		for _, b := range planned {
			for _, m := range b.Members {
				if err := chainEvent(ctx, l.w, &chain, group.list[m].Event(b.ID, sheet)); err != nil {
					return err
				}
			}
		}
		l.plans(planned)
	}
	return nil
}
