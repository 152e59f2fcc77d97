package cli

import (
	"errors"

	"payrun/ledger"
	"payrun/submitter"
)

// waiting is the failure of a command that left batches planned, or nil: some
// wait for a second person, others behind a batch of their debit account.
func waiting(results []submitter.Result) error {
	var person, turn []ledger.Batch
	for _, r := range results {
		switch {
		case r.Attention == ledger.ToBeApproved:
			person = append(person, r.Batch)
		case r.Outcome == submitter.OutcomeWaiting:
			turn = append(turn, r.Batch)
		}
	}
	var failures []error
	if len(person) > 0 {
		failures = append(failures, fail(exitPerson, "%s waiting for another person's approval: %s", batches(len(person)), someIDs(person)).
			hint("to be run by somebody else than who planned it: payrun approve BATCH").
			hint("then: payrun initiate --all"))
	}
	if len(turn) > 0 {
		failures = append(failures, fail(exitPerson, "%s waiting until another of the debit account has its OTP: %s", batches(len(turn)), someIDs(turn)).
			hint("next: payrun submit, then payrun initiate --all"))
	}
	return errors.Join(failures...)
}
