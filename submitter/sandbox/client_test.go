package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// fataler is a test of testing or of rapid.
type fataler interface {
	Helper()
	Fatal(...any)
}

// must ends a test at an error that it is not about.
func must(t fataler, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// client speaks to a sandbox with plain net/http, so that nothing here rests
// on the client the sandbox is there to test.
type client struct {
	t     testing.TB
	ready Ready
	s     *Server
	http  *http.Client
}

// got is one answer: its HTTP status, headers, body and, where it is JSON, its
// envelope.
type got struct {
	status int
	header http.Header
	raw    []byte
	env    bankapi.Envelope[json.RawMessage]
}

// newClient starts a sandbox and stops it with the test.
func newClient(t testing.TB, o Options) *client {
	t.Helper()
	o.Now = time.Now
	s, err := Start(t.Context(), o)
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &client{t: t, ready: s.Ready(), s: s, http: newHTTPClient(t)}
}

func newHTTPClient(t testing.TB) *http.Client {
	h := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(h.CloseIdleConnections)
	return h
}

func (c *client) authorization() string {
	return "Bearer " + c.ready.AccessKey + ":" + c.ready.SecretKey
}

// try sends one request with the right credentials.
func (c *client) try(method, path string, body []byte) (got, error) {
	req, err := http.NewRequestWithContext(c.t.Context(), method, "http://"+c.ready.Addr+path, bytes.NewReader(body))
	must(c.t, err)
	req.Header.Set("Authorization", c.authorization())
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return c.do(req)
}

func (c *client) do(req *http.Request) (got, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return got{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	g := got{status: resp.StatusCode, header: resp.Header, raw: raw}
	_ = json.Unmarshal(raw, &g.env) // checked by those who want an envelope
	return g, err
}

func (c *client) get(path string, query ...string) got {
	c.t.Helper()
	v := url.Values{}
	for i := 0; i < len(query); i += 2 {
		v.Set(query[i], query[i+1])
	}
	g, err := c.try(http.MethodGet, path+"?"+v.Encode(), nil)
	must(c.t, err)
	return g
}

func (c *client) post(path string, body any) got {
	c.t.Helper()
	g, err := c.try(http.MethodPost, path, encode(c.t, body))
	must(c.t, err)
	return g
}

// encode gives the JSON of a body; a string is sent as it is.
func encode(t fataler, body any) []byte {
	if raw, ok := body.(string); ok {
		return []byte(raw)
	}
	raw, err := json.Marshal(body)
	must(t, err)
	return raw
}

// control calls the control listener and returns status and body.
func (c *client) control(method, path, body string) (int, string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, "http://"+c.ready.Control+path, bytes.NewReader([]byte(body)))
	must(c.t, err)
	g, err := c.do(req)
	must(c.t, err)
	return g.status, string(g.raw)
}

// must fails the test unless the control call is answered with 200.
func (c *client) must(method, path, body string) string {
	c.t.Helper()
	status, raw := c.control(method, path, body)
	if status != http.StatusOK {
		c.t.Fatalf("%s %s: HTTP %d, %s", method, path, status, raw)
	}
	return raw
}

func (c *client) settle(times int) {
	c.t.Helper()
	for range times {
		c.must(http.MethodPost, "/settle", "")
	}
}

func (c *client) state() State {
	c.t.Helper()
	var s State
	must(c.t, json.Unmarshal([]byte(c.must(http.MethodGet, "/state", "")), &s))
	return s
}

// payout finds one payout in the state.
func (c *client) payout(ref string) Payout {
	c.t.Helper()
	for _, b := range c.state().Batches {
		for _, p := range b.Payouts {
			if p.WireRef == ref {
				return *p
			}
		}
	}
	c.t.Fatalf("no payout %q in the state", ref)
	return Payout{}
}

// body is a request body, so that a test can say only what is different.
type body map[string]any

func (b body) with(name string, value any) body {
	out := body{}
	for k, v := range b {
		out[k] = v
	}
	out[name] = value
	return out
}

func (b body) without(name string) body {
	out := b.with(name, nil)
	delete(out, name)
	return out
}

func onePayout(ref, amount string) body {
	return body{
		"merchant_txn_ref_id": ref, "vendor_name": "Asha Traders", "bank_account_number": "123456789012",
		"ifsc": "SBOX0000001", "amount": amount, "remarks": "invoice " + ref,
	}
}

func oneBatch(id string, account int, payouts ...body) body {
	return body{
		"merchant_transfer_batch_id": id, "transaction_type_id": "NEFT", "bank_account_id": accountID(account),
		"payout_data": payouts,
	}
}

// manyPayouts gives n payouts of 1.00, 2.00, …
func manyPayouts(prefix string, n int) []body {
	var out []body
	for i := range n {
		out = append(out, onePayout(fmt.Sprintf("%s-%03d", prefix, i+1), (ledger.Paise(i+1)*100).String()))
	}
	return out
}

// initiate sends a batch that must be accepted.
func (c *client) initiate(b body) bankapi.TransferBatch {
	c.t.Helper()
	return accepted(c.t, c.post(bankapi.PathTransferInitiate, b))
}

// submission is a right submit of a batch that was initiated.
func (c *client) submission(id string) body {
	c.t.Helper()
	var sent struct {
		OTP   string `json:"otp"`
		Token string `json:"transaction_token"`
	}
	must(c.t, json.Unmarshal([]byte(c.must(http.MethodGet, "/otp?batch="+url.QueryEscape(id), "")), &sent))
	b := body{"merchant_transfer_batch_id": id, "otp": sent.OTP}
	if sent.Token != "" {
		b["transaction_token"] = sent.Token
	}
	return b
}

// submit sends the right OTP, which must be accepted.
func (c *client) submit(id string) bankapi.TransferBatch {
	c.t.Helper()
	return accepted(c.t, c.post(bankapi.PathTransferSubmit, c.submission(id)))
}

// accepted checks a success envelope to the letter and returns its batch.
func accepted(t testing.TB, g got) bankapi.TransferBatch {
	t.Helper()
	var data bankapi.TransferBatch
	succeeded(t, g, &data)
	return data
}

func succeeded(t testing.TB, g got, data any) {
	t.Helper()
	if g.status != http.StatusOK || g.env.Status != "success" || g.env.Error != nil || g.env.Data == nil {
		t.Fatalf("want success, got HTTP %d: %s", g.status, g.raw)
	}
	if err := json.Unmarshal(*g.env.Data, data); err != nil {
		t.Fatalf("data: %v: %s", err, g.raw)
	}
}

// refused checks a failure envelope to the letter and returns its code.
func refused(t testing.TB, g got, status int) string {
	t.Helper()
	switch {
	case g.status != status:
		t.Fatalf("want HTTP %d, got %d: %s", status, g.status, g.raw)
	case g.env.Status != "failed" || g.env.Data != nil || g.env.Error == nil || g.env.Error.Details == nil || g.env.Meta.Timestamp == "":
		t.Fatalf("want a failure envelope, got %s", g.raw)
	case !bytes.Contains(g.raw, []byte(`"data":null`)):
		t.Fatalf("data must be null, got %s", g.raw)
	}
	return g.env.Error.Code
}

// seedWith finds a seed whose reading is as wanted.
func seedWith(t testing.TB, trouble bool, want func(Reading) bool) int64 {
	t.Helper()
	for seed := int64(1); seed < 10_000; seed++ {
		if want(ReadingFor(seed, trouble)) {
			return seed
		}
	}
	t.Fatal("no seed reads like that")
	return 0
}
