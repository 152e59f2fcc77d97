package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// NotFoundReply is how one bank says that it does not know a batch: a 200 without payouts, or a
// failure envelope with this HTTP status and code. The interface does not show it, so payrun
// requests an id that was certainly never sent. The class of that answer is the bank's "not
// known" (safety.md, "Checks at the bank before money moves").
type NotFoundReply struct {
	HTTPStatus int    `json:"http_status"` // 0: not learned yet
	Code       string `json:"code"`        // "" for a 200 without payouts
}

// LookAnswer is the class of the answer to a check.
type LookAnswer string

const (
	// LookUnanswered: no answer, or one that is neither payouts nor the bank's "not known". It
	// allows no call.
	LookUnanswered LookAnswer = "unanswered"
	// LookNotKnown: the bank's own "not known".
	LookNotKnown LookAnswer = "not_known"
	// LookShown: the answer shows payouts, also if the read broke off.
	LookShown LookAnswer = "shown"
)

// StatusCheck is one request to the bank for the status of one batch id. It is made in the same
// operation as the call that it allows or forbids, and kept with the intent of that call.
type StatusCheck struct {
	BatchID       string // the id in the request; not always one of this ledger's
	At            time.Time
	BankTime      time.Time // by the bank's clock (interface.md, meta.timestamp); zero if it gave none
	Answer        LookAnswer
	NotFoundReply NotFoundReply // the bank's, if it does not know the batch
	Closed        bool          // the pages closed properly, and all fields that are compared could be read
	Complete      bool          // for shown payouts: closed, and every payout was there
	Payouts       []Observation // the shown payouts
	Why           string        // for people: why it is unanswered or incomplete
}

// Beyond returns the first payout that is shown beyond request_initiated, with a listed status or
// not. A status that cannot be read does not count: it makes the check incomplete.
func (l StatusCheck) Beyond() (Observation, bool) {
	return First(l.Payouts, func(o Observation) bool { return o.Status != StatusRequestInitiated && o.Unread&FieldStatus == 0 })
}

// of returns the shown payout with a wire reference.
func (l StatusCheck) of(wireRef string) (Observation, bool) {
	return First(l.Payouts, func(o Observation) bool { return o.WireRef == wireRef })
}

// Listing says whether the bank shows a batch before it is submitted, which the interface does
// not say. payrun sees it right after the batch was held, and at the last check before its submit.
type Listing string

const (
	ListingUnasked Listing = ""    // not checked, or not answered
	ListingYes     Listing = "yes" // it was shown
	ListingNo      Listing = "no"  // the bank's own "not known"
)

// Listing returns the Listing that a check of a held batch shows.
func (l StatusCheck) Listing() Listing {
	return map[LookAnswer]Listing{LookShown: ListingYes, LookNotKnown: ListingNo}[l.Answer]
}

// LookError says why a call is not made: the check at the bank forbids it, or is missing.
// errors.Is(err, ErrLook).
type LookError struct {
	BatchID    string // the id in the request
	Why        string // what was seen, or is missing
	Do         string // what a person does next, in sentences; "" if only a new check can help
	Unanswered bool   // a new check may help; otherwise the bank showed something that forbids the call
}

func (e *LookError) Error() string {
	return fmt.Sprintf("%v: batch %s: %s", ErrLook, e.BatchID, e.Words())
}

// Words describes the reason, and what to do next.
func (e *LookError) Words() string { return strings.TrimSuffix(e.Why+". "+e.Do, ". ") }

func (e *LookError) Unwrap() error { return ErrLook }

func unanswered(id, format string, args ...any) error {
	return &LookError{BatchID: id, Why: fmt.Sprintf(format, args...), Unanswered: true}
}

func forbidden(id, do, format string, args ...any) error {
	return &LookError{BatchID: id, Do: do, Why: fmt.Sprintf(format, args...)}
}

// RestoredError: nothing is initiated until Until, because an older copy of the ledger was
// accepted At. Events that the copy lost may have paid a sheet that is loaded now, and the
// bank's status and statement need time to show it.
type RestoredError struct{ At, Until time.Time }

func (e *RestoredError) Error() string { return e.In(nil) }

// In returns the text with times in a zone; nil is the zone of the banks.
func (e *RestoredError) In(zone *time.Location) string {
	zone = cmp.Or(zone, bankZone)
	const minutes = "2006-01-02 15:04"
	return fmt.Sprintf("an older copy of the ledger was accepted on %s; nothing is initiated until %s, so that the bank can show what a newer ledger sent",
		e.At.In(zone).Format(minutes), e.Until.In(zone).Format(minutes))
}

// Texts for LookError.Do.
const (
	doFindCopy = "Find the copy of this ledger and stop it. Ask the bank which of the two batches it pays; give this one up where it is the other."
	doGiveUp   = "If that stays so, abandon the batch and retry its payouts."
	doAskBank  = "It was submitted elsewhere, or the bank gave a status that its interface does not list. Ask the bank about it. Each poll asks for its status again."
)

// doAskPaid returns the text for LookError.Do if an earlier attempt may have paid.
func doAskPaid(wireRef string) string {
	return fmt.Sprintf("It may have been paid: ask the bank about %q. If it was, give this batch up; if it was not, two people release it: %s",
		wireRef, releasePayout.Command(wireRef))
}

// FirstLook decides whether a planned batch may be initiated: the bank must not know its id. If
// it does, a copy of this ledger sent it (safety.md, "Before an initiate").
func FirstLook(b Batch, looks []StatusCheck) error {
	l := lookAt(looks, b.ID)
	switch l.Answer {
	case LookNotKnown:
		return nil
	case LookShown:
		return forbidden(b.ID, doFindCopy, "the bank has it already: it was sent from another copy of this ledger")
	}
	return unanswered(b.ID, "no answer that says whether the bank has it already (%s)", l.Why)
}

// LastLook decides, immediately before the intent of a submit, whether it may be recorded. It
// checks what the bank shows of this batch and of every earlier batch of its payouts, the
// statements of StatementsAsked, and the ids of CopiesAsked (safety.md, "Checks at the bank
// before money moves").
func LastLook(k BatchRecord, s Step) error {
	if err := ownLook(k.Batch, s.Looks); err != nil {
		return err
	}
	for _, a := range k.Attempts {
		for _, e := range a.Earlier() {
			if err := earlierLook(e, s.Looks); err != nil {
				return err
			}
		}
	}
	for _, account := range k.StatementsAsked(s.Looks, s.OTPWindow, s.At) {
		if f := s.Statements[account]; f != StatementFromBank && f != StatementOnRecord {
			return unanswered(k.Batch.ID, "the bank's statement of its debit account could not be read")
		}
	}
	for _, id := range k.CopiesAsked(s.Looks, s.OTPWindow, s.At, s.DebitAccounts) {
		switch l := lookAt(s.Looks, id); l.Answer {
		case LookNotKnown:
		case LookShown:
			return forbidden(id, doFindCopy, "a copy of this ledger sent the same payouts under this id")
		default:
			return unanswered(id, "it could come from a copy of this ledger, and the bank gave no answer about it (%s)", l.Why)
		}
	}
	return nil
}

// StatementsAsked returns the debit accounts whose statement must be read before a submit: those
// of all attempts of each payout that has more than one. If an older copy of the ledger was ever
// accepted, or the batch was held for long (HeldLong) and may have been sent elsewhere since,
// those of every payout (safety.md, "Checks at the bank", 4).
func (k BatchRecord) StatementsAsked(looks []StatusCheck, window time.Duration, at time.Time) []string {
	always := !k.RestoredSince.IsZero() || k.HeldLong(looks, window, at)
	var accounts []string
	for _, a := range k.Attempts {
		for _, r := range a.Records {
			if (always || len(a.Records) > 1) && !slices.Contains(accounts, r.Batch.BankAccountID) {
				accounts = append(accounts, r.Batch.BankAccountID)
			}
		}
	}
	return accounts
}

// HeldLong reports whether the batch has been held for longer than window (0: never). Then a
// copy of this ledger may have planned and sent its payouts again. It is true if either our
// clock or the bank's says so, because ours may have been set back meanwhile.
func (k BatchRecord) HeldLong(looks []StatusCheck, window time.Duration, at time.Time) bool {
	if window <= 0 {
		return false
	}
	if held := at.Sub(k.Batch.HeldSince()); held > window || held < 0 {
		return true
	}
	var asked, now time.Time
	for _, i := range k.Intents {
		if i.Kind == CallInitiate {
			asked = i.BankTime
		}
	}
	for _, l := range looks {
		now = later(now, l.BankTime)
	}
	return !asked.IsZero() && now.Sub(asked) > window
}

// HeldSince returns when the batch was first held; a rejected OTP does not change it. If that is
// not recorded, it returns when the batch entered its state.
func (b Batch) HeldSince() time.Time {
	if b.HeldAt.IsZero() {
		return b.StateSince
	}
	return b.HeldAt
}

func ownLook(b Batch, looks []StatusCheck) error {
	l := lookAt(looks, b.ID)
	if l.Answer == LookUnanswered {
		return unanswered(b.ID, "no answer that gives its state at the bank (%s)", l.Why)
	}
	if l.Answer == LookNotKnown {
		if b.Listed == ListingYes {
			return unanswered(b.ID, "the bank showed it when it was held, and does not now. "+doGiveUp)
		}
		return nil
	}
	if o, beyond := l.Beyond(); beyond {
		return forbidden(b.ID, doAskBank, "the bank shows %q as %q", o.WireRef, o.Status)
	}
	switch {
	case l.Closed && !l.Complete:
		return unanswered(b.ID, "its status is not whole: %s. "+doGiveUp, l.Why)
	case !l.Complete:
		return unanswered(b.ID, "its status could not be read to its end (%s)", l.Why)
	}
	return nil
}

// earlierLook checks that the bank shows an earlier attempt as the ledger has it; otherwise it may
// have paid meanwhile. It must show a released attempt exactly as the two people saw it.
func earlierLook(e AttemptRecord, looks []StatusCheck) error {
	l := lookAt(looks, e.BatchID)
	if l.Answer == LookUnanswered {
		return unanswered(e.BatchID, "no answer about the earlier attempt %q (%s)", e.WireRef, l.Why)
	}
	o, there := l.of(e.WireRef)
	if !there {
		return earlierNotShown(e, l)
	}
	same := false
	switch {
	case e.Resolved == ResolutionGone:
	case e.Resolved == ResolutionNotPaid:
		same = e.asReleased(o)
	case e.State == PayoutCancelled:
		same = o.Status == StatusRequestInitiated
	case e.State == PayoutFailed:
		same = o.Status == StatusFailed
	case e.State == PayoutReturned:
		same = o.BankStatusCode == CodeReturned
	}
	switch {
	case !same:
		return forbidden(e.BatchID, doAskPaid(e.WireRef), "the earlier attempt %q is %s here, and the bank says %q", e.WireRef, e.State, o.Status)
	case !l.Closed: // a part of an answer is not enough
		return unanswered(e.BatchID, "its status could not be read to its end (%s)", l.Why)
	}
	return nil
}

// earlierNotShown checks an answer without the attempt. It is enough if the attempt was abandoned,
// or if the bank did not show it when it was released.
func earlierNotShown(e AttemptRecord, l StatusCheck) error {
	switch {
	case e.Resolved == ResolutionNotPaid:
		return unanswered(e.BatchID, "the earlier attempt %q was released, and the bank no longer shows it", e.WireRef)
	case e.State == PayoutCancelled && (l.Answer == LookNotKnown || l.Closed): // or its batch is there without it
		return nil
	}
	return unanswered(e.BatchID, "the bank does not show the earlier attempt %q, which %s", e.WireRef, e.State)
}

// lookAt returns the check of a batch id. An id that was not asked for is unanswered.
func lookAt(looks []StatusCheck, batchID string) StatusCheck {
	l, ok := First(looks, func(l StatusCheck) bool { return l.BatchID == batchID })
	if !ok {
		return StatusCheck{Answer: LookUnanswered, Why: "not asked"}
	}
	return l
}

// CopiesAsked returns the ids of a possible copy of this ledger to check before a submit: always
// MovedIDs; also CopyIDs if the batch was held for long, or an older copy was ever accepted. If it
// was held for long, a copy may have corrected its debit account: then also the ids at accounts.
func (k BatchRecord) CopiesAsked(looks []StatusCheck, window time.Duration, at time.Time, accounts []string) []string {
	ids, late := k.MovedIDs(), k.HeldLong(looks, window, at)
	if late || !k.RestoredSince.IsZero() {
		ids = append(ids, k.CopyIDs()...)
	}
	for _, account := range accounts {
		if late {
			ids = k.derived(ids, account)
		}
	}
	return ids
}

// attemptsAhead is how many attempts a copy may have planned since.
const attemptsAhead = 2

// CopyIDs returns the ids that a copy of this ledger would have derived for the batch's payouts:
// for this attempt and the next two, with every reference that each may have. The batch's own id
// is not among them.
func (k BatchRecord) CopyIDs() []string {
	return k.derived(nil, k.Batch.BankAccountID)
}

// MovedIDs returns the ids that a copy of this ledger would have derived if this ledger corrected
// the debit account of payouts, and the copy planned them again for the old account: the same
// attempt there, and the next two. The check of the batch's own id before its initiate does not
// cover these.
func (k BatchRecord) MovedIDs() []string {
	var ids []string
	asked := []string{k.Batch.BankAccountID}
	for _, a := range k.Attempts {
		for _, e := range a.Earlier() {
			account := e.Batch.BankAccountID
			if slices.Contains(asked, account) {
				continue
			}
			asked, ids = append(asked, account), k.derived(ids, account)
		}
	}
	return ids
}

// derived adds the ids of the batch's payouts at a debit account, for this attempt and the next ones.
func (k BatchRecord) derived(ids []string, bankAccountID string) []string {
	own, last := make([]string, len(k.Attempts)), 1
	for i, a := range k.Attempts {
		own[i], last = a.WireRef, max(last, a.Number)
	}
	add := func(refs []string, ahead int) {
		id := BatchID(k.LedgerID, k.SheetContent, bankAccountID, k.Batch.Sequence, k.Batch.Attempt+ahead, refs)
		itself := ahead == 0 && bankAccountID == k.Batch.BankAccountID && slices.Equal(refs, own)
		if !itself && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for ahead := range attemptsAhead + 1 {
		add(own, ahead)
		for named := range last + ahead { // the last attempt that needed a reference of its own
			add(ListOf(k.Attempts, func(a KnownAttempt) string { return WireRef(a.Ref, min(named+1, a.Number+ahead)) }), ahead)
		}
	}
	return ids
}

// ProbeID returns an id that this ledger certainly never sends. A request for it shows how the
// bank says that it does not know a batch.
func ProbeID(ledgerID string) string {
	return "pr" + derive(26, "probe", ledgerID)
}

// lookWords returns the text of checks in the audit trail: the ids in the requests, and how the
// bank answered.
func lookWords(looks []StatusCheck) string {
	var parts []string
	for _, l := range looks {
		words := string(l.Answer)
		if l.Answer == LookNotKnown {
			words = "not known (" + strings.TrimSpace(fmt.Sprintf("HTTP %d %s", l.NotFoundReply.HTTPStatus, l.NotFoundReply.Code)) + ")"
		}
		parts = append(parts, l.BatchID+" "+words)
	}
	return strings.Join(parts, ", ")
}
