package ledger

import (
	"cmp"
	"fmt"
	"slices"
)

// BatchState is the state of a batch. The zero value is invalid.
type BatchState string

const (
	// BatchPlanned: recorded by load or retry, nothing sent. A batch also returns here after a
	// 401 or a request that never left. A crash here means nothing.
	BatchPlanned BatchState = "planned"
	// BatchInitiating: the intent is committed, the call is in progress. After a crash here the
	// next start makes it initiate_unknown.
	BatchInitiating BatchState = "initiating"
	// BatchInitiateUnknown: sent, and no answer could be read. It cannot pay, because money
	// moves only at submit. Status reads resolve it. If doubt.quiet passes first, it is
	// abandoned and its payouts are planned again.
	BatchInitiateUnknown BatchState = "initiate_unknown"
	// BatchHeld: the bank's echo equals the plan, and the bank sends an OTP. A person enters the
	// OTP or abandons it.
	BatchHeld BatchState = "held"
	// BatchSubmitting: the submit intent is committed, the call is in progress. After a crash
	// here the next start makes it submit_unknown.
	BatchSubmitting BatchState = "submitting"
	// BatchSubmitUnknown: submitted, and no answer could be read. It may have paid. It leaves
	// this state only if a status or a late answer shows the submit, or two people release it.
	BatchSubmitUnknown BatchState = "submit_unknown"
	// BatchSubmitted: the bank accepted it; status reads move its payouts.
	BatchSubmitted BatchState = "submitted"
	// BatchSettled: every payout is final. payrun keeps polling a success for
	// poll.success_watch, because returns come late.
	BatchSettled BatchState = "settled"
	// BatchRefused: the bank said no to initiate, or its answer was lost and its payouts may not
	// be planned again without a person. Nothing was held.
	BatchRefused BatchState = "refused"
	// BatchQuarantined: the bank's answer did not match what was sent, or the bank had the
	// batch before this ledger sent it. Never submitted. A person abandons it, two people
	// release it, or a status that moved makes it submitted.
	BatchQuarantined BatchState = "quarantined"
	// BatchAbandoned: abandoned before it could pay. Never submitted, and final. If the bank
	// shows a payout of it moving anyway, that payout is disputed.
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

// Meaning explains a state to people. Every page, table and report takes its words from here.
type Meaning struct {
	Words string // its name: Held for OTP, Submit in doubt, Settled
	Why   string // what it means
	Fix   string // what moves it on
}

// batchMeanings explain the states of a batch (docs/reference.md).
var batchMeanings = map[BatchState]Meaning{
	BatchPlanned: {"Planned", "recorded by load or retry; nothing was sent",
		"payrun initiate sends it; payrun abandon cancels it."},
	BatchInitiating: {"Being initiated", "initiate is being sent, or was cut off",
		"If it was cut off, the next command makes it initiate_unknown and asks the bank."},
	BatchInitiateUnknown: {"Initiate in doubt", "initiate was sent and its outcome is not known; it cannot pay without an OTP",
		"payrun poll asks. If the bank does not show it for doubt.quiet, it is abandoned and planned again, or refused if the bank answered no."},
	BatchHeld: {"Held for OTP", "the bank has it exactly as it was sent, and waits for the OTP",
		"payrun submit enters the OTP; payrun abandon cancels it."},
	BatchSubmitting: {"Being submitted", "submit is being sent, or was cut off",
		"If it was cut off, the next command makes it submit_unknown and asks the bank."},
	BatchSubmitUnknown: {"Submit in doubt", "submit was sent and its outcome is not known: it may have paid, and its payouts are locked",
		"It is never sent again. payrun poll asks. If the bank confirms in writing that it was not paid, two people release it: payrun resolve."},
	BatchSubmitted: {"Submitted", "the bank took the OTP and works on it",
		"payrun poll follows it."},
	BatchSettled: {"Settled", "every payout of it is final",
		"Nothing; it is watched for returns until poll.success_watch has passed."},
	BatchRefused: {"Refused", "the bank said no to initiate, or gave no answer and its payouts may not be planned again by themselves; nothing was held",
		"Find out why. Then payrun retry plans its payouts again, or payrun abandon records that it is dealt with."},
	BatchQuarantined: {"Quarantined", "the bank has something else than was sent, or had the batch before it was sent; it is never submitted",
		"Compare it with the bank; then payrun abandon cancels it."},
	BatchAbandoned: {"Abandoned", "abandoned before it could pay",
		"payrun retry plans its payouts again."},
	BatchSetAside: {"Released", "two people released it with the bank's written confirmation that it was not paid",
		"payrun retry plans its payouts when it is named. It is watched for 30 days: a payout that moves is locked again."},
}

// Meaning explains the state.
func (s BatchState) Meaning() Meaning { return batchMeanings[s] }

// Words returns the name of a state for people. Any other value, such as an outcome, keeps its own name.
func (s BatchState) Words() string { return cmp.Or(s.Meaning().Words, capitalised(string(s))) }

// Open reports whether the batch waits for the bank: a status read can move it on.
func (s BatchState) Open() bool {
	return s == BatchInitiating || s == BatchInitiateUnknown || s.SubmitSent() || s == BatchSubmitted
}

// Over reports whether nothing more is expected of the bank. payrun still watches such a batch.
func (s BatchState) Over() bool { return slices.Contains(batchesOver[:], s) }

var batchesOver = [...]BatchState{BatchSettled, BatchRefused, BatchAbandoned, BatchSetAside, BatchQuarantined}

// BatchesPolled are the states in which a status read can show something new. A held
// batch is polled too, to notice a payout that moves although nothing was submitted.
var BatchesPolled = [...]BatchState{BatchInitiateUnknown, BatchHeld, BatchSubmitUnknown, BatchSubmitted, BatchQuarantined}

// BatchesInFlight are the states of a batch that the bank may have, before its submit
// succeeded: all of it may still be debited.
var BatchesInFlight = [...]BatchState{BatchInitiating, BatchInitiateUnknown, BatchHeld, BatchSubmitting, BatchSubmitUnknown}

// PayoutsInFlight are the states of a payout of a submitted batch that may still be
// debited.
var PayoutsInFlight = [...]PayoutState{PayoutRequestInitiated, PayoutPending, PayoutInitiated}

// SubmitSent reports whether a submit was sent and its outcome is not known.
func (s BatchState) SubmitSent() bool { return s == BatchSubmitting || s == BatchSubmitUnknown }

// Accepted reports whether the bank took the submit.
func (s BatchState) Accepted() bool { return s == BatchSubmitted || s == BatchSettled }

// PerhapsSubmitted reports whether the bank took a submit of the batch, or may have taken one. A
// submit that is being sent counts once its outcome is recorded.
func (b Batch) PerhapsSubmitted() bool {
	return !b.SubmittedAt.IsZero() || b.State == BatchSubmitUnknown || b.State == BatchSetAside
}

// InProgress reports whether a call to the bank may be in progress.
func (s BatchState) InProgress() bool { return s == BatchInitiating || s == BatchSubmitting }

// BatchEvent is what can happen to a batch. Its name is also the kind of the
// audit event that records it.
type BatchEvent string

const (
	InitiateIntended BatchEvent = "initiate_intended" // about to send initiate
	InitiateAccepted BatchEvent = "initiate_accepted" // ACCEPTED, and the echo equals the plan
	InitiateRefused  BatchEvent = "initiate_refused"  // REJECTED with 400
	InitiateUndone   BatchEvent = "initiate_undone"   // REJECTED with 401, or NOT_SENT
	InitiateLost     BatchEvent = "initiate_lost"     // UNKNOWN, or the process died between intent and outcome
	EchoDiffers      BatchEvent = "echo_differs"      // the bank has something other than what was sent, or its answer cannot be checked
	SeenElsewhere    BatchEvent = "seen_elsewhere"    // the bank has it, and this ledger did not send it
	SeenAsPlanned    BatchEvent = "seen_as_planned"   // a complete status read equals the plan, all request_initiated
	DoubtExpired     BatchEvent = "doubt_expired"     // doubt.quiet passed and the bank never showed it
	RefusalStands    BatchEvent = "refusal_stands"    // the same, and the bank answered no, or the payouts may not be planned again
	SubmitIntended   BatchEvent = "submit_intended"   // about to send submit
	SubmitAccepted   BatchEvent = "submit_accepted"   // ACCEPTED
	SubmitRejected   BatchEvent = "submit_rejected"   // REJECTED with 400: OTP wrong or expired, the answer does not say which
	SubmitUndone     BatchEvent = "submit_undone"     // REJECTED with 401, or NOT_SENT
	SubmitLost       BatchEvent = "submit_lost"       // UNKNOWN, or the process died between intent and outcome
	SeenMoving       BatchEvent = "seen_moving"       // a status read shows a payout beyond request_initiated
	AllFinal         BatchEvent = "all_final"         // every payout is final
	LateAnswer       BatchEvent = "late_answer"       // ACCEPTED, after the submit was recorded as lost
	Abandoned        BatchEvent = "abandoned"         // a person abandoned it
	SetAside         BatchEvent = "set_aside"         // two people released a batch in doubt
	ClosedAsPaid     BatchEvent = "closed_as_paid"    // two people confirmed that all payouts in doubt were paid
)

// BatchEvents lists every event.
var BatchEvents = [...]BatchEvent{
	InitiateIntended, InitiateAccepted, InitiateRefused, InitiateUndone, InitiateLost, EchoDiffers, SeenAsPlanned,
	SeenElsewhere, RefusalStands, DoubtExpired, SubmitIntended, SubmitAccepted, SubmitRejected, SubmitUndone, SubmitLost,
	SeenMoving, AllFinal, LateAnswer, Abandoned, SetAside, ClosedAsPaid,
}

// batchTransitions lists every transition of a batch. Any other cannot happen. The store's
// schema repeats the list, and a test compares the two.
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
		SetAside:   BatchSetAside, // it cannot be abandoned while the bank shows a status that payrun cannot read
	},
	BatchAbandoned: {},
	BatchSetAside: {
		SeenMoving: BatchSubmitted,
		LateAnswer: BatchSubmitted,
	},
}

// Next returns the state that event e leads to from state s, or ErrTransition.
func (s BatchState) Next(e BatchEvent) (BatchState, error) {
	to, ok := batchTransitions[s][e]
	if !ok {
		return "", fmt.Errorf("%w: %s cannot happen to a batch that is %s", ErrTransition, e, s)
	}
	return to, nil
}

// shows reports whether the event shows that the bank has the batch.
func (e BatchEvent) shows() bool {
	return slices.Contains([]BatchEvent{InitiateAccepted, EchoDiffers, SeenElsewhere, SeenAsPlanned, SubmitAccepted, SubmitRejected, SeenMoving, LateAnswer}, e)
}

// Released reports whether the event belongs to a release, and to no other step (see
// BatchRecord.Release).
func (e BatchEvent) Released() bool { return e == SetAside || e == ClosedAsPaid }

// PayoutsBecome returns the state that the event gives to every attempt of the batch at once,
// or "" if each attempt moves by its own observations.
func (e BatchEvent) PayoutsBecome() PayoutState { return payoutsBecome[e] }

var payoutsBecome = map[BatchEvent]PayoutState{
	InitiateAccepted: PayoutRequestInitiated, SeenAsPlanned: PayoutRequestInitiated, SeenMoving: PayoutRequestInitiated,
	InitiateRefused: PayoutCancelled, RefusalStands: PayoutCancelled, DoubtExpired: PayoutCancelled, Abandoned: PayoutCancelled,
}

// Differed reports whether an answer about the batch differed from the plan, and no later
// answer matched it.
func (b Batch) Differed() bool {
	return b.Attention == StatusDiffers || b.OtherNumber != ""
}
