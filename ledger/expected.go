package ledger

import (
	"crypto/sha256"
	"fmt"
)

// StateSequence tells two moments of a batch apart. It counts what changed the
// batch's state, its OTP tries or its approvals, by the audit trail; what was only
// observed, noted or proposed does not count, nor what happened to other batches.
// Beside the count it has the beginning of the hash of the newest of these events:
// a copy of the ledger in which something else happened has another one.
type StateSequence string

// ExpectedVersion is what a person was shown of a batch when they decided about it. The
// zero value is that of a decision which is bound to nothing that was shown.
type ExpectedVersion struct {
	// Payload is the SHA-256 of the body of Initiate transfer, lower-case hex: of
	// the one that would be sent, else of the one that was.
	Payload  string
	Sequence StateSequence
}

// Bound is a batch with what a decision about it is bound to.
type Bound struct {
	BatchID string
	ExpectedVersion
}

// PlanDigest is what a decision about several batches is bound to: the digest of
// the id, the payload hash and the state sequence of each, in their order.
func PlanDigest(batches []Bound) Digest {
	var room [1024]byte
	e := encode(room[:], "plan").number(int64(len(batches)))
	for _, b := range batches {
		e = e.text(b.BatchID).text(b.Payload).text(string(b.Sequence))
	}
	return sha256.Sum256(e)
}

// OvertakenError says that a batch is not as it was shown to who decided about it.
// errors.Is(err, ErrStale).
type OvertakenError struct {
	BatchID string
	Since   Event // what changed it last; the zero Event where that was shown, and what would be sent differs
}

func (e *OvertakenError) Error() string {
	if e.Since.Kind == "" {
		return fmt.Sprintf("%v: what would be sent of batch %s is another", ErrStale, e.BatchID)
	}
	return fmt.Sprintf("%v: batch %s (%s by %s at %s)", ErrStale, e.BatchID, e.Since.Kind, e.Since.Actor, momentWords(e.Since.At))
}

func (e *OvertakenError) Unwrap() error { return ErrStale }

// Held returns an *OvertakenError where a batch of which the audit trail tells t,
// and whose initiate has this payload, is not as expected. The zero ExpectedVersion is
// held against nothing.
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

// Sequence is the state sequence of the batch; "" where the trail tells nothing of it.
func (t *TrailDigest) Sequence() StateSequence {
	if t.Changes == 0 {
		return ""
	}
	return StateSequence(fmt.Sprintf("%d-%.16s", t.Changes, t.Changed.Hash))
}

// changes reports whether the event changes the state of a batch that stands in
// from, its OTP tries or its approvals; and where it stands then. Tries change
// only with the state. What cannot have happened in from counts: the trail is not
// as it should be.
func (e *Event) changes(from BatchState) (to BatchState, changes bool) {
	to, err := e.Leads(from)
	if err != nil {
		return from, true
	}
	return to, to != from || e.Kind == EventApproved || e.Kind == EventSentBack
}

// InitiatePayload is the payload of the batch's last initiate; "" where there was none.
func (k *BatchRecord) InitiatePayload() string {
	for i := len(k.Intents) - 1; i >= 0; i-- {
		if k.Intents[i].Kind == CallInitiate {
			return k.Intents[i].PayloadSHA256
		}
	}
	return ""
}

// overtaken holds a step against what the person who wants it was shown. Of a batch
// that is planned only the intent to send it knows the payload: giving it up is held
// against the sequence alone.
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
