package desk

import (
	"cmp"
	"net/http"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// payeePath is the address of a payee.
func payeePath(name, number, ifsc, beneficiary string) string {
	return "/payees/" + app.PayeeID(ledger.NamedAccount{VendorName: name, Account: ledger.Account{BankAccountNumber: number, IFSC: ifsc, OpenBeneficiaryID: beneficiary}})
}

// showPayee shows a payee: the accounts over time, and what was paid there.
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
	return d.show(w, r, s, http.StatusOK, "payee", view{Title: cmp.Or(ledger.Plain(story.Name), "Payee without a name"), Live: true, Data: data})
}
