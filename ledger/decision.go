package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Decision is what people decide where neither the bank nor the ledger tells.
type Decision string

const (
	DecidedSubmitted     Decision = "submitted"      // a submit in doubt arrived; frees nothing
	DecidedNotSubmitted  Decision = "not-submitted"  // it never did, or what the bank holds is given up
	DecidedDisputed      Decision = "disputed"       // the bank never ends it; its payouts are disputed
	DecidedPaid          Decision = "paid"           // a disputed payout was paid
	DecidedNotPaid       Decision = "not-paid"       // it was not
	DecidedNewReferences Decision = "new-references" // payouts that the bank refuses for their references get others
)

// Decisions lists every decision.
var Decisions = [...]Decision{DecidedSubmitted, DecidedNotSubmitted, DecidedDisputed, DecidedPaid, DecidedNotPaid, DecidedNewReferences}

// OfPayout reports whether the decision is about one attempt and not a batch.
func (d Decision) OfPayout() bool { return d == DecidedPaid || d == DecidedNotPaid }

// Resolution is how people closed a dispute about an attempt.
type Resolution string

const (
	ResolutionNone    Resolution = ""
	ResolutionPaid    Resolution = "paid"
	ResolutionNotPaid Resolution = "not_paid" // as it was last observed
	ResolutionGone    Resolution = "gone"     // not paid, and the bank no longer knew it
)

// Deciding is one person's decision with what it rests on, gathered anew in the
// operation in which it is made.
type Deciding struct {
	As      Decision
	Of      AttemptKey // the attempt it is about; zero: the batch
	Reason  string
	Ticket  string // the bank's word in writing, as a person cites it; "" for none
	Look    Look   // the batch's status
	Books   *Books // nil: not to be had
	NoBooks string // why not
	Waits   Waits
	Watch   time.Duration // poll.success_watch
	// TwoPeople: the policy asks for two where the rules alone do not.
	TwoPeople bool
}

// Read is one answered status read of a batch whose submit is in doubt.
type Read struct {
	Run    time.Time // when its operation began: the reads of one are of one run
	At     time.Time
	SaidAt time.Time // by the bank's clock; zero where it did not say
	Answer LookAnswer
}

// readWords is what the audit trail says of a read.
func (r Read) words() string {
	said := "not given"
	if !r.SaidAt.IsZero() {
		said = fmt.Sprint(r.SaidAt.UnixMicro())
	}
	return fmt.Sprintf("%s at %d, run %d, the bank's clock %s", r.Answer, r.At.UnixMicro(), r.Run.UnixMicro(), said)
}

// stamp is a moment in the audit trail; "not given" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "not given"
	}
	return t.UTC().Format(time.RFC3339)
}

// counts reports whether a read, or a look, is an answer about a submit in doubt:
// whole and nothing beyond request_initiated; or not known in the bank's own word,
// which is no failure of it, and only of a bank that was seen not to list the
// batch while it was held.
func (l Look) answersDoubt(b Batch) bool {
	if _, moved := l.beyond(); moved {
		return false
	}
	switch l.Answer {
	case LookShown:
		return l.Complete
	case LookNotKnown:
		return l.Word.HTTPStatus < 500 && b.Listed == ListingNo
	}
	return false
}

// DoubtRead is the read that a look at a batch in doubt is; ok is false where it
// is no answer.
func DoubtRead(b Batch, l Look, run time.Time) (r Read, ok bool) {
	if b.State != BatchSubmitUnknown || !l.answersDoubt(b) {
		return r, false
	}
	return Read{Run: run, At: l.At, SaidAt: l.SaidAt, Answer: l.Answer}, true
}

// How many reads a decision needs, and in how many runs. No more are kept in each of so
// many parts of the waiting time: a trail does not grow with each look.
const (
	leastReads = 6
	leastRuns  = 3
	readParts  = 12
)

// adds reports whether a read is worth keeping beside those on record, which are the
// batch's, for a decision that waits so long.
func (r Read) adds(kept []Read, wait time.Duration) bool {
	n, runs := 0, map[int64]bool{}
	for _, k := range kept {
		if ago := r.At.Sub(k.At); ago >= 0 && ago < wait/readParts {
			n++
			runs[k.Run.UnixMicro()] = true
		}
	}
	return n < leastReads || len(runs) < leastRuns
}

// The rules of a decision, as a refusal names them.
const (
	RuleState        = "state"           // nothing of the kind can be decided about it
	RuleStatus       = "status"          // no fresh status, or one that forbids it
	RuleTime         = "time"            // too early, by our clock
	RuleBankTime     = "bank_time"       // too early, by the bank's clock, or it does not say
	RuleReads        = "reads"           // too few answered reads, or not spread
	RuleTicket       = "ticket"          // the bank's word in writing is needed
	RuleBetween      = "second_person"   // too soon after the first person
	RuleAlone        = "one_person"      // the only person on record, too soon
	RuleAloneWord    = "one_person_word" // the only person on record, with the bank's word alone
	RuleProposed     = "proposed"        // this person has said so; another one has to
	RuleNotShownPaid = "not_shown_paid"  // the status does not show it
	RuleReferences   = "references"      // its references are not the reason
)

// lastSubmit is the batch's last intent to submit.
func (k Known) lastSubmit() (Intent, bool) {
	for i := len(k.Intents) - 1; i >= 0; i-- {
		if k.Intents[i].Kind == CallSubmit {
			return k.Intents[i], true
		}
	}
	return Intent{}, false
}

// sought is what must not be in the books of the batch, since then.
func (k Known) sought(since, bookedBy time.Time) Sought {
	b := k.Batch
	s := Sought{BankAccountID: b.BankAccountID, Names: []string{b.ID, b.OpenBatchID}, Total: b.Total, Since: since, BookedBy: bookedBy}
	for _, a := range k.Attempts {
		s.add(a.Attempt)
		for _, e := range a.Earlier {
			s.Names, s.WireRefs = append(s.Names, e.WireRef, e.OpenTxnID), append(s.WireRefs, e.WireRef)
			s.Amounts = append(s.Amounts, e.Amount)
		}
	}
	return s
}

func (s *Sought) add(a Attempt) {
	s.Names = append(s.Names, a.Ref, a.WireRef, a.OpenTxnID, a.BankTxnRefID)
	s.WireRefs, s.Amounts = append(s.WireRefs, a.WireRef), append(s.Amounts, a.Amount)
}

// neverSubmitted holds the evidence that a submit in doubt never arrived
// (safety.md, "Setting aside", 2 to 4).
func (d *Deciding) neverSubmitted(k Known, at time.Time) error {
	b := k.Batch
	intent, ok := k.lastSubmit()
	if !ok || !intent.InDoubt() {
		return notYet(RuleState, "no submit of it is in doubt")
	}
	if !d.Look.answersDoubt(b) {
		return d.noStatus(b)
	}
	wordOnly := d.Books == nil
	if wordOnly && d.Ticket == "" {
		return d.noBooks()
	}
	wait := d.Waits.doubt(b.Refusal != "", wordOnly)
	if err := d.oldEnough(k, intent, wait, at); err != nil {
		return err
	}
	if err := enoughReads(k.Reads, at.Add(-wait), at); err != nil {
		return err
	}
	if wordOnly {
		return nil
	}
	if b.Differed() && d.Ticket == "" {
		return notYet(RuleTicket, "the bank's answers were not as planned, so that it may be paid from another account: it is set aside only on the bank's written word besides: --bank-ticket TEXT")
	}
	s := k.sought(intent.moved())
	s.Hidden, s.OtherShown = b.Listed != ListingYes, k.OtherShown
	return d.Books.NoDebitOf(s, d.Waits, at)
}

// noStatus says why the fresh status is not one to decide on.
func (d *Deciding) noStatus(b Batch) error {
	o, moved := d.Look.beyond()
	switch {
	case moved:
		return notYet(RuleStatus, "the bank shows %q as %q", o.WireRef, o.Status)
	case d.Look.Answer == LookShown:
		return notYet(RuleStatus, "the status could not be read to its end (%s)", d.Look.Why)
	case d.Look.Answer == LookNotKnown && d.Look.Word.HTTPStatus >= 500:
		return notYet(RuleStatus, "no status could be read: HTTP %d is no answer here", d.Look.Word.HTTPStatus)
	case d.Look.Answer == LookNotKnown && b.Listed == ListingYes:
		return notYet(RuleStatus, "the bank showed it when it was held, and does not now; that is no answer about where it stands")
	case d.Look.Answer == LookNotKnown:
		return notYet(RuleStatus, "the bank does not show it, and was not seen to hide batches that are held")
	}
	return notYet(RuleStatus, "no status could be read (%s)", d.Look.Why)
}

// noBooks says that there is neither a statement nor the bank's word.
func (d *Deciding) noBooks() error {
	why := d.NoBooks
	if why == "" {
		why = "none can be asked for here"
	}
	return notYet(RuleBooksMissing, "the statement is not to be had (%s); the bank's written word that it will not be carried out takes its place: --bank-ticket TEXT", why)
}

// oldEnough holds the age of a submit in doubt against the waiting time, by our
// clock and by the bank's: neither alone may decide about money.
func (d *Deciding) oldEnough(k Known, intent Intent, wait time.Duration, at time.Time) error {
	if until := intent.At.Add(wait); at.Before(until) {
		return notBefore(RuleTime, until, "the submit is less than %s old", wait)
	}
	began := intent.SaidAt
	for _, r := range k.Reads { // of a ledger that did not keep it: the first read since is later
		if began.IsZero() && !r.At.Before(intent.At) {
			began = r.SaidAt
		}
	}
	switch said := d.Look.SaidAt; {
	case said.IsZero() || began.IsZero():
		return notYet(RuleBankTime, "the bank's answers do not say what time it is there")
	case said.Sub(began) < wait:
		return notBefore(RuleBankTime, at.Add(wait-said.Sub(began)), "by the bank's own clock the submit is less than %s old", wait)
	}
	return nil
}

// enoughReads holds the answered reads since from: at least six in three runs, in
// each third of the time.
func enoughReads(reads []Read, from, at time.Time) error {
	runs := map[int64]bool{}
	var thirds [3]int
	n := 0
	for _, r := range reads {
		if r.At.Before(from) || r.At.After(at) {
			continue
		}
		n++
		runs[r.Run.UnixMicro()] = true
		third := 2
		if whole := at.Sub(from); whole > 0 {
			third = min(2, int(3*r.At.Sub(from)/whole))
		}
		thirds[third]++
	}
	switch {
	case n < leastReads:
		return notYet(RuleReads, "the bank answered %d status reads of it in the last %s, and %d are needed; run payrun poll now and then", n, at.Sub(from), leastReads)
	case len(runs) < leastRuns:
		return notYet(RuleReads, "its status was read in %d runs in the last %s, and %d are needed; run payrun poll now and then", len(runs), at.Sub(from), leastRuns)
	}
	for i, in := range thirds {
		if in == 0 {
			return notBefore(RuleReads, at.Add(at.Sub(from)/3), "the status reads are not spread over the last %s (none in part %d of 3); run payrun poll now and then", at.Sub(from), i+1)
		}
	}
	return nil
}

// waited holds the time since a moment on record, by our clock and by the bank's where it
// says: ours may have been set ahead since. What it was when the moment was recorded the
// bank's does not tell.
func (d *Deciding) waited(since time.Time, wait time.Duration, at time.Time, why string, about ...any) error {
	until := since.Add(wait)
	if at.Before(until) {
		return notBefore(RuleTime, until, why, about...)
	}
	if said := d.Look.SaidAt; !said.IsZero() && said.Before(until) {
		return notBefore(RuleBankTime, at.Add(until.Sub(said)), why+", by the bank's clock", about...)
	}
	return nil
}

// gone holds the evidence that a held batch expired at a bank that lists them, or
// that what the bank holds may be given up on its word.
func (d *Deciding) gone(k Known, at time.Time) error {
	b := k.Batch
	o, moved := d.Look.beyond()
	switch {
	case moved && Listed(o.Status):
		return d.noStatus(b)
	case moved && d.Ticket == "":
		return notYet(RuleTicket, "the bank shows %q as %q; it is given up only on the bank's written word: --bank-ticket TEXT", o.WireRef, o.Status)
	case moved:
		return d.waited(b.UpdatedAt, d.Waits.long(), at, "the bank has shown %q for less than %s", o.Status, d.Waits.long())
	case b.State == BatchHeld && b.Listed == ListingYes && d.Look.Answer == LookNotKnown && d.Look.Word.HTTPStatus < 500:
		if d.Books == nil && d.Ticket == "" {
			return d.noBooks()
		}
		if d.Books == nil {
			return nil
		}
		return d.Books.NoDebitOf(k.sought(k.heldSince()), d.Waits, at)
	case d.Look.Answer == LookUnanswered || d.Look.Answer == LookShown && !d.Look.Complete:
		return d.noStatus(b)
	}
	return notYet(RuleState, "nothing of it is in doubt; payrun abandon gives it up")
}

// notPaidSince holds the evidence, for a batch whose payouts a lost ledger may
// have paid, that it did not (safety.md, "After --accept-restored").
func (d *Deciding) notPaidSince(k Known, at time.Time) error {
	if o, moved := d.Look.beyond(); moved {
		return notYet(RuleStatus, "the bank shows %q as %q", o.WireRef, o.Status)
	}
	if d.Look.Answer == LookUnanswered || d.Look.Answer == LookShown && !d.Look.Complete {
		return d.noStatus(k.Batch)
	}
	if d.Books == nil && d.Ticket == "" {
		return d.noBooks()
	}
	if d.Books == nil {
		return d.waited(latest(k.RestoredAt, k.BeforeRestore), d.Waits.long(), at, "the older copy was accepted less than %s ago", d.Waits.long())
	}
	return d.Books.NoDebitOf(k.sought(k.BeforeRestore, k.RestoredAt), d.Waits, at)
}

// overdue holds that the bank has not ended a batch for too long, and that it has said
// so in writing. What it did end of it, and what is disputed already, is not asked
// about: it stays as it is.
func (d *Deciding) overdue(k Known, at time.Time) error {
	b := k.Batch
	awaited := map[string]bool{}
	for _, a := range k.Attempts {
		if a.State.Awaited() {
			awaited[a.WireRef] = true
		}
	}
	if len(awaited) == 0 {
		return notYet(RuleState, "each of its payouts has ended, or is disputed already")
	}
	for _, o := range d.Look.Payouts {
		if awaited[o.WireRef] && (o.Status == StatusSuccess || o.Status == StatusFailed || o.BankStatusCode == CodeReturned) {
			return notYet(RuleStatus, "the bank shows %q as %q", o.WireRef, o.Status)
		}
	}
	if until := b.StateSince.Add(d.Waits.Overdue); at.Before(until) {
		return notBefore(RuleTime, until, "it is %s for less than poll.overdue_after (%s)", b.State, d.Waits.Overdue)
	}
	if d.Ticket == "" {
		return notYet(RuleTicket, "a batch that the bank has not finished is called disputed only on its written word: --bank-ticket TEXT")
	}
	return nil
}

// closes holds the evidence that ends a dispute about an attempt, or that an old
// one which the bank no longer knows was still not paid (safety.md, last paragraph
// of "Setting aside", and 6), or that the debit of a failed one came back.
func (d *Deciding) closes(k Known, a KnownAttempt, at time.Time) (Resolution, error) {
	shown, there := Observation{}, false
	for _, o := range d.Look.Payouts {
		if o.WireRef == a.WireRef {
			shown, there = o, true
		}
	}
	s := k.about(a)
	if d.As == DecidedPaid {
		switch {
		case a.State != PayoutDisputed:
			return "", notYet(RuleState, "payout %q is %s, and not disputed", a.WireRef, a.State)
		case there && shown.HasAmount && shown.Amount != a.Amount:
			return "", notYet(RuleStatus, "the bank shows %q with %s, and the sheet said %s", a.WireRef, shown.Amount, a.Amount)
		case there && shown.Status == StatusSuccess && shown.BankStatusCode != CodeReturned:
			return ResolutionPaid, nil
		}
		return "", notYet(RuleNotShownPaid, "the bank's status does not show that %q was paid", a.WireRef)
	}
	if k.Batch.State == BatchSubmitUnknown {
		return "", notYet(RuleState, "the submit of %q's batch is in doubt: whether it was submitted is decided first, of the whole batch", a.WireRef)
	}
	old := a.State == PayoutFailed || a.State == PayoutReturned || a.Resolved == ResolutionNotPaid
	gone := !there && d.Look.Answer == LookNotKnown && d.Look.Word.HTTPStatus < 500
	if there && a.State == PayoutFailed && a.Resolved == ResolutionNone {
		return ResolutionNotPaid, d.cameBack(k, a, shown, s, at)
	}
	if a.State != PayoutDisputed {
		if !(old && gone) {
			return "", notYet(RuleState, "payout %q is %s, and not disputed", a.WireRef, a.State)
		}
		if err := d.waited(a.changedAt(at), d.Watch, at, "it changed less than poll.success_watch (%s) ago", d.Watch); err != nil {
			return "", err
		}
	}
	switch {
	case there && !(shown.Status == StatusFailed || shown.Status == StatusRequestInitiated || shown.BankStatusCode == CodeReturned):
		return "", notYet(RuleStatus, "the bank shows %q as %q", a.WireRef, shown.Status)
	case !there && !gone, d.Look.Answer == LookShown && !d.Look.Complete:
		return "", d.noStatus(k.Batch)
	case gone && a.State == PayoutDisputed && d.Ticket == "" && (k.Batch.Differed() || a.perhapsElsewhere()):
		return "", notYet(RuleTicket, "the bank's status was not as planned, or showed it moving, and the bank no longer knows the batch: it is closed only on its written word that %q was not paid: --bank-ticket TEXT", a.WireRef)
	}
	res := ResolutionNotPaid
	if gone {
		res = ResolutionGone
	}
	if d.Books == nil {
		if d.Ticket == "" && (gone || shown.Status == StatusRequestInitiated) {
			return "", d.noBooks()
		}
		return res, nil
	}
	if err := d.Books.sound(s, d.Waits, at); err != nil {
		return "", err
	}
	if d.Books.Debited(s) {
		return "", notYet(RuleBooksDebited, "the statement shows the debit of %q without its credit", a.WireRef)
	}
	if e, is := d.Books.perhaps(s); is && d.Ticket == "" && !(there && shown.BankStatusCode == CodeReturned) {
		return "", notYet(RuleBooksAmount, "the statement has a debit of %s of %s that may be that of %q, and carries no name: ask the bank; with its written word that it is not: --bank-ticket TEXT", e.Amount, day(e.At), a.WireRef)
	}
	return res, nil
}

// OtherThanPlanned begins the reason of a dispute about what an answer showed moving
// otherwise than it was planned. In a batch's note, OtherNumber begins that an answer
// showed another number of its debit account than is configured, and differedBefore what
// an earlier answer differed in, where something else is asked for by now.
const (
	OtherThanPlanned = "the bank acts on something else than was planned"
	OtherNumber      = "debit account has the number"
	differedBefore   = "an earlier answer differs: "
)

// Differed reports whether an answer about the batch was not as planned, and none since
// was: so it may be paid from an account whose statement nobody asks for.
func (b Batch) Differed() bool {
	return b.Attention == StatusDiffers || strings.Contains(b.Note, differedBefore) || strings.Contains(b.Note, OtherNumber)
}

// NoteAfter is a batch's note from now on, with what an answer differed in before: a
// decision, or the time that passes, takes nothing of it back.
func (b Batch) NoteAfter(note string) string {
	if !b.Differed() {
		return note
	}
	return note + "; " + EarlierAnswer(b.Note)
}

// EarlierAnswer is what a note says that an answer differed in, as that of an earlier one.
func EarlierAnswer(note string) string {
	if _, differed, is := strings.Cut(note, differedBefore); is {
		note = differed
	}
	return differedBefore + note
}

// perhapsElsewhere: the same of one disputed attempt, whatever was said of its batch
// since; or the bank was last seen to pay it.
func (a Attempt) perhapsElsewhere() bool {
	switch a.Status {
	case StatusPending, StatusInitiated, StatusSuccess:
		return true
	}
	return strings.HasPrefix(a.Reason, OtherThanPlanned)
}

// changedAt is when the attempt changed last. Our clock may have been back then: it was
// not before what was seen of the attempt earlier, but where that lies in the future.
func (a KnownAttempt) changedAt(now time.Time) time.Time {
	since := a.UpdatedAt
	for _, o := range a.Observations {
		if !o.At.After(now) {
			since = latest(since, o.At)
		}
	}
	return since
}

// about is what the books are asked of one attempt.
func (k Known) about(a KnownAttempt) Sought {
	since, booked := k.Batch.CreatedAt, k.Batch.CreatedAt
	if i, ok := k.lastSubmit(); ok {
		since, booked = i.moved()
	}
	s := Sought{BankAccountID: k.Batch.BankAccountID, Total: k.Batch.Total, Since: since, BookedBy: booked}
	s.Names = []string{a.WireRef, a.OpenTxnID, a.BankTxnRefID}
	s.WireRefs, s.Amounts = []string{a.WireRef}, []Paise{a.Amount}
	return s
}

// referencesBack is how far before the load a reference is looked for in the
// books: whoever sent it may have done so before. The interface gives statements
// of at most 30 days.
const referencesBack = 29 * 24 * time.Hour

// newNames holds the evidence that payouts which the bank refuses for their
// references were not paid under them (safety.md, rule N).
func (d *Deciding) newNames(k Known, at time.Time) error {
	b := k.Batch
	switch {
	case !k.Renamable():
		return notYet(RuleReferences, "only payouts of a batch that was refused, or given up in doubt, and that the bank has never shown, get new references; others keep what they have, or get one by payrun retry alone")
	case slices.ContainsFunc(k.Attempts, func(a KnownAttempt) bool { return !a.State.Retryable() || a.AliveElsewhere }):
		return notYet(RuleState, "a payout of it can still pay")
	}
	if o, moved := d.Look.beyond(); moved {
		return notYet(RuleStatus, "the bank shows %q as %q", o.WireRef, o.Status)
	}
	if d.Look.Answer != LookNotKnown {
		return d.noStatus(b)
	}
	if d.Books == nil {
		if d.Ticket == "" {
			return d.noBooks()
		}
		return nil
	}
	return d.Books.NoDebitOf(k.sought(b.CreatedAt.Add(-referencesBack), b.StateSince), d.Waits, at)
}

// rests words what a decision rests on, for whoever looks at it later.
func (d *Deciding) rests(k Known) string {
	var parts []string
	if d.Ticket != "" {
		parts = append(parts, "the bank's word: "+d.Ticket)
	}
	if d.Books != nil {
		parts = append(parts, d.Books.summary())
	}
	if n := len(k.Reads); n > 0 && d.As == DecidedNotSubmitted {
		parts = append(parts, fmt.Sprintf("%d reads since %s", n, stamp(k.Reads[0].At)))
	}
	if d.Look.Answer != "" {
		parts = append(parts, "status "+string(d.Look.Answer))
	}
	return strings.Join(parts, "; ")
}
