package bankapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"payrun/ledger"
)

const (
	batchID   = "prtestbatch0001"
	accountID = "0f1e2d3c-0000-4000-8000-000000000012"
)

func planned() (ledger.Batch, []ledger.Attempt) {
	b := ledger.Batch{
		ID: batchID, BankAccountID: accountID, PartnerBankID: 12, Kind: ledger.KindCIB,
		SubMerchantID: "sm_0001", TransactionTypeID: "NEFT", Count: 2, Total: 100000_51,
	}
	return b, []ledger.Attempt{
		{WireRef: "INV/2031 & Co", Payout: ledger.Payout{
			Ref: "INV/2031 & Co", Amount: 100000_50, VendorName: "शर्मा <Traders>", BankAccountNumber: "50100200300400",
			IFSC: "HDFC0000123", Remarks: "March & April", BankAccountID: accountID,
		}},
		{WireRef: "INV-2032", Payout: ledger.Payout{
			Ref: "INV-2032", Amount: 1, VendorName: "Rao Stores", BankAccountNumber: "00123456789",
			IFSC: "ICIC0000456", BankAccountID: accountID, OpenBeneficiaryID: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
		}},
	}
}

// single is the planned batch with its second payout alone.
func single() (ledger.Batch, []ledger.Attempt) {
	b, attempts := planned()
	b.Count, b.Total = 1, 1
	return b, attempts[1:]
}

func compact(t testing.TB, b []byte) string {
	t.Helper()
	var buf bytes.Buffer
	must(t, json.Compact(&buf, b))
	return buf.String()
}

func TestInitiateBodyIsTheFixture(t *testing.T) {
	rib := func(b *ledger.Batch) { b.Kind = ledger.KindRIB }
	tests := []struct {
		name, fixture string
		planned       func() (ledger.Batch, []ledger.Attempt)
		change        func(*ledger.Batch)
		config        func(*Config)
	}{
		{name: "named beneficiaries, remarks only where there are any", fixture: "initiate_request.json", planned: planned},
		{name: "RIB takes open_beneficiary_id alone", fixture: "initiate_request_rib.json", planned: single, change: rib},
		{name: "configured names", fixture: "initiate_request_renamed.json", planned: single, config: func(c *Config) {
			c.RequestFields = RequestFields{Amount: "transfer_amount", DebitAccount: "debit_account_id"}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, attempts := tt.planned()
			if tt.change != nil {
				tt.change(&b)
			}
			config := func(*Config) {}
			if tt.config != nil {
				config = tt.config
			}
			p, err := newClient(t, "https://bank.example", config).EncodeInitiate(b, attempts)
			must(t, err)
			same(t, compact(t, fixture(t, tt.fixture)), string(p.Body))
			if p.SHA256 != hash(p.Body) {
				t.Error("SHA256 is not that of the body")
			}
		})
	}
}

// The bank is a server that answers with fixtures and keeps what it was sent.
func TestAnswersAreReadAsTheFixturesSay(t *testing.T) {
	mux := http.NewServeMux()
	serve := func(method, path, name string, sent *[]byte) {
		mux.HandleFunc(method+" "+path, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != bearer {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			if sent != nil {
				var buf bytes.Buffer
				buf.ReadFrom(r.Body)
				*sent = buf.Bytes()
				if got := r.Header.Get("Content-Type"); got != "application/json" {
					t.Errorf("Content-Type is %q", got)
				}
			}
			w.Write(fixture(t, name))
		})
	}
	var initiated, submitted []byte
	serve("GET", "/v1/connected_banking/sub_merchant/list", "sub_merchant_list_response.json", nil)
	serve("GET", "/v1/connected_banking/bank_accounts", "bank_accounts_response.json", nil)
	serve("GET", "/v1/connected_banking/balance", "balance_response.json", nil)
	serve("GET", "/v1/connected_banking/transfer", "status_response.json", nil)
	serve("POST", "/v1/connected_banking/transfer/initiate", "initiate_response.json", &initiated)
	serve("POST", "/v1/connected_banking/transfer/submit", "submit_response.json", &submitted)
	server := httptest.NewServer(mux)
	defer server.Close()
	c, ctx := newClient(t, server.URL), t.Context()

	same := func(t *testing.T, want, got any, err error) {
		t.Helper()
		must(t, err)
		same(t, want, got)
	}
	t.Run("initiate", func(t *testing.T) {
		p := initiatePayload(t, c)
		got, err := c.Initiate(ctx, p)
		same(t, ledger.Answer{
			BatchID: batchID, OpenBatchID: "ob_77", SubMerchantID: "sm_0001", BankAccountID: accountID,
			Payouts: []ledger.Observation{
				{
					WireRef: "INV/2031 & Co", VendorName: "शर्मा <Traders>", Amount: 100000_50, HasAmount: true,
					BankAccountNumber: "50100200300400", IFSC: "HDFC0000123", Remarks: "March & April",
					OpenTxnID: "ot_1", Status: "request_initiated",
				},
				{
					WireRef: "INV-2032", VendorName: "Rao Stores", Amount: 1, HasAmount: true,
					BankAccountNumber: "00123456789", IFSC: "ICIC0000456", OpenTxnID: "ot_2", Status: "request_initiated",
				},
			},
		}, got, err)
		same(t, string(p.Body), string(initiated), nil)
	})
	t.Run("submit", func(t *testing.T) {
		for _, tt := range []struct{ name, lei, token, fixture string }{
			{"partner bank 1 from the LEI line", "335800FVH4MOKZS9VH40", tokenText, "submit_request.json"},
			{"everywhere else", "", "", "submit_request_plain.json"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				p, err := c.EncodeSubmit(batchID, tt.lei)
				must(t, err)
				for _, secret := range []string{otpText, tokenText, "otp", "transaction_token"} {
					if bytes.Contains(p.Body, []byte(secret)) {
						t.Errorf("the payload that is hashed and recorded contains %q", secret)
					}
				}
				got, err := c.Submit(ctx, p, ledger.NewSecret(otpText), ledger.NewSecret(tt.token))
				same(t, ledger.Answer{
					BatchID: batchID, SubMerchantID: "sm_0001", BankAccountID: accountID, DebitAccountNumber: "XXXXXXXX9012",
					Payouts: []ledger.Observation{{
						WireRef: "INV-2032", OpenBeneficiaryID: "7c9e6679-7425-40de-944b-e07fc1f90ae7", Amount: 1, HasAmount: true,
						OpenTxnID: "ot_2", Status: "pending", BankStatusCode: "IN_PROCESS",
					}},
				}, got, err)
				same(t, compact(t, fixture(t, tt.fixture)), string(submitted), nil)
			})
		}
	})
	t.Run("status", func(t *testing.T) {
		got, err := c.ReadStatus(ctx, batchID, 1, ledger.Patient)
		same(t, ledger.StatusRead{
			Answer: ledger.Answer{
				BatchID: batchID, SubMerchantID: "sm_0001", BankAccountID: accountID,
				Payouts: []ledger.Observation{{
					WireRef: "INV-2032", VendorName: "Rao Stores", Amount: 1, HasAmount: true,
					BankAccountNumber: "00123456789", IFSC: "ICIC0000456", OpenTxnID: "ot_2", BankTxnRefID: "N0310000042",
					Status: "failed", BankStatusCode: "RETURNED_FROM_BENEFICIARY", Error: `{"at":3,"reason":"closed & gone"}`,
				}},
			},
			BankTime: time.Date(2031, 3, 31, 19, 0, 0, 0, time.UTC), Complete: true, Pages: 1,
		}, got, err)
	})
	t.Run("bank accounts", func(t *testing.T) {
		got, err := c.BankAccounts(ctx, AccountQuery{})
		same(t, []ledger.LinkedAccount{
			{
				Status: "active", PartnerBankID: 12, BankAccountID: accountID, AccountNumber: "XXXXXXXX9012",
				IFSC: "HDFC0000001", AccountName: "Example Private Limited",
			},
			{
				Status: "token_expired", PartnerBankID: 8, BankAccountID: "0f1e2d3c-0000-4000-8000-000000000008",
				AccountNumber: "XXXXXXXX3408", IFSC: "UTIB0000001", Identifier: "salaries", RedirectURL: "https://link.example/s/1",
			},
		}, got, err)
	})
	t.Run("balances, to the largest paisa and below nothing", func(t *testing.T) {
		got, err := c.Balances(ctx, BalanceQuery{})
		same(t, []ledger.Balance{
			{BankAccountID: accountID, Balance: 9223372036854775807},
			{BankAccountID: "0f1e2d3c-0000-4000-8000-000000000008", Balance: -12_50},
		}, got, err)
	})
	t.Run("which environment", func(t *testing.T) {
		got, err := c.IsSandbox(ctx)
		same(t, true, got, err)
	})
}

// What the sandbox writes with these structs is what the fixtures say.
func TestWireStructsWriteTheFixtures(t *testing.T) {
	tests := []struct {
		fixture string
		into    any
	}{
		{"initiate_response.json", new(Envelope[TransferBatch])},
		{"submit_response.json", new(Envelope[TransferBatch])},
		{"status_response.json", new(Envelope[TransferBatch])},
		{"bank_accounts_response.json", new(Envelope[BankAccountList])},
		{"balance_response.json", new(Envelope[BalanceList])},
		{"sub_merchant_list_response.json", new(Envelope[SubMerchantList])},
		{"sub_merchants_response.json", new(Envelope[SubMerchantList])},
		{"register_response.json", new(Envelope[Registered])},
		{"linking_response.json", new(Envelope[LinkingSession])},
		{"beneficiaries_response.json", new(Envelope[BeneficiaryList])},
		{"beneficiary_response.json", new(Envelope[NewBeneficiary])},
		{"statements_response.json", new(Envelope[StatementData])},
		{"statements_pending_response.json", new(Envelope[StatementData])},
		{"failure.json", new(Envelope[TransferBatch])},
	}
	for _, tt := range tests {
		t.Run(tt.fixture, func(t *testing.T) {
			body := fixture(t, tt.fixture)
			must(t, Decode(body, tt.into))
			written, err := json.Marshal(tt.into)
			must(t, err)
			want, err := parse(body)
			must(t, err)
			got, err := parse(written)
			must(t, err)
			same(t, want, got)
		})
	}
}

// decode goes by the json tags; a field without one would be read from nowhere.
func TestEveryWireFieldHasItsName(t *testing.T) {
	for _, wire := range []any{
		Envelope[any]{}, Error{}, Meta{}, Pagination{}, SubMerchant{}, SubMerchantList{}, ledger.LinkedAccount{}, BankAccountList{},
		Balance{}, BalanceList{}, TransferBatch{}, Payout{}, SubmitRequest{}, Registered{}, LinkingSession{},
		ledger.Beneficiary{}, BeneficiaryList{}, NewBeneficiary{}, StatementEntry{}, StatementData{},
	} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(wire)) {
			if f.Tag.Get("json") == "" {
				t.Errorf("%T.%s has no json tag", wire, f.Name)
			}
		}
	}
}

func TestEncodeInitiateRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(b *ledger.Batch, a []ledger.Attempt)
	}{
		{"no batch id", func(b *ledger.Batch, _ []ledger.Attempt) { b.ID = "" }},
		{"no transaction type", func(b *ledger.Batch, _ []ledger.Attempt) { b.TransactionTypeID = "" }},
		{"no debit account", func(b *ledger.Batch, _ []ledger.Attempt) { b.BankAccountID = "" }},
		{"a payout more than planned", func(b *ledger.Batch, _ []ledger.Attempt) { b.Count = 1 }},
		{"a total that is not the sum", func(b *ledger.Batch, _ []ledger.Attempt) { b.Total++ }},
		{"two payouts for a partner bank that takes one", func(b *ledger.Batch, _ []ledger.Attempt) { b.PartnerBankID = 4 }},
		{"RIB without beneficiary id", func(b *ledger.Batch, _ []ledger.Attempt) { b.Kind = ledger.KindRIB }},
		{"no name", func(_ *ledger.Batch, a []ledger.Attempt) { a[0].VendorName = "" }},
		{"no account", func(_ *ledger.Batch, a []ledger.Attempt) { a[1].BankAccountNumber = "" }},
		{"no IFSC", func(_ *ledger.Batch, a []ledger.Attempt) { a[1].IFSC = "" }},
		{"no reference", func(_ *ledger.Batch, a []ledger.Attempt) { a[1].WireRef = "" }},
		{"a reference twice", func(_ *ledger.Batch, a []ledger.Attempt) { a[1].WireRef = a[0].WireRef }},
		{"nothing to pay", func(b *ledger.Batch, a []ledger.Attempt) { a[1].Amount = 0; b.Total-- }},
		{"a sum out of range", func(b *ledger.Batch, a []ledger.Attempt) { a[1].Amount = 1<<63 - 1; b.Total = 0 }},
		{"another debit account", func(_ *ledger.Batch, a []ledger.Attempt) { a[1].BankAccountID = "other" }},
		{"a name that is not UTF-8", func(_ *ledger.Batch, a []ledger.Attempt) { a[1].VendorName = "Rao \xff" }},
	}
	c := newClient(t, "https://bank.example")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, attempts := planned()
			tt.change(&b, attempts)
			if p, err := c.EncodeInitiate(b, attempts); err == nil {
				t.Errorf("gave %s", p.Body)
			}
		})
	}
	b, attempts := planned()
	if _, err := (RequestFields{Amount: "ifsc"}).EncodeInitiate(b, attempts); !errors.Is(err, ErrFieldName) {
		t.Errorf("an amount in another field's place: %v", err)
	}
	b.Count, b.Total = 0, 0
	if _, err := c.EncodeInitiate(b, nil); err == nil {
		t.Error("an empty batch was encoded")
	}
	if _, err := c.EncodeSubmit("", ""); err == nil {
		t.Error("a submit without a batch was encoded")
	}
}

// Whatever text people write into a sheet, the bank reads the same.
func TestTextSurvivesTheWire(t *testing.T) {
	c := newClient(t, "https://bank.example")
	rapid.Check(t, func(t *rapid.T) {
		b, attempts := single()
		text := rapid.StringN(1, 40, -1)
		a := &attempts[0]
		a.WireRef, a.VendorName, a.Remarks = text.Draw(t, "ref"), text.Draw(t, "name"), text.Draw(t, "remarks")
		a.Amount = ledger.Paise(rapid.Int64Range(1, 1<<62).Draw(t, "amount"))
		b.Total = a.Amount
		first, err := c.EncodeInitiate(b, attempts)
		must(t, err)
		second, err := c.EncodeInitiate(b, attempts)
		if err != nil || !bytes.Equal(first.Body, second.Body) || first.SHA256 != second.SHA256 {
			t.Fatalf("not the same twice: %s, %s, %v", first.Body, second.Body, err)
		}
		var got struct {
			Payouts []struct {
				Ref     string `json:"merchant_txn_ref_id"`
				Name    string `json:"vendor_name"`
				Amount  string `json:"amount"`
				Remarks string `json:"remarks"`
			} `json:"payout_data"`
		}
		must(t, json.Unmarshal(first.Body, &got))
		p := got.Payouts[0]
		if p.Ref != a.WireRef || p.Name != a.VendorName || p.Remarks != a.Remarks || p.Amount != a.Amount.String() {
			t.Fatalf("%+v became %+v", *a, p)
		}
	})
}
