package bankapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
)

// errorText is everything an error says, however it is printed.
func errorText(err error) string { return fmt.Sprintf("%v %+v %#v", err, err, err) }

// hideNothing fails when an error repeats a key, the OTP or the token.
func hideNothing(t *testing.T, err error) {
	t.Helper()
	for _, secret := range []string{accessKey, secretKey, otpText, tokenText} {
		if strings.Contains(errorText(err), secret) {
			t.Errorf("%q is in the error %v", secret, err)
		}
	}
}

func zipped(t *testing.T, body []byte) string {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	must(t, w.Close())
	return buf.String()
}

// TestOutcomes is the table of safety.md, "Outcome of a call that changes
// something", against a bank below HTTP. In every line the request reaches the
// bank at most once, over at most one connection, and no error shows a secret.
func TestOutcomes(t *testing.T) {
	success, failure := string(fixture(t, "submit_response.json")), string(fixture(t, "failure.json"))
	sub := func(old, new string) fault { return answering(200, with(t, "submit_response.json", old, new)) }
	fail := func(status int, old, new string) fault { return answering(status, with(t, "failure.json", old, new)) }
	deep := `"extra": ` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `,`
	elsewhere := newRawBank(t, answering(200, success)) // where redirects point

	type want struct {
		outcome ledger.Outcome
		status  int
		code    string
	}
	accepted := want{outcome: ledger.Accepted}
	unknown := func(status int) want { return want{ledger.Unknown, status, ""} }
	const code = "SVC_CB_FT_001"
	tests := []struct {
		name   string
		fault  fault
		want   want
		unread bool // the bank may not have read the request
	}{
		{name: "sound success", fault: answering(200, success), want: accepted},
		{name: "sound success after interim answers", fault: saying("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n" + httpAnswer(200, success)), want: accepted},
		{name: "zipped", fault: answering(200, zipped(t, []byte(success)), "Content-Encoding: gzip"), want: accepted},
		{name: "unknown fields next to the known", fault: sub(`"data": {`, `"data": { "new_field": [1, {"a": null}],`), want: accepted},
		{name: "unknown payout status", fault: sub(`"pending"`, `"on_hold"`), want: accepted},
		{name: "amount absent", fault: sub(`"amount": "0.01",`, ``), want: accepted},
		{name: "amount as a number", fault: sub(`"0.01"`, `0.01`), want: accepted},
		{name: "reference as a number, which differs", fault: sub(`"INV-2032"`, `2032`), want: accepted},
		{name: "payout status as a number, which differs", fault: sub(`"pending"`, `1`), want: accepted},
		{name: "no payouts at all", fault: answering(200, `{"status":"success","data":{"bank_account_id":"a","merchant_transfer_batch_id":"b","payouts":[]},"error":null}`), want: accepted},

		{name: "400 with a failure", fault: answering(400, failure), want: want{ledger.Rejected, 400, code}},
		{name: "400 before the request was read whole", fault: func(conn *net.TCPConn, read func() (*http.Request, []byte)) {
			io.ReadFull(conn, make([]byte, 1))
			io.WriteString(conn, httpAnswer(400, failure))
			read()
		}, want: want{ledger.Rejected, 400, code}, unread: true},
		{name: "400 without error.details", fault: fail(400, `, "details": [ { "field": "otp" }, "again" ]`, ``), want: want{ledger.Rejected, 400, code}},
		{name: "401 with a failure", fault: answering(401, failure), want: want{ledger.Rejected, 401, code}},
		{name: "401 without an envelope", fault: answering(401, "<html>"), want: want{ledger.Rejected, 401, ""}},
		{name: "401 without a body", fault: answering(401, ""), want: want{ledger.Rejected, 401, ""}},
		{name: "401 that breaks off", fault: saying("HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\n{"), want: want{ledger.Rejected, 401, ""}},

		{name: "hung up before reading", fault: func(*net.TCPConn, func() (*http.Request, []byte)) {}, want: unknown(0), unread: true},
		{name: "reset after reading", fault: func(conn *net.TCPConn, read func() (*http.Request, []byte)) {
			read()
			_ = conn.SetLinger(0)
		}, want: unknown(0)},
		{name: "hung up after reading", fault: saying(""), want: unknown(0)},
		{name: "half a status line", fault: saying("HTTP/1.1 20"), want: unknown(0)},
		{name: "garbage instead of HTTP", fault: saying("\x00\x01\xff\xfe nonsense\r\n\r\n"), want: unknown(0)},
		{name: "the request instead of an answer", fault: func(conn *net.TCPConn, read func() (*http.Request, []byte)) {
			req, body := read()
			fmt.Fprintf(conn, "%s %s\r\n\r\n", req.Header.Get("Authorization"), body)
		}, want: unknown(0)},
		{name: "a header without end", fault: saying("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", maxHeaderBytes+1)), want: unknown(0)},
		{name: "interim answers without end", fault: saying(strings.Repeat("HTTP/1.1 103 Early Hints\r\nX: "+strings.Repeat("x", 1000)+"\r\n\r\n", 1100)), want: unknown(0)},
		{name: "101 switching protocols", fault: saying("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"), want: unknown(101)},
		{name: "short body", fault: saying("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + success), want: unknown(200)},
		{name: "short body without a length", fault: saying("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + success[:len(success)/2]), want: unknown(200)},
		{name: "short chunk", fault: saying("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"status\""), want: unknown(200)},
		{name: "zipped and cut", fault: answering(200, zipped(t, []byte(success))[:100], "Content-Encoding: gzip"), want: unknown(200)},
		{name: "zip bomb", fault: answering(200, zipped(t, bytes.Repeat([]byte(" "), maxAnswerBytes+1)), "Content-Encoding: gzip"), want: unknown(200)},

		{name: "201 with a success", fault: answering(201, success), want: unknown(201)},
		{name: "202 with a success", fault: answering(202, success), want: unknown(202)},
		{name: "204", fault: saying("HTTP/1.1 204 No Content\r\n\r\n"), want: unknown(204)},
		{name: "301", fault: answering(301, "", "Location: "+elsewhere.address), want: unknown(301)},
		{name: "302", fault: answering(302, success, "Location: "+elsewhere.address), want: unknown(302)},
		{name: "303", fault: answering(303, "", "Location: "+elsewhere.address), want: unknown(303)},
		{name: "307", fault: answering(307, "", "Location: "+elsewhere.address), want: unknown(307)},
		{name: "308", fault: answering(308, failure, "Location: "+elsewhere.address), want: want{ledger.Unknown, 308, code}},
		{name: "308 to nowhere", fault: answering(308, "", "Location: ://"), want: unknown(308)},
		{name: "403 with a failure", fault: answering(403, failure), want: want{ledger.Unknown, 403, code}},
		{name: "404 with a failure", fault: answering(404, failure), want: want{ledger.Unknown, 404, code}},
		{name: "409 with a failure", fault: answering(409, failure), want: want{ledger.Unknown, 409, code}},
		{name: "429 with a failure", fault: answering(429, failure, "Retry-After: 7"), want: want{ledger.Unknown, 429, code}},
		{name: "500 with a failure", fault: answering(500, failure), want: want{ledger.Unknown, 500, code}},
		{name: "502 with HTML", fault: answering(502, "<html>Bad Gateway</html>"), want: unknown(502)},
		{name: "503 with a success", fault: answering(503, success), want: unknown(503)},

		{name: "400 with HTML", fault: answering(400, "<html>"), want: unknown(400)},
		{name: "400 with a success", fault: answering(400, success), want: unknown(400)},
		{name: "400 with data", fault: fail(400, `"data": null`, `"data": {}`), want: unknown(400)},
		{name: "400 without an error", fault: answering(400, `{"status":"failed","data":null,"error":null}`), want: unknown(400)},
		{name: "400 without a message", fault: fail(400, `"message": "Invalid <request>", `, ``), want: unknown(400)},
		{name: "400 whose code is a number", fault: fail(400, `"SVC_CB_FT_001"`, `1`), want: unknown(400)},
		{name: "400 whose details are an object", fault: fail(400, `[ { "field": "otp" }, "again" ]`, `{}`), want: unknown(400)},
		{name: "400 cut off", fault: answering(400, failure[:len(failure)-3]), want: unknown(400)},

		{name: "200 with a failure", fault: answering(200, failure), want: want{ledger.Unknown, 200, code}},
		{name: "200 with HTML", fault: answering(200, "<html>login</html>"), want: unknown(200)},
		{name: "200 without a body", fault: answering(200, ""), want: unknown(200)},
		{name: "success with an error", fault: sub("\"error\": null,\n", "\"error\": {\"code\":\"c\",\"message\":\"m\",\"details\":[]},\n"), want: unknown(200)},
		{name: "success without data", fault: answering(200, `{"status":"success","data":null,"error":null}`), want: unknown(200)},
		{name: "data is an array", fault: answering(200, `{"status":"success","data":[],"error":null}`), want: unknown(200)},
		{name: "no status", fault: answering(200, `{"data":{},"error":null}`), want: unknown(200)},
		{name: "status in another case", fault: sub(`"success"`, `"SUCCESS"`), want: unknown(200)},
		{name: "status is true", fault: sub(`"success"`, `true`), want: unknown(200)},
		{name: "key in another case", fault: sub(`"status": "success"`, `"Status": "success"`), want: unknown(200)},
		{name: "reference key in another case", fault: sub(`merchant_txn_ref_id`, `Merchant_Txn_Ref_Id`), want: unknown(200)},
		{name: "two values", fault: answering(200, success+success), want: unknown(200)},
		{name: "trailing bytes", fault: answering(200, success+"x"), want: unknown(200)},
		{name: "repeated key", fault: sub(`"status": "pending"`, `"status": "failed", "status": "pending"`), want: unknown(200)},
		{name: "repeated key, escaped", fault: sub(`"status": "pending"`, `"status": "failed", "st\u0061tus": "pending"`), want: unknown(200)},
		{name: "repeated envelope key", fault: sub(`"status": "success"`, `"status": "failed", "status": "success"`), want: unknown(200)},
		{name: "endless repeated key", fault: sub(`"meta": `, strings.Repeat(`"`+strings.Repeat("k", 1<<20)+`": 1,`, 2)+`"meta": `), want: unknown(200)},
		{name: "too deep", fault: sub(`"meta": `, deep+`"meta": `), want: unknown(200)},
		{name: "not UTF-8", fault: sub("Example Private", "Ex\xffmple"), want: unknown(200)},
		{name: "a byte order mark", fault: answering(200, "\ufeff"+success), want: unknown(200)},
		{name: "payouts is an object", fault: answering(200, `{"status":"success","data":{"bank_account_id":"a","merchant_transfer_batch_id":"b","payouts":{}},"error":null}`), want: unknown(200)},
		{name: "payouts is null", fault: answering(200, `{"status":"success","data":{"bank_account_id":"a","merchant_transfer_batch_id":"b","payouts":null},"error":null}`), want: unknown(200)},
		{name: "a payout is null", fault: answering(200, `{"status":"success","data":{"bank_account_id":"a","merchant_transfer_batch_id":"b","payouts":[null]},"error":null}`), want: unknown(200)},
		{name: "reference is null", fault: sub(`"INV-2032"`, `null`), want: unknown(200)},
		{name: "payout status is absent", fault: sub("\"status\": \"pending\",", ""), want: unknown(200)},
		{name: "batch id absent", fault: sub(`"merchant_transfer_batch_id": "prtestbatch0001",`, ``), want: unknown(200)},
		{name: "debit account absent", fault: sub(`"bank_account_id": "`+accountID+`",`, ``), want: unknown(200)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bank := newRawBank(t, tt.fault)
			c := newClient(t, bank.address)
			_, err := c.Submit(t.Context(), submitPayload(t, c), ledger.NewSecret(otpText), ledger.NewSecret(tokenText))
			bank.close()

			got := accepted
			if err != nil {
				call, ok := errors.AsType[*ledger.CallError](err)
				if !ok {
					t.Fatalf("not a CallError: %v", err)
				}
				got = want{call.Outcome, call.HTTPStatus, call.Code}
				hideNothing(t, err)
				if len(err.Error()) > 2*maxWords {
					t.Errorf("an error of %d bytes", len(err.Error()))
				}
			}
			if got != tt.want {
				t.Errorf("got %+v, want %+v (%v)", got, tt.want, err)
			}
			if is401 := got.outcome == ledger.Rejected && got.status == 401; errors.Is(err, ledger.ErrUnauthorized) != is401 {
				t.Errorf("ErrUnauthorized: %v", err)
			}
			if bank.connections != 1 || len(bank.requests) > 1 || len(bank.requests) == 0 && !tt.unread {
				t.Errorf("%d requests over %d connections", len(bank.requests), bank.connections)
			}
			for _, req := range bank.requests {
				if req.Header.Get("Authorization") != bearer || !req.Close || req.Header.Get("Idempotency-Key") != "" {
					t.Errorf("sent %v, close %v", req.Header, req.Close)
				}
			}
		})
	}
	elsewhere.close()
	if elsewhere.connections != 0 {
		t.Errorf("%d redirects were followed", elsewhere.connections)
	}
}

// What never left is NOT_SENT, and only that.
func TestNotSent(t *testing.T) {
	dead := newRawBank(t, answering(200, "{}"))
	dead.close()
	alive := newRawBank(t, answering(200, "{}"))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	resolver := func(c *Client) {
		c.sends.DialContext = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.DNSError{Err: "no such host", Name: "bank.example", IsNotFound: true}
		}
	}
	tests := []struct {
		name    string
		address string
		ctx     context.Context
		otp     string
		change  func(*Client)
		payload func(*ledger.Payload)
	}{
		{name: "nobody listens", address: dead.address},
		{name: "the name does not resolve", address: "https://bank.example", change: resolver},
		{name: "TLS with who speaks no TLS", address: strings.Replace(alive.address, "http:", "https:", 1)},
		{name: "cancelled before", address: alive.address, ctx: cancelled},
		{name: "no OTP", address: alive.address, otp: "none"},
		{name: "a body that is not the one hashed", address: alive.address, payload: func(p *ledger.Payload) { p.Body = append(p.Body, ' ') }},
		{name: "a body that is no submit", address: alive.address, payload: func(p *ledger.Payload) { *p = ledger.Payload{Body: []byte("{}"), SHA256: hash([]byte("{}"))} }},
		{name: "the last look at the ledger refuses it", address: alive.address, payload: func(p *ledger.Payload) {
			p.MaySend = func(context.Context) error { return errors.New("another machine took it for lost") }
		}},
		{name: "an OTP that is not UTF-8", address: alive.address, otp: otpText + "\xff"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, ctx, otp := newClient(t, tt.address), t.Context(), ledger.NewSecret(otpText)
			if tt.ctx != nil {
				ctx = tt.ctx
			}
			switch tt.otp {
			case "":
			case "none":
				otp = ledger.Secret{}
			default:
				otp = ledger.NewSecret(tt.otp)
			}
			if tt.change != nil {
				tt.change(c)
			}
			p := submitPayload(t, c)
			if tt.payload != nil {
				p.Body = slices.Clone(p.Body)
				tt.payload(&p)
			}
			_, err := c.Submit(ctx, p, otp, ledger.Secret{})
			call, ok := errors.AsType[*ledger.CallError](err)
			if !ok || call.Outcome != ledger.NotSent || call.HTTPStatus != 0 {
				t.Errorf("got %v", err)
			}
			hideNothing(t, err)
		})
	}
	t.Run("an initiate whose body is not the one hashed", func(t *testing.T) {
		_, err := newClient(t, alive.address).Initiate(t.Context(), ledger.Payload{Body: []byte("{}"), SHA256: hash(nil)})
		if call, ok := errors.AsType[*ledger.CallError](err); !ok || call.Outcome != ledger.NotSent || call.Op != "initiate" {
			t.Errorf("got %v", err)
		}
	})
	alive.close()
	if len(alive.requests) != 0 {
		t.Errorf("%d requests left", len(alive.requests))
	}
}

// The last look is taken once, when there is a connection, and before the bank has anything
// of the request.
func TestTheLastLookIsTakenJustBeforeTheBodyLeaves(t *testing.T) {
	reached := make(chan struct{})
	bank := newRawBank(t, func(c *net.TCPConn, read func() (*http.Request, []byte)) {
		close(reached)
		answering(200, string(fixture(t, "submit_response.json")))(c, read)
	})
	c, looks := newClient(t, bank.address), 0
	p := submitPayload(t, c)
	p.MaySend = func(context.Context) error {
		<-reached
		looks++
		if len(bank.requests) != 0 {
			t.Error("a request left before the look")
		}
		return nil
	}
	if _, err := c.Submit(t.Context(), p, ledger.NewSecret(otpText), ledger.Secret{}); err != nil || looks != 1 {
		t.Errorf("%d looks, %v", looks, err)
	}
	p.MaySend = func(context.Context) error { looks++; return nil }
	dead := newRawBank(t, answering(200, ""))
	dead.close()
	if _, err := newClient(t, dead.address).Submit(t.Context(), p, ledger.NewSecret(otpText), ledger.Secret{}); err == nil || looks != 1 {
		t.Errorf("%d looks without a connection, %v", looks, err)
	}
}

// Cancelled while the bank works on it: the bank may have done it.
func TestCancelledAfterSendingIsUnknown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	bank := newRawBank(t, func(_ *net.TCPConn, read func() (*http.Request, []byte)) {
		read()
		cancel()
		read()
	})
	c := newClient(t, bank.address)
	_, err := c.Initiate(ctx, initiatePayload(t, c))
	call, ok := errors.AsType[*ledger.CallError](err)
	if !ok || call.Outcome != ledger.Unknown || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The bank's words are kept raw, but for what must not be repeated and what
// no one reads.
func TestTheBanksWords(t *testing.T) {
	submit := func(t *testing.T, message string) *ledger.CallError {
		bank := newRawBank(t, answering(400, with(t, "failure.json", "Invalid <request>", message)))
		c := newClient(t, bank.address)
		_, err := c.Submit(t.Context(), submitPayload(t, c), ledger.NewSecret(otpText), ledger.NewSecret(tokenText))
		call, ok := errors.AsType[*ledger.CallError](err)
		if !ok {
			t.Fatalf("got %v", err)
		}
		hideNothing(t, err)
		return call
	}
	tests := []struct{ name, says, want string }{
		{"raw", `bad <otp> \u001b[31m & \u0000`, "bad <otp> \x1b[31m & " + `\u0000`},
		{"without the OTP", "OTP 482913 is wrong", "OTP [redacted] is wrong"},
		{"without the token", "tok-5521?", "[redacted]?"},
		{"without the keys", "who is access-key-0001:secret-key-0002", "who is [redacted]:[redacted]"},
		{"not endless", strings.Repeat("é", maxWords), strings.Repeat("é", maxWords/2) + "…"},
		{"not endless, cut between letters", "a" + strings.Repeat("é", maxWords), "a" + strings.Repeat("é", maxWords/2-1) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := submit(t, tt.says).Message; got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// Details are kept as they came, whatever they are, without what must not be repeated.
func TestTheBanksDetails(t *testing.T) {
	const odd = `ke"y\0003`
	c := newClient(t, newRawBank(t, answering(400, with(t, "failure.json", `"again"`, `"access-key-0001 and ke\"y\\0003", null, 1`))).address,
		func(c *Config) { c.SecretKey = ledger.NewSecret(odd) })
	_, err := c.Balances(t.Context(), BalanceQuery{})
	call, ok := errors.AsType[*ledger.CallError](err)
	if want := `[{"field":"otp"},"[redacted] and [redacted]",null,1]`; !ok || call.Code != "SVC_CB_FT_001" || call.Details != want {
		t.Errorf("got %+v", call)
	}
	_, err = newClient(t, newRawBank(t, answering(400, `{"status":"failed","data":null,"error":{"code":"X","message":"y","details":[]}}`)).address).Balances(t.Context(), BalanceQuery{})
	if call, ok := errors.AsType[*ledger.CallError](err); !ok || call.Details != "" {
		t.Errorf("got %+v", call)
	}
}

// An answer that does not end is read up to the limit and left.
func TestAnswerWithoutEnd(t *testing.T) {
	written := 0
	bank := newRawBank(t, func(conn *net.TCPConn, read func() (*http.Request, []byte)) {
		read()
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
		for spaces := bytes.Repeat([]byte(" "), 1<<16); written < 8*maxAnswerBytes; {
			n, err := conn.Write(spaces)
			if err != nil {
				return
			}
			written += n
		}
	})
	c := newClient(t, bank.address)
	_, err := c.Initiate(t.Context(), initiatePayload(t, c))
	bank.close()
	if call, ok := errors.AsType[*ledger.CallError](err); !ok || call.Outcome != ledger.Unknown || call.HTTPStatus != 200 {
		t.Errorf("got %v", err)
	}
	if written >= 8*maxAnswerBytes {
		t.Errorf("the whole answer was read")
	}
}

// Every code is listed once, with each operation that may answer with it.
func TestTheCodesOfTheInterface(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range BankCodes() {
		if seen[c.Code] || !strings.HasPrefix(c.Code, "SVC_CB_") || len(c.Operations) == 0 {
			t.Errorf("%+v is not whole, or listed twice", c)
		}
		seen[c.Code] = true
		if want := []string{"Initiate transfer", "Submit transfer", "Get transfer status"}; c.Code == "SVC_CB_FT_001" && !slices.Equal(c.Operations, want) {
			t.Errorf("%v, want %v", c.Operations, want)
		}
	}
	for code := range meanings {
		if !seen["SVC_CB_"+code] {
			t.Errorf("%s has a meaning and is not listed", code)
		}
	}
	if len(seen) != 32 { // as interface.md counts them
		t.Errorf("%d codes", len(seen))
	}
}
