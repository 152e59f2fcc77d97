package app

import (
	"errors"
	"fmt"

	"payrun/ledger"
	"payrun/submitter"
)

// NeedsConfirmation is what a use case comes back with where somebody has to
// answer for something first. Nothing was done. It says what; the same use case
// with the confirmation goes on.
type NeedsConfirmation struct {
	// Total: with all that is held it reaches Above (policy.confirm_above). Who
	// confirms it names the total. Submit: it is to be submitted, else initiated.
	Total  ledger.Tally
	Above  ledger.Paise
	Submit bool

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
	return fmt.Sprintf("%s of %s, with all that is held: that reaches policy.confirm_above (%s)",
		ledger.CountedBatches(n.Total.Count), n.Total.Total.Rupees(), n.Above.Rupees())
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

// total is the use case's word for what the engine came back with, or err itself.
func (o *operation) total(err error) error {
	if need, ok := errors.AsType[*submitter.NeedsConfirmation](err); ok {
		return &NeedsConfirmation{Total: need.Total, Above: o.policy.ConfirmAbove, Submit: need.Submit}
	}
	return err
}
