package desk

import (
	"cmp"
	"math"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// payoutRows is how many payouts one page of them shows.
const payoutRows = 100

// payoutList is a search for payouts and its result.
type payoutList struct {
	app.PayoutQuery
	app.PayoutPage
	Sheets []ledger.Sheet
	Page   int
	Asked  url.Values // the fields of the search, as typed, without the page
}

// At returns the address of a page of the result.
func (l payoutList) At(page int) string {
	return addressWith("/payouts", l.Asked, "page", strconv.Itoa(page))
}

// Sorted returns the address of the result in another order.
func (l payoutList) Sorted(by app.PayoutSort) string {
	return addressWith("/payouts", l.Asked, "sort", string(by))
}

// File returns the address of the whole result as a file.
func (l payoutList) File(kind string) string {
	return addressWith("/payouts."+kind, l.Asked, "sort", string(l.Sort))
}

// Last returns the number of the last page.
func (l payoutList) Last() int { return max(1, (l.All.Count+payoutRows-1)/payoutRows) }

// Pages returns the numbers of the pages to link to, with 0 for each gap.
func (l payoutList) Pages() (pages []int) {
	last := l.Last()
	for p := 1; p <= last; p++ {
		switch {
		case p == 1, p == last, max(p-l.Page, l.Page-p) <= 1:
			pages = append(pages, p)
		case pages[len(pages)-1] != 0:
			pages = append(pages, 0)
		}
	}
	return pages
}

// First and Through number the first and the last row of the page within the result.
func (l payoutList) First() int   { return (l.Page-1)*payoutRows + 1 }
func (l payoutList) Through() int { return (l.Page-1)*payoutRows + len(l.Rows) }

// eachState returns the states that have payouts, with their sums.
func eachState(states map[ledger.PayoutState]ledger.Tally) (all []app.PayoutPart) {
	classes := map[ledger.PayoutState]string{ledger.PayoutSuccess: "paid", ledger.PayoutFailed: "notpaid", ledger.PayoutReturned: "returned", ledger.PayoutDisputed: "indoubt"}
	for _, state := range ledger.PayoutStates {
		if t := states[state]; t.Count > 0 {
			all = append(all, app.PayoutPart{Class: classes[state], Words: state.Words(), Tally: t})
		}
	}
	return all
}

// AllStates returns the states that can be searched for.
func (l payoutList) AllStates() []ledger.PayoutState { return ledger.PayoutStates[:] }

// Only reports whether the search is for this state alone.
func (l payoutList) Only(state ledger.PayoutState) bool {
	return slices.Equal(l.PayoutQuery.States, []ledger.PayoutState{state})
}

// payoutQuery reads a search. It ignores a value that it does not understand.
func (d *desk) payoutQuery(asked url.Values) (q app.PayoutQuery) {
	q = app.PayoutQuery{Text: strings.TrimSpace(asked.Get("q")), SheetID: asked.Get("sheet"), Account: asked.Get("account")}
	given := strings.Split(strings.Join(asked["state"], ","), ",")
	q.States = slices.DeleteFunc(slices.Clone(ledger.PayoutStates[:]), func(state ledger.PayoutState) bool { return !slices.Contains(given, string(state)) })
	q.From, q.Until, _ = app.Days(asked.Get("from"), asked.Get("until"), d.set.Timezone.At)
	if by := app.PayoutSort(asked.Get("sort")); slices.Contains(app.PayoutSorts[:], by) {
		q.Sort = by
	}
	return q
}

func listPayouts(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	asked := r.URL.Query()
	if asked.Get("ref") != "" {
		return showPayout(d, w, r, s)
	}
	list := payoutList{PayoutQuery: d.payoutQuery(asked), Asked: asked}
	page, _ := strconv.Atoi(asked.Get("page")) // 0, the first page, if there is none
	asked.Del("page")
	list.Page = min(max(page, 1), math.MaxInt32/payoutRows)
	var err error
	if list.PayoutPage, err = d.app.FindPayouts(r.Context(), d.call(s, "payouts"), list.PayoutQuery, (list.Page-1)*payoutRows, payoutRows); err != nil {
		return err
	}
	if len(list.Rows) == 0 && list.Page > 1 { // the list is shorter now
		return leadTo(w, r, list.At(list.Last()))
	}
	if list.Sheets, err = d.app.Sheets(r.Context(), d.call(s, "payouts")); err != nil {
		return err
	}
	slices.Reverse(list.Sheets)
	return d.show(w, r, s, "payouts", view{Title: "Payouts", Live: true, Data: list})
}

// exportPayouts sends the result of a search as a file with masked account numbers.
func exportPayouts(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.givePayouts(w, r, d.call(s, "payouts"), d.payoutQuery(r.URL.Query()), path.Base(r.URL.Path), false)
}

// givePayoutsFull sends it with full account numbers. It records this before the first of them is sent.
func givePayoutsFull(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	q, c := d.payoutQuery(r.PostForm), d.decision(r, s, "payouts")
	name := "payouts-full.csv"
	if r.PostFormValue("format") == "xlsx" {
		name = "payouts-full.xlsx"
	}
	if err := d.app.RecordFound(r.Context(), c, q, address(r)); err != nil {
		return err
	}
	return d.givePayouts(w, r, c, q, name, true)
}

func (d *desk) givePayouts(w http.ResponseWriter, r *http.Request, c app.Call, q app.PayoutQuery, name string, full bool) error {
	return d.stream(w, name, func() error { return d.app.WriteFound(r.Context(), c, q, path.Ext(name) == ".xlsx", full, w) })
}

func showPayout(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	ref := cmp.Or(r.PathValue("ref"), r.URL.Query().Get("ref"))
	story, err := d.app.Payout(r.Context(), d.call(s, "payout"), ref)
	if err != nil {
		return err
	}
	data := struct {
		app.PayoutStory
		Can []*steps // for each attempt; nil if the viewer cannot decide anything
	}{PayoutStory: story, Can: make([]*steps, len(story.Attempts))}
	for i, at := range story.Attempts {
		var can []ledger.Next
		for _, l := range ledger.Grave(story.Locks) {
			if l.Of == at.Key() && len(can) == 0 {
				can = d.releasesOf(s.person, l.Legal())
			}
		}
		if len(can) == 0 {
			continue
		}
		bound, err := d.app.Bound(r.Context(), d.call(s, "payout"), at.BatchID)
		if err != nil {
			return err
		}
		data.Can[i] = &steps{Page: "/payouts/" + url.PathEscape(at.WireRef), Bound: bound, Resolve: can}
	}
	return d.show(w, r, s, "payout", view{Title: "Payout " + ledger.Plain(ref), Live: true, Data: data})
}

// payeePath returns the address of a payee.
func payeePath(name, number, ifsc, beneficiary string) string {
	return "/payees/" + app.PayeeID(ledger.NamedAccount{VendorName: name, Account: ledger.Account{BankAccountNumber: number, IFSC: ifsc, OpenBeneficiaryID: beneficiary}})
}

// showPayee shows a payee: the accounts over time, and what was paid to them.
func showPayee(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	story, err := d.app.Payee(r.Context(), d.call(s, "payee"), r.PathValue("id"))
	if err != nil {
		return err
	}
	data := struct {
		app.PayeeStory
		More int // payouts that are not shown
	}{story, max(0, len(story.Rows)-payoutRows)}
	data.Rows = data.Rows[:min(len(data.Rows), payoutRows)]
	return d.show(w, r, s, "payee", view{Title: cmp.Or(ledger.Plain(story.Name), "Payee without a name"), Live: true, Data: data})
}
