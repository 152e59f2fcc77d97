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

// batchStates explain the states of a batch (docs/reference.md).
var batchStates = map[ledger.BatchState]stateWords{
	ledger.BatchPlanned:         {"Planned", "recorded by load or retry; nothing was sent", "payrun initiate sends it; payrun abandon gives it up."},
	ledger.BatchInitiating:      {"Being initiated", "initiate is being sent, or was cut off", "If it was cut off, the next command makes it initiate_unknown and asks the bank."},
	ledger.BatchInitiateUnknown: {"Initiate in doubt", "initiate was sent and its outcome is not known; it cannot pay without an OTP", "payrun poll asks. If the bank does not show it for doubt.quiet, it is abandoned and planned again, or refused if the bank answered no."},
	ledger.BatchHeld:            {"Held for OTP", "the bank has it exactly as it was sent, and waits for the OTP", "payrun submit enters the OTP; payrun abandon gives it up."},
	ledger.BatchSubmitting:      {"Being submitted", "submit is being sent, or was cut off", "If it was cut off, the next command makes it submit_unknown and asks the bank."},
	ledger.BatchSubmitUnknown:   {"Submit in doubt", "submit was sent and its outcome is not known: it may have paid, and its payouts are locked", "It is never sent again. payrun poll asks. If the bank confirms in writing that it was not paid, two people release it: payrun resolve."},
	ledger.BatchSubmitted:       {"Submitted", "the bank took the OTP and works on it", "payrun poll follows it."},
	ledger.BatchSettled:         {"Settled", "every payout of it is final", "Nothing; it is watched for returns until poll.success_watch has passed."},
	ledger.BatchRefused:         {"Refused", "the bank said no to initiate; nothing was held", "Find out why. Then payrun retry plans its payouts again, or payrun abandon records that it is dealt with."},
	ledger.BatchQuarantined:     {"Quarantined", "the bank has something else than was sent, or had the batch before it was sent; it is never submitted", "Compare it with the bank; then payrun abandon gives it up."},
	ledger.BatchAbandoned:       {"Abandoned", "abandoned before it could pay", "payrun retry plans its payouts again."},
	ledger.BatchSetAside:        {"Released", "two people released it with the bank's written confirmation that it was not paid", "payrun retry plans its payouts when it is named. It is watched for 30 days: a payout that moves is locked again."},
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
	ledger.PayoutDisputed:         {"Disputed", "the bank contradicts what it showed before, shows a value that cannot be read, or paid what was abandoned or released: it may have been paid, and is locked", "Ask the bank. Two people release it with the bank's written confirmation, or close it as paid: payrun resolve."},
	ledger.PayoutCancelled:        {"Cancelled", "its batch was refused or abandoned before it could pay, or two people released it", "payrun retry plans it again, if it is still to be paid."},
}

// bankStatuses explain the partner banks' own words that the interface shows
// (interface.md, "Payout", bank_status_code); it lists no others.
var bankStatuses = [...]struct {
	code string
	stateWords
}{
	{"INITIATED", stateWords{"The bank has begun", "the partner bank's own word", "payrun poll follows it; only the status says that it is paid."}},
	{"IN_PROCESS", stateWords{"The bank works on it", "the partner bank's own word", "payrun poll follows it; only the status says that it is paid."}},
	{"COMPLETED", stateWords{"The bank is done", "the partner bank's own word; by itself it proves no payment", "payrun poll follows it; only the status says that it is paid."}},
	{ledger.CodeReturned, stateWords{"The money came back", "the beneficiary's bank sent it back: a payout that was paid is then returned",
		"Confirm account and IFSC with the payee; then payrun retry --out writes it to be corrected."}},
}
