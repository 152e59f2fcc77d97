package desk

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf8"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// steps are what a person may do about a batch or sheet: what ledger's table of attentions names, if the
// person has the role for it.
type steps struct {
	Bound   ledger.Bound     // what each form is bound to
	Page    string           // the address of the batch or sheet
	OTP     bool             // an OTP may be entered
	Ask     bool             // the bank can be polled
	GiveUp  bool             // it may be abandoned
	Reason  string           // a suggested reason; "" if abandoning is legal but nothing asks for it
	Resolve []ledger.Next    // the releases that two people can make
	Retry   []ledger.Attempt // the payouts that can be retried
	Locks   []ledger.Lock    // of its payouts that are over
}

// fewToChoose is up to how many payouts the page lets a person choose from.
const fewToChoose = 100

// releaseWords say what each release states.
var releaseWords = map[ledger.ReleaseAs]string{
	ledger.ReleaseNotPaid: "It was not paid",
	ledger.ReleasePaid:    "It was paid",
}

// wordsOf says what a release states.
func wordsOf(n ledger.Next) string {
	if slices.Contains(n.Flags, ledger.NewReferencesFlag) {
		return "Give its payouts new references"
	}
	return releaseWords[n.Releases()]
}

// may reports whether a person may take a step with this verb.
func (d *desk) may(p ledger.Person, verb string) bool { return lets(p, d.verbs[verb]) }

// releasesOf returns the releases among next that the person may make.
func (d *desk) releasesOf(p ledger.Person, next []ledger.Next) []ledger.Next {
	return slices.DeleteFunc(slices.Clone(next), func(n ledger.Next) bool { return n.Releases() == "" || !d.may(p, n.Verb) })
}

// offered returns the legal steps of a batch that a person may take, without those of its review.
func (d *desk) offered(p ledger.Person, can app.Steps) *steps {
	v := &steps{Bound: can.Bound, Page: "/batches/" + can.Bound.BatchID, Resolve: d.releasesOf(p, can.Legal), Locks: can.Locks}
	for _, n := range can.Legal {
		switch {
		case n.Verb == "poll":
			v.Ask = true
		case n.Verb == "submit" && n.Names == ledger.NamesBatch:
			v.OTP = d.may(p, n.Verb)
		case n.Verb == "abandon" && d.may(p, n.Verb):
			v.GiveUp, v.Reason = true, n.Reason
		}
	}
	if d.may(p, "retry") {
		v.Retry = can.Retry
	}
	return v
}

// reasonOf returns the reason in a form. wrong says why it is not valid.
func reasonOf(r *http.Request) (reason, wrong string) {
	switch reason = one(r, "reason"); {
	case reason == "":
		return "", "Say why: the reason is kept in the audit trail. Nothing was done."
	case utf8.RuneCountInString(reason) > ledger.MostCommentChars:
		return "", "The reason is too long. Nothing was done."
	}
	return reason, ""
}

// giveUp abandons a batch that was never submitted. payrun asks the bank first.
func giveUp(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	reason, wrong := reasonOf(r)
	if wrong != "" {
		return &refusal{Status: http.StatusUnprocessableEntity, What: wrong, Link: pageOf(r)}
	}
	return d.abandon(w, r, s, reason)
}

func (d *desk) abandon(w http.ResponseWriter, r *http.Request, s *session, reason string) error {
	bound := subjectOf(r).binding
	work, err := d.app.Abandon(r.Context(), d.decision(r, s, "abandon"), app.AbandonRequest{ReviewedBatches: &bound, Reason: reason})
	if work != nil && len(work.Results) > 0 && work.Results[0].Outcome == "abandoned" {
		err = nil // the batch's page shows what it needs now
	}
	return d.decidedOr(w, r, pageOf(r), err)
}

// releaseForm is what a person sees, and confirms by typing, before they release.
type releaseForm struct {
	app.ToType
	Address string // where the form is sent
	Bound   ledger.Bound
	Request app.ResolveRequest
}

// releaseIn reads a release from a form. wrong says why it is not valid.
func releaseIn(r *http.Request, req *app.ResolveRequest) (wrong string) {
	const longestTicket = 200 // in characters
	var err error
	if req.As = ledger.ReleaseAs(one(r, "as")); releaseWords[req.As] == "" {
		return "That is no release. Nothing was done."
	}
	if req.Reason, wrong = reasonOf(r); wrong != "" {
		return wrong
	}
	if req.Ticket = one(r, "bank_ticket"); utf8.RuneCountInString(req.Ticket) > longestTicket {
		return "The bank's confirmation is too long: cite it so that it can be found. Nothing was done."
	}
	if charges := one(r, "charges"); charges != "" {
		if req.Charges, err = app.ParseAmount(charges); err != nil {
			return "The charges are no amount. Nothing was done."
		}
	}
	if evidence := one(r, "evidence"); evidence != "" {
		req.Typed = &app.Typed{Tail: one(r, "tail"), Shown: evidence}
		if req.Typed.Total, err = app.ParseAmount(one(r, "total")); err != nil {
			return "Type the amount. Nothing was done."
		}
	}
	return ""
}

// resolve releases one payout or a batch's locked payouts, or gives new references to a refused batch. It shows the
// evidence, fetched now, and records what a person types about it.
func resolve(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	batch, req := one(r, "batch"), app.ResolveRequest{What: r.PathValue("ref")}
	if id := r.PathValue("id"); id != "" {
		now, err := d.app.Standing(r.Context(), d.call(s, "batch"), []string{id})
		if err != nil {
			return err
		}
		batch, req = id, app.ResolveRequest{What: id, ReleaseRequest: ledger.ReleaseRequest{NewReferences: now[0].State == ledger.BatchRefused}}
	}
	page := "/batches/" + url.PathEscape(batch)
	if wrong := releaseIn(r, &req); wrong != "" {
		return &refusal{Status: http.StatusUnprocessableEntity, What: wrong, Link: page}
	}
	req.ReviewedBatches = &app.ReviewedBatches{Batches: []ledger.Bound{shown(r, batch)}}
	work, err := d.app.Resolve(r.Context(), d.decision(r, s, "resolve"), req)
	if need, ok := errors.AsType[*app.NeedsConfirmation](err); ok && need.Decide != nil {
		bound, err := d.app.Bound(r.Context(), d.call(s, "batch"), need.Decide.BatchID)
		if err != nil {
			return err
		}
		form := releaseForm{*need.Decide, r.URL.Path, bound, req}
		return d.show(w, r, s, "release", view{Title: releaseWords[req.As], Data: form})
	}
	if work != nil && len(work.Results) > 0 && !errors.Is(err, app.ErrRefused) {
		err = nil // the page shows that another person must confirm
	}
	return d.decidedOr(w, r, page, err)
}

// decidedOr leads to the page of what was decided, or says why it was not decided.
func (d *desk) decidedOr(w http.ResponseWriter, r *http.Request, page string, err error) error {
	if err == nil {
		return leadTo(w, r, page)
	}
	switch why := *d.whyFailed(r, err); why.Status {
	case http.StatusConflict, http.StatusUnprocessableEntity, http.StatusBadGateway:
		why.Link = page
		return &why
	}
	return err
}

// retry plans new attempts for payouts that failed, were returned or were cancelled: the chosen ones, or
// all. The person types their total. Nothing is sent.
func retry(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	page := pageOf(r)
	const none = "none" // for a form without the field: a plan is always bound to what was shown
	req := app.RetryRequest{Of: r.PathValue("id"), Refs: r.PostForm["ref"], Shown: cmp.Or(one(r, "shown"), none)}
	var err error
	if req.Total, err = app.ParseAmount(one(r, "total")); err != nil || req.Total == 0 {
		return &refusal{Status: http.StatusUnprocessableEntity, What: "Type the total as it is shown. Nothing was planned.", Link: page}
	}
	work, err := d.app.Retry(r.Context(), d.decision(r, s, "retry"), req)
	if work != nil && len(work.Results) > 0 {
		return leadTo(w, r, "/sheets/"+work.Results[0].Batch.SheetID) // this page shows the new batches
	}
	return d.decidedOr(w, r, page, err)
}

// toCorrect sends the payouts of a sheet or batch that can be retried, in their sheet's own columns and
// with full account numbers, to be corrected and uploaded again.
func toCorrect(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	id, call := r.PathValue("id"), d.decision(r, s, "retry")
	if _, err := d.app.Retryable(r.Context(), call, id); err != nil {
		return err
	}
	f, err := d.uploads.ToCorrect(r.Context(), call, id, address(r))
	if errors.Is(err, ledger.ErrNotFound) {
		return &refusal{Status: http.StatusConflict, What: "None of its payouts can be planned again now.", Link: pageOf(r)}
	}
	return d.download(w, r, f, id+"-to-correct.xlsx", err)
}
