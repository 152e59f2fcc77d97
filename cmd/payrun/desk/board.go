package desk

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// tile is an amount of payouts that stand alike.
type tile struct {
	Label, Class, Link string
	ledger.Tally
}

// account is how a debit account stands.
type account struct {
	funds
	PartnerBank int
}

// standing is how everything stood when the audit trail ended with head. Nothing in
// it changes without an event, so that whoever looks meanwhile is shown the same.
type standing struct {
	app.Status
	Head     ledger.AuditHead
	InFlight map[string]ledger.Paise // by debit account
	Paid     map[string]ledger.Paise // the same
	Accounts []account               // without what the bank said

	Proposed, Undecided bool // a laxer policy, and decisions, wait for a second person, or did: time only takes from them
}

// standings keeps the newest standing: fifty people before open boards read it once.
type standings struct {
	mu   sync.Mutex
	last *standing
}

// stands tells how everything stands now.
func (d *desk) stands(ctx context.Context, call app.Call) (*standing, error) {
	head, _, err := d.glance(ctx)
	if err != nil {
		return nil, err
	}
	d.standings.mu.Lock()
	defer d.standings.mu.Unlock()
	if last := d.standings.last; last != nil && last.Head == head {
		return last, nil
	}
	now := &standing{Head: head} // what follows may be newer: then the next look is a new one
	if now.Status, err = d.app.Status(ctx, call); err != nil {
		return nil, err
	}
	if now.InFlight, err = d.app.InFlight(ctx, call); err != nil {
		return nil, err
	}
	if now.Paid, err = d.app.Paid(ctx, call); err != nil {
		return nil, err
	}
	if now.Accounts, err = accounts(now.Batches); err != nil {
		return nil, err
	}
	policy, err := d.app.Policy(ctx, call)
	if err != nil {
		return nil, err
	}
	decisions, err := d.app.WaitingDecisions(ctx, call)
	if err != nil {
		return nil, err
	}
	now.Proposed, now.Undecided = len(policy.Proposals) > 0, len(decisions) > 0
	d.standings.last = now
	return now, nil
}

// boardData is what the board shows.
type boardData struct {
	Mine, Others []app.Need // by whether this person may do something about it
	Tiles        []tile
	Unpaid       tile
	Accounts     []account
	Head         ledger.AuditHead
	Empty        bool
	Grants       []grant  // of the last week, and those that wait
	Seconds      []second // what waits for this person as the second
	MayLoad      bool
	Most         int64 // bytes of a sheet
}

func board(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	st, err := d.stands(r.Context(), d.call(s, "board"))
	if err != nil {
		return err
	}
	data := boardData{Head: st.Head, Empty: len(st.Batches) == 0, MayLoad: s.person.Can(ledger.RoleLoad), Most: int64(d.set.Limits.SheetBytes)}
	for _, n := range asking(st.Needs) {
		if mayHelp(s.person, n.AttentionRow) {
			data.Mine = append(data.Mine, n)
		} else {
			data.Others = append(data.Others, n)
		}
	}
	_, people, err := d.glance(r.Context())
	if err != nil {
		return err
	}
	data.Grants = d.grants(people, s)
	if data.Seconds, err = d.seconds(r.Context(), d.call(s, "board"), st, people, s); err != nil {
		return err
	}
	if data.Tiles, err = tiles(st.Payouts); err != nil {
		return err
	}
	if data.Unpaid, err = unpaid(st.Status); err != nil {
		return err
	}
	for _, a := range st.Accounts {
		a.funds = d.balances.of(a.OutgoingAccount, st.InFlight, st.Paid, d.now())
		data.Accounts = append(data.Accounts, a)
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

// accounts are the debit accounts of the batches, each with what is planned.
func accounts(batches []ledger.Batch) ([]account, error) {
	by := map[string]*account{}
	var list []account
	for i := range batches {
		b := &batches[i]
		a := by[b.BankAccountID]
		if a == nil {
			a = &account{PartnerBank: b.PartnerBankID}
			a.Debit.BankAccountID, by[b.BankAccountID] = b.BankAccountID, a
		}
		if b.State == ledger.BatchPlanned {
			sum, err := a.Payouts.Plus(ledger.Tally{Count: b.Count, Total: b.Total})
			if err != nil {
				return nil, err
			}
			a.Payouts = sum
		}
	}
	for _, id := range slices.Sorted(maps.Keys(by)) {
		list = append(list, *by[id])
	}
	return list, nil
}

// unpaid are the payouts that failed or came back, and were not planned anew.
func unpaid(st app.Status) (t tile, err error) {
	t = tile{Label: "Failed or came back", Class: "notpaid", Link: "/payouts?state=failed&state=returned"}
	t.Tally, err = st.Payouts[ledger.PayoutFailed].Plus(st.Payouts[ledger.PayoutReturned])
	return t, err
}
