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
	otpAccount              // the account of the page; the zero otpAccount if no batch waits
	Accounts   []otpAccount // those with anything to do here
	Job        *jobView     // what this person asked for last, for the account
	Now        *otpAsked    // the batch whose OTP is asked for; nil if none
	Others     []app.Asked  // the batches after it
	GoOn       string       // if none is asked for: the address of another debit account with OTPs; "" for none
}

// otpAccount is a debit account, and its batches that wait for OTPs or may be next.
type otpAccount struct {
	ID    string
	Open  []app.Asked   // their OTPs may be entered now
	Spent []app.Asked   // without tries left
	Next  []app.NextOTP // whose OTPs a person can request next
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
	accounts := d.otpAccounts(list)
	at := func(account string) int {
		return slices.IndexFunc(accounts, func(a otpAccount) bool { return a.ID == account })
	}
	account, batch := r.URL.Query().Get("account"), cmp.Or(r.PathValue("id"), r.URL.Query().Get("after"))
	for _, a := range accounts {
		if slices.ContainsFunc(a.Open, func(open app.Asked) bool { return open.Batch.ID == batch }) {
			account = a.ID
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
		data.Job.holdAgainst(byID(slices.DeleteFunc(now, func(b ledger.Batch) bool { return b.BankAccountID != account })))
	}
	here := at(account)
	switch {
	case here < 0 && len(accounts) > 0 && (account == "" || data.Job == nil):
		here = 0
	case here < 0 && data.Job != nil:
		here, accounts = len(accounts), append(accounts, otpAccount{ID: account})
	}
	switch data.Accounts = accounts; {
	case here < 0:
	case data.Job.busy():
		data.ID = accounts[here].ID // without forms
	default:
		data.otpAccount = accounts[here]
		data.asks(slices.Concat(accounts[here+1:], accounts[:here]), list.ToType, batch, r.PathValue("id") == "")
	}
	return d.show(w, r, s, "otp", view{Title: "OTPs", Live: true, Data: &data})
}

// newsOf returns what a person asked for last, for a debit account or, if account is "", for any, if it
// runs or ended recently; else nil.
func (d *desk) newsOf(w http.ResponseWriter, r *http.Request, s *session, account string) *jobView {
	return d.viewOf(w, r, d.jobs.last(func(j *job) bool {
		return j.call.Actor == s.person.Name && (account == "" || slices.Contains(j.Accounts, account)) && (j.Running() || d.now().Sub(j.Over) < recently)
	}))
}

// otpsAt returns the address of a debit account's OTP page.
func otpsAt(account string) string { return "/otp?account=" + url.QueryEscape(account) }

// otpAccounts returns the accounts in the order of the OTP requests, those with an open batch first. A batch
// of which an entry is in progress is not open, and not next.
func (d *desk) otpAccounts(list app.OTPs) (all []otpAccount) {
	of := func(account string) *otpAccount {
		return ledger.FirstOrNew(&all, func(a otpAccount) bool { return a.ID == account }, otpAccount{ID: account})
	}
	for _, a := range list.Held {
		switch account := of(a.Batch.BankAccountID); {
		case a.Spent():
			account.Spent = append(account.Spent, a)
		case !d.jobs.works(a.Batch.ID):
			account.Open = append(account.Open, a)
		}
	}
	for _, b := range list.Next {
		if account := of(b.BankAccountID); !d.jobs.works(b.ID) {
			account.Next = append(account.Next, b)
		}
	}
	slices.SortStableFunc(all, func(a, b otpAccount) int { return cmp.Compare(min(1, len(b.Open)), min(1, len(a.Open))) })
	return all
}

// asks fills the page with what its account waits for: first batch or, if behind, the one after it. others are the
// other accounts, the one after it first.
func (data *otpDesk) asks(others []otpAccount, toType *app.NeedsConfirmation, batch string, behind bool) {
	elsewhere := "" // another debit account with an open batch
	if i := slices.IndexFunc(others, func(a otpAccount) bool { return len(a.Open) > 0 }); i >= 0 {
		elsewhere = otpsAt(others[i].ID)
	}
	if len(data.Open) == 0 {
		data.GoOn = elsewhere
		return
	}
	at := slices.IndexFunc(data.Open, func(a app.Asked) bool { return a.Batch.ID == batch })
	if behind {
		at++
	}
	at = max(at, 0) % len(data.Open)
	data.Now = &otpAsked{Asked: data.Open[at], ToType: toType}
	data.Others = slices.Concat(data.Open[at+1:], data.Open[:at])
	switch {
	case at+1 == len(data.Open) && elsewhere != "":
		data.Now.Skip = elsewhere
	case len(data.Open) > 1:
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
