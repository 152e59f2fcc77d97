package ledger

import (
	"slices"
	"time"
)

// The releases, as next steps.
var (
	releaseBatch  = releasing(NamesBatch, ReleaseNotPaid)
	releasePayout = releasing(NamesPayout, ReleaseNotPaid)
	closePaid     = releasing(NamesPayout, ReleasePaid)
	renewRefs     = Next{Verb: "resolve", Names: NamesBatch, Flags: []string{"--as", string(ReleaseNotPaid), NewReferencesFlag, "--bank-ticket", "the bank's mail and its date"},
		Reason: "the bank calls the references used"}
)

// NewReferencesFlag asks for references that the bank has never seen.
const NewReferencesFlag = "--new-references"

func releasing(names Object, as ReleaseAs) Next {
	return Next{Verb: "resolve", Names: names, Flags: []string{"--as", string(as), "--bank-ticket", "the bank's mail and its date"}, Reason: "what the bank confirmed"}
}

// Releases says how the step releases a payout; "" if it is no release.
func (n Next) Releases() ReleaseAs {
	if i := slices.Index(n.Flags, "--as"); n.Verb == "resolve" && i >= 0 && i+1 < len(n.Flags) {
		return ReleaseAs(n.Flags[i+1])
	}
	return ""
}

// Legal returns the next steps of a batch: those that it needs, and others that people may take.
// Steps that its state or the time forbids are left out. Conditions on what the bank or its
// statement shows are checked when the step is taken.
func (k BatchRecord) Legal(overdueAfter time.Duration, at time.Time) (list []Next) {
	b := k.Batch
	list = slices.DeleteFunc(slices.Clone(b.Asks().Row().Next), func(n Next) bool { return !b.takes(n) })
	if b.Abandonable() && !slices.ContainsFunc(list, func(n Next) bool { return n.Verb == "abandon" }) {
		list = append(list, abandonBatch(""))
	}
	return append(list, k.releases(overdueAfter, at)...)
}

// takes reports whether the state of the batch allows a step that its attention names. Releases
// are checked separately.
func (b Batch) takes(n Next) bool {
	switch {
	case n.Releases() != "":
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

// Abandonable reports whether a person may abandon the batch, or acknowledge a refused one. It
// may not be abandoned while the bank shows a status that cannot be read: it may pay.
func (b Batch) Abandonable() bool {
	if b.Attention == StatusUnlisted || b.Attention == EchoUnlisted {
		return false
	}
	_, err := b.State.Next(Abandoned)
	return err == nil || b.State == BatchRefused && b.Attention != Acknowledged
}

// releases returns the releases that people may request: of a batch that has been in doubt or
// open at the bank for too long, of a quarantined one that the bank shows with an unlisted status,
// and, for new references, of one that the bank refused.
func (k BatchRecord) releases(overdueAfter time.Duration, at time.Time) []Next {
	b := k.Batch
	switch {
	case b.State == BatchRefused && b.Attention != Acknowledged && !b.NewReferences:
		return []Next{renewRefs}
	case b.State == BatchSubmitUnknown && !at.Before(b.StateSince.Add(overdueAfter)),
		b.State == BatchSubmitted && !at.Before(b.StateSince.Add(overdueAfter)) && slices.ContainsFunc(k.Attempts, func(a KnownAttempt) bool { return a.State.Awaited() }),
		b.State == BatchQuarantined && b.Attention == EchoUnlisted:
		return []Next{releaseBatch}
	}
	return nil
}

// Legal returns the releases that a lock allows.
func (l Lock) Legal() []Next {
	switch l.Kind {
	case LockInFlight, LockInDoubt:
		return nil
	}
	return []Next{releasePayout, closePaid}
}
