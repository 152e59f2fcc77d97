package reports

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"
	"payrun/ledger"
	"payrun/reports/xlsx"
)

// summaryFirst is the width of the first column of the summary, in characters.
const summaryFirst = 26

const (
	summaryTab = "Summary"
	aboutTab   = "About"
)

// page is a tab that is laid out by hand and small enough to hold in memory.
type page struct {
	*xlsx.Rows
	text bytes.Buffer
}

func newPage(title string) *page {
	p := &page{}
	p.Rows = xlsx.NewRows(&p.text, 0)
	p.AddHigh(28, xlsx.Text(title).In(xlsx.StyleTitle))
	return p
}

// words writes text across the page, in as many rows as it needs. Cells of several lines would have to be
// merged.
func (p *page) words(text string, style xlsx.Style) {
	const across = 150
	line := ""
	for _, word := range strings.Fields(text) {
		if longer := strings.TrimLeft(line+" "+word, " "); line == "" || xlsx.Length(longer) < across {
			line = longer
			continue
		}
		p.AddHigh(18, xlsx.Text(line).In(style))
		line = word
	}
	if line != "" {
		p.AddHigh(18, xlsx.Text(line).In(style))
	}
}

// addSummary adds the first tab: whether it ties out, where the money is, a chart by status and one by bank,
// their numbers, and the sheets.
func (w *workbook) addSummary(s *Snapshot, t *totals) error {
	p := newPage("Payout reconciliation")
	if s.inSandbox() {
		p.AddHigh(22, xlsx.Text(sandboxWords).In(xlsx.StyleBad))
	}
	p.words(strings.TrimSpace(scopeWords(s)+". "+asOf(s)+" "+s.About.line()), xlsx.StyleNote)
	p.Skip(1)
	for _, pair := range t.pairs(s) {
		_, style := pair.Verdict.look()
		p.words(pair.line(), style)
	}
	p.words(t.bridge(), xlsx.StyleNote)
	p.Skip(1)
	bucketRows(p, t)
	p.Skip(1)
	charts := p.Last() + 1
	p.Skip(chartRows + 1)
	states := matrix{first: "Status", lines: t.statuses(func(s ledger.PayoutState) string { return string(s) })}
	states.write(p, t.split)
	p.Skip(1)
	accounts := matrix{first: "Debit account"}
	for _, a := range byBank(t.accounts) {
		accounts.lines = append(accounts.lines, namedSplit{s.account(a.account), a.split})
	}
	accounts.write(p, t.split)
	p.Skip(1)
	banks := matrix{first: "Partner bank", lines: t.bankLines()}
	banks.write(p, t.split)
	p.Skip(1)
	sheetRows(p, s, t)

	return errors.Join(
		w.addPage(summaryTab, p, summaryFirst, 11, 19, 19, 19, 19, 19, 19, 10, 11, 19),
		w.addChart(fmt.Sprintf("A%d", charts), 8, "Amount by status (INR)", states),
		w.addChart(fmt.Sprintf("D%d", charts), 96, "Amount by partner bank (INR)", banks),
		xlsx.SetPage(w.File, summaryTab))
}

// addPage adds a tab that is laid out by hand, with the widths of its columns.
func (w *workbook) addPage(tab string, p *page, widths ...float64) error {
	usual, custom, off := 15.0, true, false // points; the charts depend on it
	return errors.Join(
		w.AddTab(tab, p.text.Bytes(), nil),
		w.SetSheetDimension(tab, fmt.Sprintf("A1:%s%d", xlsx.ColumnName(p.Wide()-1), p.Last())),
		w.SetWidths(tab, widths...),
		w.SetSheetProps(tab, &excelize.SheetPropsOptions{DefaultRowHeight: &usual, CustomHeight: &custom}),
		w.SetSheetView(tab, 0, &excelize.ViewOptions{ShowGridLines: &off}))
}

func bucketRows(p *page, t *totals) {
	p.Add(xlsx.Heading("Where the money is"), xlsx.NumberHeading("Payouts"), xlsx.NumberHeading("Amount (INR)"))
	from := p.Last() + 1
	for w := range buckets {
		p.Add(xlsx.Text(w.String()).In(w.style()), xlsx.Count(t.by[w].Count), xlsx.Money(t.by[w].Total))
	}
	totalRow(p, from, xlsx.Count(t.all.Count), xlsx.Money(t.all.Total))
}

// matrix is a table of names by bucket, which a chart shows.
type matrix struct {
	first    string
	lines    []namedSplit
	head     int // row of its header in the tab, once written
	from, to int
}

func (m *matrix) write(p *page, whole split) {
	if len(m.lines) == 0 {
		m.lines = []namedSplit{{"none", split{}}}
	}
	head := []xlsx.Cell{xlsx.Heading(m.first), xlsx.NumberHeading("Payouts")}
	for w := range buckets {
		head = append(head, xlsx.NumberHeading(w.String()+" (INR)"))
	}
	p.Add(append(head, xlsx.NumberHeading("Total (INR)"))...)
	m.head, m.from = p.Last(), p.Last()+1
	for _, l := range m.lines {
		p.Add(append([]xlsx.Cell{xlsx.Text(l.name)}, l.cells()...)...)
	}
	m.to = p.Last()
	totalRow(p, m.from, whole.cells()...)
}

// cells returns the count, the amount in each bucket, and the sum.
func (p split) cells() []xlsx.Cell {
	cells := []xlsx.Cell{xlsx.Count(p.all.Count)}
	for _, tally := range p.by {
		cells = append(cells, xlsx.Money(tally.Total))
	}
	return append(cells, xlsx.Money(p.all.Total))
}

func sheetRows(p *page, s *Snapshot, t *totals) {
	p.Add(xlsx.Heading("Sheet"), xlsx.NumberHeading("Rows"), xlsx.NumberHeading("Sheet (INR)"), xlsx.NumberHeading("Accepted"), xlsx.NumberHeading("Accepted (INR)"),
		xlsx.NumberHeading("Left out"), xlsx.NumberHeading("Left out (INR)"), xlsx.Heading("Loaded"), xlsx.Heading("Ties out"), xlsx.NumberHeading("Corrected"), xlsx.NumberHeading("Corrected (INR)"))
	from := p.Last() + 1
	for _, h := range s.sheets {
		ties := xlsx.Text("yes").In(xlsx.StylePaid)
		if !t.sheetTies(h) {
			ties = xlsx.Text("no").In(xlsx.StyleNotPaid)
		}
		p.AddHigh(xlsx.Lines(h.Name, summaryFirst)*xlsx.LinePoints+2, xlsx.Wrapped(h.Name), xlsx.Count(h.Rows), xlsx.Money(h.Total), xlsx.Count(h.Accepted.Count), xlsx.Money(h.Accepted.Total),
			xlsx.Count(h.Rejected.Count), xlsx.Money(h.Rejected.Total), s.moment(h.LoadedAt), ties, xlsx.Count(h.Corrected.Count), xlsx.Money(h.Corrected.Total))
	}
	if len(s.sheets) == 0 {
		p.Add(xlsx.Text("No sheet is loaded."))
		return
	}
	in := s.cameIn()
	totalRow(p, from, xlsx.Count(in.rows.Count), xlsx.Money(in.rows.Total), xlsx.Count(in.accepted.Count), xlsx.Money(in.accepted.Total),
		xlsx.Count(in.left.Count), xlsx.Money(in.left.Total), xlsx.Blank(), xlsx.Blank(), xlsx.Count(in.corrected.Count), xlsx.Money(in.corrected.Total))
}

// totalRow adds up the rows from `from` to the last one. The given sums are saved with the formulas.
func totalRow(p *page, from int, sums ...xlsx.Cell) {
	cells := []xlsx.Cell{xlsx.Text("Total").In(xlsx.StyleTotal)}
	for i, c := range sums {
		if c.IsBlank() {
			cells = append(cells, c.In(xlsx.StyleTotal))
			continue
		}
		style := xlsx.StyleCountTotal
		if c.Style == xlsx.StyleMoney {
			style = xlsx.StyleMoneyTotal
		}
		column := xlsx.ColumnName(i + 1)
		cells = append(cells, c.In(style).From(fmt.Sprintf("SUM(%s%d:%s%d)", column, from, column, p.Last())))
	}
	p.Add(cells...)
}

// gridStep is the distance of the chart's grid lines, in whole rupees: 1, 2 or 5 with zeros. The longest bar
// has about three lines, so that the full amounts fit next to each other.
func (m *matrix) gridStep() int64 {
	longest := int64(0)
	for _, l := range m.lines {
		longest = max(longest, int64(l.all.Total/100))
	}
	step := int64(1)
	for i := 0; step < longest/3; i++ {
		step = step * [...]int64{2, 5, 2}[i%3] / [...]int64{1, 2, 1}[i%3]
	}
	return step
}

const (
	chartRows   = 18 // rows of the tab that the charts cover
	chartPixels = 456
	chartHigh   = 318
)

// addChart draws a matrix as stacked bars, with one colour for each bucket.
func (w *workbook) addChart(at string, offset int, title string, m matrix) error {
	ref := func(column, from, to int) string {
		c := xlsx.ColumnName(column)
		return fmt.Sprintf("'%s'!$%s$%d:$%s$%d", summaryTab, c, from, c, to)
	}
	var series []excelize.ChartSeries
	for s := range buckets {
		column := int(s) + 2
		series = append(series, excelize.ChartSeries{
			Name:       fmt.Sprintf("'%s'!$%s$%d", summaryTab, xlsx.ColumnName(column), m.head),
			Categories: ref(0, m.from, m.to), Values: ref(column, m.from, m.to),
			Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{bucketLooks[s].colour}},
		})
	}
	font := func(size float64, colour string, bold bool) excelize.Font {
		return excelize.Font{Size: size, Color: colour, Bold: bold, Family: xlsx.Font}
	}
	titleFont, legendFont, gap, full := font(12, xlsx.InkColour, true), font(9, xlsx.InkColour, false), uint(45), 100
	return w.AddChart(summaryTab, at, &excelize.Chart{
		Type: excelize.BarStacked, Series: series, GapWidth: &gap, Overlap: &full,
		Format:    excelize.GraphicOptions{OffsetX: offset, OffsetY: 4},
		Dimension: excelize.ChartDimension{Width: chartPixels, Height: chartHigh},
		Title:     excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: title, Font: &titleFont}}},
		Legend:    excelize.ChartLegend{Position: "bottom", Font: &legendFont},
		XAxis:     excelize.ChartAxis{ReverseOrder: true, Font: font(9, xlsx.InkColour, false)}, // the first row is on top
		YAxis: excelize.ChartAxis{MajorGridLines: true, MajorUnit: float64(m.gridStep()), Font: font(8, xlsx.MutedColour, false),
			NumFmt: excelize.ChartNumFmt{CustomNumFmt: xlsx.CountFormat}},
	})
}
