package ledger

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Plain makes text from a sheet or from the bank safe to show on one line.
// Control, format and direction characters, and all others that are not
// printable, become \u escapes, so that no terminal acts on them. Line breaks
// and tabs become spaces.
func Plain(s string) string {
	if strings.IndexFunc(s, Unprintable) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case Unprintable(r):
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Unprintable reports a character that must not reach a terminal raw. Joiners
// may: Indian scripts need them, and no terminal acts on them.
func Unprintable(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'
	if r == zeroWidthNonJoiner || r == zeroWidthJoiner {
		return false
	}
	return r == unicode.ReplacementChar || !unicode.IsPrint(r) && !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Mc, r)
}

// Rupees returns an amount for people: ₹1,23,45,678.90.
func (p Paise) Rupees() string {
	if p < 0 {
		return "−₹" + (-p).Indian()
	}
	return "₹" + p.Indian()
}

// phrases are the parts of a text.
type phrases []string

// add adds a part, if it is to be said.
func (p *phrases) add(is bool, part string) {
	if is {
		*p = append(*p, part)
	}
}

func capitalised(state string) string {
	if state == "" {
		return ""
	}
	words := strings.ReplaceAll(state, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// Grouped returns a count for people, with lakh and crore groups: 1,23,456.
func Grouped(n int) string { return strings.TrimSuffix(Paise(int64(n)*100).Indian(), ".00") }

// Counted returns a number of things in words: 1 payout, 2 payouts.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// CountedBatches returns "1 batch", "2 batches".
func CountedBatches(n int) string { return Counted(n, "batch", "batches") }

// CountedPayouts returns "1 payout", "2 payouts".
func CountedPayouts(n int) string { return Counted(n, "payout", "payouts") }

// CountedRows returns "1 row", "2 rows".
func CountedRows(n int) string { return Counted(n, "row", "rows") }

// Instant returns a time for programs: UTC, RFC 3339; "" for the zero time.
func Instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// momentWords returns a time for the text of an error, in the zone of the banks. The people who work
// with them use it too, and the domain knows no other zone.
func momentWords(t time.Time) string { return t.In(bankZone).Format("2006-01-02 15:04:05 MST") }

// Lasting returns a duration in words, in its largest unit: 5 minutes, 3 days. A negative one, from
// a clock that is ahead, is 0 s.
func Lasting(d time.Duration) string {
	const day = 24 * time.Hour
	d = max(d, 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return Counted(int(d.Minutes()), "minute", "minutes")
	case d < 2*day:
		return Counted(int(d.Hours()), "hour", "hours")
	}
	return Counted(int(d/day), "day", "days")
}

// Distance returns how many letters to change, add, drop or swap with a neighbour
// to turn a into b (optimal string alignment).
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, row := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		next := make([]int, len(y)+1)
		next[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(y)]
}

// Lowered returns a heading as it is written inside a sentence.
func Lowered(title string) string {
	first, size := utf8.DecodeRuneInString(title)
	if next, _ := utf8.DecodeRuneInString(title[size:]); unicode.IsUpper(next) {
		return title // an abbreviation
	}
	return string(unicode.ToLower(first)) + title[size:]
}
