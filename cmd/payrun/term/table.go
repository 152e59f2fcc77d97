package term

import (
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table is a table of plain columns.
type Table struct{ w table.Writer }

// Columns are the words of a table's header.
type Columns []string

// Table starts a table on Out, with a line under its header on a terminal.
// right names the columns, from 1, that are numbers.
func (t *Terminal) Table(header Columns, right ...int) *Table { return newTable(t.Out, header, right) }

func newTable(out *Stream, header Columns, right []int) *Table {
	w := table.NewWriter()
	w.SetOutputMirror(out)
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = out.Terminal()
	style.Options.SeparateFooter = style.Options.SeparateHeader
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	style.Format.Footer = text.FormatDefault
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	words := make(table.Row, len(header))
	for i, word := range header {
		words[i] = word
	}
	w.AppendHeader(words)
	var columns []table.ColumnConfig
	for _, n := range right {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight})
	}
	w.SetColumnConfigs(columns)
	return &Table{w}
}

// Row adds a row.
func (t *Table) Row(cells ...any) { t.w.AppendRow(cells) }

// Footer adds a row below all others.
func (t *Table) Footer(cells ...any) { t.w.AppendFooter(cells) }

// Render writes the table.
func (t *Table) Render() { t.w.Render() }

// Color is what a word is painted with.
type Color int

// The colours that are used, by what they say.
const (
	Ordinary Color = iota
	Good
	Attend
	Bad
)

var escapes = [...]text.Color{Ordinary: text.Reset, Good: text.FgGreen, Attend: text.FgYellow, Bad: text.FgRed}

// Paint gives s, for Out, a colour where colours are wanted.
func (t *Terminal) Paint(c Color, s string) string { return t.paint(t.Out, c, s) }

// PaintBeside is Paint for Err.
func (t *Terminal) PaintBeside(c Color, s string) string { return t.paint(t.Err, c, s) }

func (t *Terminal) paint(on *Stream, c Color, s string) string {
	if !on.Terminal() || t.NoColor || t.getenv("NO_COLOR") != "" || t.getenv("TERM") == "dumb" {
		return s
	}
	return escapes[c].EscapeSeq() + s + text.EscapeReset
}
