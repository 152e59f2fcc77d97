package bankapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payrun/ledger"
)

// pagesBank answers each request with the next of its pages, and keeps the
// queries it was asked with. After the last page it answers HTTP 404.
func pagesBank(t *testing.T, pages ...string) (*Client, *[]url.Values) {
	t.Helper()
	var queries []url.Values
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		queries = append(queries, r.URL.Query())
		if len(queries) > len(pages) {
			w.WriteHeader(http.StatusNotFound)
			w.Write(fixture(t, "failure.json"))
			return
		}
		fmt.Fprint(w, pages[len(queries)-1])
	}))
	t.Cleanup(server.Close)
	return newClient(t, server.URL), &queries
}

// statusPage is a page of the batch with these references; next is its
// meta.pagination from next_cursor on.
func statusPage(pagination string, refs ...string) string {
	var payouts []string
	for _, ref := range refs {
		payouts = append(payouts, fmt.Sprintf(`{"merchant_txn_ref_id":%q,"amount":"1.00","status":"pending"}`, ref))
	}
	return fmt.Sprintf(`{"status":"success","data":{"sub_merchant_id":"sm","bank_account_id":"acc","merchant_transfer_batch_id":"b","payouts":[%s]},"error":null,"meta":{"timestamp":"2031-03-31T19:00:00Z"%s}}`,
		strings.Join(payouts, ","), pagination)
}

func more(cursor string) string {
	return fmt.Sprintf(`,"pagination":{"cursor":"x","next_cursor":%q,"limit":100,"has_more":true}`, cursor)
}

const noMore = `,"pagination":{"cursor":"x","next_cursor":null,"limit":100,"has_more":false}`

func TestTransferStatusPages(t *testing.T) {
	other := func(page, old, new string) string { return strings.Replace(page, old, new, 1) }
	tests := []struct {
		name   string
		pages  []string
		expect int
		refs   string // that come back, joined
		read   int    // pages
		why    string // part of it; "" for a complete read
	}{
		{name: "one page", pages: []string{statusPage(noMore, "A", "B")}, expect: 2, refs: "A B", read: 1},
		{name: "an empty next_cursor closes as null does", pages: []string{statusPage(other(noMore, "null", `""`), "A")}, expect: 1, refs: "A", read: 1},
		{name: "nothing there", pages: []string{statusPage(noMore)}, expect: 2, read: 1},
		{name: "nothing there, of no account", pages: []string{other(statusPage(noMore), `"sub_merchant_id":"sm","bank_account_id":"acc"`, `"sub_merchant_id":"","bank_account_id":""`)}, expect: 1, read: 1},
		{name: "more than expected is for the engine to judge", pages: []string{statusPage(noMore, "A", "B", "C")}, expect: 1, refs: "A B C", read: 1},
		{
			name:   "one payout a page, and an empty page to close",
			pages:  []string{statusPage(more("1"), "A"), statusPage(more("2"), "B"), statusPage(more("3"), "C"), statusPage(noMore)},
			expect: 3, refs: "A B C", read: 4,
		},
		{
			name:   "more pages than the count allows",
			pages:  []string{statusPage(more("1"), "A"), statusPage(more("2")), statusPage(more("3")), statusPage(noMore)},
			expect: 1, refs: "A", read: 3, why: "more than 3 pages",
		},
		{name: "no pagination", pages: []string{statusPage("", "A")}, expect: 1, refs: "A", read: 1, why: "no meta.pagination"},
		{name: "pagination is null", pages: []string{statusPage(`,"pagination":null`, "A")}, expect: 1, refs: "A", read: 1, why: "no meta.pagination"},
		{name: "a repeated cursor", pages: []string{statusPage(more("1"), "A"), statusPage(more("1"), "B")}, expect: 9, refs: "A B", read: 2, why: "same next_cursor"},
		{name: "has_more without a cursor", pages: []string{statusPage(other(noMore, "false", "true"), "A")}, expect: 9, refs: "A", read: 1, why: "no next_cursor"},
		{name: "a cursor without has_more", pages: []string{statusPage(other(more("1"), "true", "false"), "A")}, expect: 9, refs: "A", read: 1, why: "has_more is false"},
		{
			name:   "a reference on two pages",
			pages:  []string{statusPage(more("1"), "A", "B"), statusPage(noMore, "B", "C")},
			expect: 3, refs: "A B C", read: 2, why: `"B" came twice`,
		},
		{name: "a reference twice on one page", pages: []string{statusPage(noMore, "A", "A")}, expect: 2, refs: "A", read: 1, why: `"A" came twice`},
		{name: "what follows a repeated reference counts", pages: []string{statusPage(noMore, "A", "A", "B")}, expect: 2, refs: "A B", read: 1, why: `"A" came twice`},
		{name: "another batch", pages: []string{other(statusPage(noMore, "A"), `"b"`, `"c"`)}, expect: 1, read: 1, why: `about batch "c"`},
		{name: "another batch on the second page", pages: []string{statusPage(more("1"), "A"), other(statusPage(noMore, "B"), `"b"`, `"c"`)}, expect: 2, refs: "A", read: 2, why: `about batch "c"`},
		{name: "another account on the second page", pages: []string{statusPage(more("1"), "A"), other(statusPage(noMore, "B"), `"acc"`, `"cca"`)}, expect: 2, refs: "A", read: 2, why: "different accounts"},
		{name: "another sub-merchant on the second page", pages: []string{statusPage(more("1"), "A"), other(statusPage(noMore, "B"), `"sm"`, `"ms"`)}, expect: 2, refs: "A", read: 2, why: "different accounts"},
		{name: "the second page fails", pages: []string{statusPage(more("1"), "A")}, expect: 2, refs: "A", read: 1, why: "HTTP 404, SVC_CB_FT_001"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, queries := pagesBank(t, tt.pages...)
			got, err := c.ReadStatus(t.Context(), "b", tt.expect, ledger.Patient)
			must(t, err)
			var refs []string
			for _, p := range got.Payouts {
				refs = append(refs, p.WireRef)
			}
			if strings.Join(refs, " ") != tt.refs || got.Pages != tt.read {
				t.Errorf("got %v from %d pages", refs, got.Pages)
			}
			if got.Complete != (tt.why == "") || !strings.Contains(got.Why, tt.why) || (tt.why == "" && got.Why != "") {
				t.Errorf("complete %v, why %q", got.Complete, got.Why)
			}
			for i, q := range *queries {
				if q.Get("merchant_transfer_batch_id") != "b" || q.Get("limit") != "100" || q.Has("cursor") != (i > 0) {
					t.Errorf("asked with %v", q)
				}
			}
		})
	}
}

// A payout that is shown as failed and as paid in one read may be paid: two such reads must not make it failed.
func TestTransferStatusThatShowsAPayoutTwice(t *testing.T) {
	shown := func(status, code string) string {
		return fmt.Sprintf(`"amount":"1.00","status":%q,"bank_status_code":%q`, status, code)
	}
	failed, returned, paid, pending := shown("failed", ""), shown("success", ledger.CodeReturned), shown("success", ""), shown("pending", "")
	for _, tt := range []struct{ first, second, status, code string }{
		{failed, paid, "success", ""},
		{paid, failed, "success", ""},
		{failed, pending, "pending", ""},
		{returned, paid, "success", ""},
		{paid, returned, "success", ""},
		{failed, failed, "failed", ""},
		{pending, paid, "success", ""},
		{shown("request_initiated", ""), pending, "pending", ""},
		{failed, shown("odd", ""), "odd", ""},
	} {
		page := statusPage(noMore, "A", "A")
		for _, as := range []string{tt.first, tt.second} {
			page = strings.Replace(page, `"amount":"1.00","status":"pending"}`, as+"}", 1)
		}
		c, _ := pagesBank(t, page)
		got, err := c.ReadStatus(t.Context(), "b", 1, ledger.Patient)
		must(t, err)
		if len(got.Payouts) != 1 || got.Payouts[0].Status != tt.status || got.Payouts[0].BankStatusCode != tt.code || got.Complete {
			t.Errorf("%s, then %s: got %+v", tt.first, tt.second, got)
		}
	}
}

func TestTransferStatusOfAnUnknownBatchIsAnError(t *testing.T) {
	c, _ := pagesBank(t)
	got, err := c.ReadStatus(t.Context(), "b", 1, ledger.Patient)
	call, ok := errors.AsType[*ledger.CallError](err)
	if !ok || call.Op != "status" || call.HTTPStatus != 404 || call.Code != "SVC_CB_FT_001" {
		t.Errorf("got %v", err)
	}
	same(t, ledger.StatusRead{}, got)
}

// However a bank cuts its answer into pages, and whatever its cursors look
// like, the same payouts come back in the same order.
func TestPageBoundariesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(rt, "payouts")
		var refs []string
		for i := range n {
			refs = append(refs, fmt.Sprintf("R%d", i))
		}
		cursors := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-z0-9+/]{1,8}={0,2}`), n+1, n+1, rapid.ID).Draw(rt, "cursors")
		rest, pages := refs, []string{}
		var want []url.Values
		for len(rest) > 0 && (len(rest) > 1 || rapid.Bool().Draw(rt, "closed by an empty page")) {
			take := rapid.IntRange(1, len(rest)).Draw(rt, "page")
			cursor := cursors[len(pages)]
			pages = append(pages, statusPage(more(cursor), rest[:take]...))
			rest = rest[take:]
			want = append(want, url.Values{"cursor": {cursor}})
		}
		pages = append(pages, statusPage(noMore, rest...))
		c, queries := pagesBank(t, pages...)
		got, err := c.ReadStatus(t.Context(), "b", n, ledger.Patient)
		if err != nil || !got.Complete || got.Pages != len(pages) {
			rt.Fatalf("got %+v, %v", got, err)
		}
		var seen []string
		for _, p := range got.Payouts {
			seen = append(seen, p.WireRef)
		}
		if d := cmp.Diff(refs, seen); d != "" {
			rt.Fatal(d)
		}
		for i, w := range want {
			if (*queries)[i+1].Get("cursor") != w.Get("cursor") {
				rt.Fatalf("cursor %q was asked for as %q", w.Get("cursor"), (*queries)[i+1].Get("cursor"))
			}
		}
	})
}

func TestAmountsInAnswers(t *testing.T) {
	tests := []struct {
		name, payout string
		has          bool
		amount       ledger.Paise
		note         string
	}{
		{name: "two digits", payout: `"amount":"1234.50"`, has: true, amount: 1234_50},
		{name: "the largest", payout: `"amount":"92233720368547758.07"`, has: true, amount: 9223372036854775807},
		{name: "beyond the largest", payout: `"amount":"92233720368547758.08"`, note: `amount that cannot be read: "92233720368547758.08"`},
		{name: "absent", payout: `"remarks":""`},
		{name: "null", payout: `"amount":null`},
		{name: "empty", payout: `"amount":""`},
		{name: "a number", payout: `"amount":1234.50`, has: true, amount: 1234_50},
		{name: "a number with one digit", payout: `"amount":1234.5`, has: true, amount: 1234_50},
		{name: "a whole number", payout: `"amount":1234`, has: true, amount: 1234_00},
		{name: "a number too large for a float", payout: `"amount":90071992547409.93`, has: true, amount: 90071992547409_93},
		{name: "a number with three digits", payout: `"amount":1234.500`, note: `amount that cannot be read: 1234.500`},
		{name: "a number with an exponent", payout: `"amount":101.39e1`, note: `amount that cannot be read: 101.39e1`},
		{name: "a whole number with an exponent", payout: `"amount":1E3`, note: `amount that cannot be read: 1E3`},
		{name: "a negative number", payout: `"amount":-101.39`, note: `amount that cannot be read: -101.39`},
		{name: "a number beyond the largest", payout: `"amount":92233720368547758.08`, note: `amount that cannot be read: 92233720368547758.08`},
		{name: "false", payout: `"amount":false`, note: `amount that cannot be read: false`},
		{name: "one digit", payout: `"amount":"1234.5"`, note: `amount that cannot be read: "1234.5"`},
		{name: "no digits", payout: `"amount":"1234"`, note: `amount that cannot be read: "1234"`},
		{name: "grouped", payout: `"amount":"1,234.50"`, note: `amount that cannot be read: "1,234.50"`},
		{name: "negative", payout: `"amount":"-1.00"`, note: `amount that cannot be read: "-1.00"`},
		{name: "exponent", payout: `"amount":"1e3.00"`, note: `amount that cannot be read: "1e3.00"`},
		{name: "an object, beside an error of the bank", payout: `"amount":{"v":"<1>"},"error":"E7"`, note: `"E7"; amount that cannot be read: {"v":"<1>"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			page := strings.Replace(statusPage(noMore, "A"), `"amount":"1.00"`, tt.payout, 1)
			c, _ := pagesBank(t, page)
			got, err := c.ReadStatus(t.Context(), "b", 1, ledger.Patient)
			if err != nil || len(got.Payouts) != 1 {
				t.Fatalf("got %+v, %v", got, err)
			}
			want := ledger.Observation{WireRef: "A", Status: "pending", HasAmount: tt.has, Amount: tt.amount, Error: tt.note}
			if tt.note != "" {
				want.Unread = ledger.FieldAmount
			}
			same(t, want, got.Payouts[0])
		})
	}
}

// A value of another type counts as shown, and what it is no one can tell; it keeps
// nothing else of the answer from being read. One that is null is not shown.
func TestWhatCannotBeReadOfAPayout(t *testing.T) {
	for field, want := range map[string]ledger.Observation{
		`"ifsc":null`:                          {},
		`"ifsc":7`:                             {Unread: ledger.FieldIFSC, Error: `ifsc that cannot be read: 7`},
		`"bank_account_number":50100200300400`: {Unread: ledger.FieldAccount, Error: `bank_account_number that cannot be read: XXXXXXXXXX0400`},
		`"open_beneficiary_id":["b"]`:          {Unread: ledger.FieldBeneficiaryID, Error: `open_beneficiary_id that cannot be read: ["b"]`},
		`"open_txn_id":1,"ifsc":true`:          {Unread: ledger.FieldTxnID | ledger.FieldIFSC, Error: `ifsc that cannot be read: true; open_txn_id that cannot be read: 1`},
		`"bank_status_code":0`:                 {Unread: ledger.FieldStatus, Error: `bank_status_code that cannot be read: 0`},
	} {
		c, _ := pagesBank(t, strings.Replace(statusPage(noMore, "A"), `"amount"`, field+`,"amount"`, 1))
		got, err := c.ReadStatus(t.Context(), "b", 1, ledger.Patient)
		want.WireRef, want.Status, want.Amount, want.HasAmount = "A", "pending", 1_00, true
		if err != nil || !got.Complete || len(got.Payouts) != 1 || got.Payouts[0] != want {
			t.Errorf("%s: %+v, %v", field, got, err)
		}
	}
	page := strings.NewReplacer(`"status":"pending"`, `"status":["success"]`, `"merchant_txn_ref_id":"A"`, `"merchant_txn_ref_id":12`, `"sub_merchant_id":"sm"`, `"sub_merchant_id":5`).Replace(statusPage(noMore, "A"))
	c, _ := pagesBank(t, page)
	got, err := c.ReadStatus(t.Context(), "b", 1, ledger.Patient)
	if err != nil || got.Unread != ledger.FieldSubMerchant || len(got.Payouts) != 1 || got.Payouts[0].Unread != ledger.FieldRef|ledger.FieldStatus ||
		got.Payouts[0].Status != `["success"]` || got.Payouts[0].WireRef != "12" {
		t.Errorf("%+v, %v", got, err)
	}
}

// The number of the debit account is a string; one that is a number is read too, and
// what is neither cannot be read.
func TestTheDebitAccountOfAnAnswer(t *testing.T) {
	const unreadable = "cannot be read"
	for field, want := range map[string]string{
		``: "", `"debit_account_number":null,`: "", `"debit_account_number":"",`: "",
		`"debit_account_number":"000200345678",`:     "000200345678",
		`"debit_account_number":"XXXXXXXX5678",`:     "XXXXXXXX5678",
		`"debit_account_number":200345678901234567,`: "200345678901234567",
		`"debit_account_number":{"number":"1"},`:     unreadable,
		`"debit_account_number":2e17,`:               unreadable,
	} {
		c, _ := pagesBank(t, strings.Replace(statusPage(noMore, "A"), `"payouts"`, field+`"payouts"`, 1))
		got, err := c.ReadStatus(t.Context(), "b", 1, ledger.Patient)
		if err != nil || !got.Complete || got.DebitAccountNumber != want && want != unreadable || (got.Unread == ledger.FieldDebitNumber) != (want == unreadable) {
			t.Errorf("%s: %q, %+v, %v", field, got.DebitAccountNumber, got, err)
		}
	}
}

// listPage is a page of a list operation at {base_url}.
func listPage(data, pagination string) string {
	return fmt.Sprintf(`{"status":"success","data":%s,"error":null,"meta":{"timestamp":"2031-03-31T19:00:00Z"%s}}`, data, pagination)
}

func TestListsReadEveryPage(t *testing.T) {
	account := func(id string) string {
		b, err := json.Marshal(BankAccountList{BankAccounts: []ledger.LinkedAccount{{Status: "active", PartnerBankID: 3, BankAccountID: id}}})
		must(t, err)
		return string(b)
	}
	t.Run("bank accounts, with every filter", func(t *testing.T) {
		c, queries := pagesBank(t, listPage(account("a"), more("1")), listPage(account("b"), noMore))
		got, err := c.BankAccounts(t.Context(), AccountQuery{SubMerchantID: "sm", BankAccountID: "id", PartnerBankID: 3, Search: "x & y"})
		if err != nil || len(got) != 2 || got[0].BankAccountID != "a" || got[1].BankAccountID != "b" {
			t.Errorf("got %+v, %v", got, err)
		}
		filters := url.Values{"sub_merchant_id": {"sm"}, "bank_account_id": {"id"}, "partner_bank_id": {"3"}, "search": {"x & y"}, "limit": {"100"}}
		second := url.Values{"cursor": {"1"}}
		for k, v := range filters {
			second[k] = v
		}
		same(t, []url.Values{filters, second}, *queries)
	})
	t.Run("bank accounts of every sub-merchant", func(t *testing.T) {
		c, queries := pagesBank(t, listPage(account("a"), more("1")), listPage(account("b"), noMore))
		if got, err := c.Accounts(t.Context()); err != nil || len(got) != 2 {
			t.Errorf("got %+v, %v", got, err)
		}
		same(t, []url.Values{{"limit": {"100"}}, {"limit": {"100"}, "cursor": {"1"}}}, *queries)
	})
	t.Run("balances, with every filter", func(t *testing.T) {
		c, queries := pagesBank(t,
			listPage(`{"balances":[{"bank_account_id":"a","balance":"0.00"}]}`, more("1")),
			listPage(`{"balances":[{"bank_account_id":"b","balance":"7.01"}]}`, noMore))
		got, err := c.Balances(t.Context(), BalanceQuery{SubMerchantID: "sm", BankAccountID: "id"})
		must(t, err)
		same(t, []ledger.Balance{{BankAccountID: "a"}, {BankAccountID: "b", Balance: 7_01}}, got)
		same(t, url.Values{"sub_merchant_id": {"sm"}, "bank_account_id": {"id"}, "limit": {"100"}}, (*queries)[0])
	})
	broken := []struct{ name, first string }{
		{"second page fails", listPage(`{"balances":[]}`, more("1"))},
		{"no pagination", listPage(`{"balances":[]}`, "")},
		{"a balance that is not an amount", listPage(`{"balances":[{"bank_account_id":"a","balance":"1e3"}]}`, noMore)},
		{"a balance with an exponent", listPage(`{"balances":[{"bank_account_id":"a","balance":1e3}]}`, noMore)},
		{"a balance that is an object", listPage(`{"balances":[{"bank_account_id":"a","balance":{"v":"1.00"}}]}`, noMore)},
		{"a balance of nothing", listPage(`{"balances":[{"bank_account_id":"a"}]}`, noMore)},
	}
	for _, tt := range broken {
		t.Run("nothing is given when broken: "+tt.name, func(t *testing.T) {
			c, _ := pagesBank(t, tt.first)
			got, err := c.Balances(t.Context(), BalanceQuery{})
			if _, ok := errors.AsType[*ledger.CallError](err); !ok || got != nil {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
