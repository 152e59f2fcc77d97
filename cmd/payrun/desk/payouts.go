package desk

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// payoutRows is how many payouts one page of them shows.
const payoutRows = 100

// payoutList is what was looked for, and what was found.
type payoutList struct {
	Query  string
	States []ledger.PayoutState
	Going  bool // without those of batches that are stopped, which the board has under what is to fix
	Found  []attempt
	First  string // the address of the first of them; "" where this is it
	Next   string // of those that follow; "" where none do
}

// page is the address of the payouts behind one of them.
func (l payoutList) page(after int64) string {
	q := url.Values{"q": {l.Query}}
	for _, state := range l.States {
		q.Add("state", string(state))
	}
	if l.Going {
		q.Set("stopped", "no")
	}
	return pageAt("/payouts", q, "after", after)
}

func listPayouts(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	q := r.URL.Query()
	if ref := q.Get("ref"); ref != "" {
		return d.tellPayout(w, r, s, ref)
	}
	list := payoutList{Query: strings.TrimSpace(q.Get("q")), Going: q.Get("stopped") == "no"}
	list.States = slices.DeleteFunc(slices.Clone(ledger.PayoutStates[:]), func(state ledger.PayoutState) bool { return !slices.Contains(q["state"], string(state)) })
	f := ledger.Filter{Search: list.Query, States: list.States, Most: payoutRows + 1}
	f.After, _ = strconv.ParseInt(q.Get("after"), 10, 64) // else from the first on
	if f.After > 0 {
		list.First = list.page(0)
	}
	var stopped map[string]bool
	if list.Going {
		st, err := d.app.Overview(r.Context(), d.call(s, "payouts"))
		if err != nil {
			return err
		}
		stopped, f.Most = st.Stopped(), 0 // how many of them are passed over is not known before
	}
	err := d.app.Payouts(r.Context(), d.call(s, "payouts"), f, func(at ledger.Attempt, asks ledger.Attention, _ ledger.Late) error {
		if stopped[at.BatchID] {
			return nil
		}
		if len(list.Found) == payoutRows {
			list.Next = list.page(list.Found[payoutRows-1].ID)
			return app.ErrEnough
		}
		list.Found = append(list.Found, attempt{at, asks})
		return nil
	})
	if err != nil {
		return err
	}
	return d.show(w, r, s, http.StatusOK, "payouts", view{Title: "Payouts", Live: true, Data: list})
}

func showPayout(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.tellPayout(w, r, s, r.PathValue("ref"))
}

// payoutDecision is the release that people may ask for of an attempt.
type payoutDecision struct {
	Address string
	Bound   ledger.Bound
	Steps   []resolveStep
}

func (d *desk) tellPayout(w http.ResponseWriter, r *http.Request, s *session, ref string) error {
	story, err := d.app.Payout(r.Context(), d.call(s, "payout"), ref)
	if err != nil {
		return err
	}
	data := struct {
		app.PayoutStory
		Decide []*payoutDecision // of each attempt; nil where nothing is to be decided, or by others
	}{PayoutStory: story, Decide: make([]*payoutDecision, len(story.Attempts))}
	for i, at := range story.Attempts {
		var can []resolveStep
		for _, l := range ledger.Grave(story.Locks) {
			if l.Of == at.Key() && len(can) == 0 {
				can = releasesOf(s.person, l.Legal())
			}
		}
		if len(can) == 0 {
			continue
		}
		bound, err := d.app.Bound(r.Context(), d.call(s, "payout"), at.BatchID)
		if err != nil {
			return err
		}
		data.Decide[i] = &payoutDecision{Address: "/payouts/" + url.PathEscape(at.WireRef) + "/resolve", Bound: bound, Steps: can}
	}
	return d.show(w, r, s, http.StatusOK, "payout", view{Title: "Payout " + ledger.Plain(ref), Live: true, Data: data})
}
