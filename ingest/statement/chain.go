package statement

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"payrun/ingest"
	"payrun/ledger"
)

// give returns the entries of the rows, oldest first, if their balances agree.
func (t *tableReader) give(f *File) error {
	if len(t.found) > 0 {
		return t.found
	}
	if len(t.lines) == 0 {
		return refuse(CodeNothing, 0, "there are no entries below the header")
	}
	monthFirst, err := t.dates.judge(t.o.DayFirst)
	if err != nil {
		return err
	}
	if err := t.signs(); err != nil {
		return err
	}
	if all := slices.Concat(t.numbers, t.others); len(all) > 1 {
		return refuse(CodeAccount, 0, "the file names several accounts, ending %s", tails(all))
	}
	if len(t.others) > 0 {
		return refuse(CodeAccountOther, 0, "the file is of the account ending %s", tails(t.others))
	}
	f.Account = strings.Join(t.numbers, "")
	for i := range t.lines {
		t.lines[i].setDays(monthFirst)
	}
	if err := t.order(); err != nil {
		return err
	}
	if err := t.debitsProved(); err != nil {
		return err
	}
	f.Entries = ledger.ListOf(t.lines, func(l line) ledger.StatementEntry { return l.entry })
	f.Opening, _ = f.Entries[0].Before() // chained, so it fits
	f.Closing = f.Entries[len(f.Entries)-1].Closing
	f.From, f.To = f.Entries[0].Day(), f.Entries[0].Day()
	return nil
}

// tails returns the last four digits of account numbers, for people.
func tails(numbers []string) string {
	return strings.Join(ledger.ListOf(numbers, func(number string) string {
		return cmp.Or(number[max(0, len(number)-4):], "(not shown)")
	}), ", ")
}

// setDays sets the days, once the order of day and month is known.
func (l *line) setDays(monthFirst bool) {
	text := func(d *date) string {
		if d == nil {
			return ""
		}
		if d.numbers && monthFirst {
			d.day, d.month = d.month, d.day
		}
		return d.String()
	}
	e := &l.entry
	e.Transacted, e.Posted, e.Value = text(l.days[colTransacted]), text(l.days[colPosted]), text(l.days[colValue])
	if e.Transacted = cmp.Or(e.Transacted, e.Posted); e.Transacted == "" {
		e.Transacted, e.Value = e.Value, ""
	}
}

// order sorts the rows into the order in which the balance moved. If the days show the order, the balances must
// agree with it. If they do not, the balances must agree with exactly one order.
func (t *tableReader) order() error {
	first, last := t.lines[0].entry.Day(), t.lines[len(t.lines)-1].entry.Day()
	oldest := t.broken(false)
	slices.Reverse(t.lines)
	newest := t.broken(true)
	switch {
	case len(t.lines) == 1, oldest == nil && (newest != nil || first < last):
		slices.Reverse(t.lines)
		return oldest
	case newest == nil && (oldest != nil || first > last):
		return nil
	case oldest == nil:
		return refuse(CodeOrder, 0, "the balances agree with the newest entry first and with the newest last")
	case first > last:
		return newest
	}
	return oldest
}

// signs reports an error unless every amount has a direction. An amount without a sign is a credit if others
// have a minus, and a debit column may have a minus before all its amounts. The balances prove both, so there
// must be a balance before one of them.
func (t *tableReader) signs() error {
	for i := range t.lines {
		l := &t.lines[i]
		switch {
		case l.unsigned && (!t.minus || len(t.lines) < 2):
			return refuse(CodeDirection, l.row, "nothing tells whether %s is a debit or a credit", l.entry.Amount)
		case t.debitMinus && l.entry.Debit && (!l.debitMinus || len(t.lines) < 2):
			return refuse(CodeAmount, l.row, "some debits have a minus, and others do not: a minus may mean a debit or its reversal")
		}
	}
	return nil
}

// debitsProved checks that the balances show a minus in the debit column to be a debit, not a reversal: one
// such debit has a balance before it, or the file states its opening balance.
func (t *tableReader) debitsProved() error {
	proves := func(c control) bool { return c.what == opening }
	if !t.debitMinus || slices.ContainsFunc(t.controls, proves) || slices.ContainsFunc(t.lines[1:], func(l line) bool { return l.debitMinus }) {
		return nil
	}
	return refuse(CodeAmount, t.lines[0].row, "the debit of %s has a minus, and no balance before it shows that it is one", t.lines[0].entry.Amount)
}

// broken returns an error where the balances, or the control rows of the file, do not agree; nil if they all
// agree. Lines are oldest first; reversed means that the file has them newest first.
func (t *tableReader) broken(reversed bool) error {
	for i := range t.lines {
		e := &t.lines[i].entry
		before, ok := e.Before()
		if !ok {
			return refuse(CodeBalance, t.lines[i].row, "the balance is beyond what an amount can be")
		}
		if i > 0 && t.lines[i-1].entry.Closing != before {
			return refuse(CodeChain, t.lines[i].row, "the balance %s after a %s of %s wants %s before it, and the file has %s: an entry is missing, there twice or changed",
				e.Closing, ledger.Direction(e.Debit), e.Amount, before, t.lines[i-1].entry.Closing)
		}
	}
	for _, c := range t.controls {
		if err := c.check(t.lines, reversed); err != nil {
			return err
		}
	}
	return nil
}

// totals computes the balance after each entry of a file that gives none per entry, and compares the last one
// with the closing balance on the given line.
func totals(entries []ledger.StatementEntry, opening, closing ledger.Paise, at int) error {
	balance := opening
	for i := range entries {
		var ok bool
		if balance, ok = balance.Plus(entries[i].Change()); !ok {
			return refuse(CodeBalance, at, "the balance is beyond what an amount can be")
		}
		entries[i].Closing = balance
	}
	if balance != closing {
		return refuse(CodeChain, at, "the opening balance %s and %s give %s, and the closing balance is %s", opening,
			ledger.Counted(len(entries), "entry", "entries"), balance, closing)
	}
	return nil
}

// part is one statement of the account: a Stmt of camt.053 or a message of MT940. A file may have several.
// Entries are oldest first.
type part struct {
	line             int
	opening, closing ledger.Paise
	// opens and closes say that its balances are booked balances, not those of a page before or after other
	// pages.
	opens, closes bool
	from, to      string // the days of its balances, or of the period that it states
	said          bool   // the statement gives its period
	entries       []ledger.StatementEntry
}

// parts are the statements of the account in a file, and what else the file has.
type parts struct {
	o       Options
	own     []part
	numbers []string // account numbers of own, each once
	others  []string // account numbers of the other statements, each once

	notBooked, zero int // entries that are none of the books
}

// takes reports whether to read a statement with this account number. It accepts a statement without a number;
// the caller decides whether that is enough.
func (p *parts) takes(number string) bool {
	list := &p.numbers
	if number != "" && p.o.Ours != nil && !p.o.Ours(number) {
		list = &p.others
	}
	if !slices.Contains(*list, number) {
		*list = append(*list, number)
	}
	return list == &p.numbers
}

// give joins the statements of the account. Each must open with the closing balance of the one before it; the
// first opening and the last closing must be booked balances.
func (p *parts) give(f *File) error {
	switch {
	case len(p.own) == 0 && len(p.others) > 0:
		return refuse(CodeAccountOther, 0, "the file is of the account ending %s", tails(p.others))
	case len(p.own) == 0:
		return refuse(CodeIncomplete, 0, "the file has no statement in it")
	case len(p.numbers) > 1:
		return refuse(CodeAccount, 0, "the file has statements of several accounts, ending %s", tails(p.numbers))
	}
	if err := chained(p.own); err != nil {
		slices.Reverse(p.own) // newest first
		if chained(p.own) != nil {
			return err
		}
	}
	first, last := &p.own[0], &p.own[len(p.own)-1]
	switch {
	case !first.opens:
		return refuse(CodeIncomplete, first.line, "the statement begins with a later page: the pages before it are missing")
	case !last.closes:
		return refuse(CodeIncomplete, last.line, "the statement ends with a page that another follows")
	}
	f.Account = p.numbers[0]
	f.Opening, f.Closing = first.opening, last.closing
	f.From, f.To, f.Period = first.begins(), last.to, first.said && last.said
	for i := range p.own {
		f.Entries = append(f.Entries, p.own[i].entries...)
	}
	p.tell(f)
	return nil
}

func chained(all []part) error {
	for i := 1; i < len(all); i++ {
		if all[i].opening != all[i-1].closing {
			return refuse(CodeChain, all[i].line, "the statement opens with %s, and the one before it closes with %s", all[i].opening, all[i-1].closing)
		}
	}
	return nil
}

// begins returns the first day that the part surely covers. Banks date an opening balance with the first day or
// with the day before; if it is the first day, an entry of that day shows it.
func (p *part) begins() string {
	if p.said || p.from >= p.to {
		return p.from
	}
	return ledger.DayPlus(p.from, 1)
}

// date gives an entry that has only a value date its day: the value date where the part covers it, or
// else the nearest day of the part. A charge that is valued back by a week does not make the file cover the week.
func (p *part) date() {
	first := p.begins()
	for i := range p.entries {
		if e := &p.entries[i]; e.Transacted != "" {
			first = min(first, e.Day())
		} else if e.Value >= p.from {
			first = min(first, e.Value[:len(time.DateOnly)])
		}
	}
	for i := range p.entries {
		e := &p.entries[i]
		switch day := e.Value[:min(len(e.Value), len(time.DateOnly))]; {
		case e.Transacted != "":
		case day < p.from:
			e.Transacted = first
		case day > p.to:
			e.Transacted = p.to
		default:
			e.Transacted, e.Value = e.Value, ""
		}
	}
}

// tell says what was left out, for a person to see.
func (p *parts) tell(f *File) {
	say := func(format string, args ...any) {
		f.Findings = append(f.Findings, ingest.NewFinding(CodeLeftOut, 0, format, args...))
	}
	if p.notBooked > 0 {
		say("%s not booked, and not read", ledger.Counted(p.notBooked, "entry is", "entries are"))
	}
	if p.zero > 0 {
		say("%s of 0.00, and not read", ledger.Counted(p.zero, "entry is", "entries are"))
	}
	if len(p.others) > 0 {
		say("the file has statements of other accounts, which were not read: those ending %s", tails(p.others))
	}
}
