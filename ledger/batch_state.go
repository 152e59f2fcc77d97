package ledger

import (
	"cmp"
	"fmt"
	"strings"
)

// BatchState is where a batch stands. The zero value is invalid.
type BatchState string

const (
	// BatchPlanned: recorded by load or retry, nothing sent. Also the way back
	// after a 401 or a request that never left. A crash here means nothing.
	BatchPlanned BatchState = "planned"
	// BatchInitiating: the intent is committed, the call is under way. A crash
	// here is found at the next start and becomes initiate_unknown.
	BatchInitiating BatchState = "initiating"
	// BatchInitiateUnknown: sent, and no answer could be read. It cannot pay,
	// for money moves only at submit. Status reads resolve it, or doubt.quiet
	// passes and it is abandoned and its payouts are planned anew.
	BatchInitiateUnknown BatchState = "initiate_unknown"
	// BatchHeld: the bank's echo equals the plan and an OTP is on its way. A
	// person moves it on.
	BatchHeld BatchState = "held"
	// BatchSubmitting: the submit intent is committed, the call is under way.
	// A crash here is found at the next start and becomes submit_unknown.
	BatchSubmitting BatchState = "submitting"
	// BatchSubmitUnknown: submitted, and no answer could be read. It may have
	// paid. Only a status that moved, or people, move it out.
	BatchSubmitUnknown BatchState = "submit_unknown"
	// BatchSubmitted: the bank took it; status reads move its payouts.
	BatchSubmitted BatchState = "submitted"
	// BatchSettled: every payout is final. Success is asked about again for
	// poll.success_watch, because returns come late.
	BatchSettled BatchState = "settled"
	// BatchRefused: the bank said no to initiate with a 400. Nothing was held.
	BatchRefused BatchState = "refused"
	// BatchQuarantined: the bank's answer did not match what was sent, or it had
	// the batch before it was sent from here. Never submitted; a person gives it
	// up, and a status that moved makes it submitted.
	BatchQuarantined BatchState = "quarantined"
	// BatchAbandoned: given up before it could pay. Never submitted, never left;
	// what the bank shows moving in it all the same is disputed.
	BatchAbandoned BatchState = "abandoned"
	// BatchSetAside: its submit was in doubt, and two people released it. It is polled
	// for 30 days more: a status that moved makes it submitted.
	BatchSetAside BatchState = "set_aside"
)

// BatchStates lists every state, in the order a batch meets them.
var BatchStates = [...]BatchState{
	BatchPlanned, BatchInitiating, BatchInitiateUnknown, BatchHeld, BatchSubmitting, BatchSubmitUnknown,
	BatchSubmitted, BatchSettled, BatchRefused, BatchQuarantined, BatchAbandoned, BatchSetAside,
}

// Open reports whether the batch waits for the bank: a status read can move it on.
func (s BatchState) Open() bool {
	switch s {
	case BatchInitiating, BatchInitiateUnknown, BatchSubmitting, BatchSubmitUnknown, BatchSubmitted:
		return true
	default:
		return false
	}
}

// BatchesInFlight are the states of a batch that the bank may have and has not
// submitted: all of it may still be debited.
var BatchesInFlight = [...]BatchState{BatchInitiating, BatchInitiateUnknown, BatchHeld, BatchSubmitting, BatchSubmitUnknown}

// PayoutsInFlight are the states of a payout of a submitted batch that may still be
// debited.
var PayoutsInFlight = [...]PayoutState{PayoutRequestInitiated, PayoutPending, PayoutInitiated}

// PerhapsDebited reports whether an attempt was ever known to be paid, as far as its
// state tells it, or may have been: also where the money came back, where it is
// disputed, and where people closed the dispute. Of a batch that was submitted it never
// ceases to hold, so that a sum of such attempts never falls.
func (a Attempt) PerhapsDebited() bool {
	switch a.AsRead() {
	case PayoutSuccess, PayoutReturned, PayoutDisputed:
		return true
	case PayoutCancelled:
		return a.Resolved != ResolutionNone
	default:
		return false
	}
}

// AsRead is its state by what could be read of it: one that is disputed by other values
// alone may still be debited, or was paid, as before.
func (a Attempt) AsRead() PayoutState { return cmp.Or(a.Was, a.State) }

// underWay reports whether a call to the bank may be under way.
func (s BatchState) underWay() bool { return s == BatchInitiating || s == BatchSubmitting }

// BatchEvent is what can happen to a batch. Its name is also the kind of the
// audit event that records it.
type BatchEvent string

const (
	InitiateIntended BatchEvent = "initiate_intended" // about to send initiate
	InitiateAccepted BatchEvent = "initiate_accepted" // ACCEPTED, and the echo equals the plan
	InitiateRefused  BatchEvent = "initiate_refused"  // REJECTED with 400
	InitiateUndone   BatchEvent = "initiate_undone"   // REJECTED with 401, or NOT_SENT
	InitiateLost     BatchEvent = "initiate_lost"     // UNKNOWN, or the process died between intent and outcome
	EchoDiffers      BatchEvent = "echo_differs"      // the bank holds something else than was sent, or what cannot be judged
	SeenElsewhere    BatchEvent = "seen_elsewhere"    // the bank has it, and it was not sent from this ledger
	RefusalStands    BatchEvent = "refusal_stands"    // an answered no, and doubt.quiet passed without the bank showing it
	SeenAsPlanned    BatchEvent = "seen_as_planned"   // a complete status read equals the plan, all request_initiated
	DoubtExpired     BatchEvent = "doubt_expired"     // doubt.quiet passed and the bank never showed it
	SubmitIntended   BatchEvent = "submit_intended"   // about to send submit
	SubmitAccepted   BatchEvent = "submit_accepted"   // ACCEPTED
	SubmitRejected   BatchEvent = "submit_rejected"   // REJECTED with 400: OTP wrong or expired, they cannot be told apart
	SubmitUndone     BatchEvent = "submit_undone"     // REJECTED with 401, or NOT_SENT
	SubmitLost       BatchEvent = "submit_lost"       // UNKNOWN, or the process died between intent and outcome
	SeenMoving       BatchEvent = "seen_moving"       // a status read shows a payout beyond request_initiated
	AllFinal         BatchEvent = "all_final"         // every payout is final
	LateAnswer       BatchEvent = "late_answer"       // ACCEPTED, and the answer came after the submit was taken for lost
	Abandoned        BatchEvent = "abandoned"         // a person gave it up
	SetAside         BatchEvent = "set_aside"         // two people released what was in doubt
	ClosedAsPaid     BatchEvent = "closed_as_paid"    // two people said of all that was in doubt that it was paid
)

// BatchEvents lists every event.
var BatchEvents = [...]BatchEvent{
	InitiateIntended, InitiateAccepted, InitiateRefused, InitiateUndone, InitiateLost, EchoDiffers, SeenAsPlanned,
	SeenElsewhere, RefusalStands, DoubtExpired, SubmitIntended, SubmitAccepted, SubmitRejected, SubmitUndone, SubmitLost,
	SeenMoving, AllFinal, LateAnswer, Abandoned, SetAside, ClosedAsPaid,
}

// batchTransitions is the whole machine; what is not in it cannot happen. The
// store's schema repeats it and a test holds the two against each other.
var batchTransitions = map[BatchState]map[BatchEvent]BatchState{
	BatchPlanned: {
		InitiateIntended: BatchInitiating,
		SeenElsewhere:    BatchQuarantined,
		Abandoned:        BatchAbandoned,
	},
	BatchInitiating: {
		InitiateAccepted: BatchHeld,
		InitiateRefused:  BatchRefused,
		InitiateUndone:   BatchPlanned,
		InitiateLost:     BatchInitiateUnknown,
		EchoDiffers:      BatchQuarantined,
	},
	BatchInitiateUnknown: {
		SeenAsPlanned: BatchHeld,
		EchoDiffers:   BatchQuarantined,
		RefusalStands: BatchRefused,
		DoubtExpired:  BatchAbandoned,
		Abandoned:     BatchAbandoned,
	},
	BatchHeld: {
		SubmitIntended: BatchSubmitting,
		SeenMoving:     BatchSubmitted,
		EchoDiffers:    BatchQuarantined, // a later read contradicts the echo
		Abandoned:      BatchAbandoned,
	},
	BatchSubmitting: {
		SubmitAccepted: BatchSubmitted,
		SubmitRejected: BatchHeld,
		SubmitUndone:   BatchHeld,
		SubmitLost:     BatchSubmitUnknown,
	},
	BatchSubmitUnknown: {
		SeenMoving:   BatchSubmitted,
		LateAnswer:   BatchSubmitted,
		SetAside:     BatchSetAside,
		ClosedAsPaid: BatchSubmitted,
	},
	BatchSubmitted: {
		AllFinal: BatchSettled,
	},
	BatchSettled: {},
	BatchRefused: {},
	BatchQuarantined: {
		SeenMoving: BatchSubmitted,
		Abandoned:  BatchAbandoned,
		SetAside:   BatchSetAside, // it cannot be given up while the bank shows what nobody can read
	},
	BatchAbandoned: {},
	BatchSetAside: {
		SeenMoving: BatchSubmitted,
		LateAnswer: BatchSubmitted,
	},
}

// Next returns where the event takes a batch in state s, or ErrTransition.
func (s BatchState) Next(e BatchEvent) (BatchState, error) {
	to, ok := batchTransitions[s][e]
	if !ok {
		return "", fmt.Errorf("%w: %s cannot happen to a batch that is %s", ErrTransition, e, s)
	}
	return to, nil
}

// shows reports whether the event says that the bank has the batch.
func (e BatchEvent) shows() bool {
	switch e {
	case InitiateAccepted, EchoDiffers, SeenElsewhere, SeenAsPlanned, SubmitAccepted, SubmitRejected, SeenMoving, LateAnswer:
		return true
	}
	return false
}

// Released reports whether the event is of a release: no other step is it (see BatchRecord.Release).
func (e BatchEvent) Released() bool { return e == SetAside || e == ClosedAsPaid }

// PayoutsBecome returns the state that the event gives to every attempt of the
// batch at once, or "" when each attempt moves by what was observed of it.
func (e BatchEvent) PayoutsBecome() PayoutState {
	switch e {
	case InitiateAccepted, SeenAsPlanned, SeenMoving:
		return PayoutRequestInitiated
	case InitiateRefused, RefusalStands, DoubtExpired, Abandoned:
		return PayoutCancelled
	default:
		return ""
	}
}

// OtherNumber begins what a batch's note says where an answer showed another number of
// its debit account than is configured. It stays until an answer shows that one.
const OtherNumber = "debit account has the number"

// Differed reports whether an answer about the batch was not as planned, and none since was.
func (b Batch) Differed() bool {
	return b.Attention == StatusDiffers || strings.Contains(b.Note, OtherNumber)
}
