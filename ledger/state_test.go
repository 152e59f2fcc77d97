package ledger_test

import (
	"errors"
	"strings"
	"testing"

	"payrun/ledger"
)

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// The machine, drawn once more by hand from safety.md: every event in every
// state, so that the test is the reference.
var machine = map[ledger.BatchState]map[ledger.BatchEvent]ledger.BatchState{
	"planned": {"initiate_intended": "initiating", "seen_elsewhere": "quarantined", "abandoned": "abandoned"},
	"initiating": {
		"initiate_accepted": "held", "initiate_refused": "refused", "initiate_undone": "planned",
		"initiate_lost": "initiate_unknown", "echo_differs": "quarantined",
	},
	"initiate_unknown": {
		"seen_as_planned": "held", "echo_differs": "quarantined", "refusal_stands": "refused", "doubt_expired": "abandoned", "abandoned": "abandoned",
	},
	"held":           {"submit_intended": "submitting", "seen_moving": "submitted", "echo_differs": "quarantined", "abandoned": "abandoned"},
	"submitting":     {"submit_accepted": "submitted", "submit_rejected": "held", "submit_undone": "held", "submit_lost": "submit_unknown"},
	"submit_unknown": {"seen_moving": "submitted", "late_answer": "submitted", "closed_as_paid": "submitted", "set_aside": "set_aside"},
	"submitted":      {"all_final": "settled"},
	"quarantined":    {"seen_moving": "submitted", "abandoned": "abandoned", "set_aside": "set_aside"},
	"set_aside":      {"seen_moving": "submitted", "late_answer": "submitted"},
}

func TestEveryEventInEveryState(t *testing.T) {
	for _, from := range ledger.BatchStates {
		for _, event := range ledger.BatchEvents {
			want := machine[from][event]
			got, err := from.Next(event)
			if got != want || (want == "") != errors.Is(err, ledger.ErrTransition) {
				t.Errorf("%s in %s: got %q, %v; want %q", event, from, got, err, want)
			}
		}
	}
	if _, err := ledger.BatchState("").Next(ledger.Abandoned); err == nil {
		t.Error("the zero state moves")
	}
}

func TestNothingLeavesAnAbandonedBatchTowardsTheBank(t *testing.T) {
	for _, dead := range []ledger.BatchState{ledger.BatchAbandoned, ledger.BatchRefused, ledger.BatchQuarantined} {
		for _, event := range []ledger.BatchEvent{ledger.InitiateIntended, ledger.SubmitIntended} {
			if to, err := dead.Next(event); err == nil {
				t.Errorf("%s takes a %s batch to %s", event, dead, to)
			}
		}
	}
}

func TestRetryableAndFinal(t *testing.T) {
	for _, c := range []struct {
		state            ledger.PayoutState
		final, retryable bool
	}{
		{"planned", false, false}, {"request_initiated", false, false}, {"pending", false, false}, {"initiated", false, false},
		{"success", true, false}, {"failed", true, true}, {"returned", true, true}, {"disputed", false, false}, {"cancelled", true, true},
		{"", false, false}, {"XYZ", false, false},
	} {
		if c.state.Final() != c.final || c.state.Retryable() != c.retryable {
			t.Errorf("%q: final %t, retryable %t", c.state, c.state.Final(), c.state.Retryable())
		}
	}
}

func TestJudge(t *testing.T) {
	const amount = 10050
	at := func(s ledger.PayoutState) ledger.Attempt {
		return ledger.Attempt{Payout: ledger.Payout{Amount: amount}, State: s, OpenTxnID: "txn-1"}
	}
	said := func(status, code string) ledger.Observation {
		return ledger.Observation{Amount: amount, HasAmount: true, OpenTxnID: "txn-1", Status: status, BankStatusCode: code}
	}
	stepBack := func(number int) ledger.Attempt {
		a := at("disputed")
		a.Number, a.Dispute = number, ledger.DisputeStepBack
		return a
	}
	failedOnce := at("pending")
	failedOnce.FailedReads = 1
	otherAmount, otherTxn, noAmount := said("success", ""), said("success", ""), said("success", "")
	otherAmount.Amount++
	otherTxn.OpenTxnID = "txn-2"
	noAmount.Amount, noAmount.HasAmount = 0, false
	utr := func(a ledger.Attempt) ledger.Attempt { a.BankTxnRefID = "UTR1"; return a }
	noUTR := at("failed")
	noUTR.BankTxnRefID = "NA"
	otherUTR, sameUTR := said("failed", ""), said("failed", "")
	otherUTR.BankTxnRefID, sameUTR.BankTxnRefID = "UTR2", "UTR1"

	for _, c := range []struct {
		name string
		at   ledger.Attempt
		o    ledger.Observation
		want ledger.PayoutState
	}{
		{"submitted and pending", at("request_initiated"), said("pending", "IN_PROCESS"), "pending"},
		{"pending then initiated", at("pending"), said("initiated", "INITIATED"), "initiated"},
		{"initiated then pending is no step back", at("initiated"), said("pending", ""), "pending"},
		{"success", at("initiated"), said("success", "COMPLETED"), "success"},
		{"success from the first read", at("request_initiated"), said("success", ""), "success"},
		{"an absent amount says nothing", at("pending"), noAmount, "success"},
		{"success never from a code", at("pending"), said("pending", "COMPLETED"), "pending"},
		{"failed once is not failed", at("pending"), said("failed", ""), "pending"},
		{"failed twice is", failedOnce, said("failed", ""), "failed"},
		{"failed once then success", failedOnce, said("success", ""), "disputed"},
		{"failed once then pending", failedOnce, said("pending", ""), "disputed"},
		{"failed once then request_initiated", failedOnce, said("request_initiated", ""), "disputed"},
		{"failed then success", at("failed"), said("success", ""), "disputed"},
		{"failed stays failed", at("failed"), said("failed", "X"), "failed"},
		{"success then returned next to success", at("success"), said("success", ledger.CodeReturned), "returned"},
		{"success then returned next to failed", at("success"), said("failed", ledger.CodeReturned), "returned"},
		{"success then returned next to an unknown status", at("success"), said("XYZ", ledger.CodeReturned), "returned"},
		{"success then failed without the code", at("success"), said("failed", "X"), "disputed"},
		{"success then pending", at("success"), said("pending", ""), "disputed"},
		{"success then unknown", at("success"), said("XYZ", ""), "disputed"},
		{"success with any code stays", at("success"), said("success", "WHATEVER"), "success"},
		{"returned in the first read of success", at("pending"), said("success", ledger.CodeReturned), "returned"},
		{"returned next to failed in the first read", at("pending"), said("failed", ledger.CodeReturned), "returned"},
		{"returned next to pending", at("pending"), said("pending", ledger.CodeReturned), "returned"},
		{"an unknown status next to the returned code moves nothing", at("pending"), said("XYZ", ledger.CodeReturned), "pending"},
		{"nor does the returned code before a submit", at("request_initiated"), said("request_initiated", ledger.CodeReturned), "request_initiated"},
		{"failed once then returned next to failed", failedOnce, said("failed", ledger.CodeReturned), "returned"},
		{"failed once then returned next to success", failedOnce, said("success", ledger.CodeReturned), "disputed"},
		{"failed then returned next to failed", at("failed"), said("failed", ledger.CodeReturned), "returned"},
		{"failed then returned next to success", at("failed"), said("success", ledger.CodeReturned), "disputed"},
		{"returned stays", at("returned"), said("failed", ledger.CodeReturned), "returned"},
		{"returned then success", at("returned"), said("success", ""), "disputed"},
		{"a step back", at("pending"), said("request_initiated", ""), "disputed"},
		{"an unknown status moves nothing", at("initiated"), said("XYZ", ""), "initiated"},
		{"an unknown status next to a known code moves nothing", at("pending"), said("Success", "COMPLETED"), "pending"},
		{"another amount", at("pending"), otherAmount, "disputed"},
		{"another open_txn_id", at("pending"), otherTxn, "disputed"},
		{"failed under another UTR", utr(at("failed")), otherUTR, "disputed"},
		{"about to fail under another UTR", utr(at("pending")), otherUTR, "disputed"},
		{"failed under its UTR after NA in its place", noUTR, otherUTR, "failed"},
		{"failed under its UTR", utr(at("failed")), sameUTR, "failed"},
		{"failed under its first UTR", at("failed"), sameUTR, "failed"},
		{"disputed stays", at("disputed"), said("success", ""), "disputed"},
		{"a step back ends with success", stepBack(1), said("success", ""), "success"},
		{"but not with another amount", stepBack(1), otherAmount, "disputed"},
		{"nor with another open_txn_id", stepBack(1), otherTxn, "disputed"},
		{"nor with a return", stepBack(1), said("success", ledger.CodeReturned), "disputed"},
		{"nor with anything else", stepBack(1), said("failed", ""), "disputed"},
		{"nor where another attempt was sent", stepBack(2), said("success", ""), "disputed"},
		{"cancelled and still there", at("cancelled"), said("request_initiated", ""), "cancelled"},
		{"cancelled and paid", at("cancelled"), said("success", ""), "disputed"},
		{"planned and paid", at("planned"), said("success", ""), "disputed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ledger.Judge(c.at, c.o)
			if got.State != c.want {
				t.Errorf("got %s (%s), want %s", got.State, got.Reason, c.want)
			}
			if got.State == ledger.PayoutDisputed && c.at.State != ledger.PayoutDisputed && got.Reason == "" {
				t.Error("disputed without a reason")
			}
		})
	}
}

// What no single observation may ever do, over every state, status and code.
func TestJudgeNeverPromisesTooMuch(t *testing.T) {
	statuses := []string{"request_initiated", "pending", "initiated", "success", "failed", "", "SUCCESS", "XYZ"}
	codes := []string{"", "INITIATED", "IN_PROCESS", "COMPLETED", ledger.CodeReturned, "XYZ"}
	for _, state := range ledger.PayoutStates {
		for _, status := range statuses {
			for _, code := range codes {
				v := ledger.Judge(ledger.Attempt{State: state}, ledger.Observation{Status: status, BankStatusCode: code})
				switch {
				case v.State == ledger.PayoutSuccess && state != ledger.PayoutSuccess && status != "success":
					t.Errorf("%s became success from %q/%q", state, status, code)
				case v.State == ledger.PayoutFailed && state != ledger.PayoutFailed:
					t.Errorf("%s failed on one read of %q/%q", state, status, code)
				case v.State.Retryable() && state != v.State && v.State != ledger.PayoutReturned:
					t.Errorf("%s became retryable (%s) from %q/%q", state, v.State, status, code)
				}
			}
		}
	}
}

func TestCallErrorKnowsA401(t *testing.T) {
	if err := error(&ledger.CallError{Op: "initiate", Outcome: ledger.Rejected, HTTPStatus: 401}); !errors.Is(err, ledger.ErrUnauthorized) {
		t.Error("a 401 is not ErrUnauthorized")
	}
	cause := errors.New("cut")
	if got := (&ledger.CallError{Op: "balance", Outcome: ledger.NotSent, Err: errors.New("refused")}).Error(); got != "balance: not sent: refused" {
		t.Error(got)
	}
	err := error(&ledger.CallError{Op: "submit", Outcome: ledger.Unknown, HTTPStatus: 500, Code: "X", Message: "m\x1b[0m", Err: cause})
	if errors.Is(err, ledger.ErrUnauthorized) || !errors.Is(err, cause) {
		t.Error("wrong class")
	}
	if got := err.Error(); got != `submit: unknown, HTTP 500, X: "m\x1b[0m": cut` {
		t.Errorf("%s", got)
	}
}

// What Judge and the batches' events can do to an attempt is its whole machine.
func TestAnAttemptBecomesWhatSomethingMakesOfItAndNothingElse(t *testing.T) {
	want := map[[2]ledger.PayoutState]bool{
		{ledger.PayoutPlanned, ledger.PayoutRequestInitiated}:   true, // initiate accepted
		{ledger.PayoutPlanned, ledger.PayoutCancelled}:          true, // refused, abandoned
		{ledger.PayoutRequestInitiated, ledger.PayoutCancelled}: true, // abandoned
		{ledger.PayoutDisputed, ledger.PayoutCancelled}:         true, // abandoned from quarantine, released
		{ledger.PayoutDisputed, ledger.PayoutSuccess}:           true, // closed as paid, or shown as success again
		{ledger.PayoutPending, ledger.PayoutCancelled}:          true, // released
		{ledger.PayoutInitiated, ledger.PayoutCancelled}:        true,
		{ledger.PayoutFailed, ledger.PayoutCancelled}:           true,
		{ledger.PayoutReturned, ledger.PayoutCancelled}:         true,
	}
	for _, from := range ledger.PayoutStates {
		want[[2]ledger.PayoutState{from, from}] = true
		for _, status := range []string{ledger.StatusRequestInitiated, ledger.StatusPending, ledger.StatusInitiated, ledger.StatusSuccess, ledger.StatusFailed, "XYZ"} {
			for _, code := range []string{"", "COMPLETED", ledger.CodeReturned} {
				for _, amount := range []ledger.Paise{100, 101} {
					for reads := range 2 {
						a := ledger.Attempt{Payout: ledger.Payout{Amount: 100}, State: from, FailedReads: reads}
						o := ledger.Observation{Status: status, BankStatusCode: code, Amount: amount, HasAmount: true}
						v := ledger.Judge(a, o)
						want[[2]ledger.PayoutState{from, v.State}] = true
						o.Unread = ledger.FieldAmount
						a.State, a.Unread = from, ledger.FieldAmount
						if u := ledger.Judge(a, o); u.Was != "" {
							a.State, a.Was, a.Dispute = u.State, u.Was, u.Dispute
							o.Unread = 0
							want[[2]ledger.PayoutState{ledger.PayoutDisputed, ledger.Judge(a, o).State}] = true
						}
					}
				}
			}
		}
	}
	for _, from := range ledger.PayoutStates {
		for _, to := range append([]ledger.PayoutState{"", "paid"}, ledger.PayoutStates[:]...) {
			if got := from.MayBecome(to); got != want[[2]ledger.PayoutState{from, to}] {
				t.Errorf("%s → %s: %t", from, to, got)
			}
		}
	}
}

// Every state is explained. Those over are the ones of which polling expects nothing more.
func TestWhatIsSaidOfEachState(t *testing.T) {
	over := map[ledger.BatchState]bool{"settled": true, "refused": true, "abandoned": true, "set_aside": true, "quarantined": true}
	for _, s := range ledger.BatchStates {
		if m := s.Meaning(); m.Words == "" || m.Why == "" || m.Fix == "" {
			t.Errorf("%s is not explained: %+v", s, m)
		}
		if s.Over() != over[s] || s.Over() && s.Open() {
			t.Errorf("%s: over is %t, open is %t", s, s.Over(), s.Open())
		}
	}
	for _, s := range ledger.PayoutStates {
		if m := s.Meaning(); m.Words == "" || m.Why == "" || m.Fix == "" {
			t.Errorf("%s is not explained: %+v", s, m)
		}
	}
	if got := ledger.BatchState("not_sent").Words(); got != "Not sent" {
		t.Errorf("what is no state is named %q", got)
	}
}
