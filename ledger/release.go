package ledger

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ReleaseAs is what two people decide about a locked payout. There is no third value and no
// other way around a lock (safety.md, "Release").
type ReleaseAs string

const (
	ReleaseNotPaid ReleaseAs = "not-paid"
	ReleasePaid    ReleaseAs = "paid"
)

// Risk says what a wrong decision does, and what the bank's letter has to confirm.
func (as ReleaseAs) Risk() string {
	if as == ReleasePaid {
		return "If it was not paid, the payee gets nothing: payrun does not send it again. The bank's written confirmation must name each reference."
	}
	return "If it was paid, it is paid twice. The bank's written confirmation must cover each reference and every name REFERENCE-R2, -R3, … of it."
}

// Resolution is the decision of two people about an attempt.
type Resolution string

const (
	ResolutionNone    Resolution = ""
	ResolutionPaid    Resolution = "paid"
	ResolutionNotPaid Resolution = "not_paid" // while the bank shows it as they saw it
	ResolutionGone    Resolution = "gone"     // not paid, and the bank did not show it
)

// Waits are the waiting times of a release. Only the sandbox may have shorter ones.
type Waits struct {
	Wait    time.Duration // resolve.wait: since the last activity
	Between time.Duration // resolve.between: from the first person to the second
}

// The minimum waiting times in production.
const (
	LeastWait    = 48 * time.Hour
	LeastBetween = time.Hour
	longWait     = 5 * 24 * time.Hour // for a status that stays and is not final
)

// SecondPersonWithin is how long a first person's decision about a release, a statement or the
// policy waits for the second person.
const SecondPersonWithin = 72 * time.Hour

// waitsForSecond reports whether a first person's decision still waits for the second person. One that lies in the
// future does not: the clock was wrong.
func waitsForSecond(first, at time.Time) bool {
	return at.Sub(first) <= SecondPersonWithin && !at.Before(first)
}

// long returns how long the bank must have shown a status that is not final. In the sandbox the
// shorter Wait replaces the five days.
func (w Waits) long() time.Duration {
	if w.Wait < LeastWait {
		return w.Wait
	}
	return max(w.Wait, longWait)
}

// StatementFetch says which statement a release relies on.
type StatementFetch string

const (
	StatementFromBank StatementFetch = "bank"   // the bank's own, fetched in this operation
	StatementOnRecord StatementFetch = "files"  // the interface has no statement of the account: the imported files
	StatementFailed   StatementFetch = "failed" // the interface has it, but could not give it now
)

// ReleaseRequest is one person's decision about locked attempts of one batch, with what was
// fetched for it in the same operation.
type ReleaseRequest struct {
	As            ReleaseAs
	Of            AttemptKey // the attempt; zero: all locked attempts of the batch
	Reason        string
	Ticket        string      // the bank's written confirmation, as a person cites it
	Charges       Paise       // the charges that the confirmation names, in paise
	NewReferences bool        // for a refused batch: the next attempts get references that the bank has never seen
	Check         StatusCheck // the batch's status, read now
	Statement     StatementFetch
	Account       AccountEvidence // of the debit account, since the day before the submit
	Waits         Waits
	Shown         string // ReleaseEvidence.Digest of what the person saw; "" before they saw anything
}

// AttemptShown is one attempt as a person sees it before a release.
type AttemptShown struct {
	PayoutID  int64    `json:"payout_id"`
	Number    int      `json:"attempt"`
	WireRef   string   `json:"wire_ref"`
	Amount    Paise    `json:"amount"`
	NotFound  bool     `json:"not_found,omitempty"`
	Status    string   `json:"status,omitempty"`
	Code      string   `json:"bank_status_code,omitempty"`
	OpenTxnID string   `json:"open_txn_id,omitempty"`
	Paid      bool     `json:"paid,omitempty"`  // the status says success, with the planned values
	Lines     []string `json:"lines,omitempty"` // StatementLine.Key of its lines and of its possible debits
}

// ReleaseEvidence is what both people see, fetched separately for each. It is kept with their
// decisions and compared.
type ReleaseEvidence struct {
	Attempts  []AttemptShown `json:"attempts"`
	Other     []string       `json:"other_debits,omitempty"` // for a batch in doubt: unexplained debits that could be part of it
	Credits   []string       `json:"credits,omitempty"`      // credits without a name that make up for a debit; no other release uses them
	Charges   Paise          `json:"charges"`
	Statement StatementFetch `json:"statement"`
	NewRefs   bool           `json:"new_references,omitempty"`
}

// JSON returns the evidence as it is kept: the same evidence gives the same text.
func (e ReleaseEvidence) JSON() string { return jsonText(e) }

// Digest identifies the evidence that a person saw.
func (e ReleaseEvidence) Digest() string {
	return Digest(sha256.Sum256([]byte(e.JSON()))).String()
}

// Of returns the evidence of one attempt.
func (e ReleaseEvidence) Of(key AttemptKey) (AttemptShown, bool) {
	return First(e.Attempts, func(s AttemptShown) bool { return s.PayoutID == key.PayoutID && s.Number == key.Number })
}

// Total returns the sum of the attempts, in paise. A person types it.
func (e ReleaseEvidence) Total() (total Paise) {
	for _, s := range e.Attempts {
		total = total.PlusCapped(s.Amount)
	}
	return total
}

// ErrReleaseRefused: a release is refused. Every such error is a *Refusal.
var ErrReleaseRefused = errors.New("not released")

// Refusal names a rule of a release that is not met, and when it can be met.
type Refusal struct {
	Rule  string // stable, snake_case
	Exit  int    // contract.md, "Exit codes"
	Why   string // for people
	Until time.Time
}

func (e *Refusal) Error() string {
	s := fmt.Sprintf("%v (%s): %s", ErrReleaseRefused, e.Rule, e.Why)
	if !e.Until.IsZero() {
		s += "; it can hold from " + momentWords(e.Until) + " on"
	}
	return s
}

func (e *Refusal) Unwrap() error { return ErrReleaseRefused }

// The rules of a release, in the order in which they are checked (safety.md, "Release").
const (
	RuleNothing      = "nothing_to_release"
	RuleTicket       = "bank_ticket"
	RuleReason       = "reason"
	RuleStatus       = "status"           // rule 3
	RuleAnswer       = "bank_answer"      // rule 3: the bank gave no answer
	RuleWait         = "wait"             // rule 4, by our clock
	RuleBankClock    = "bank_clock"       // rule 4, by the bank's
	RuleStatement    = "statement"        // rule 5: the statement is not available now
	RuleDays         = "statement_days"   // rule 5: it does not cover the days
	RuleDebit        = "debit"            // rule 5: a debit that did not come back
	RuleCharges      = "charges"          // rule 5: the charges on the statement are not those named
	RuleSecondPerson = "second_person"    // rule 1
	RuleBetween      = "between"          // rule 1: too soon
	RuleChanged      = "evidence_changed" // rule 6
)

const (
	exitUsage    = 2
	exitNoAnswer = 5
)

// release is one release while its rules are checked.
type release struct {
	ReleaseRequest
	k        BatchRecord
	person   string
	at       time.Time
	of       []*KnownAttempt
	evidence ReleaseEvidence
	first    *ReleaseApproval // the other person's decision; nil: this is the first
}

// releaseRules are all rules, in the order in which they are checked. Each returns nil if it is
// met. Nothing has to be old or to come back where a payout is closed as paid: closingRules.
var (
	releaseRules = []func(*release) *Refusal{(*release).somethingLocked, (*release).confirmed, (*release).statusNow, (*release).oldEnough,
		(*release).statementCovers, (*release).cameBack, (*release).unchanged, (*release).twoPeople}
	closingRules = []func(*release) *Refusal{(*release).somethingLocked, (*release).confirmed, (*release).statusNow, (*release).unchanged, (*release).twoPeople}
)

// Release checks one person's decision about locked attempts of the batch. It returns what both
// people see, and the first person's decision if this is the second. A *Refusal names the rule
// that is not met. Release is pure, and nothing else releases a lock.
func (k BatchRecord) Release(r ReleaseRequest, person string, at time.Time) (ReleaseEvidence, *ReleaseApproval, error) {
	rel := release{ReleaseRequest: r, k: k, person: person, at: at}
	rules := releaseRules
	if r.As == ReleasePaid {
		rules = closingRules
	}
	for _, rule := range rules {
		if why := rule(&rel); why != nil {
			return rel.evidence, nil, why
		}
	}
	return rel.evidence, rel.first, nil
}

func refuse(rule string, exit int, format string, args ...any) *Refusal {
	return &Refusal{Rule: rule, Exit: exit, Why: fmt.Sprintf(format, args...)}
}

func (r *Refusal) until(t time.Time) *Refusal {
	r.Until = t
	return r
}

// somethingLocked finds the attempts that may be released: those with a lock, and those that the
// bank no longer knows. An attempt that is only in flight also needs the five days of rule 3.
func (r *release) somethingLocked() *Refusal {
	if r.NewReferences && (r.As != ReleaseNotPaid || r.k.Batch.State != BatchRefused || r.Of != (AttemptKey{})) {
		return refuse(RuleNothing, exitUsage, "new references are for all payouts of a refused batch, and batch %s is %s", r.k.Batch.ID, r.k.Batch.State)
	}
	if r.As == ReleasePaid && r.Of == (AttemptKey{}) {
		return refuse(RuleNothing, exitUsage, "a payout is closed as paid by its reference, not by its batch")
	}
	switch b := r.k.Batch; b.State {
	case BatchPlanned, BatchInitiating, BatchInitiateUnknown, BatchHeld, BatchSubmitting:
		return refuse(RuleNothing, exitUsage, "batch %s is %s, and can still be cancelled: payrun abandon %s --reason TEXT", b.ID, b.State, b.ID)
	case BatchQuarantined:
		if r.Of != (AttemptKey{}) {
			return refuse(RuleNothing, exitUsage, "batch %s is quarantined: it is released as a whole, by its id", b.ID)
		}
	}
	for i := range r.k.Attempts {
		a := &r.k.Attempts[i]
		if (r.Of == (AttemptKey{}) || r.Of == a.Key()) && r.releasable(a) {
			r.of = append(r.of, a)
		}
	}
	if len(r.of) == 0 {
		return refuse(RuleNothing, exitUsage, "nothing of it is locked, and the bank knows it: there is nothing to release")
	}
	return nil
}

func (r *release) releasable(a *KnownAttempt) bool {
	if r.NewReferences {
		return true
	}
	if a.Resolved == ResolutionPaid { // never planned again; it can be closed once more after the bank contradicted it
		return r.As == ReleasePaid && !a.Over()
	}
	for _, l := range Locks(a.Records) {
		if l.Of != a.Key() {
			continue
		}
		if l.Kind != LockInFlight || r.As == ReleaseNotPaid {
			return true
		}
	}
	_, there := r.Check.of(a.WireRef)
	gone := r.Check.Answer == LookNotKnown || r.Check.Closed && !there
	return r.As == ReleaseNotPaid && a.State.Retryable() && a.Resolved != ResolutionGone && gone && a.Seen > 0
}

// confirmed is rule 2: the bank's written confirmation, always. Only closing a payout as paid
// needs none, if the status shows it as paid.
func (r *release) confirmed() *Refusal {
	switch {
	case strings.TrimSpace(r.Reason) == "":
		return refuse(RuleReason, exitUsage, "--reason is missing: it is kept with what you say")
	case r.As == ReleasePaid && r.shownPaid(r.of[0]):
		return nil
	case strings.TrimSpace(r.Ticket) == "":
		return refuse(RuleTicket, exitUsage, "the bank's written confirmation is missing: --bank-ticket TEXT")
	}
	return nil
}

// shownPaid reports whether a complete status, read now, says success with the planned values.
func (r *release) shownPaid(a *KnownAttempt) bool {
	o, ok := r.Check.of(a.WireRef)
	return ok && r.Check.Closed && o.asPaid(a.Attempt)
}

// statusNow is rule 3: a complete status, read now.
func (r *release) statusNow() *Refusal {
	notKnown := r.Check.Answer == LookNotKnown
	if r.As == ReleaseNotPaid && !notKnown && !r.Check.Closed {
		return refuse(RuleAnswer, exitNoAnswer, "the bank gave no complete status of the batch (%s); nothing was released", r.Check.Why)
	}
	for _, a := range r.of {
		seen := AttemptShown{PayoutID: a.ID, Number: a.Number, WireRef: a.WireRef, Amount: a.Amount, NotFound: notKnown, Lines: a.own().Statement.Keys()}
		o, there := r.Check.of(a.WireRef)
		if there {
			seen.Status, seen.Code, seen.OpenTxnID, seen.Paid = o.Status, o.BankStatusCode, o.OpenTxnID, r.shownPaid(a)
		}
		r.evidence.Attempts = append(r.evidence.Attempts, seen)
		if r.As == ReleasePaid {
			continue
		}
		returned := there && o.BankStatusCode == CodeReturned
		saysNot := notKnown || returned || there && (o.Status == StatusRequestInitiated || o.Status == StatusFailed)
		switch {
		case there && o.Status == StatusSuccess && !returned, a.State == PayoutSuccess:
			return refuse(RuleStatus, exitUnknown, "the bank shows %q as paid", a.WireRef)
		case !saysNot, r.inFlight(a):
			since := a.lastChange()
			if r.k.Batch.State == BatchQuarantined { // its answers are not recorded as observations
				since = later(since, r.k.Batch.UpdatedAt)
			}
			if why := r.waited(RuleStatus, since, r.Waits.long(), fmt.Sprintf("the bank shows %q as %q, which is not final, since less than %s", a.WireRef, o.Status, r.Waits.long())); why != nil {
				return why
			}
		}
	}
	r.evidence.Charges, r.evidence.Statement, r.evidence.NewRefs = r.Charges, r.Statement, r.NewReferences
	return nil
}

// inFlight reports whether the attempt's only lock is in_flight. It then needs the long wait.
func (r *release) inFlight(a *KnownAttempt) bool {
	own := slices.DeleteFunc(Locks(a.Records), func(l Lock) bool { return l.Of != a.Key() })
	return len(own) > 0 && own[0].Kind == LockInFlight
}

// oldEnough is rule 4: 48 hours since the last activity, by both clocks.
func (r *release) oldEnough() *Refusal {
	for _, a := range r.of {
		if why := r.waited(RuleWait, a.lastSign(), r.Waits.Wait, fmt.Sprintf("the last sign of %q is less than %s old", a.WireRef, r.Waits.Wait)); why != nil {
			return why
		}
		if s := a.own().Submit; s != nil && !s.BankTime.IsZero() && r.Check.BankTime.Sub(s.BankTime) < r.Waits.Wait {
			return refuse(RuleBankClock, exitUnknown, "by the bank's clock the submit of %q is less than %s old", a.WireRef, r.Waits.Wait).until(r.at.Add(r.Waits.Wait - r.Check.BankTime.Sub(s.BankTime)))
		}
	}
	return nil
}

// waited checks that wait has passed since a time, by our clock and by the bank's.
func (r *release) waited(rule string, since time.Time, wait time.Duration, why string) *Refusal {
	until := since.Add(wait)
	switch said := r.Check.BankTime; {
	case r.at.Before(until):
		return refuse(rule, exitUnknown, "%s", why).until(until)
	case said.IsZero():
		return refuse(RuleBankClock, exitUnknown, "the bank's answer does not say what time it is there")
	case said.Before(until):
		return refuse(RuleBankClock, exitUnknown, "%s, by the bank's clock", why).until(r.at.Add(until.Sub(said)))
	}
	return nil
}

// statementCovers is the first half of rule 5: the statement from the day before the
// submit to today.
func (r *release) statementCovers() *Refusal {
	switch {
	case r.Statement == StatementFailed:
		return refuse(RuleStatement, exitNoAnswer, "the bank's statement could not be read; nothing was released")
	case len(r.Account.Missing) > 0:
		return refuse(RuleDays, exitUnknown, "no statement on record covers %s; import it: payrun statement import FILE --account NAME", DayRange(r.Account.Missing[0], r.Account.Missing[len(r.Account.Missing)-1]))
	}
	return nil
}

// moneyLine is a line that a release counts, and the attempt that it names; the zero key if it
// names none.
type moneyLine struct {
	StatementLine
	of    AttemptKey
	whole Paise // before credits are deducted
	said  bool  // two people assigned it to the attempt
}

// after reports whether a credit may return the money of a debit.
func (c *moneyLine) after(d *moneyLine) bool { return c.said || c.Order(d.StatementLine) > 0 }

// cameBack is the second half of rule 5: for each debit the same amount came back afterwards, or
// less by the charges that both people name. Each credit is used once over all releases. A line
// that names an attempt counts for no other.
func (r *release) cameBack() *Refusal {
	named := map[string]bool{}
	var debits, credits []moneyLine
	take := func(l StatementLine, of AttemptKey, said bool) {
		named[l.Ref.String()] = true
		switch {
		case r.Statement == StatementFromBank && l.Source != FromInterface:
		case l.Debit:
			debits = append(debits, moneyLine{l, of, l.Amount, said})
		default:
			credits = append(credits, moneyLine{l, of, l.Amount, said})
		}
	}
	for _, a := range r.of {
		for _, m := range a.own().Statement.Matches {
			l := m.StatementLine
			l.Amount = m.Share
			take(l, a.Key(), m.By == MatchedByPeople)
		}
	}
	for _, a := range r.of {
		for _, p := range a.own().Statement.Possible {
			switch p.Why {
			case PossibleAmount, PossibleTotal, PossibleNamed:
				if !named[p.Ref.String()] {
					take(p.StatementLine, AttemptKey{}, false)
				}
			}
		}
	}
	spent := slices.Clone(r.k.Spent)
	for _, l := range r.Account.Unexplained {
		at := slices.Index(spent, l.Key())
		switch {
		case named[l.Ref.String()]:
		case !l.Debit && at >= 0:
			spent = slices.Delete(spent, at, at+1)
		case !l.Debit:
			take(l, AttemptKey{}, false)
		case r.couldBePart(l):
			r.evidence.Other = append(r.evidence.Other, l.Key())
			take(l, AttemptKey{}, false)
		}
	}
	return r.paired(debits, credits)
}

// couldBePart reports whether an unexplained debit could be part of a batch whose submit is or
// was in doubt: it is at least the smallest payout and at most the total.
func (r *release) couldBePart(l StatementLine) bool {
	own := r.k.Attempts[0].own()
	if s := own.Submit; s == nil || s.Outcome != Unknown {
		return false
	}
	smallest := r.k.Attempts[0].Amount
	for _, a := range r.k.Attempts {
		smallest = min(smallest, a.Amount)
	}
	from := BankDay(own.calledFrom().AddDate(0, 0, -1))
	return l.Day >= from && l.Amount >= smallest && l.Amount <= r.k.Batch.Total
}

// paired deducts each credit from debits before it. Credits that name an attempt are deducted,
// as a sum, from debits that name it, then from those that name several attempts or none. A
// credit without a name makes up for one debit of its amount, or of a larger one, less the named
// charges. The rest of a debit is a charge if at least half of the debit came back, or if it is
// at most half of the smallest payout. All charges are at most half of what went out.
func (r *release) paired(debits, credits []moneyLine) *Refusal {
	none := AttemptKey{}
	var out, charged Paise
	for _, list := range [][]moneyLine{debits, credits} {
		slices.SortStableFunc(list, func(a, b moneyLine) int { return a.Order(b.StatementLine) })
	}
	for _, d := range debits {
		out = out.PlusCapped(d.Amount)
	}
	least := slices.MinFunc(r.of, func(a, b *KnownAttempt) int { return cmp.Compare(a.Amount, b.Amount) }).Amount
	for _, of := range []func(d, c *moneyLine) bool{
		func(d, c *moneyLine) bool { return d.of == c.of },
		func(d, c *moneyLine) bool { return d.of == none },
	} {
		for i := range credits {
			for j := range debits {
				if c, d := &credits[i], &debits[j]; c.of != none && c.after(d) && of(d, c) {
					part := min(c.Amount, d.Amount)
					c.Amount, d.Amount = c.Amount-part, d.Amount-part
				}
			}
		}
	}
	debits = slices.DeleteFunc(debits, func(d moneyLine) bool { return d.Amount == 0 })
	for _, exact := range []bool{true, false} {
		debits = slices.DeleteFunc(debits, func(d moneyLine) bool {
			i := slices.IndexFunc(credits, func(c moneyLine) bool {
				less := d.Amount - c.Amount
				return c.of == none && c.after(&d) && (less == 0 || !exact && less > 0 && less <= r.Charges-charged)
			})
			if i < 0 {
				return false
			}
			charged += d.Amount - credits[i].Amount
			r.evidence.Credits = append(r.evidence.Credits, credits[i].Key())
			credits = slices.Delete(credits, i, i+1)
			return true
		})
	}
	debits = slices.DeleteFunc(debits, func(d moneyLine) bool {
		kept := d.Amount <= r.Charges-charged && (d.Amount < d.whole && d.Amount <= d.whole/2 || d.Amount <= least/2)
		if kept {
			charged += d.Amount
		}
		return kept
	})
	switch {
	case len(debits) > 0:
		d := debits[0]
		return refuse(RuleDebit, exitUnknown, "the statement has a debit of %s of %s (%s) that did not come back. A debit that is not payrun's is explained first: payrun statement explain %s --reason TEXT", d.Amount, d.Day, d.Ref, d.Ref)
	case charged != r.Charges, charged > out/2:
		return refuse(RuleCharges, exitUnknown, "%s was kept back by the statement, and %s was named", charged, r.Charges)
	}
	return nil
}

// unchanged is rule 6 for this person: the evidence is still what they saw.
func (r *release) unchanged() *Refusal {
	if r.Shown != "" && r.Shown != r.evidence.Digest() {
		return refuse(RuleChanged, exitUnknown, "what the bank shows changed while you decided; look again")
	}
	return nil
}

// twoPeople is rule 1: another person decided the same on the same evidence, at least Between
// and at most 72 hours ago. Otherwise this is the first decision.
func (r *release) twoPeople() *Refusal {
	roster := r.k.Users
	if err := roster.MayRelease(r.person); err != nil {
		return refuse(RuleSecondPerson, ExitPerson, "%v", err)
	}
	for _, p := range slices.Backward(WaitingReleases(r.k.Proposals, r.at)) {
		about := p.As == r.As && p.Of() == r.Of
		if !about || roster.MayRelease(p.Actor) != nil { // they were removed since, or lost the role
			continue
		}
		same := roster.Same(p.Actor, r.person)
		switch err := roster.SecondPerson(p.Actor, r.person); {
		case same && p.Evidence == r.evidence.JSON():
			return refuse(RuleSecondPerson, ExitPerson, "you said so at %s; another person has to say the same (payrun people add)", momentWords(p.At))
		case same: // the evidence changed, so they decide again
			continue
		case err != nil:
			return refuse(RuleSecondPerson, ExitPerson, "%v", err)
		case p.Evidence != r.evidence.JSON():
			return refuse(RuleChanged, exitUnknown, "the evidence changed since %s said so; they have to look again and say so once more", p.Actor).until(p.At.Add(SecondPersonWithin))
		}
		if until := p.At.Add(r.Waits.Between); r.at.Before(until) {
			return refuse(RuleBetween, exitUnknown, "the second person says so at least %s after the first", r.Waits.Between).until(until)
		}
		if said := r.Check.BankTime; !p.BankTime.IsZero() && said.Sub(p.BankTime) < r.Waits.Between {
			return refuse(RuleBetween, exitUnknown, "by the bank's clock the second person says so less than %s after the first", r.Waits.Between).until(r.at.Add(r.Waits.Between - said.Sub(p.BankTime)))
		}
		r.first = &p
		return nil
	}
	return nil
}

// WaitingReleases returns the decisions that wait for a second person: each person's last decision about
// a batch or an attempt, if it is neither carried out nor expired.
func WaitingReleases(all []ReleaseApproval, at time.Time) []ReleaseApproval {
	var list []ReleaseApproval
	for i, p := range all {
		over := slices.ContainsFunc(all[i+1:], func(l ReleaseApproval) bool {
			return l.BatchID == p.BatchID && l.Of() == p.Of() && (l.Carried || l.Actor == p.Actor)
		})
		if !p.Carried && !over && waitsForSecond(p.At, at) {
			list = append(list, p)
		}
	}
	return list
}

// lastChange returns when the bank last showed something new about the attempt.
func (a *KnownAttempt) lastChange() time.Time {
	if n := len(a.Observations); n > 0 {
		return a.Observations[n-1].At
	}
	return a.own().CalledAt
}

// lastSign returns the last activity of the attempt: its last call, the last change of its
// status, its last debit or possible debit, or the acceptance of an older copy.
func (a *KnownAttempt) lastSign() time.Time {
	own := a.own()
	last := later(own.CalledAt, a.lastChange())
	last = later(last, own.RestoredAt)
	for _, l := range own.Statement.all() {
		last = later(last, l.debitedAt())
	}
	return last
}

// debitedAt returns the end of the line's day; zero for a credit.
func (l StatementLine) debitedAt() time.Time {
	at, err := time.Parse(time.DateOnly, l.Day)
	if err != nil || !l.Debit {
		return time.Time{}
	}
	return at.AddDate(0, 0, 1)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// calledFrom returns the earliest time at which the last call may have been made, by our clock
// or the bank's. If the attempt became final before that, our clock was ahead, and that counts.
func (a *AttemptRecord) calledFrom() time.Time {
	from := a.CalledAt
	if !a.BankTime.IsZero() && (from.IsZero() || a.BankTime.Before(from)) {
		from = a.BankTime
	}
	if a.State.Final() && !a.UpdatedAt.IsZero() && a.UpdatedAt.Before(from) {
		from = a.UpdatedAt
	}
	return from
}

// ReleasedSince returns the start of the statement days that count for a release, and before a
// new submit of the batch's payouts: the earliest calledFrom of all their attempts, or the last
// event of an older copy that was accepted, if that is earlier.
func (k BatchRecord) ReleasedSince() time.Time {
	var since time.Time
	for _, a := range k.Attempts {
		for _, r := range a.Records {
			if at := r.calledFrom(); !at.IsZero() && (since.IsZero() || at.Before(since)) {
				since = at
			}
		}
	}
	if since.IsZero() {
		since = k.Batch.CreatedAt
	}
	if !k.RestoredSince.IsZero() && k.RestoredSince.Before(since) {
		since = k.RestoredSince // a lost ledger may have loaded the same sheet, and paid it
	}
	return since
}
