package reports

import (
	"context"
	"fmt"
	"io"
	"sort"

	"github.com/xuri/excelize/v2"
	"payrun/ledger"
)

// workbook is reconciliation.xlsx while it is put together: excelize lays out
// the tabs, the archive puts their rows in.
type workbook struct {
	f       *excelize.File
	archive *archive
	tabs    int
}

func writeWorkbook(ctx context.Context, l Ledger, dir *folder, s *scope, g *gathered) error {
	tables, err := fillTables(ctx, l, dir, s, g)
	if err != nil {
		return err
	}
	out, err := dir.create(workbookFile)
	if err != nil {
		return err
	}
	w := &workbook{f: excelize.NewFile(), archive: newArchive(out, s.head.At)}
	defer func() { _ = w.f.Close() }()
	w.f.SetZipWriter(func(io.Writer) excelize.ZipWriter { return w.archive })
	if err := addStyles(w.f); err != nil {
		return err
	}
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
	if err := w.properties(s); err != nil {
		return err
	}
	w.settleOrder()
	if err := w.f.Write(io.Discard); err != nil { // into the archive
		return err
	}
	return out.Flush()
}

// fillTables writes the rows of every table, in the order of the tabs.
func fillTables(ctx context.Context, l Ledger, dir *folder, s *scope, g *gathered) ([]*table, error) {
	batches, banks, audit := newTable(dir, batchesTab()), newTable(dir, banksTab()), newTable(dir, auditTab())
	for _, b := range s.batches {
		if err := batches.add(batchCells(s, b)...); err != nil {
			return nil, err
		}
	}
	for _, b := range g.byBank() {
		if err := banks.add(bankCells(b)...); err != nil {
			return nil, err
		}
	}
	err := l.Events(ctx, func(e ledger.Event) error {
		cleanEvent(&e)
		if !s.covers(e) {
			return nil
		}
		return audit.add(eventCells(s, e)...)
	})
	if err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	tables := []*table{g.tabs.payouts, g.tabs.attention, batches, banks, audit}
	for _, t := range tables {
		if err := t.finish(); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// covers reports whether the event is about what was asked for.
func (s *scope) covers(e ledger.Event) bool {
	if s.SheetID == "" || e.SheetID == s.SheetID {
		return true
	}
	_, ok := s.batchAt[e.BatchID]
	return ok
}

// addTab adds a tab whose rows are written when the workbook is.
func (w *workbook) addTab(name string, rows func(io.Writer) error) error {
	w.tabs++
	if w.tabs == 1 { // a new workbook has one
		if err := w.f.SetSheetName(w.f.GetSheetName(0), name); err != nil {
			return err
		}
	} else if _, err := w.f.NewSheet(name); err != nil {
		return err
	}
	w.archive.rows[fmt.Sprintf("xl/worksheets/sheet%d.xml", w.tabs)] = rows
	return nil
}

func (w *workbook) addTable(t *table) error {
	for _, p := range t.parts {
		head, err := t.head(p)
		if err != nil {
			return err
		}
		err = w.addTab(p.name, func(out io.Writer) error {
			if _, err := out.Write(head); err != nil {
				return err
			}
			return p.draft.copyTo(out)
		})
		if err != nil {
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
		name := columnName(i)
		if err := w.f.SetColWidth(p.name, name, name, c.width); err != nil {
			return err
		}
	}
	last := columnName(len(t.columns) - 1)
	filter := fmt.Sprintf("A%d:%s%d", headerRow, last, p.lastRow())
	if err := w.f.AutoFilter(p.name, filter, nil); err != nil {
		return err
	}
	all := fmt.Sprintf("A1:%s%d", last, p.lastRow())
	if err := w.f.SetSheetDimension(p.name, all); err != nil {
		return err
	}
	// References and accounts are digits on purpose, and no mistake to flag.
	if err := w.f.AddIgnoredErrors(p.name, all, excelize.IgnoredErrorsNumberStoredAsText); err != nil {
		return err
	}
	corner := fmt.Sprintf("%s%d", columnName(t.fixed), headerRow+1)
	err := w.f.SetPanes(p.name, &excelize.Panes{
		Freeze: true, XSplit: t.fixed, YSplit: headerRow, TopLeftCell: corner, ActivePane: "bottomRight",
		Selection: []excelize.Selection{{SQRef: corner, ActiveCell: corner, Pane: "bottomRight"}},
	})
	if err != nil {
		return err
	}
	err = w.f.SetDefinedName(&excelize.DefinedName{
		Name: "_xlnm.Print_Titles", Scope: p.name, RefersTo: fmt.Sprintf("'%s'!$%d:$%d", p.name, headerRow, headerRow),
	})
	if err != nil {
		return err
	}
	if t.printed > 0 {
		err = w.f.SetDefinedName(&excelize.DefinedName{
			Name: "_xlnm.Print_Area", Scope: p.name, RefersTo: fmt.Sprintf("'%s'!$A$1:$%s$%d", p.name, columnName(t.printed-1), p.lastRow()),
		})
		if err != nil {
			return err
		}
	}
	return w.printSetup(p.name, landscape)
}

// The two ways to lay a page.
const (
	portrait  = "portrait"
	landscape = "landscape"
)

// printSetup prints a tab on A4, one page wide and as many high as it takes.
func (w *workbook) printSetup(tab, orientation string) error {
	const a4 = 9
	size, wide, high, fit := a4, 1, 0, true
	if err := w.f.SetPageLayout(tab, &excelize.PageLayoutOptions{Size: &size, Orientation: &orientation, FitToWidth: &wide, FitToHeight: &high}); err != nil {
		return err
	}
	if err := w.f.SetSheetProps(tab, &excelize.SheetPropsOptions{FitToPage: &fit}); err != nil {
		return err
	}
	side, edge, foot := 0.4, 0.55, 0.25 // inches
	err := w.f.SetPageMargins(tab, &excelize.PageLayoutMarginsOptions{
		Left: &side, Right: &side, Top: &edge, Bottom: &edge, Header: &foot, Footer: &foot,
	})
	if err != nil {
		return err
	}
	return w.f.SetHeaderFooter(tab, &excelize.HeaderFooterOptions{OddFooter: "&L&A&Rpage &P of &N"})
}

// settleOrder sorts what excelize leaves in the order of a map: the content
// types that a drawing may need.
func (w *workbook) settleOrder() {
	types := w.f.ContentTypes.Defaults
	sort.Slice(types, func(i, j int) bool { return types[i].Extension < types[j].Extension })
}

// properties come from the ledger's last event, never from a clock: the same
// ledger gives the same bytes.
func (w *workbook) properties(s *scope) error {
	at := s.head.At.UTC().Format("2006-01-02T15:04:05Z")
	err := w.f.SetDocProps(&excelize.DocProperties{
		Title: "Payout reconciliation", Creator: "payrun", LastModifiedBy: "payrun",
		Created: at, Modified: at, Language: "en-IN",
	})
	if err != nil {
		return err
	}
	full := true // subtotals are recalculated by programs that open it
	return w.f.SetCalcProps(&excelize.CalcPropsOptions{FullCalcOnLoad: &full})
}
