package app

import (
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// stateWords explain a state: a heading, what it means, and what moves on.
type stateWords struct{ title, why, fix string }

func stateOf(code, kind string, w stateWords) doc.Explanation {
	return doc.Explanation{Code: code, Kind: kind, Title: w.title, Why: w.why, Fix: w.fix}
}

// batchStates explain the states of a batch (docs/states.md).
var batchStates = map[ledger.BatchState]stateWords{
	ledger.BatchPlanned:         {"Planned", "recorded by load or retry; nothing was sent", "payrun initiate sends it; payrun abandon gives it up."},
	ledger.BatchInitiating:      {"Being initiated", "initiate is under way, or was cut off", "The next command that asks the bank makes initiate_unknown of what was cut off."},
	ledger.BatchInitiateUnknown: {"Initiate in doubt", "initiate was sent and what came of it is not known; it cannot pay without an OTP", "payrun poll asks. What the bank does not show for doubt.quiet is given up and planned again, or refused where the bank answered no."},
	ledger.BatchHeld:            {"Held for its OTP", "the bank has it, exactly as it was sent, and waits for the OTP", "payrun submit enters the OTP; payrun abandon gives it up."},
	ledger.BatchSubmitting:      {"Being submitted", "submit is under way, or was cut off", "The next command that asks the bank makes submit_unknown of what was cut off."},
	ledger.BatchSubmitUnknown:   {"Submit in doubt", "submit was sent and what came of it is not known: it may have paid", "It is never sent again. payrun poll asks; after poll.overdue_after payrun resolve takes a decision."},
	ledger.BatchSubmitted:       {"Submitted", "the bank took the OTP and works on it", "payrun poll follows it."},
	ledger.BatchSettled:         {"Settled", "every payout of it is final", "Nothing; it is watched for returns until poll.success_watch has passed."},
	ledger.BatchRefused:         {"Refused", "the bank said no to initiate; nothing was held", "Find out why; then payrun retry plans its payouts again, or payrun abandon records that it is dealt with."},
	ledger.BatchQuarantined:     {"Quarantined", "the bank holds something else than was sent, or had it before it was sent from here; it is never submitted", "Find out with the bank; then payrun abandon gives it up."},
	ledger.BatchAbandoned:       {"Given up", "given up before it could pay", "payrun retry plans its payouts again."},
	ledger.BatchSetAside:        {"Set aside", "believed never to have been submitted", "It is still watched: what moves at the bank is submitted after all."},
}

// payoutStates explain the states of a payout.
var payoutStates = map[ledger.PayoutState]stateWords{
	ledger.PayoutPlanned:          {"Planned", "in a planned batch; nothing was sent", "payrun initiate sends its batch."},
	ledger.PayoutRequestInitiated: {"With the bank, no OTP yet", "the bank echoed it and waits for the OTP of its batch", "payrun submit enters the OTP."},
	ledger.PayoutPending:          {"Submitted", "the bank works on it", "payrun poll follows it."},
	ledger.PayoutInitiated:        {"Submitted", "the bank works on it", "payrun poll follows it."},
	ledger.PayoutSuccess:          {"Paid", "the bank's status says so", "Nothing; it is watched for a return until poll.success_watch has passed."},
	ledger.PayoutFailed:           {"Not paid", "the bank said so twice", "Clear up the reason; then payrun retry plans a new attempt."},
	ledger.PayoutReturned:         {"Returned", "it was paid, and the beneficiary's bank sent the money back", "Confirm account and IFSC with the payee; then payrun retry plans a new attempt."},
	ledger.PayoutDisputed:         {"Disputed", "the bank contradicts itself, or moved what was given up here: it may have paid", "Ask the bank. It is not retried until that is clear."},
	ledger.PayoutCancelled:        {"Cancelled", "its batch was refused or given up before it could pay", "payrun retry plans it again, where it is still to be paid."},
}

// bankStatuses explain the partner banks' own words that the interface shows
// (interface.md, "Payout", bank_status_code); it lists no others.
var bankStatuses = [...]struct {
	code string
	stateWords
}{
	{"INITIATED", stateWords{"The bank has begun", "the partner bank's own word beside the status", "payrun poll follows it; only the status says that it is paid."}},
	{"IN_PROCESS", stateWords{"The bank works on it", "the partner bank's own word beside the status", "payrun poll follows it; only the status says that it is paid."}},
	{"COMPLETED", stateWords{"The bank is done", "the partner bank's own word beside the status; by itself it proves no payment", "payrun poll follows it; only the status says that it is paid."}},
	{ledger.CodeReturned, stateWords{"The money came back", "the beneficiary's bank sent it back: a payout that was paid is then returned",
		"Confirm account and IFSC with the payee; then payrun retry --out writes it to be corrected."}},
}
