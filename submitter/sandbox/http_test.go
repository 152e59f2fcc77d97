package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"payrun/submitter/bankapi"
)

func TestEveryOperationWantsTheCredentials(t *testing.T) {
	c := newClient(t, Options{Seed: 2})
	right := c.authorization()
	wrong := map[string]string{
		"none":          "",
		"another key":   "Bearer ak:sk",
		"basic":         "Basic " + strings.TrimPrefix(right, "Bearer "),
		"only one half": strings.Split(right, ":")[0],
		"a longer one":  right + "x",
		"swapped":       "Bearer " + c.ready.SecretKey + ":" + c.ready.AccessKey,
	}
	for _, op := range operations {
		for name, value := range wrong {
			req, err := http.NewRequestWithContext(t.Context(), op.method, "http://"+c.ready.Addr+op.path, strings.NewReader(`{}`))
			must(t, err)
			req.Header.Set("Content-Type", "application/json")
			if value != "" {
				req.Header.Set("Authorization", value)
			}
			g, err := c.do(req)
			must(t, err)
			if g.status != http.StatusUnauthorized {
				t.Errorf("%s with %s credentials: HTTP %d", op.name, name, g.status)
				continue
			}
			refused(t, g, http.StatusUnauthorized)
		}
	}
}

func TestOtherPathsAndMethodsGetAFailureEnvelope(t *testing.T) {
	c := newClient(t, Options{Seed: 2})
	for _, tt := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/", 404},
		{"GET", "/v2/connected_banking/balance", 404},
		{"GET", "/v1/connected_banking/no_such_operation", 404},
		{"POST", bankapi.PathTransferInitiate + "/", 404},
		{"GET", bankapi.PathTransferInitiate, 405},
		{"POST", bankapi.PathTransfer, 405},
		{"DELETE", bankapi.PathBalance, 405},
		{"GET", "/otp?batch=b", 404}, // the control listener is another one
	} {
		g, err := c.try(tt.method, tt.path, nil)
		must(t, err)
		refused(t, g, tt.status)
	}
}

func TestABodyMustSayThatItIsJSONAndBeOfSize(t *testing.T) {
	c := newClient(t, Options{Seed: 2})
	send := func(contentType string, raw []byte) got {
		req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+c.ready.Addr+bankapi.PathTransferInitiate, bytes.NewReader(raw))
		must(t, err)
		req.Header.Set("Authorization", c.authorization())
		if contentType != "" {
			req.Header.Set("Content-Type", contentType)
		}
		g, err := c.do(req)
		must(t, err)
		return g
	}
	raw := encode(t, oneBatch("b", 3, onePayout("r1", "1.00")))
	for _, contentType := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"} {
		refused(t, send(contentType, raw), 400)
	}
	most := append(bytes.Clone(raw), bytes.Repeat([]byte(" "), maxBody-len(raw))...)
	refused(t, send("application/json", append(bytes.Clone(most), ' ')), 400)
	if n := len(c.state().Batches); n != 0 {
		t.Fatalf("%d batches recorded", n)
	}
	accepted(t, send("application/json; charset=UTF-8", most))
}

// Whatever is sent to it, the bank answers with an envelope, and never with its
// own failure.
func FuzzBody(f *testing.F) {
	server, err := Start(f.Context(), Options{Seed: 1, Now: time.Now})
	must(f, err)
	f.Cleanup(func() { _ = server.Close() })
	ready := server.Ready()
	initiate := `{"merchant_transfer_batch_id":"b1","bank_account_id":"` + ready.Accounts[0].BankAccountID + `","transaction_type_id":"NEFT","sub_merchant_id":"` +
		ready.SubMerchantID + `","payouts":[{"merchant_txn_ref_id":"R1","amount":"1.00","vendor_name":"A","bank_account_number":"123456789012","ifsc":"HDFC0001234"}]}`
	for i := range operations {
		for _, body := range []string{initiate, `{"merchant_transfer_batch_id":"b1","otp":"123456"}`, `{}`, `[]`, `null`, `{"amount":1e400}`, "\xff", ""} {
			f.Add(i, body, "limit=1&cursor=eA==")
		}
	}
	handler := server.bankHandler()
	f.Fuzz(func(t *testing.T, which int, body, query string) {
		op := operations[uint(which)%uint(len(operations))]
		r := httptest.NewRequest(op.method, op.path, strings.NewReader(body))
		r.URL.RawQuery = query
		r.Header.Set("Authorization", "Bearer "+ready.AccessKey+":"+ready.SecretKey)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		var envelope struct {
			Status string `json:"status"`
		}
		err := json.Unmarshal(w.Body.Bytes(), &envelope)
		if w.Code >= http.StatusInternalServerError || err != nil || (envelope.Status == "success") != (w.Code == http.StatusOK) {
			t.Errorf("%s %s?%q %q: %d %s", op.method, op.path, query, body, w.Code, w.Body)
		}
	})
}
