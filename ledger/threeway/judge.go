package threeway

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// Exception is one thing that does not tie out, or not yet.
type Exception struct {
	Kind ledger.Attention
	// Of is the attempt it is about; zero where it is about none.
	Of            ledger.AttemptKey
	BatchID       string
	BankAccountID string
	Amount        ledger.Paise
	Detail        string
	Since         time.Time // from when on it is so; its age counts from then
}

// Account is what is to be said of one debit account.
type Account struct {
	BankAccountID string
	Sent          ledger.Tally // payouts that are success or returned: what a statement has to show
	Matched       ledger.Tally // of them
	By            Reasons
	Others        ledger.Tally // entries that are nobody's of ours
	Newest        string       // the newest day of which an entry is known; "" for none
	Unexplained   ledger.Paise
	Wanted        string   // the first day of a payout that no statement shows yet; "" for none
	RequestIDs    []string // of statements that were promised, or had another shape
}

// Result is what matching found.
type Result struct {
	Matched     ledger.Tally
	Compared    bool // some statement gave entries, or the days of a payout
	Exceptions  []Exception
	Accounts    []Account
	Unexplained ledger.Paise
	Seen        []Seen // of each attempt of the payout that is followed (Follow)

	matches matches
}

// Finish says what was found. Nothing is taken in after it.
func (m *Matcher) Finish() Result {
	m.matchWeak()
	m.matchAmounts()
	return m.judge()
}

func (m *Matcher) judge() Result {
	j := judgement{m: m, accounts: make([]Account, len(m.accounts)), missing: make([]ledger.Paise, len(m.accounts)), absent: map[int32]*absence{}, open: make([]openAmounts, len(m.accounts))}
	for i := range m.accounts {
		j.accounts[i].BankAccountID, j.open[i] = m.accounts[i].id, openAmounts{}
	}
	for i := 0; i < len(m.sent); {
		end := i + 1
		for end < len(m.sent) && m.sent[end].payout == m.sent[i].payout {
			end++
		}
		j.payout(int32(i), int32(end))
		i = end
	}
	for acc := range m.accounts {
		j.account(int32(acc))
	}
	for i := range j.accounts {
		j.result.Unexplained = plus(j.result.Unexplained, j.accounts[i].Unexplained)
		j.result.Matched = tally(j.result.Matched, j.accounts[i].Matched)
	}
	j.result.Accounts = j.accounts
	slices.SortStableFunc(j.result.Exceptions, func(a, b Exception) int {
		return cmp.Or(cmp.Compare(a.Kind.Rank(), b.Kind.Rank()), cmp.Compare(a.Of.PayoutID, b.Of.PayoutID), cmp.Compare(a.Of.Number, b.Of.Number))
	})
	j.result.Seen = m.seen(&j.result)
	return j.result
}

// shown is how many debits and credits of it there are: both sides together show
// as many as the one that shows more. A return that people decided on is one of them.
func (s *sent) shown() (debits, credits int) {
	debits, credits = int(max(s.debits[0], s.debits[1])), int(max(s.credits[0], s.credits[1]))
	if s.back && debits > credits {
		credits++
	}
	return debits, credits
}

type judgement struct {
	m        *Matcher
	result   Result
	accounts []Account
	missing  []ledger.Paise // by account: what missing_in_statement names
	absent   map[int32]*absence
	open     []openAmounts
}

// openAmounts are those of payouts that a debit without a name may be, each with
// the first day on which it may.
type openAmounts map[ledger.Paise]int32

func (o openAmounts) add(amount ledger.Paise, day int32) {
	if first, there := o[amount]; !there || day < first {
		o[amount] = day
	}
}

// absence is what of an account no statement covers.
type absence struct {
	from, to int32
	tally    ledger.Tally
	since    time.Time
}

// payout judges the attempts of one payout, from one position to before another.
func (j *judgement) payout(from, to int32) {
	net, twice := 0, false
	for i := from; i < to; i++ {
		s := &j.m.sent[i]
		d, c := s.shown()
		net += d - c
		twice = j.attempt(i, d, c) || twice
	}
	if net > 1 && !twice {
		last := &j.m.sent[to-1]
		j.except(ledger.DebitedTwice, last, last.amount, "its attempts were debited %s more than they came back", times(net))
	}
}

// attempt judges one attempt, and reports whether it was found debited twice.
func (j *judgement) attempt(i int32, d, c int) (twice bool) {
	s := &j.m.sent[i]
	b := &j.m.batches[s.batch]
	account := &j.accounts[b.account]
	if s.reason != ByNothing {
		j.result.matches.set(s.key(), match(s.reason))
	}
	final := s.over()
	if final {
		account.Sent = tally(account.Sent, ledger.Tally{Count: 1, Total: s.amount})
	}
	if d > 1 {
		j.except(ledger.DebitedTwice, s, s.amount, "the statement has its debit %s and its return %s", times(d), times(c))
		return true
	}
	if d > c && !mayBeDebited(s.is()) {
		j.except(ledger.FailedButDebited, s, s.amount, "the statement shows its debit, and the ledger has it as %s", s.is())
		return false
	}
	if s.differs {
		j.open[b.account].add(s.amount, b.day)
		j.except(ledger.AmountDiffers, s, s.amount, "the statement has a debit of %s with its name", j.m.debited[i])
		return false
	}
	if !final {
		if d == 0 && mayBeDebited(s.is()) && b.day != noDay {
			j.open[b.account].add(s.amount, b.day)
		}
		return false
	}
	switch back := s.is() == ledger.PayoutReturned; {
	case d == 1 && (c > 0) == back:
		account.Matched = tally(account.Matched, ledger.Tally{Count: 1, Total: s.amount})
		account.By[s.reason]++
		j.result.matches.set(s.key(), match(s.reason)|matched)
	case c > 0 && !back:
		j.except(ledger.ReturnedInStatement, s, s.amount, "the statement shows it coming back, and the interface says %s", s.is())
	case d == 0:
		j.open[b.account].add(s.amount, b.day)
		j.notShown(s, b, "its debit is not on the statement")
	default:
		j.notShown(s, b, "its return is not on the statement")
	}
	return false
}

// notShown tells apart why the statement does not show what it should.
func (j *judgement) notShown(s *sent, b *batch, what string) {
	account := &j.m.accounts[b.account]
	day := j.m.dayOf(s)
	out := &j.accounts[b.account]
	if name := nameDay(day); out.Wanted == "" || name < out.Wanted {
		out.Wanted = name
	}
	switch {
	case !account.days[day]:
		j.unavailable(b.account, day, s)
	case j.m.set.Now.Sub(s.since()) < j.m.set.Grace:
		j.except(ledger.AwaitingStatement, s, s.amount, "%s yet; it may take until %s", what, nameDay(dayOf(s.since().Add(j.m.set.Grace), j.m.set.Zone)))
	case account.newest < day:
		j.except(ledger.AwaitingStatement, s, s.amount, "%s yet, whose newest entry is %s", what, newest(account))
	default:
		j.missing[b.account] = plus(j.missing[b.account], s.amount)
		j.except(ledger.MissingInStatement, s, s.amount, "%s of %s", what, nameDay(day))
	}
}

// toldRequests is how many of the newest request ids an exception tells: they grow
// by one with each night, and all are with the account.
const toldRequests = 3

func newest(a *account) string {
	if a.newest == noDay {
		return "of before the payout"
	}
	return "of " + nameDay(a.newest)
}

// unavailable adds up what of an account no statement covers.
func (j *judgement) unavailable(acc, day int32, s *sent) {
	a := j.absent[acc]
	if a == nil {
		a = &absence{from: day, to: day, since: s.since()}
		j.absent[acc] = a
	}
	a.from, a.to, a.since = min(a.from, day), max(a.to, day), earlier(a.since, s.since())
	a.tally = tally(a.tally, ledger.Tally{Count: 1, Total: s.amount})
}

func (j *judgement) except(kind ledger.Attention, s *sent, amount ledger.Paise, format string, args ...any) {
	b := &j.m.batches[s.batch]
	j.result.Exceptions = append(j.result.Exceptions, Exception{Kind: kind, Of: s.key(), BatchID: b.id, BankAccountID: j.m.accounts[b.account].id,
		Amount: amount, Detail: fmt.Sprintf(format, args...), Since: s.since()})
}

// account judges what is left of an account's entries, and its balances.
func (j *judgement) account(acc int32) {
	a, out := &j.m.accounts[acc], &j.accounts[acc]
	for _, p := range leftOver(a.left) {
		if p.debit && (j.m.set.PayrunOnly || !p.free() || j.equalsOpen(acc, &p)) {
			j.result.Exceptions = append(j.result.Exceptions, Exception{Kind: ledger.UnknownDebit, BankAccountID: a.id, Amount: p.amount,
				Detail: j.unknown(&p), Since: time.Unix(int64(p.day)*86400, 0).UTC()})
			continue
		}
		out.Others = tally(out.Others, ledger.Tally{Count: 1, Total: p.amount})
	}
	if gone := j.absent[acc]; gone != nil {
		days := nameDay(gone.from)
		if gone.to != gone.from {
			days += " to " + nameDay(gone.to)
		}
		detail := fmt.Sprintf("no statement covers %s, of %s", days, ledger.CountedPayouts(gone.tally.Count))
		if len(a.pending) > 0 {
			detail += "; request " + strings.Join(a.pending[max(0, len(a.pending)-toldRequests):], ", ")
		}
		j.result.Exceptions = append(j.result.Exceptions, Exception{Kind: ledger.StatementNotAvailable, BankAccountID: a.id, Amount: gone.tally.Total,
			Detail: detail, Since: gone.since})
	}
	if out.RequestIDs = a.pending; a.newest != noDay {
		out.Newest = nameDay(a.newest)
	}
	j.result.Compared = j.result.Compared || len(a.days) > 0
	out.Unexplained = plus(max(0, breaks(a.chain)-j.missing[acc]), a.lacking)
}

// equalsOpen: a debit without a name of ours has the amount of a payout that is
// missing, or open, or differs.
func (j *judgement) equalsOpen(acc int32, p *piece) bool {
	first, there := j.open[acc][p.amount]
	return there && p.day >= first-1
}

func (j *judgement) unknown(p *piece) string {
	what := "a debit of " + nameDay(p.day)
	switch {
	case p.named:
		what += " carries the names of more than one payout"
	case p.near >= 0:
		what += " carries the reference of a payout among others"
	case j.m.set.PayrunOnly:
		what += " is of no payout"
	default:
		what += " has the amount of a payout, and no name of it"
	}
	return what
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

func tally(t, more ledger.Tally) ledger.Tally {
	return ledger.Tally{Count: t.Count + more.Count, Total: plus(t.Total, more.Total)}
}

// plus stops at the most that an amount can be: what is told is then enormous, and
// not small.
func plus(a, b ledger.Paise) ledger.Paise {
	if sum, ok := a.Plus(b); ok {
		return sum
	}
	return math.MaxInt64
}
