package reconcile_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/reconcile"
)

// desk is payouts and statements in few words. All is of November 2031 and one account.
type desk struct {
	testing.TB
	batches   []*reconcile.Batch
	attempts  []reconcile.Attempt
	readings  []ledger.KeptStatement
	lines     []ledger.KeptLine
	explained []reconcile.Explained
	released  map[int64]*ledger.ReleasedEvidence // by payout
}

func day(n int) string { return fmt.Sprintf("2031-11-%02d", n) }

func at(n, hour int) time.Time {
	return ledger.BankDayBegins(day(n)).Add(time.Duration(hour) * time.Hour)
}

// sent is a payout of a batch.
type sent struct {
	name   string
	amount ledger.Paise
	state  ledger.PayoutState
	utr    string
}

// batch submits payouts on a day; 0: they are planned. It gives the number of the first.
func (d *desk) batch(on int, list ...sent) int64 {
	b := &reconcile.Batch{ID: fmt.Sprintf("B%d", len(d.batches)+1), Count: len(list)}
	d.batches = append(d.batches, b)
	first := int64(len(d.attempts) + 1)
	for _, s := range list {
		b.Total += s.amount
		d.add(b, on, int64(len(d.attempts)+1), 1, s)
	}
	return first
}

func (d *desk) add(b *reconcile.Batch, on int, payout int64, number int, s sent) {
	a := reconcile.Attempt{AttemptKey: ledger.AttemptKey{PayoutID: payout, Number: number}, BankAccountID: "acc", Name: strings.ToLower(s.name), Amount: s.amount,
		State: s.state, Batch: b, Planned: day(max(on, 1))}
	if s.utr != "" {
		a.UTRs = []string{strings.ToLower(s.utr)}
	}
	if on > 0 {
		a.First, a.Last = day(on), day(on)
	}
	if s.state == ledger.PayoutReturned {
		a.Back = day(on + 2)
	}
	d.attempts = append(d.attempts, a)
}

// again is a further attempt of a payout, in a batch of its own.
func (d *desk) again(payout int64, number, on int, s sent) {
	b := &reconcile.Batch{ID: fmt.Sprintf("B%d", len(d.batches)+1), Count: 1, Total: s.amount}
	d.batches = append(d.batches, b)
	d.add(b, on, payout, number, s)
}

// shown is a line as a statement shows it: an amount below zero is a debit.
type shown struct {
	day    int
	amount ledger.Paise
	words  string
	id     string
}

func (d *desk) entries(opening ledger.Paise, list []shown) (entries []ledger.StatementEntry) {
	for _, s := range list {
		opening += s.amount
		entries = append(entries, ledger.StatementEntry{TransactionID: s.id, Debit: s.amount < 0, Amount: max(s.amount, -s.amount), Closing: opening,
			Transacted: day(s.day), Remarks: s.words})
	}
	return entries
}

// bank is a reading of the bank's own, asked for on a day.
func (d *desk) bank(from, to, asked int, opening ledger.Paise, list ...shown) {
	d.reading(ledger.StatementRead{BankAccountID: "acc", Source: ledger.FromInterface, Shape: ledger.ShapeEntries, From: day(from), To: day(to), At: at(asked, 20),
		Entries: d.entries(opening, list)})
}

// file is an imported one that joins those before; period says that it states its days.
func (d *desk) file(from, to int, period bool, opening ledger.Paise, list ...shown) {
	d.Helper()
	if err := d.tryFile(from, to, period, opening, list...); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) tryFile(from, to int, period bool, opening ledger.Paise, list ...shown) error {
	r := ledger.StatementRead{BankAccountID: "acc", Source: ledger.FromFile, Shape: ledger.ShapeEntries, From: day(from), To: day(to), Period: period, At: at(28, 1),
		Entries: d.entries(opening, list)}
	r.FileSHA256 = fmt.Sprint(from, to, period, opening, list) // of the same bytes
	if err := r.Joins(d.readings, d.counted().Lines); err != nil {
		return err
	}
	d.reading(r)
	return nil
}

// reading records one as a store does.
func (d *desk) reading(r ledger.StatementRead) {
	k := ledger.KeptStatement{No: int64(len(d.readings) + 1), StatementRead: r}
	lines := r.KeptLines(k.No)
	k.Lines, k.Same = len(lines), ledger.Repeats(d.readings, d.lines, lines)
	held := map[string]bool{}
	for _, s := range k.Same {
		held[s.Day] = true
	}
	d.readings = append(d.readings, k)
	d.lines = append(d.lines, slices.DeleteFunc(lines, func(l ledger.KeptLine) bool { return held[l.Day] })...)
}

func (d *desk) void(no int) { d.readings[no-1].Void = at(29, 1) }

func (d *desk) explain(reading int64, line int, payout int64) {
	ref := ledger.EntryRef{Reading: reading, Line: line}
	for i := range d.lines {
		if d.lines[i].Ref == ref {
			p := d.lines[i].Pieces()[0]
			d.explained = append(d.explained, reconcile.Explained{Piece: p, PayoutID: payout})
		}
	}
}

func (d *desk) counted() ledger.CountedLines { return ledger.WhatCounts(d.readings, d.lines) }

func (d *desk) find() reconcile.Matching {
	return reconcile.Find(reconcile.Input{Attempts: slices.Clone(d.attempts), Counted: d.counted(), Explained: slices.Clone(d.explained)})
}

// shownOf are all attempts with their rows.
func (d *desk) shownOf(m reconcile.Matching) (list []reconcile.Shown) {
	attempts := slices.Clone(d.attempts)
	slices.SortStableFunc(attempts, func(a, b reconcile.Attempt) int {
		return cmp.Or(cmp.Compare(a.PayoutID, b.PayoutID), a.Number-b.Number)
	})
	for _, a := range attempts {
		s := reconcile.Shown{Attempt: a, Released: d.released[a.PayoutID]}
		debits := map[ledger.AttemptKey]bool{}
		for _, x := range m.Matches {
			if x.Of == a.AttemptKey {
				s.Rows = append(s.Rows, x)
			}
			debits[x.Of] = debits[x.Of] || x.Debit && x.Share > 0
		}
		for _, o := range attempts {
			if o.Batch == a.Batch && o.State != ledger.PayoutSuccess {
				s.Unpaid = append(s.Unpaid, o.Amount)
			}
			s.MissesPaid = s.MissesPaid || o.Batch == a.Batch && (o.State == ledger.PayoutSuccess || o.State == ledger.PayoutReturned) && !debits[o.AttemptKey]
		}
		if a.State.Final() && a.First != "" {
			s.Ended = a.Last
		}
		list = append(list, s)
	}
	return list
}

// evidence is what statements show of an attempt.
func (d *desk) evidence(payout int64, number int) ledger.StatementEvidence {
	m := d.find()
	for _, s := range d.shownOf(m) {
		if s.AttemptKey == (ledger.AttemptKey{PayoutID: payout, Number: number}) {
			return s.Evidence(m)
		}
	}
	d.Fatalf("no attempt %d of payout %d", number, payout)
	return ledger.StatementEvidence{}
}

// release is two people who release a payout's first attempt on what the statements show now.
func (d *desk) release(payout int64) {
	d.released = map[int64]*ledger.ReleasedEvidence{payout: {At: at(22, 1), Keys: d.evidence(payout, 1).Keys()}}
}

// out is what went out for an attempt and did not come back in the bank's own statement,
// and the reasons for debits that could be its own.
func (d *desk) out(payout int64) (out ledger.Paise, possible string) {
	e := d.evidence(payout, 1)
	gone, back := e.Money(false)
	var why []string
	for _, p := range e.Possible {
		why = append(why, string(p.Why))
	}
	return gone - back, strings.Join(why, " ")
}

// report is a month's end, with everything that does not tie out in few words.
func (d *desk) report() (*reconcile.Result, string) {
	m := d.find()
	r := reconcile.NewReport(reconcile.Settings{Grace: 48 * time.Hour}, at(30, 12))
	newest := ""
	for _, l := range d.counted().Lines {
		newest = max(newest, l.Day)
	}
	r.Account("acc", d.readings, m, newest)
	attempts := d.shownOf(m)
	for i := range attempts {
		s := &attempts[i]
		s.Since = ledger.BankDayBegins(cmp.Or(s.Last, s.Planned)).Add(12 * time.Hour)
	}
	r.Payouts(attempts)
	result := r.Result()
	var words []string
	for _, e := range result.Exceptions {
		word := string(e.Kind)
		if e.Of.PayoutID != 0 {
			word += fmt.Sprintf(" %d", e.Of.PayoutID)
		}
		words = append(words, word)
	}
	if result.Unexplained != 0 {
		words = append(words, "unexplained "+result.Unexplained.String())
	}
	return result, strings.Join(words, "; ")
}
