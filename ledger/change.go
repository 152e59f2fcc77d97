package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// BatchRecord is what the ledger has on a batch before a step.
type BatchRecord struct {
	Batch    Batch
	Attempts []KnownAttempt // all attempts of the batch, in order of their payouts
	Intents  []Intent       // all intents of the batch, oldest first
	Looks    []RecordedLook // all checks that were kept with the intents, in the same order
	Trail    TrailDigest    // what the audit trail says about the batch

	// Only a step that plans a call, or plans payouts again, needs these, and the payees of
	// Attempts.
	Broken []string      // what is wrong with the events of Trail or with the head of the chain, in words
	Before []BatchRecord // the batches of earlier attempts of its payouts, each as far as it is needed
	// LedgerID and SheetContent are the source of the ids of further batches.
	LedgerID, SheetContent string
	// Waiting is how many other batches of the debit account wait, or may wait, for their OTP.
	// Only an InitiateIntended with HeldAtMost needs it.
	Waiting int
	// Held are the batches that are held, or being initiated. Only an intent with ConfirmAbove
	// needs it.
	Held []Batch
	// ApprovalStatus says who approved it. Only an InitiateIntended needs it, and only if the
	// ledger's policy wants two people.
	ApprovalStatus ApprovalStatus

	// RestoredSince is the time of the newest event of the first older copy that was ever
	// accepted; zero for none. Only a SubmitIntended and a release need it.
	RestoredSince time.Time
	// RestoredAt is when an older copy was last accepted; zero for never. Only an
	// InitiateIntended needs it.
	RestoredAt time.Time
	// Only a release needs these.
	Proposals []ReleaseApproval // what people proposed for it, oldest first
	Users     Users             // identifies people
	Spent     []string          // StatementLine.Key of credits without a name that releases of the debit account used
}

// KnownAttempt is an attempt with what the bank said about it.
type KnownAttempt struct {
	Attempt
	Observations []NewObservation // all observations of it, oldest first; see See
	Seen         int              // the number of the last observation
	Last         Observation      // the last observation; the zero value if Seen is 0
	// Moved: an answer showed it beyond request_initiated, even if a later one did not.
	Moved bool
	// Records are all attempts of the payout, including this one, with what their locks depend
	// on. Only a SubmitIntended and a release need them.
	Records []AttemptRecord
	// RefShown: the bank has shown an earlier batch in which the payout had the same wire
	// reference, so the reference is used up. It is known only for a step that plans a call or
	// attempts.
	RefShown bool
}

// Earlier returns the records of the payout's attempts before this one.
func (a *KnownAttempt) Earlier() []AttemptRecord {
	i := slices.IndexFunc(a.Records, func(r AttemptRecord) bool { return r.Number >= a.Number })
	if i < 0 {
		return a.Records
	}
	return a.Records[:i]
}

// own returns the attempt's own record. If Records was not read, it has no statement evidence.
func (a *KnownAttempt) own() AttemptRecord {
	r, ok := First(a.Records, func(r AttemptRecord) bool { return r.Key() == a.Key() })
	if !ok {
		r.Attempt = a.Attempt
	}
	return r
}

// See adds the next observation.
func (a *KnownAttempt) See(o NewObservation) {
	a.Observations = append(a.Observations, o)
	a.Seen, a.Last = o.Seq, o.Observation
	a.Moved = a.Moved || o.Status != StatusRequestInitiated
}

// AttemptKey names an attempt.
type AttemptKey struct {
	PayoutID int64
	Number   int
}

// Compare orders attempts by payout and number.
func (k AttemptKey) Compare(o AttemptKey) int {
	return cmp.Or(cmp.Compare(k.PayoutID, o.PayoutID), k.Number-o.Number)
}

// Key returns the key of the attempt.
func (a Attempt) Key() AttemptKey { return AttemptKey{a.ID, a.Number} }

// Change is everything that one step does to the ledger. A store writes the whole change or
// nothing, and only while the batch is still in From.
type Change struct {
	From    BatchState
	Batch   Batch // after the step
	Nothing bool  // the step changes nothing: nothing is written

	Begins       *Intent          // a call that is about to be made
	Looks        []RecordedLook   // what the bank showed that allows the call
	Said         *ReleaseApproval // one person's part in a release
	Ends         *Intent          // the outcome of the open intent
	Observations []NewObservation
	Attempts     []AttemptChange // in the order in which they are written
	Event        Event           // without number and hash, which the chain adds
	Successor    *NewBatch       // planned in place of the abandoned batch
}

// NewObservation is an observation that shows something new. Fields that are not kept (names,
// account numbers) are empty.
type NewObservation struct {
	AttemptKey
	Seq int // counts up from 1 for each attempt
	At  time.Time
	Observation
}

// AttemptChange is an attempt after the step, and the state it must still have when the change
// is written.
type AttemptChange struct {
	From PayoutState
	Attempt
}

// Change returns what the step does to a ledger that contains k. It is pure, and the only place
// with these rules: stores read k, call Change, and write its result.
//
// ErrStale: the batch is not as it was shown (ExpectedVersion). ErrConflict: the batch is no
// longer in From, or the outcome has no open intent. ErrTransition: the event is not legal in
// this state, its outcome does not fit it, or a payout forbids it. ErrNotFound: an observation
// names an attempt that is not in the batch. ErrBusy: too many batches of the account wait for
// their OTP. ErrUnconfirmed: see Step.ConfirmAbove. ErrLook: the bank was not checked before a
// call, or showed something that forbids it. ErrTampered, only if NeedsComparison: the ledger
// does not match its audit trail.
func (s Step) Change(k BatchRecord) (Change, error) {
	if err := s.overtaken(k); err != nil {
		return Change{}, err
	}
	if k.Batch.State != s.From {
		return Change{}, fmt.Errorf("%w: the batch is %s, not %s", ErrConflict, k.Batch.State, s.From)
	}
	c := Change{From: s.From, Batch: k.Batch}
	if s.Release != nil {
		return s.release(k, c)
	}
	if s.Event.Released() {
		return Change{}, fmt.Errorf("%w: %s is a release of two people", ErrTransition, s.Event)
	}
	if s.Event != "" {
		to, err := s.From.Next(s.Event)
		if err != nil {
			return Change{}, err
		}
		c.Batch.State, c.Batch.StateSince = to, s.At
	}
	if s.Attention == Acknowledged && s.From != BatchRefused {
		return Change{}, fmt.Errorf("%w: only a refusal is dealt with, and the batch is %s", ErrTransition, s.From)
	}
	if s.NeedsComparison() {
		if err := k.VerifyDigests(); err != nil {
			return Change{}, err
		}
	}
	if err := s.call(k, &c); err != nil {
		return Change{}, err
	}
	attempts := k.ownAttempts()
	if s.Event == SeenMoving { // first, because the payouts of a quarantined batch were never held
		if err := s.changeAll(attempts, &c); err != nil {
			return Change{}, err
		}
	}
	states, err := s.observe(attempts, &c)
	if err != nil {
		return Change{}, err
	}
	if (s.Event == SeenMoving || s.Event == LateAnswer) && (s.From == BatchSetAside || s.From == BatchSubmitUnknown) {
		s.cameBack(attempts, &c)
	}
	if s.Event != SeenMoving {
		if err := s.changeAll(attempts, &c); err != nil {
			return Change{}, err
		}
	}
	if s.Event == AllFinal {
		if a, awaited := First(attempts, func(a KnownAttempt) bool { return !a.Over() }); awaited {
			return Change{}, fmt.Errorf("%w: payout %q is %s, which is not final", ErrTransition, a.Ref, a.State)
		}
	}
	s.mark(&c.Batch)
	if s.Event == "" && len(c.Observations) == 0 && c.Batch.Note == k.Batch.Note && c.Batch.Attention == k.Batch.Attention &&
		c.Batch.OpenBatchID == k.Batch.OpenBatchID && c.Batch.Shown == k.Batch.Shown && c.Batch.Listed == k.Batch.Listed && c.Batch.Refusal == k.Batch.Refusal &&
		c.Batch.OtherNumber == k.Batch.OtherNumber {
		return Change{From: s.From, Batch: k.Batch, Nothing: true}, nil
	}
	c.Event = s.event(k.Batch, states)
	if k.matchesTrail() { // else the new digest would cover up a row that was changed by other means
		c.Event.StateDigest = c.stateDigest(k, attempts)
	}
	if s.Successor {
		k.Batch.Shown = c.Batch.Shown // including what this step showed
		c.Successor, err = s.successor(k)
	}
	return c, err
}

// NeedsComparison reports whether the step needs the whole batch: it records a call, plans
// payouts again, or is a decision of people.
func (s Step) NeedsComparison() bool { return s.Event.Call() != "" || s.Successor || s.Release != nil }

// ownAttempts copies the attempts for a step to change, so that k stays unchanged.
func (k BatchRecord) ownAttempts() []KnownAttempt {
	attempts := slices.Clone(k.Attempts)
	for i := range attempts {
		attempts[i].Observations = slices.Clip(attempts[i].Observations)
	}
	return attempts
}

// stateDigest returns the digest of the batch's state after the change.
func (c *Change) stateDigest(k BatchRecord, attempts []KnownAttempt) string {
	after := BatchRecord{Batch: c.Batch, Attempts: attempts, Intents: slices.Clone(k.Intents), Looks: append(slices.Clip(k.Looks), c.Looks...)}
	if c.Begins != nil {
		after.Intents = append(after.Intents, *c.Begins)
	}
	if c.Ends != nil {
		after.Intents[len(after.Intents)-1] = *c.Ends
	}
	return after.StateDigest().String()
}

// call records the intent of a call before it is made, or the outcome of the open one.
func (s Step) call(k BatchRecord, c *Change) error {
	if kind := s.Event.Call(); kind != "" {
		if err := s.mayCall(kind, k); err != nil {
			return err
		}
		c.Begins, c.Looks = &Intent{Kind: kind, PayloadSHA256: s.PayloadSHA256, At: s.At}, recorded(s.Looks, k.Batch.ID, len(k.Intents)+1)
		c.Begins.BankTime = lookAt(s.Looks, k.Batch.ID).BankTime
		return nil
	}
	if s.Event == LateAnswer && s.Outcome != Accepted {
		return fmt.Errorf("%w: %s is an answer of a bank that accepted", ErrTransition, s.Event)
	}
	if s.Event == "" || !s.From.InProgress() {
		return nil
	}
	if len(k.Intents) == 0 || !k.Intents[len(k.Intents)-1].Open() {
		return fmt.Errorf("%w: the batch has no open intent", ErrConflict)
	}
	allowed := outcomes[s.Event]
	outcome := s.Outcome
	if outcome == "" && len(allowed) > 0 {
		outcome = allowed[0]
	}
	if !slices.Contains(allowed, outcome) {
		return fmt.Errorf("%w: %s cannot end with outcome %q", ErrTransition, s.Event, outcome)
	}
	ended := k.Intents[len(k.Intents)-1]
	ended.Outcome, ended.HTTPStatus, ended.Code, ended.Message, ended.EndedAt = outcome, s.HTTPStatus, s.Code, Clip(s.Message), s.At
	c.Ends = &ended
	return nil
}

// mayCall checks a planned call against the earlier calls. For the call that moves money it
// also checks every payout of the batch.
func (s Step) mayCall(kind CallKind, k BatchRecord) error {
	for _, i := range k.Intents {
		if i.Kind == kind && i.InDoubt() {
			return fmt.Errorf("%w: an earlier %s of the batch may have had an effect", ErrTransition, kind)
		}
	}
	if s.HeldAtMost > 0 && kind == CallInitiate && k.Waiting >= s.HeldAtMost {
		return fmt.Errorf("%w: %d of its debit account wait for an OTP, or may", ErrBusy, k.Waiting)
	}
	if err := cmp.Or(s.confirmed(k), k.approved(s, kind)); err != nil {
		return err
	}
	bank := lookAt(s.Looks, k.Batch.ID).BankTime
	if until := k.RestoredAt.Add(s.AfterRestore); kind == CallInitiate && s.AfterRestore > 0 && !k.RestoredAt.IsZero() &&
		(s.At.Before(until) || !bank.IsZero() && bank.Before(until)) {
		return &RestoredError{At: k.RestoredAt, Until: until}
	}
	if kind != CallSubmit {
		return FirstLook(k.Batch, s.Looks)
	}
	if err := k.locked(); err != nil {
		return err
	}
	for _, a := range k.Attempts {
		if a.State != PayoutRequestInitiated {
			return fmt.Errorf("%w: payout %q is not held", ErrTransition, a.Ref)
		}
	}
	return LastLook(k, s)
}

// confirmed returns ErrUnconfirmed if there are batches that the person did not confirm, and the
// total with them reaches ConfirmAbove. So two runs cannot each stay under the limit.
func (s Step) confirmed(k BatchRecord) error {
	if s.ConfirmAbove <= 0 {
		return nil
	}
	var total Paise
	for _, amount := range s.Confirmed {
		total += amount // the ledger holds these amounts: at most MostInAll
	}
	var more []string
	for _, b := range append([]Batch{k.Batch}, k.Held...) {
		if _, ok := s.Confirmed[b.ID]; !ok && !slices.Contains(more, b.ID) {
			more, total = append(more, b.ID), total+b.Total
		}
	}
	if len(more) > 0 && total >= s.ConfirmAbove {
		return fmt.Errorf("%w: %s with %s", ErrUnconfirmed, total, strings.Join(more, ", "))
	}
	return nil
}

// locked returns the locks of the batch's payouts that forbid its submit, as a
// *PayoutLockedError; nil if there are none.
func (k BatchRecord) locked() error {
	var locks []Lock
	for _, a := range k.Attempts {
		locks = append(locks, LocksAgainst(a.Records, a.Key())...)
	}
	if len(locks) == 0 {
		return nil
	}
	slices.SortStableFunc(locks, byGravity)
	return &PayoutLockedError{Locks: locks}
}

// CountStates returns in words how many payouts are in which state, in the order of the states:
// "3 paid, 1 pending".
func CountStates(n map[PayoutState]int) string {
	var parts []string
	for _, state := range PayoutStates {
		if c := n[state]; c > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c, strings.ToLower(state.Words())))
		}
	}
	return strings.Join(parts, ", ")
}

// observe records the observations that show something new, and moves their attempts as the
// verdicts say. It counts them by state.
func (s Step) observe(attempts []KnownAttempt, c *Change) (map[PayoutState]int, error) {
	if len(s.Observed) == 0 {
		return nil, nil
	}
	states := map[PayoutState]int{}
	byKey := make(map[AttemptKey]*KnownAttempt, len(attempts))
	for i := range attempts {
		byKey[attempts[i].Key()] = &attempts[i]
	}
	for _, o := range s.Observed {
		a := byKey[AttemptKey{o.PayoutID, o.Number}]
		if a == nil {
			return nil, fmt.Errorf("attempt %d of payout %d is not in the batch: %w", o.Number, o.PayoutID, ErrNotFound)
		}
		ends := a.State == PayoutDisputed && o.Verdict.State != PayoutDisputed
		if !a.State.MayBecome(o.Verdict.State) || ends && !a.Dispute.endsItself() {
			return nil, fmt.Errorf("%w: payout %q is %s and cannot become %q", ErrTransition, a.Ref, a.State, o.Verdict.State)
		}
		o.Error = Clip(o.Error)
		if a.Seen > 0 && a.Last.says() == o.says() && !a.moves(o.Verdict) {
			continue
		}
		states[o.Verdict.State]++
		from := a.State
		c.observed(a, o.says(), o.Verdict, s.At)
		c.moved(a, from)
	}
	return states, nil
}

// moved records an attempt that was in another state before, or only in another detail of it.
func (c *Change) moved(a *KnownAttempt, from PayoutState) {
	c.Attempts = append(c.Attempts, AttemptChange{From: from, Attempt: a.Attempt})
	if a.State == PayoutSuccess && from != PayoutSuccess && a.UpdatedAt.After(c.Batch.SuccessAt) {
		c.Batch.SuccessAt = a.UpdatedAt
	}
}

// says returns the part of an observation that is kept and decides whether it is new. It has no
// account numbers and no names.
func (o Observation) says() Observation {
	if !o.HasAmount {
		o.Amount = 0
	}
	return Observation{Status: o.Status, BankStatusCode: o.BankStatusCode, Amount: o.Amount, HasAmount: o.HasAmount,
		OpenTxnID: o.OpenTxnID, BankTxnRefID: o.BankTxnRefID, Error: o.Error, Unread: o.Unread}
}

// moves reports whether a verdict changes the attempt. The second read that confirms a failure
// has no new raw values, but it counts.
func (a *KnownAttempt) moves(v Verdict) bool {
	return v.State != a.State || v.Dispute != a.Dispute || v.Was != a.Was || v.Unread != a.Unread || v.FailedReads != a.FailedReads || v.Reason != a.Reason
}

// observed records an observation of an attempt, and updates the attempt by it. If an answer leaves out an id or UTR,
// the attempt keeps the earlier one.
func (c *Change) observed(a *KnownAttempt, o Observation, v Verdict, at time.Time) {
	a.See(NewObservation{AttemptKey: a.Key(), Seq: a.Seen + 1, At: at, Observation: o})
	c.Observations = append(c.Observations, a.Observations[len(a.Observations)-1])
	a.Status, a.BankStatusCode = o.Status, o.BankStatusCode
	a.OpenTxnID, a.BankTxnRefID = cmp.Or(o.OpenTxnID, a.OpenTxnID), cmp.Or(o.BankTxnRefID, a.BankTxnRefID)
	a.State, a.FailedReads, a.Reason, a.UpdatedAt = v.State, v.FailedReads, v.Reason, at
	a.Dispute, a.Was, a.Unread = v.Dispute, v.Was, v.Unread
}

// changeAll moves the attempts of the batch to the state that the event gives to all of them
// (PayoutsBecome). It does not hide a dispute: a disputed payout is cancelled only in a batch
// that was never submitted, and only if no answer ever showed it moving. If the bank works on a
// payout, or paid it, the batch cannot be cancelled: ErrTransition.
func (s Step) changeAll(attempts []KnownAttempt, c *Change) error {
	to := s.Event.PayoutsBecome()
	if to == "" {
		return nil
	}
	if to == PayoutCancelled {
		moving := 0
		for i := range attempts {
			switch attempts[i].State {
			case PayoutPending, PayoutInitiated, PayoutSuccess:
				moving++
			}
		}
		if moving > 0 {
			return fmt.Errorf("%w: %s, but %d of its payouts moved at the bank", ErrTransition, s.Event, moving)
		}
	}
	for i := range attempts {
		if a := &attempts[i]; a.goesWith(to) {
			a.Dispute = ""
			s.becomes(a, to, a.Reason, c)
		}
	}
	return nil
}

// cameBack disputes the released payouts of a batch that moves at the bank: its submit arrived
// after all, so each of them may be paid. That locks their later attempts.
func (s Step) cameBack(attempts []KnownAttempt, c *Change) {
	for i := range attempts {
		if a := &attempts[i]; a.State == PayoutCancelled {
			a.Dispute = DisputeMoved
			s.becomes(a, PayoutDisputed, "it was released, and the bank shows its batch moving", c)
		}
	}
}

// goesWith reports whether the attempt takes the state that an event gives to the whole batch.
func (a *KnownAttempt) goesWith(to PayoutState) bool {
	switch a.State {
	case PayoutPlanned:
		return true
	case PayoutRequestInitiated:
		return to == PayoutCancelled
	case PayoutDisputed:
		return to == PayoutCancelled && !a.Moved
	}
	return false
}

// mark sets the batch's notes, flags and times from the step.
func (s Step) mark(b *Batch) {
	b.Note, b.Attention = s.Note, s.Attention
	b.changed(s.At)
	b.Shown = b.Shown || s.Shown || len(s.Observed) > 0 || s.Event.shows()
	if s.Event == SubmitIntended { // a crash may have lost the listing that was read after the batch was held
		s.Listed = lookAt(s.Looks, b.ID).Listing()
	}
	b.Listed = cmp.Or(s.Listed, b.Listed)
	if s.Event.Call() != "" {
		b.Refusal = "" // it belonged to the previous call
	}
	b.Refusal = cmp.Or(Clip(s.Refusal), b.Refusal)
	switch {
	case s.OtherNumber != nil:
		b.OtherNumber = Clip(*s.OtherNumber)
	case s.Person != "":
		b.OtherNumber = ""
	}
	b.OpenBatchID = cmp.Or(b.OpenBatchID, s.OpenBatchID)
	if s.Event == "" {
		return
	}
	if b.State == BatchHeld && b.HeldAt.IsZero() {
		b.HeldAt = s.At
	}
	if b.State == BatchSubmitted && b.SubmittedAt.IsZero() {
		b.SubmittedAt = s.At
	}
	if s.Event == SubmitRejected {
		b.OTPTries++
	}
}

// changed records when the batch last changed, which decides how long it is watched. A clock
// that was set back does not make that time earlier.
func (b *Batch) changed(at time.Time) {
	if at.Before(b.UpdatedAt) {
		at = b.UpdatedAt.Add(time.Microsecond)
	}
	b.UpdatedAt = at
}

// successor plans the batch's payouts again, under a new batch id.
func (s Step) successor(k BatchRecord) (*NewBatch, error) {
	old := k.Batch
	switch {
	case s.Event != DoubtExpired:
		return nil, fmt.Errorf("%w: only doubt that expired plans payouts again by itself", ErrTransition)
	case !KeepsRef(old):
		return nil, fmt.Errorf("%w: the bank has shown the batch", ErrTransition)
	}
	planned := PlannedBatch{BankAccountID: old.BankAccountID, PartnerBankID: old.PartnerBankID, Kind: old.Kind, SubMerchantID: old.SubMerchantID,
		TransactionTypeID: old.TransactionTypeID, BeneLEI: old.BeneLEI, Total: old.Total,
		Reason: "planned again for batch " + old.ID + ", whose initiate was never answered"}
	var attempts []Attempt
	var refs []string
	for i, a := range k.Attempts {
		if a.RefShown {
			return nil, fmt.Errorf("%w: the bank has shown %q in an earlier batch: it is used up", ErrTransition, a.WireRef)
		}
		attempts, refs, planned.Members = append(attempts, a.Attempt), append(refs, a.WireRef), append(planned.Members, int32(i))
	}
	plan := SheetPlan{LedgerID: k.LedgerID, SheetID: old.SheetID, Content: k.SheetContent, Actor: s.Actor, At: s.At, PlannedWith: cmp.Or(old.PlannedWith, old.ID)}
	return &plan.Again(attempts, refs, []PlannedBatch{planned}, map[string]Batch{old.ID: old})[0], nil
}

// event returns the audit event of the step. It has the texts of the bank and of people, and
// never an account number.
func (s Step) event(b Batch, observed map[PayoutState]int) Event {
	e := Event{At: s.At, Actor: s.Actor, Kind: string(s.Event), SheetID: b.SheetID, BatchID: b.ID}
	switch {
	case s.Event == "" && s.Attention == Acknowledged && b.Attention != Acknowledged:
		e.Kind = EventDealtWith
	case s.Event == "":
		e.Kind = EventObserved
	}
	note := batchNote{Payload: s.PayloadSHA256, Outcome: s.Outcome, HTTP: s.HTTPStatus, Code: s.Code, Looked: lookWords(s.Looks), Observed: observed, Person: s.Person}
	if s.Note != b.Note {
		note.Note = s.Note
	}
	if s.Attention != Acknowledged {
		note.Attention = s.Attention
	}
	e.Detail = note.text()
	return e
}

// Recovery returns the step for a batch that a crash left between intent and outcome. Anything
// may have happened, so the call is in doubt. It returns false for any other batch.
func (b Batch) Recovery(actor string, at time.Time) (Step, bool) {
	s := Step{BatchID: b.ID, Actor: actor, From: b.State, At: at, Attention: b.Attention, Outcome: Unknown}
	switch b.State {
	case BatchInitiating:
		s.Event, s.Note = InitiateLost, "the program stopped before the bank's answer to initiate was recorded"
	case BatchSubmitting:
		s.Event, s.Note = SubmitLost, "the program stopped before the bank's answer to submit was recorded"
	default:
		return Step{}, false
	}
	return s, true
}
