package ledger

import (
	"slices"
	"time"
)

// Decisions of people, as next steps.
var (
	arrived     = deciding(NamesBatch, DecidedSubmitted, "the bank confirms that it has the submit", "")
	neverCame   = deciding(NamesBatch, DecidedNotSubmitted, "the bank confirms that it never had the submit", "")
	neverEnds   = onItsWord(deciding(NamesBatch, DecidedDisputed, "the bank cannot say how it ends", "where the bank says in writing that it cannot say how it ends"))
	givenUpOn   = deciding(NamesBatch, DecidedNotSubmitted, "the bank confirms that it does not pay it", "where the bank no longer shows it, or for ten days what nobody can read")
	notPaid     = deciding(NamesBatch, DecidedNotSubmitted, "nothing of it was paid since the ledger was copied", "because this ledger was an older copy")
	wasPaid     = deciding(NamesPayout, DecidedPaid, "the bank confirms that it paid", "")
	wasNotPaid  = deciding(NamesPayout, DecidedNotPaid, "the bank confirms that it did not pay", "")
	cameNoName  = deciding(NamesPayout, DecidedNotPaid, "the bank confirms that the credit is its return", "where the bank's statement shows its debit, and the credit carries no name")
	longUnknown = deciding(NamesPayout, DecidedNotPaid, "the bank no longer knows it, and did not pay it", "where the bank no longer knows it, or its statement shows the debit, and the credit carries no name")
)

func deciding(names Object, as Decision, reason, where string) Next {
	return Next{Verb: "resolve", Names: names, Flags: []string{"--as", string(as)}, Reason: reason, Where: where}
}

// onItsWord is a decision that always rests on the bank's written word.
func onItsWord(n Next) Next {
	n.Flags = append(n.Flags, "--bank-ticket", "the bank's mail and its date")
	return n
}

// Decides is the decision that the step is; "" where it is none.
func (n Next) Decides() Decision {
	if i := slices.Index(n.Flags, "--as"); n.Verb == "resolve" && i >= 0 && i+1 < len(n.Flags) {
		return Decision(n.Flags[i+1])
	}
	return ""
}

// Legal are the next steps of a batch as it stands: what it asks for, and what else
// people may do about it. A step that its state forbids, or the time, is not among
// them; what the bank has to show, or its statement, is asked when the step is taken.
func (k Known) Legal(overdueAfter time.Duration, at time.Time) (list []Next) {
	b := k.Batch
	row, _ := b.Asks().Row()
	for _, n := range row.Next {
		if b.takes(n) {
			list = append(list, n)
		}
	}
	if b.Abandonable() && !slices.ContainsFunc(list, func(n Next) bool { return n.Verb == "abandon" }) {
		list = append(list, abandonBatch(""))
	}
	return append(list, k.decisions(overdueAfter, at)...)
}

// takes reports whether the state of the batch allows a step that its attention names.
// What people decide is asked apart.
func (b Batch) takes(n Next) bool {
	switch {
	case n.Decides() != "":
		return false
	case n.Names != NamesBatch:
		return true
	case n.Verb == "abandon":
		return b.Abandonable()
	case n.Verb == "submit":
		return b.State == BatchHeld
	case n.Verb == "approve", n.Verb == "initiate":
		return b.State == BatchPlanned
	}
	return true
}

// Abandonable reports whether a person may give the batch up, or say that a refused
// one is dealt with. While the bank shows a status that nobody can read it may pay.
func (b Batch) Abandonable() bool {
	if b.Attention == StatusUnlisted || b.Attention == EchoUnlisted {
		return false
	}
	_, err := b.State.Next(Abandoned)
	return err == nil || b.State == BatchRefused && b.Attention != DealtWith
}

// decisions are those that people may make about the batch.
func (k Known) decisions(overdueAfter time.Duration, at time.Time) (list []Next) {
	b := k.Batch
	overdue := !at.Before(b.StateSince.Add(overdueAfter))
	awaited := slices.ContainsFunc(k.Attempts, func(a KnownAttempt) bool { return a.State.Awaited() })
	cleared, _ := k.cleared()
	copied := !k.RestoredAt.IsZero() && !cleared
	switch b.State {
	case BatchSubmitUnknown:
		if overdue {
			list = append(list, arrived, neverCame)
		}
		if overdue && awaited {
			list = append(list, neverEnds)
		}
	case BatchSubmitted:
		if overdue && awaited {
			list = append(list, neverEnds)
		}
	case BatchHeld:
		if copied {
			list = append(list, notPaid)
		} else if b.Listed == ListingYes && b.Attention != NeedsNothing || b.Attention == StatusUnlisted {
			list = append(list, givenUpOn)
		}
	case BatchQuarantined:
		if b.Attention == EchoUnlisted {
			list = append(list, givenUpOn)
		}
	case BatchPlanned:
		if copied {
			list = append(list, notPaid)
		}
	}
	return list
}

// Legal are the decisions that people may make about an attempt as it stands. Of one
// that ended they may only once the bank no longer knows it, which may be after watch
// (poll.success_watch), or where a debit of one that failed came back without its name.
func (a Attempt) Legal(watch time.Duration, at time.Time) []Next {
	ended := a.State == PayoutFailed || a.State == PayoutReturned || a.Resolved == ResolutionNotPaid
	switch {
	case a.State == PayoutDisputed:
		return []Next{wasPaid, wasNotPaid}
	case ended && a.Resolved != ResolutionGone && !at.Before(a.UpdatedAt.Add(watch)):
		return []Next{longUnknown}
	case a.State == PayoutFailed && a.Resolved == ResolutionNone:
		return []Next{cameNoName}
	}
	return nil
}

// Renamable reports whether the payouts of the batch may get new references, once it
// is shown that nobody paid them under the old ones (safety.md, rule N).
func (k Known) Renamable() bool {
	b := k.Batch
	lost := b.State == BatchAbandoned && slices.ContainsFunc(k.Intents, func(i Intent) bool { return i.Kind == CallInitiate && i.InDoubt() })
	return !b.Shown && (b.State == BatchRefused || lost)
}
