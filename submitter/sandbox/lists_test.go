package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"payrun/submitter/bankapi"
)

func TestTheOpeningIsWhatTheContractPromises(t *testing.T) {
	c := newClient(t, Options{Seed: 9})
	want := map[string]bool{"1 ": true, "3 ": true, "4 ": true, "8 ": true, "12 cib": true, "12 rib": true, "31 ": true, "79 ": true, "105 ": true}
	for _, a := range c.ready.Accounts {
		delete(want, fmt.Sprintf("%d %s", a.PartnerBankID, a.Kind))
	}
	if len(want) != 0 || len(c.ready.Accounts) != 9 {
		t.Errorf("ready accounts %+v; missing %v", c.ready.Accounts, want)
	}

	var listed bankapi.BankAccountList
	succeeded(t, c.get(bankapi.PathBankAccounts, "sub_merchant_id", c.ready.SubMerchantID, "limit", "100"), &listed)
	expired := 0
	for _, a := range listed.BankAccounts {
		if a.Status == "token_expired" {
			expired++
			continue
		}
		if !slices.ContainsFunc(c.ready.Accounts, func(r ReadyAccount) bool { return r.BankAccountID == a.BankAccountID }) {
			t.Errorf("%s is listed and not in the ready line", a.BankAccountID)
		}
		var b bankapi.BalanceList
		succeeded(t, c.get(bankapi.PathBalance, "bank_account_id", a.BankAccountID), &b)
		if len(b.Balances) != 1 || b.Balances[0] != (bankapi.Balance{BankAccountID: a.BankAccountID, Balance: "10000000000.00"}) {
			t.Errorf("balance %+v", b.Balances)
		}
	}
	if expired != 1 || len(listed.BankAccounts) != 10 {
		t.Errorf("%d accounts listed, %d of them token_expired", len(listed.BankAccounts), expired)
	}

	var benes struct {
		Details []struct {
			ID      string `json:"open_beneficiary_id"`
			Account string `json:"bank_account_id"`
			Status  string `json:"beneficiary_status"`
		} `json:"bene_details"`
	}
	succeeded(t, c.get("/v1/connected_banking/beneficiaries", "sub_merchant_id", c.ready.SubMerchantID), &benes)
	active := 0
	for _, n := range benes.Details {
		if n.Status == "active" && n.Account == accountID(112) {
			active++
		}
	}
	if active < 2 {
		t.Errorf("%d active beneficiaries: %+v", active, benes)
	}
}

func TestAccountFilters(t *testing.T) {
	c := newClient(t, Options{Seed: seedWith(t, false, func(r Reading) bool { return !r.ShortPages })})
	number := c.s.bank.account(accountID(79)).AccountNumber
	tests := []struct {
		name  string
		query []string
		want  []string
	}{
		{"one account", []string{"bank_account_id", accountID(4)}, []string{accountID(4)}},
		{"a partner bank", []string{"partner_bank_id", "12"}, []string{accountID(12), accountID(112)}},
		{"free text over the identifier, any case", []string{"search", "BANK 31"}, []string{accountID(31)}},
		{"free text over the account number", []string{"search", number[4:]}, []string{accountID(79)}},
		{"free text over the IFSC", []string{"search", "sbox0000105"}, []string{accountID(105)}},
		{"another sub-merchant", []string{"sub_merchant_id", "sm_0002"}, nil},
		{"two filters", []string{"partner_bank_id", "12", "bank_account_id", accountID(4)}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var data bankapi.BankAccountList
			succeeded(t, c.get(bankapi.PathBankAccounts, tt.query...), &data)
			var ids []string
			for _, a := range data.BankAccounts {
				ids = append(ids, a.BankAccountID)
			}
			if !slices.Equal(ids, tt.want) {
				t.Errorf("got %v, want %v", ids, tt.want)
			}
		})
	}
	refused(t, c.get(bankapi.PathBankAccounts, "partner_bank_id", "twelve"), 400)
}

func TestListedDataIsMaskedAndNeverNull(t *testing.T) {
	c := newClient(t, Options{Seed: 9})
	g := c.get(bankapi.PathBankAccounts)
	for _, a := range c.s.bank.Accounts {
		if strings.Contains(string(g.raw), a.AccountNumber) {
			t.Errorf("account number of %s is listed in full", a.BankAccountID)
		}
	}
	g = c.get(bankapi.PathSubMerchants)
	var data bankapi.SubMerchantList
	succeeded(t, g, &data)
	if !data.IsSandbox || len(data.SubMerchants) != 1 || data.SubMerchants[0].SubMerchantID != c.ready.SubMerchantID {
		t.Errorf("sub-merchants %+v", data)
	}
	m := c.s.bank.SubMerchants[0]
	for _, clear := range []string{m.FirstName, m.LastName, m.Email, m.Username} {
		if strings.Contains(string(g.raw), clear) {
			t.Errorf("%q is listed in full", clear)
		}
	}
	for path, list := range map[string]string{
		bankapi.PathBankAccounts + "?sub_merchant_id=none":                    `"bank_accounts":[]`,
		bankapi.PathBalance + "?sub_merchant_id=none":                         `"balances":[]`,
		bankapi.PathSubMerchants + "?offset=5":                                `"sub_merchants":[]`,
		"/v1/connected_banking/beneficiaries?sub_merchant_id=none":            `"bene_details":[]`,
		"/v1/connected_banking/beneficiaries?sub_merchant_id=sm_0001&search=": `"beneficiary_status":"request_initiated"`,
	} {
		g, err := c.try("GET", path, nil)
		if err != nil || g.status != 200 || !strings.Contains(string(g.raw), list) {
			t.Errorf("%s: want %s in %s (%v)", path, list, g.raw, err)
		}
	}
}

func TestSubMerchantListPagesByOffsetAndDefaultsToTen(t *testing.T) {
	c := newClient(t, Options{Seed: seedWith(t, false, func(r Reading) bool { return !r.ShortPages && !r.EmptyLastPage })})
	c.s.mu.Lock()
	for i := range 24 {
		c.s.bank.SubMerchants = append(c.s.bank.SubMerchants, &bankapi.SubMerchant{SubMerchantID: fmt.Sprintf("sm_%04d", i+2)})
	}
	c.s.mu.Unlock()
	ids := func(g got) (ids []string) {
		var data bankapi.SubMerchantList
		succeeded(t, g, &data)
		for _, m := range data.SubMerchants {
			ids = append(ids, m.SubMerchantID)
		}
		return ids
	}
	first := c.get(bankapi.PathSubMerchants)
	if got := ids(first); len(got) != 10 || got[0] != "sm_0001" || !first.env.Meta.Pagination.HasMore {
		t.Errorf("first page %v, %+v", got, first.env.Meta.Pagination)
	}
	if got := ids(c.get(bankapi.PathSubMerchants, "cursor", *first.env.Meta.Pagination.NextCursor)); len(got) != 10 || got[0] != "sm_0011" {
		t.Errorf("second page %v", got)
	}
	if got := ids(c.get(bankapi.PathSubMerchants, "offset", "20", "limit", "3")); !slices.Equal(got, []string{"sm_0021", "sm_0022", "sm_0023"}) {
		t.Errorf("offset 20: %v", got)
	}
	refused(t, c.get(bankapi.PathSubMerchants, "offset", "-1"), 400)
}

func TestBeneficiariesNeedASubMerchantAndFilter(t *testing.T) {
	const path = "/v1/connected_banking/beneficiaries"
	c := newClient(t, Options{Seed: 9})
	if code := refused(t, c.get(path), 400); code != "SVC_CB_BN_002" {
		t.Errorf("code %s", code)
	}
	for _, tt := range []struct {
		query []string
		want  int
	}{
		{[]string{"open_beneficiary_id", beneficiaryID(2)}, 1},
		{[]string{"search", "beneficiary t"}, 2},
		{[]string{"bank_account_id", accountID(3)}, 0},
	} {
		var data map[string][]json.RawMessage
		succeeded(t, c.get(path, append(tt.query, "sub_merchant_id", subMerchantID)...), &data)
		if got := len(data["bene_details"]); got != tt.want {
			t.Errorf("%v: %d beneficiaries, want %d", tt.query, got, tt.want)
		}
	}
}
