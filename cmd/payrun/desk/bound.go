package desk

import (
	"errors"
	"fmt"
	"net/http"

	"payrun/ledger"
)

// shown is what a form says was shown of a batch to who decides about it; see
// template "bound".
func shown(r *http.Request, id string) ledger.Bound {
	return ledger.Bound{BatchID: id, ExpectedVersion: ledger.ExpectedVersion{
		Payload: r.PostFormValue("payload_sha256"), Sequence: ledger.StateSequence(r.PostFormValue("state_sequence")),
	}}
}

// overtaken says that something is not as it was shown any more, and what happened
// since, where the error tells.
func (d *desk) overtaken(page string, err error) *refusal {
	why := &refusal{Status: http.StatusConflict, Link: page, What: "It is not as it was shown to you any more. Nothing was done.", Do: "Look at its state now, and decide again."}
	if e, ok := errors.AsType[*ledger.OvertakenError](err); ok && e.Since.Kind != "" {
		why.Do = fmt.Sprintf("Since then: %s by %s, %s. ", eventWords(e.Since.Kind), d.nameOf(e.Since.Actor), d.set.Moment(e.Since.At)) + why.Do
	}
	return why
}

// sentMeanwhile is the refusal of a submit that another person has made: nothing is left to do. nil if
// the error does not show that.
func (d *desk) sentMeanwhile(page string, err error) *refusal {
	e, ok := errors.AsType[*ledger.OvertakenError](err)
	if !ok || e.Since.Kind != string(ledger.SubmitAccepted) {
		return nil
	}
	return &refusal{Status: http.StatusConflict, Link: page, What: "Nothing was sent: " + d.nameOf(e.Since.Actor) + " sent it at " + d.set.TimeOfDay(e.Since.At) + ".", Do: "There is nothing more to do."}
}
