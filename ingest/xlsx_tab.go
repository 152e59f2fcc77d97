package ingest

import (
	"errors"
	"io"
	"strings"

	"payrun/ledger"
)

// chooseTab finds the tab that holds the payouts: the one that was named, or
// the only one that the person sees with a header that is recognised. Where
// only one tab holds anything it is that one, so that what its header lacks
// can be said.
func (w *workbook) chooseTab() (tab, error) {
	if w.options.Tab != "" {
		return w.namedTab(w.options.Tab)
	}
	seen := w.visible()
	switch len(seen) {
	case 0:
		return tab{}, defect(CodeTabNone, 0, "the workbook has no tab with cells that is not hidden")
	case 1:
		return seen[0], nil
	}
	var data, filled []tab
	for _, t := range seen {
		header, any, err := w.probe(t)
		if err != nil {
			return tab{}, err
		}
		if header {
			data = append(data, t)
		}
		if any {
			filled = append(filled, t)
		}
	}
	switch {
	case len(data) == 1:
		return data[0], nil
	case len(data) > 1:
		return tab{}, defect(CodeTabSeveral, 0, "several tabs hold payouts: %s", list(data)).
			fixedBy("Choose one of them.", ledger.Option{Name: ledger.OptionTab, Value: data[0].name})
	case len(filled) == 1:
		return filled[0], nil
	}
	return tab{}, defect(CodeTabNone, 0, "none of the tabs has a header that is recognised in its first %d rows: %s", HeaderRows, list(seen))
}

func (w *workbook) visible() []tab {
	var seen []tab
	for _, t := range w.tabs {
		if t.cells && !t.hidden {
			seen = append(seen, t)
		}
	}
	return seen
}

// namedTab finds a tab by its name, in any case as in Excel.
func (w *workbook) namedTab(name string) (tab, error) {
	for _, t := range w.tabs {
		switch {
		case !strings.EqualFold(t.name, name):
		case !t.cells:
			return tab{}, defect(CodeTabNone, 0, "the tab %q is a chart and has no cells", t.name)
		case t.hidden:
			return tab{}, defect(CodeTabHidden, 0, "the tab %q is hidden", t.name)
		default:
			return t, nil
		}
	}
	return tab{}, defect(CodeTabAbsent, 0, "the workbook has no tab %q; it has %s", name, list(w.visible())).value(name)
}

// probe looks at a tab's first rows for a header, and for anything at all.
func (w *workbook) probe(t tab) (header, any bool, err error) {
	r, err := w.openTab(t)
	if err != nil {
		return false, false, err
	}
	for {
		row, err := r.row()
		var d *Defect
		switch {
		case errors.Is(err, io.EOF):
			return header, any, nil
		case errors.As(err, &d) && isWide(d):
			return header, true, nil // too large for payouts, which matters only where there are any
		case err != nil:
			return false, false, r.placed(err)
		case row.Number > HeaderRows:
			return header, any || firstText(row) != "", nil
		}
		any = any || firstText(row) != ""
		header = header || w.isHeader(row)
	}
}

func (w *workbook) isHeader(row Row) bool {
	is := w.options.IsHeader
	if is == nil {
		return firstText(row) != ""
	}
	return is(row.Cells)
}

func isWide(d *Defect) bool {
	return d.Code == string(CodeTooManyColumns) || d.Code == string(CodeCellTooLong)
}
