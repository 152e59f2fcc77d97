package ingest

import (
	"errors"
	"io"
	"slices"
	"strings"

	"payrun/ledger"
)

// chooseTab finds the tab that holds the payouts: the named one, or the only visible one with a header that is
// recognised. If only one tab holds anything, it is that one, so that a finding can say what its header lacks.
// The other visible tabs with rows are recorded as unread.
func (w *workbook) chooseTab() (tab, error) {
	if w.options.Tab != "" {
		chosen, err := w.namedTab(w.options.Tab)
		if err == nil {
			w.passOver(chosen)
		}
		return chosen, err
	}
	seen := w.visible()
	hides := slices.ContainsFunc(w.tabs, func(t tab) bool { return t.cells && t.hidden })
	if len(seen) == 1 && !hides {
		return seen[0], nil
	}
	var data, rows, headed, filled, unclear []tab
	for _, t := range seen {
		look, err := w.probe(t)
		if err != nil && len(seen) > 1 { // for a single tab, its reader gives a better message
			return tab{}, err
		}
		keep := func(list *[]tab, is bool) {
			if is {
				*list = append(*list, t)
			}
		}
		keep(&data, look.complete && look.rows)
		keep(&rows, look.header && look.rows)
		keep(&headed, look.header)
		keep(&filled, look.any)
		keep(&unclear, !look.complete && w.options.MayPay != nil && w.options.MayPay(look.first))
	}
	switch {
	case len(data) == 1 && len(unclear) > 0:
		return tab{}, defect(CodeTabUnclear, 0, "payouts are in the tab %q, and there may be more in %s, whose header is not understood", data[0].name, list(unclear)).value(list(unclear))
	case len(data) == 0 && hides:
		if err := w.hiddenPayouts(); err != nil {
			return tab{}, err
		}
	}
	for _, kind := range [][]tab{data, rows, headed, filled, seen} { // closest to payouts first
		if len(kind) == 1 {
			w.passOver(kind[0])
			return kind[0], nil
		}
		if len(kind) > 1 {
			break
		}
	}
	switch {
	case len(seen) == 0:
		return tab{}, defect(CodeTabNone, 0, "the workbook has no tab with cells that is not hidden")
	case len(data) > 1:
		return tab{}, defect(CodeTabSeveral, 0, "several tabs hold payouts: %s", list(data))
	case len(headed) > 1:
		return tab{}, defect(CodeTabSeveral, 0, "several tabs have a header, and none of them has all columns of a payout with rows below: %s", list(headed))
	}
	return tab{}, defect(CodeTabNone, 0, "none of the tabs has a header that is recognised in its first %d rows: %s", w.options.HeaderRows, list(seen))
}

// hiddenPayouts refuses the workbook if a hidden tab has payouts and no visible one has any. A hidden tab that
// cannot be read does not matter.
func (w *workbook) hiddenPayouts() error {
	for _, t := range w.tabs {
		if !t.cells || !t.hidden {
			continue
		}
		if look, err := w.probe(t); err == nil && look.complete && look.rows {
			return defect(CodeTabHidden, 0, "the hidden tab %q has payouts, and no tab that is seen has any with a header that is understood", t.name).value(t.name).
				fixedBy("Unhide the tab: right-click any tab, Unhide. Where another is meant, choose it.", ledger.Option{Name: ledger.OptionTab})
		}
	}
	return nil
}

// passOver records the other visible tabs that have rows.
func (w *workbook) passOver(chosen tab) {
	for _, t := range w.visible() {
		if t == chosen {
			continue
		}
		if look, err := w.probe(t); err != nil || look.any && (!look.header || look.rows) {
			w.unread = append(w.unread, t)
		}
	}
}

func (w *workbook) visible() []tab {
	return slices.DeleteFunc(slices.Clone(w.tabs), func(t tab) bool { return !t.cells || t.hidden })
}

// namedTab finds a tab by its name, ignoring case as Excel does.
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

// tabLook is what the first rows of a tab show.
type tabLook struct {
	header   bool       // a row is a header
	complete bool       // and the header has every column
	rows     bool       // there is something below the header
	any      bool       // there is anything at all
	first    [][]string // its first rows without blank ones
}

// probe reads a tab until it knows whether the tab may hold payouts.
func (w *workbook) probe(t tab) (look tabLook, err error) {
	r, err := w.openTab(t)
	if err != nil {
		return look, err
	}
	for {
		row, err := r.row()
		var d *Defect
		switch {
		case errors.Is(err, io.EOF):
			return look, nil
		case errors.As(err, &d) && (d.Code == CodeTooManyColumns || d.Code == CodeCellTooLong):
			look.complete, look.rows, look.any = look.header, look.header, true
			return look, nil // too large for payouts, which matters only if it has a header
		case err != nil:
			return look, r.placed(err)
		case row.Filled() == 0:
			continue
		case look.complete:
			look.rows = true
			return look, nil
		}
		look.any, look.first = true, append(look.first, slices.Clone(row.Cells))
		if row.Number > w.options.HeaderRows { // no header for its reader, and yet perhaps the payouts of MayPay
			if look.rows = look.header; look.header || len(look.first) > 3*w.options.HeaderRows {
				return look, nil
			}
			continue
		}
		header := w.options.IsHeader == nil || w.options.IsHeader(row.Cells)
		look.rows = look.header && !header
		look.header = look.header || header
		look.complete = header && (w.options.IsComplete == nil || w.options.IsComplete(row.Cells))
	}
}
