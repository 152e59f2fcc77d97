package sandbox

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// linking is an account on its way: the user still has to fill in the page at
// redirect_url (interface.md, "Initiate bank-account linking", Flow).
type linking struct {
	ID       string `json:"id"`
	ReturnTo string `json:"return_to"` // merchant_redirect_url
}

// linkingStatus is the status after creation; further ones are not shown.
const linkingStatus = "initiated"

// linkingPath is where the page of a linking is, on the sandbox's own address.
const linkingPath = "/linking/"

// initiateLinking answers "Initiate bank-account linking". The account is listed
// from now on, with its redirect_url and without a number; the interface has no
// third status, so it is token_expired until it is linked.
func (b *bank) initiateLinking(r request) *answer {
	a, err := b.readLinking(r.body)
	if err != nil {
		return r.refuse(http.StatusBadRequest, "%s", err)
	}
	n := strconv.Itoa(len(b.Accounts))
	a.BankAccountID, a.Linking.ID = b.dice.uuid("linked account", n), b.dice.text(24, "linking", n)
	b.Accounts = append(b.Accounts, a)
	return answered(bankapi.LinkingSession{
		RedirectURL: b.linkingURL(a), IsSandbox: true, Status: linkingStatus, MerchantRedirectURL: a.Linking.ReturnTo,
	}, nil)
}

func (b *bank) readLinking(body []byte) (*Account, error) {
	var in struct {
		SubMerchantID string `json:"sub_merchant_id"`
		PartnerBankID any    `json:"partner_bank_id" wire:"required"`
		ReturnTo      string `json:"merchant_redirect_url"`
	}
	err := read(body, &in, map[string]*string{"sub_merchant_id": &in.SubMerchantID, "merchant_redirect_url": &in.ReturnTo})
	if err != nil {
		return nil, err
	}
	if b.subMerchant(in.SubMerchantID) == nil {
		return nil, errors.New("sub_merchant_id is not known")
	}
	if !isWebAddress(in.ReturnTo) {
		return nil, errors.New("merchant_redirect_url must be an http or https URL")
	}
	a := &Account{LinkedAccount: ledger.LinkedAccount{Status: accountExpired}, SubMerchantID: in.SubMerchantID, Linking: &linking{ReturnTo: in.ReturnTo}}
	a.PartnerBankID, err = strconv.Atoi(fmt.Sprint(in.PartnerBankID))
	kind := ledger.KindNone
	if a.PartnerBankID == 12 {
		kind = ledger.KindCIB
	}
	if err != nil || ledger.CheckAccount(a.PartnerBankID, kind) != nil {
		return nil, errors.New("partner_bank_id is not one of a partner bank")
	}
	return a, nil
}

// linkingURL is where the user has to go for an account that is not linked; "" for others.
func (b *bank) linkingURL(a *Account) string {
	if a.Linking == nil {
		return ""
	}
	return "http://" + b.address + linkingPath + a.Linking.ID
}

// beingLinked finds an account by the id in its page's address.
func (b *bank) beingLinked(id string) *Account {
	return first(b.Accounts, func(a *Account) bool { return a.Linking != nil && a.Linking.ID == id })
}

// linkingPage is the bank's own page. Nothing is fetched for it and no script runs.
var linkingPage = template.Must(template.New("linking").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Link an account (sandbox)</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 3rem auto; padding: 0 1rem }
label { display: block; margin: 1rem 0 } input, select { display: block; width: 100%; font: inherit; padding: .4rem; box-sizing: border-box }
button { font: inherit; padding: .5rem 1.5rem } .wrong { color: #b00020; font-weight: 600 } small { opacity: .75 }
</style>
<h1>Link an account</h1>
<p>Partner bank {{.PartnerBank}}. <small>SANDBOX: make up whatever you like; no bank is asked.</small></p>
{{if .Wrong}}<p class="wrong" role="alert">{{.Wrong}}</p>{{end}}
<form method="post">
<label>Account number <input name="account_number" value="{{.Number}}" required inputmode="numeric"></label>
<label>IFSC <input name="ifsc" value="{{.IFSC}}" required></label>
<label>Account holder <input name="account_name" value="{{.Holder}}"></label>
{{if eq .PartnerBank 12}}<label>Internet banking <select name="kind"><option value="cib">corporate (CIB)</option><option value="rib"{{if eq .Kind "rib"}} selected{{end}}>retail (RIB)</option></select></label>{{end}}
<button>Link</button>
</form>
</html>
`))

// linkingForm is what the page shows.
type linkingForm struct {
	PartnerBank                       int
	Number, IFSC, Holder, Kind, Wrong string
}

func (s *Server) showLinking(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	a := s.bank.beingLinked(r.PathValue("id"))
	s.mu.Unlock()
	if a == nil {
		nothingToLink(w)
		return
	}
	writeLinking(w, http.StatusOK, linkingForm{PartnerBank: a.PartnerBankID, IFSC: sampleIFSC(a.PartnerBankID), Holder: sampleHolder})
}

func nothingToLink(w http.ResponseWriter) {
	http.Error(w, "There is nothing to link here: it was done already, or never begun.", http.StatusNotFound)
}

// completeLinking takes the filled in page: the account is active from now on,
// a webhook goes out, and the user is sent back to the merchant.
func (s *Server) completeLinking(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	form := linkingForm{Number: r.FormValue("account_number"), IFSC: r.FormValue("ifsc"), Holder: r.FormValue("account_name"), Kind: r.FormValue("kind")}
	var a *Account
	returnTo := ""
	err := s.change(func(b *bank) {
		if a = b.beingLinked(r.PathValue("id")); a == nil {
			return
		}
		form.PartnerBank = a.PartnerBankID
		if form.Wrong = b.link(a, form); form.Wrong == "" {
			returnTo = a.Linking.ReturnTo
			a.Linking = nil
			s.hint(eventLinking, map[string]string{"bank_account_id": a.BankAccountID, "sub_merchant_id": a.SubMerchantID})
		}
	})
	switch {
	case err != nil:
		http.Error(w, "The state could not be kept.", http.StatusInternalServerError)
	case a == nil:
		nothingToLink(w)
	case form.Wrong != "":
		writeLinking(w, http.StatusBadRequest, form)
	default:
		http.Redirect(w, r, returnTo, http.StatusFound)
	}
}

// link fills the account in, or says what is wrong with what was typed.
func (b *bank) link(a *Account, form linkingForm) (wrong string) {
	kind := ledger.AccountKind(form.Kind)
	switch {
	case !accountForm.MatchString(form.Number):
		return "An account number has 5 to 34 letters or digits."
	case !ifscForm.MatchString(form.IFSC):
		return "An IFSC has four letters, a zero and six letters or digits."
	case ledger.CheckAccount(a.PartnerBankID, kind) != nil:
		return "Say whether it is a corporate or a retail account."
	}
	if slices.ContainsFunc(b.Accounts, func(there *Account) bool { return there.AccountNumber == form.Number && there.IFSC == form.IFSC }) {
		return "This account is linked already."
	}
	a.AccountNumber, a.IFSC, a.AccountName, a.Kind = form.Number, form.IFSC, form.Holder, kind
	a.Status, a.Opening, a.Balance = ledger.AccountActive, openingBalance, openingBalance
	return ""
}

func writeLinking(w http.ResponseWriter, status int, form linkingForm) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action *; frame-ancestors 'none'")
	w.WriteHeader(status)
	_ = linkingPage.Execute(w, form) // the browser may be gone
}
