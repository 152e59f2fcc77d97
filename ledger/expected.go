package ledger

import (
	"crypto/sha256"
	"fmt"
)

// StateSequence identifies a version of a batch. It is the number of events in the audit trail
// that changed the batch's state, its OTP tries or its approvals, and the beginning of the hash
// of the newest of them. So a copy of the ledger with another history has another sequence.
// Observations, notes, proposals and events of other batches do not count.
type StateSequence string

// ExpectedVersion is the version of a batch that a person saw when they decided. The zero value
// is for a decision that is not bound to a version.
type ExpectedVersion struct {
	// Payload is the SHA-256 of the body of Initiate transfer, lower-case hex: the body that
	// would be sent, or the one that was.
	Payload  string
	Sequence StateSequence
}

// Bound is a batch with the version that a decision about it is bound to.
type Bound struct {
	BatchID string
	ExpectedVersion
}

// PlanDigest returns the digest to which a decision about several batches is bound: of the id,
// the payload hash and the state sequence of each, in their order.
func PlanDigest(batches []Bound) Digest {
	var room [1024]byte
	e := encode(room[:], "plan").number(int64(len(batches)))
	for _, b := range batches {
		e = e.text(b.BatchID).text(b.Payload).text(string(b.Sequence))
	}
	return sha256.Sum256(e)
}

// OvertakenError: a batch is no longer as the person who decided saw it. errors.Is(err,
// ErrStale).
type OvertakenError struct {
	BatchID string
	Since   Event // the event that changed it last; zero if the person saw that event, and only the payload differs
}

func (e *OvertakenError) Error() string {
	s := fmt.Sprintf("batch %s %v", e.BatchID, ErrStale)
	if e.Since.Kind != "" {
		s += fmt.Sprintf(": %s by %s at %s", e.Since.Kind, e.Since.Actor, momentWords(e.Since.At))
	}
	return s
}

func (e *OvertakenError) Unwrap() error { return ErrStale }

// Held returns an *OvertakenError if a batch is not as expected. t is what the audit trail says
// about it, payload is that of its initiate. The zero ExpectedVersion matches everything.
func (x ExpectedVersion) Held(batchID, payload string, t *TrailDigest) error {
	switch {
	case x == (ExpectedVersion{}):
		return nil
	case x.Sequence != t.Sequence():
		return &OvertakenError{BatchID: batchID, Since: t.Changed}
	case x.Payload != payload:
		return &OvertakenError{BatchID: batchID}
	}
	return nil
}

// Sequence returns the state sequence of the batch; "" if the trail has no event of it.
func (t *TrailDigest) Sequence() StateSequence {
	if t.Changes == 0 {
		return ""
	}
	return StateSequence(fmt.Sprintf("%d-%.16s", t.Changes, t.Changed.Hash))
}

// InitiatePayload returns the payload hash of the batch's last initiate; "" if there was none.
func (k *BatchRecord) InitiatePayload() string {
	for i := len(k.Intents) - 1; i >= 0; i-- {
		if k.Intents[i].Kind == CallInitiate {
			return k.Intents[i].PayloadSHA256
		}
	}
	return ""
}

// overtaken compares the batch with what the person saw. The payload of a planned batch is known
// only at its InitiateIntended; other steps of a planned batch compare only the sequence.
func (s Step) overtaken(k BatchRecord) error {
	payload := k.InitiatePayload()
	switch {
	case s.Event == InitiateIntended:
		payload = s.PayloadSHA256
	case k.Batch.State == BatchPlanned:
		payload = s.ExpectedVersion.Payload
	}
	return s.ExpectedVersion.Held(s.BatchID, payload, &k.Trail)
}
