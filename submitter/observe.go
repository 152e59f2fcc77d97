package submitter

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// observe judges a read of a batch. Whatever it shows counts, also where it
// broke off; what it does not show concludes nothing.
func (e *Engine) observe(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, read ledger.StatusRead) (Result, error) {
	c := e.compare(ctx, b, attempts, read.Answer)
	if !read.Complete {
		c.brokeOff = read.Why
	}
	if c.misconfigured != nil {
		return Result{}, c.misconfigured
	}
	if c.aboutAnother() {
		return e.foreign(ctx, b, attempts, c)
	}
	if c.firstFailure(attempts) {
		return e.confirm(ctx, b, attempts, c)
	}
	return e.record(ctx, b, attempts, c)
}

// foreign records an answer that is about another debit account, or batch. What the
// bank holds so is never submitted; and where it moves although no submit of ours was
// taken, its payouts may be paid from there. One that names no account is not yet
// about another: the next may name it, and until then nothing is sent. That something
// moves is kept under whichever account, for the next answer may show nothing any more.
func (e *Engine) foreign(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, c echo) (Result, error) {
	step := ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Attention: ledger.StatusDiffers, Note: "the bank's status is not about this batch: " + c.why()}
	switch b.State {
	case ledger.BatchHeld, ledger.BatchSubmitUnknown:
		switch {
		case c.moving():
			step.Event = ledger.SeenMoving
			if c.ofAnother {
				step.Observed = c.allUnlike(attempts)
			}
		case c.ofAnother && b.State == ledger.BatchHeld:
			step.Event, step.Attention = ledger.EchoDiffers, ledger.EchoDiffered
		}
	case ledger.BatchQuarantined, ledger.BatchSetAside:
		switch {
		case c.moving():
			step.Event, step.Observed = ledger.SeenMoving, c.allUnlike(attempts)
		case b.State == ledger.BatchQuarantined: // for something like this, and what is to be done about it stays the same
			step.Note, step.Attention = b.Note, b.Attention
			c.oddities(b, &step)
		}
	case ledger.BatchAbandoned, ledger.BatchRefused:
		switch {
		case c.moving():
			step.Observed = c.allUnlike(attempts)
		case c.leftAlone(b):
			step.Note, step.Attention = b.Note, b.Attention
		}
	case ledger.BatchSubmitted, ledger.BatchSettled:
		step.Observed = c.paidAfterAll(attempts)
	}
	c.keepNumber(b, &step)
	outcome := OutcomeUnread
	if step.Event == ledger.EchoDiffers {
		outcome = OutcomeQuarantined
	}
	return e.noted(ctx, b, step, outcome, step.Note)
}

// firstFailure: a payout is failed for the first time, and only a second read
// makes it so.
func (c echo) firstFailure(attempts []ledger.Attempt) bool {
	return slices.ContainsFunc(attempts, func(at ledger.Attempt) bool {
		o, ok := c.seen[at.WireRef]
		return ok && ledger.Judge(at, o).FailedReads == 1
	})
}

// confirm records a first failure and reads a second time, poll.first later.
func (e *Engine) confirm(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, c echo) (Result, error) {
	r, err := e.record(ctx, b, attempts, c)
	if err != nil {
		return r, err
	}
	attempts, err = e.attempts(ctx, b.ID)
	if err != nil {
		return Result{}, err
	}
	if pause(ctx, e.set.PollFirst) != nil {
		return r, nil // recorded; the next run reads again
	}
	read, err := e.hear(attempts).ReadStatus(ctx, b.ID, len(attempts), ledger.Patient)
	if errors.Is(err, ledger.ErrUnauthorized) {
		return r, err
	}
	if err != nil || !read.Complete {
		return r, nil // the next poll reads again
	}
	again := e.compare(ctx, r.Batch, attempts, read.Answer)
	if again.aboutAnother() {
		return r, nil
	}
	return e.record(ctx, r.Batch, attempts, again)
}

// record writes what a read showed, and moves the batch when it tells that
// the bank acted on a submit, or that every payout is final.
func (e *Engine) record(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, c echo) (Result, error) {
	step := ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Note: b.Note, Attention: b.Attention}
	if c.whole() && (b.Attention == ledger.StatusDiffers || b.State == ledger.BatchSubmitUnknown && b.OtherNumber != "" && c.number(b) != nil) {
		step.Note, step.Attention = "", ledger.NeedsNothing // of the answer before; this one says itself whether it differs
	}
	switch b.State {
	case ledger.BatchHeld, ledger.BatchSubmitUnknown, ledger.BatchQuarantined, ledger.BatchSetAside:
		if c.moving() {
			step.Event, step.Note, step.Attention = ledger.SeenMoving, "", ledger.NeedsNothing
			if b.State != ledger.BatchSubmitUnknown {
				step.Note = "the bank shows it submitted, and payrun has no accepted submit on record"
			}
		}
		if step.Event == "" && (b.State == ledger.BatchHeld || b.State == ledger.BatchQuarantined) {
			c.oddities(b, &step)
		}
	case ledger.BatchSubmitted:
		if !b.Differed() || c.whole() {
			step.Note, step.Attention = "", ledger.NeedsNothing
		}
	}
	if !c.asShown() && b.State != ledger.BatchQuarantined && !c.leftAlone(b) {
		step.Note, step.Attention = "the bank's status differs from the batch: "+some(slices.Concat(c.differs, c.unread)), ledger.StatusDiffers
		if b.State == ledger.BatchHeld && step.Event == "" && len(c.differs) > 0 { // what cannot be read the next answer tells
			step.Event, step.Attention = ledger.EchoDiffers, ledger.EchoDiffered
		}
	}
	c.keepNumber(b, &step)
	switch {
	case b.State == ledger.BatchQuarantined && step.Event == ledger.SeenMoving:
		step.Observed = c.asPlanned(attempts)
	case b.State == ledger.BatchHeld && step.Event == "", b.State == ledger.BatchQuarantined:
		step.Shown = len(c.seen) > 0
	default:
		step.Observed = e.due(attempts, c.observed(attempts), step.At)
	}
	after := statesAfter(attempts, step.Observed)
	if b.State == ledger.BatchSubmitted && allFinal(after) {
		step.Event = ledger.AllFinal
		if c.asShown() && (b.OtherNumber == "" || step.OtherNumber != nil) { // each ended under this debit account, if not in one read
			step.Note, step.Attention = "", ledger.NeedsNothing
		}
	}
	if step.Event == "" && awaited(after) {
		e.overdue(b, &step)
	}
	r, err := e.noted(ctx, b, step, "", "")
	if err != nil {
		return r, err
	}
	if step.Event == ledger.SeenMoving && allFinal(after) {
		// All in one read: it is submitted now, and the same read settles it.
		settle := ledger.Step{BatchID: b.ID, From: ledger.BatchSubmitted, Event: ledger.AllFinal, At: e.set.Now(), Note: step.Note, Attention: step.Attention}
		outcome, message := summary(ledger.Batch{State: ledger.BatchSettled}, after, c)
		return e.concluded(ctx, settle, outcome, message)
	}
	r.Outcome, r.Message = summary(r.Batch, after, c)
	e.tell(b.ID, "%s", r.Message)
	return r, nil
}

// keepNumber records what the answer says of the number of the debit account. For another number of an
// earlier answer a person is asked until one shows the configured number. In a batch that stays quarantined
// nothing else changes, and nothing at all in one that is left alone.
func (c echo) keepNumber(b ledger.Batch, step *ledger.Step) {
	if c.leftAlone(b) {
		return
	}
	step.OtherNumber = c.number(b)
	if step.OtherNumber != nil || b.OtherNumber == "" || b.State == ledger.BatchQuarantined && step.Event == "" {
		return
	}
	if step.Attention == ledger.NeedsNothing {
		step.Attention = ledger.StatusDiffers
	}
	if words := notConfigured(b.OtherNumber, c.unnumbered); step.Attention == ledger.StatusDiffers && !strings.Contains(step.Note, words) {
		step.Note = strings.TrimPrefix(step.Note+"; "+words, "; ")
	}
}

// oddities notes that the bank shows a status which its interface does not list
// of a batch that was never submitted from here, or no longer does.
func (c echo) oddities(b ledger.Batch, step *ledger.Step) {
	kind := ledger.StatusUnlisted
	if b.State == ledger.BatchQuarantined {
		kind = ledger.EchoUnlisted
	}
	odd, is := c.unlisted()
	switch {
	case is:
		step.Attention = kind
		step.Note = fmt.Sprintf("the bank says %q of a payout that was never submitted from here, which its interface does not list; nothing is sent", odd)
	case b.Attention == kind && c.whole():
		step.Attention, step.Note = ledger.NeedsNothing, "the bank showed a status that its interface does not list, and no longer does"
	}
}

// leftAlone: the batch was abandoned and the bank has not touched it since; what the bank holds there
// no longer matters.
func (c echo) leftAlone(b ledger.Batch) bool {
	touched := func(o ledger.Observation) bool { return o.Status != ledger.StatusRequestInitiated }
	return (b.State == ledger.BatchAbandoned || b.State == ledger.BatchRefused) && !c.shows(touched)
}

// overdue flags a batch that a person has to look at because it waited too long.
func (e *Engine) overdue(b ledger.Batch, step *ledger.Step) {
	since := b.StateSince
	var limit time.Duration
	var asks ledger.Attention
	var what string
	switch b.State {
	case ledger.BatchSubmitted:
		limit, asks, what = e.set.OverdueAfter, ledger.Overdue, "overdue: submitted and not final"
	case ledger.BatchSubmitUnknown:
		limit, asks = e.set.OverdueAfter, ledger.SubmitOverdue
		what = "overdue: submitted without an answer, and the bank does not show it moving; ask the bank, then run payrun resolve"
	case ledger.BatchHeld:
		limit, asks = e.set.OTPWindow, ledger.OTPLate
		what = "held for OTP longer than otp.window: enter the OTP if it still works, or abandon the batch"
	}
	if limit <= 0 || waited(since, step.At) < limit {
		return
	}
	switch {
	case step.Attention == ledger.NeedsNothing:
		step.Attention, step.Note = asks, what
	case step.Attention == ledger.StatusDiffers && b.State == ledger.BatchSubmitUnknown: // what differs is to be decided with it
		step.Attention, step.Note = asks, what+"; "+step.Note
	}
}

// waited is how long ago a record was made, for what releases no payout. A record in the future was
// made by a clock that was set back since: no one has to wait until that time comes.
func waited(since, at time.Time) time.Duration { return at.Sub(since).Abs() }

// applyChange records a step, unless it says nothing at all: what of it is new
// is the step's own to tell.
func (e *Engine) applyChange(ctx context.Context, b ledger.Batch, step ledger.Step) error {
	if step.Event == "" && len(step.Observed) == 0 && step.Note == b.Note && step.Attention == b.Attention && (!step.Shown || b.Shown) &&
		(step.OtherNumber == nil || *step.OtherNumber == b.OtherNumber) {
		return nil
	}
	if err := e.apply(ctx, step); err != nil {
		return fmt.Errorf("batch %s: recording what the bank said: %w", b.ID, err)
	}
	return nil
}

// noted is applyChange, and reports the batch.
func (e *Engine) noted(ctx context.Context, b ledger.Batch, step ledger.Step, outcome, message string) (Result, error) {
	if err := e.applyChange(ctx, b, step); err != nil {
		return Result{}, err
	}
	return e.result(ctx, b.ID, outcome, message)
}

// failedAnew is why a payout waits for a second read that says failed once more.
const failedAnew = "the bank says failed; this machine's clock was set back since, so payrun waits for another second read"

// due leaves out what says failed again too soon: the second read that makes a
// payout failed comes at least poll.first after the first. A first one in the future was
// recorded by a clock that was set back since, and this read takes its place.
func (e *Engine) due(attempts []ledger.Attempt, observed []ledger.Observed, at time.Time) []ledger.Observed {
	once := map[ledger.AttemptKey]ledger.Attempt{}
	for _, a := range attempts {
		if a.FailedReads == 1 && at.Sub(a.UpdatedAt) < e.set.PollFirst {
			once[a.Key()] = a
		}
	}
	list := observed[:0]
	for _, o := range observed {
		a, early := once[ledger.AttemptKey{PayoutID: o.PayoutID, Number: o.Number}]
		switch {
		case !early || o.Status != ledger.StatusFailed, o.Verdict.State == ledger.PayoutReturned,
			o.Verdict.State == ledger.PayoutDisputed && a.State != ledger.PayoutDisputed:
		case a.UpdatedAt.After(at):
			anew := ledger.Verdict{State: a.State, FailedReads: 1, Reason: failedAnew, Dispute: a.Dispute, Was: a.Was, Unread: a.Unread}
			if a.Reason == failedAnew { // and once more: only what is new is recorded
				a.FailedReads = 0
				anew = ledger.Judge(a, o.Observation)
			}
			o.Verdict = anew
		default:
			continue
		}
		list = append(list, o)
	}
	return list
}

// statesAfter gives each payout's state once the observations are in.
func statesAfter(attempts []ledger.Attempt, observed []ledger.Observed) map[int64]ledger.PayoutState {
	after := make(map[int64]ledger.PayoutState, len(attempts))
	for _, at := range attempts {
		after[at.ID] = at.State
	}
	for _, o := range observed {
		after[o.PayoutID] = o.Verdict.State
	}
	return after
}

// awaited reports whether the bank has yet to end any payout: what is disputed people end.
func awaited(after map[int64]ledger.PayoutState) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(after)), ledger.PayoutState.Awaited)
}

func allFinal(after map[int64]ledger.PayoutState) bool {
	return !slices.ContainsFunc(slices.Collect(maps.Values(after)), func(s ledger.PayoutState) bool { return !s.Final() })
}

// waitsFor says what a held batch waits for: its OTP, or what its note asks of a person.
func waitsFor(b ledger.Batch) string {
	if b.Attention != ledger.NeedsNothing && b.Note != "" {
		return b.Note
	}
	return "awaiting OTP"
}

// summary is the result of a batch after a read.
func summary(b ledger.Batch, after map[int64]ledger.PayoutState, c echo) (outcome, message string) {
	switch b.State {
	case ledger.BatchHeld:
		return OutcomeHeld, waitsFor(b)
	case ledger.BatchQuarantined:
		return OutcomeQuarantined, b.Note
	case ledger.BatchRefused, ledger.BatchAbandoned, ledger.BatchSetAside:
		return string(b.State), b.Note
	case ledger.BatchSubmitUnknown:
		return OutcomeUnknown, "the bank does not show it moving yet; it is never sent again"
	}
	count := make(map[ledger.PayoutState]int)
	for _, state := range after {
		count[state]++
	}
	message = ledger.CountStates(count)
	if c.brokeOff != "" {
		message += "; the status broke off (" + c.brokeOff + ")"
	}
	if len(c.missing) > 0 {
		message += fmt.Sprintf("; the answer left out %d, of which nothing is concluded", len(c.missing))
	}
	if b.State == ledger.BatchSettled {
		return OutcomeSettled, message
	}
	return OutcomeOpen, message
}
