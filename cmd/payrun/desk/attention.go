package desk

import (
	"net/http"
	"slices"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// stepLink leads to the page where a next step is taken.
type stepLink struct{ Words, Link string }

// linksOf returns the legal next steps of a batch, each with its page. A person without the role finds no form
// there. The payouts are not read: one that is not final is assumed, as every overdue batch has one.
func (d *desk) linksOf(row ledger.AttentionRow, b ledger.Batch) (list []stepLink) {
	page := "/batches/" + b.ID
	links := map[string]stepLink{
		"submit": {"Enter the OTP", "/otp/" + b.ID}, "abandon": {"Cancel this batch", page + "#abandon"}, "retry": {"Plan again", page + "#retry"},
		"poll": {"Ask the bank", page + "#steps"}, "approve": {"Look at it", page}, "initiate": {"Look at it", page}, "resolve": {"Decide", page + "#steps"},
	}
	legal := ledger.BatchRecord{Batch: b, Attempts: []ledger.KnownAttempt{{Attempt: ledger.Attempt{State: ledger.PayoutPending}}}}.Legal(d.set.Poll.OverdueAfter.Std(), d.now())
	for _, n := range row.Next {
		reviewed := n.Verb == "approve" || n.Verb == "initiate" // its page shows whether it may be
		is := func(l ledger.Next) bool { return l.Verb == n.Verb && l.Releases() == n.Releases() }
		if n.Names == ledger.NamesBatch && !reviewed && !slices.ContainsFunc(legal, is) {
			continue
		}
		step := links[n.Verb]
		switch {
		case n.Verb == "submit" && n.Names != ledger.NamesBatch: // of another batch
			step.Link = "/otp"
		case n.Verb == "resolve" && n.Names == ledger.NamesPayout:
			step = stepLink{"Its locked payouts", page}
		}
		if step.Link != "" && !slices.Contains(list, step) {
			list = append(list, step)
		}
	}
	return list
}

func attention(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	st, err := d.app.Overview(r.Context(), d.call(s, "attention"))
	if err != nil {
		return err
	}
	toRetry := slices.DeleteFunc(st.Sheets, func(sheet app.SheetStanding) bool { return st.Unpaid(sheet.ID).Count == 0 })
	asking := slices.DeleteFunc(st.Needs, func(n app.Need) bool { return n.Weight < ledger.WeightPerson && n.Kind != ledger.ToBeInitiated })
	_, open := st.HeldAndOpen()
	return d.show(w, r, s, "attention", view{Title: "To do", Live: true, Data: dict("Needs", asking, "Unpaid", st.Unpaid(""),
		"Sheets", toRetry[:min(len(toRetry), mostSheets)], "Open", open > 0, "Asked", d.poller.last())})
}

// mostSheets is how many sheets the page names.
const mostSheets = 20

// poll asks the bank about one batch, or about all open ones, in the background.
func poll(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	var batches []string
	if id := one(r, "batch"); id != "" {
		if _, err := d.app.Standing(r.Context(), d.call(s, "poll"), []string{id}); err != nil {
			return err
		}
		batches = []string{id}
	}
	d.poller.ask(d.call(s, "poll"), batches)
	return leadTo(w, r, cameFrom(d, r))
}
