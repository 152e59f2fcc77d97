package reports

import (
	"context"
	"fmt"

	"github.com/xuri/excelize/v2"
	"payrun/ledger"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

func writeWorkbook(ctx context.Context, dir *folder.Folder, s *Snapshot, g *gathered) error {
	tables, err := fillTables(ctx, dir, s, g)
	if err != nil {
		return err
	}
	out, err := dir.Create(workbookFile)
	if err != nil {
		return err
	}
	book, err := xlsx.NewBook()
	if err != nil {
		return err
	}
	defer func() { _ = book.Close() }()
	w := &workbook{book}
	if err := w.addSummary(s, g.totals); err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	for _, t := range tables {
		if err := w.addTable(t); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	if err := w.addAbout(s, g.totals); err != nil {
		return fmt.Errorf("about: %w", err)
	}
	full := true // subtotals are recalculated by programs that open it
	if err := w.SetCalcProps(&excelize.CalcPropsOptions{FullCalcOnLoad: &full}); err != nil {
		return err
	}
	if err := w.Write(out, "Payout reconciliation", s.At()); err != nil {
		return err
	}
	return out.Flush()
}

// workbook is reconciliation.xlsx while it is put together.
type workbook struct{ *xlsx.Book }

// fillTables writes the rows of every table, in the order of the tabs.
func fillTables(ctx context.Context, dir *folder.Folder, s *Snapshot, g *gathered) ([]*table, error) {
	batches, accounts, banks, audit := newTable(dir, batchesTab()), newTable(dir, accountsTab()), newTable(dir, banksTab()), newTable(dir, auditTab())
	for _, b := range s.batches {
		if err := batches.add(batchCells(s, b)...); err != nil {
			return nil, err
		}
	}
	for _, a := range g.byAccount() {
		if err := accounts.add(accountCells(s, a)...); err != nil {
			return nil, err
		}
	}
	for _, b := range g.byBank() {
		if err := banks.add(bankCells(b)...); err != nil {
			return nil, err
		}
	}
	err := s.ledger.Events(ctx, func(e ledger.Event) error {
		cleanEvent(&e)
		if !s.covers(e) {
			return nil
		}
		return audit.add(eventCells(s, e)...)
	})
	if err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	threeWay := newTable(dir, threeWayTab())
	if err := s.threeWayRows(threeWay); err != nil {
		return nil, err
	}
	tables := []*table{g.tabs.payouts, g.tabs.attention, g.tabs.attempts, batches, threeWay, accounts, banks, audit}
	for _, t := range tables {
		if err := t.finish(); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// covers reports whether the event is about what was asked for.
func (s *Snapshot) covers(e ledger.Event) bool {
	_, sheet := s.sheetNames[e.SheetID]
	_, batch := s.batchAt[e.BatchID]
	return sheet || batch || s.Scope.IsAll()
}

func (w *workbook) addTable(t *table) error {
	for _, p := range t.parts {
		head, err := t.head(p)
		if err != nil {
			return err
		}
		if err := w.AddTab(p.name, head, p.packed); err != nil {
			return err
		}
		if err := w.layOut(t, p); err != nil {
			return err
		}
	}
	return nil
}

// layOut gives a table's tab its widths, frozen header, filter and print set-up.
func (w *workbook) layOut(t *table, p *part) error {
	for i, c := range t.columns {
		name := xlsx.ColumnName(i)
		if err := w.SetColWidth(p.name, name, name, c.width); err != nil {
			return err
		}
	}
	err := w.SetFrame(p.name, xlsx.Frame{Header: headerRow, Last: p.lastRow(), Columns: len(t.columns), Fixed: t.fixed})
	if err != nil || t.printed == 0 {
		return err
	}
	return w.SetDefinedName(&excelize.DefinedName{
		Name: "_xlnm.Print_Area", Scope: p.name, RefersTo: fmt.Sprintf("'%s'!$A$1:$%s$%d", p.name, xlsx.ColumnName(t.printed-1), p.lastRow()),
	})
}
