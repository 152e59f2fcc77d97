package ledger

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// CountedLines are the lines of an account that count, and the exceptions (statements.md, "What counts").
type CountedLines struct {
	Lines      []KeptLine     // by day, within a day in the order of the balances
	OnlyInFile []KeptLine     // lines that a file shows, and a whole reading of the bank for that day lacks
	Withdrawn  []KeptLine     // debits that a newer reading lacks altogether
	Breaks     []BalanceBreak // where the balances do not chain
}

// BalanceBreak: a line does not begin at the balance at which the line before it ended.
type BalanceBreak struct {
	BankAccountID string
	From, To      string   // the days of the two lines, YYYY-MM-DD
	Ref           EntryRef // the second line
	Amount        Paise    // the difference, above zero
}

// WhatCounts decides which lines count. lines are the readings' own lines, of some days
// or all. The result for a day depends on that day, the days next to it, and the last day
// before it that has a line.
func WhatCounts(readings []KeptStatement, lines []KeptLine) CountedLines {
	c := newCounting(readings, lines)
	for _, day := range c.days {
		c.decide(day)
	}
	var order []KeptLine // of all days, in the order of the balances
	for _, day := range c.days {
		order = append(order, c.chain[day]...)
	}
	jumps := jumpsIn(order)
	out := CountedLines{Breaks: breaks(order, jumps, c.datedTwice(order, jumps))}
	for _, day := range c.days {
		for i, l := range c.chain[day] {
			if l.Place = i + 1; !c.gone[l.Ref] {
				c.counted[day] = append(c.counted[day], l)
			}
		}
		out.Lines = append(out.Lines, c.counted[day]...)
	}
	c.lacking(&out)
	return out
}

type counting struct {
	live    []*KeptStatement // readings that are not void, oldest first
	own     map[readingDay][]KeptLine
	days    []string // the days on which any reading has a line, in order
	dated   map[dated]datedOn
	chain   map[string][]KeptLine // the lines of each day, including those with a new date
	counted map[string][]KeptLine
	gone    map[EntryRef]bool // given a new date by a newer reading
	bank    map[string]*KeptStatement
}

type readingDay struct {
	reading int64
	day     string
}

// dated identifies a line by the bank's id, regardless of its day.
type dated struct {
	id, remarks string
	debit       bool
	amount      Paise
}

func datedOf(l *KeptLine) dated { return dated{l.TransactionID, l.Remarks, l.Debit, l.Amount} }

// datedOn are the days on which the newest reading of a line shows it.
type datedOn struct {
	reading int64
	days    []string
}

func newCounting(readings []KeptStatement, lines []KeptLine) *counting {
	c := &counting{own: map[readingDay][]KeptLine{}, dated: map[dated]datedOn{}, chain: map[string][]KeptLine{},
		counted: map[string][]KeptLine{}, gone: map[EntryRef]bool{}, bank: map[string]*KeptStatement{}}
	files := map[string]bool{}
	for i := range readings {
		k := &readings[i]
		if k.Shape != ShapeEntries || !k.Void.IsZero() || k.Source == FromFile && files[k.FileSHA256] {
			continue // the same file again shows nothing new
		}
		files[k.FileSHA256] = true
		c.live = append(c.live, k)
	}
	slices.SortStableFunc(c.live, func(a, b *KeptStatement) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.No, b.No)) })
	for _, l := range lines {
		c.own[readingDay{l.Ref.Reading, l.Day}] = append(c.own[readingDay{l.Ref.Reading, l.Day}], l)
		c.days = append(c.days, l.Day)
	}
	slices.Sort(c.days)
	c.days = slices.Compact(c.days)
	for _, source := range []StatementSource{FromFile, FromInterface} { // the bank's own readings override those of files
		for _, k := range c.live {
			if k.Source != source {
				continue
			}
			for _, day := range c.daysOf(k) {
				for _, l := range c.content(k, day) {
					if l.TransactionID == "" {
						continue
					}
					on := c.dated[datedOf(&l)]
					if on.reading != k.No {
						on = datedOn{reading: k.No}
					}
					on.days = append(on.days, day)
					c.dated[datedOf(&l)] = on
				}
			}
		}
	}
	return c
}

// daysOf returns the days of a reading on which any reading has a line.
func (c *counting) daysOf(k *KeptStatement) []string {
	first, _ := slices.BinarySearch(c.days, k.From)
	last, found := slices.BinarySearch(c.days, k.To)
	if found {
		last++
	}
	return c.days[first:max(first, last)]
}

// content returns the lines that a reading shows for a day.
func (c *counting) content(k *KeptStatement, day string) []KeptLine { return c.own[k.holds(day)] }

// holds returns which reading has the lines that k shows for a day: k, or an earlier one (Same).
func (k *KeptStatement) holds(day string) readingDay {
	if i, ok := slices.BinarySearchFunc(k.Same, day, func(s SameDay, day string) int { return cmp.Compare(s.Day, day) }); ok {
		return readingDay{k.Same[i].Reading, day}
	}
	return readingDay{k.No, day}
}

// decide sets the lines of a day: those of the bank's newest reading, and if that ended
// within the day, the further lines of files. Without a reading of the bank, the files'.
func (c *counting) decide(day string) {
	var bank *KeptStatement
	var file []KeptLine
	for _, k := range c.live {
		switch {
		case !k.Covers(day):
		case k.Source == FromInterface:
			bank = k
		default:
			file = joinedFiles(file, c.content(k, day), k, day)
		}
	}
	all := file
	if bank != nil {
		c.bank[day] = bank
		if all = c.content(bank, day); !bank.whole(day) {
			all = append(slices.Clone(all), beyond(all, file)...)
		}
	}
	c.chain[day] = chained(all)
	for i := range all {
		if c.datedAnew(&all[i]) {
			c.gone[all[i].Ref] = true
		}
	}
}

// datedAnew reports whether the newest reading of a line, by its id, shows it only on other days.
func (c *counting) datedAnew(l *KeptLine) bool {
	on, known := c.dated[datedOf(l)]
	return known && !slices.Contains(on.days, l.Day)
}

// joinedFiles returns the lines of a day that two files show together, the second imported
// later (statements.md, "What counts": it continues, or it replaces the day).
func joinedFiles(have, more []KeptLine, k *KeptStatement, day string) []KeptLine {
	begins, ends := day == k.From && !k.Period, day == k.To && !k.Period
	switch {
	case len(have) == 0:
		return more
	case len(more) == 0 && (begins || ends):
		return have
	case ends && startsWith(have, more):
		return have // the earlier file has more of the day
	case begins && continues(have, more):
		return append(slices.Clone(have), more...)
	}
	return more
}

// continues reports whether more begins at the balance at which have ended, and does not repeat
// have. If have ended at the balance at which it began, their texts decide.
func continues(have, more []KeptLine) bool {
	if len(have) == 0 || len(more) == 0 || !follows(&have[len(have)-1].StatementEntry, &more[0].StatementEntry) {
		return false
	}
	known := map[dated]bool{}
	for i := range have {
		known[datedOf(&have[i])] = true
	}
	if slices.ContainsFunc(more, func(l KeptLine) bool { return l.TransactionID != "" && known[datedOf(&l)] }) {
		return false
	}
	began, ok := have[0].Before()
	return !ok || began != have[len(have)-1].Closing || !startsWith(more, have) && !startsWith(have, more)
}

// startsWith reports whether list begins with all lines of first.
func startsWith(list, first []KeptLine) bool {
	return len(list) >= len(first) && slices.EqualFunc(list[:len(first)], first, func(l, m KeptLine) bool {
		a, b := l.StatementEntry, m.StatementEntry
		return a.Debit == b.Debit && a.Amount == b.Amount && a.Closing == b.Closing && a.Transacted == b.Transacted && bareWords(a.Reference+a.Remarks) == bareWords(b.Reference+b.Remarks)
	})
}

// beyond returns the lines of a file for a day that the bank's reading, which ended earlier, lacks. It returns none
// if the first of them begins at a balance from which the bank's own lines go on otherwise.
func beyond(bank, file []KeptLine) []KeptLine {
	if continues(bank, file) {
		return file
	}
	rest, _ := apart(file, bank)
	if len(rest) == 0 || len(bank) == 0 || follows(&bank[len(bank)-1].StatementEntry, &rest[0].StatementEntry) {
		return rest
	}
	begins, known := rest[0].Before()
	if known && slices.ContainsFunc(bank, func(l KeptLine) bool { before, _ := l.Before(); return before == begins }) {
		return nil // the bank shows what followed that balance, and it is another line
	}
	return rest
}

// apart pairs lines of a day one to one: first the same line, then the same id, the same words,
// a common name, and last the same direction and amount, if ids and names do not differ. It
// returns the lines of each side that have no pair.
func apart(a, b []KeptLine) (onlyA, onlyB []KeptLine) {
	type like struct {
		day    string
		debit  bool
		amount Paise
		by     any
	}
	sameNames := func(x, y *KeptLine) bool { return mayBeSame(x, y) && shareName(x.names(), y.names()) }
	onlyA, paired := a, make([]bool, len(b))
	for _, pass := range []struct {
		by   func(l *KeptLine) any
		fits func(x, y *KeptLine) bool
	}{
		{func(l *KeptLine) any { return l.Ref }, mayBeSame},
		{func(l *KeptLine) any { return l.TransactionID }, mayBeSame},
		{func(l *KeptLine) any { return bareWords(l.Reference + l.Remarks) }, mayBeSame},
		{func(*KeptLine) any { return nil }, sameNames},
		{func(*KeptLine) any { return nil }, mayBeSame},
	} {
		key := func(l *KeptLine) like { return like{l.Day, l.Debit, l.Amount, pass.by(l)} }
		free := map[like][]int{}
		for j := range b {
			if !paired[j] {
				free[key(&b[j])] = append(free[key(&b[j])], j)
			}
		}
		onlyA = slices.DeleteFunc(slices.Clone(onlyA), func(l KeptLine) bool {
			same := free[key(&l)]
			n := slices.IndexFunc(same, func(j int) bool { return pass.fits(&l, &b[j]) })
			if n < 0 {
				return false
			}
			paired[same[n]] = true
			free[key(&l)] = slices.Delete(same, n, n+1)
			return true
		})
	}
	for j := range b {
		if !paired[j] {
			onlyB = append(onlyB, b[j])
		}
	}
	return onlyA, onlyB
}

// mayBeSame reports whether two lines may be the same: equal in direction and amount, without
// different ids, and for debits without a common id, without different names. If x is from a
// file and y from the bank, names do not count: a file may use its own. Not so the other way.
func mayBeSame(x, y *KeptLine) bool {
	if x.Debit != y.Debit || x.Amount != y.Amount || x.TransactionID != "" && y.TransactionID != "" && x.TransactionID != y.TransactionID {
		return false
	}
	if !x.Debit || x.Source == FromFile && y.Source == FromInterface || x.TransactionID != "" && x.TransactionID == y.TransactionID {
		return true
	}
	one, other := x.names(), y.names()
	return len(one) == 0 || len(other) == 0 || shareName(one, other)
}

func shareName(one, other []string) bool {
	return slices.ContainsFunc(one, func(name string) bool { return slices.Contains(other, name) })
}

// names returns the words of a line that may be references or UTRs: long enough, and with a digit.
func (l *KeptLine) names() (list []string) {
	texts := []string{l.Reference, l.Remarks}
	for _, d := range l.Details {
		texts = append(texts, d.Reference, d.Remarks)
	}
	for _, text := range texts {
		EachName(text, func(start, end int) bool {
			if word := text[start:end]; len(word) >= ShortName && strings.ContainsAny(word, "0123456789") {
				list = append(list, strings.ToLower(word))
			}
			return false
		})
	}
	return list
}

// lacking finds the lines that a reading shows and that do not count. A line that several
// readings show is listed once.
func (c *counting) lacking(out *CountedLines) {
	for _, k := range c.live {
		var inFile, withdrawn []KeptLine
		for _, l := range c.lacks(k) {
			bank := c.bank[l.Day]
			switch {
			case k.Source == FromFile && bank != nil:
				inFile = append(inFile, l)
			case l.Debit:
				withdrawn = append(withdrawn, l)
			}
		}
		out.OnlyInFile, out.Withdrawn = withMissing(inFile, out.OnlyInFile), withMissing(withdrawn, out.Withdrawn)
	}
	byPlace := func(a, b KeptLine) int { return cmp.Or(cmp.Compare(a.Day, b.Day), a.Ref.Compare(b.Ref)) }
	slices.SortFunc(out.OnlyInFile, byPlace)
	slices.SortFunc(out.Withdrawn, byPlace)
}

// withMissing returns list with the lines of more that it lacks.
func withMissing(list, more []KeptLine) []KeptLine {
	if len(list) == 0 {
		return more
	}
	_, missing := apart(list, more)
	return append(list, missing...)
}

// lacks returns the lines of one reading that are missing from the counted lines of their day and of
// the days next to it.
func (c *counting) lacks(k *KeptStatement) (list []KeptLine) {
	free := map[string][]KeptLine{} // counted lines that the reading does not show
	for _, day := range c.daysOf(k) {
		if slices.EqualFunc(c.content(k, day), c.counted[day], func(a, b KeptLine) bool { return a.Ref == b.Ref }) {
			continue
		}
		var left []KeptLine
		left, free[day] = apart(c.content(k, day), c.counted[day])
		list = append(list, slices.DeleteFunc(left, func(l KeptLine) bool { return c.datedAnew(&l) })...)
	}
	return slices.DeleteFunc(list, func(l KeptLine) bool {
		for _, near := range []string{DayPlus(l.Day, -1), DayPlus(l.Day, 1)} {
			more, looked := free[near]
			if !looked && !k.Covers(near) {
				more = slices.Clone(c.counted[near])
			}
			i := slices.IndexFunc(more, func(o KeptLine) bool { return mayBeSame(&l, &o) })
			if i >= 0 {
				free[near] = slices.Delete(more, i, i+1)
				return true
			}
		}
		return false
	})
}

// jumpsIn returns the places of the lines that do not begin at the balance at which the line before ended.
func jumpsIn(lines []KeptLine) (jumps []int) {
	for i := 1; i < len(lines); i++ {
		if !follows(&lines[i-1].StatementEntry, &lines[i].StatementEntry) {
			jumps = append(jumps, i)
		}
	}
	return jumps
}

// datedTwice handles lines with a new date. If the balances do not jump between the two places, the
// bank used one id twice, and the line counts in both. Otherwise the line explains one jump of its
// amount. It returns the explained jumps.
func (c *counting) datedTwice(order []KeptLine, jumps []int) (explained map[int]bool) {
	newest := map[dated]int{}
	for i, l := range order {
		if !c.gone[l.Ref] && l.TransactionID != "" {
			newest[datedOf(&l)] = i
		}
	}
	explained = map[int]bool{}
	for i, l := range order {
		at, there := newest[datedOf(&l)]
		if !there || !c.gone[l.Ref] {
			continue
		}
		first, _ := slices.BinarySearch(jumps, min(i, at)+1)
		after, _ := slices.BinarySearch(jumps, max(i, at)+1)
		if first == after {
			delete(c.gone, l.Ref)
		}
		for _, n := range jumps[first:after] {
			before, _ := order[n].Before()
			if jump, fits := before.Plus(-order[n-1].Closing); fits && jump == -l.Change() && !explained[n] {
				explained[n] = true
				break
			}
		}
	}
	return explained
}

// breaks returns the jumps of the balances that are not explained.
func breaks(order []KeptLine, jumps []int, explained map[int]bool) (list []BalanceBreak) {
	for _, n := range jumps {
		if last, l := order[n-1], order[n]; !explained[n] {
			before, _ := l.Before()
			list = append(list, BalanceBreak{BankAccountID: l.BankAccountID, From: last.Day, To: l.Day, Ref: l.Ref, Amount: distance(before, last.Closing)})
		}
	}
	slices.SortFunc(list, func(a, b BalanceBreak) int { return cmp.Or(cmp.Compare(a.To, b.To), a.Ref.Compare(b.Ref)) })
	return list
}

func distance(a, b Paise) Paise {
	d, ok := a.Plus(-b)
	if !ok {
		return math.MaxInt64
	}
	return max(d, -d)
}

// chained returns the lines of a day in an order in which each begins at the balance at
// which the one before it ended. It keeps their own order if it finds none with fewer
// breaks. It depends on that day alone.
func chained(day []KeptLine) []KeptLine {
	jumps := len(jumpsIn(day))
	if jumps == 0 {
		return day
	}
	turned := slices.Clone(day) // a bank may list each day newest first
	slices.Reverse(turned)
	if len(jumpsIn(turned)) == 0 {
		return turned
	}
	next, ends := map[Paise][]int{}, map[Paise]bool{}
	for i := range day {
		before, _ := day[i].Before()
		next[before] = append(next[before], i)
		ends[day[i].Closing] = true
	}
	used := make([]bool, len(day))
	var out []KeptLine
	i := max(0, slices.IndexFunc(day, func(l KeptLine) bool { before, _ := l.Before(); return !ends[before] }))
	for first := 0; ; {
		before, _ := day[i].Before()
		next[before] = slices.DeleteFunc(next[before], func(j int) bool { return j == i })
		used[i] = true
		out = append(out, day[i])
		for first < len(day) && used[first] {
			first++
		}
		if first == len(day) {
			break
		}
		i = first
		if on := next[out[len(out)-1].Closing]; len(on) > 0 {
			i = on[0]
		}
	}
	if len(jumpsIn(out)) < jumps {
		return out
	}
	return day
}

// JoinError: a file begins within a day whose lines are known, and its opening balance fits neither
// the beginning nor the end of them.
type JoinError struct {
	Day                   string
	Opening, Began, Ended Paise // balances: of the file, and at the beginning and end of the known lines of the day
}

func (e *JoinError) Error() string {
	return fmt.Sprintf("statement_does_not_join: the file begins on %s at %s; what is known of that day begins at %s and ends at %s", e.Day, e.Opening, e.Began, e.Ended)
}

// Joins returns a *JoinError if a file may cover only a part of its first day, and its
// opening balance does not fit the counted lines of that day (statements.md, "What counts").
// The same file may be imported again.
func (r *StatementRead) Joins(readings []KeptStatement, counted []KeptLine) error {
	if r.Source != FromFile || r.Period || r.again(readings) {
		return nil
	}
	onDay := func(list []KeptLine) []KeptLine {
		return slices.DeleteFunc(slices.Clone(list), func(l KeptLine) bool { return l.Day != r.From })
	}
	have, more := onDay(counted), onDay(r.KeptLines(0))
	if len(have) == 0 || len(more) == 0 {
		return nil
	}
	opening, _ := more[0].Before()
	began, _ := have[0].Before()
	ended := have[len(have)-1].Closing
	if opening == began || opening == ended {
		return nil
	}
	return &JoinError{Day: r.From, Opening: opening, Began: began, Ended: ended}
}

// MissingDays returns the days from `from` to `to`, both included, that no valid reading covers.
func MissingDays(readings []KeptStatement, from, to string) (days []string) {
	for day := from; day != "" && day <= to; day = DayPlus(day, 1) {
		if !slices.ContainsFunc(readings, func(k KeptStatement) bool { return k.Void.IsZero() && k.Covers(day) }) {
			days = append(days, day)
		}
	}
	return days
}

// Repeats returns the days of a new reading, fresh, whose lines the newest reading of the same
// source has word for word, oldest first.
func Repeats(readings []KeptStatement, lines, fresh []KeptLine) (same []SameDay) {
	if len(fresh) == 0 {
		return nil
	}
	c := newCounting(readings, slices.Concat(lines, fresh))
	for _, day := range c.days {
		own := c.own[readingDay{fresh[0].Ref.Reading, day}]
		for _, k := range slices.Backward(c.live) {
			if k.Source != fresh[0].Source || !k.Covers(day) {
				continue
			}
			if len(own) > 0 && slices.EqualFunc(c.content(k, day), own, wordForWord) {
				same = append(same, SameDay{Day: day, Reading: k.holds(day).reading})
			}
			break
		}
	}
	return same
}

func wordForWord(a, b KeptLine) bool { return reflect.DeepEqual(a.StatementEntry, b.StatementEntry) }

// again reports whether the same file is on record, and not void: it shows nothing new.
func (r *StatementRead) again(readings []KeptStatement) bool {
	return r.Source == FromFile && slices.ContainsFunc(readings, func(k KeptStatement) bool { return k.Void.IsZero() && k.FileSHA256 == r.FileSHA256 })
}

// KnownLines returns how many lines of a new reading, fresh, count already, or are of a file that is on record.
func (r *StatementRead) KnownLines(readings []KeptStatement, counted, fresh []KeptLine) int {
	if r.again(readings) {
		return len(fresh)
	}
	isNew, _ := apart(fresh, counted)
	return len(fresh) - len(isNew)
}
