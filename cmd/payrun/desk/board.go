package desk

import (
	"cmp"
	"net/http"
	"slices"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// boardData is what the home page shows.
type boardData struct {
	Mine, Others []sheetLine // sheets that wait for this person, and the first others
	Sheets       int         // number of all sheets
	Accounts     []funds
	Head         ledger.AuditHead
	Whole        *verification
	Verifying    bool
	Empty        bool
	Changes      []ledger.PersonChange // of the last week, and those that wait
	TwoPeople    string                // what a new team has to do; "" if that is done
	Seconds      []pendingConfirmation // what this person can confirm as the second person
}

// othersShown is how many sheets that wait for others are shown.
const othersShown = 12

// Waits returns how many things wait for this person.
func (b boardData) Waits() int { return len(b.Mine) + len(b.Seconds) }

func board(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	st, err := d.app.Overview(r.Context(), d.call(s, "board"))
	if err != nil {
		return err
	}
	look := visitorOf(r).look
	data := boardData{Head: look.Head, Whole: d.whole.Load(), Verifying: d.verifying.Load(), Empty: len(st.Batches) == 0}
	data.Sheets = len(st.Sheets)
	data.Mine, data.Others = linesOf(st.Sheets, s.person)
	data.Others = data.Others[:min(othersShown, len(data.Others))]
	data.Changes = look.People.RecentChanges(d.now())
	slices.Reverse(data.Changes)
	if len(look.People.People()) < 2 {
		data.TwoPeople = app.TwoPeople(d.set)
	}
	data.Seconds = d.pendingConfirmations(st, data.Changes, look.People, s.person)
	data.Accounts = ledger.ListOf(accountsOf(st.Batches), func(a app.OutgoingAccount) funds { return d.balances.of(a, st.InFlight, st.Paid, d.now()) })
	return d.show(w, r, s, "board", view{Title: "Home", Live: true, Data: data})
}

// accountsOf returns the debit accounts of batches, sorted by id, each with the sum of its planned batches.
func accountsOf(batches []ledger.Batch) (all []app.OutgoingAccount) {
	for _, b := range batches {
		of := func(a app.OutgoingAccount) bool { return a.Debit.BankAccountID == b.BankAccountID }
		account := ledger.FirstOrNew(&all, of, app.OutgoingAccount{Debit: ledger.DebitAccount{BankAccountID: b.BankAccountID, PartnerBankID: b.PartnerBankID}})
		if b.State == ledger.BatchPlanned {
			account.Payouts = account.Payouts.Plus(ledger.Tally{Count: b.Count, Total: b.Total})
		}
	}
	slices.SortFunc(all, func(a, b app.OutgoingAccount) int { return cmp.Compare(a.Debit.BankAccountID, b.Debit.BankAccountID) })
	return all
}

// pendingConfirmation waits for a second person.
type pendingConfirmation struct {
	What, By, Link string
}

// pendingConfirmations returns what the viewer can confirm as the second person: rights that people were
// given, a laxer policy, and releases.
func (d *desk) pendingConfirmations(st app.Overview, changes []ledger.PersonChange, people ledger.Users, me ledger.Person) (list []pendingConfirmation) {
	for _, c := range changes {
		if people.Waiting(c) && people.MayConfirm(me.Name, c) == nil {
			list = append(list, pendingConfirmation{"Confirm what waits for " + c.Words(), c.Actor, "#given"})
		}
	}
	for _, p := range st.Proposals {
		if p.MaySecond(me.Name, people) {
			list = append(list, pendingConfirmation{"Agree to a laxer policy, or not: " + p.Key + " = " + p.Value, p.Actor, "/policy#waits"})
		}
	}
	for _, p := range st.Releases {
		if d.may(me, "resolve") && people.SecondPerson(p.Actor, me.Name) == nil {
			list = append(list, pendingConfirmation{"Say the same about " + ledger.ShortID(p.BatchID) + ", or not: " + string(p.As), p.Actor, "/batches/" + p.BatchID})
		}
	}
	return list
}
