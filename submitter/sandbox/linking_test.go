package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

func toLink(partnerBank any) body {
	return body{"sub_merchant_id": subMerchantID, "partner_bank_id": partnerBank, "merchant_redirect_url": "https://erp.example/linked?ok=1"}
}

// page fetches or posts the linking page as a browser does: without credentials,
// and without following where it is sent.
func (c *client) page(method, address string, form url.Values) got {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, address, strings.NewReader(form.Encode()))
	must(c.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	browser := *c.http
	browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	shown := *c
	shown.http = &browser
	g, err := shown.do(req)
	must(c.t, err)
	return g
}

func (c *client) listed(id string) (a ledger.LinkedAccount, ok bool) {
	c.t.Helper()
	var data bankapi.BankAccountList
	succeeded(c.t, c.get(bankapi.PathBankAccounts, "bank_account_id", id), &data)
	if len(data.BankAccounts) != 1 {
		return a, false
	}
	return data.BankAccounts[0], true
}

// The whole flow: the account is listed with its redirect_url until the user has
// confirmed it on the page; then it is active, can pay, and a webhook was sent.
func TestAnAccountIsLinked(t *testing.T) {
	hooks, received := receiver(t, http.StatusNoContent)
	c := newClient(t, Options{Seed: seedWith(t, false, func(r Reading) bool { return !r.ShortPages }), WebhookURL: hooks})
	var session bankapi.LinkingSession
	succeeded(t, c.post(bankapi.PathLinking, toLink("12")), &session)
	want := bankapi.LinkingSession{RedirectURL: session.RedirectURL, IsSandbox: true, Status: "initiated", MerchantRedirectURL: "https://erp.example/linked?ok=1"}
	if session != want || !strings.HasPrefix(session.RedirectURL, "http://"+c.ready.Addr+"/") {
		t.Fatalf("got %+v", session)
	}
	var all bankapi.BankAccountList
	succeeded(t, c.get(bankapi.PathBankAccounts, "limit", "100"), &all)
	i := slices.IndexFunc(all.BankAccounts, func(a ledger.LinkedAccount) bool { return a.RedirectURL == session.RedirectURL })
	if i < 0 || all.BankAccounts[i].Status != "token_expired" || all.BankAccounts[i].AccountNumber != "" || all.BankAccounts[i].PartnerBankID != 12 {
		t.Fatalf("listed %+v", all)
	}
	id := all.BankAccounts[i].BankAccountID
	refused(t, c.get(bankapi.PathStatements, slices.Concat(days(1, 3), []string{"bank_account_id", id})...), 400)

	if g := c.page("GET", session.RedirectURL, nil); g.status != 200 || !strings.Contains(string(g.raw), `name="kind"`) || !strings.Contains(g.header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("HTTP %d: %s", g.status, g.raw)
	}
	if a, _ := c.listed(id); a.Status != "token_expired" {
		t.Errorf("linked by a page that was only looked at: %+v", a)
	}
	filled := url.Values{"kind": {"rib"}}
	if g := c.page("POST", session.RedirectURL, filled); g.status != 302 || g.header.Get("Location") != "https://erp.example/linked?ok=1" {
		t.Fatalf("HTTP %d to %q", g.status, g.header.Get("Location"))
	}
	linked := c.s.bank.account(id)
	if a, _ := c.listed(id); a.Status != "active" || a.RedirectURL != "" || a.AccountNumber != ledger.Mask(linked.AccountNumber) || linked.Kind != ledger.KindRIB {
		t.Errorf("listed %+v", a)
	}
	<-received
	if sent := c.webhooks(); len(sent) != 1 || sent[0].Event != "bank-account linking" {
		t.Errorf("sent %+v", sent)
	}
	for _, method := range []string{"GET", "POST"} {
		if g := c.page(method, session.RedirectURL, filled); g.status != 404 {
			t.Errorf("%s of a page that was used: HTTP %d", method, g.status)
		}
	}
	var b bankapi.BalanceList
	succeeded(t, c.get(bankapi.PathBalance, "bank_account_id", id), &b)
	if len(b.Balances) != 1 {
		t.Errorf("balances %+v", b)
	}
}

func TestLinkingsThatAreRefused(t *testing.T) {
	c := newClient(t, Options{Seed: 4})
	for name, b := range map[string]any{
		"no sub-merchant":               toLink(3).without("sub_merchant_id"),
		"another's sub-merchant":        toLink(3).with("sub_merchant_id", "sm_9999"),
		"no partner bank":               toLink(3).without("partner_bank_id"),
		"a partner bank that is none":   toLink(2),
		"a partner bank that is a word": toLink("three"),
		"no address to return to":       toLink(3).without("merchant_redirect_url"),
		"an address that is none":       toLink(3).with("merchant_redirect_url", "javascript:alert(1)"),
		"not an object":                 `[]`,
	} {
		t.Run(name, func(t *testing.T) { refused(t, c.post(bankapi.PathLinking, b), 400) })
	}
	var session bankapi.LinkingSession
	succeeded(t, c.post(bankapi.PathLinking, toLink(79)), &session)
	var b bankapi.BalanceList
	succeeded(t, c.get(bankapi.PathBalance, "limit", "100"), &b)
	if n := len(b.Balances); n > 10 {
		t.Errorf("%d balances: one of an account that is not linked", n)
	}
}

func TestRegistering(t *testing.T) {
	c := newClient(t, Options{Seed: 4})
	asha := body{"first_name": "Asha", "last_name": "Rao", "email": "asha@example.com", "username": "9000000077"}
	g := c.post(bankapi.PathRegister, asha)
	var got bankapi.Registered
	succeeded(t, g, &got)
	if got.SubMerchantID == "" || !got.IsSandbox || strings.Contains(string(g.raw), "9000000077") || strings.Contains(string(g.raw), "Asha") {
		t.Errorf("got %s", g.raw)
	}
	g = c.post(bankapi.PathRegister, asha.with("email", "other@example.com"))
	refused(t, g, 400)
	if g.env.Error.Code != "SVC_CB_SM_004" || g.env.Error.Message != "User Already Registered" {
		t.Errorf("got %s", g.raw)
	}
	for name := range asha {
		refused(t, c.post(bankapi.PathRegister, asha.without(name)), 400)
		refused(t, c.post(bankapi.PathRegister, asha.with(name, 7)), 400)
	}
	var list bankapi.SubMerchantList
	succeeded(t, c.get(bankapi.PathSubMerchants), &list)
	if len(list.SubMerchants) != 2 || list.SubMerchants[1].SubMerchantID != got.SubMerchantID {
		t.Errorf("listed %+v", list)
	}
}

// A new beneficiary is answered with 201 and becomes active by settling, by
// seed in one step or two; only then can a RIB account pay it.
func TestANewBeneficiaryBecomesActive(t *testing.T) {
	for _, slow := range []bool{false, true} {
		c := newClient(t, Options{Seed: seedWith(t, false, func(r Reading) bool { return r.SlowBeneficiaries == slow && !r.ShortPages })})
		rao := body{"sub_merchant_id": subMerchantID, "bank_account_id": accountID(112), "vendor_name": "Rao Stores", "bank_account_number": "00123456789", "ifsc": "ICIC0000456"}
		g := c.post(bankapi.PathBeneficiaryInitiate, rao)
		if g.status != http.StatusCreated || g.env.Status != "success" {
			t.Fatalf("HTTP %d: %s", g.status, g.raw)
		}
		status := func() (id, status string) {
			var list bankapi.BeneficiaryList
			succeeded(t, c.get(bankapi.PathBeneficiaries, "sub_merchant_id", subMerchantID, "search", "rao"), &list)
			if len(list.Beneficiaries) != 1 {
				t.Fatalf("listed %+v", list)
			}
			return list.Beneficiaries[0].OpenBeneficiaryID, list.Beneficiaries[0].Status
		}
		id, now := status()
		seen := []string{now}
		for now != "active" {
			refused(t, c.post(bankapi.PathTransferInitiate, oneBatch("b", 112, body{"merchant_txn_ref_id": "r", "open_beneficiary_id": id, "amount": "1.00"})), 400)
			c.settle(1)
			_, now = status()
			seen = append(seen, now)
		}
		want := []string{"request_initiated", "active"}
		if slow {
			want = []string{"request_initiated", "verify_started", "active"}
		}
		if !slices.Equal(seen, want) {
			t.Errorf("saw %v", seen)
		}
		c.initiate(oneBatch("b", 112, body{"merchant_txn_ref_id": "r", "open_beneficiary_id": id, "amount": "1.00"}))
		for name, b := range map[string]body{
			"there already":            rao,
			"no name":                  rao.without("vendor_name"),
			"another's account":        rao.with("bank_account_id", "a"),
			"another sub-merchant":     rao.with("sub_merchant_id", "sm_0002"),
			"an expired account":       rao.with("bank_account_id", accountID(999)),
			"a number of four digits":  rao.with("bank_account_number", "1234"),
			"an IFSC in small letters": rao.with("ifsc", "icic0000456"),
		} {
			t.Run(name, func(t *testing.T) { refused(t, c.post(bankapi.PathBeneficiaryInitiate, b), 400) })
		}
	}
}
