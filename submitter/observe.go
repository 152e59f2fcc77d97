package submitter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// observe judges a read of a batch. Everything that it shows counts, even if the read broke off. Nothing
// follows from what it does not show.
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

// foreign records an answer about another debit account or another batch. Such a batch is never submitted. If
// it moves without an accepted submit of ours, its payouts may be paid from that account. An answer without an
// account is not yet about another: the next one may name it, and nothing is sent until then. Movement is
// recorded under any account, because the next answer may show nothing.
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
		case b.State == ledger.BatchQuarantined: // for a similar reason, and its attention stays the same
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

// firstFailure: a payout is shown failed for the first time. Only a second read makes it failed.
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

// record writes what a read showed. It moves the batch if the read shows that the bank acted on a submit, or
// that every payout is final.
func (e *Engine) record(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, c echo) (Result, error) {
	step := ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Note: b.Note, Attention: b.Attention}
	if c.whole() && (b.Attention == ledger.StatusDiffers || b.State == ledger.BatchSubmitUnknown && b.OtherNumber != "" && c.number(b) != nil) {
		step.Note, step.Attention = "", ledger.NeedsNothing // of an earlier answer; this one is judged by itself
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
		if _, is := c.unlisted(); is && step.Event == "" && b.State == ledger.BatchHeld && b.Attention == ledger.StatusUnlisted && waited(b.UpdatedAt, step.At) >= e.set.DoubtQuiet {
			step.Event, step.Attention = ledger.EchoDiffers, ledger.EchoUnlisted // it stays, as a status for an expired OTP
		}
	case ledger.BatchSubmitted:
		if !b.Differed() || c.whole() {
			step.Note, step.Attention = "", ledger.NeedsNothing
		}
	}
	if !c.asShown() && b.State != ledger.BatchQuarantined && !c.leftAlone(b) {
		step.Note, step.Attention = "the bank's status differs from the batch: "+some(slices.Concat(c.differs, c.unread)), ledger.StatusDiffers
		if b.State == ledger.BatchHeld && step.Event == "" && len(c.differs) > 0 { // what cannot be read waits for the next answer
			step.Event, step.Attention = ledger.EchoDiffers, ledger.EchoDiffered
		}
	}
	c.keepNumber(b, &step)
	switch {
	case b.State == ledger.BatchQuarantined && step.Event == ledger.SeenMoving:
		step.Observed = c.asPlanned(attempts)
	case b.State == ledger.BatchHeld && step.Event == "", b.State == ledger.BatchQuarantined:
		if step.Shown = len(c.seen) > 0; step.Shown {
			step.Listed = ledger.ListingYes // listing may not have been answered, or a crash came before it
		}
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
	if step.Event == "" && slices.ContainsFunc(after, ledger.PayoutState.Awaited) { // people end disputed ones
		e.overdue(b, &step)
	}
	if odd, is := c.unlisted(); is && odd != "" && step.Attention == ledger.NeedsNothing && (b.State == ledger.BatchSubmitted || step.Event == ledger.SeenMoving) {
		step.Attention, step.Note = ledger.StatusUnlisted, fmt.Sprintf("the bank says %q of a payout, which its interface does not list", odd)
	}
	r, err := e.noted(ctx, b, step, "", "")
	if err != nil {
		return r, err
	}
	if step.Event == ledger.SeenMoving && allFinal(after) {
		// All in one read: the batch is submitted now, and the same read settles it.
		settle := ledger.Step{BatchID: b.ID, From: ledger.BatchSubmitted, Event: ledger.AllFinal, At: e.set.Now(), Note: step.Note, Attention: step.Attention}
		outcome, message := summary(ledger.Batch{State: ledger.BatchSettled}, after, c)
		return e.concluded(ctx, settle, outcome, message)
	}
	r.Outcome, r.Message = summary(r.Batch, after, c)
	e.tell(b.ID, "%s", r.Message)
	return r, nil
}

// keepNumber records what the answer says of the number of the debit account. After an answer with another
// number, the batch asks for a person until an answer shows the configured one. A batch that stays quarantined
// changes only its number; one that is left alone changes nothing.
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

// oddities notes that the bank shows, or no longer shows, a status that its interface does not list, for a
// batch that was never submitted from here.
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

// leftAlone: the batch was abandoned or refused and the bank has not moved it since. What the bank holds there
// no longer matters.
func (c echo) leftAlone(b ledger.Batch) bool {
	_, touched := c.first(func(o ledger.Observation) bool { return o.Status != ledger.StatusRequestInitiated })
	return (b.State == ledger.BatchAbandoned || b.State == ledger.BatchRefused) && !touched
}

// overdue flags a batch that a person has to look at because it waited too long.
func (e *Engine) overdue(b ledger.Batch, step *ledger.Step) {
	limit, asks, what := e.set.OverdueAfter, ledger.Overdue, "overdue: submitted and not final"
	switch b.State {
	case ledger.BatchSubmitted:
	case ledger.BatchSubmitUnknown:
		asks, what = ledger.SubmitOverdue, "overdue: submitted without an answer, and the bank does not show it moving"
	case ledger.BatchHeld:
		limit, asks, what = e.set.OTPWindow, ledger.OTPLate, "held for OTP longer than otp.window"
	default:
		return
	}
	if limit <= 0 || waited(b.StateSince, step.At) < limit {
		return
	}
	switch {
	case step.Attention == ledger.NeedsNothing:
		step.Attention, step.Note = asks, what
	case step.Attention == ledger.StatusDiffers && b.State == ledger.BatchSubmitUnknown: // a person decides about both
		step.Attention, step.Note = asks, what+"; "+step.Note
	}
}

// waited is how long ago something was recorded; not for use where it releases a payout. For a time in the
// future (the clock was set back since) it returns the distance, so that no one waits for that time to come.
func waited(since, at time.Time) time.Duration { return at.Sub(since).Abs() }

// noted records a step, unless it changes nothing, and reports the batch. Step.Change finds out what in it is
// new.
func (e *Engine) noted(ctx context.Context, b ledger.Batch, step ledger.Step, outcome, message string) (Result, error) {
	same := step.Event == "" && len(step.Observed) == 0 && step.Note == b.Note && step.Attention == b.Attention &&
		(!step.Shown || b.Shown) && cmp.Or(step.Listed, b.Listed) == b.Listed && (step.OtherNumber == nil || *step.OtherNumber == b.OtherNumber)
	if !same {
		if err := e.apply(ctx, step); err != nil {
			return Result{}, fmt.Errorf("batch %s: recording what the bank said: %w", b.ID, err)
		}
	}
	return e.result(ctx, b.ID, outcome, message)
}

// failedAgain is the reason of a payout that waits for another second read that says failed.
const failedAgain = "the bank says failed; this machine's clock was set back since, so payrun waits for another second read"

// due leaves out payouts that say failed again too soon: the second read that makes a payout failed comes at
// least poll.first after the first. If the first read lies in the future, the clock was set back since, and
// this read takes its place.
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
			again := ledger.Verdict{State: a.State, FailedReads: 1, Reason: failedAgain, Dispute: a.Dispute, Was: a.Was, Unread: a.Unread}
			if a.Reason == failedAgain { // a repetition: only what is new is recorded
				a.FailedReads = 0
				again = ledger.Judge(a, o.Observation)
			}
			o.Verdict = again
		default:
			continue
		}
		list = append(list, o)
	}
	return list
}

// statesAfter returns each payout's state after the observations.
func statesAfter(attempts []ledger.Attempt, observed []ledger.Observed) []ledger.PayoutState {
	after := make(map[int64]ledger.PayoutState, len(attempts))
	for _, at := range attempts {
		after[at.ID] = at.State
	}
	for _, o := range observed {
		after[o.PayoutID] = o.Verdict.State
	}
	return slices.Collect(maps.Values(after))
}

func allFinal(after []ledger.PayoutState) bool {
	return !slices.ContainsFunc(after, func(s ledger.PayoutState) bool { return !s.Final() })
}

// waitsFor says what a held batch waits for: its OTP, or what its note asks a person to do.
func waitsFor(b ledger.Batch) string {
	if b.Attention != ledger.NeedsNothing && b.Note != "" {
		return b.Note
	}
	return "awaiting OTP"
}

// summary is the result of a batch after a read.
func summary(b ledger.Batch, after []ledger.PayoutState, c echo) (outcome, message string) {
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
