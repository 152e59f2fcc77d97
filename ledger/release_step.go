package ledger

import (
	"fmt"
	"slices"
)

// release returns the change of a step with a person's decision. The first decision is kept for
// a second person; the second one is carried out. It returns *Refusal if a rule is not met.
func (s Step) release(k BatchRecord, c Change) (Change, error) {
	if err := k.VerifyDigests(); err != nil {
		return Change{}, err
	}
	r := *s.Release
	evidence, first, err := k.Release(r, s.Actor, s.At)
	if err != nil {
		return Change{}, err
	}
	p := ReleaseApproval{BatchID: s.BatchID, PayoutID: r.Of.PayoutID, Number: r.Of.Number, As: r.As, Reason: r.Reason, Ticket: r.Ticket, Evidence: evidence.JSON(),
		Actor: s.Actor, At: s.At, BankTime: r.Check.BankTime, Carried: first != nil}
	attempts := k.ownAttempts()
	moved := BatchEvent("")
	if first != nil {
		p.Seconds = first.No
		if moved, err = s.carry(attempts, evidence, &c); err != nil {
			return Change{}, err
		}
	}
	c.Said = &p
	c.Event = p.Event(k.Batch)
	if moved != "" {
		c.Event.Kind = string(moved)
	}
	c.Event.StateDigest = c.stateDigest(k, attempts)
	return c, nil
}

// carry applies the decision of two people to the change. It returns the event that moves the
// batch; "" if its state stays.
func (s Step) carry(attempts []KnownAttempt, evidence ReleaseEvidence, c *Change) (BatchEvent, error) {
	for i := range attempts {
		a := &attempts[i]
		seen, of := evidence.Of(a.Key())
		if !of {
			continue
		}
		s.takeShown(a, c)
		if s.Release.As == ReleasePaid {
			s.closePaid(a, seen, c)
			continue
		}
		a.Dispute, a.Resolved = "", ResolutionNotPaid
		if seen.NotFound || seen.Status == "" {
			a.Resolved = ResolutionGone
		}
		s.becomes(a, PayoutCancelled, "two people released it: "+s.Release.Reason, c)
	}
	c.Batch.changed(s.At)
	c.Batch.NewReferences = c.Batch.NewReferences || s.Release.NewReferences
	over := !slices.ContainsFunc(attempts, func(a KnownAttempt) bool { return !a.Over() })
	event := BatchEvent("")
	switch {
	case !over:
	case c.Batch.State == BatchSubmitUnknown && s.Release.As == ReleasePaid:
		event = ClosedAsPaid
	case c.Batch.State == BatchSubmitUnknown, c.Batch.State == BatchQuarantined:
		event = SetAside
	}
	if over {
		c.Batch.Note, c.Batch.Attention, c.Batch.OtherNumber = fmt.Sprintf("two people said %s: %s", s.Release.As, s.Release.Reason), NeedsNothing, ""
	}
	if event == "" {
		return "", nil
	}
	to, err := s.From.Next(event)
	if err != nil {
		return "", err
	}
	c.Batch.State, c.Batch.StateSince = to, s.At
	if to == BatchSubmitted && c.Batch.SubmittedAt.IsZero() {
		c.Batch.SubmittedAt = s.At
	}
	return event, nil
}

// closePaid closes an attempt as paid. Its state is success if the status says so now. On the
// bank's written confirmation alone it stays disputed, and closed.
func (s Step) closePaid(a *KnownAttempt, seen AttemptShown, c *Change) {
	to, dispute := PayoutDisputed, DisputeByPeople
	if seen.Paid {
		to, dispute = PayoutSuccess, ""
	}
	a.Dispute, a.Resolved = dispute, ResolutionPaid
	s.becomes(a, to, "two people closed it as paid: "+s.Release.Reason, c)
}

// takeShown records what the fresh status showed of an attempt, if it is new.
func (s Step) takeShown(a *KnownAttempt, c *Change) {
	o, there := s.Release.Check.of(a.WireRef)
	if o = o.says(); !there || a.Seen > 0 && a.Last.says() == o {
		return
	}
	c.observed(a, o, Verdict{State: a.State, FailedReads: a.FailedReads, Reason: a.Reason, Dispute: a.Dispute, Was: a.Was, Unread: a.Unread}, s.At)
}

func (s Step) becomes(a *KnownAttempt, to PayoutState, reason string, c *Change) {
	from := a.State
	a.State, a.Reason, a.UpdatedAt, a.Was, a.Unread = to, reason, s.At, "", 0
	c.moved(a, from)
}
