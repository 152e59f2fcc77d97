package term

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"payrun/ledger"
)

// Table is a table that fits the screen. Cells are not broken: empty columns and columns that can be spared
// are left out, a note goes on lines of its own below its row, names are shortened, and if all that is not
// enough, or on a narrow screen, each row becomes a record.
type Table struct {
	out    *Stream
	silent bool // Out carries a document
	width  int  // of the screen; 0 for no limit
	header Columns
	align  []text.Align
	spare  []int
	notes  bool
	names  int // the column, from 1, whose cells may be shortened; 0 for none
	none   string
	rows   [][]string
	total  bool // the last row is a footer
}

// Columns are the words of a table's header.
type Columns []string

// narrow is the screen width below which a table that does not fit becomes records.
const narrow = 60

// Table starts a table on Out. On a terminal it has a line under its header. right lists the columns, from
// 1, that are aligned right.
func (t *Terminal) Table(header Columns, right ...int) *Table {
	table := &Table{out: t.Out, silent: t.JSON, width: t.width(t.Out), header: header, align: make([]text.Align, len(header))}
	for _, n := range right {
		table.align[n-1] = text.AlignRight
	}
	return table
}

// Spare lists the columns, from 1, that may be left out on a narrow screen, the least important first.
func (t *Table) Spare(columns ...int) *Table {
	t.spare = columns
	return t
}

// Names sets the column of names, from 1. Names are shortened before their column is left out and before
// rows become records.
func (t *Table) Names(column int) *Table {
	t.names = column
	return t
}

// Notes says that the last column holds sentences.
func (t *Table) Notes() *Table {
	t.notes = true
	return t
}

// None sets the words for a table without rows.
func (t *Table) None(words string) *Table {
	t.none = words
	return t
}

// Row adds a row. Control characters in its cells are made harmless.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(t.header))
	for i, c := range cells {
		painted, is := c.(Painted)
		if row[i] = string(painted); !is {
			row[i] = ledger.Plain(fmt.Sprint(c))
		}
	}
	t.rows = append(t.rows, row)
}

// Footer adds the last row, if there are other rows.
func (t *Table) Footer(cells ...any) {
	if t.total = len(t.rows) > 0; t.total {
		t.Row(cells...)
	}
}

// Render writes the table.
func (t *Table) Render() {
	switch {
	case t.silent:
		return
	case len(t.rows) == 0 && t.none != "":
		fmt.Fprintln(t.out, fold(t.none, t.width))
		return
	}
	var shown []int
	for i := range t.header {
		if len(t.rows) == 0 || slices.ContainsFunc(t.rows, func(row []string) bool { return row[i] != "" }) {
			shown = append(shown, i)
		}
	}
	all, notes := slices.Clone(shown), false
	switch {
	case t.fits(shown):
	case t.width < narrow:
		t.records(shown)
		return
	default:
		if last := len(t.header) - 1; t.notes && shown[len(shown)-1] == last {
			notes, shown = true, shown[:len(shown)-1]
		}
		for _, n := range t.spare {
			if !t.fits(shown) && (n != t.names || !t.shortenNames(shown)) {
				shown = slices.DeleteFunc(shown, func(i int) bool { return i == n-1 })
			}
		}
		if !t.fits(shown) && !t.shortenNames(shown) {
			t.records(all)
			return
		}
	}
	t.table(shown, notes)
}

// gap separates two columns.
const gap = "  "

// fits reports whether the columns fit the screen.
func (t *Table) fits(shown []int) bool {
	return t.width == 0 || t.wide(shown) <= t.width
}

// wide returns the width of the columns.
func (t *Table) wide(shown []int) int {
	sum := len(gap) * (len(shown) - 1)
	for _, i := range shown {
		sum += t.widest(i)
	}
	return sum
}

func (t *Table) widest(column int) int {
	widest := text.StringWidthWithoutEscSequences(t.header[column])
	for _, row := range t.rows {
		widest = max(widest, text.StringWidthWithoutEscSequences(row[column]))
	}
	return widest
}

// shortestName is the shortest width of a name by which a person still knows it.
const shortestName = 14

// shortenNames shortens the names so that the columns fit. It returns false if that is not enough.
func (t *Table) shortenNames(shown []int) bool {
	at := t.names - 1
	if at < 0 || !slices.Contains(shown, at) {
		return false
	}
	left := t.widest(at) - (t.wide(shown) - t.width)
	if left < max(shortestName, text.StringWidthWithoutEscSequences(t.header[at])) {
		return false
	}
	for _, row := range t.rows {
		row[at] = Cut(row[at], left)
	}
	return true
}

// table writes the columns, with notes below their rows.
func (t *Table) table(shown []int, notes bool) {
	wide := map[int]int{}
	for _, i := range shown {
		wide[i] = t.widest(i)
	}
	line := func(cells []string) {
		var words []string
		for _, i := range shown {
			words = append(words, t.align[i].Apply(cells[i], wide[i]))
		}
		fmt.Fprintln(t.out, strings.TrimRight(strings.Join(words, gap), " "))
	}
	rule := func() {
		if t.out.Terminal() {
			fmt.Fprintln(t.out, strings.Repeat("─", t.wide(shown)))
		}
	}
	line(t.header)
	rule()
	for n, row := range t.rows {
		if t.total && n == len(t.rows)-1 {
			rule()
		}
		line(row)
		if note := row[len(t.header)-1]; notes && note != "" {
			fmt.Fprintln(t.out, hung(gap+note, len(gap), t.width))
		}
	}
}

// records writes each row as lines with a name and a value.
func (t *Table) records(shown []int) {
	widest := 0
	for _, i := range shown {
		widest = max(widest, text.StringWidthWithoutEscSequences(t.header[i]))
	}
	for n, row := range t.rows {
		if n > 0 {
			fmt.Fprintln(t.out)
		}
		for _, i := range shown {
			if row[i] == "" {
				continue
			}
			line := text.AlignLeft.Apply(t.header[i], widest) + gap + row[i]
			if t.notes && i == len(t.header)-1 {
				line = hung(line, widest+len(gap), t.width)
			}
			fmt.Fprintln(t.out, line)
		}
	}
}

// Color is the colour of a word.
type Color int

// The colours, by meaning.
const (
	Ordinary Color = iota
	Good
	Attend
	Bad
)

var escapes = [...]text.Color{Ordinary: text.Reset, Good: text.FgGreen, Attend: text.FgYellow, Bad: text.FgRed}

// Painted is printable text, perhaps in a colour.
type Painted string

// Paint colours s, which is printable text, if Out shows colours.
func (t *Terminal) Paint(c Color, s string) Painted {
	if !t.Out.Terminal() || t.NoColor || t.getenv("NO_COLOR") != "" || t.getenv("TERM") == "dumb" {
		return Painted(s)
	}
	return Painted(escapes[c].EscapeSeq() + s + text.EscapeReset)
}
