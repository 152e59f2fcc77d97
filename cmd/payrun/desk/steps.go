package desk

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// steps are what a person may do about a batch or sheet that needs one: what
// ledger's table of attentions names, and of that what this person has the role for.
type steps struct {
	Bound   ledger.Bound // what each is bound to
	Page    string       // the address of the batch or sheet
	OTP     bool         // its OTP may be entered
	Ask     bool         // the bank may be asked about it
	GiveUp  bool         // it may be given up
	Reason  string       // that could be said for it; "" where it is legal, and nothing asks for it
	Resolve []resolveStep
	Retry   *retryStep
}

// Any reports whether there is anything to do here.
func (s *steps) Any() bool {
	return s != nil && (s.OTP || s.Ask || s.GiveUp || len(s.Resolve) > 0 || s.Retry != nil)
}

// resolveStep is a decision that people may make, as an answer to what nothing else
// tells.
type resolveStep struct {
	As     ledger.Decision
	Words  string
	Reason string // that could be said
	Where  string // what else has to be so for it; "" where nothing does
	Typed  bool   // the amount and the end of the batch's id are typed, and two people decide
}

// retryStep is payouts that may be planned anew.
type retryStep struct {
	Attempts []ledger.Attempt
	Shown    string // what the form is bound to
	All      ledger.Tally
	Few      bool // few enough to choose from
	Refused  bool // the bank may call their references used: they may get new ones
}

// fewToChoose is of how many payouts some may be ticked.
const fewToChoose = 100

// decisionWords are what a person says by a decision.
var decisionWords = map[ledger.Decision]string{
	app.DecidedSubmitted:    "The bank has the submit",
	app.DecidedNotSubmitted: "The bank never had the submit",
	app.DecidedDisputed:     "It is disputed: the bank cannot say how it ends",
	app.DecidedPaid:         "It was paid",
	app.DecidedNotPaid:      "It was not paid",
}

// verbRoles are the roles by which a person takes a step: those of its routes.
var verbRoles = map[string]ledger.Role{
	"approve": ledger.RoleApprove, "initiate": ledger.RolePay, "submit": ledger.RolePay, "abandon": ledger.RolePay,
	"retry": ledger.RoleLoad, "resolve": trusted,
}

// may reports whether a person may take a step of that verb.
func may(p ledger.Person, verb string) bool { return lets(p, verbRoles[verb]) }

// mayHelp reports whether a person may take one of the next steps of an attention.
func mayHelp(p ledger.Person, row ledger.AttentionRow) bool {
	return slices.ContainsFunc(row.Next, func(n ledger.Next) bool { return may(p, n.Verb) })
}

// decisionsOf are the decisions among next steps, for who may make them.
func decisionsOf(p ledger.Person, next []ledger.Next) (list []resolveStep) {
	for _, n := range next {
		if as := n.Decides(); as != "" && may(p, n.Verb) {
			list = append(list, resolveStep{As: as, Words: decisionWords[as], Reason: n.Reason, Where: n.Where, Typed: as != app.DecidedSubmitted})
		}
	}
	return list
}

// stepsOf are those of a batch.
func (d *desk) stepsOf(r *http.Request, s *session, b ledger.Batch) (*steps, error) {
	can, err := d.app.Steps(r.Context(), d.call(s, "batch"), b.ID)
	if err != nil {
		return nil, err
	}
	return offered(s.person, b, can)
}

// offered are the legal steps of a batch that a person may take, but those of its
// review.
func offered(p ledger.Person, b ledger.Batch, can app.Steps) (v *steps, err error) {
	v = &steps{Bound: can.Bound, Page: "/batches/" + b.ID, Resolve: decisionsOf(p, can.Legal)}
	for _, n := range can.Legal {
		switch {
		case n.Verb == "poll":
			v.Ask = true
		case n.Verb == "submit" && n.Names == ledger.NamesBatch:
			v.OTP = may(p, n.Verb)
		case n.Verb == "abandon" && may(p, n.Verb):
			v.GiveUp, v.Reason = true, n.Reason
		}
	}
	if v.Retry, err = retryOf(p, can.Retry); v.Retry != nil {
		v.Retry.Refused = can.Renamable
	}
	return v, err
}

// retryOf is payouts that may be planned anew; nil for none, or where this person may
// not.
func retryOf(p ledger.Person, list []ledger.Attempt) (*retryStep, error) {
	if !may(p, "retry") || len(list) == 0 {
		return nil, nil
	}
	v := &retryStep{Attempts: list, Shown: app.RetryDigest(list), Few: len(list) <= fewToChoose}
	all, err := app.SumOf(list)
	v.All = all
	return v, err
}

// age words how long something has waited, by its largest unit.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "under a minute"
	case d < time.Hour:
		return ledger.Counted(int(d.Minutes()), "minute", "minutes")
	case d < 48*time.Hour:
		return ledger.Counted(int(d.Hours()), "hour", "hours")
	}
	return ledger.Counted(int(d.Hours()/24), "day", "days")
}

// reasonOf is the reason that a form gives; wrong where it is none.
func reasonOf(r *http.Request) (reason, wrong string) {
	const longest = 500
	switch reason = one(r, "reason"); {
	case reason == "":
		return "", "Say why: the reason is kept in the audit trail. Nothing was done."
	case len(reason) > longest:
		return "", "The reason is too long. Nothing was done."
	}
	return reason, ""
}

// ticketOf is the bank's written word that a form cites, if any; wrong where it is too long.
func ticketOf(r *http.Request) (ticket, wrong string) {
	const longest = 200
	if ticket = one(r, "bank_ticket"); len(ticket) > longest {
		return "", "The bank's written word is too long: cite it so that it can be found. Nothing was done."
	}
	return ticket, ""
}

// giveUp gives up a batch that was never submitted. The bank is asked about it first.
func giveUp(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	id := r.PathValue("id")
	reason, wrong := reasonOf(r)
	if wrong != "" {
		d.explain(w, r, s, http.StatusUnprocessableEntity, refusal{What: wrong, Link: "/batches/" + id})
		return nil
	}
	bound := app.Binding{Batches: []ledger.Bound{shown(r, id)}}
	work, err := d.app.Abandon(r.Context(), d.decision(r, s, "abandon"), app.AbandonRequest{Binding: &bound, Reason: reason})
	if work != nil && len(work.Results) > 0 && work.Results[0].Outcome == "abandoned" {
		err = nil // what it asks for now stands on its page
	}
	return d.decidedOr(w, r, s, "/batches/"+id, err)
}

// resolveBatch takes down what a person decides about a batch that nothing else tells.
func resolveBatch(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	id := r.PathValue("id")
	as := ledger.Decision(one(r, "as"))
	if as.OfPayout() || decisionWords[as] == "" {
		d.explain(w, r, s, http.StatusUnprocessableEntity, refusal{What: "That is no decision about a batch. Nothing was done.", Link: "/batches/" + id})
		return nil
	}
	return d.resolve(w, r, s, "/batches/"+id, id, app.ResolveRequest{What: id, As: as})
}

// resolvePayout closes a dispute.
func resolvePayout(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	batch := one(r, "batch")
	page := "/batches/" + url.PathEscape(batch)
	as := ledger.Decision(one(r, "as"))
	if !as.OfPayout() {
		d.explain(w, r, s, http.StatusUnprocessableEntity, refusal{What: "That is no decision about a payout. Nothing was done.", Link: page})
		return nil
	}
	return d.resolve(w, r, s, page, batch, app.ResolveRequest{What: r.PathValue("ref"), As: as})
}

func (d *desk) resolve(w http.ResponseWriter, r *http.Request, s *session, page, batch string, req app.ResolveRequest) error {
	var wrong string
	if req.Reason, wrong = reasonOf(r); wrong == "" && req.As != app.DecidedSubmitted {
		total, err := app.ParseAmount(one(r, "total"))
		if req.Typed = (&app.Typed{Total: total, Tail: one(r, "tail")}); err != nil {
			wrong = "The amount has to be typed. Nothing was done."
		}
	}
	if wrong == "" {
		req.Ticket, wrong = ticketOf(r)
	}
	if wrong != "" {
		d.explain(w, r, s, http.StatusUnprocessableEntity, refusal{What: wrong, Link: page})
		return nil
	}
	req.Binding = &app.Binding{Batches: []ledger.Bound{shown(r, batch)}}
	work, err := d.app.Resolve(r.Context(), d.decision(r, s, "resolve"), req)
	if decided := work != nil && len(work.Results) > 0 && work.Results[0].Outcome != "unknown" && work.Results[0].Outcome != "unauthorized" &&
		!errors.Is(err, app.ErrRefused) && !errors.Is(err, app.ErrSamePerson); decided {
		err = nil // that another person has to decide the same stands on its page
	}
	return d.decidedOr(w, r, s, page, err)
}

// decidedOr leads back to the page of what was decided, or says why it was not.
func (d *desk) decidedOr(w http.ResponseWriter, r *http.Request, s *session, page string, err error) error {
	if err == nil {
		http.Redirect(w, r, page, http.StatusSeeOther)
		return nil
	}
	e := app.Worst(err)
	why, sayable := d.said(e)
	status := http.StatusConflict
	switch {
	case errors.Is(err, ledger.ErrOvertaken):
		d.overtaken(w, r, s, page, err)
		return nil
	case errors.Is(err, ledger.ErrNotFound), e.Code == app.LedgerLocked:
		return err
	case errors.Is(err, app.ErrRefused), errors.Is(err, app.ErrSamePerson):
		why.What = sentence(e.What)
	case e.Code == app.Cancelled:
		status = http.StatusUnprocessableEntity
	case e.Code == app.LookUnanswered:
		status = http.StatusBadGateway
	case e.Code == app.BankUnanswered:
		status, why = http.StatusBadGateway, refusal{What: "The bank did not answer, so nothing was decided.", Do: "Try again in a moment."}
	case e.Code == app.CredentialsRefused:
		d.warn(fmt.Sprintf("desk: %s: %v", r.Pattern, err))
		status, why = http.StatusBadGateway, refusal{What: "The bank refused the keys that the desk has, so nothing was decided.", Do: "Tell whoever runs the desk, and that this shows it:", Command: "payrun doctor"}
	case !sayable:
		return err
	}
	why.Link = page
	d.explain(w, r, s, status, why)
	return nil
}
