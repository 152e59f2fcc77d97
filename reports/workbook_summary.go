package reports

import (
	"bytes"
	"fmt"
	"io"

	"github.com/xuri/excelize/v2"
	"payrun/ledger"
)

const (
	summaryTab = "Summary"
	aboutTab   = "About"
)

// page is a tab that is laid out by hand and small enough to hold.
type page struct {
	bytes.Buffer
	rows *sheetData
}

func newPage(title string) *page {
	p := &page{}
	p.rows = &sheetData{w: &p.Buffer}
	_ = p.rows.writeHigh(28, text(title).in(styleTitle)) // a buffer takes all
	return p
}

// skip leaves rows empty.
func (p *page) skip(rows int) { p.rows.row += rows }

func (p *page) row(cells ...cell) { _ = p.rows.write(cells...) }

func (p *page) high(points int, cells ...cell) { _ = p.rows.writeHigh(points, cells...) }

// addSummary is the first tab: does it tie out, where the money is, a chart by
// status and one by bank, their numbers, and the sheets.
func (w *workbook) addSummary(s *scope, t *totals) error {
	p := newPage("Payout reconciliation")
	p.row(text(scopeWords(s) + ". " + asOf(s)).in(styleNote))
	p.skip(1)
	tied := t.ties(s.sheets)
	verdict := text(tieWords(tied)).in(styleGood)
	if !tied.TiesOut {
		verdict.style = styleBad
	}
	p.high(18, verdict)
	p.row(text(statementWords).in(styleNote))
	p.skip(1)
	standingRows(p, t)
	p.skip(1)
	charts := p.rows.row + 1
	p.skip(chartRows + 1)
	states := matrix{first: "Status"}
	for _, s := range t.occurring() {
		states.add(string(s), t.state(s))
	}
	states.write(p, t.split)
	p.skip(1)
	banks := matrix{first: "Partner bank"}
	for _, b := range t.byBank() {
		banks.add(bankName(b.id), b.split)
	}
	banks.write(p, t.split)
	p.skip(1)
	sheetRows(p, s, t)

	if err := w.addPage(summaryTab, p, 22, 11, 19, 19, 19, 19, 19); err != nil {
		return err
	}
	if err := w.addChart(fmt.Sprintf("A%d", charts), 8, "Amount by status (INR)", states); err != nil {
		return err
	}
	if err := w.addChart(fmt.Sprintf("D%d", charts), 96, "Amount by partner bank (INR)", banks); err != nil {
		return err
	}
	return w.printSetup(summaryTab, portrait)
}

// addPage adds a tab laid out by hand, with the widths of its columns.
func (w *workbook) addPage(tab string, p *page, widths ...float64) error {
	if err := w.addTab(tab, func(out io.Writer) error { _, err := out.Write(p.Bytes()); return err }); err != nil {
		return err
	}
	if err := w.f.SetSheetDimension(tab, fmt.Sprintf("A1:%s%d", columnName(p.rows.wide-1), p.rows.row)); err != nil {
		return err
	}
	for i, width := range widths {
		if err := w.f.SetColWidth(tab, columnName(i), columnName(i), width); err != nil {
			return err
		}
	}
	usual, custom := 15.0, true // points; the charts count on it
	if err := w.f.SetSheetProps(tab, &excelize.SheetPropsOptions{DefaultRowHeight: &usual, CustomHeight: &custom}); err != nil {
		return err
	}
	off := false
	return w.f.SetSheetView(tab, 0, &excelize.ViewOptions{ShowGridLines: &off})
}

func standingRows(p *page, t *totals) {
	p.row(heading("Where the money is"), number("Payouts"), number("Amount (INR)"))
	from := p.rows.row + 1
	for w := range standings {
		p.row(text(w.String()).in(w.style()), count(t.by[w].Count), money(t.by[w].Total))
	}
	totalRow(p, from, count(t.all.Count), money(t.all.Total))
}

// matrix is a table of names by where their money is. A chart is drawn of it.
type matrix struct {
	first    string
	names    []string
	splits   []split
	head     int // its rows in the tab, once written
	from, to int
}

func (m *matrix) add(name string, p split) {
	m.names, m.splits = append(m.names, name), append(m.splits, p)
}

func (m *matrix) write(p *page, whole split) {
	if len(m.names) == 0 {
		m.add("none", split{})
	}
	head := []cell{heading(m.first), number("Payouts")}
	for w := range standings {
		head = append(head, number(w.String()+" (INR)"))
	}
	p.row(append(head, number("Total (INR)"))...)
	m.head, m.from = p.rows.row, p.rows.row+1
	for i, name := range m.names {
		p.row(append([]cell{text(name)}, m.splits[i].cells()...)...)
	}
	m.to = p.rows.row
	totalRow(p, m.from, whole.cells()...)
}

// cells are the count, what is in each standing, and the sum.
func (p split) cells() []cell {
	cells := []cell{count(p.all.Count)}
	for _, tally := range p.by {
		cells = append(cells, money(tally.Total))
	}
	return append(cells, money(p.all.Total))
}

func sheetRows(p *page, s *scope, t *totals) {
	p.row(heading("Sheet"), number("Rows"), number("Accepted"), number("Accepted (INR)"), number("Rejected"), heading("Loaded"), heading("Ties out"))
	from := p.rows.row + 1
	var rows, rejected int
	var accepted ledger.Tally
	for _, h := range s.sheets {
		ties := text("yes").in(stylePaid)
		if !t.sheetTies(h) {
			ties = text("no").in(styleNotPaid)
		}
		p.row(text(h.Name), count(h.Rows), count(h.Accepted.Count), money(h.Accepted.Total), count(h.Rejected.Count), s.moment(h.LoadedAt), ties)
		rows, rejected = rows+h.Rows, rejected+h.Rejected.Count
		accepted.Count, accepted.Total = accepted.Count+h.Accepted.Count, accepted.Total+h.Accepted.Total
	}
	if len(s.sheets) == 0 {
		p.row(text("No sheet is loaded."))
		return
	}
	totalRow(p, from, count(rows), count(accepted.Count), money(accepted.Total), count(rejected), blank(), blank())
}

// totalRow adds up the rows from `from` to the last one; the sums given are
// saved with the formulas.
func totalRow(p *page, from int, sums ...cell) {
	cells := []cell{text("Total").in(styleTotal)}
	for i, c := range sums {
		if c.isBlank() {
			cells = append(cells, c.in(styleTotal))
			continue
		}
		style := styleCountTotal
		if c.style == styleMoney {
			style = styleMoneyTotal
		}
		column := columnName(i + 1)
		cells = append(cells, c.in(style).from(fmt.Sprintf("SUM(%s%d:%s%d)", column, from, column, p.rows.row)))
	}
	p.row(cells...)
}

// gridStep is the distance of the chart's grid lines, in whole rupees: 1, 2 or
// 5 with zeros, and about three of them to the longest bar, so that amounts
// with all their digits stand side by side.
func (m *matrix) gridStep() int64 {
	longest := int64(0)
	for _, p := range m.splits {
		longest = max(longest, int64(p.all.Total/100))
	}
	step := int64(1)
	for i := 0; step < longest/3; i++ {
		step = step * [...]int64{2, 5, 2}[i%3] / [...]int64{1, 2, 1}[i%3]
	}
	return step
}

const (
	chartRows   = 18 // rows of the tab behind the charts
	chartPixels = 456
	chartHigh   = 318
)

// addChart draws a matrix as stacked bars, a colour a standing.
func (w *workbook) addChart(at string, offset int, title string, m matrix) error {
	ref := func(column, from, to int) string {
		c := columnName(column)
		return fmt.Sprintf("'%s'!$%s$%d:$%s$%d", summaryTab, c, from, c, to)
	}
	var series []excelize.ChartSeries
	for s := range standings {
		column := int(s) + 2
		series = append(series, excelize.ChartSeries{
			Name:       fmt.Sprintf("'%s'!$%s$%d", summaryTab, columnName(column), m.head),
			Categories: ref(0, m.from, m.to), Values: ref(column, m.from, m.to),
			Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{s.colour()}},
		})
	}
	font := func(size float64, colour string, bold bool) excelize.Font {
		return excelize.Font{Size: size, Color: colour, Bold: bold, Family: workbookFont}
	}
	titleFont, legendFont, gap, full := font(12, inkColour, true), font(9, inkColour, false), uint(45), 100
	return w.f.AddChart(summaryTab, at, &excelize.Chart{
		Type: excelize.BarStacked, Series: series, GapWidth: &gap, Overlap: &full,
		Format:    excelize.GraphicOptions{OffsetX: offset, OffsetY: 4},
		Dimension: excelize.ChartDimension{Width: chartPixels, Height: chartHigh},
		Title:     excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: title, Font: &titleFont}}},
		Legend:    excelize.ChartLegend{Position: "bottom", Font: &legendFont},
		XAxis:     excelize.ChartAxis{ReverseOrder: true, Font: font(9, inkColour, false)}, // first row on top
		YAxis: excelize.ChartAxis{MajorGridLines: true, MajorUnit: float64(m.gridStep()), Font: font(8, mutedColour, false),
			NumFmt: excelize.ChartNumFmt{CustomNumFmt: countFormat}},
	})
}
