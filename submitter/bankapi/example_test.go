package bankapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// bank is one that answers every request with the same file of testdata.
func bank(status int, file string) (client *bankapi.Client, done func()) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		body, _ := os.ReadFile(filepath.Join("testdata", file))
		w.WriteHeader(status)
		w.Write(body)
	}))
	client, err := bankapi.New(bankapi.Config{
		BaseURL:   server.URL,
		AccessKey: ledger.NewSecret("access-key-0001"),
		SecretKey: ledger.NewSecret("secret-key-0002"),
	})
	if err != nil {
		panic(err)
	}
	return client, func() { client.Close(); server.Close() }
}

func ExampleClient_SubMerchants() {
	client, done := bank(200, "sub_merchants_response.json")
	defer done()
	list, err := client.SubMerchants(context.Background())
	fmt.Println(len(list.SubMerchants), list.SubMerchants[0].SubMerchantID, list.IsSandbox, err)
	// Output: 2 sm_0001 true <nil>
}

func ExampleClient_Register() {
	client, done := bank(200, "register_response.json")
	defer done()
	registered, err := client.Register(context.Background(), bankapi.RegisterRequest{
		FirstName: "Asha", LastName: "Rao", Email: "asha@example.com", Username: "9000000001",
	})
	if failed, ok := errors.AsType[*ledger.CallError](err); ok && failed.Code == "SVC_CB_SM_004" {
		fmt.Println("there already")
	}
	fmt.Println(registered.SubMerchantID, err)
	// Output: sm_0003 <nil>
}

func ExampleClient_Link() {
	client, done := bank(200, "linking_response.json")
	defer done()
	session, err := client.Link(context.Background(), bankapi.LinkingRequest{
		SubMerchantID: "sm_0001", PartnerBankID: 12, MerchantRedirectURL: "https://erp.example/linked",
	})
	fmt.Println("continue at", session.RedirectURL, err)
	// Output: continue at https://link.example/s/1 <nil>
}

func ExampleClient_BankAccounts() {
	client, done := bank(200, "bank_accounts_response.json")
	defer done()
	accounts, err := client.BankAccounts(context.Background(), bankapi.AccountQuery{SubMerchantID: "sm_0001"})
	for _, a := range accounts {
		fmt.Println(a.PartnerBankID, a.AccountNumber, a.Status)
	}
	fmt.Println(err)
	// Output:
	// 12 XXXXXXXX9012 active
	// 8 XXXXXXXX3408 token_expired
	// <nil>
}

func ExampleClient_Beneficiaries() {
	client, done := bank(200, "beneficiaries_response.json")
	defer done()
	all, err := client.Beneficiaries(context.Background(), bankapi.BeneficiaryQuery{SubMerchantID: "sm_0001"})
	for _, b := range all {
		fmt.Println(b.VendorName, b.Status == ledger.BeneficiaryActive)
	}
	fmt.Println(err)
	// Output:
	// Rao Stores true
	// Iyer & Sons false
	// <nil>
}

func ExampleClient_AddBeneficiary() {
	client, done := bank(201, "beneficiary_response.json")
	defer done()
	added, err := client.AddBeneficiary(context.Background(), bankapi.BeneficiaryRequest{
		SubMerchantID: "sm_0001", BankAccountID: "0f1e2d3c-0000-4000-8000-000000000012",
		VendorName: "Iyer & Sons", BankAccountNumber: "00987654321", IFSC: "HDFC0000123",
	})
	fmt.Println(added.Status, err)
	// Output: request_initiated <nil>
}

func ExampleClient_Balances() {
	client, done := bank(200, "balance_response.json")
	defer done()
	balances, err := client.Balances(context.Background(), bankapi.BalanceQuery{})
	fmt.Println(len(balances), balances[1].Balance, err)
	// Output: 2 -12.50 <nil>
}

// The intent is written down between encoding and sending: what is hashed is
// what is sent.
func ExampleClient_Initiate() {
	client, done := bank(200, "initiate_response.json")
	defer done()
	payload, err := client.EncodeInitiate(ledger.Batch{
		ID: "prtexample0000001", BankAccountID: "0f1e2d3c-0000-4000-8000-000000000012", PartnerBankID: 12, Kind: ledger.KindCIB,
		TransactionTypeID: "NEFT", Count: 1, Total: 1234_50,
	}, []ledger.Attempt{{WireRef: "INV-1", Payout: ledger.Payout{
		Ref: "INV-1", Amount: 1234_50, BankAccountID: "0f1e2d3c-0000-4000-8000-000000000012",
		VendorName: "Rao Stores", BankAccountNumber: "00123456789", IFSC: "ICIC0000456",
	}}})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(payload.SHA256))
	echo, err := client.Initiate(context.Background(), payload)
	fmt.Println(echo.Payouts[0].Status, err)
	// Output:
	// 64
	// request_initiated <nil>
}

// A submit is sent once, whatever becomes of it. Only the class of its outcome
// says what may have happened.
func ExampleClient_Submit() {
	client, done := bank(502, "failure.json")
	defer done()
	payload, err := client.EncodeSubmit("prtexample0000001", "")
	if err != nil {
		panic(err)
	}
	_, err = client.Submit(context.Background(), payload, ledger.NewSecret("482913"), ledger.Secret{})
	if failed, ok := errors.AsType[*ledger.CallError](err); ok {
		fmt.Println(failed.Outcome, failed.HTTPStatus)
	}
	// Output: unknown 502
}

func ExampleClient_ReadStatus() {
	client, done := bank(404, "failure.json")
	defer done()
	_, err := client.ReadStatus(context.Background(), "prtexample0000001", 1, ledger.Patient)
	if failed, ok := errors.AsType[*ledger.CallError](err); ok {
		fmt.Println(failed.Code, failed.Answered)
	}
	// Output: SVC_CB_FT_001 true
}

func ExampleClient_Statement() {
	client, done := bank(200, "statements_response.json")
	defer done()
	today := time.Date(2031, time.March, 31, 0, 0, 0, 0, time.UTC)
	statement, err := client.Statement(context.Background(), bankapi.StatementQuery{
		BankAccountID: "0f1e2d3c-0000-4000-8000-000000000012", From: today.AddDate(0, 0, -bankapi.MostStatementDays), To: today,
	})
	for _, e := range statement.Entries {
		fmt.Println(e.Transacted, e.Debit, e.Amount, e.Closing)
	}
	fmt.Println(statement.Shape, err)
	// Output:
	// 2031-03-30 11:02:03 true 1234.50 98765.50
	// 2031-03-31 09:00:00 false 100000.00 198765.50
	// entries <nil>
}
