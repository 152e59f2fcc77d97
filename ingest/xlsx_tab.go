package ingest

import (
	"errors"
	"io"
	"strings"
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
	var data, rows, headed, filled []tab
	for _, t := range seen {
		look, err := w.probe(t)
		if err != nil {
			return tab{}, err
		}
		for _, kind := range []struct {
			is   bool
			list *[]tab
		}{{look.complete && look.rows, &data}, {look.header && look.rows, &rows}, {look.header, &headed}, {look.any, &filled}} {
			if kind.is {
				*kind.list = append(*kind.list, t)
			}
		}
	}
	for _, kind := range [][]tab{data, rows, headed, filled} { // what comes nearest to payouts
		if len(kind) == 1 {
			return kind[0], nil
		}
		if len(kind) > 1 {
			break
		}
	}
	switch {
	case len(data) > 1:
		return tab{}, defect(CodeTabSeveral, 0, "several tabs hold payouts: %s", list(data))
	case len(headed) > 1:
		return tab{}, defect(CodeTabSeveral, 0, "several tabs have a header, and none of them has all columns of a payout with rows below: %s", list(headed))
	}
	return tab{}, defect(CodeTabNone, 0, "none of the tabs has a header that is recognised in its first %d rows: %s", w.options.HeaderRows, list(seen))
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

// tabLook is what a look at a tab's first rows tells.
type tabLook struct {
	header   bool // a row is a header
	complete bool // and has every column
	rows     bool // there is something below it
	any      bool // there is anything at all
}

// probe looks at a tab as far as it takes to know whether it may hold payouts.
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
		case errors.As(err, &d) && isWide(d):
			return tabLook{look.header, look.header, look.header, true}, nil // too large for payouts, which matters only where there are any
		case err != nil:
			return look, r.placed(err)
		case firstText(row) == "":
			continue
		case look.complete:
			look.rows = true
			return look, nil
		}
		look.any = true
		if row.Number > w.options.HeaderRows {
			look.rows = look.header
			return look, nil
		}
		header := w.isHeader(row)
		look.rows = look.header && !header
		look.header = look.header || header
		look.complete = header && (w.options.IsComplete == nil || w.options.IsComplete(row.Cells))
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
