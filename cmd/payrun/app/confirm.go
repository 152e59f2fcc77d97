package app

import (
	"fmt"

	"payrun/ledger"
)

// NeedsConfirmation is what a use case comes back with where somebody has to
// answer for something first. Nothing was done. It says what; the same use case
// with the confirmation goes on.
type NeedsConfirmation struct {
	// Initiate: the total of what would be initiated reaches Above
	// (policy.confirm_above). Who confirms it names the total.
	Initiate ledger.Tally
	Above    ledger.Paise

	// NoDebit: the bank's statement shows no debit of this batch. payrun does not
	// look there; only giving the batch up can pay twice, so only that is asked.
	NoDebit *ledger.Batch

	// Restored: nothing that the bank holds or paid is missing in the ledger,
	// which is behind its high-water mark for this reason.
	Restored error
}

func (n *NeedsConfirmation) Error() string {
	switch {
	case n.NoDebit != nil:
		return "somebody has to confirm that the bank's statement shows no debit of the batch"
	case n.Restored != nil:
		return "somebody has to confirm that nothing the bank holds or paid is missing in the ledger"
	}
	return fmt.Sprintf("%s of %s: that reaches policy.confirm_above (%s)",
		ledger.CountedBatches(n.Initiate.Count), n.Initiate.Total.Rupees(), n.Above.Rupees())
}

// unanswered is the error of a confirmation that nobody could be asked for.
func (n *NeedsConfirmation) unanswered() *Error {
	if n.NoDebit != nil || n.Restored != nil {
		return Fail(NeedsPerson, "%v, and nobody can be asked; nothing was done", n).Because(n).
			Then(Say("run it on a terminal, or say --yes where it is so"))
	}
	return Fail(NeedsPerson, "%v, and nobody can be asked for the total; nothing was sent", n).Because(n).
		Then(Say("run it on a terminal, without --no-input"))
}
