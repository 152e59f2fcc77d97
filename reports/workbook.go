package reports

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/xuri/excelize/v2"
	"payrun/ledger"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

func writeWorkbook(ctx context.Context, dir *folder.Folder, s *Snapshot, g *gathered) error {
	tables := []*table{g.payoutsTab, g.attentionTab, g.attemptsTab,
		s.batchesTab(dir), s.threeWayTab(dir), s.accountsTab(dir, byBank(g.accounts)), banksTab(dir, byBank(g.banks)), s.auditTab(ctx, dir)}
	out, err := dir.Create(workbookFile)
	if err != nil {
		return err
	}
	w, err := xlsx.NewBook()
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }()
	if err := addSummary(w, s, g.totals); err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	for _, t := range tables {
		if err := t.addTo(w); err != nil {
			return err
		}
	}
	// programs that open it recalculate the subtotals
	err = errors.Join(addAbout(w, s, g.totals), w.SetCalcProps(&excelize.CalcPropsOptions{FullCalcOnLoad: new(true)}))
	if err != nil {
		return err
	}
	return errors.Join(w.Write(out, "Payout reconciliation", s.At()), out.Flush())
}

// covers reports whether the event is about a selected sheet or batch.
func (s *Snapshot) covers(e ledger.Event) bool {
	_, sheet := s.sheetNames[e.SheetID]
	_, batch := s.batchAt[e.BatchID]
	return sheet || batch || s.Scope.IsAll()
}

// addTo adds the tabs of the table. A table without rows has one tab, which says so.
func (t *table) addTo(w *xlsx.Book) error {
	if len(t.parts) == 0 && t.current() != nil {
		t.parts[0].data.Add(xlsx.Text(t.empty))
	}
	if t.err != nil {
		return t.err
	}
	for _, p := range t.parts {
		rows, err := p.draft.Written()
		if err = cmp.Or(err, w.AddTab(p.name, t.head(p), rows), t.layOut(w, p)); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// layOut gives a table's tab its widths, frozen header, filter and print set-up.
func (t *table) layOut(w *xlsx.Book, p *part) error {
	widths := ledger.ListOf(t.columns, func(c heading) float64 { return c.width })
	err := errors.Join(w.SetWidths(p.name, widths...),
		w.SetFrame(p.name, xlsx.Frame{Header: headerRow, Last: p.data.Last(), Columns: len(t.columns), Fixed: t.fixed}))
	if err != nil || t.printed == 0 {
		return err
	}
	return w.SetDefinedName(&excelize.DefinedName{
		Name: "_xlnm.Print_Area", Scope: p.name, RefersTo: fmt.Sprintf("'%s'!$A$1:$%s$%d", p.name, xlsx.ColumnName(t.printed-1), p.data.Last()),
	})
}
