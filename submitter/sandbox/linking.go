package sandbox

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// linking is an account that the user still has to confirm on the page at redirect_url (interface.md, "Initiate
// bank-account linking", Flow).
type linking struct {
	ID       string `json:"id"`
	ReturnTo string `json:"return_to"` // merchant_redirect_url
}

// linkingPath is the path of a linking's page, on the sandbox's own address.
const linkingPath = "/linking/"

// initiateLinking answers "Initiate bank-account linking". The account is listed from now on, with its
// redirect_url and without a number. It is token_expired until it is linked, because the interface has no third
// status.
func (b *bank) initiateLinking(r request) *answer {
	a, err := b.readLinking(r.body)
	if err != nil {
		return r.refuse(http.StatusBadRequest, "%s", err)
	}
	n := strconv.Itoa(len(b.Accounts))
	a.BankAccountID, a.Linking.ID = b.dice.uuid("linked account", n), b.dice.text(24, "linking", n)
	b.Accounts = append(b.Accounts, a)
	return answered(bankapi.LinkingSession{
		RedirectURL: b.linkingURL(a), IsSandbox: true, Status: "initiated", MerchantRedirectURL: a.Linking.ReturnTo,
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

// linkingURL is where the user links the account; "" if it is linked.
func (b *bank) linkingURL(a *Account) string {
	if a.Linking == nil {
		return ""
	}
	return "http://" + b.address + linkingPath + a.Linking.ID
}

// beingLinked finds an account by the id in its page's address.
func (b *bank) beingLinked(id string) *Account {
	a, _ := ledger.First(b.Accounts, func(a *Account) bool { return a.Linking != nil && a.Linking.ID == id })
	return a
}

// linkingPage is the bank's own page. It fetches nothing and runs no script.
var linkingPage = template.Must(template.New("linking").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Link an account (sandbox)</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 3rem auto; padding: 0 1rem }
select, button { font: inherit; padding: .4rem } label { display: block; margin: 1rem 0 }
</style>
<h1>Link an account</h1>
<p>Partner bank {{.PartnerBankID}}. SANDBOX: no bank is asked, and the account is made up.</p>
<form method="post">
{{if eq .PartnerBankID 12}}<label>Internet banking <select name="kind"><option value="cib">corporate (CIB)</option><option value="rib">retail (RIB)</option></select></label>{{end}}
<button>Link</button>
</form>
</html>
`))

func (s *Server) showLinking(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.bank.beingLinked(r.PathValue("id"))
	if a == nil {
		nothingToLink(w)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action *; frame-ancestors 'none'")
	_ = linkingPage.Execute(w, a) // the browser may be gone
}

func nothingToLink(w http.ResponseWriter) {
	http.Error(w, "There is nothing to link here: it was done already, or never begun.", http.StatusNotFound)
}

// completeLinking links the account: it becomes active, a webhook is sent, and the user is sent back to the
// merchant.
func (s *Server) completeLinking(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	kind, returnTo := r.FormValue("kind"), ""
	err := s.change(func(b *bank) {
		if a := b.beingLinked(r.PathValue("id")); a != nil {
			returnTo = a.Linking.ReturnTo
			b.link(a, kind)
			s.hint("bank-account linking", map[string]string{"bank_account_id": a.BankAccountID, "sub_merchant_id": a.SubMerchantID})
		}
	})
	switch {
	case err != nil:
		http.Error(w, "The state could not be kept.", http.StatusInternalServerError)
	case returnTo == "":
		nothingToLink(w)
	default:
		http.Redirect(w, r, returnTo, http.StatusFound)
	}
}

// link invents the account's details. kind is for partner bank 12 only.
func (b *bank) link(a *Account, kind string) {
	a.AccountNumber, a.IFSC, a.AccountName = b.dice.digits(14, "account number", a.BankAccountID), sampleIFSC(a.PartnerBankID), sampleHolder
	if a.PartnerBankID == 12 {
		a.Kind = ledger.KindCIB
		if kind == string(ledger.KindRIB) {
			a.Kind = ledger.KindRIB
		}
	}
	a.Status, a.Opening, a.Balance, a.Linking = ledger.AccountActive, openingBalance, openingBalance, nil
}
