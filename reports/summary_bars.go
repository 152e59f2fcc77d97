package reports

import "payrun/ledger"

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
	for _, l := range lines[:min(len(lines), most)] {
		c.Bars = append(c.Bars, barOf(l, longest))
	}
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
