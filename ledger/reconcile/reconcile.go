// Package reconcile matches the bank's statements with what was sent. The statement is the third
// source, after sheet and status (statements.md, "Matching"). The package is pure: it takes
// payouts and the lines that count (ledger.WhatCounts), and returns matches, possible debits and
// differences.
//
// A store keeps the result of Find as rows; others read the rows. No clock, no SQL.
package reconcile

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// Reach is how many days a change reaches: whether a line matches an attempt by amount depends
// only on lines and attempts at most this many days before and after it.
const Reach = 10

// namedBefore is how many days before an attempt was planned a line may carry its
// reference: a copy of the ledger may have planned it earlier.
const namedBefore = 30

// NamedFrom returns the first day on which a line may carry the reference of an attempt that was
// planned on day `planned`.
func NamedFrom(planned string) string { return ledger.DayPlus(planned, -namedBefore) }

// Batch has the fields of a batch that a statement may show. First and Last are the days of its
// submits, by our clock and by the bank's: ours may have been set forward or back.
type Batch struct {
	ID          string
	Count       int
	Total       ledger.Paise
	First, Last string
}

// Attempt has the fields of an attempt that a statement may show. Find takes attempts and lines
// of one debit account.
type Attempt struct {
	ledger.AttemptKey
	BankAccountID string
	Since         time.Time // when it entered its state; only a report needs it

	WireRef string   // its reference on the wire; only a report needs it
	Name    string   // the same, folded; "" for none
	UTRs    []string // all that the bank gave, folded, the newest first; others count until `late` days after Last
	Amount  ledger.Paise
	State   ledger.PayoutState
	Batch   *Batch
	Planned string  // the day on which it was planned, YYYY-MM-DD
	First   string  // the day of its first submit; "" if it was never submitted
	Last    string  // the day of its last submit
	Back    string  // the day on which the bank said `returned`; "" if it did not
	Held    []Match // matches and possible debits on days outside the input, by name or by people
}

// paid reports whether the bank called it paid, even if it came back later.
func (a *Attempt) paid() bool {
	return a.State == ledger.PayoutSuccess || a.State == ledger.PayoutReturned
}

// mayBeDebited reports whether an attempt in this state may have been debited.
func mayBeDebited(s ledger.PayoutState) bool {
	return s != ledger.PayoutFailed && s != ledger.PayoutCancelled && s != ledger.PayoutPlanned
}

// Explained is the decision of two people about a line.
type Explained struct {
	Piece    ledger.Piece
	PayoutID int64 // 0 if it belongs to no payout
}

// Why says why a line is open, or why it does not belong to the attempt whose name it carries.
type Why string

const (
	Nobodys    Why = "nobodys"   // it belongs to no known payout
	Explain    Why = "explained" // two people explained that it belongs to no payout of payrun
	Equals     Why = "equals"    // one of equal debits, and at least as many payouts of that amount were paid
	Claimed    Why = "claimed"   // matched to a payout, but not with certainty
	InFile     Why = Why(ledger.PossibleFile)
	Withdrawn  Why = Why(ledger.PossibleWithdrawn)
	Named      Why = "named"                   // it carries the attempt's name, and another amount
	NamedShort Why = "named_short"             // it carries a short name, which may be an unrelated word, and another amount
	NamesMany  Why = "names_many"              // it carries the names of several attempts
	BatchTotal Why = Why(ledger.PossibleTotal) // it has its batch's total, and the paid payouts do not add up to it
)

// Match is a line that belongs to an attempt. If Why is set, the line could belong to it, and
// Share is 0.
type Match struct {
	Of ledger.AttemptKey
	ledger.StatementMatch
	Why Why
}

// Open is a line that belongs to no attempt, or that could also belong to another attempt.
type Open struct {
	ledger.StatementLine
	Why Why
	// Named: it carries a reference or UTR of ours.
	Named bool
}

// Matching is the result of Find.
type Matching struct {
	Matches []Match
	Open    []Open
	Breaks  []ledger.BalanceBreak
}

// Input is one debit account, complete or for some days.
type Input struct {
	Attempts  []Attempt // all attempts of each payout in it
	Counted   ledger.CountedLines
	Explained []Explained
}

// matcher is one run of Find.
type matcher struct {
	byName    map[string][]*candidate
	byUTR     map[string][]*candidate
	byEarlier map[string][]*candidate // by UTRs that the bank replaced
	byPayout  map[int64][]*candidate
	byKey     map[ledger.AttemptKey]*candidate
	members   map[*Batch][]*candidate
	said      []*decision
	unlike    map[ledger.EntryRef]bool // lines matched by a decision about a line with another key
	free      []Open                   // lines not matched by name
	bulks     []bulk
	// nobodys has the sorted amounts of the debits without a certain payout, by day. unmatched has
	// the amounts and days of the debits that were not matched by amount.
	nobodys   map[string][]ledger.Paise
	unmatched map[spot]bool
	out       Matching
}

// candidate is an attempt with the sums of its lines so far.
type candidate struct {
	*Attempt
	debits, credits ledger.Paise
	back            []Match               // credits in the bank's own statement, not by amount; a file's do not count
	bare            *ledger.StatementLine // the credit by amount, in the bank's own statement; nil for none
	amountDiffers   bool                  // a debit of another amount carries its name
}

// decision is what two people decided about a line, and whether a line uses it.
type decision struct {
	Explained
	key  string // ledger.Piece.LineKey: the same line in another reading has the same key
	used bool
}

// Find matches lines with attempts one to one: by UTR, then by reference, then by amount and day.
// It never guesses between two equals. Every line that counts is in the result, matched or open.
func Find(in Input) Matching {
	m := newMatcher(in.Attempts)
	m.learn(in.Explained, in.Counted.Lines)
	for i := range in.Counted.Lines {
		for _, p := range in.Counted.Lines[i].Pieces() {
			m.piece(p)
		}
	}
	m.amounts()
	m.unsettledBulks()
	m.claimed()
	for _, list := range []struct {
		lines []ledger.KeptLine
		why   Why
	}{{in.Counted.OnlyInFile, InFile}, {in.Counted.Withdrawn, Withdrawn}} {
		for i := range list.lines {
			for _, p := range list.lines[i].Pieces() {
				m.doubtful(p, list.why)
			}
		}
	}
	m.out.Breaks = in.Counted.Breaks
	m.out.Sort()
	m.out.Matches = slices.CompactFunc(m.out.Matches, func(a, b Match) bool { return a.Of == b.Of && a.Ref == b.Ref })
	return m.out
}

func newMatcher(attempts []Attempt) *matcher {
	m := &matcher{byName: map[string][]*candidate{}, byUTR: map[string][]*candidate{}, byEarlier: map[string][]*candidate{}, byPayout: map[int64][]*candidate{},
		byKey: map[ledger.AttemptKey]*candidate{}, members: map[*Batch][]*candidate{}, unlike: map[ledger.EntryRef]bool{}, unmatched: map[spot]bool{}}
	for i := range attempts {
		m.take(&candidate{Attempt: &attempts[i]})
	}
	for _, list := range m.byPayout {
		slices.SortFunc(list, func(a, b *candidate) int { return cmp.Compare(a.Number, b.Number) })
	}
	return m
}

// Sort sorts matches by payout, and open lines by reading. A match by a short name comes after
// the other matches of its line.
func (m *Matching) Sort() {
	short := map[Why]int{NamedShort: 1}
	slices.SortFunc(m.Matches, func(a, b Match) int {
		return cmp.Or(a.Of.Compare(b.Of), a.Ref.Compare(b.Ref), short[a.Why]-short[b.Why])
	})
	slices.SortFunc(m.Open, func(a, b Open) int { return a.Ref.Compare(b.Ref) })
}

func (m *matcher) take(a *candidate) {
	if a.Name != "" {
		m.byName[a.Name] = append(m.byName[a.Name], a)
	}
	for i, utr := range a.UTRs {
		if !ledger.RealUTR(utr) {
			continue
		}
		if i == 0 {
			m.byUTR[utr] = append(m.byUTR[utr], a)
		} else if a.Last != "" {
			m.byEarlier[utr] = append(m.byEarlier[utr], a)
		}
	}
	m.byPayout[a.PayoutID], m.byKey[a.AttemptKey] = append(m.byPayout[a.PayoutID], a), a
	m.members[a.Batch] = append(m.members[a.Batch], a)
	for _, x := range a.Held {
		a.count(x)
	}
}

// learn stores the decisions of two people. A decision counts as used if its own line counts.
func (m *matcher) learn(list []Explained, lines []ledger.KeptLine) {
	if len(list) == 0 {
		return
	}
	counted := map[ledger.EntryRef]bool{} // an account may have a million lines, and hundreds of decisions
	for i := range lines {
		counted[lines[i].Ref] = true
	}
	for _, e := range list {
		line := e.Piece.Ref
		line.Part = 0
		m.said = append(m.said, &decision{e, e.Piece.LineKey(), counted[line]})
	}
}

// explained returns the payout of a decision of two people about this line, or about the same line
// in an older reading. A debit that they assigned to a payout may have other words now, or a date
// some days off; such a line is in unlike, because it may be another one. If a line carries names,
// only a decision for the named payout is valid.
func (m *matcher) explained(p *ledger.Piece, n *names) (payout int64, ok bool) {
	if len(m.said) == 0 {
		return 0, false
	}
	key := p.LineKey()
	var d *decision
	for _, isIt := range []func(*decision) bool{
		func(o *decision) bool { return o.Piece.Ref == p.Ref },
		func(o *decision) bool { return o.key == key && o.free(p) },
		func(o *decision) bool {
			return o.PayoutID != 0 && p.Debit && o.Piece.Amount == p.Amount && o.Piece.Key() == p.Key() && o.free(p)
		},
	} {
		if i := slices.IndexFunc(m.said, isIt); i >= 0 {
			d = m.said[i]
			break
		}
	}
	if d == nil {
		return 0, false
	}
	if d.Piece.Ref != p.Ref {
		d.used, m.unlike[p.Ref] = true, d.key != key
	}
	named := len(n.attempts) > 0 && !n.short
	return d.PayoutID, !named || n.ofOne() && n.attempts[0].PayoutID == d.PayoutID
}

// free reports whether a decision about another line may apply to this one.
func (d *decision) free(p *ledger.Piece) bool { return !d.used && near(d.Piece.Day, p.Day) }

// near reports whether two days are close enough to be matched together.
func near(a, b string) bool { return max(a, b) <= ledger.DayPlus(min(a, b), Reach/2) }

// count adds a line to the sums of the attempt.
func (a *candidate) count(x Match) {
	switch {
	case x.Why == Named || x.Why == NamesMany:
		a.amountDiffers = true
	case x.Debit:
		a.debits += x.Share
	default:
		a.credits += x.Share
		switch {
		case x.Source != ledger.FromInterface:
		case x.By == ledger.MatchedByAmount:
			a.bare = &x.StatementLine
		default:
			a.back = append(a.back, x)
		}
	}
}

// came returns how much of the attempt came back by name after a line, in the bank's own statement,
// in paise.
func (a *candidate) came(l ledger.StatementLine) (sum ledger.Paise) {
	for _, x := range a.back {
		if x.By == ledger.MatchedByPeople || x.Order(l) > 0 {
			sum += x.Share
		}
	}
	return sum
}

// returned reports whether the whole amount came back after a debit, in the bank's own statement:
// by name, or in one credit without a name if it came back within days.
func (a *candidate) returned(l ledger.StatementLine) bool {
	return a.came(l) >= a.Amount || a.bare != nil && a.bare.Order(l) > 0 && near(a.Last, a.Back)
}

// give matches a share of a line to the attempt.
func (m *matcher) give(a *candidate, l ledger.StatementLine, by ledger.MatchedBy, share ledger.Paise) {
	m.add(a, Match{Of: a.AttemptKey, StatementMatch: ledger.StatementMatch{StatementLine: l, By: by, Share: share}})
}

// couldBe records that a debit could be the attempt's.
func (m *matcher) couldBe(a *candidate, l ledger.StatementLine, by ledger.MatchedBy, why Why) {
	m.add(a, Match{Of: a.AttemptKey, StatementMatch: ledger.StatementMatch{StatementLine: l, By: by}, Why: why})
}

func (m *matcher) add(a *candidate, x Match) {
	m.out.Matches = append(m.out.Matches, x)
	a.count(x)
}

func (m *matcher) open(l ledger.StatementLine, why Why, named bool) {
	m.out.Open = append(m.out.Open, Open{StatementLine: l, Why: why, Named: named})
}

// claimed keeps matched debits open if the bank's status does not account for them: they may belong
// to an attempt whose name was cut, or that people overlooked. Either more went out than the status
// accounts for; or the debit has no name, and the attempt is not paid or may have gone out in
// another debit.
func (m *matcher) claimed() {
	known := map[ledger.EntryRef]bool{}
	for _, x := range m.out.Matches {
		if !x.Debit || known[x.Ref] {
			continue
		}
		a := m.byKey[x.Of]
		bare := x.By == ledger.MatchedByAmount || x.By == ledger.MatchedByBatch
		came, accounted := a.came(x.StatementLine), ledger.Paise(0)
		switch {
		case a.State == ledger.PayoutReturned:
			accounted = max(a.Amount-came, 0)
		case a.State == ledger.PayoutSuccess:
			accounted, came = a.Amount, 0 // a credit belongs to a debit that its status does not account for
		case mayBeDebited(a.State):
			accounted = a.Amount
		}
		if x.Why == "" && (a.debits-came > accounted || m.unlike[x.Ref]) || bare && !m.accountsFor(a, x.By, x.StatementLine) {
			known[x.Ref] = true
			m.open(x.StatementLine, Claimed, true)
		}
	}
}

// bulk is a debit under one UTR of several payouts of a batch, with the attempts it was matched to.
type bulk struct {
	ledger.StatementLine
	by   ledger.MatchedBy
	list []*candidate
}

// unsettledBulks handles bulks whose payouts are not all settled: such a bulk could be the debit of
// each failed payout of the batch.
func (m *matcher) unsettledBulks() {
	for _, b := range m.bulks {
		first := b.list[0]
		sure := !slices.ContainsFunc(b.list, func(a *candidate) bool { return !a.settled(b.StatementLine) })
		if sure || b.Day > ledger.DayPlus(first.Last, late) {
			continue
		}
		for _, a := range m.members[first.Batch] {
			if !mayBeDebited(a.State) {
				m.couldBe(a, b.StatementLine, b.by, NamesMany)
			}
		}
	}
}

// settled reports whether an attempt's debit agrees with its status: it is paid, or it is returned
// and the statement shows the credit.
func (a *candidate) settled(l ledger.StatementLine) bool {
	return a.State == ledger.PayoutSuccess || a.State == ledger.PayoutReturned && a.returned(l)
}

// accountsFor reports whether a debit without a name certainly belongs to the attempt: it is
// settled, and no other debit could be its own.
func (m *matcher) accountsFor(a *candidate, by ledger.MatchedBy, l ledger.StatementLine) bool {
	return a.settled(l) && !m.inLarger(a) && (by != ledger.MatchedByBatch || !m.membersAreThere(a.Batch))
}

// piece matches a line by a decision of people or by its names. Otherwise it keeps the line for
// matching by amount and day.
func (m *matcher) piece(p ledger.Piece) {
	if p.Amount == 0 {
		return
	}
	n := m.namesIn(&p)
	if payout, ok := m.explained(&p, &n); ok {
		if list := m.byPayout[payout]; len(list) > 0 {
			m.give(choose(list, p.StatementLine), p.StatementLine, ledger.MatchedByPeople, p.Amount)
			return
		}
		m.open(p.StatementLine, Explain, false)
		return
	}
	switch {
	case len(n.attempts) == 0:
		m.free = append(m.free, Open{StatementLine: p.StatementLine, Why: Nobodys})
	case n.ofOne():
		m.byOneName(&p, &n)
	default:
		m.shared(&p, &n)
	}
}

// byOneName handles a line that carries names of one payout only. It belongs to the attempt with its
// amount. If none has it, only a credit belongs to the attempt.
func (m *matcher) byOneName(p *ledger.Piece, n *names) {
	exact := func(list []*candidate) []*candidate {
		return ledger.Where(list, func(a *candidate) bool { return a.Amount == p.Amount })
	}
	of := exact(n.attempts)
	if len(of) == 0 {
		of = ledger.Where(exact(m.byPayout[n.attempts[0].PayoutID]), func(a *candidate) bool { return p.Day >= NamedFrom(a.Planned) })
	}
	a := choose(n.attempts, p.StatementLine)
	switch {
	case n.short && (len(of) == 0 || n.plain && !p.Debit): // perhaps an unrelated word
		if p.Debit && p.Amount > a.Amount/2 {
			m.couldBe(a, p.StatementLine, n.by, NamedShort)
		}
		m.free = append(m.free, Open{StatementLine: p.StatementLine, Why: Nobodys})
	case len(of) > 0:
		m.give(choose(of, p.StatementLine), p.StatementLine, n.by, p.Amount)
	case p.Debit:
		m.couldBe(a, p.StatementLine, n.by, Named)
		m.open(p.StatementLine, Nobodys, true)
	default:
		m.give(a, p.StatementLine, n.by, p.Amount)
	}
}

// choose returns the attempt of a payout that was submitted last before a line; else the first one.
func choose(list []*candidate, l ledger.StatementLine) *candidate {
	of := list[0]
	for _, a := range list {
		if a.First != "" && ledger.DayPlus(a.First, -1) <= l.Day {
			of = a
		}
	}
	return of
}

// shared handles a line that carries names of several payouts. If they are one UTR of one batch, the
// line belongs to the payouts that have not failed, if it is their sum, else to all, if it is the
// sum of all. A credit belongs to the only payout with its amount. In all other cases it belongs to
// none, and a debit is a possible debit of each.
func (m *matcher) shared(p *ledger.Piece, n *names) {
	all := n.attempts
	some := all
	if p.Debit {
		some = ledger.Where(all, func(a *candidate) bool { return mayBeDebited(a.State) })
	}
	for _, list := range [][]*candidate{some, all} {
		if n.sharesUTR && len(list) > 0 && sumOf(list) == p.Amount {
			for _, a := range list {
				m.give(a, p.StatementLine, n.by, a.Amount)
			}
			if p.Debit {
				m.bulks = append(m.bulks, bulk{p.StatementLine, n.by, list})
			}
			return
		}
	}
	if !p.Debit { // one of them came back
		one := ledger.Where(all, func(a *candidate) bool { return a.Amount == p.Amount })
		if n.sharesUTR && len(one) == 1 {
			m.give(one[0], p.StatementLine, n.by, p.Amount)
			return
		}
		m.open(p.StatementLine, Nobodys, true)
		return
	}
	for _, a := range all {
		m.couldBe(a, p.StatementLine, n.by, NamesMany)
	}
	m.open(p.StatementLine, Nobodys, true)
}

func sumOf(list []*candidate) (sum ledger.Paise) {
	for _, a := range list {
		sum += a.Amount
	}
	return sum
}

// doubtful records for which attempts a line that does not count could be the debit.
func (m *matcher) doubtful(p ledger.Piece, why Why) {
	if p.Amount == 0 {
		return
	}
	n := m.namesIn(&p)
	payout, ok := m.explained(&p, &n)
	if ok && payout == 0 {
		m.open(p.StatementLine, Explain, false)
		return
	}
	if list := m.byPayout[payout]; ok && p.Debit && len(list) > 0 {
		m.couldBe(choose(list, p.StatementLine), p.StatementLine, ledger.MatchedByPeople, why)
	} else if p.Debit {
		for _, a := range n.attempts {
			m.couldBe(a, p.StatementLine, n.by, why)
		}
	}
	m.open(p.StatementLine, why, len(n.attempts) > 0)
}

// names are the names in the words of a line.
type names struct {
	attempts  []*candidate // each once
	by        ledger.MatchedBy
	sharesUTR bool // they are one UTR, and all attempts are of one batch
	short     bool // all are shorter than ledger.ShortName, or without a digit
	plain     bool // none has both letters and digits, so each may be an ordinary word
}

// ofOne reports whether they all belong to one payout.
func (n *names) ofOne() bool {
	return len(n.attempts) > 0 && !slices.ContainsFunc(n.attempts, func(a *candidate) bool { return a.PayoutID != n.attempts[0].PayoutID })
}

// namesIn finds UTRs and references in the words of a line. If there are both, the attempts that
// both name count; if there are none, the attempts that either names.
func (m *matcher) namesIn(p *ledger.Piece) (n names) {
	if n = search(p, m.byUTR, ledger.MatchedByUTR); len(n.attempts) == 0 {
		n = search(p, m.byEarlier, ledger.MatchedByUTR)
	}
	r := search(p, m.byName, ledger.MatchedByReference)
	switch {
	case len(n.attempts) == 0:
		return r
	case len(r.attempts) == 0 || r.short:
		return n
	}
	both := ledger.Where(n.attempts, func(a *candidate) bool { return slices.Contains(r.attempts, a) })
	if len(both) == 0 {
		both = append(n.attempts, r.attempts...)
	}
	n.attempts, n.short, n.sharesUTR = both, false, false
	return n
}

// mayCarry reports whether a line of a day may carry this name of the attempt.
func (a *candidate) mayCarry(word string, by ledger.MatchedBy, day string) bool {
	switch {
	case by == ledger.MatchedByUTR && word != a.UTRs[0] && day > ledger.DayPlus(a.Last, late):
		return false
	case by == ledger.MatchedByUTR && a.First != "":
		return day >= ledger.DayPlus(a.First, -1)
	}
	return day >= NamedFrom(a.Planned)
}

func search(p *ledger.Piece, known map[string][]*candidate, by ledger.MatchedBy) names {
	n := names{by: by, short: true, plain: true}
	found := map[string]bool{}
	for _, text := range p.Words {
		text = strings.ToLower(text)
		ledger.EachName(text, func(start, end int) bool {
			word := text[start:end]
			of := ledger.Where(known[word], func(a *candidate) bool { return a.mayCarry(word, by, p.Day) })
			if len(of) > 0 && !found[word] {
				found[word] = true
				n.attempts = append(n.attempts, of...)
				digit := strings.ContainsAny(word, "0123456789")
				n.short = n.short && (len(word) < ledger.ShortName || !digit)
				n.plain = n.plain && (!digit || !strings.ContainsAny(word, "abcdefghijklmnopqrstuvwxyz"))
			}
			return len(of) > 0
		})
	}
	n.sharesUTR = by == ledger.MatchedByUTR && len(found) == 1 && !slices.ContainsFunc(n.attempts, func(a *candidate) bool { return a.Batch != n.attempts[0].Batch })
	slices.SortFunc(n.attempts, func(a, b *candidate) int { return a.AttemptKey.Compare(b.AttemptKey) })
	return n
}

// NamedDebit returns the first debit that carries a name of one of the attempts.
func NamedDebit(attempts []Attempt, lines []ledger.KeptLine) (ledger.StatementLine, bool) {
	m := newMatcher(attempts)
	for i := range lines {
		for _, p := range lines[i].Pieces() {
			n := m.namesIn(&p)
			exact := slices.ContainsFunc(n.attempts, func(a *candidate) bool { return a.Amount == p.Amount })
			if p.Debit && len(n.attempts) > 0 && (exact || !n.short) {
				return p.StatementLine, true
			}
		}
	}
	return ledger.StatementLine{}, false
}
