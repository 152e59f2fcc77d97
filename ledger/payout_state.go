package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// PayoutState is the state of a payout: that of its latest attempt (Latest). The zero value is invalid.
type PayoutState string

const (
	PayoutPlanned          PayoutState = "planned"           // in a planned batch; nothing was sent
	PayoutRequestInitiated PayoutState = "request_initiated" // the bank echoed it; no OTP yet
	PayoutPending          PayoutState = "pending"           // submitted, the bank works on it
	PayoutInitiated        PayoutState = "initiated"         // submitted, the bank works on it
	PayoutSuccess          PayoutState = "success"           // the bank says paid; watched for returns
	PayoutFailed           PayoutState = "failed"            // the bank says not paid, in two reads
	PayoutReturned         PayoutState = "returned"          // paid, and the money came back
	PayoutDisputed         PayoutState = "disputed"          // the bank contradicts itself; a person decides
	PayoutCancelled        PayoutState = "cancelled"         // its batch was refused or abandoned before it could pay
)

// PayoutStates lists every state.
var PayoutStates = [...]PayoutState{
	PayoutPlanned, PayoutRequestInitiated, PayoutPending, PayoutInitiated, PayoutSuccess,
	PayoutFailed, PayoutReturned, PayoutDisputed, PayoutCancelled,
}

// payoutMeanings explain the states of a payout. A payout is with the bank from the echo on,
// before and after the OTP.
var payoutMeanings = map[PayoutState]Meaning{
	PayoutPlanned: {"Not sent yet", "in a planned batch; nothing was sent",
		"payrun initiate sends its batch."},
	PayoutRequestInitiated: {"With the bank", "the bank echoed it and waits for the OTP of its batch",
		"payrun submit enters the OTP."},
	PayoutPending: {"Pending", "the bank works on it",
		"payrun poll follows it."},
	PayoutInitiated: {"Initiated", "the bank works on it",
		"payrun poll follows it."},
	PayoutSuccess: {"Paid", "the bank's status says so",
		"Nothing; it is watched for a return until poll.success_watch has passed."},
	PayoutFailed: {"Failed", "the bank said so twice",
		"Clear up the reason; then payrun retry plans a new attempt."},
	PayoutReturned: {"Returned", "it was paid, and the beneficiary's bank sent the money back",
		"Confirm account and IFSC with the payee; then payrun retry plans a new attempt."},
	PayoutDisputed: {"Disputed", "the bank contradicts what it showed before, shows a value that cannot be read, or paid what was abandoned or released: it may have been paid, and is locked",
		"Ask the bank. Two people release it with the bank's written confirmation, or close it as paid: payrun resolve."},
	PayoutCancelled: {"Cancelled", "its batch was refused or abandoned before it could pay, or two people released it",
		"payrun retry plans it again, if it is still to be paid."},
}

// Meaning explains the state.
func (s PayoutState) Meaning() Meaning { return payoutMeanings[s] }

// Words returns the name of a state for people: Not sent yet, With the bank, Paid.
func (s PayoutState) Words() string { return cmp.Or(s.Meaning().Words, capitalised(string(s))) }

// Final reports whether the bank has nothing more to do.
func (s PayoutState) Final() bool { return s == PayoutSuccess || s.Retryable() }

// Awaited reports whether the bank has yet to end it: it is neither final nor disputed. People
// end a dispute.
func (s PayoutState) Awaited() bool { return !s.Final() && s != PayoutDisputed }

// Retryable reports whether a new attempt may be planned: the payee does not have the money,
// and the money is not on its way. Every other state is live, and a payout has at most one
// live attempt.
func (s PayoutState) Retryable() bool {
	return s == PayoutFailed || s == PayoutReturned || s == PayoutCancelled
}

// Latest returns which of all attempts of a payout decides about it: the newest, but one that surely did not pay gives way
// to one before it that may have. The bank may correct `failed` to `success` after the payout was planned again.
func Latest(all []Attempt) int {
	for i := range slices.Backward(all) {
		if !all[i].State.Retryable() {
			return i
		}
	}
	return len(all) - 1
}

// payoutTransitions lists every transition of an attempt: exactly what Judge and
// BatchEvent.PayoutsBecome can do. A test checks that. The store's schema repeats it.
var payoutTransitions = map[PayoutState][]PayoutState{
	PayoutPlanned: {PayoutRequestInitiated, PayoutDisputed, PayoutCancelled},
	PayoutRequestInitiated: {
		PayoutPending, PayoutInitiated, PayoutSuccess, PayoutFailed, PayoutReturned, PayoutDisputed, PayoutCancelled,
	},
	PayoutPending:   {PayoutInitiated, PayoutSuccess, PayoutFailed, PayoutReturned, PayoutDisputed, PayoutCancelled},
	PayoutInitiated: {PayoutPending, PayoutSuccess, PayoutFailed, PayoutReturned, PayoutDisputed, PayoutCancelled},
	PayoutSuccess:   {PayoutReturned, PayoutDisputed},
	PayoutFailed:    {PayoutReturned, PayoutDisputed, PayoutCancelled},
	PayoutReturned:  {PayoutDisputed, PayoutCancelled},
	PayoutDisputed: {
		PayoutRequestInitiated, PayoutPending, PayoutInitiated, PayoutSuccess, PayoutFailed, PayoutReturned, PayoutCancelled,
	},
	PayoutCancelled: {PayoutDisputed},
}

// MayBecome reports whether an attempt may move from state s to state to, or keep its state.
func (s PayoutState) MayBecome(to PayoutState) bool {
	return s == to || slices.Contains(payoutTransitions[s], to)
}

// The statuses, and the one bank code whose meaning the interface shows, in its spelling
// (interface.md, "Payout").
const (
	StatusRequestInitiated = "request_initiated"
	StatusPending          = "pending"
	StatusInitiated        = "initiated"
	StatusSuccess          = "success"
	StatusFailed           = "failed"
	CodeReturned           = "RETURNED_FROM_BENEFICIARY"
)

// Verdict is what Judge concludes from one observation.
type Verdict struct {
	State       PayoutState
	FailedReads int
	Reason      string       // for people; "" if there is nothing to say
	Dispute     DisputeCause // why it is disputed; "" otherwise
	Was         PayoutState  // see Attempt
	Unread      Fields
}

// DisputeCause says why an attempt is disputed. The lock `contradicted` shows it.
type DisputeCause string

const (
	DisputeAmount    DisputeCause = "amount"     // the bank showed another amount, account, payee or id
	DisputeStepBack  DisputeCause = "step_back"  // it was success, and the bank no longer says so
	DisputeLeft      DisputeCause = "left"       // it was failed, returned or moving, and the bank shows a status that cannot follow
	DisputeMoved     DisputeCause = "moved"      // it was never submitted, or was abandoned or released, and it moved
	DisputeUnread    DisputeCause = "unread"     // the bank showed a value that cannot be read
	DisputeStatement DisputeCause = "statement"  // it was released, and a statement shows something new about it
	DisputeByPeople  DisputeCause = "two_people" // two people closed it as paid on the bank's confirmation
)

// endsItself reports whether a later status can end the dispute (safety.md, "Locks").
func (c DisputeCause) endsItself() bool { return c == DisputeStepBack || c == DisputeUnread }

// Judge decides how one observation moves an attempt. It is pure, and no other code decides
// on a status:
//
//   - an observation that contradicts the known facts (another amount, another open_txn_id, a
//     failure under another UTR, a step back) makes it disputed, and no observation ends that.
//     One exception: a step back from success ends when success is shown again, if it is the
//     first attempt, so no other was sent. The caller passes only complete reads;
//   - a value that cannot be read makes it disputed too, until it is shown as planned;
//   - failed counts only if a second read in a row says so;
//   - success comes only from the status success, never from a bank code;
//   - the code RETURNED_FROM_BENEFICIARY makes it returned, with any listed status;
//   - a status the interface does not list moves nothing, and is never final.
func Judge(a Attempt, o Observation) Verdict {
	unread := a.stillUnread(o)
	if a.Dispute == DisputeUnread {
		a.State, a.Reason, a.Dispute = a.Was, "", ""
	}
	v := judge(a, o)
	switch {
	case unread == 0, v.State == PayoutDisputed, v.State == PayoutPlanned, v.State == PayoutCancelled && o.Status == StatusRequestInitiated:
		return v
	}
	return Verdict{State: PayoutDisputed, Dispute: DisputeUnread, Was: v.State, Unread: unread, FailedReads: v.FailedReads,
		Reason: fmt.Sprintf("the bank showed what cannot be read (%s), and has not shown it as planned since", unread)}
}

// JudgePart is Judge for a read that broke off or that shows another payee. It ends no dispute.
func JudgePart(a Attempt, o Observation) Verdict {
	v := Judge(a, o)
	switch {
	case a.State != PayoutDisputed, v.State == PayoutDisputed && v.Dispute != DisputeUnread:
		return v
	case a.Dispute == DisputeUnread:
		return Verdict{State: PayoutDisputed, Dispute: DisputeUnread, Was: cmp.Or(v.Was, v.State), Unread: a.Unread | v.Unread, FailedReads: v.FailedReads, Reason: a.Reason}
	}
	return Verdict{State: a.State, FailedReads: a.FailedReads, Reason: a.Reason, Dispute: a.Dispute}
}

// RealUTR reports whether a text can be a UTR. Words and zeros are shown in place of one: NA, 000000000000.
func RealUTR(text string) bool { return strings.ContainsAny(text, "123456789") }

// judge is Judge without the fields that could not be read.
func judge(a Attempt, o Observation) Verdict {
	stay := Verdict{State: a.State, FailedReads: a.FailedReads, Reason: a.Reason, Dispute: a.Dispute}
	dispute := func(cause DisputeCause, format string, args ...any) Verdict {
		return Verdict{State: PayoutDisputed, Reason: fmt.Sprintf(format, args...), Dispute: cause}
	}
	switch {
	case a.Resolved != ResolutionNone && a.asReleased(o):
		return stay
	case a.Resolved == ResolutionPaid && (o.Status == StatusFailed || o.BankStatusCode == CodeReturned):
		return dispute(DisputeMoved, "two people closed it as paid, and the bank now says %q with code %q", o.Status, o.BankStatusCode)
	case a.Resolved != ResolutionNone && a.State == PayoutDisputed:
		return stay
	case a.Resolved != ResolutionNone:
		return dispute(DisputeMoved, "it was released, and the bank now says %q", o.Status)
	case a.State == PayoutDisputed && a.Dispute == DisputeStepBack && a.Number <= 1 && o.asPaid(a):
		return Verdict{State: PayoutSuccess}
	case a.State == PayoutDisputed:
		return stay
	case a.State == PayoutCancelled && o.Status == StatusRequestInitiated:
		return stay // abandoned, and the bank shows that it never moved
	case o.HasAmount && o.Amount != a.Amount:
		return dispute(DisputeAmount, "the bank now says %s, the sheet said %s", o.Amount, a.Amount)
	case o.OpenTxnID != "" && a.OpenTxnID != "" && o.OpenTxnID != a.OpenTxnID:
		return dispute(DisputeAmount, "open_txn_id changed from %s to %s", a.OpenTxnID, o.OpenTxnID)
	case o.Unread&FieldStatus != 0:
		return stay
	}
	returned := o.BankStatusCode == CodeReturned
	if o.Status == StatusFailed && !returned && RealUTR(o.BankTxnRefID) && RealUTR(a.BankTxnRefID) && o.BankTxnRefID != a.BankTxnRefID {
		return dispute(DisputeAmount, "it failed under another UTR: bank_txn_ref_id changed from %s to %s", a.BankTxnRefID, o.BankTxnRefID) // a debit may carry the first
	}
	cameBack := Verdict{State: PayoutReturned, Reason: "paid, then returned by the beneficiary's bank"}
	switch a.State {
	case PayoutSuccess:
		switch {
		case returned:
			return cameBack
		case o.Status == StatusSuccess:
			return stay
		}
		return dispute(DisputeStepBack, "was success, now the bank says %q", o.Status)
	case PayoutReturned:
		if returned {
			return stay
		}
		return dispute(DisputeLeft, "was returned, now the bank says %q with code %q", o.Status, o.BankStatusCode)
	case PayoutFailed:
		switch {
		case o.Status == StatusFailed && returned:
			return cameBack
		case o.Status == StatusFailed:
			return stay
		}
		return dispute(DisputeLeft, "was failed, now the bank says %q", o.Status)
	case PayoutCancelled, PayoutPlanned:
		if o.Status == StatusRequestInitiated {
			return stay
		}
		return dispute(DisputeMoved, "was never submitted, and the bank says %q", o.Status)
	}
	if returned && o.Moving() && (a.FailedReads == 0 || o.Status == StatusFailed) {
		return cameBack
	}
	switch o.Status {
	case StatusSuccess:
		if a.FailedReads > 0 {
			return dispute(DisputeLeft, "the bank said failed, now it says %q", o.Status)
		}
		return Verdict{State: PayoutSuccess}
	case StatusFailed:
		if a.FailedReads == 0 {
			return Verdict{State: a.State, FailedReads: 1, Reason: "the bank says failed; waiting for a second read"}
		}
		return Verdict{State: PayoutFailed, FailedReads: a.FailedReads + 1, Reason: strings.TrimSuffix("the bank says failed: "+o.BankStatusCode, ": ")}
	case StatusPending, StatusInitiated:
		if a.FailedReads > 0 {
			return dispute(DisputeLeft, "the bank said failed, now it says %q", o.Status)
		}
		return Verdict{State: PayoutState(o.Status)}
	case StatusRequestInitiated:
		if a.State != PayoutRequestInitiated || a.FailedReads > 0 {
			return dispute(DisputeLeft, "the bank went back to %q", o.Status)
		}
		return stay
	}
	return Verdict{State: a.State, Reason: fmt.Sprintf("the bank says %q, which its interface does not list", o.Status)}
}

// asReleased reports whether the bank shows a released attempt exactly as the two people saw
// it. If the bank did not show it then, no observation counts as the same.
func (a Attempt) asReleased(o Observation) bool {
	if o.Unread&a.Compared() != 0 {
		return false
	}
	switch a.Resolved {
	case ResolutionNotPaid:
		return o.Status == a.Status && o.BankStatusCode == a.BankStatusCode && (o.OpenTxnID == "" || o.OpenTxnID == a.OpenTxnID) &&
			(o.BankTxnRefID == "" || o.BankTxnRefID == a.BankTxnRefID)
	case ResolutionPaid:
		return o.Status == a.Status && o.BankStatusCode == a.BankStatusCode || o.asPaid(a)
	}
	return false
}

// Moving reports whether the status is beyond request_initiated: the bank acted on a submit. A
// status that the interface does not list proves nothing.
func (o Observation) Moving() bool {
	return Listed(o.Status) && o.Status != "" && o.Status != StatusRequestInitiated
}

// asPaid reports whether the bank shows the attempt as success, with the planned values.
func (o Observation) asPaid(a Attempt) bool {
	return o.Status == StatusSuccess && o.BankStatusCode != CodeReturned && o.Unread&a.Compared() == 0 && (!o.HasAmount || o.Amount == a.Amount) &&
		(o.OpenTxnID == "" || a.OpenTxnID == "" || o.OpenTxnID == a.OpenTxnID)
}
