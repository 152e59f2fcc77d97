package bankapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var (
	asha   = RegisterRequest{FirstName: "Asha", LastName: "Rao", Email: "asha@example.com", Username: "9000000001"}
	toLink = LinkingRequest{SubMerchantID: "sm_0001", PartnerBankID: 12, MerchantRedirectURL: "https://erp.example/linked"}
	iyer   = BeneficiaryRequest{SubMerchantID: "sm_0001", BankAccountID: accountID, VendorName: "Iyer & Sons", BankAccountNumber: "00987654321", IFSC: "HDFC0000123"}
)

// posted is what a bank was sent.
type posted struct {
	times             int
	path, body, mime  string
	authorized, whole bool
}

// postBank answers every request with status and body, and keeps what it was sent.
func postBank(t *testing.T, status int, body []byte) (*Client, *posted) {
	t.Helper()
	var p posted
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var buf bytes.Buffer
		_, err := buf.ReadFrom(r.Body)
		p = posted{p.times + 1, r.Method + " " + r.URL.Path, buf.String(), r.Header.Get("Content-Type"), r.Header.Get("Authorization") == bearer, err == nil}
		w.WriteHeader(status)
		w.Write(body)
	}))
	t.Cleanup(server.Close)
	return newClient(t, server.URL), &p
}

// What each of these sends, and what it makes of the answer that the interface
// shows. The fixtures are typed by hand from interface.md.
func TestOperationsThatChangeSomething(t *testing.T) {
	tests := []struct {
		name, path, request, response string
		status                        int
		call                          func(context.Context, *Client) (any, error)
		want                          any
	}{
		{
			"register", "POST /v1/connected_banking/sub_merchant/register", "register_request.json", "register_response.json", 200,
			func(ctx context.Context, c *Client) (any, error) { return c.Register(ctx, asha) },
			Registered{SubMerchantID: "sm_0003", FirstName: "A***a", LastName: "R*o", Email: "a***@example.com", Username: "******0001", IsSandbox: true},
		}, {
			"linking", "POST /v1/connected_banking/linking/initiate", "linking_request.json", "linking_response.json", 200,
			func(ctx context.Context, c *Client) (any, error) { return c.Link(ctx, toLink) },
			LinkingSession{RedirectURL: "https://link.example/s/1", IsSandbox: true, Status: "initiated", MerchantRedirectURL: "https://erp.example/linked"},
		}, {
			"beneficiary", "POST /v1/connected_banking/beneficiary/initiate", "beneficiary_request.json", "beneficiary_response.json", 201,
			func(ctx context.Context, c *Client) (any, error) { return c.AddBeneficiary(ctx, iyer) },
			NewBeneficiary{SubMerchantID: "sm_0001", BankAccountID: accountID, OpenBeneficiaryID: "be1e2d3c-0000-4000-8000-000000000002", Status: ledger.BeneficiaryRequested},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, sent := postBank(t, tt.status, fixture(t, tt.response))
			got, err := tt.call(t.Context(), c)
			must(t, err)
			same(t, tt.want, got)
			want := posted{1, tt.path, compact(t, fixture(t, tt.request)), "application/json", true, true}
			same(t, want, *sent, cmp.AllowUnexported(posted{}))
		})
		// An answer that could not be read may have had its effect: once sent, never again.
		for name, answer := range map[string]struct {
			status int
			body   []byte
			want   ledger.Outcome
		}{
			"400":                    {400, fixture(t, "failure.json"), ledger.Rejected},
			"401":                    {401, nil, ledger.Rejected},
			"500":                    {500, fixture(t, "failure.json"), ledger.Unknown},
			"another success status": {202, fixture(t, tt.response), ledger.Unknown},
			"half an answer":         {tt.status, fixture(t, tt.response)[:60], ledger.Unknown},
			"no data":                {tt.status, []byte(`{"status":"success","data":{},"error":null}`), ledger.Unknown},
		} {
			t.Run(tt.name+", "+name, func(t *testing.T) {
				c, sent := postBank(t, answer.status, answer.body)
				_, err := tt.call(t.Context(), c)
				call, ok := errors.AsType[*ledger.CallError](err)
				if !ok || call.Outcome != answer.want || call.HTTPStatus != answer.status || sent.times != 1 {
					t.Errorf("sent %d times, got %v", sent.times, err)
				}
			})
		}
	}
}

// A body that the interface does not take is not sent.
func TestAllOfABodyIsRequired(t *testing.T) {
	c, sent := postBank(t, 200, nil)
	ctx := t.Context()
	for lacks, call := range map[string]func() error{
		"first_name":            func() error { r := asha; r.FirstName = ""; _, err := c.Register(ctx, r); return err },
		"last_name":             func() error { r := asha; r.LastName = ""; _, err := c.Register(ctx, r); return err },
		"email":                 func() error { r := asha; r.Email = ""; _, err := c.Register(ctx, r); return err },
		"username":              func() error { r := asha; r.Username = ""; _, err := c.Register(ctx, r); return err },
		"sub_merchant_id":       func() error { r := toLink; r.SubMerchantID = ""; _, err := c.Link(ctx, r); return err },
		"merchant_redirect_url": func() error { r := toLink; r.MerchantRedirectURL = ""; _, err := c.Link(ctx, r); return err },
		"bank_account_id":       func() error { r := iyer; r.BankAccountID = ""; _, err := c.AddBeneficiary(ctx, r); return err },
		"vendor_name":           func() error { r := iyer; r.VendorName = ""; _, err := c.AddBeneficiary(ctx, r); return err },
		"bank_account_number":   func() error { r := iyer; r.BankAccountNumber = ""; _, err := c.AddBeneficiary(ctx, r); return err },
		"ifsc":                  func() error { r := iyer; r.IFSC = ""; _, err := c.AddBeneficiary(ctx, r); return err },
		"not UTF-8":             func() error { r := iyer; r.VendorName = "\xff"; _, err := c.AddBeneficiary(ctx, r); return err },
	} {
		call, ok := errors.AsType[*ledger.CallError](call())
		if !ok || call.Outcome != ledger.NotSent || !strings.Contains(call.Error(), lacks) {
			t.Errorf("%s: got %v", lacks, call)
		}
	}
	if _, err := c.Beneficiaries(ctx, BeneficiaryQuery{}); err == nil || !strings.Contains(err.Error(), "sub_merchant_id") {
		t.Errorf("got %v", err)
	}
	if sent.times != 0 {
		t.Errorf("%d requests", sent.times)
	}
}

func TestAUsernameThatIsTaken(t *testing.T) {
	c, _ := postBank(t, 400, []byte(`{"status":"failed","data":null,"error":{"code":"SVC_CB_SM_004","message":"User Already Registered","details":[]},"meta":{}}`))
	_, err := c.Register(t.Context(), asha)
	if call, ok := errors.AsType[*ledger.CallError](err); !ok || call.Code != "SVC_CB_SM_004" || call.Message != "User Already Registered" {
		t.Errorf("got %v", err)
	}
}

// Sub-merchants are asked for by offset, until the bank says that there are no more.
func TestSubMerchants(t *testing.T) {
	merchants := func(ids ...string) string {
		var list []string
		for _, id := range ids {
			list = append(list, fmt.Sprintf(`{"sub_merchant_id":%q}`, id))
		}
		return `{"sub_merchants":[` + strings.Join(list, ",") + `],"is_sandbox":true}`
	}
	c, queries := pagesBank(t, listPage(merchants("a", "b"), more("1")), listPage(merchants("c"), noMore))
	got, err := c.SubMerchants(t.Context())
	want := SubMerchantList{SubMerchants: []SubMerchant{{SubMerchantID: "a"}, {SubMerchantID: "b"}, {SubMerchantID: "c"}}, IsSandbox: true}
	must(t, err)
	same(t, want, got)
	same(t, []url.Values{{"offset": {"0"}}, {"offset": {"2"}}}, *queries)
	for name, pages := range map[string][]string{
		"the offset is passed over":   {listPage(merchants("a"), more("1")), listPage(merchants("a"), more("1"))},
		"an empty page and more":      {listPage(merchants(), more("1"))},
		"no pagination":               {listPage(merchants("a"), "")},
		"the second page is not read": {listPage(merchants("a"), more("1"))},
	} {
		c, _ := pagesBank(t, pages...)
		got, err := c.SubMerchants(t.Context())
		if _, ok := errors.AsType[*ledger.CallError](err); !ok || got.SubMerchants != nil {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func TestBeneficiaries(t *testing.T) {
	c, queries := pagesBank(t, string(fixture(t, "beneficiaries_response.json")))
	got, err := c.Beneficiaries(t.Context(), BeneficiaryQuery{SubMerchantID: "sm", BankAccountID: "a", OpenBeneficiaryID: "o", Search: "x"})
	want := []ledger.Beneficiary{
		{BankAccountID: accountID, OpenBeneficiaryID: "be1e2d3c-0000-4000-8000-000000000001", BankBeneficiaryID: "BB1",
			VendorName: "Rao Stores", BankAccountNumber: "00123456789", IFSC: "ICIC0000456", Status: ledger.BeneficiaryActive},
		{BankAccountID: accountID, OpenBeneficiaryID: "be1e2d3c-0000-4000-8000-000000000002",
			VendorName: "Iyer & Sons", BankAccountNumber: "00987654321", IFSC: "HDFC0000123", Status: ledger.BeneficiaryVerifying},
	}
	must(t, err)
	same(t, want, got)
	same(t, []url.Values{{"sub_merchant_id": {"sm"}, "bank_account_id": {"a"}, "open_beneficiary_id": {"o"}, "search": {"x"}, "limit": {"100"}}}, *queries)
}

// march31 in a zone in which UTC is still at the day before: the day is the one
// that the caller sees.
var march31 = time.Date(2031, 3, 31, 1, 0, 0, 0, time.FixedZone("IST", 19800))

// evening is when the fixtures were answered, by the bank's clock.
var evening = time.Date(2031, 3, 31, 18, 30, 0, 0, time.UTC)

func TestStatement(t *testing.T) {
	entries := string(fixture(t, "statements_response.json"))
	second := strings.NewReplacer(`"rq_0001"`, `"rq_0002"`, `"T1"`, `"T3"`, `"T2"`, `"T4"`).Replace(entries)
	c, queries := pagesBank(t, strings.Replace(entries, `"next_cursor": null, "limit": 100, "has_more": false`, `"next_cursor": "1", "limit": 100, "has_more": true`, 1), second)
	got, err := c.Statement(t.Context(), StatementQuery{BankAccountID: strings.ToUpper(accountID), SubMerchantID: "sm", From: march31.AddDate(0, 0, -30), To: march31})
	t1 := ledger.StatementEntry{TransactionID: "T1", Debit: true, Amount: 1234_50, Closing: 98765_50, Transacted: "2031-03-30 11:02:03", Posted: "2031-03-30 11:02:04", Value: "2031-03-30 00:00:00", Reference: "UTR0001", Remarks: "INV-1 Rao Stores"}
	t2 := ledger.StatementEntry{TransactionID: "T2", Amount: 100000_00, Closing: 198765_50, Transacted: "2031-03-31 09:00:00"}
	t3, t4 := t1, t2
	t3.TransactionID, t4.TransactionID = "T3", "T4"
	want := Statement{BankTime: evening, StatementRead: ledger.StatementRead{BankAccountID: strings.ToUpper(accountID), Source: ledger.FromInterface, From: "2031-03-01", To: "2031-03-31",
		RequestIDs: []string{"rq_0001", "rq_0002"}, Shape: ledger.ShapeEntries, Entries: []ledger.StatementEntry{t1, t2, t3, t4}}}
	must(t, err)
	same(t, want, got)
	asked := url.Values{"bank_account_id": {strings.ToUpper(accountID)}, "sub_merchant_id": {"sm"}, "from_date": {"2031-03-01"}, "to_date": {"2031-03-31"}, "limit": {"100"}}
	same(t, asked, (*queries)[0])
}

func TestAStatementInNumbers(t *testing.T) {
	text := strings.NewReplacer(`"1234.50"`, `1234.5`, `"98765.5"`, `-98765.5`).Replace(string(fixture(t, "statements_response.json")))
	c, _ := pagesBank(t, text)
	got, err := c.Statement(t.Context(), StatementQuery{BankAccountID: accountID, From: march31, To: march31})
	if err != nil || got.Entries[0].Amount != 1234_50 || got.Entries[0].Closing != -98765_50 {
		t.Errorf("%+v, %v", got, err)
	}
}

// Partner bank 8 promises a statement; another answer has payouts in place of
// entries. Both are said, with the request id where there is one.
func TestAStatementThatIsNone(t *testing.T) {
	const pendingID = "0f1e2d3c-0000-4000-8000-000000000008"
	c, sent := postBank(t, 202, fixture(t, "statements_pending_response.json"))
	got, err := c.Statement(t.Context(), StatementQuery{BankAccountID: pendingID, From: march31, To: march31})
	read := ledger.StatementRead{BankAccountID: pendingID, Source: ledger.FromInterface, From: "2031-03-31", To: "2031-03-31", RequestIDs: []string{"rq_0008"}, Shape: ledger.ShapePending}
	if d := cmp.Diff(Statement{StatementRead: read, BankTime: evening}, got); d != "" || err != nil || sent.times != 1 {
		t.Error(d, err, sent.times)
	}
	c, _ = postBank(t, 200, fixture(t, "statements_payouts_response.json"))
	got, err = c.Statement(t.Context(), StatementQuery{BankAccountID: accountID, From: march31, To: march31})
	read = ledger.StatementRead{BankAccountID: accountID, Source: ledger.FromInterface, From: "2031-03-31", To: "2031-03-31", Shape: ledger.ShapeOther}
	want := Statement{StatementRead: read, BankTime: evening, Payouts: []ledger.Observation{
		{WireRef: "INV-1", Amount: 1234_50, HasAmount: true, Status: "success", BankStatusCode: "COMPLETED", BankTxnRefID: "UTR0001"},
	}}
	must(t, err)
	same(t, want, got)
}

// Half a statement is none.
func TestAStatementThatCannotBeRead(t *testing.T) {
	whole := string(fixture(t, "statements_response.json"))
	paged := strings.Replace(whole, `"next_cursor": null, "limit": 100, "has_more": false`, `"next_cursor": "1", "limit": 100, "has_more": true`, 1)
	swap := func(old, new string) string {
		if strings.Count(whole, old) != 1 {
			t.Fatalf("%q is there %d times", old, strings.Count(whole, old))
		}
		return strings.Replace(whole, old, new, 1)
	}
	for name, pages := range map[string][]string{
		"the second page is not read": {paged},
		"pages of different shapes":   {paged, string(fixture(t, "statements_payouts_response.json"))},
		"a promise as a second page":  {paged, listPage(`{"bank_account_id":"`+accountID+`","request_id":"r","statements":null}`, "")},
		"of another account":          {swap(accountID, "0f1e2d3c-0000-4000-8000-000000000001")},
		"neither debit nor credit":    {swap(`"debit"`, `"DR"`)},
		"an amount below zero":        {swap(`"1234.50"`, `"-1234.50"`)},
		"an amount that is none":      {swap(`"1234.50"`, `"1,234.50"`)},
		"an amount with an exponent":  {swap(`"1234.50"`, `12.345e2`)},
		"a number below zero":         {swap(`"1234.50"`, `-1234.50`)},
		"an empty amount":             {swap(`"1234.50"`, `""`)},
		"a balance with an exponent":  {swap(`"98765.5"`, `9.87655e4`)},
		"a balance that is none":      {swap(`"98765.5"`, `"98765.555"`)},
		"a balance without its paise": {swap(`"98765.5"`, `"98765."`)},
		"no day":                      {swap(`"transacted_date": "2031-03-31 09:00:00"`, `"transacted_date": ""`)},
		"a day in another form":       {swap(`"posted_date": "2031-03-30 11:02:04"`, `"posted_date": "30-03-2031"`)},
		"no pagination":               {listPage(`{"bank_account_id":"`+accountID+`","statements":[]}`, "")},
		"neither shape":               {listPage(`{"bank_account_id":"`+accountID+`"}`, noMore)},
		"both shapes":                 {listPage(`{"bank_account_id":"`+accountID+`","statements":[],"payouts":[]}`, noMore)},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := pagesBank(t, pages...)
			got, err := c.Statement(t.Context(), StatementQuery{BankAccountID: accountID, From: march31, To: march31})
			if _, ok := errors.AsType[*ledger.CallError](err); !ok || got.Entries != nil || got.RequestIDs != nil {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	t.Run("a promise that holds it already", func(t *testing.T) {
		c, _ := postBank(t, 202, fixture(t, "statements_response.json"))
		if _, err := c.Statement(t.Context(), StatementQuery{BankAccountID: accountID, From: march31, To: march31}); err == nil {
			t.Error("taken")
		}
	})
}

func TestAStatementOfTooManyDaysIsNotAsked(t *testing.T) {
	c, queries := pagesBank(t)
	for _, q := range []StatementQuery{
		{From: march31, To: march31},
		{BankAccountID: "a", From: march31, To: march31.AddDate(0, 0, -1)},
		{BankAccountID: "a", From: march31.AddDate(0, 0, -31), To: march31},
	} {
		_, err := c.Statement(t.Context(), q)
		if call, ok := errors.AsType[*ledger.CallError](err); !ok || call.Outcome != ledger.NotSent {
			t.Errorf("got %v", err)
		}
	}
	if len(*queries) != 0 {
		t.Errorf("asked %v", *queries)
	}
}

func TestBalancesOfAStatement(t *testing.T) {
	for text, want := range map[string]ledger.Paise{"0.00": 0, "12": 12_00, "12.5": 12_50, "12.34": 12_34, "-0.01": -1, "-12": -12_00} {
		if got, err := decimal(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-", ".", ".5", "+1.00", "1.", "1.234", "1e2", "1,000.00", " 1.00", "--1.00", "99999999999999999999"} {
		if got, err := decimal(text); err == nil {
			t.Errorf("%q was read as %d", text, got)
		}
	}
}
