package desk

import (
	"errors"
	"net/http"
	"slices"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

func retrySheet(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.retry(w, r, s, "/sheets/"+r.PathValue("id"))
}

func retryBatch(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.retry(w, r, s, "/batches/"+r.PathValue("id"))
}

// retry plans payouts that failed, came back or were cancelled anew: those that were
// ticked, or all. Their total is typed. Nothing is sent.
func (d *desk) retry(w http.ResponseWriter, r *http.Request, s *session, page string) error {
	req := app.RetryRequest{Of: r.PathValue("id"), Refs: r.PostForm["ref"], Shown: one(r, "shown")}
	list, err := d.app.Retryable(r.Context(), d.call(s, "retry"), req.Of)
	if err != nil {
		return err
	}
	if len(list) > 0 && req.Shown != app.RetryDigest(list) {
		return d.decidedOr(w, r, s, page, ledger.ErrOvertaken)
	}
	if len(req.Refs) > 0 {
		list = slices.DeleteFunc(list, func(a ledger.Attempt) bool {
			return !slices.Contains(req.Refs, a.Ref) && !slices.Contains(req.Refs, a.WireRef)
		})
	}
	all, err := app.SumOf(list)
	if err != nil {
		return err
	}
	wrong, status := "", http.StatusUnprocessableEntity
	if req.Total, err = app.ParseAmount(one(r, "total")); err != nil || req.Total != all.Total {
		wrong = "What was typed is not the total of " + ledger.CountedPayouts(all.Count) + ", " + all.Total.Rupees() + ". Nothing was planned."
	}
	if len(list) == 0 {
		wrong, status = "None of them may be planned anew now. Nothing was planned.", http.StatusConflict
	}
	if wrong != "" {
		d.explain(w, r, s, status, refusal{What: wrong, Link: page})
		return nil
	}
	work, err := d.app.Retry(r.Context(), d.decision(r, s, "retry"), req)
	if work != nil && len(work.Results) > 0 {
		return d.decidedOr(w, r, s, "/sheets/"+list[0].SheetID, nil) // where the new batches stand
	}
	return d.decidedOr(w, r, s, page, err)
}

// correctSheet gives the payouts of a sheet that may be planned anew in the columns of
// that sheet, to be corrected and brought here again.
func correctSheet(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	id := r.PathValue("id")
	if _, err := d.app.Sheet(r.Context(), d.call(s, "retry"), id); err != nil {
		return err
	}
	return d.toCorrect(w, r, s, "/sheets/", id)
}

// correctBatch gives those of a batch.
func correctBatch(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	id := r.PathValue("id")
	if _, err := d.app.Standing(r.Context(), d.call(s, "retry"), []string{id}); err != nil {
		return err
	}
	return d.toCorrect(w, r, s, "/batches/", id)
}

func (d *desk) toCorrect(w http.ResponseWriter, r *http.Request, s *session, page, id string) error {
	f, err := d.uploads.ToCorrect(r.Context(), d.call(s, "retry"), id)
	if errors.Is(err, ledger.ErrNotFound) {
		d.explain(w, r, s, http.StatusConflict, refusal{What: "None of its payouts may be planned anew now.", Link: page + id})
		return nil
	}
	return d.giveOut(w, r, s, f, id+"-to-correct.xlsx", err)
}
