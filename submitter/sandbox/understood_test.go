package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// The client and the sandbox agree under every reading about the operations that
// keep no batches. What both could misread alike is pinned elsewhere: the
// client by fixtures and the sandbox by raw requests, each typed by hand from
// the interface.
func TestTheClientUnderstandsEveryReading(t *testing.T) {
	for seed := int64(1); seed <= 24; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			c := bulk(t, Options{Seed: seed}, 60, nil)
			c.settle(6)
			client, err := bankapi.New(bankapi.Config{
				BaseURL: "http://" + c.ready.Addr, AccessKey: ledger.NewSecret(c.ready.AccessKey), SecretKey: ledger.NewSecret(c.ready.SecretKey),
			})
			must(t, err)
			defer client.Close()
			ctx := t.Context()

			for i := range 12 { // more than a page
				if _, err := client.Register(ctx, bankapi.RegisterRequest{FirstName: "A", LastName: "R", Email: "a@example.com", Username: fmt.Sprint(9100000000 + i)}); err != nil {
					t.Fatal(err)
				}
			}
			_, err = client.Register(ctx, bankapi.RegisterRequest{FirstName: "A", LastName: "R", Email: "a@example.com", Username: "9100000000"})
			if call, ok := errors.AsType[*ledger.CallError](err); !ok || call.Code != "SVC_CB_SM_004" {
				t.Errorf("got %v", err)
			}
			if list, err := client.SubMerchants(ctx); err != nil || len(list.SubMerchants) != 13 || !list.IsSandbox {
				t.Errorf("sub-merchants %+v, %v", list, err)
			}
			session, err := client.Link(ctx, bankapi.LinkingRequest{SubMerchantID: subMerchantID, PartnerBankID: 3, MerchantRedirectURL: "https://erp.example"})
			must(t, err)
			accounts, err := client.BankAccounts(ctx, bankapi.AccountQuery{})
			if err != nil || !slices.ContainsFunc(accounts, func(a ledger.LinkedAccount) bool { return a.RedirectURL == session.RedirectURL }) {
				t.Errorf("accounts %+v, %v", accounts, err)
			}
			added, err := client.AddBeneficiary(ctx, bankapi.BeneficiaryRequest{
				SubMerchantID: subMerchantID, BankAccountID: accountID(112), VendorName: "Rao", BankAccountNumber: "00123456789", IFSC: "ICIC0000456",
			})
			if err != nil || added.Status != ledger.BeneficiaryRequested {
				t.Errorf("added %+v, %v", added, err)
			}
			if all, err := client.Beneficiaries(ctx, bankapi.BeneficiaryQuery{SubMerchantID: subMerchantID}); err != nil || len(all) != 4 {
				t.Errorf("beneficiaries %+v, %v", all, err)
			}

			today := time.Now().In(india)
			q := bankapi.StatementQuery{BankAccountID: accountID(3), SubMerchantID: subMerchantID, From: today.AddDate(0, 0, -30), To: today}
			statement, err := client.Statement(ctx, q)
			want := map[bool]ledger.StatementShape{true: ledger.ShapeOther, false: ledger.ShapeEntries}[ReadingFor(seed, false).StatementOfPayouts]
			if err != nil || statement.Shape != want {
				t.Fatalf("%+v, %v", statement, err)
			}
			paid := map[string]bool{}
			for _, e := range statement.Entries {
				if e.Debit {
					paid[e.Reference] = true
				}
			}
			for _, p := range statement.Payouts {
				paid[p.BankTxnRefID] = true
			}
			for _, p := range c.state().Batches[0].Payouts {
				if !paid[p.BankTxnRefID] {
					t.Errorf("%s is not on the statement", p.WireRef)
				}
			}
			q.BankAccountID = accountID(8)
			if promised, err := client.Statement(ctx, q); err != nil || promised.Shape != ledger.ShapePending || len(promised.RequestIDs) != 1 {
				t.Errorf("%+v, %v", promised, err)
			}
		})
	}
}
