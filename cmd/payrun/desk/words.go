package desk

import (
	"net/http"
	"net/url"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// sheetWords is what people say of a sheet, and the forms by which they do: the templates
// "sendback" and "comments".
type sheetWords struct {
	Page     string // the address of the sheet
	LoadedBy string
	Said     []ledger.Event
	Plan     string // of all that is planned, as it is shown; for the forms
	SendBack bool   // they may send it back
	Withdraw bool   // they may withdraw it
	Comment  bool   // they may say something
}

// wordsOf are those of a sheet; planned is what is shown of it to who may approve or pay.
func (d *desk) wordsOf(r *http.Request, s *session, story *app.SheetStory, planned *review, busy bool) (*sheetWords, error) {
	v := &sheetWords{Page: "/sheets/" + story.ID, LoadedBy: story.LoadedBy, Said: story.Said}
	if busy {
		return v, nil
	}
	v.Comment = true
	v.SendBack = planned != nil && planned.Own == nil && s.person.Can(ledger.RoleApprove)
	v.Withdraw = s.person.Can(ledger.RoleLoad) && story.Withdraws(visitorOf(r).look.People, s.person.Name)
	if planned != nil {
		v.Plan = planned.Plan
	} else if v.Withdraw {
		look, err := d.app.Unreviewed(r.Context(), d.call(s, "sheet"), ledger.Filter{SheetID: story.ID})
		if err != nil || look == nil {
			return v, err
		}
		v.Plan = look.Plan
	}
	return v, nil
}

// planned is what a form about all that is planned of a sheet was made from.
func planned(r *http.Request) app.ReviewedBatches {
	return app.ReviewedBatches{Sheet: r.PathValue("id"), Plan: one(r, "plan")}
}

// sendBack records that an approver sends a sheet back, and why.
func sendBack(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	page := "/sheets/" + url.PathEscape(r.PathValue("id"))
	reason, wrong := reasonOf(r)
	if wrong != "" {
		return &refusal{Status: http.StatusUnprocessableEntity, What: wrong, Link: page}
	}
	work, err := d.app.SendBack(r.Context(), d.decision(r, s, "approve"), app.SendBackRequest{ReviewedBatches: planned(r), Reason: reason})
	if work != nil {
		err = nil // its page shows what it needs now
	}
	return d.decidedOr(w, r, s, page, err)
}

// withdraw gives up all of a sheet, by who loaded it, before anything of it is initiated.
func withdraw(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	bound := planned(r)
	work, err := d.app.Abandon(r.Context(), d.decision(r, s, "abandon"), app.AbandonRequest{ReviewedBatches: &bound, Reason: "withdrawn by who loaded it"})
	if work != nil && len(work.Results) > 0 && work.Results[0].Outcome == "abandoned" {
		err = nil
	}
	return d.decidedOr(w, r, s, "/sheets/"+url.PathEscape(bound.Sheet), err)
}

// comment records a person's comment on a sheet.
func comment(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	id := r.PathValue("id")
	page := "/sheets/" + url.PathEscape(id)
	if _, err := d.app.Sheet(r.Context(), d.call(s, "sheet"), id); err != nil {
		return err
	}
	if err := d.app.Comment(r.Context(), d.call(s, "sheet"), id, one(r, "text")); err != nil {
		return d.decidedOr(w, r, s, page, err)
	}
	http.Redirect(w, r, page+"#comments", http.StatusSeeOther)
	return nil
}
