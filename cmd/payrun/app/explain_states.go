package app

import (
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// meaning explains a state: what it means, and what moves on.
type meaning struct{ why, fix string }

// batchStates explain the states of a batch (docs/reference.md).
var batchStates = map[ledger.BatchState]meaning{
	ledger.BatchPlanned:         {"recorded by load or retry; nothing was sent", "payrun initiate sends it; payrun abandon gives it up."},
	ledger.BatchInitiating:      {"initiate is being sent, or was cut off", "If it was cut off, the next command makes it initiate_unknown and asks the bank."},
	ledger.BatchInitiateUnknown: {"initiate was sent and its outcome is not known; it cannot pay without an OTP", "payrun poll asks. If the bank does not show it for doubt.quiet, it is abandoned and planned again, or refused if the bank answered no."},
	ledger.BatchHeld:            {"the bank has it exactly as it was sent, and waits for the OTP", "payrun submit enters the OTP; payrun abandon gives it up."},
	ledger.BatchSubmitting:      {"submit is being sent, or was cut off", "If it was cut off, the next command makes it submit_unknown and asks the bank."},
	ledger.BatchSubmitUnknown:   {"submit was sent and its outcome is not known: it may have paid, and its payouts are locked", "It is never sent again. payrun poll asks. If the bank confirms in writing that it was not paid, two people release it: payrun resolve."},
	ledger.BatchSubmitted:       {"the bank took the OTP and works on it", "payrun poll follows it."},
	ledger.BatchSettled:         {"every payout of it is final", "Nothing; it is watched for returns until poll.success_watch has passed."},
	ledger.BatchRefused:         {"the bank said no to initiate; nothing was held", "Find out why. Then payrun retry plans its payouts again, or payrun abandon records that it is dealt with."},
	ledger.BatchQuarantined:     {"the bank has something else than was sent, or had the batch before it was sent; it is never submitted", "Compare it with the bank; then payrun abandon gives it up."},
	ledger.BatchAbandoned:       {"abandoned before it could pay", "payrun retry plans its payouts again."},
	ledger.BatchSetAside:        {"two people released it with the bank's written confirmation that it was not paid", "payrun retry plans its payouts when it is named. It is watched for 30 days: a payout that moves is locked again."},
}

// payoutStates explain the states of a payout.
var payoutStates = map[ledger.PayoutState]meaning{
	ledger.PayoutPlanned:          {"in a planned batch; nothing was sent", "payrun initiate sends its batch."},
	ledger.PayoutRequestInitiated: {"the bank echoed it and waits for the OTP of its batch", "payrun submit enters the OTP."},
	ledger.PayoutPending:          {"the bank works on it", "payrun poll follows it."},
	ledger.PayoutInitiated:        {"the bank works on it", "payrun poll follows it."},
	ledger.PayoutSuccess:          {"the bank's status says so", "Nothing; it is watched for a return until poll.success_watch has passed."},
	ledger.PayoutFailed:           {"the bank said so twice", "Clear up the reason; then payrun retry plans a new attempt."},
	ledger.PayoutReturned:         {"it was paid, and the beneficiary's bank sent the money back", "Confirm account and IFSC with the payee; then payrun retry plans a new attempt."},
	ledger.PayoutDisputed:         {"the bank contradicts what it showed before, shows a value that cannot be read, or paid what was abandoned or released: it may have been paid, and is locked", "Ask the bank. Two people release it with the bank's written confirmation, or close it as paid: payrun resolve."},
	ledger.PayoutCancelled:        {"its batch was refused or abandoned before it could pay, or two people released it", "payrun retry plans it again, if it is still to be paid."},
}

// bankStatuses explain the partner banks' own words that the interface shows
// (interface.md, "Payout", bank_status_code); it lists no others.
var bankStatuses = [...]doc.Explanation{
	{Code: "INITIATED", Title: "The bank has begun", Why: "the partner bank's own word", Fix: "payrun poll follows it; only the status says that it is paid."},
	{Code: "IN_PROCESS", Title: "The bank works on it", Why: "the partner bank's own word", Fix: "payrun poll follows it; only the status says that it is paid."},
	{Code: "COMPLETED", Title: "The bank is done", Why: "the partner bank's own word; by itself it proves no payment", Fix: "payrun poll follows it; only the status says that it is paid."},
	{Code: ledger.CodeReturned, Title: "The money came back", Why: "the beneficiary's bank sent it back: a payout that was paid is then returned",
		Fix: "Confirm account and IFSC with the payee; then payrun retry --out writes it to be corrected."},
}
