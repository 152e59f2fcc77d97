package reports

import (
	"math/bits"

	"payrun/ledger"
)

// chart is a drawing of horizontal bars, in its own whole units, which the style sheet scales.
type chart struct {
	Title, Description string
	Width, Height      int
	Bars               []bar
	More               string // how many lines did not fit
}

// bar is one line of a chart: words, and below them segments in a row.
type bar struct {
	Label, Amount, Count string
	TextY, BarY          int
	Segments             []segment
}

type segment struct {
	Class       string
	X, Width    int
	Description string
}

const (
	chartWidth = 440
	barPitch   = 33
	barText    = 12 // baseline of the words below the top of the line
	barTop     = 17
	chartBanks = 8 // as many as the interface names ("Bank account")
)

// chartOf draws at most that many lines.
func chartOf(title, description string, lines []namedSplit, most int) chart {
	c := chart{Title: title, Description: description, Width: chartWidth}
	longest := ledger.Paise(1)
	for _, l := range lines {
		longest = max(longest, l.all.Total)
	}
	for _, l := range lines[:min(len(lines), most)] {
		c.add(l, longest)
	}
	if n := len(lines) - len(c.Bars); n > 0 {
		c.More = "and " + ledger.Grouped(n) + " more in " + workbookFile
	}
	return c
}

// add draws one bar. Its length is its share of the longest, and its segments show where the money is.
func (c *chart) add(p namedSplit, longest ledger.Paise) {
	y := len(c.Bars) * barPitch
	b := bar{Label: p.name, Amount: p.all.Total.Rupees(), Count: ledger.CountedPayouts(p.all.Count), TextY: y + barText, BarY: y + barTop}
	x := 0
	for w, tally := range p.by {
		if tally.Count == 0 {
			continue
		}
		width := barWidth(tally.Total, longest)
		b.Segments = append(b.Segments, segment{
			Class: bucket(w).class(), X: x, Width: width,
			Description: bucket(w).String() + ": " + ledger.CountedPayouts(tally.Count) + ", " + tally.Total.Rupees(),
		})
		x += width
	}
	c.Bars = append(c.Bars, b)
	c.Height = y + barPitch
}

// barWidth returns the width of part, in proportion to whole, and at least 2 if part is not zero. The product
// has 128 bits, so every amount fits.
func barWidth(part, whole ledger.Paise) int {
	if part <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(part), chartWidth)
	if high >= uint64(whole) {
		return chartWidth
	}
	width, _ := bits.Div64(high, low, uint64(whole))
	return max(int(width), 2)
}
