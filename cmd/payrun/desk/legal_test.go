package desk

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// terminal is each verb by which a person at a terminal takes a step, with the routes
// of the desk that take the same, or why it has none and which command is named.
var terminal = map[string]struct{ routes, without string }{
	"load":      {"POST /sheets/{id}/load", ""},
	"approve":   {"POST /batches/{id}/approve", ""},
	"initiate":  {"POST /batches/{id}/initiate", ""},
	"submit":    {"POST /batches/{id}/submit", ""},
	"abandon":   {"POST /batches/{id}/abandon", ""},
	"poll":      {"POST /poll", ""},
	"retry":     {"POST /batches/{id}/retry, POST /batches/{id}/retry.xlsx", ""},
	"resolve":   {"POST /batches/{id}/resolve, POST /payouts/{ref}/resolve", ""},
	"reconcile": {"", "the bank's statements are asked for by payrun reconcile, or each night"},
}

// markOf is what is on a page that offers a step.
func markOf(n ledger.Next) string {
	switch {
	case n.Releases() != "":
		return `name="as" value="` + string(n.Releases()) + `"`
	case n.Verb == "submit":
		return `href="/otp/prbatch"`
	case n.Verb == "poll":
		return `action="/poll"`
	case n.Verb == "retry" && len(n.Flags) > 0:
		return `action="/batches/prbatch/retry.xlsx"`
	}
	return `action="/batches/prbatch/` + n.Verb + `"`
}

// marks are those of all steps that a page may offer.
func marks() (list []string) {
	for _, verb := range []string{"submit", "poll", "abandon", "retry"} {
		list = append(list, markOf(ledger.Next{Verb: verb}))
	}
	for _, as := range []ledger.ReleaseAs{ledger.ReleaseNotPaid, ledger.ReleasePaid} {
		list = append(list, markOf(ledger.Next{Verb: "resolve", Flags: []string{"--as", string(as)}}))
	}
	return list
}

// Of every kind of attention, in every state, the page of a batch offers the legal
// steps of the terminal, each to the person who has its role, and no other step.
func TestTheDeskOffersWhatTheTerminalDoes(t *testing.T) {
	h := build(t)
	roles := map[string]ledger.Role{}
	for _, rt := range routes {
		roles[rt.method+" "+rt.path] = rt.role
	}
	for verb, c := range terminal {
		for _, rt := range strings.Split(c.routes, ", ") {
			if c.without == "" && roles[rt] == "" {
				t.Errorf("%s: the desk has no %s", verb, rt)
			}
		}
	}
	people := []ledger.Person{{Name: "v", May: []ledger.Role{ledger.RoleView}}, {Name: "l", May: []ledger.Role{ledger.RoleLoad}},
		{Name: "a", May: []ledger.Role{ledger.RoleApprove}}, {Name: "p", May: []ledger.Role{ledger.RolePay}},
		{Name: "all", May: []ledger.Role{ledger.RoleLoad, ledger.RoleApprove, ledger.RolePay}}}
	awaited := []ledger.KnownAttempt{{Attempt: ledger.Attempt{State: ledger.PayoutPending}}}
	kinds := append(ledger.Attentions(), ledger.AttentionRow{})
	for _, row := range kinds {
		for _, n := range row.Next {
			if c, known := terminal[n.Verb]; !known || c.routes == "" && c.without == "" {
				t.Errorf("%s: the desk does not take %q, and it is not said why", row.Kind, n.Verb)
			}
		}
		for _, state := range ledger.BatchStates {
			b := ledger.Batch{ID: "prbatch", State: state, Attention: row.Kind, StateSince: h.at.Add(-100 * time.Hour), Listed: ledger.ListingYes}
			can := app.Steps{Bound: ledger.Bound{BatchID: b.ID}, Legal: ledger.BatchRecord{Batch: b, Attempts: awaited}.Legal(24*time.Hour, h.at)}
			retries := slices.ContainsFunc(can.Legal, func(n ledger.Next) bool { return n.Verb == "retry" })
			if retries {
				can.Retry = []ledger.Attempt{{}}
			}
			for _, p := range people {
				v := h.offered(p, can)
				var page bytes.Buffer
				fine(t, h.pages["batch"]().ExecuteTemplate(&page, "steps", view{person: p, Data: batchData{Can: v}}))
				var want []string
				for _, n := range can.Legal {
					reviewed := n.Verb == "approve" || n.Verb == "initiate" // with what it is about, in the review
					if !reviewed && n.Names == ledger.NamesBatch && lets(p, roles[strings.Split(terminal[n.Verb].routes, ", ")[0]]) {
						want = append(want, markOf(n))
					}
				}
				for _, mark := range marks() {
					if strings.Contains(page.String(), mark) != slices.Contains(want, mark) {
						t.Errorf("%q, %s, for %s: %s is offered: %t\n%s", row.Kind, state, p.Name, mark, strings.Contains(page.String(), mark), page.String())
					}
				}
				for _, l := range h.linksOf(row, b) {
					mark := map[string]string{"Enter the OTP": `href="/otp/prbatch"`, "Cancel this batch": `id="abandon"`, "Plan again": `id="retry"`, "Ask the bank": `id="steps"`, "Decide": `name="as"`}[l.Words]
					if p.Name == "all" && l.Link != "/otp" && !strings.Contains(page.String(), mark) {
						t.Errorf("%q, %s: %q leads to %s, where it is not", row.Kind, state, l.Words, l.Link)
					}
				}
			}
		}
	}
}

// A payout that the bank never ends is released by two people at the desk: each sees the
// evidence, fetched for them, before they type the amount.
func TestTwoPeopleReleaseAtTheDesk(t *testing.T) {
	h, id := held(t)
	h.adminWho("pay")
	h.invite("mina", "approve")
	h.paid(id, map[string]string{"INV/1": "stuck"})
	page, path := "/batches/"+id, "/batches/"+id+"/resolve"
	first := h.comesIn("ravi")
	isNot(t, first.get(page), path)
	h.polls(h.set.Poll.OverdueAfter.Std())
	row := ledger.Overdue.Row()
	looks := h.invite("lila", "view")
	first = h.comesIn("ravi")
	is(t, first.get("/attention"), 200, row.Title, `<a href="`+page+`#steps">Decide</a>`)
	isNot(t, looks.get(page), path)
	is(t, first.releases(page, path, id, "100", "as", "not-paid", "reason", "it hangs"), 409, "written confirmation is missing")
	is(t, first.releases(page, path, id, "100", "as", "not-paid", "reason", "it hangs", "bank_ticket", "mail 4711"), 409, "is not final")
	h.at = h.at.Add(6 * 24 * time.Hour)
	first = h.comesIn("ravi")
	is(t, first.releases(page, path, id, "99", "as", "not-paid", "reason", "it hangs", "bank_ticket", "mail 4711"), 422, "did not type the amount and the end")
	is(t, first.releases(page, path, id, "100", "as", "not-paid", "reason", "it hangs", "bank_ticket", "mail 4711"), 303)
	is(t, first.releases(page, path, id, "100", "as", "not-paid", "reason", "it hangs", "bank_ticket", "mail 4711"), 409, "another person has to say the same")
	second := h.comesIn("mina")
	is(t, second.get("/"), 200, "Say the same about")
	is(t, second.releases(page, path, id, "100", "as", "not-paid", "reason", "so says the bank", "bank_ticket", "mail 4711"), 409, "at least 1h0m0s after the first")
	h.at = h.at.Add(61 * time.Minute)
	second = h.comesIn("mina")
	is(t, second.releases(page, path, id, "100", "as", "not-paid", "reason", "so says the bank", "bank_ticket", "mail 4711"), 303)
	same(t, "INV/1", need(h.app.Payout(t.Context(), app.Call{}, "INV/1"))(t).Attempts[0].State, ledger.PayoutCancelled)
}

// releases asks for a release of a batch or payout: the evidence is shown first, and then
// the amount and the end of the batch's id are typed.
func (b *browser) releases(at, path, batch, total string, fields ...string) page {
	b.Helper()
	fields = append(fields, "batch", batch)
	shown := b.decide(path, append(b.bound(at, path), fields...)...)
	if shown.StatusCode != 200 {
		return shown
	}
	return b.decide(path, append(b.bound(at, path), append(fields, "evidence", hidden(shown.body, "evidence"), "total", total, "tail", batch[len(batch)-6:])...)...)
}

// A reference may hold what an address gives a meaning to.
func TestALockedPayoutIsLinkedWhateverItsReference(t *testing.T) {
	h := build(t)
	can := &steps{Locks: []ledger.Lock{{Ref: "NOV#1?a", WireRef: "NOV#1?a"}}}
	var page strings.Builder
	fine(t, h.pages["batch"]().ExecuteTemplate(&page, "steps", view{Data: batchData{Can: can}}))
	if want := `<a href="/payouts?ref=NOV%231%3Fa">NOV#1?a</a>`; !strings.Contains(page.String(), want) {
		t.Errorf("no %s in %s", want, page.String())
	}
}
