package desk

import (
	"cmp"
	"net/http"
	"slices"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// boardData is what the board shows.
type boardData struct {
	Mine, Others []sheetLine // by whether this person is next; of the others those that are shown
	Sheets       int         // all there are
	Accounts     []funds
	Head         ledger.AuditHead
	Whole        verifyView
	Empty        bool
	Changes      []peopleChange        // of people, of the last week, and those that wait
	TwoPeople    string                // what a new team has to do; "" where it is done
	Seconds      []pendingConfirmation // what waits for this person as the second
}

// othersShown is how many of the sheets for others stand on the board.
const othersShown = 12

// Waits is how many things wait for this person.
func (b boardData) Waits() int { return len(b.Mine) + len(b.Seconds) }

func board(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	st, err := d.app.Overview(r.Context(), d.call(s, "board"))
	if err != nil {
		return err
	}
	look := visitorOf(r).look
	data := boardData{Head: look.Head, Whole: d.whole.view(), Empty: len(st.Batches) == 0}
	data.Sheets = len(st.Sheets)
	data.Mine, data.Others = linesOf(st.Sheets, s.person)
	data.Others = data.Others[:min(othersShown, len(data.Others))]
	data.Changes = d.peopleChanges(look.People, s)
	if len(look.People.People()) < 2 {
		data.TwoPeople = app.TwoPeople(d.set)
	}
	data.Seconds = pendingConfirmations(st, data.Changes, look.People, s.person)
	for _, a := range accountsOf(st.Batches) {
		data.Accounts = append(data.Accounts, d.balances.of(a, st.InFlight, st.Paid, d.now()))
	}
	return d.show(w, r, s, "board", view{Title: "Home", Live: true, Data: data})
}

// accountsOf are the debit accounts of batches, by id, with what is planned of each.
func accountsOf(batches []ledger.Batch) (all []app.OutgoingAccount) {
	for _, b := range batches {
		i := slices.IndexFunc(all, func(a app.OutgoingAccount) bool { return a.Debit.BankAccountID == b.BankAccountID })
		if i < 0 {
			i, all = len(all), append(all, app.OutgoingAccount{Debit: ledger.DebitAccount{BankAccountID: b.BankAccountID, PartnerBankID: b.PartnerBankID}})
		}
		if b.State == ledger.BatchPlanned {
			all[i].Payouts = all[i].Payouts.Plus(ledger.Tally{Count: b.Count, Total: b.Total})
		}
	}
	slices.SortFunc(all, func(a, b app.OutgoingAccount) int { return cmp.Compare(a.Debit.BankAccountID, b.Debit.BankAccountID) })
	return all
}

// pendingConfirmation waits for another person, who may be the viewer.
type pendingConfirmation struct {
	What, By, Link string
}

// pendingConfirmations are those for the viewer: what others were given, a laxer policy, and decisions
// about batches.
func pendingConfirmations(st app.Overview, changes []peopleChange, people ledger.Users, me ledger.Person) (list []pendingConfirmation) {
	for _, c := range changes {
		if c.May {
			list = append(list, pendingConfirmation{"Confirm what waits for " + c.Words(), c.Actor, "#given"})
		}
	}
	add := func(actor, what, link string) {
		if people.SecondPerson(actor, me.Name) == nil {
			list = append(list, pendingConfirmation{what, actor, link})
		}
	}
	for _, p := range st.Proposals {
		if lets(me, confirms) {
			add(p.Actor, "Agree to a laxer policy, or not: "+p.Key+" = "+p.Value, "/policy#waits")
		}
	}
	for _, p := range st.Releases {
		if may(me, "resolve") {
			add(p.Actor, "Say the same about "+ledger.ShortID(p.BatchID)+", or not: "+string(p.As), "/batches/"+p.BatchID)
		}
	}
	return list
}
