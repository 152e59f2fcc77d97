package desk

import (
	"cmp"
	"fmt"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// outcome is the result of a batch, in few words for a person who waits.
func outcome(r app.Result, set config.Settings) string {
	switch r.Outcome {
	case "rejected":
		if left := int(set.OTP.Tries) - r.Batch.OTPTries; set.OTP.Tries > 0 {
			return fmt.Sprintf("Wrong OTP: %s left", ledger.Counted(max(0, left), "try", "tries"))
		}
	case "waiting":
		if row, ok := r.Attention.Row(); ok {
			return row.Title
		}
	case "look_unanswered", "not_sent", "needs_token", "needs_person", "unauthorized":
		return "Not sent"
	case "held":
		return ledger.BatchHeld.Words()
	case "open", "settled": // the check before it showed that another person had
		return "Not sent: the bank had it already"
	}
	if doubtful(r.Batch.State) {
		return "In doubt"
	}
	return ledger.BatchState(r.Outcome).Words()
}

// outcomeWords is what to know of it besides.
func outcomeWords(r app.Result) string {
	switch {
	case r.Batch.State == ledger.BatchSubmitUnknown, r.Batch.State == ledger.BatchSubmitting:
		return "Do nothing: we ask the bank. It may have paid, and is never sent again."
	case doubtful(r.Batch.State):
		return "Do nothing: we ask the bank. It cannot pay without an OTP."
	case r.Outcome == "submitted":
		return "The bank has it now. Each payout's page shows its result as soon as the bank gives it."
	case r.Outcome == "held":
		return "No money moves before its OTP is entered."
	case r.Outcome == "rejected":
		return sentence(r.Message) + " No money moved."
	case r.Outcome == "open" || r.Outcome == "settled":
		return cmp.Or(sentence(r.Batch.Note), "Look at what happened below: it was sent from elsewhere.")
	case r.Attention != ledger.NeedsNothing:
		row, _ := r.Attention.Row()
		return cmp.Or(row.Do, sentence(r.Message))
	}
	return sentence(r.Message)
}

// outcomeClass is its colour; the words say it too.
func outcomeClass(r app.Result) string {
	switch {
	case r.Outcome == "submitted" || r.Outcome == "held":
		return "paid"
	case doubtful(r.Batch.State), r.Batch.State == ledger.BatchQuarantined, r.Outcome == "open", r.Outcome == "settled":
		return "indoubt"
	case r.Outcome == "abandoned" || r.Outcome == "planned" || r.Outcome == "waiting":
		return "open"
	}
	return "notpaid"
}

// doubtful reports whether the bank may have been asked and the result is unknown: its answer was
// lost, or came and could not be recorded.
func doubtful(s ledger.BatchState) bool { return s.Open() && s != ledger.BatchSubmitted }
