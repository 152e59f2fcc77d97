package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// Settings are the inputs of a report other than the ledger.
type Settings struct {
	Grace time.Duration // a success younger than this may still be missing
	// PayrunOnly: only payrun debits the accounts, so every debit of no payout is an exception.
	PayrunOnly bool
}

// Exception is one difference, or a case that may become one.
type Exception struct {
	Kind ledger.Attention
	// Of is the attempt that it is about; zero for none.
	Of            ledger.AttemptKey
	WireRef       string // its reference
	BatchID       string
	BankAccountID string
	Amount        ledger.Paise
	Detail        string
	Since         time.Time // its age counts from then
}

// Account is the report on one debit account.
type Account struct {
	BankAccountID string
	Sent          ledger.Tally // payouts that are success or returned: a statement has to show them
	Again         int          // attempts in Sent of payouts that another attempt has there: one returned, one success
	Matched       ledger.Tally // those of Sent about which statement and interface agree
	By            map[ledger.MatchedBy]int
	Others        ledger.Tally // lines that belong to no payout of ours
	Newest        string       // the newest day with a line that counts; "" for none
	Unexplained   ledger.Paise
	Wanted        string   // the first day of a payout that no statement shows yet; "" for none
	RequestIDs    []string // of statements that the bank answered with 202 or in another shape
}

// Result is the comparison of the statements with all payouts.
type Result struct {
	Compared    bool // there is a statement with entries that is not void
	Exceptions  []Exception
	Accounts    []Account
	Unexplained ledger.Paise
	Found       map[ledger.AttemptKey]Found `json:"-"`
}

// Found is what the statements show of an attempt.
type Found struct {
	By   ledger.MatchedBy // why a debit belongs to it; "" if none does
	Ties bool             // statements and interface agree about it
}

// Report collects a Result. Add the accounts first, then the payouts in their order.
type Report struct {
	set      Settings
	now      time.Time
	result   Result
	accounts []*accountReport
}

type accountReport struct {
	Account
	readings []ledger.KeptStatement
	around   Matching
	missing  ledger.Paise // the sum of missing_in_statement
	wanted   map[ledger.Paise]string
	absent   *absence
	named    map[ledger.EntryRef]bool
}

// absence has the payouts of an account on days that no statement covers.
type absence struct {
	from, to string
	tally    ledger.Tally
	since    time.Time
}

// NewReport begins the report of a time.
func NewReport(set Settings, now time.Time) *Report {
	return &Report{set: set, now: now, result: Result{Found: map[ledger.AttemptKey]Found{}}}
}

// Account adds a debit account: its readings, its lines that belong to no payout, and the
// newest day with a line that counts.
func (r *Report) Account(id string, readings []ledger.KeptStatement, around Matching, newest string) {
	a := &accountReport{Account: Account{BankAccountID: id, By: map[ledger.MatchedBy]int{}, Newest: newest}, readings: readings, around: around,
		wanted: map[ledger.Paise]string{}, named: map[ledger.EntryRef]bool{}}
	for _, k := range readings {
		if k.Shape == ledger.ShapeEntries {
			r.result.Compared = r.result.Compared || k.Void.IsZero()
			continue
		}
		a.RequestIDs = append(a.RequestIDs, k.RequestIDs...)
	}
	r.accounts = append(r.accounts, a)
}

// Payouts adds all attempts of some payouts with their evidence.
func (r *Report) Payouts(attempts []Shown) {
	paid := map[int64]bool{}
	for i := range attempts {
		paid[attempts[i].PayoutID] = paid[attempts[i].PayoutID] || attempts[i].State == ledger.PayoutSuccess
	}
	sent := map[int64]bool{}
	for i := range attempts {
		s := &attempts[i]
		at := slices.IndexFunc(r.accounts, func(a *accountReport) bool { return a.BankAccountID == s.BankAccountID })
		if at < 0 {
			at = len(r.accounts)
			r.Account(s.BankAccountID, nil, Matching{}, "")
		}
		if s.paid() && sent[s.PayoutID] {
			r.accounts[at].Again++
		}
		sent[s.PayoutID] = sent[s.PayoutID] || s.paid()
		r.attempt(r.accounts[at], s, paid[s.PayoutID])
	}
}

func (r *Report) attempt(a *accountReport, s *Shown, paid bool) {
	e := s.Evidence(a.around)
	debit, _ := ledger.First(e.Matches, func(m ledger.StatementMatch) bool { return m.Debit })
	by := debit.By
	decided := false // by two people, about all of it
	if s.Released != nil {
		_, differs := s.Released.Since(e)
		decided = !differs
	}
	t := judged{r: r, a: a, s: s}
	ties := !decided && t.judge(e.Money(true))
	again := ties && s.State == ledger.PayoutSuccess // a withdrawn debit is there again
	for _, m := range s.Rows {
		if before, another := a.named[m.Ref]; m.Why == InFile || m.Why == Withdrawn {
			a.named[m.Ref] = (decided || again && m.Why == Withdrawn) && (before || !another)
		}
	}
	if by != "" {
		r.result.Found[s.AttemptKey] = Found{by, ties}
	}
	if decided {
		return
	}
	for _, m := range s.Rows {
		if m.Why == Named {
			a.named[m.Ref] = true
			t.except(ledger.AmountDiffers, m.Amount, "the statement has a debit of %s with its name (%s)", m.Amount.Rupees(), m.Ref)
		}
	}
	if !paid && !s.State.Awaited() && len(e.Possible) > 0 {
		t.except(ledger.LockPossible, s.Amount, "the statement has %s; that could be its debit", e.Possible[0].Words())
	}
	if s.paid() {
		a.Sent.Add(s.Amount)
		if ties {
			a.Matched.Add(s.Amount)
			a.By[by]++
		}
	}
}

// judged is one attempt while it is judged.
type judged struct {
	r *Report
	a *accountReport
	s *Shown
}

func (t *judged) except(kind ledger.Attention, amount ledger.Paise, format string, args ...any) {
	t.r.result.Exceptions = append(t.r.result.Exceptions, Exception{Kind: kind, Of: t.s.AttemptKey, WireRef: t.s.WireRef, BatchID: t.s.Batch.ID, BankAccountID: t.a.BankAccountID,
		Amount: amount, Detail: fmt.Sprintf(format, args...), Since: t.s.Since})
}

// judge compares what went out and came back, in paise, with the state. It reports whether they
// agree.
func (t *judged) judge(out, back ledger.Paise) (ties bool) {
	s := t.s
	net := out - back
	if back > 0 && back < out {
		t.except(ledger.AmountDiffers, back, "%s went out and %s came back: a charge, or a part of it", out.Rupees(), back.Rupees())
	}
	switch {
	case out > s.Amount && (net > s.Amount || net > 0 && s.State != ledger.PayoutSuccess):
		t.except(ledger.DebitedTwice, s.Amount, "the statement shows debits of %s for it, and credits of %s", out.Rupees(), back.Rupees())
	case net > 0 && !mayBeDebited(s.State):
		t.except(ledger.FailedButDebited, s.Amount, "the statement shows its debit, and the ledger has it as %s", s.State)
	case !s.paid():
		if out == 0 && s.State.Awaited() && s.Last != "" {
			t.want()
		}
	case out == 0 && slices.ContainsFunc(s.Rows, func(m Match) bool { return m.Why == Named }):
		t.want() // attempt reports the line itself
	case out == 0:
		t.notShown()
	case s.State == ledger.PayoutReturned && back == 0:
		t.wants()
		t.except(ledger.AwaitingStatement, s.Amount, "its debit is on the statement, and its return is not yet")
	case s.State == ledger.PayoutSuccess && back >= out:
		t.except(ledger.ReturnedInStatement, s.Amount, "the statement shows it coming back, and the interface says %s", s.State)
	case out != s.Amount:
		t.except(ledger.AmountDiffers, out, "the statement has debits of %s of it", out.Rupees())
	default:
		return s.State == ledger.PayoutSuccess || back == s.Amount
	}
	return false
}

// want records the attempt's amount and day: an equal debit since then may be its own.
func (t *judged) want() {
	if first, there := t.a.wanted[t.s.Amount]; !there || t.s.Last < first {
		t.a.wanted[t.s.Amount] = t.s.Last
	}
}

// wants records the first day of a payout that no statement shows yet.
func (t *judged) wants() {
	if t.a.Wanted == "" || t.day() < t.a.Wanted {
		t.a.Wanted = t.day()
	}
}

// day returns the day on which a statement has to show its debit.
func (t *judged) day() string { return cmp.Or(t.s.Last, ledger.BankDay(t.s.Since)) }

// notShown reports why no statement shows its debit.
func (t *judged) notShown() {
	t.wants()
	day := t.day()
	switch {
	case len(ledger.MissingDays(t.a.readings, day, day)) > 0:
		t.a.unavailable(day, t.s.Amount, t.s.Since)
	case t.oneOfEquals():
		t.except(ledger.AwaitingStatement, t.s.Amount, "one of several equal debits of %s is its own, and no name tells which", t.s.Amount.Rupees())
	case t.r.now.Sub(t.s.Since) < t.r.set.Grace:
		t.want()
		t.except(ledger.AwaitingStatement, t.s.Amount, "the statement may show its debit until %s", ledger.BankDay(t.s.Since.Add(t.r.set.Grace)))
	case t.a.Newest < day:
		t.want()
		newest := "from before the payout"
		if t.a.Newest != "" {
			newest = "of " + t.a.Newest
		}
		t.except(ledger.AwaitingStatement, t.s.Amount, "the newest entry of the statement is %s", newest)
	default:
		t.want()
		t.a.missing = t.a.missing.PlusCapped(t.s.Amount)
		t.except(ledger.MissingInStatement, t.s.Amount, "its debit is not on the statement of %s", day)
	}
}

// oneOfEquals reports whether an open line that is one of equal debits has its amount and day ± 1.
func (t *judged) oneOfEquals() bool {
	return slices.ContainsFunc(t.a.around.Open, func(o Open) bool {
		return o.Why == Equals && o.Amount == t.s.Amount && slices.Contains(around(t.day(), 1), o.Day)
	})
}

// unavailable adds a payout on a day that no statement of the account covers.
func (a *accountReport) unavailable(day string, amount ledger.Paise, since time.Time) {
	if a.absent == nil {
		a.absent = &absence{from: day, to: day, since: since}
	}
	gone := a.absent
	gone.from, gone.to = min(gone.from, day), max(gone.to, day)
	gone.tally.Add(amount)
	if since.Before(gone.since) {
		gone.since = since
	}
}

// Result returns the result. Nothing may be added after it.
func (r *Report) Result() *Result {
	for _, a := range r.accounts {
		r.finish(a)
		r.result.Accounts = append(r.result.Accounts, a.Account)
		r.result.Unexplained = r.result.Unexplained.PlusCapped(a.Unexplained)
	}
	slices.SortStableFunc(r.result.Exceptions, func(a, b Exception) int {
		return cmp.Or(cmp.Compare(a.Kind.Rank(), b.Kind.Rank()), a.Of.Compare(b.Of))
	})
	return &r.result
}

// toldRequests is how many of the newest request ids an exception names. One is added each night;
// Account has all of them.
const toldRequests = 3

// finish adds the exceptions of an account's remaining lines and missing days, and its Unexplained.
func (r *Report) finish(a *accountReport) {
	except := func(kind ledger.Attention, l *ledger.StatementLine, why string) {
		at, _ := time.Parse(time.DateOnly, l.Day)
		r.result.Exceptions = append(r.result.Exceptions, Exception{Kind: kind, BankAccountID: a.BankAccountID, Amount: l.Amount,
			Detail: fmt.Sprintf("a %s of %s (%s) %s", ledger.Direction(l.Debit), l.Day, l.Ref, why), Since: at})
	}
	for i := range a.around.Open {
		o := &a.around.Open[i]
		first, wanted := a.wanted[o.Amount]
		switch {
		case o.Debit && o.Named && a.named[o.Ref]: // reported or released with its payouts
		case o.Why == InFile:
			except(ledger.OnlyInFile, &o.StatementLine, "is in a file, and the bank's own statement of the day lacks it")
		case o.Why == Withdrawn:
			except(ledger.WithdrawnDebit, &o.StatementLine, "was on a statement, and a newer one lacks it")
		case o.Why != Nobodys:
		case o.Debit && o.Named:
			except(ledger.UnknownDebit, &o.StatementLine, "carries the names of several payouts")
		case o.Debit && r.set.PayrunOnly:
			except(ledger.UnknownDebit, &o.StatementLine, "is of no payout")
		case o.Debit && wanted && o.Day >= ledger.DayPlus(first, -1):
			except(ledger.UnknownDebit, &o.StatementLine, "has the amount of a payout, and no name of it")
		default:
			a.Others.Add(o.Amount)
		}
	}
	if gone := a.absent; gone != nil {
		detail := fmt.Sprintf("no statement covers %s, of %s", ledger.DayRange(gone.from, gone.to), ledger.CountedPayouts(gone.tally.Count))
		if len(a.RequestIDs) > 0 {
			detail += "; request " + strings.Join(a.RequestIDs[max(0, len(a.RequestIDs)-toldRequests):], ", ")
		}
		r.result.Exceptions = append(r.result.Exceptions, Exception{Kind: ledger.StatementNotAvailable, BankAccountID: a.BankAccountID, Amount: gone.tally.Total,
			Detail: detail, Since: gone.since})
	}
	var broken ledger.Paise
	for _, b := range a.around.Breaks {
		broken = broken.PlusCapped(b.Amount)
	}
	a.Unexplained = max(0, broken-a.missing)
}

// Ties says how interface and statement compare, for all payouts or some.
type Ties struct {
	Due, On            ledger.Tally // attempts that a statement has to show, and those about which both agree
	Again              int          // how many of Due are further attempts of the same payouts
	Differ             int          // exceptions that a person has to check
	Awaited, Uncovered int          // attempts that a statement may still show, and accounts without a statement of all days
	Unexplained        ledger.Paise // part of the account balances that is not explained, in paise
}

// Out reports whether interface and statement tie out: nothing differs and nothing is awaited.
func (t Ties) Out() bool {
	return t.Differ == 0 && t.Awaited == 0 && t.Uncovered == 0 && t.Unexplained == 0 && t.On.Count == t.Due.Count
}

// Differs reports whether there is a difference that does not end by waiting.
func (t Ties) Differs() bool { return t.Differ > 0 || t.Unexplained != 0 }

// Words returns the sentence that the terminal, the reports, the demo and the desk all use.
func (t Ties) Words() string {
	if t.Due.Count == 0 && !t.Differs() {
		return "no payout is due on the bank's statement"
	}
	due := ledger.Counted(t.Due.Count, "payout is", "payouts are")
	if t.Again > 0 {
		due = fmt.Sprintf("%s attempts to pay %s are", ledger.Grouped(t.Due.Count), ledger.CountedPayouts(t.Due.Count-t.Again))
	}
	words := []string{ledger.Grouped(t.On.Count) + " of " + due + " on the bank's statement"}
	if t.Awaited > 0 && t.Differ == 0 {
		words = append(words, ledger.Counted(t.Awaited, "awaits it", "await it"))
	}
	if n := t.Due.Count - t.On.Count - t.Awaited; n > 0 && t.Differ == 0 {
		words = append(words, "no statement covers "+ledger.Grouped(n))
	}
	if t.Differ > 0 {
		words = append(words, ledger.Counted(t.Differ, "line differs", "lines differ"))
	}
	if t.Unexplained != 0 {
		words = append(words, t.Unexplained.Rupees()+" of the balances is unexplained")
	}
	if t.Out() {
		words = append(words, "ties out to the paisa")
	}
	return strings.Join(words, "; ")
}

// Ties returns the comparison for all payouts.
func (r *Result) Ties() (t Ties) {
	t.Unexplained = r.Unexplained
	for _, a := range r.Accounts {
		t.Due, t.On, t.Again = t.Due.Plus(a.Sent), t.On.Plus(a.Matched), t.Again+a.Again
	}
	for _, e := range r.Exceptions {
		t.Count(e.Kind)
	}
	return t
}

// Count counts an exception.
func (t *Ties) Count(kind ledger.Attention) {
	switch {
	case kind.NeedsPerson():
		t.Differ++
	case kind == ledger.AwaitingStatement:
		t.Awaited++
	default:
		t.Uncovered++
	}
}
