package ledger

import (
	"fmt"
	"slices"
	"strings"
)

// TrailDigest is what the audit trail says about a batch. The rows of the batch must agree with it.
type TrailDigest struct {
	Members     string // the digest of its payouts; "" if no event has it
	StateDigest string // the digest of its state; "" if no event has it
	// Changes counts the events that changed its state, OTP tries, approvals or the need for one, and
	// Changed is the newest of them; see StateSequence. Tries change only with the state.
	Changes int
	Changed Event
	State   BatchState // the state to which the events lead
	// The numbers of the events that say this.
	MembersAt, StateDigestAt int64
	ApprovedAt               []int64
}

// Events returns the numbers of the events that say all this.
func (t *TrailDigest) Events() []int64 {
	return append([]int64{t.MembersAt, t.StateDigestAt, t.Changed.Seq}, t.ApprovedAt...)
}

// Replay takes the next event of the batch.
func (t *TrailDigest) Replay(e *Event) {
	members, state := e.digests()
	if members != "" {
		t.Members, t.MembersAt = members, e.Seq
	}
	if state != "" {
		t.StateDigest, t.StateDigestAt = state, e.Seq
	}
	to, err := e.Leads(t.State)
	// An event that cannot happen shows that the trail is wrong. Who approves a batch has to see that a payout like one
	// of its own is locked.
	if err != nil || to != t.State || e.LikeLocked() || e.Kind == EventApproved || e.Kind == EventSentBack {
		t.Changes, t.Changed = t.Changes+1, *e
	}
	if err == nil {
		t.State = to
	}
	if e.Kind == EventApproved {
		t.ApprovedAt = append(t.ApprovedAt, e.Seq)
	}
}

// Approval returns the approval that the event records.
func (e *Event) Approval() Approval {
	return Approval{BatchID: e.BatchID, PayloadSHA256: e.payload(), Actor: e.Actor, At: e.At}
}

// digests returns the digests of the batch's members and state after the event. The event of a planning
// has no digest of the state: it is that of a batch just planned.
func (e *Event) digests() (members, state string) {
	if e.Kind == EventPlanned {
		return e.Digest, asPlanned(e.At).String()
	}
	return "", e.StateDigest
}

// Texts for TamperedError.What: what a difference of a batch means.
const (
	membersDiffer = "what it pays is not what was planned: a payee, an account, an IFSC, an amount, remarks or a reference of one of its payouts was changed, or the batch itself"
	stateDiffers  = "its state is not what was recorded: the state of the batch or of a payout, an observation, or a call to the bank was changed"
)

// TamperedError says how a batch differs from the audit trail.
// errors.Is(err, ErrTampered).
type TamperedError struct {
	BatchID string
	What    []string // in words
}

func (e *TamperedError) Error() string {
	return fmt.Sprintf("%v: batch %s: %s", ErrTampered, e.BatchID, strings.Join(e.What, "; "))
}

func (e *TamperedError) Unwrap() error { return ErrTampered }

// VerifyDigests returns a *TamperedError if the rows of the batch, or of a batch of an
// earlier attempt of its payouts, differ from the audit trail. k must be complete:
// with its payees, its approvals and Before.
func (k *BatchRecord) VerifyDigests() error {
	for i := range k.Before {
		if err := k.Before[i].VerifyDigests(); err != nil {
			return err
		}
	}
	what := slices.Clone(k.Broken)
	if k.Trail.Members != k.MembersDigest().String() {
		what = append(what, membersDiffer)
	}
	if !k.matchesTrail() {
		what = append(what, stateDiffers)
	}
	if len(what) > 0 {
		return &TamperedError{k.Batch.ID, what}
	}
	return nil
}

// matchesTrail reports whether the batch's state is the one in its last event.
func (k *BatchRecord) matchesTrail() bool { return k.Trail.StateDigest == k.StateDigest().String() }
