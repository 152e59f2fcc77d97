package desk

import (
	"cmp"
	"net/http"
	"slices"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// tile is an amount of payouts that stand alike.
type tile struct {
	Label, Class, Link string
	ledger.Tally
}

// account is how a debit account stands in the ledger. Its balance only the bank
// knows, which a page never asks.
type account struct {
	ID                string
	PartnerBank       int
	Planned, InFlight ledger.Tally // of payouts
}

// boardData is what the board shows.
type boardData struct {
	Tiles    []tile
	Needs    []app.Need
	Unpaid   tile
	Accounts []account
	Head     ledger.AuditHead
	Empty    bool
	Grants   []grant // of the last week, and those that wait
	MayLoad  bool    // who looks at it
}

func board(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	st, err := d.app.Status(r.Context(), d.call(s, "board"))
	if err != nil {
		return err
	}
	data := boardData{Needs: asking(st.Needs), Empty: len(st.Batches) == 0, MayLoad: s.person.Can(ledger.RoleLoad)}
	if data.Head, err = d.app.Head(r.Context(), d.call(s, "board")); err != nil {
		return err
	}
	people, err := d.app.People(r.Context(), d.call(s, "board"))
	if err != nil {
		return err
	}
	data.Grants = d.grants(people, s)
	if data.Tiles, err = tiles(st.Payouts); err != nil {
		return err
	}
	if data.Unpaid, err = unpaid(st); err != nil {
		return err
	}
	if data.Accounts, err = accounts(st.Batches); err != nil {
		return err
	}
	return d.show(w, r, s, http.StatusOK, "board", view{Title: "Board", Live: true, Data: data})
}

// asking leaves out what asks for nothing of a person.
func asking(needs []app.Need) []app.Need {
	return slices.DeleteFunc(slices.Clone(needs), func(n app.Need) bool { return n.Weight < ledger.WeightPerson && n.Kind != ledger.ToBeInitiated })
}

// columns of the board: each payout is in one of them.
var columns = [...]struct {
	label, class string
	states       []ledger.PayoutState
}{
	{"Planned, nothing sent", "", []ledger.PayoutState{ledger.PayoutPlanned}},
	{"To enter (OTP)", "todo", []ledger.PayoutState{ledger.PayoutRequestInitiated}},
	{"At the bank", "open", []ledger.PayoutState{ledger.PayoutPending, ledger.PayoutInitiated}},
	{"Paid", "paid", []ledger.PayoutState{ledger.PayoutSuccess}},
	{"Failed or came back", "notpaid", []ledger.PayoutState{ledger.PayoutFailed, ledger.PayoutReturned}},
	{"Given up", "", []ledger.PayoutState{ledger.PayoutCancelled}},
	{"Disputed", "indoubt", []ledger.PayoutState{ledger.PayoutDisputed}},
}

// always are the columns that are shown when they are empty too.
const always = 5

func tiles(tallies map[ledger.PayoutState]ledger.Tally) (all []tile, err error) {
	for i, c := range columns {
		t := tile{Label: c.label, Class: c.class, Link: "/payouts?"}
		for _, state := range c.states {
			if t.Tally, err = t.Plus(tallies[state]); err != nil {
				return nil, err
			}
			t.Link += "state=" + string(state) + "&"
		}
		t.Link = t.Link[:len(t.Link)-1]
		if t.Count > 0 || i < always {
			all = append(all, t)
		}
	}
	return all, nil
}

func accounts(batches []ledger.Batch) ([]account, error) {
	by := map[string]*account{}
	for _, b := range batches {
		a := by[b.BankAccountID]
		if a == nil {
			a = &account{ID: b.BankAccountID, PartnerBank: b.PartnerBankID}
			by[b.BankAccountID] = a
		}
		t := &a.InFlight
		switch b.State {
		case ledger.BatchPlanned:
			t = &a.Planned
		case ledger.BatchSettled, ledger.BatchRefused, ledger.BatchAbandoned, ledger.BatchSetAside:
			continue
		}
		sum, err := t.Plus(ledger.Tally{Count: b.Count, Total: b.Total})
		if err != nil {
			return nil, err
		}
		*t = sum
	}
	list := make([]account, 0, len(by))
	for _, a := range by {
		list = append(list, *a)
	}
	slices.SortFunc(list, func(a, b account) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

// unpaid are the payouts that failed or came back, and were not planned anew.
func unpaid(st app.Status) (t tile, err error) {
	t = tile{Label: "Failed or came back", Class: "notpaid", Link: "/payouts?state=failed&state=returned"}
	t.Tally, err = st.Payouts[ledger.PayoutFailed].Plus(st.Payouts[ledger.PayoutReturned])
	return t, err
}
