package desk

import (
	"errors"
	"net/http"
	"slices"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// retry plans new attempts of payouts that failed, came back or were cancelled: those that were
// ticked, or all. Their total is typed. Nothing is sent.
func retry(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	page := pageOf(r)
	req := app.RetryRequest{Of: r.PathValue("id"), Refs: r.PostForm["ref"], Shown: one(r, "shown")}
	list, err := d.app.Retryable(r.Context(), d.call(s, "retry"), req.Of)
	if err != nil {
		return err
	}
	if len(list) > 0 && req.Shown != app.RetryDigest(list) {
		return d.overtaken(page, ledger.ErrStale)
	}
	if len(req.Refs) > 0 {
		list = slices.DeleteFunc(list, func(a ledger.Attempt) bool {
			return !slices.Contains(req.Refs, a.Ref) && !slices.Contains(req.Refs, a.WireRef)
		})
	}
	if len(list) == 0 {
		return &refusal{Status: http.StatusConflict, What: "None of them can be planned again now. Nothing was planned.", Link: page}
	}
	all, err := app.SumOf(list)
	if err != nil {
		return err
	}
	if req.Total, err = app.ParseAmount(one(r, "total")); err != nil || req.Total != all.Total {
		return &refusal{Status: http.StatusUnprocessableEntity, Link: page,
			What: "What was typed is not the total of " + ledger.CountedPayouts(all.Count) + ", " + all.Total.Rupees() + ". Nothing was planned."}
	}
	work, err := d.app.Retry(r.Context(), d.decision(r, s, "retry"), req)
	if work != nil && len(work.Results) > 0 {
		return d.decidedOr(w, r, s, "/sheets/"+list[0].SheetID, nil) // where the new batches stand
	}
	return d.decidedOr(w, r, s, page, err)
}

// toCorrect returns the payouts of a sheet or batch that can be retried, in the columns of their
// sheet, with account numbers in full, to be corrected and uploaded again.
func toCorrect(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	id, call := r.PathValue("id"), d.decision(r, s, "retry")
	if _, err := d.app.Retryable(r.Context(), call, id); err != nil {
		return err
	}
	f, err := d.uploads.ToCorrect(r.Context(), call, id, address(r))
	if errors.Is(err, ledger.ErrNotFound) {
		return &refusal{Status: http.StatusConflict, What: "None of its payouts can be planned again now.", Link: pageOf(r)}
	}
	return d.giveOut(w, r, f, id+"-to-correct.xlsx", err)
}
