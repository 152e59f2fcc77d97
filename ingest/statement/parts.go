package statement

import (
	"slices"
	"time"

	"payrun/ledger"
)

// part is one statement of the account in a file that may have several: a Stmt
// of camt.053, a message of MT940. Its entries are oldest first.
type part struct {
	line             int
	opening, closing ledger.Paise
	// opens and closes: its balances are those of the books, and not of a page
	// that others come before or after.
	opens, closes bool
	from, to      string // of its balances, or of the time that it says it covers
	said          bool   // that it covers it
	entries       []ledger.StatementEntry
}

// parts are the statements of a file, and what else is in it.
type parts struct {
	o       Options
	own     []part
	numbers []string // of the accounts of own, each once
	others  []string // of the accounts of the rest, each once

	leftOut int // entries that are not booked, or of 0.00
}

// takes reports whether a statement of this account number is one to be read. A
// file that shows no number is taken: whether that will do is for who asked.
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

// give puts the statements of the account together: each opens with what the
// one before it closed with, the first with the books' own balance, and the
// last closes with it.
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

// begins is the first day that the part surely covers. Banks give an opening
// balance the first day's date or that of the day before; its own entries show
// the former.
func (p *part) begins() string {
	day, err := time.Parse(time.DateOnly, p.from)
	if p.said || p.from >= p.to || err != nil {
		return p.from
	}
	return day.AddDate(0, 0, 1).Format(time.DateOnly)
}

// tell says what was left out, for a person to see.
func (p *parts) tell(f *File) {
	say := func(format string, args ...any) {
		f.Findings = append(f.Findings, finding(CodeLeftOut, 0, format, args...))
	}
	if p.leftOut > 0 {
		say("%s not booked or of 0.00, and not read", ledger.Counted(p.leftOut, "entry is", "entries are"))
	}
	if len(p.others) > 0 {
		say("the file has statements of other accounts, which were not read: those ending %s", tails(p.others))
	}
}
