package desk

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// otpDesk is the page on which the OTPs of one debit account are entered, one after the other.
type otpDesk struct {
	Job      *jobView      // what this person asked for last, for the page's debit account
	Accounts []otpAccount  // those with anything to do here
	Now      *otpAsked     // the batch whose OTP is asked for; nil if none
	Others   []app.Asked   // the batches after it
	GoOn     string        // if none is asked for: the address of another debit account with OTPs; "" for none
	Spent    []app.Asked   // batches without tries left
	Next     []app.NextOTP // batches whose OTPs a person can request next
}

// otpAsked is the batch whose OTP is asked for.
type otpAsked struct {
	app.Asked
	ToType *app.NeedsConfirmation
	Skip   string // address of the next batch; "" if this is the only one
}

// Left returns how much of the OTP window is left, in percent; -1 if there is no window.
func (a otpAsked) Left() int {
	if a.Window <= 0 {
		return -1
	}
	return int(max(0, min(100, 100-100*a.Held/a.Window)))
}

// Ago returns how long ago the OTP was requested.
func (a otpAsked) Ago() string { return minutes(max(0, a.Held)) }

// minutes formats a duration as 4:10 or 1:04:10.
func minutes(d time.Duration) string {
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	if h > 0 {
		return fmt.Sprintf("%d:%02d:%02d", h, m, s)
	}
	return fmt.Sprintf("%d:%02d", m, s)
}

// Locked reports whether payrun refused to submit the batch because of the lock of a payout.
func (a otpAsked) Locked() bool { return slices.Contains(ledger.LockKinds[:], a.Batch.Attention) }

// LastTry reports whether this is the last try of several.
func (a otpAsked) LastTry() bool { return a.Tries > 1 && a.TriesLeft() == 1 }

// TriesLeft returns how often an OTP of the batch may still be entered.
func (a otpAsked) TriesLeft() int { return max(0, a.Tries-a.Try+1) }

// Dots shows the tries: a filled dot for each one left.
func (a otpAsked) Dots() string {
	return strings.Repeat("●", a.TriesLeft()) + strings.Repeat("○", a.Tries-a.TriesLeft())
}

// recently is how long the page shows the result of the last entry.
const recently = 10 * time.Minute

// showOTPs shows the batch of the address if it still waits for its OTP, or else the first one of its debit
// account that does, with the result of the last entry for that account.
func showOTPs(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if id := r.PathValue("id"); id != "" {
		if _, err := d.app.Standing(r.Context(), d.call(s, "otp"), []string{id}); err != nil {
			return err
		}
	}
	list, err := d.app.OTPs(r.Context(), d.call(s, "otp"))
	if err != nil {
		return err
	}
	open := func(a app.Asked) bool { return !a.Spent() && !d.jobs.works(a.Batch.ID) } // an entry that is in progress is not open
	accounts := otpAccounts(list, open)
	list.Next = slices.DeleteFunc(list.Next, func(b app.NextOTP) bool { return d.jobs.works(b.ID) })
	at := func(account string) int {
		return slices.IndexFunc(accounts, func(a otpAccount) bool { return a.ID == account })
	}
	account, batch := r.URL.Query().Get("account"), cmp.Or(r.PathValue("id"), r.URL.Query().Get("after"))
	for _, a := range list.Held {
		if a.Batch.ID == batch && open(a) {
			account = a.Batch.BankAccountID
		}
	}
	data := otpDesk{Job: d.newsOf(w, r, s, account)}
	if data.Job != nil {
		if account == "" && len(data.Job.Accounts) > 0 { // the first one with anything here, or else the first
			account = data.Job.Accounts[max(0, slices.IndexFunc(data.Job.Accounts, func(a string) bool { return at(a) >= 0 }))]
		}
		now, err := d.app.Standing(r.Context(), d.call(s, "otp"), data.Job.news())
		if err != nil {
			return err
		}
		data.Job.holdAgainst(slices.DeleteFunc(now, func(b ledger.Batch) bool { return b.BankAccountID != account }))
	}
	here := at(account)
	switch {
	case here < 0 && len(accounts) > 0 && (account == "" || data.Job == nil):
		here = 0
	case here < 0 && data.Job != nil:
		here, accounts = len(accounts), append(accounts, otpAccount{ID: account})
	}
	data.Accounts = accounts
	if here >= 0 {
		accounts[here].Here = true
		if !data.Job.busy() {
			data.asks(list, open, here, batch, r.PathValue("id") == "")
		}
	}
	return d.show(w, r, s, "otp", view{Title: "OTPs", Live: true, Data: &data})
}

// newsOf returns what a person asked for last, for a debit account or, if account is "", for any, if it
// runs or ended recently; else nil.
func (d *desk) newsOf(w http.ResponseWriter, r *http.Request, s *session, account string) *jobView {
	j := d.jobs.of(s.person.Name, account)
	if j == nil {
		return nil
	}
	var at progress
	j.set(func() { at = j.progress })
	if !at.Running() && d.now().Sub(at.Over) >= recently {
		return nil
	}
	return d.viewOf(w, r, j)
}

// otpsAt returns the address of a debit account's OTP page.
func otpsAt(account string) string { return "/otp?account=" + url.QueryEscape(account) }

// otpAccount is a debit account with batches that wait for OTPs, or may be next.
type otpAccount struct {
	ID    string
	Waits int  // how many of its batches wait for their OTP
	Here  bool // the page shows this one
}

// otpAccounts returns these accounts in the order of the OTP requests, those with a waiting batch first.
func otpAccounts(list app.OTPs, open func(app.Asked) bool) (all []otpAccount) {
	of := func(account string) *otpAccount {
		i := slices.IndexFunc(all, func(a otpAccount) bool { return a.ID == account })
		if i < 0 {
			i, all = len(all), append(all, otpAccount{ID: account})
		}
		return &all[i]
	}
	for _, a := range list.Held {
		if account := of(a.Batch.BankAccountID); open(a) {
			account.Waits++
		}
	}
	for _, b := range list.Next {
		of(b.BankAccountID)
	}
	slices.SortStableFunc(all, func(a, b otpAccount) int { return cmp.Compare(min(1, b.Waits), min(1, a.Waits)) })
	return all
}

// asks fills the page with what a debit account waits for: first batch or, if behind, the one after it.
func (data *otpDesk) asks(list app.OTPs, open func(app.Asked) bool, here int, batch string, behind bool) {
	account := data.Accounts[here].ID
	var asked []app.Asked
	for _, a := range list.Held {
		switch {
		case a.Batch.BankAccountID != account:
		case a.Spent():
			data.Spent = append(data.Spent, a)
		case open(a):
			asked = append(asked, a)
		}
	}
	data.Next = slices.DeleteFunc(list.Next, func(b app.NextOTP) bool { return b.BankAccountID != account })
	elsewhere := "" // another debit account with a waiting batch
	for _, a := range slices.Concat(data.Accounts[here+1:], data.Accounts[:here]) {
		if a.Waits > 0 && elsewhere == "" {
			elsewhere = otpsAt(a.ID)
		}
	}
	if len(asked) == 0 {
		data.GoOn = elsewhere
		return
	}
	at := slices.IndexFunc(asked, func(a app.Asked) bool { return a.Batch.ID == batch })
	if behind {
		at++
	}
	at = max(at, 0) % len(asked)
	data.Now = &otpAsked{Asked: asked[at], ToType: list.ToType}
	data.Others = slices.Concat(asked[at+1:], asked[:at])
	switch {
	case at+1 == len(asked) && elsewhere != "":
		data.Now.Skip = elsewhere
	case len(asked) > 1:
		data.Now.Skip = "/otp?after=" + data.Now.Batch.ID
	}
}

// one returns the value of a form field that was sent exactly once, without the spaces around it; else "".
func one(r *http.Request, field string) string {
	if values := r.PostForm[field]; len(values) == 1 {
		return strings.TrimSpace(values[0])
	}
	return ""
}

// entered takes an OTP, and the token if the batch needs one, out of a form and into a ledger.Secret, so
// that nothing shows them. wrong says why the input is not valid.
func entered(r *http.Request, b ledger.Batch, debit ledger.DebitAccount) (entry app.OTP, wrong string) {
	otp, token := one(r, "otp"), one(r, "transaction_token")
	for _, secret := range []string{"otp", "transaction_token"} {
		delete(r.PostForm, secret)
		delete(r.Form, secret)
	}
	entry = app.OTP{BatchID: b.ID, OTP: ledger.NewSecret(otp)}
	switch needs := b.Rules().NeedsToken; {
	case app.OTPWrong(debit, otp) != "":
		return app.OTP{}, app.OTPWrong(debit, otp) + " What was entered is not one; nothing was sent, and no try is used."
	case needs && app.TokenWrong(token) != "":
		return app.OTP{}, app.TokenIs + " What was entered is not; nothing was sent."
	case needs:
		entry.Token = ledger.NewSecret(token)
	}
	return entry, ""
}

// submitOTP submits a batch with its OTP: here money moves.
func submitOTP(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	now, err := d.app.Standing(r.Context(), d.call(s, "submit"), []string{r.PathValue("id")})
	if err != nil {
		return err
	}
	b := now[0]
	debit, _ := d.set.Account(b.BankAccountID) // an account that is not configured any more has no rules for its OTP
	entry, wrong := entered(r, b, debit)
	entry.Entered = d.now()
	list, err := d.app.OTPs(r.Context(), d.call(s, "submit"))
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list.Held, func(a app.Asked) bool { return a.Batch.ID == b.ID })
	bound := app.ReviewedBatches{Batches: []ledger.Bound{shown(r, b.ID)}}
	overtaken := d.app.Holds(r.Context(), d.call(s, "submit"), bound)
	page := "/batches/" + b.ID
	switch {
	case at < 0 || overtaken != nil:
		return d.notSent(page, overtaken)
	case list.Held[at].Spent():
		return &refusal{Status: http.StatusConflict, What: "The bank rejected every OTP that was entered for this batch. Nothing was sent.", Link: page}
	case wrong != "":
		return d.formWrong(w, r, s, http.StatusUnprocessableEntity, wrong, showOTPs)
	}
	var confirmed ledger.Paise
	if list.ToType != nil {
		if confirmed, err = app.ParseAmount(r.PostFormValue("total")); err != nil || confirmed != list.ToType.Total.Total {
			const why = "You did not type the total of everything that is held; nothing was sent."
			return d.formWrong(w, r, s, http.StatusUnprocessableEntity, why, showOTPs)
		}
	}
	return d.take(w, r, s, task{
		What: "Submit of " + b.Total.Rupees(), Verb: "submit", Page: page, Back: backToOTPs(r, b.BankAccountID),
		Batches: []string{b.ID}, Accounts: []string{b.BankAccountID},
		Holds: func() error { return d.app.Holds(r.Context(), d.call(s, "submit"), bound) },
		Do: func(ctx context.Context, call app.Call) (*app.Work, error) {
			return d.app.Submit(ctx, call, app.SubmitRequest{ReviewedBatches: &bound, Confirmed: confirmed, OTPs: func() ([]app.OTP, error) { return []app.OTP{entry}, nil }})
		},
	})
}
