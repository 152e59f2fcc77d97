package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// jobView is the state of a job, for a page.
type jobView struct {
	task
	progress
	By      string
	Says    string        // its current step, or what it waits for
	For     time.Duration // time since it was asked for
	Results []app.Result  // of the batches on the page that have not changed since
	More    int           // further results that are not shown
	MovedOn int           // results of batches that have changed since
	Nothing bool          // there was nothing to do
	Wrong   *refusal      // why not all was done; nil if the results say everything
	Quiet   bool          // a batch has changed since, so Wrong is old news
}

// busy reports whether the job runs. Then its pages have no forms.
func (v *jobView) busy() bool { return v != nil && v.Running() }

// jobOf returns the job of a page or of any batch on it, for the page; nil if there was none lately. While
// a job runs, the page has no forms.
func (d *desk) jobOf(w http.ResponseWriter, r *http.Request, page string, batches []ledger.Batch) *jobView {
	now := byID(batches)
	about := func(id string) bool { return now[id].ID == id }
	v := d.viewOf(w, r, d.jobs.last(func(j *job) bool { return j.Page == page || slices.ContainsFunc(j.Batches, about) }))
	v.holdAgainst(now)
	return v
}

func byID(batches []ledger.Batch) map[string]ledger.Batch {
	by := make(map[string]ledger.Batch, len(batches))
	for _, b := range batches {
		by[b.ID] = b
	}
	return by
}

// holdAgainst compares the job's results with the batches of the page. The result of a batch that has
// changed since is dropped.
func (v *jobView) holdAgainst(by map[string]ledger.Batch) {
	if v == nil || v.Running() {
		return
	}
	var still []app.Result
	for _, r := range v.Results {
		switch b, here := by[r.Batch.ID]; {
		case here && r.Batch.State == b.State && r.Batch.OTPTries == b.OTPTries && r.Batch.StateSince.Equal(b.StateSince):
			still = append(still, r)
		case here:
			v.MovedOn++
		}
	}
	v.Results, v.More = few(still), max(0, len(still)-mostOfEach)
	v.Quiet = slices.ContainsFunc(v.Batches, func(id string) bool { return by[id].StateSince.After(v.Over) })
}

// news returns the batches for holdAgainst: those that have results, or without results the first batches
// of the job.
func (v *jobView) news() []string {
	if len(v.Results) == 0 {
		return few(v.Batches)
	}
	return ledger.ListOf(v.Results, func(r app.Result) string { return r.Batch.ID })
}

// viewOf returns the view of a job; nil for none. While the job runs, its page reloads by itself.
func (d *desk) viewOf(w http.ResponseWriter, r *http.Request, j *job) *jobView {
	if j == nil {
		return nil
	}
	v := &jobView{By: j.call.Actor}
	j.set(func() { v.task, v.progress = j.task, j.progress })
	v.Do, v.Holds = nil, nil // Do may hold the OTP
	if v.Running() {
		v.For = d.now().Sub(v.Asked).Truncate(time.Second)
		v.Says = d.waits(r.Context(), j, v.progress)
		w.Header().Set("Refresh", "2")
		return v
	}
	if v.work != nil {
		v.Results = v.work.Results
	}
	v.Nothing = v.err == nil && len(v.Results) == 0
	v.Wrong = d.wrong(j, v.Results, v.err)
	return v
}

// waits says what a job does or waits for.
func (d *desk) waits(ctx context.Context, j *job, at progress) string {
	if !at.until.IsZero() {
		return "The bank was asked; payrun waits for its answer until " + d.set.TimeOfDay(at.until) + "."
	}
	if holder, held := d.app.HeldBy(ctx); held && holder.Command != j.command() {
		return "It waits for the ledger: " + d.heldBy(holder) + "."
	}
	return cmp.Or(at.says, "It begins.")
}

// heldBy says who uses the ledger, and for how long.
func (d *desk) heldBy(h ledger.Holder) string {
	words := ledger.Holder{Command: cmp.Or(h.Command, "another run"), Person: h.Person}.String() // without its process and host
	if !h.Since.IsZero() {
		words += fmt.Sprintf(", %d s", max(0, int(d.now().Sub(h.Since).Seconds())))
	}
	return ledger.Plain(words)
}

// wrong says why a job did not do everything, unless its results say it.
func (d *desk) wrong(j *job, results []app.Result, err error) *refusal {
	if err == nil {
		return nil
	}
	// Only a job that never got the ledger has sent nothing. If a step could not be recorded, the bank may
	// have been asked.
	if locked, ok := errors.AsType[*ledger.LockedError](err); ok && len(results) == 0 {
		what := "Not sent: the ledger is busy."
		if locked.Holder != (ledger.Holder{}) {
			what = "Not sent: the ledger is busy (" + d.heldBy(locked.Holder) + ")."
		}
		return &refusal{What: what, Do: "Nothing was done. Try again in a moment."}
	}
	e := app.Worst(err)
	if asks := e.Attention != ledger.NeedsNothing || e.Code == app.LookUnanswered || e.Code == app.NeedsPerson; asks && len(results) > 0 {
		return nil // the results show what batches wait for
	}
	if errors.Is(err, ledger.ErrStale) {
		return d.notSent("", err)
	}
	if why := d.said(e); why != nil {
		return why
	}
	id := app.NewToken()[:8]
	d.warn(fmt.Sprintf("desk %s: %s: %v", id, j.command(), err))
	return &refusal{What: "That did not work. What was done is below.", Do: "Give the person who runs the desk this number:", ID: id}
}

// sayable are the codes whose messages are about batches, payouts and people only, not about files or the
// machine.
var sayable = [...]app.Code{
	app.NeedsPerson, app.NotRetryable, app.OutcomeUnknown, app.Mismatch, app.PayoutsFailed, app.PayoutsOpen,
	app.LookUnanswered, app.Cancelled, app.Interrupted, app.Usage,
}

// said turns an error of a use case into a refusal with its next step and command. It returns nil if the
// message is not for a browser.
func (d *desk) said(e *app.Error) *refusal {
	if e.Code == app.Credentials || e.Code == app.CredentialsRefused {
		return &refusal{Status: http.StatusBadGateway, What: "The desk's keys for the bank are missing, or the bank refused them. Nothing more was done.", Do: "Tell the person who runs the desk. This command shows it:", Command: "payrun doctor"}
	}
	_, machine := errors.AsType[*config.Error](e.Cause)
	if machine || !slices.Contains(sayable[:], e.Code) {
		return nil
	}
	why := &refusal{Status: http.StatusConflict, What: sentence(e.What)}
	switch e.Code {
	case app.Cancelled:
		why.Status = http.StatusUnprocessableEntity
	case app.LookUnanswered:
		why.Status = http.StatusBadGateway
	}
	for _, h := range e.Next {
		switch {
		case h.Command == nil && why.Do == "":
			why.Do = sentence(h.Before)
		case h.Command != nil && why.Command == "":
			why.Command = ledger.CommandLine(h.Command)
		}
	}
	return why
}

// outcome is the result of a batch for the person who waits: a short title, what to know about it, and its
// colour.
type outcome struct{ Title, Words, Class string }

func outcomeOf(r app.Result, set config.Settings) outcome {
	row := r.Attention.Row()
	o := outcome{Words: cmp.Or(row.Do, sentence(r.Message)), Class: "notpaid"}
	switch r.Outcome {
	case "submitted":
		o.Words, o.Class = "The bank has it now. Each payout's page shows its result as soon as the bank gives it.", "paid"
	case "held":
		o = outcome{ledger.BatchHeld.Words(), "No money moves before its OTP is entered.", "paid"}
	case "rejected":
		o.Words = sentence(r.Message) + " No money moved."
		if left := int(set.OTP.Tries) - r.Batch.OTPTries; set.OTP.Tries > 0 {
			o.Title = fmt.Sprintf("Wrong OTP: %s left", ledger.Counted(max(0, left), "try", "tries"))
		}
	case "waiting":
		o.Title, o.Class = row.Title, "open"
	case "abandoned", "planned":
		o.Class = "open"
	case "look_unanswered", "not_sent", "needs_token", "needs_person", "unauthorized":
		o.Title = "Not sent"
	case "open", "settled": // the check before the submit showed that it had been sent elsewhere
		o = outcome{"Not sent: the bank had it already", cmp.Or(sentence(r.Batch.Note), "Look at what happened below: it was sent from elsewhere."), "indoubt"}
	}
	if r.Batch.State.Open() && r.Batch.State != ledger.BatchSubmitted { // the bank may have acted: its answer was lost, or could not be recorded
		o = outcome{cmp.Or(o.Title, "In doubt"), "Do nothing: we ask the bank. It cannot pay without an OTP.", "indoubt"}
	}
	if r.Batch.State.SubmitSent() {
		o.Words = "Do nothing: we ask the bank. It may have paid, and is never sent again."
	}
	if r.Batch.State == ledger.BatchQuarantined {
		o.Class = "indoubt"
	}
	o.Title = cmp.Or(o.Title, ledger.BatchState(r.Outcome).Words())
	return o
}
