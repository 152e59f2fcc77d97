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
	return ledger.Bound{BatchID: id, Expected: ledger.Expected{
		Payload: r.PostFormValue("payload_sha256"), Sequence: ledger.StateSequence(r.PostFormValue("state_sequence")),
	}}
}

// overtaken answers that something is not as it was shown any more, and what
// happened since, where the error tells.
func (d *desk) overtaken(w http.ResponseWriter, r *http.Request, s *session, page string, err error) {
	why := d.overtakenWords(err, "It is not as it was shown to you any more. Nothing was done.")
	why.Link = page
	d.explain(w, r, s, http.StatusConflict, why)
}

// overtakenWords say so, with what happened since, where the error tells.
func (d *desk) overtakenWords(err error, what string) refusal {
	why := refusal{What: what, Do: "Look at how it stands now, and decide again."}
	if e, ok := errors.AsType[*ledger.OvertakenError](err); ok && e.Since.Kind != "" {
		why.Do = fmt.Sprintf("Since then: %s by %s, %s. ", eventWords(e.Since.Kind), ledger.Plain(e.Since.Actor), d.set.Moment(e.Since.At)) + why.Do
	}
	return why
}

// sentMeanwhile says of what was to be submitted that somebody else did: nothing is left
// to do. false where the error does not tell that.
func (d *desk) sentMeanwhile(err error) (why refusal, ok bool) {
	e, ok := errors.AsType[*ledger.OvertakenError](err)
	if !ok || e.Since.Kind != string(ledger.SubmitAccepted) {
		return why, false
	}
	return refusal{What: "Nothing was sent: " + ledger.Plain(e.Since.Actor) + " sent it at " + d.set.TimeOfDay(e.Since.At) + ".", Do: "There is nothing more to do."}, true
}
