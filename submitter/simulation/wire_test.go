package simulation

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// trouble is what can happen to one request on its way to the bank and back.
type trouble int

const (
	smooth trouble = iota
	refusedConn
	resetBefore
	resetAfter
	hangBefore
	hangAfter
	lateEffectOnly // no answer, and the effect comes later
	deliveredTwice
	deliveredAgainLater
	serverErrorBefore
	serverErrorAfter
	html502Before
	html502After
	tooManyBefore
	tooManyAfter
	unauthorized
	garbled
	truncated
	contradicts
	secondValue
	successAsAccepted // HTTP 202
	redirects
	troubles
)

var troubleNames = [...]string{"smooth", "refused_conn", "reset_before", "reset_after", "hang_before", "hang_after", "late", "twice", "again_later",
	"500_before", "500_after", "502_before", "502_after", "429_before", "429_after", "401", "garbled", "truncated", "contradicts", "second_value", "202", "307"}

func (t trouble) String() string { return troubleNames[t] }

// wire carries payrun's requests to the bank over pipes, one at a time.
type wire struct {
	bank   *bank
	rng    *rand.Rand
	clock  *time.Time
	log    func(format string, args ...any)
	onPOST func(p *post)      // called with each POST before any effect
	script map[string]trouble // in scenarios: what happens to the n-th request of a kind, as in "submit 1"
	seen   map[string]int
	no401  int // how many more requests get a 401
	met    int // faults so far
}

// longestTimer: an effect may come up to ten times as late.
const longestTimer = 24 * time.Hour

// dial connects bankapi with the bank.
func (w *wire) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if w.roll() && w.rng.IntN(8) == 0 || w.script["dial "+strconv.Itoa(w.count("dial"))] == refusedConn {
		w.met++
		w.log("wire: no connection")
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	}
	ours, theirs := net.Pipe()
	go w.serve(theirs)
	return ours, nil
}

func (w *wire) count(kind string) int {
	w.seen[kind]++
	return w.seen[kind]
}

func (w *wire) roll() bool { return !w.bank.honest && w.rng.Float64() < w.bank.nature.trouble }

func (w *wire) choose(kind string) trouble {
	if t, ok := w.script[kind+" "+strconv.Itoa(w.count(kind))]; ok {
		w.met++
		return t
	}
	if w.bank.honest {
		w.no401 = 0
		return smooth
	}
	if w.no401 > 0 {
		w.no401--
		return unauthorized
	}
	post := kind == "initiate" || kind == "submit" // where faults matter most
	if !w.roll() && !(post && w.roll()) {
		return smooth
	}
	w.met++
	t := trouble(int(refusedConn) + 1 + w.rng.IntN(int(troubles-refusedConn)-1))
	if t == unauthorized {
		w.no401 = w.rng.IntN(6)
	}
	return t
}

// serve reads one request and perhaps answers it.
func (w *wire) serve(conn net.Conn) {
	defer conn.Close()
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	answer := w.answer(req, body)
	switch {
	case answer == nil:
	case len(answer) == 0: // hang until payrun gives up
		_, _ = io.Copy(io.Discard, conn)
	default:
		_, _ = conn.Write(answer)
	}
}

// answer returns the bytes of the answer, nil to close the connection, or no bytes to stay silent for ever.
func (w *wire) answer(req *http.Request, body []byte) []byte {
	*w.clock = w.clock.Add(time.Second + time.Duration(w.rng.IntN(4000))*time.Millisecond)
	w.bank.landLate()
	kind := map[string]string{bankapi.PathTransferInitiate: "initiate", bankapi.PathTransferSubmit: "submit", bankapi.PathTransfer: "status",
		bankapi.PathSubMerchants: "sub_merchant_list", bankapi.PathBankAccounts: "accounts"}[req.URL.Path]
	var p *post
	if req.Method == http.MethodPost {
		p = w.bank.post(kind, batchIn(body), body)
		w.onPOST(p)
	}
	t := w.choose(kind)
	answer, code := w.deal(t, kind, req, p)
	answer = bytes.ReplaceAll(answer, []byte("2026-01-01T00:00:00Z"), []byte(w.bank.now().UTC().Format(time.RFC3339))) // of the same length
	id := req.URL.Query().Get("merchant_transfer_batch_id")
	if p != nil {
		id = p.batchID
	}
	w.log("wire: %s %s %s -> %d", kind, id, t, code)
	if answer == nil && (t == hangBefore || t == hangAfter || t == lateEffectOnly) {
		*w.clock = w.clock.Add(time.Minute)
		return []byte{}
	}
	return answer
}

func batchIn(body []byte) string {
	var in struct {
		ID string `json:"merchant_transfer_batch_id"`
	}
	_ = json.Unmarshal(body, &in) // a body that cannot be read has no id
	return in.ID
}

// deal lets the request have the effect that the trouble allows, and returns the answer.
func (w *wire) deal(t trouble, kind string, req *http.Request, p *post) (answer []byte, code int) {
	switch t {
	case resetBefore, hangBefore:
		return nil, 0
	case lateEffectOnly:
		if p != nil {
			by := time.Duration(w.rng.Int64N(int64(10 * longestTimer)))
			if w.rng.IntN(2) == 0 {
				by /= 500
			}
			w.bank.late = append(w.bank.late, lateEffect{w.clock.Add(by), p})
		}
		return nil, 0
	case serverErrorBefore:
		return failure(500, "FT_001", "internal error"), 500
	case html502Before:
		return page(502, "<html>bad gateway</html>"), 502
	case tooManyBefore:
		return failure(429, "FT_001", "slow down"), 429
	case unauthorized:
		return failure(401, "FT_001", "who are you"), 401
	case redirects:
		return []byte("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1/again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), 307
	}
	answer, code = w.effect(kind, req, p)
	switch t {
	case deliveredTwice:
		if p != nil {
			_ = w.bank.take(p)
		}
	case deliveredAgainLater:
		if p != nil {
			w.bank.late = append(w.bank.late, lateEffect{w.clock.Add(time.Duration(w.rng.Int64N(int64(longestTimer)))), p})
		}
	case resetAfter, hangAfter:
		return nil, code
	case serverErrorAfter:
		return failure(500, "FT_001", "internal error"), 500
	case html502After:
		return page(502, "<html>bad gateway</html>"), 502
	case tooManyAfter:
		return failure(429, "FT_001", "slow down"), 429
	case garbled:
		return page(200, `{"status":"success","status":"failed","data":{`), 200
	case truncated:
		return answer[:len(answer)-len(answer)/3], code
	case contradicts:
		return page(200, `{"status":"failed","data":null,"error":{"code":"SVC_CB_FT_001","message":"no","details":[]},"meta":{"timestamp":"2026-01-01T00:00:00Z"}}`), 200
	case secondValue:
		return page(200, `{"status":"success","data":{},"error":null,"meta":{}} {}`), 200
	case successAsAccepted:
		if code == 200 {
			return []byte(strings.Replace(string(answer), "200 OK", "202 Accepted", 1)), 202
		}
	}
	return answer, code
}

// accountList is the answer of List bank accounts if one account is closed; "" for none.
func accountList(closed string) []byte {
	var list []map[string]any
	for _, a := range accounts {
		status := ledger.AccountActive
		if a.id == closed {
			status = "inactive"
		}
		list = append(list, map[string]any{"status": status, "partner_bank_id": a.partner, "bank_account_id": a.id,
			"account_number": "XXXX1234", "ifsc": "HDFC0000001", "account_name": "A merchant", "identifier": ""})
	}
	data, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return page(200, fmt.Sprintf(`{"status":"success","data":{"bank_accounts":%s},"error":null,"meta":{"pagination":{"cursor":"","next_cursor":null,"limit":25,"has_more":false}}}`, data))
}

var accountsAllOpen = accountList("")

func (w *wire) effect(kind string, req *http.Request, p *post) ([]byte, int) {
	switch kind {
	case "sub_merchant_list":
		return page(200, `{"status":"success","data":{"sub_merchants":[],"is_sandbox":true},"error":null,"meta":{"pagination":{"cursor":"","next_cursor":null,"limit":1,"has_more":false}}}`), 200
	case "accounts":
		if closed := w.bank.closed(); closed != "" {
			return accountList(closed), 200
		}
		return accountsAllOpen, 200
	case "status":
		return w.status(req)
	}
	r := w.bank.take(p)
	if r.status != 200 {
		return failure(r.status, strings.TrimPrefix(r.code, "SVC_CB_"), r.words), r.status
	}
	payouts, batchID, acct := w.bank.show(r.batch, kind)
	return w.success(r.batch, batchID, acct, payouts, nil), 200
}

// status answers Get transfer status with one page.
func (w *wire) status(req *http.Request) ([]byte, int) {
	b, q := w.bank, req.URL.Query()
	id := q.Get("merchant_transfer_batch_id")
	b.noteAsked(id)
	t, known := b.known(id)
	if !known {
		if b.nature.unknownBatch == 200 {
			return page(200, fmt.Sprintf(`{"status":"success","data":{"sub_merchant_id":"","bank_account_id":"","merchant_transfer_batch_id":%q,"payouts":[]},"error":null,"meta":{"pagination":{"cursor":"","next_cursor":null,"limit":100,"has_more":false}}}`, id)), 200
		}
		return failure(b.nature.unknownBatch, "FT_014", "not known"), b.nature.unknownBatch
	}
	payouts, batchID, acct := b.show(t, "status")
	from, _ := strconv.Atoi(strings.TrimPrefix(q.Get("cursor"), "c"))
	from = min(from, len(payouts))
	to := min(from+b.nature.page, len(payouts))
	pagination := map[string]any{"cursor": q.Get("cursor"), "next_cursor": nil, "limit": 100, "has_more": false}
	if to < len(payouts) {
		pagination["next_cursor"], pagination["has_more"] = fmt.Sprintf("c%d", to), true
	}
	shown := payouts[from:to]
	if to < len(payouts) && !b.honest && w.rng.Float64() < b.nature.breaksOff {
		w.met++
		pagination["next_cursor"] = q.Get("cursor") // it breaks off after it has shown something
	} else if w.roll() {
		w.met++
		switch w.rng.IntN(6) { // wrong pages
		case 0:
			pagination["next_cursor"], pagination["has_more"] = "c0", true
		case 1:
			pagination["next_cursor"], pagination["has_more"] = nil, true
		case 2:
			pagination["next_cursor"], pagination["has_more"] = "c1", false
		case 3:
			if half := len(shown) / 2; half > 0 || b.mayShowNothing() {
				shown = shown[:half] // payouts are left out
			}
		case 4:
			shown = append(shown[:len(shown):len(shown)], shown...)
		case 5:
			pagination = nil
		}
	}
	return w.success(t, batchID, acct, shown, pagination), 200
}

func (w *wire) success(t *heldBatch, batchID, acct string, payouts []map[string]any, pagination map[string]any) []byte {
	w.bank.remember(t, payouts)
	meta := map[string]any{"timestamp": w.bank.now().UTC().Format(time.RFC3339)}
	if pagination != nil {
		meta["pagination"] = pagination
	}
	about, err := json.Marshal(meta)
	if err != nil {
		panic(err)
	}
	body := fmt.Appendf(nil, `{"status":"success","error":null,"meta":%s,"data":{"sub_merchant_id":"sm","bank_account_id":%q,"merchant_transfer_batch_id":%q,"open_batch_id":%q,"payouts":[`,
		about, acct, batchID, "open-"+t.otp[3:])
	for i, p := range payouts {
		if i > 0 {
			body = append(body, ',')
		}
		body = appendPayout(body, p)
	}
	return page(200, string(append(body, "]}}"...)))
}

// shownFields are the fields of a payout in an answer.
var shownFields = [...]string{"merchant_txn_ref_id", "open_beneficiary_id", "vendor_name", "amount", "bank_account_number", "ifsc", "remarks",
	"open_txn_id", "bank_txn_ref_id", "status", "bank_status_code", "error"}

// appendPayout writes a payout as JSON. It contains nothing that Go and JSON quote differently.
func appendPayout(b []byte, shown map[string]any) []byte {
	open := byte('{')
	for _, name := range shownFields {
		value, ok := shown[name]
		if !ok {
			continue
		}
		b = append(b, open, '"')
		b = append(append(b, name...), '"', ':')
		switch v := value.(type) {
		case nil:
			b = append(b, "null"...)
		case string:
			b = strconv.AppendQuote(b, v)
		case int64:
			b = strconv.AppendInt(b, v, 10)
		default:
			panic(fmt.Sprintf("%s is a %T", name, v))
		}
		open = ','
	}
	return append(b, '}')
}

func failure(status int, code, words string) []byte {
	body, err := json.Marshal(map[string]any{"status": "failed", "data": nil, "meta": map[string]any{"timestamp": "2026-01-01T00:00:00Z"},
		"error": map[string]any{"code": "SVC_CB_" + code, "message": words, "details": []any{}}})
	if err != nil {
		panic(err)
	}
	return page(status, string(body))
}

func page(status int, body string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), len(body), body)
}
