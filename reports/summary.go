package reports

import (
	_ "embed"
	"errors"
	"html/template"

	"payrun/ledger"
	"payrun/reports/folder"
)

//go:embed summary.html.tmpl
var summaryTemplate string

// The limits of one printed page. What does not fit is counted, and is in the other files.
const (
	pageGroups   = 6
	pageAccounts = 4
	pageSheets   = 4
	pageReason   = 400 // characters: payrun's own reasons are shorter, a bank's may have any length; the style sheet prints fewer lines
)

// summary is the content of the page, in words.
type summary struct {
	Scope, AsOf    string
	Banner, About  string
	Pairs          []Pair
	Bridge         string
	Masked         string
	Sheet, Money   []tile // what came in, and where the money is
	Charts         []chart
	Attention      []attention
	MoreAttention  string
	AttentionTotal string
	Accounts       []accountRow
	MoreAccounts   string
	Sheets         []sheetRow
	MoreSheets     string
	Hash           string
}

// tile is one of the large figures.
type tile struct{ Class, Label, Amount, Count string }

// tileOf returns one figure. A figure of none gets no warning colour.
func tileOf(class, label string, of ledger.Tally, thing string) tile {
	if of.Count == 0 {
		class += " zero"
	}
	return tile{class, label, of.Total.Rupees(), ledger.Counted(of.Count, thing, thing+"s")}
}

// leftOut is the tile of the rows that were left out, of which some may have come with a later sheet.
func (t *totals) leftOut(left ledger.Tally) tile {
	one := tileOf("leftout", "Left out", left, "row")
	if t.came > 0 {
		one.Count += ", " + ledger.Grouped(t.came) + " came later"
	}
	if t.came == left.Count && t.came > 0 {
		one.Class += " zero"
	}
	return one
}

type attention struct {
	Class, Title, Count, Amount, Reason, Fix string
	Refs                                     []string
}

type accountRow struct{ Name, Count, Paid, Open, NotPaid, InDoubt, Total string }

type sheetRow struct {
	Name, Rows, Total, Accepted, Amount, Rejected, LeftOut, Loaded string
	TiesOut                                                        bool
}

// writePage writes a page for people.
func writePage(dir *folder.Folder, name, layout string, data any) error {
	page, err := template.New(name).Parse(layout)
	if err != nil {
		return err
	}
	f, err := dir.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(page.Execute(f, data), f.Flush())
}

func newSummary(s *Snapshot, t *totals) summary {
	p := summary{
		Scope: scopeWords(s), AsOf: asOf(s), About: s.About.line(), Pairs: t.pairs(s), Bridge: t.bridge(), Masked: maskWords, Hash: Clean(s.head.Hash),
		Charts: []chart{
			chartOf("By status", "Amounts by status of the payouts", t.statuses(), len(ledger.PayoutStates)),
			chartOf("By partner bank", "Amounts by partner bank", t.bankLines(), chartBanks),
		},
	}
	if s.inSandbox() {
		p.Banner = sandboxWords
	}
	in, sheets := s.cameIn(), "Sheets"
	if len(s.sheets) == 1 {
		sheets = "Sheet"
	}
	p.Sheet = []tile{
		tileOf("sheet", sheets, in.rows, "row"),
		tileOf("accepted", "Accepted", in.accepted, "payout"),
		t.leftOut(in.left),
	}
	if in.corrected.Count > 0 {
		p.Sheet = append(p.Sheet, tileOf("accepted", "Corrected", in.corrected, "row"))
	}
	for w := range buckets {
		p.Money = append(p.Money, tileOf(w.class(), w.String(), t.by[w], "payout"))
	}
	p.attention(t)
	p.accounts(s, t)
	p.sheets(s, t)
	return p
}

// attention lists what a person should handle, most serious first.
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
			Class: g.bucket.class(), Title: g.kind.Row().Title, Count: g.of.counted(g.tally.Count), Refs: g.shown(),
			Amount: g.tally.Total.Rupees(), Reason: brief(reason, pageReason), Fix: fixOf(g.kind, g.subject(), 1),
		})
	}
	if more := len(all) - len(p.Attention); more > 0 {
		p.MoreAttention = "and " + ledger.Grouped(more) + " more; all are in " + exceptionsFile + " and " + workbookFile
	}
	if t.persons.Count > 0 {
		p.AttentionTotal = ledger.CountedPayouts(t.persons.Count) + ", " + t.persons.Total.Rupees()
	}
}

// subject returns the batch and the payout of the group, if there is only one of each.
func (g *group) subject() subject {
	of := subject{batch: g.batch}
	if g.tally.Count == 1 && len(g.refs) == 1 {
		of.ref = g.refs[0]
	}
	return of
}

// shown returns the references on the page, and "…" if there are more.
func (g *group) shown() []string {
	refs := ledger.ListOf(g.refs, func(ref string) string { return brief(ref, 40) })
	if g.of == ofPayouts && g.tally.Count > len(refs) {
		refs = append(refs, "…")
	}
	return refs
}

// brief shortens long words, so that the page stays one page.
func brief(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}

// accounts lists the debit accounts, because statements are given by account.
func (p *summary) accounts(s *Snapshot, t *totals) {
	all := byBank(t.accounts)
	most := pageAccounts
	if len(all) == most+1 { // the last account takes the line that would count it
		most++
	}
	for _, a := range all[:min(len(all), most)] {
		p.Accounts = append(p.Accounts, accountRow{
			Name: brief(s.account(a.account), 40), Count: ledger.Grouped(a.all.Count), Total: a.all.Total.Rupees(),
			Paid: a.by[paid].Total.Rupees(), Open: a.by[open].Total.Rupees(), NotPaid: a.by[notPaid].Total.Rupees(), InDoubt: a.by[inDoubt].Total.Rupees(),
		})
	}
	if more := len(all) - len(p.Accounts); more > 0 {
		p.MoreAccounts = "and " + ledger.Counted(more, "account", "accounts") + " more; all are in " + workbookFile
	}
}

func (p *summary) sheets(s *Snapshot, t *totals) {
	newest := s.sheets[max(0, len(s.sheets)-pageSheets):]
	for _, h := range newest {
		name := brief(h.Name, 60)
		if h.Corrected.Count > 0 {
			name += " (corrects " + ledger.CountedPayouts(h.Corrected.Count) + " of earlier sheets: " + h.Corrected.Total.Rupees() + ")"
		}
		p.Sheets = append(p.Sheets, sheetRow{
			Name: name, Rows: ledger.Grouped(h.Rows), Total: h.Total.Rupees(), Accepted: ledger.Grouped(h.Accepted.Count), Amount: h.Accepted.Total.Rupees(),
			Rejected: ledger.Grouped(h.Rejected.Count), LeftOut: h.Rejected.Total.Rupees(), Loaded: s.when(h.LoadedAt), TiesOut: t.sheetTies(h),
		})
	}
	if more := len(s.sheets) - len(newest); more > 0 {
		p.MoreSheets = "and " + ledger.Counted(more, "earlier sheet", "earlier sheets") + "; all are in " + workbookFile
	}
}

// chart is horizontal bars.
type chart struct {
	Title, Description string
	Bars               []bar
	More               string // how many lines did not fit
}

// bar is one line of a chart: words, and below them segments in a row.
type bar struct {
	Label, Amount, Count string
	Segments             []segment
}

// segment is a part of a bar. The browser gives each its share of the width. The last has no class, and fills the
// bar up to the length of the longest.
type segment struct {
	Class       string
	Share       ledger.Paise
	Description string
}

const chartBanks = 8 // as many as the interface names ("Bank account")

// chartOf draws at most that many lines.
func chartOf(title, description string, lines []namedSplit, most int) chart {
	c := chart{Title: title, Description: description}
	longest := ledger.Paise(1)
	for _, l := range lines {
		longest = max(longest, l.all.Total)
	}
	c.Bars = ledger.ListOf(lines[:min(len(lines), most)], func(l namedSplit) bar { return barOf(l, longest) })
	if n := len(lines) - len(c.Bars); n > 0 {
		c.More = "and " + ledger.Grouped(n) + " more in " + workbookFile
	}
	return c
}

// barOf draws one bar. Its length is its share of the longest, and its segments show where the money is.
func barOf(p namedSplit, longest ledger.Paise) bar {
	b := bar{Label: p.name, Amount: p.all.Total.Rupees(), Count: ledger.CountedPayouts(p.all.Count)}
	for w, tally := range p.by {
		if tally.Count > 0 {
			b.Segments = append(b.Segments, segment{
				Class: bucket(w).class(), Share: tally.Total,
				Description: bucket(w).String() + ": " + ledger.CountedPayouts(tally.Count) + ", " + tally.Total.Rupees(),
			})
		}
	}
	b.Segments = append(b.Segments, segment{Share: longest - p.all.Total})
	return b
}
