package statement

import (
	"slices"
	"time"

	"payrun/ingest"
	"payrun/ledger"
)

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
