package reports

import (
	_ "embed"
	"html/template"

	"payrun/ledger"
	"payrun/reports/folder"
)

//go:embed summary.html.tmpl
var summaryTemplate string

// What fits on one printed page. What does not is counted, and is in the
// other files.
const (
	pageGroups = 6
	pageSheets = 4
)

// summary is what the page shows, in the page's words.
type summary struct {
	Scope, AsOf    string
	TiesOut        bool
	Tie            string
	Statements     string
	Masked         string
	Tiles          []tile
	Charts         []chart
	Legend         []tile
	Attention      []attention
	MoreAttention  string
	AttentionTotal string
	Sheets         []sheetRow
	MoreSheets     string
	Hash           string
}

// tile is one of the large figures.
type tile struct{ Class, Label, Amount, Count string }

type attention struct{ Class, Title, Count, Amount, Reason, Fix string }

type sheetRow struct {
	Name, Rows, Accepted, Amount, Rejected, Blank, Loaded string
	TiesOut                                               bool
}

func writeHTML(dir *folder.Folder, s *Snapshot, g *gathered) error {
	f, err := dir.Create(htmlFile)
	if err != nil {
		return err
	}
	page, err := template.New(htmlFile).Parse(summaryTemplate)
	if err != nil {
		return err
	}
	if err := page.Execute(f, newSummary(s, g.totals)); err != nil {
		return err
	}
	return f.Flush()
}

func newSummary(s *Snapshot, t *totals) summary {
	tied := t.ties(s.sheets)
	p := summary{
		Scope: scopeWords(s), AsOf: asOf(s), TiesOut: tied.TiesOut, Tie: tieWords(tied),
		Statements: statementWords, Masked: maskWords(s), Hash: Clean(s.head.Hash),
		Charts: []chart{statusChart(t), bankChart(t)},
	}
	p.Tiles = append(p.Tiles, tile{"accepted", "Accepted", tied.Accepted.Total.Rupees(), ledger.Counted(tied.Accepted.Count, "payout", "payouts")})
	for w := range buckets {
		tally := t.by[w]
		one := tile{w.class(), w.String(), tally.Total.Rupees(), ledger.Counted(tally.Count, "payout", "payouts")}
		p.Tiles, p.Legend = append(p.Tiles, one), append(p.Legend, one)
	}
	p.attention(t)
	p.sheets(s, t)
	return p
}

// class names the bucket in the page's style sheet.
func (s bucket) class() string {
	return [...]string{"paid", "open", "notpaid", "indoubt"}[s]
}

// attention lists what a person should take up, gravest first.
func (p *summary) attention(t *totals) {
	all := t.gravest()
	if len(all) > pageGroups {
		all = merged(all)
	}
	for _, g := range all[:min(len(all), pageGroups)] {
		reason := g.reason
		if reason == "" {
			reason = "various reasons; see " + exceptionsFile
		}
		p.Attention = append(p.Attention, attention{
			Class: g.bucket.class(), Title: titleOf(g.kind), Count: g.people(),
			Amount: g.tally.Total.Rupees(), Reason: brief(reason, 84), Fix: shortFixOf(g.kind, g.batch),
		})
	}
	if more := len(all) - len(p.Attention); more > 0 {
		p.MoreAttention = "and " + ledger.Grouped(more) + " more; all are in " + exceptionsFile + " and " + workbookFile
	}
	p.AttentionTotal = ledger.Counted(t.persons.Count, "payout", "payouts") + ", " + t.persons.Total.Rupees()
}

// people says how many payouts wait, or the one by its reference.
func (g *group) people() string {
	switch {
	case g.batches:
		return ledger.Counted(g.tally.Count, "batch", "batches")
	case g.tally.Count == 1:
		return brief(g.first, 40)
	}
	return ledger.Counted(g.tally.Count, "payout", "payouts")
}

// brief keeps long words from pushing the page onto a second.
func brief(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}

func (p *summary) sheets(s *Snapshot, t *totals) {
	newest := s.sheets[max(0, len(s.sheets)-pageSheets):]
	for _, h := range newest {
		p.Sheets = append(p.Sheets, sheetRow{
			Name: brief(h.Name, 40), Rows: ledger.Grouped(h.Rows), Accepted: ledger.Grouped(h.Accepted.Count), Amount: h.Accepted.Total.Rupees(),
			Rejected: ledger.Grouped(h.Rejected.Count), Blank: ledger.Grouped(h.Blank), Loaded: s.when(h.LoadedAt), TiesOut: t.sheetTies(h),
		})
	}
	if more := len(s.sheets) - len(newest); more > 0 {
		p.MoreSheets = "and " + ledger.Counted(more, "earlier sheet", "earlier sheets") + "; all are in " + workbookFile
	}
}
