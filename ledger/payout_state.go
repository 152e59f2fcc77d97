package ledger

import (
	"fmt"
	"slices"
)

// PayoutState is where a payout stands: the state of its latest attempt. The
// zero value is invalid.
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

// Final reports whether the bank has nothing more to do.
func (s PayoutState) Final() bool {
	switch s {
	case PayoutSuccess, PayoutFailed, PayoutReturned, PayoutCancelled:
		return true
	default:
		return false
	}
}

// Awaited reports whether the bank has yet to end it: it is not final, and not
// disputed, which people end.
func (s PayoutState) Awaited() bool { return !s.Final() && s != PayoutDisputed }

// Retryable reports whether a new attempt may be planned: the money is surely
// not with the payee and not on its way. Everything else is live, and a payout
// has at most one live attempt.
func (s PayoutState) Retryable() bool {
	switch s {
	case PayoutFailed, PayoutReturned, PayoutCancelled:
		return true
	default:
		return false
	}
}

// payoutTransitions is the whole machine of an attempt: what Judge and
// BatchEvent.PayoutsBecome can do, no more, which a test holds against it. The
// store's schema repeats it.
var payoutTransitions = map[PayoutState][]PayoutState{
	PayoutPlanned: {PayoutRequestInitiated, PayoutDisputed, PayoutCancelled},
	PayoutRequestInitiated: {
		PayoutPending, PayoutInitiated, PayoutSuccess, PayoutFailed, PayoutReturned, PayoutDisputed, PayoutCancelled,
	},
	PayoutPending:   {PayoutInitiated, PayoutSuccess, PayoutFailed, PayoutReturned, PayoutDisputed},
	PayoutInitiated: {PayoutPending, PayoutSuccess, PayoutFailed, PayoutReturned, PayoutDisputed},
	PayoutSuccess:   {PayoutReturned, PayoutDisputed},
	PayoutFailed:    {PayoutDisputed},
	PayoutReturned:  {PayoutDisputed},
	PayoutDisputed:  {PayoutCancelled, PayoutSuccess},
	PayoutCancelled: {PayoutDisputed},
}

// MayBecome reports whether an attempt in state s can be in state to next, or
// stays where it is.
func (s PayoutState) MayBecome(to PayoutState) bool {
	return s == to || slices.Contains(payoutTransitions[s], to)
}

// Statuses and the one bank code whose meaning is plain, as the interface
// spells them (interface.md, "Payout").
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
	Reason      string // for people; "" when nothing needs saying
}

// Judge tells where one observation moves an attempt. It is pure, and the only
// place that decides on a status:
//
//   - what contradicts what is known (another amount, another open_txn_id, a
//     step back) makes it disputed, and disputed stays;
//   - failed counts only when a second read in a row says so;
//   - success comes only from the status success, never from a bank code;
//   - after success the code RETURNED_FROM_BENEFICIARY makes it returned,
//     whatever the status beside it;
//   - a status the interface does not list moves nothing, and is never final.
func Judge(a Attempt, o Observation) Verdict {
	stay := Verdict{State: a.State, FailedReads: a.FailedReads, Reason: a.Reason}
	dispute := func(format string, args ...any) Verdict {
		return Verdict{State: PayoutDisputed, Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case a.State == PayoutDisputed:
		return stay
	case (a.Resolved == ResolutionPaid || a.Resolved == ResolutionNotPaid) && o.Status == a.Status && o.BankStatusCode == a.BankStatusCode &&
		(a.Resolved == ResolutionNotPaid || !o.HasAmount || o.Amount == a.Amount) && (o.OpenTxnID == "" || o.OpenTxnID == a.OpenTxnID):
		return stay // as people saw it when they closed the dispute
	case a.State == PayoutCancelled && o.Status == StatusRequestInitiated:
		return stay // given up, whatever the bank holds: it never moved
	case o.HasAmount && o.Amount != a.Amount:
		return dispute("the bank now says %s, the sheet said %s", o.Amount, a.Amount)
	case o.OpenTxnID != "" && a.OpenTxnID != "" && o.OpenTxnID != a.OpenTxnID:
		return dispute("open_txn_id changed from %s to %s", a.OpenTxnID, o.OpenTxnID)
	}
	returned := o.BankStatusCode == CodeReturned
	switch a.State {
	case PayoutSuccess:
		switch {
		case returned:
			return Verdict{State: PayoutReturned, Reason: "paid, then returned by the beneficiary's bank"}
		case o.Status == StatusSuccess:
			return stay
		}
		return dispute("was success, now the bank says %q", o.Status)
	case PayoutReturned:
		if returned {
			return stay
		}
		return dispute("was returned, now the bank says %q with code %q", o.Status, o.BankStatusCode)
	case PayoutFailed:
		if o.Status == StatusFailed {
			return stay
		}
		return dispute("was failed, now the bank says %q", o.Status)
	case PayoutCancelled, PayoutPlanned:
		if o.Status == StatusRequestInitiated {
			return stay
		}
		return dispute("was never submitted, and the bank says %q", o.Status)
	}
	switch o.Status {
	case StatusSuccess:
		switch {
		case a.FailedReads > 0:
			return dispute("the bank said failed, now it says %q", o.Status)
		case returned:
			return Verdict{State: PayoutReturned, Reason: "paid, then returned by the beneficiary's bank"}
		}
		return Verdict{State: PayoutSuccess}
	case StatusFailed:
		if a.FailedReads == 0 {
			return Verdict{State: a.State, FailedReads: 1, Reason: "the bank says failed; waiting for a second read"}
		}
		return Verdict{State: PayoutFailed, FailedReads: a.FailedReads + 1, Reason: failedReason(o)}
	case StatusPending, StatusInitiated:
		if a.FailedReads > 0 {
			return dispute("the bank said failed, now it says %q", o.Status)
		}
		return Verdict{State: PayoutState(o.Status)}
	case StatusRequestInitiated:
		if a.State != PayoutRequestInitiated || a.FailedReads > 0 {
			return dispute("the bank went back to %q", o.Status)
		}
		return stay
	}
	return Verdict{State: a.State, Reason: fmt.Sprintf("the bank says %q, which its interface does not list", o.Status)}
}

func failedReason(o Observation) string {
	if o.BankStatusCode == CodeReturned {
		return "the bank says failed: returned from the beneficiary"
	}
	if o.BankStatusCode == "" {
		return "the bank says failed"
	}
	return "the bank says failed: " + o.BankStatusCode
}
