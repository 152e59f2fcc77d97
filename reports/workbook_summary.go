package reports

import (
	"cmp"
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

// addWords writes text across the page, in as many rows as it needs. Cells of several lines would have to be
// merged.
func addWords(p *xlsx.Page, text string, style xlsx.Style) {
	const across = 150
	line := ""
	for _, word := range strings.Fields(text) {
		longer := strings.TrimLeft(line+" "+word, " ")
		if line != "" && xlsx.Length(longer) >= across {
			p.AddHigh(18, xlsx.Text(line).In(style))
			longer = word
		}
		line = longer
	}
	if line != "" {
		p.AddHigh(18, xlsx.Text(line).In(style))
	}
}

// addSummary adds the first tab: whether it ties out, where the money is, a chart by status and one by bank,
// their numbers, and the sheets.
func addSummary(w *xlsx.Book, s *Snapshot, t *totals) error {
	p := xlsx.NewPage("Payout reconciliation")
	if s.inSandbox() {
		p.AddHigh(22, xlsx.Text(sandboxWords).In(xlsx.StyleBad))
	}
	addWords(p, strings.TrimSpace(scopeWords(s)+". "+asOf(s)+" "+s.About.line()), xlsx.StyleNote)
	p.Skip(1)
	for _, pair := range t.pairs(s) {
		_, style := pair.Verdict.look()
		addWords(p, pair.line(), style)
	}
	addWords(p, t.bridge(), xlsx.StyleNote)
	p.Skip(1)
	bucketRows(p, t)
	p.Skip(1)
	charts := p.Last() + 1
	p.Skip(chartRows + 1)
	states := addMatrix(p, "Status", t.statuses())
	p.Skip(1)
	addMatrix(p, "Debit account", ledger.ListOf(byBank(t.accounts), func(a *groupTotals) namedSplit {
		return namedSplit{s.account(a.account), a.split}
	}))
	p.Skip(1)
	banks := addMatrix(p, "Partner bank", t.bankLines())
	p.Skip(1)
	sheetRows(p, s, t)

	return errors.Join(
		w.AddPage(summaryTab, p, summaryFirst, 11, 19, 19, 19, 19, 19, 19, 10, 11, 19),
		w.SetSheetProps(summaryTab, &excelize.SheetPropsOptions{DefaultRowHeight: new(15.0), CustomHeight: new(true)}), // in points; the charts depend on it
		addChart(w, fmt.Sprintf("A%d", charts), 8, "Amount by status (INR)", states),
		addChart(w, fmt.Sprintf("D%d", charts), 96, "Amount by partner bank (INR)", banks))
}

// addTable adds a header, a row for each of list, and a row of sums. It returns the number of the first row.
func addTable[T any](p *xlsx.Page, list []T, columns ...column[T]) (from int) {
	heads := ledger.ListOf(columns, func(c column[T]) heading { return c.heading })
	p.Add(ledger.ListOf(heads, heading.headCell)...)
	from = p.Last() + 1
	sums := make([]ledger.Paise, len(columns))
	for _, v := range list {
		row := cellsOf(columns, v, nil)
		p.AddHigh(xlsx.Height(sumUp(heads, row, sums)), row...)
	}
	totals := []xlsx.Cell{xlsx.Text("Total").In(xlsx.StyleTotal)}
	for i := 1; i < len(columns); i++ {
		name := xlsx.ColumnName(i)
		totals = append(totals, columns[i].subtotal(sums[i], fmt.Sprintf("SUM(%s%d:%[1]s%[3]d)", name, from, p.Last())))
	}
	p.Add(totals...)
	return from
}

func bucketRows(p *xlsx.Page, t *totals) {
	addTable(p, []bucket{paid, open, notPaid, inDoubt},
		cell("Where the money is", 0, func(w bucket) xlsx.Cell { return xlsx.Text(w.String()).In(w.style()) }),
		count("Payouts", 0, func(w bucket) int { return t.by[w].Count }),
		money("Amount (INR)", 0, func(w bucket) ledger.Paise { return t.by[w].Total }))
}

// matrix is a table of names by bucket, which a chart shows.
type matrix struct {
	lines []namedSplit
	from  int // its first row
}

func addMatrix(p *xlsx.Page, name string, lines []namedSplit) matrix {
	if len(lines) == 0 {
		lines = []namedSplit{{"none", split{}}}
	}
	columns := []column[namedSplit]{
		text(name, 0, func(l namedSplit) string { return l.name }),
		count("Payouts", 0, func(l namedSplit) int { return l.all.Count }),
	}
	for w := range buckets {
		columns = append(columns, money(w.String()+" (INR)", 0, func(l namedSplit) ledger.Paise { return l.by[w].Total }))
	}
	columns = append(columns, money("Total (INR)", 0, func(l namedSplit) ledger.Paise { return l.all.Total }))
	return matrix{lines, addTable(p, lines, columns...)}
}

func sheetRows(p *xlsx.Page, s *Snapshot, t *totals) {
	if len(s.sheets) == 0 {
		p.Add(xlsx.Text("No sheet is loaded."))
		return
	}
	addTable(p, s.sheets,
		wrapped("Sheet", summaryFirst, func(h ledger.Sheet) string { return h.Name }),
		count("Rows", 0, func(h ledger.Sheet) int { return h.Rows }),
		money("Sheet (INR)", 0, func(h ledger.Sheet) ledger.Paise { return h.Total }),
		count("Accepted", 0, func(h ledger.Sheet) int { return h.Accepted.Count }),
		money("Accepted (INR)", 0, func(h ledger.Sheet) ledger.Paise { return h.Accepted.Total }),
		count("Left out", 0, func(h ledger.Sheet) int { return h.Rejected.Count }),
		money("Left out (INR)", 0, func(h ledger.Sheet) ledger.Paise { return h.Rejected.Total }),
		cell("Loaded", 0, func(h ledger.Sheet) xlsx.Cell { return s.moment(h.LoadedAt) }),
		cell("Ties out", 0, t.tiesCell),
		count("Corrected", 0, func(h ledger.Sheet) int { return h.Corrected.Count }),
		money("Corrected (INR)", 0, func(h ledger.Sheet) ledger.Paise { return h.Corrected.Total }))
}

func (t *totals) tiesCell(h ledger.Sheet) xlsx.Cell {
	if t.sheetTies(h) {
		return xlsx.Text("yes").In(xlsx.StylePaid)
	}
	return xlsx.Text("no").In(xlsx.StyleNotPaid)
}

// gridStep is the distance of the chart's grid lines, in whole rupees: 1, 2 or 5 with zeros. The longest bar
// has about three lines, so that the full amounts fit next to each other.
func (m matrix) gridStep() int64 {
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
func addChart(w *xlsx.Book, at string, offset int, title string, m matrix) error {
	last := m.from + len(m.lines) - 1
	var series []excelize.ChartSeries
	for s := range buckets {
		amounts := xlsx.ColumnName(int(s) + 2)
		series = append(series, excelize.ChartSeries{
			Name:       fmt.Sprintf("'%s'!$%s$%d", summaryTab, amounts, m.from-1),
			Categories: fmt.Sprintf("'%s'!$A$%d:$A$%d", summaryTab, m.from, last),
			Values:     fmt.Sprintf("'%s'!$%s$%d:$%[2]s$%[4]d", summaryTab, amounts, m.from, last),
			Fill:       excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{bucketLooks[s].colour}},
		})
	}
	font := func(size float64, colour string, bold bool) excelize.Font {
		return excelize.Font{Size: size, Color: colour, Bold: bold, Family: xlsx.Font}
	}
	return w.AddChart(summaryTab, at, &excelize.Chart{
		Type: excelize.BarStacked, Series: series, GapWidth: new(uint(45)), Overlap: new(100),
		Format:    excelize.GraphicOptions{OffsetX: offset, OffsetY: 4},
		Dimension: excelize.ChartDimension{Width: chartPixels, Height: chartHigh},
		Title:     excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: title, Font: new(font(12, xlsx.InkColour, true))}}},
		Legend:    excelize.ChartLegend{Position: "bottom", Font: new(font(9, xlsx.InkColour, false))},
		XAxis:     excelize.ChartAxis{ReverseOrder: true, Font: font(9, xlsx.InkColour, false)}, // the first row is on top
		YAxis: excelize.ChartAxis{MajorGridLines: true, MajorUnit: float64(m.gridStep()), Font: font(8, xlsx.MutedColour, false),
			NumFmt: excelize.ChartNumFmt{CustomNumFmt: xlsx.CountFormat}},
	})
}

// addAbout adds the last tab: what the others mean and how far to trust them.
func addAbout(w *xlsx.Book, s *Snapshot, t *totals) error {
	const words = 110
	p := xlsx.NewPage("About this workbook")
	p.Skip(1)
	for _, line := range aboutLines(s, t) {
		lines := (xlsx.Length(line[1]) + words - 1) / words
		p.AddHigh(lines*xlsx.LinePoints+2, xlsx.Text(line[0]).In(xlsx.StyleOpen), xlsx.Wrapped(line[1]))
	}
	return w.AddPage(aboutTab, p, 20, words)
}

func whoseWords(s *Snapshot) string {
	words := cmp.Or(s.About.line(), "Environment and merchant are not known.")
	if s.inSandbox() {
		words = sandboxWords + ". " + words
	}
	return words
}

func pairWords(s *Snapshot, t *totals) string {
	return strings.Join(append(ledger.ListOf(t.pairs(s), Pair.line), t.bridge()), " ")
}

// mostExact has the 15 digits that a spreadsheet surely keeps.
const mostExact ledger.Paise = 999_999_999_999_999

func aboutLines(s *Snapshot, t *totals) [][2]string {
	return [][2]string{
		{"Made from", "The ledger alone. " + asOf(s) + " The same ledger gives the same workbook, byte for byte; payrun report writes it again at any time."},
		{"Whose", whoseWords(s)},
		{"Scope", scopeWords(s) + ": " + ledger.CountedPayouts(t.all.Count) + ", a line each, with its latest attempt; the tab Attempts has every one."},
		{"Audit chain", fmt.Sprintf("%s, the last one's hash is %s. payrun ledger verify checks the chain from the first event.", ledger.Counted(int(s.head.Length), "event", "events"), Clean(s.head.Hash))},
		{"Ties out", "Said of each pair by itself. Sheet and ledger: rows = accepted + left out, and what was accepted is what the ledger holds. Ledger and interface: the last status of each payout at the bank. Interface and statement: what the bank booked. " + pairWords(s, t)},
		{"Paid", "The bank reports success. It is asked again for some days, because money can be returned late."},
		{"Open", "Planned, held for an OTP, or at the bank. A batch that was never submitted cannot pay."},
		{"Not paid", "Failed, returned, or cancelled before it could pay. Plan a new attempt with payrun retry, or correct it first: payrun retry --out."},
		{"In doubt", "It may or may not have been paid: the bank contradicts itself, or an answer was lost after the OTP was sent. Never pay it another way until the bank has answered."},
		{"Amounts", "Indian rupees, exact to the paisa in the ledger and in the CSV and JSON files. A spreadsheet keeps a number to 15 digits: amounts and sums show exactly up to " + mostExact.Indian() + "."},
		{"Subtotals", "The first line of each table counts and adds up the rows that the filter leaves."},
		{"Text", "References, accounts and everything that a sheet or the bank wrote are text cells; nothing in them is calculated. Invisible characters are spelt out, as \\t or \\u202e."},
		{"Accounts", maskWords},
		{"Times", "In " + s.Zone.String() + " here and in summary.html; in UTC in the CSV and JSON files."},
	}
}
