package ledger

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// TrailDigest is what the audit trail tells of a batch, which its rows must agree with.
type TrailDigest struct {
	Members     string     // the digest of its payouts; "" where no event tells it
	StateDigest string     // the digest of its state; "" if no event has it
	Approved    []Approval // in the order of their events
	// Changes counts the events that changed its state, OTP tries or approvals, and
	// Changed is the newest of them; see StateSequence.
	Changes int
	Changed Event
	State   BatchState // that it leads to
	// The numbers of the events that tell this.
	MembersAt, StateDigestAt int64
	ApprovedAt               []int64
}

// Events are the numbers of those that tell all this.
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
	to, changes := e.changes(t.State)
	if t.State = to; changes {
		t.Changes, t.Changed = t.Changes+1, *e
	}
	if e.Kind == EventApproved {
		t.Approved = append(t.Approved, e.approval())
		t.ApprovedAt = append(t.ApprovedAt, e.Seq)
	}
}

// approval is what an event of one tells.
func (e *Event) approval() Approval {
	return Approval{BatchID: e.BatchID, PayloadSHA256: e.payload(), Actor: e.Actor, At: e.At}
}

// approvedIn are the approvals that events tell of.
func approvedIn(events []Event) (told []Approval) {
	for i := range events {
		told = append(told, events[i].approval())
	}
	return told
}

// digests are the digests in the event about its batch: of its members and of its state. A batch that
// was just planned is planned, without a digest for it.
func (e *Event) digests() (members, state string) {
	if e.Kind == EventPlanned {
		return e.Digest, asPlanned(e.At).String()
	}
	return "", e.StateDigest
}

// What a difference means, for people. Each is said of one batch.
const (
	membersDiffer = "what it pays is not what was planned: a payee, an account, an IFSC, an amount, remarks or a reference of one of its payouts was changed, or the batch itself"
	stateDiffers  = "its state is not what was recorded: the state of the batch or of a payout, an observation, or a call to the bank was changed"
)

// TamperedError says what of a batch is not as the audit trail tells it.
// errors.Is(err, ErrTampered).
type TamperedError struct {
	BatchID string
	What    []string // in words
}

func (e *TamperedError) Error() string {
	return fmt.Sprintf("%v: batch %s: %s", ErrTampered, e.BatchID, strings.Join(e.What, "; "))
}

func (e *TamperedError) Unwrap() error { return ErrTampered }

// VerifyDigests returns a *TamperedError where the rows of the batch, or of a batch
// of an earlier attempt of its payouts, are not those that the audit trail
// tells of. k is known whole: with its payees, its approvals and Before.
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
	what = append(what, unspoken(k.Approvals, k.Trail.Approved)...)
	if len(what) > 0 {
		return &TamperedError{k.Batch.ID, what}
	}
	return nil
}

// matchesTrail reports whether the batch is as its last event says.
func (k *BatchRecord) matchesTrail() bool { return k.Trail.StateDigest == k.StateDigest().String() }

// unspoken returns, in words, the approvals that are recorded and in no event, or in an event and not
// recorded.
func unspoken(kept, told []Approval) (what []string) {
	left := slices.Clone(told)
	for _, a := range kept {
		i := slices.IndexFunc(left, a.same)
		if i < 0 {
			what = append(what, fmt.Sprintf("the approval by %q is not in the audit trail", a.Actor))
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	for _, a := range left {
		what = append(what, fmt.Sprintf("the approval by %q that the audit trail tells of is gone or was changed", a.Actor))
	}
	return what
}

func (a Approval) same(b Approval) bool {
	return a.PayloadSHA256 == b.PayloadSHA256 && a.Actor == b.Actor && a.At.Truncate(time.Microsecond).Equal(b.At.Truncate(time.Microsecond))
}
