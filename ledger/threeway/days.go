package threeway

import (
	"cmp"
	"math"
	"slices"
	"time"

	"payrun/ledger"
)

// noDay is before every day.
const noDay = math.MinInt32

// dayOf is the day of a moment in zone, counted from 1970.
func dayOf(t time.Time, zone *time.Location) int32 {
	y, mo, d := t.In(zone).Date()
	return int32(time.Date(y, mo, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// parseDay reads YYYY-MM-DD; noDay where it is none.
func parseDay(text string) int32 {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return noDay
	}
	return int32(t.Unix() / 86400)
}

// nameDay writes a day as a person looks for it.
func nameDay(day int32) string { return time.Unix(int64(day)*86400, 0).UTC().Format(time.DateOnly) }

// link is what one entry does to the balance.
type link struct {
	day           int32
	before, after ledger.Paise
}

// gap is where an entry begins at another balance than the one before it ended at.
type gap struct {
	at       int // the entry's place
	from, to ledger.Paise
}

// breaks is what breaks in the chain of an account's balances over all that is
// known, by absolute amount. A break in what one source gives is none where the
// other leads from the one balance to the other without a break; what both lack
// counts once.
func breaks(chain [sides][]link) (sum ledger.Paise) {
	var gaps [sides][]gap
	for s := range chain {
		chain[s] = inTime(chain[s])
		gaps[s] = gapsOf(chain[s])
	}
	type jump struct{ from, to ledger.Paise }
	lacking := map[jump]int{}
	for s := range chain {
		own := map[jump]int{}
		for _, g := range gaps[s] {
			if leads(chain[1-s], gaps[1-s], g.from, g.to, chain[s][g.at-1].day-1, chain[s][g.at].day+1) {
				continue
			}
			j := jump{g.from, g.to}
			if own[j]++; own[j] > lacking[j] {
				lacking[j]++
				sum = plus(sum, distance(g.from, g.to))
			}
		}
	}
	return plus(sum, junction(chain))
}

// inTime puts the entries in the order of their days, and those of each day in the
// order in which their balances follow one another.
func inTime(list []link) []link {
	slices.SortStableFunc(list, func(a, b link) int { return cmp.Compare(a.day, b.day) })
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].day == list[from].day {
			to++
		}
		last := begins(list[from:to])
		if from > 0 {
			last = list[from-1].after
		}
		copy(list[from:to], inOrder(list[from:to], last))
		from = to
	}
	return list
}

func gapsOf(list []link) (gaps []gap) {
	for i := 1; i < len(list); i++ {
		if list[i].before != list[i-1].after {
			gaps = append(gaps, gap{i, list[i-1].after, list[i].before})
		}
	}
	return gaps
}

// leads reports whether the entries go from one balance to another without a
// break, within some days.
func leads(list []link, gaps []gap, from, to ledger.Paise, first, last int32) bool {
	i, _ := slices.BinarySearchFunc(list, first, func(l link, day int32) int { return cmp.Compare(l.day, day) })
	broken := func(at int) bool {
		_, is := slices.BinarySearchFunc(gaps, at, func(g gap, at int) int { return cmp.Compare(g.at, at) })
		return is
	}
	begun := false
	for ; i < len(list) && list[i].day <= last; i++ {
		if begun && broken(i) {
			begun = false
		}
		begun = begun || list[i].before == from
		if begun && list[i].after == to {
			return true
		}
	}
	return false
}

// junction is what breaks where one source begins only after the other: the
// balance at which it begins has to be one that the other came to by then.
func junction(chain [sides][]link) ledger.Paise {
	early, late := chain[0], chain[1]
	if len(early) == 0 || len(late) == 0 {
		return 0
	}
	if late[0].day < early[0].day {
		early, late = late, early
	}
	opening, day := late[0].before, late[0].day
	last := early[0].before
	for i, l := range early {
		if l.day > day+1 {
			break
		}
		if l.before == opening && l.day >= day-1 || l.after == opening && (i == len(early)-1 || early[i+1].day >= day-1) {
			return 0
		}
		if l.day < day {
			last = l.after
		}
	}
	return distance(last, opening)
}

func distance(a, b ledger.Paise) ledger.Paise {
	d, ok := a.Plus(-b)
	if !ok {
		return math.MaxInt64
	}
	return abs(d)
}

// begins is the balance at which the entries of a day begin: the one that more of
// them begin at than end at, or else the first one's.
func begins(day []link) ledger.Paise {
	more := make(map[ledger.Paise]int, len(day))
	for _, l := range day {
		more[l.before]++
		more[l.after]--
	}
	for _, l := range day {
		if more[l.before] > 0 {
			return l.before
		}
	}
	return day[0].before
}

// inOrder gives the entries of one day in an order in which each begins where the
// one before ended, from a balance on, if there is one; else as they came. Several
// readings of a day, and a bank that orders a day otherwise, have them mixed.
func inOrder(day []link, from ledger.Paise) []link {
	if chained(day, from) {
		return day
	}
	// An order that uses each entry once is a walk over balances: Hierholzer's.
	next := make(map[ledger.Paise][]int32, len(day))
	for i := len(day) - 1; i >= 0; i-- { // the first comes off first
		next[day[i].before] = append(next[day[i].before], int32(i))
	}
	out := make([]link, 0, len(day))
	type step struct {
		balance ledger.Paise
		by      int32
	}
	walk := []step{{from, -1}}
	for len(walk) > 0 {
		top := walk[len(walk)-1]
		if list := next[top.balance]; len(list) > 0 {
			i := list[len(list)-1]
			next[top.balance] = list[:len(list)-1]
			walk = append(walk, step{day[i].after, i})
			continue
		}
		walk = walk[:len(walk)-1]
		if top.by >= 0 {
			out = append(out, day[top.by])
		}
	}
	slices.Reverse(out)
	if len(out) == len(day) && chained(out, from) {
		return out
	}
	return day
}

func chained(day []link, last ledger.Paise) bool {
	for _, l := range day {
		if l.before != last {
			return false
		}
		last = l.after
	}
	return true
}
