package ledger

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// decide is the change of a step in which a person decides: the decision is kept
// for a second person, or carried out where it is the second. *NotYet where a rule
// does not hold.
func (s Step) decide(k Known, c Change) (Change, error) {
	d := s.Deciding
	if err := k.Untouched(); err != nil {
		return Change{}, err
	}
	out, err := s.outcome(k)
	if err != nil {
		return Change{}, err
	}
	var first *Proposal
	if out.two {
		if first, err = d.seconded(k, s.Actor, s.At); err != nil {
			return Change{}, err
		}
	}
	p := Proposal{BatchID: s.BatchID, Decision: string(d.As), Reason: d.Reason, Actor: s.Actor, At: s.At, PayoutID: d.Of.PayoutID, Number: d.Of.Number,
		Ticket: d.Ticket, Books: d.Books != nil, Rests: d.rests(k), SaidAt: d.Look.SaidAt}
	c.Decided = &p
	attempts := k.ownAttempts()
	if out.two && first == nil {
		c.Event = p.Event(k.Batch)
		c.Event.Stands = c.stands(k, attempts)
		return c, nil
	}
	p.Carried = true
	if first != nil {
		p.Seconds = first.No
	}
	if err := s.carry(attempts, out, &c); err != nil {
		return Change{}, err
	}
	e := p.Event(k.Batch)
	e.Kind = out.kind
	if first != nil {
		e.Detail += first.seconding()
	}
	c.Event = e
	c.Event.Stands = c.stands(k, attempts)
	return c, nil
}

// outcome is what a decision comes to once it is carried out.
type outcome struct {
	kind    string     // of the audit event
	event   BatchEvent // that moves the batch; "" where it stays
	two     bool       // two people have to agree
	dispute bool       // every payout that the bank has not ended becomes disputed
	closes  Resolution // how the attempt's dispute ends; "" for none
}

// outcome holds what is decided against its evidence.
func (s Step) outcome(k Known) (outcome, error) {
	d, b := s.Deciding, k.Batch
	refuse := func(err error) (outcome, error) { return outcome{}, err }
	switch d.As {
	case DecidedNotSubmitted:
		return s.notSubmitted(k)
	case DecidedDisputed:
		if b.State != BatchSubmitted && b.State != BatchSubmitUnknown {
			return refuse(notYet(RuleState, "the batch is %s; only one that the bank works on, or whose submit is in doubt, is called disputed", b.State))
		}
		out := outcome{kind: EventDisputed, two: true, dispute: true}
		if b.State == BatchSubmitUnknown {
			out.event = ResolvedSubmitted
		}
		return out, d.overdue(k, s.At)
	case DecidedPaid, DecidedNotPaid:
		i := slices.IndexFunc(k.Attempts, func(a KnownAttempt) bool { return a.Key() == d.Of })
		if i < 0 {
			return refuse(fmt.Errorf("attempt %d of payout %d is not in the batch: %w", d.Of.Number, d.Of.PayoutID, ErrNotFound))
		}
		res, err := d.closes(k, k.Attempts[i], s.At)
		return outcome{kind: EventClosed, two: true, closes: res}, err
	case DecidedNewReferences:
		return outcome{kind: EventRenamed, two: d.TwoPeople}, d.newNames(k, s.At)
	}
	return refuse(fmt.Errorf("%w: %q is no decision of this kind", ErrTransition, d.As))
}

// notSubmitted is what it comes to that a batch was not submitted: by its state,
// and in a ledger that was an older copy by what may have been sent since.
func (s Step) notSubmitted(k Known) (outcome, error) {
	d, b := s.Deciding, k.Batch
	aside := outcome{kind: string(SetAside), event: SetAside, two: true}
	switch b.State {
	case BatchSubmitUnknown:
		return aside, d.neverSubmitted(k, s.At)
	case BatchHeld, BatchQuarantined:
		err := d.gone(k, s.At)
		if e, ok := errors.AsType[*NotYet](err); ok && e.Rule == RuleState && b.State == BatchHeld && !k.RestoredAt.IsZero() {
			return outcome{kind: EventCleared, two: true}, d.notPaidSince(k, s.At)
		}
		return aside, err
	case BatchPlanned:
		if !k.RestoredAt.IsZero() {
			return outcome{kind: EventCleared, two: true}, d.notPaidSince(k, s.At)
		}
	}
	return outcome{}, notYet(RuleState, "the batch is %s; only a submit in doubt, and what the bank holds and never ends, is set aside", b.State)
}

// carry makes of the change what the decision comes to.
func (s Step) carry(attempts []KnownAttempt, out outcome, c *Change) error {
	d, b := s.Deciding, &c.Batch
	b.changed(s.At)
	if out.event != "" {
		to, err := s.From.Next(out.event)
		if err != nil {
			return err
		}
		b.State, b.StateSince = to, s.At
		b.Note, b.Attention = b.NoteAfter(fmt.Sprintf("resolved as %s: %s", d.As, d.Reason)), NeedsNothing
		if to == BatchSubmitted && b.SubmittedAt.IsZero() {
			b.SubmittedAt = s.At
		}
	}
	switch {
	case out.dispute:
		for i := range attempts {
			if attempts[i].State.Awaited() { // what is paid stays paid
				s.becomes(&attempts[i], PayoutDisputed, "two people called it disputed: "+d.Reason, c)
			}
		}
		if b.Attention == Overdue { // nothing of it is awaited any more
			b.Note, b.Attention = b.NoteAfter(fmt.Sprintf("resolved as %s: %s", d.As, d.Reason)), NeedsNothing
		}
	case out.kind == EventCleared:
		if b.Attention == LookForbids { // what stood against its submit is decided; other words stay
			b.Note, b.Attention = b.NoteAfter(fmt.Sprintf("resolved as %s: %s", d.As, d.Reason)), NeedsNothing
		}
	case out.closes != ResolutionNone:
		i := slices.IndexFunc(attempts, func(a KnownAttempt) bool { return a.Key() == d.Of })
		return s.close(&attempts[i], out.closes, c)
	case out.event != "":
		for i := range attempts {
			s.asShown(&attempts[i], c)
		}
		together := s
		together.Event = out.event
		return together.together(attempts, c)
	}
	return nil
}

// asShown keeps a value that the interface does not list, and on which people gave
// the batch up: while the bank shows just that, it is as they saw it.
func (s Step) asShown(a *KnownAttempt, c *Change) {
	for _, o := range s.Deciding.Look.Payouts {
		if o.WireRef == a.WireRef && !Listed(o.Status) {
			s.takeShown(a, o, c)
			a.Resolved = ResolutionNotPaid
		}
	}
}

// takeShown takes in what the fresh read showed of an attempt, where it is new.
func (s Step) takeShown(a *KnownAttempt, o Observation, c *Change) {
	if a.Seen > 0 && a.Last.says() == o.says() {
		return
	}
	a.take(o.says(), Verdict{State: a.State, FailedReads: a.FailedReads, Reason: a.Reason}, s.At)
	c.Observations = append(c.Observations, a.Observations[len(a.Observations)-1])
}

func (s Step) becomes(a *KnownAttempt, to PayoutState, reason string, c *Change) {
	from := a.State
	a.State, a.Reason, a.UpdatedAt = to, reason, s.At
	c.Attempts = append(c.Attempts, AttemptChange{From: from, Attempt: a.Attempt})
}

// close ends the dispute about an attempt, and keeps how the bank showed it: a
// later read that differs disputes it anew.
func (s Step) close(a *KnownAttempt, res Resolution, c *Change) error {
	for _, o := range s.Deciding.Look.Payouts {
		if o.WireRef == a.WireRef {
			s.takeShown(a, o, c)
		}
	}
	to := PayoutCancelled
	switch {
	case res == ResolutionPaid:
		to = PayoutSuccess
	case a.State != PayoutDisputed:
		to = a.State // it stays what it was, although the bank no longer knows it
	}
	a.Resolved = res
	s.becomes(a, to, fmt.Sprintf("two people closed it as %s: %s", s.Deciding.As, s.Deciding.Reason), c)
	if to == PayoutSuccess && s.At.After(c.Batch.SuccessAt) {
		c.Batch.SuccessAt = s.At
	}
	return nil
}

// booksAgain holds a submit against the bank's books where an earlier attempt of
// one of its payouts was set aside, or the ledger was an older copy (safety.md,
// "Setting aside", 7, and "After --accept-restored"). Where no statement is to be
// had the bank's word stands that the decision rested on; the fresh status of each
// earlier batch is asked of LastLook in any case.
func booksAgain(k Known, looks []Look, books *Books, w Waits, at time.Time) error {
	aside, restored := k.setAside(), !k.RestoredAt.IsZero()
	if len(aside) == 0 && !restored {
		return nil
	}
	for _, e := range aside {
		if l, _ := lookAt(looks, e.BatchID); l.Answer == LookNotKnown && l.Word.HTTPStatus >= 500 {
			return unanswered(e.BatchID, "HTTP %d is no answer about a batch that was set aside", l.Word.HTTPStatus)
		}
	}
	cleared, word := k.cleared()
	switch {
	case restored && !cleared:
		return forbidden(k.Batch.ID, "Two people have to decide that it did not: "+notPaid.Command(k.Batch.ID),
			"this ledger was an older copy, and a later one may have paid its payouts")
	case books == nil && slices.ContainsFunc(aside, func(e Earlier) bool { return !e.Word }):
		return unanswered(k.Batch.ID, "an earlier attempt of it was set aside on the bank's statement, which is not to be had now")
	case books == nil && restored && !word:
		return unanswered(k.Batch.ID, "this ledger was an older copy, and the bank's statement is not to be had now")
	case books == nil:
		return nil
	}
	since, booked := at, time.Time{}
	for _, e := range aside {
		first, last := e.moved()
		since, booked = earliest(since, first), latest(booked, last)
	}
	if restored {
		since, booked = earliest(since, k.BeforeRestore), latest(booked, k.RestoredAt)
	}
	if err := books.NoDebitOf(k.sought(since, booked), w, at); err != nil {
		why := err.Error()
		if e, ok := errors.AsType[*NotYet](err); ok {
			why = e.Why
		}
		return forbidden(k.Batch.ID, "Look for it in the statement, and ask the bank what it is. Enter the OTP again once the statement shows that nothing of it was paid.",
			"what it follows may have paid, and the bank's statement does not show that it did not: %s", why)
	}
	return nil
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// setAside are the earlier attempts whose batches people set aside.
func (k Known) setAside() (list []Earlier) {
	for _, a := range k.Attempts {
		for _, e := range a.Earlier {
			if e.SetAside {
				list = append(list, e)
			}
		}
	}
	return list
}

// cleared reports whether people decided, since the ledger was accepted as it is,
// that no later one paid the batch's payouts; word: on the bank's word.
func (k Known) cleared() (cleared, word bool) {
	for _, p := range k.Proposals {
		if p.Carried && p.Decision == string(DecidedNotSubmitted) && !p.At.Before(k.RestoredAt) {
			cleared, word = true, word || p.Ticket != ""
		}
	}
	return cleared, word
}

// BooksSince is from when on a submit of the batch needs the bank's books; ok is
// false where it needs none.
func (k Known) BooksSince() (since time.Time, ok bool) {
	for _, e := range k.setAside() {
		if first, _ := e.moved(); !ok || first.Before(since) {
			since, ok = first, true
		}
	}
	if !k.RestoredAt.IsZero() && (!ok || k.BeforeRestore.Before(since)) {
		since, ok = k.BeforeRestore, true
	}
	return since, ok
}

// BooksFor is from when on the bank's books are asked before people decide so.
func (k Known) BooksFor(as Decision) time.Time {
	since := k.Batch.CreatedAt
	switch intent, ok := k.lastSubmit(); {
	case as == DecidedNewReferences:
		since = since.Add(-referencesBack)
	case ok:
		since, _ = intent.moved()
	case !k.RestoredAt.IsZero():
		since = k.BeforeRestore
	case k.Batch.State == BatchHeld:
		since, _ = k.heldSince()
	}
	return since
}
