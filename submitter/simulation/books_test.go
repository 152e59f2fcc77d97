package simulation

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// style is how a bank books what it carries out.
type style int

const (
	byName      style = iota // one debit for each payout, with its reference and UTR
	nameless                 // one debit for each, without a name
	cutName                  // one debit for each, with a part of its reference
	upfront                  // one debit for each when the submit is taken; a failed payout is credited back
	provisional              // the same, but the debit of a failed payout disappears from the statement
	oneUTR                   // one debit of all when the submit is taken, under a UTR that every payout shows
	inBulk                   // the same, without a name
	partInBulk               // the same for the first two payouts; the others by name
	styles
)

// line is one line of the bank's books.
type line struct {
	account     string
	at          time.Time // when it is posted; shown from then on
	redated     time.Time // when it gets a new date; zero for never
	gone        time.Time // when it disappears again; zero for never
	debit       bool
	amount      ledger.Paise
	id, remarks string
	of          []part
	seen        map[string]bool // ledgers that have read it: from the bank, or a debit from a file if the bank gives no statements
	explained   map[string]bool // ledgers whose people said that it belongs to no payout
}

// part is the part of a line that belongs to one payout.
type part struct {
	of     *heldPayout
	amount ledger.Paise
}

// bankZone is the bank's time zone, in which it counts days.
var bankZone = time.FixedZone("IST", 5*3600+1800)

// openingBalance is what each account holds before the first payout, in paise.
const openingBalance = 1_000_000_000_000_00

// charge is the bank's charge, in paise.
const charge = 2_36

// book adds a line, which may be posted later.
func (b *bank) book(account string, debit bool, remarks string, of ...part) *line {
	l := &line{account: account, at: b.now(), debit: debit, id: fmt.Sprintf("T%04d", len(b.lines)+1), remarks: remarks, of: of, seen: map[string]bool{}, explained: map[string]bool{}}
	for _, p := range of {
		l.amount += p.amount
	}
	if b.books.Float64() < b.nature.postsLate {
		l.at = l.at.Add(time.Duration(b.books.Int64N(int64(36 * time.Hour))))
	}
	if b.books.Float64() < b.nature.datesAnew {
		l.redated = l.at.Add(24 * time.Hour)
	}
	b.lines = append(b.lines, l)
	return l
}

// names returns the remarks of a line about a payout.
func (b *bank) names(p *heldPayout, what string) string {
	switch s := p.batch.style; {
	case s == nameless, s == inBulk:
		return what + " OUTWARD"
	case s == cutName:
		return what + " " + p.ref[:len(p.ref)-2] + "-"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", what, p.utr, p.ref))
}

// takesOut books what leaves the account when a submit is taken.
func (b *bank) takesOut(t *heldBatch) {
	if t.style < upfront || len(t.takenBy) > 1 {
		return
	}
	var bulk []part
	for i, p := range t.payouts {
		alone := t.style == upfront || t.style == provisional || t.style == partInBulk && i > 1
		if p.due == nil || t.style == partInBulk && i > 1 {
			continue
		}
		p.out = p.amount
		if alone {
			p.line = b.debit(p)
			continue
		}
		if bulk = append(bulk, part{p, p.amount}); t.style == oneUTR {
			p.utr = "UTR" + t.payouts[0].openTxn
		}
	}
	if len(bulk) > 0 {
		b.book(t.account, true, strings.TrimSpace("BULK NEFT "+bulk[0].of.utr), bulk...)
	}
}

// paysOut books one execution, if the money did not leave the account before.
func (b *bank) paysOut(p *heldPayout) {
	if p.out > 0 {
		p.out = 0
		return
	}
	b.debit(p)
}

// debit books what leaves the account for one payout, and sometimes a charge and its reversal.
func (b *bank) debit(p *heldPayout) *line {
	own := b.book(p.batch.account, true, b.names(p, "NEFT"), part{p, p.amount})
	if b.books.Float64() < b.nature.charges {
		for _, what := range []string{"CHGS ", "CHGS REVERSED "} { // one after the other
			l := b.book(p.batch.account, what == "CHGS ", what+p.ref)
			l.amount, l.at, l.redated = charge, own.at, own.redated
		}
	}
	return own
}

// givesBack books the return of what a failed payout took out.
func (b *bank) givesBack(p *heldPayout) {
	if p.out == 0 {
		return
	}
	p.out = 0
	if p.batch.style == provisional && p.line != nil {
		p.line.gone = b.now()
		return
	}
	b.returns(p, p.amount)
}

// returns books a credit for a payout.
func (b *bank) returns(p *heldPayout, amount ledger.Paise) {
	what := b.names(p, "NEFT RETURN")
	if b.books.Float64() < b.nature.namelessReturns {
		what = "NEFT RETURN"
	}
	if amount > charge && b.books.Float64() < b.nature.charges {
		amount -= charge
	}
	b.book(p.batch.account, false, what, part{p, amount})
}

func (l *line) shown(now time.Time) bool {
	return !l.at.After(now) && (l.gone.IsZero() || l.gone.After(now))
}

// day returns the date of the line now.
func (l *line) day(now time.Time) time.Time {
	if !l.redated.IsZero() && !l.redated.After(now) {
		return l.redated
	}
	return l.at
}

// statement returns what the bank's statement of an account shows now for some days.
func (b *bank) statement(account, from, to string) (lines []*line, entries []ledger.StatementEntry) {
	now := b.now()
	var all []*line
	for _, l := range b.lines {
		if l.account == account && l.shown(now) {
			all = append(all, l)
		}
	}
	slices.SortStableFunc(all, func(x, y *line) int { return x.day(now).Compare(y.day(now)) })
	balance := ledger.Paise(openingBalance)
	for _, l := range all {
		e := ledger.StatementEntry{TransactionID: l.id, Debit: l.debit, Amount: l.amount, Remarks: l.remarks}
		balance += e.Change()
		e.Closing = balance
		at := l.day(now).In(bankZone)
		e.Transacted, e.Posted = at.Format(time.DateTime), at.Format(time.DateTime)
		if day := at.Format(time.DateOnly); from <= day && day <= to {
			lines, entries = append(lines, l), append(entries, e)
		}
	}
	return lines, entries
}

// shownOut returns how much a ledger has read to be out for the bank's payout, in paise. A returned status
// replaces one credit.
func (b *bank) shownOut(p *heldPayout, by string) ledger.Paise {
	out, back := p.moved(b, func(l *line) bool { return l.seen[by] })
	if p.code == ledger.CodeReturned {
		back = max(back, p.amount)
	}
	return out - back
}

// wronglyExplained reports whether two people said of a debit of the payout, under any of its references,
// that it belongs to no payout.
func (b *bank) wronglyExplained(p *heldPayout, by string) bool {
	return slices.ContainsFunc(b.lines, func(l *line) bool {
		return l.explained[by] && slices.ContainsFunc(l.of, func(one part) bool { return ownRef(one.of.ref) == ownRef(p.ref) })
	})
}

// givenBackToAnother returns, in paise, the credits that a ledger has read for a payout of another ledger
// under the same reference. Nothing in such a credit tells the two apart.
func (b *bank) givenBackToAnother(p *heldPayout, by string) (back ledger.Paise) {
	for _, l := range b.lines {
		for _, part := range l.of {
			if !l.debit && l.seen[by] && part.of.ref == p.ref && part.of.batch.by != p.batch.by {
				back += part.amount
			}
		}
	}
	return back
}

// bulkTwice returns, in paise, what of a payout is in a nameless debit of several payouts of its batch, if each of
// them has another debit and one of the others is paid. It equals nothing that is still missing a debit.
func (b *bank) bulkTwice(p *heldPayout, by string) (out ledger.Paise) {
	seen := func(l *line) bool { return l.seen[by] }
	for _, l := range b.lines {
		if !l.debit || !seen(l) || p.batch.style != partInBulk || len(l.of) < 2 || len(l.of) == len(p.batch.payouts) || !slices.Contains(l.of, part{p, p.amount}) {
			continue
		}
		twice, paid := true, false
		for _, one := range l.of {
			all, _ := one.of.moved(b, seen)
			twice, paid = twice && all >= 2*one.amount, paid || one.of != p && one.of.status == ledger.StatusSuccess && one.of.code != ledger.CodeReturned
		}
		if twice && paid {
			out += p.amount
		}
	}
	return out
}

// moved returns how much went out and came back for the payout, by the lines that which selects.
func (p *heldPayout) moved(b *bank, which func(*line) bool) (out, back ledger.Paise) {
	for _, l := range b.lines {
		for _, part := range l.of {
			switch {
			case part.of != p || !which(l):
			case l.debit:
				out += part.amount
			default:
				back += part.amount
			}
		}
	}
	return out, back
}

// record lets a ledger record a reading, and marks the lines that it has seen.
func (p *process) record(r ledger.StatementRead, lines []*line) error {
	if broken := p.h.canary.misreads; broken != nil {
		r.Entries = slices.Clone(r.Entries)
		before := ledger.Paise(openingBalance)
		if len(r.Entries) > 0 {
			before, _ = r.Entries[0].Before()
		}
		broken(p.h, &r)
		for i := range r.Entries { // so that its balances still chain
			before += r.Entries[i].Change()
			r.Entries[i].Closing = before
		}
	}
	return p.storeOp("record_statement", func() error {
		_, err := p.store.RecordStatement(context.Background(), r)
		if err != nil {
			return err
		}
		for _, l := range lines {
			if r.Source == ledger.FromInterface || l.debit && !p.h.bank.nature.statements {
				l.seen[p.h.bank.by] = true
			}
		}
		p.h.logf("recorded a statement of %s from %s to %s: %d", r.BankAccountID, r.From, r.To, len(r.Entries))
		return nil
	})
}

// bankStatements reads the bank's own statements for one process.
type bankStatements struct{ p *process }

func (s bankStatements) ReadStatement(_ context.Context, account string, since time.Time) error {
	h := s.p.h
	if !h.bank.nature.statements {
		return submitter.ErrNoStatement
	}
	r := ledger.StatementRead{BankAccountID: account, Source: ledger.FromInterface, Shape: ledger.ShapeEntries, Actor: s.p.actor}
	var lines []*line
	err := s.p.op("statement", func() error {
		if h.wire.roll() {
			h.wire.met++
			return errors.New("the statement is not to be had now")
		}
		h.bank.readIn[account], r.At = h.bank.run, h.now()
		r.From, r.To = day(since), day(h.now())
		lines, r.Entries = h.bank.statement(account, r.From, r.To)
		return nil
	})
	if err != nil {
		return err
	}
	return s.p.record(r, lines)
}

func day(at time.Time) string { return at.In(bankZone).Format(time.DateOnly) }

// explains lets a person say of an unexplained debit that it belongs to no payout.
func (h *history) explains(p *process, account string) {
	err := h.run(p, "statement explain by "+p.actor, func(p *process, _ *submitter.Engine) error {
		all, err := faultyStore{p}.AccountEvidence(context.Background(), account, day(t0), day(h.now()))
		debits := slices.DeleteFunc(all.Unexplained, func(l ledger.StatementLine) bool { return !l.Debit || l.TransactionID == "" })
		if err != nil || len(debits) == 0 {
			return err
		}
		l := debits[0]
		return p.storeOp("explain", func() error {
			d, err := p.store.DecideStatement(context.Background(), ledger.StatementDecision{Entries: []ledger.EntryRef{l.Ref}, Reason: "rent", Actor: p.actor, At: h.now()})
			if err != nil {
				return err
			}
			if h.logf("explained %s of %s", l.TransactionID, l.Amount); d.First != 0 && h.explainers[l.TransactionID] == p.actor {
				h.found("two people: %s explained %s twice", p.actor, l.TransactionID)
			}
			h.explainers[l.TransactionID] = p.actor
			for _, b := range h.bank.lines {
				if b.id == l.TransactionID {
					b.explained[h.bank.by] = d.First != 0
				}
			}
			return nil
		})
	})
	if _, refused := errors.AsType[*ledger.PeopleError](err); !refused {
		h.unexpected(p, err)
	}
}

// papers is a kind of statement file.
type papers int

const (
	wholeDays    papers = iota // all from the first day to today
	halfADay                   // one day up to some line
	restOfTheDay               // the rest of that day
	torn                       // one day without its first line
	madeUp                     // one day with made-up lines at its end
	kindsOfPapers
)

// imports lets a person import a file of an account, of any kind.
func (h *history) imports(p *process, account string, what papers) {
	err := h.run(p, "statement import", func(p *process, _ *submitter.Engine) error { return h.importFile(p, account, what) })
	if _, apart := errors.AsType[*ledger.JoinError](err); !apart {
		h.unexpected(p, err)
	}
}

func (h *history) importFile(p *process, account string, what papers) error {
	from, to := day(t0.AddDate(0, 0, -3)), day(h.clock)
	if what != wholeDays {
		from = day(h.clock.AddDate(0, 0, -h.people.IntN(2)))
		to = from
	}
	lines, entries := h.bank.statement(account, from, to)
	switch n := len(entries); {
	case what == halfADay:
		lines, entries = lines[:n/2], entries[:n/2]
	case what == restOfTheDay:
		lines, entries = lines[n/2:], entries[n/2:]
	case what == torn && n > 1:
		lines, entries = lines[1:], entries[1:]
	case what == madeUp:
		entries = h.madeUp(lines, entries)
	}
	for i := range entries {
		entries[i].TransactionID = ""
	}
	h.files++
	r := ledger.StatementRead{BankAccountID: account, Source: ledger.FromFile, Shape: ledger.ShapeEntries, Actor: p.actor, At: h.now(), From: from, To: to, Period: what == wholeDays, Entries: entries,
		FileName: "statement.csv", FileSHA256: fmt.Sprintf("%064d", h.files), FileFormat: "csv"}
	h.logf("a file of kind %d", what)
	return p.record(r, lines)
}

// madeUp adds lines to a file that would free each payout that is out: its return, and debits of cash that
// bring the balance back to the bank's.
func (h *history) madeUp(lines []*line, entries []ledger.StatementEntry) []ledger.StatementEntry {
	for i, l := range lines {
		if !l.debit || len(l.of) == 0 {
			continue
		}
		last := entries[len(entries)-1]
		one := l.of[h.people.IntN(len(l.of))]
		back := ledger.StatementEntry{Amount: one.amount, Remarks: "NEFT RETURN " + one.of.ref, Closing: last.Closing + one.amount, Transacted: last.Transacted, Posted: last.Posted}
		cash := entries[i]
		cash.Amount, cash.Remarks, cash.Closing, cash.Transacted, cash.Posted = one.amount, "CASH", last.Closing, last.Transacted, last.Posted
		entries = append(entries, back, cash)
	}
	return entries
}

// anyBooks draws how one bank keeps its books.
func (n *nature) anyBooks(rng *rand.Rand) {
	n.statements = rng.IntN(3) > 0
	n.style = style(rng.IntN(int(styles)))
	n.postsLate = []float64{0, 0, 0.2}[rng.IntN(3)]
	n.datesAnew = []float64{0, 0, 0.2}[rng.IntN(3)]
	n.charges = []float64{0, 0, 0.3}[rng.IntN(3)]
	n.lies = rng.IntN(8) == 0
	n.namelessReturns = 0.25
}
