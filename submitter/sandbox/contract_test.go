package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// These tests know the interface from its document alone: paths, names and types
// are typed by hand from interface.md, and nothing of the client is used. What
// the client and the sandbox could misread alike is seen here.

// shape is the fields of an object, each with its type: string, bool, number,
// array, object, null; with | where it may be more than one. A name that ends in
// ? may be absent.
type shape map[string]string

var (
	subMerchantShape = shape{"sub_merchant_id": "string", "first_name": "string", "last_name": "string", "email": "string", "username": "string"}
	bankAccountShape = shape{
		"status": "string", "partner_bank_id": "number", "bank_account_id": "string", "account_number": "string", "ifsc": "string",
		"account_name": "string", "identifier": "string",
		"redirect_url?": "string", // while its linking is not complete
	}
	beneficiaryShape = shape{
		"bank_account_id": "string", "open_beneficiary_id": "string", "bank_beneficiary_id": "string", "vendor_name": "string",
		"bank_account_number": "string", "ifsc": "string", "beneficiary_status": "string",
	}
	payoutShape = shape{
		"merchant_txn_ref_id": "string", "open_beneficiary_id": "string", "vendor_name": "string", "amount": "string",
		"bank_account_number": "string", "ifsc": "string", "remarks": "string", "open_txn_id": "string", "bank_txn_ref_id": "string",
		"status": "string", "bank_status_code": "string", "error": "null|object",
	}
	batchShape = shape{
		"sub_merchant_id": "string", "bank_account_id": "string", "merchant_transfer_batch_id": "string", "payouts": "array",
		"open_batch_id?": "string", "debit_account_number?": "string", "debit_account_holder_name?": "string", "debit_ifsc?": "string",
	}
	submittedShape = shape{
		"sub_merchant_id": "string", "bank_account_id": "string", "merchant_transfer_batch_id": "string", "payouts": "array",
		"open_batch_id?": "string", "debit_account_number": "string", "debit_account_holder_name": "string", "debit_ifsc": "string",
	}
	statusShape = shape{"sub_merchant_id": "string", "bank_account_id": "string", "merchant_transfer_batch_id": "string", "payouts": "array"}
	entryShape  = shape{
		"transaction_id": "string", "transaction_amount": "string", "transaction_type": "string", "closing_balance": "string",
		"transacted_date": "string", "posted_date": "string", "value_date": "string", "reference_number": "string", "remarks": "string",
	}
	balanceShape    = shape{"bank_account_id": "string", "balance": "string"}
	paginationShape = shape{"cursor": "string", "next_cursor": "string|null", "limit": "number", "has_more": "bool"}
)

// rawBank speaks to a sandbox as the interface's document says, and no more.
type rawBank struct {
	t     *testing.T
	ready Ready
}

func startRaw(t *testing.T, seed int64) *rawBank {
	s, err := Start(t.Context(), Options{Seed: seed, Now: time.Now})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return &rawBank{t, s.Ready()}
}

// call sends a request and reads the envelope, every field of it.
func (b *rawBank) call(want int, method, path, body string) (data, meta map[string]any) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, "http://"+b.ready.Addr+"/v1/connected_banking/"+path, strings.NewReader(body))
	must(b.t, err)
	req.Header.Set("Authorization", "Bearer "+b.ready.AccessKey+":"+b.ready.SecretKey)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	must(b.t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	must(b.t, err)
	var envelope map[string]any
	if err := json.Unmarshal(raw, &envelope); err != nil || resp.StatusCode != want {
		b.t.Fatalf("%s %s: HTTP %d, %s", method, path, resp.StatusCode, raw)
	}
	hasShape(b.t, path, envelope, shape{"status": "string", "data": "object|null", "error": "object|null", "meta": "object"})
	meta = envelope["meta"].(map[string]any)
	if at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(meta["timestamp"])); err != nil || !strings.HasSuffix(fmt.Sprint(meta["timestamp"]), "Z") || at.IsZero() {
		b.t.Errorf("%s: timestamp %v is no ISO 8601 in UTC", path, meta["timestamp"])
	}
	if want >= 400 {
		if envelope["status"] != "failed" || envelope["data"] != nil {
			b.t.Errorf("%s: %s", path, raw)
		}
		problem := envelope["error"].(map[string]any)
		hasShape(b.t, path, problem, shape{"code": "string", "message": "string", "details": "array"})
		return problem, meta
	}
	if envelope["status"] != "success" || envelope["error"] != nil {
		b.t.Errorf("%s: %s", path, raw)
	}
	return envelope["data"].(map[string]any), meta
}

// list reads a list: its data, its pagination, and the shape of each element.
func (b *rawBank) list(path, name string, element shape) (data map[string]any, elements []map[string]any) {
	b.t.Helper()
	data, meta := b.call(200, "GET", path, "")
	hasShape(b.t, path+" meta", meta, shape{"timestamp": "string", "pagination": "object"})
	hasShape(b.t, path+" pagination", meta["pagination"].(map[string]any), paginationShape)
	return data, elementsOf(b.t, path, data, name, element)
}

func elementsOf(t *testing.T, what string, data map[string]any, name string, element shape) (all []map[string]any) {
	t.Helper()
	for _, e := range data[name].([]any) {
		hasShape(t, what+" "+name, e.(map[string]any), element)
		all = append(all, e.(map[string]any))
	}
	return all
}

func hasShape(t *testing.T, what string, object map[string]any, want shape) {
	t.Helper()
	for name, types := range want {
		plain, optional := strings.CutSuffix(name, "?")
		value, there := object[plain]
		if !there && optional {
			continue
		}
		if got := typeOf(value); !there || !slices.Contains(strings.Split(types, "|"), got) {
			t.Errorf("%s: %s is %s (there: %v), want %s", what, plain, got, there, types)
		}
	}
	for name := range object {
		if _, plain := want[name]; !plain && want[name+"?"] == "" {
			t.Errorf("%s: %s is no field of the interface", what, name)
		}
	}
}

func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "bool"
	case float64:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func (b *rawBank) account(partnerBank int, kind string) string {
	for _, a := range b.ready.Accounts {
		if a.PartnerBankID == partnerBank && string(a.Kind) == kind {
			return a.BankAccountID
		}
	}
	b.t.Fatalf("no account of partner bank %d %s", partnerBank, kind)
	return ""
}

// otp asks the control listener what the bank sent.
func (b *rawBank) otp(batch string) (otp, token string) {
	resp, err := http.Get("http://" + b.ready.Control + "/otp?batch=" + url.QueryEscape(batch))
	must(b.t, err)
	defer func() { _ = resp.Body.Close() }()
	var sent map[string]string
	must(b.t, json.NewDecoder(resp.Body).Decode(&sent))
	return sent["otp"], sent["transaction_token"]
}

func (b *rawBank) settle(times int) {
	for range times {
		resp, err := http.Post("http://"+b.ready.Control+"/settle", "", nil)
		must(b.t, err)
		_ = resp.Body.Close()
	}
}

// TestTheSandboxServesTheInterface: each of the eleven operations, with the
// requests and the answers that the interface shows, whatever the seed.
func TestTheSandboxServesTheInterface(t *testing.T) {
	for seed := int64(1); seed <= 8; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			b := startRaw(t, seed)
			sm := b.ready.SubMerchantID
			b.subMerchants()
			b.linking(sm)
			b.accounts(sm)
			b.beneficiaries(sm)
			b.transfers(sm)
			b.statements(sm)
		})
	}
}

func (b *rawBank) subMerchants() {
	data, _ := b.call(200, "POST", "sub_merchant/register", `{"first_name":"Asha","last_name":"Rao","email":"asha@example.com","username":"9000000007"}`)
	hasShape(b.t, "register", data, shape{"sub_merchant_id": "string", "is_sandbox": "bool", "first_name": "string", "last_name": "string", "email": "string", "username": "string"})
	for _, clear := range []string{"Asha", "Rao", "asha@example.com", "9000000007"} {
		for name, value := range data {
			if value == clear {
				b.t.Errorf("%s is not masked", name)
			}
		}
	}
	data, _ = b.list("sub_merchant/list?limit=10&offset=0", "sub_merchants", subMerchantShape)
	hasShape(b.t, "sub_merchant/list", data, shape{"sub_merchants": "array", "is_sandbox": "bool"})
}

func (b *rawBank) linking(sm string) {
	for i, bank := range []string{`"3"`, `3`} { // a string or an integer
		data, _ := b.call(200, "POST", "linking/initiate", fmt.Sprintf(`{"sub_merchant_id":%q,"partner_bank_id":%s,"merchant_redirect_url":"https://erp.example/%d"}`, sm, bank, i))
		hasShape(b.t, "linking", data, shape{"redirect_url": "string", "is_sandbox": "bool", "status": "string", "merchant_redirect_url": "string"})
		if data["status"] != "initiated" || data["merchant_redirect_url"] != fmt.Sprintf("https://erp.example/%d", i) {
			b.t.Errorf("linking: %v", data)
		}
	}
}

func (b *rawBank) accounts(sm string) {
	_, all := b.list("bank_accounts?limit=100", "bank_accounts", bankAccountShape)
	for _, a := range all {
		if number := fmt.Sprint(a["account_number"]); len(number) > 4 && strings.Trim(number[:len(number)-4], "0123456789") == "" {
			b.t.Errorf("account number %s is not masked", number)
		}
	}
	b.list("bank_accounts?sub_merchant_id="+sm+"&bank_account_id="+b.account(3, "")+"&partner_bank_id=3&search=3&limit=25", "bank_accounts", bankAccountShape)
	b.list("balance?sub_merchant_id="+sm+"&bank_account_id="+b.account(3, "")+"&limit=25", "balances", balanceShape)
	_, held := b.list("balance", "balances", balanceShape)
	for _, h := range held {
		if _, paise, ok := strings.Cut(fmt.Sprint(h["balance"]), "."); !ok || len(paise) != 2 {
			b.t.Errorf("balance %v has not two fraction digits", h["balance"])
		}
	}
}

func (b *rawBank) beneficiaries(sm string) {
	rib := b.account(12, "rib")
	data, _ := b.call(201, "POST", "beneficiary/initiate",
		fmt.Sprintf(`{"sub_merchant_id":%q,"bank_account_id":%q,"vendor_name":"Iyer & Sons","bank_account_number":"00987654321","ifsc":"HDFC0000123"}`, sm, rib))
	hasShape(b.t, "beneficiary", data, shape{"sub_merchant_id": "string", "bank_account_id": "string", "open_beneficiary_id": "string", "bank_beneficiary_id": "string", "beneficiary_status": "string"})
	if data["beneficiary_status"] != "request_initiated" {
		b.t.Errorf("beneficiary: %v", data)
	}
	_, all := b.list("beneficiaries?sub_merchant_id="+sm+"&bank_account_id="+rib+"&search=iyer&limit=100", "bene_details", beneficiaryShape)
	if len(all) != 1 {
		b.t.Errorf("%d beneficiaries", len(all))
	}
	b.call(400, "GET", "beneficiaries", "")
}

func (b *rawBank) transfers(sm string) {
	payout := `{"merchant_txn_ref_id":"R-%d","vendor_name":"Asha Traders","bank_account_number":"123456789012","ifsc":"SBOX0000001","amount":"10.50","remarks":"invoice"}`
	one, two := fmt.Sprintf(payout, 1), fmt.Sprintf(payout, 2)
	batch := func(account, payouts string) string {
		return fmt.Sprintf(`{"merchant_transfer_batch_id":"B-1","transaction_type_id":"NEFT","bank_account_id":%q,"payout_data":[%s]}`, account, payouts)
	}
	b.call(400, "POST", "transfer/initiate", batch(b.account(4, ""), one+","+two)) // one payout a batch there
	data, _ := b.call(200, "POST", "transfer/initiate", batch(b.account(1, ""), one+","+two))
	hasShape(b.t, "initiate", data, batchShape)
	for _, p := range elementsOf(b.t, "initiate", data, "payouts", payoutShape) {
		if p["status"] != "request_initiated" || p["bank_status_code"] != "" || p["error"] != nil {
			b.t.Errorf("initiate: %v", p)
		}
	}
	otp, token := b.otp("B-1")
	problem, _ := b.call(400, "POST", "transfer/submit", fmt.Sprintf(`{"merchant_transfer_batch_id":"B-1","otp":%q}`, otp))
	if problem["code"] != "SVC_CB_FT_011" {
		b.t.Errorf("without a token: %v", problem)
	}
	data, _ = b.call(200, "POST", "transfer/submit", fmt.Sprintf(`{"merchant_transfer_batch_id":"B-1","otp":%q,"transaction_token":%q}`, otp, token))
	hasShape(b.t, "submit", data, submittedShape)
	for _, p := range elementsOf(b.t, "submit", data, "payouts", payoutShape) {
		if !slices.Contains([]any{"pending", "initiated", "success", "failed"}, p["status"]) || p["bank_status_code"] == "" {
			b.t.Errorf("submit: %v", p)
		}
	}
	b.settle(6)
	data, payouts := b.list("transfer?merchant_transfer_batch_id=B-1&limit=100", "payouts", payoutShape)
	hasShape(b.t, "status", data, statusShape)
	for _, p := range payouts {
		if p["status"] != "success" || p["bank_txn_ref_id"] == "" || p["open_txn_id"] == "" {
			b.t.Errorf("status: %v", p)
		}
	}
	id := url.QueryEscape(fmt.Sprint(payouts[0]["open_txn_id"]))
	if _, same := b.list("transfer?open_txn_id="+id, "payouts", payoutShape); len(same) == 0 {
		b.t.Error("not found by open_txn_id alone")
	}
	if _, same := b.list("transfer?merchant_transfer_batch_id=B-1&merchant_txn_ref_id=R-2", "payouts", payoutShape); len(same) != 1 || same[0]["merchant_txn_ref_id"] != "R-2" {
		b.t.Errorf("one payout of the batch: %v", same)
	}
	b.call(400, "GET", "transfer?limit=25", "")
}

func (b *rawBank) statements(sm string) {
	india := time.FixedZone("", 19800)
	today := time.Now().In(india)
	query := func(account string, days int) string {
		return fmt.Sprintf("statements?from_date=%s&to_date=%s&bank_account_id=%s&sub_merchant_id=%s&limit=100",
			today.AddDate(0, 0, -days).Format(time.DateOnly), today.Format(time.DateOnly), account, sm)
	}
	if data, _ := b.call(200, "GET", query(b.account(1, ""), 30), ""); data["payouts"] != nil { // the other shape that is shown
		hasShape(b.t, "statement", data, statusShape)
		elementsOf(b.t, "statement", data, "payouts", payoutShape)
	} else {
		data, entries := b.list(query(b.account(1, ""), 30), "statements", entryShape)
		hasShape(b.t, "statement", data, shape{"bank_account_id": "string", "request_id": "string", "statements": "array"})
		if len(entries) < 2 {
			b.t.Errorf("%d entries", len(entries))
		}
		for _, e := range entries {
			_, err := time.Parse("2006-01-02 15:04:05", fmt.Sprint(e["transacted_date"]))
			if err != nil || e["transaction_type"] != "debit" && e["transaction_type"] != "credit" {
				b.t.Errorf("entry %v", e)
			}
		}
	}
	b.call(400, "GET", query(b.account(1, ""), 31), "")
	data, meta := b.call(202, "GET", query(b.account(8, ""), 30), "")
	hasShape(b.t, "statement of partner bank 8", data, shape{"bank_account_id": "string", "request_id": "string", "statements": "null"})
	hasShape(b.t, "statement of partner bank 8", meta, shape{"timestamp": "string"})
}

// TestAProgramOutsidePaysWithTheClient: the client is usable from another module,
// without the engine, the ledger file and the command line; and it builds with
// nothing fetched.
func TestAProgramOutsidePaysWithTheClient(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	program := build(t, filepath.Join("..", "bankapi", "testdata", "library"))
	b := startRaw(t, 1)
	run := func(otp string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), program)
		c.Env = append(os.Environ(), "BANK=http://"+b.ready.Addr, "ACCESS_KEY="+b.ready.AccessKey, "SECRET_KEY="+b.ready.SecretKey, "OTP="+otp)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if got := run(""); got != "request_initiated" {
		t.Errorf("initiate: %s", got)
	}
	otp, _ := b.otp("library-0001")
	if got := run(otp); got != "true 1234.50" {
		t.Errorf("submit: %s", got)
	}
}

// build compiles a program of testdata as a module of its own that has this one
// as a dependency, and the same versions of what this one needs.
func build(t *testing.T, source string) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	must(t, err)
	dir := t.TempDir()
	copyFile := func(to, from string, change func(string) string) {
		content, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), []byte(change(string(content))), 0o600)
		}
		must(t, err)
	}
	same := func(s string) string { return s }
	copyFile("main.go", filepath.Join(source, "main.go"), same)
	copyFile("go.sum", filepath.Join(root, "go.sum"), same)
	copyFile("go.mod", filepath.Join(root, "go.mod"), func(s string) string {
		return strings.Replace(s, "module payrun\n", "module example.com/pays\n\nrequire payrun v0.0.0\n\nreplace payrun => "+root+"\n", 1)
	})
	program := filepath.Join(dir, "pays")
	c := exec.CommandContext(t.Context(), "go", "build", "-mod=mod", "-o", program, ".")
	c.Dir = dir
	c.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}
