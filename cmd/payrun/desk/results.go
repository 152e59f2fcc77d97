package desk

import (
	"cmp"
	"fmt"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// outcome is what came of a batch, in the few words that somebody waits for.
func outcome(r app.Result, set config.Settings) string {
	switch r.Outcome {
	case "rejected":
		if left := int(set.OTP.Tries) - r.Batch.OTPTries; set.OTP.Tries > 0 {
			return fmt.Sprintf("Rejected, %d left", max(0, left))
		}
	case "waiting":
		if row, ok := r.Attention.Row(); ok {
			return row.Title
		}
	case "look_unanswered", "not_sent", "needs_token", "needs_person", "unauthorized":
		return "Not sent"
	case "held":
		return "Held for its OTP"
	}
	switch r.Batch.State {
	case ledger.BatchSubmitUnknown, ledger.BatchInitiateUnknown:
		return "In doubt"
	}
	return stateWords(ledger.AttentionRow{}, r.Outcome)
}

// outcomeWords is what to know of it besides.
func outcomeWords(r app.Result) string {
	switch {
	case r.Batch.State == ledger.BatchSubmitUnknown:
		return "Do nothing: we ask the bank. It may have paid, and is never sent again."
	case r.Batch.State == ledger.BatchInitiateUnknown:
		return "Do nothing: we ask the bank. It cannot pay without an OTP."
	case r.Outcome == "submitted" || r.Outcome == "held":
		return ""
	case r.Attention != ledger.NeedsNothing:
		row, _ := r.Attention.Row()
		return cmp.Or(row.Do, sentence(r.Message))
	}
	return sentence(r.Message)
}

// outcomeClass is its colour; the words say it too.
func outcomeClass(r app.Result) string {
	switch {
	case r.Outcome == "submitted" || r.Outcome == "settled" || r.Outcome == "held":
		return "paid"
	case r.Batch.State == ledger.BatchSubmitUnknown, r.Batch.State == ledger.BatchInitiateUnknown, r.Batch.State == ledger.BatchQuarantined:
		return "indoubt"
	case r.Outcome == "abandoned" || r.Outcome == "planned" || r.Outcome == "open" || r.Outcome == "waiting":
		return "open"
	}
	return "notpaid"
}
