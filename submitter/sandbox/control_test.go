package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func TestTheOTPIsHandedOutPerBatch(t *testing.T) {
	c := newClient(t, Options{Seed: 4})
	if status, _ := c.control("GET", "/otp?batch=b1", ""); status != 404 {
		t.Errorf("before initiate: HTTP %d", status)
	}
	c.initiate(oneBatch("b1", 3, onePayout("r1", "1.00")))
	c.initiate(oneBatch("b/2 &ü", 1, onePayout("r2", "1.00")))
	one, two := c.submission("b1"), c.submission("b/2 &ü")
	if otp := one["otp"].(string); !regexp.MustCompile(`^[0-9]{6}$`).MatchString(otp) || otp == two["otp"] {
		t.Error("an OTP is six digits, and another for each batch")
	}
	if _, has := one["transaction_token"]; has {
		t.Error("a token outside partner bank 1")
	}
	if _, has := two["transaction_token"]; !has {
		t.Error("no token for partner bank 1")
	}
	var answer map[string]any
	must(t, json.Unmarshal([]byte(c.must("GET", "/otp?batch=b1", "")), &answer))
	wantKeys(t, answer, "otp", "transaction_token")
}

// A web page that someone looks at meanwhile changes nothing here; programs
// and the page of the listener itself may.
func TestAnotherSitesPageCannotControl(t *testing.T) {
	c := newClient(t, Options{Seed: 4})
	for _, tt := range []struct {
		header, value string
		status        int
	}{
		{"Origin", "http://evil.example", 403}, {"Origin", "null", 403}, {"Sec-Fetch-Site", "cross-site", 403}, {"Sec-Fetch-Site", "same-site", 403},
		{"Origin", "http://" + c.ready.Control, 200}, {"Sec-Fetch-Site", "same-origin", 200}, {"User-Agent", "curl", 200},
	} {
		r, err := http.NewRequest("POST", "http://"+c.ready.Control+"/settle", strings.NewReader("{}"))
		must(t, err)
		r.Header.Set(tt.header, tt.value)
		r.Header.Set("Content-Type", "text/plain")
		resp, err := http.DefaultClient.Do(r)
		must(t, err)
		resp.Body.Close()
		if resp.StatusCode != tt.status {
			t.Errorf("%s: %s: HTTP %d, want %d", tt.header, tt.value, resp.StatusCode, tt.status)
		}
	}
}

func TestTheStateHidesSecretsAndAccountNumbers(t *testing.T) {
	c := newClient(t, Options{Seed: 4})
	c.initiate(oneBatch("b", 1, onePayout("r1", "1.00")))
	secrets := c.submission("b")
	for _, path := range []string{"/state", "/webhooks"} {
		raw := c.must("GET", path, "")
		for _, secret := range []string{
			secrets["otp"].(string), secrets["transaction_token"].(string), c.ready.AccessKey, c.ready.SecretKey,
			"123456789012", c.s.bank.account(accountID(1)).AccountNumber,
		} {
			if strings.Contains(raw, secret) {
				t.Errorf("%s shows a secret or an account number in full", path)
			}
		}
	}
}

func TestControlRefusesOtherMethodsPathsAndNames(t *testing.T) {
	c := newClient(t, Options{Seed: 4})
	for _, tt := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/settle", 405}, {"POST", "/otp", 405}, {"GET", "/faults", 405}, {"GET", "/", 404},
		{"GET", "/v1/connected_banking/balance", 404},
	} {
		if status, _ := c.control(tt.method, tt.path, ""); status != tt.status {
			t.Errorf("%s %s: HTTP %d, want %d", tt.method, tt.path, status, tt.status)
		}
	}
	for host, want := range map[string]int{"rebound.example": 403, "localhost": 200, "127.0.0.1:80": 200, "[::1]:80": 403} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+c.ready.Control+"/state", nil)
		must(t, err)
		req.Host = host
		if g, err := c.do(req); err != nil || g.status != want {
			t.Errorf("host %s: HTTP %d, %v", host, g.status, err)
		}
	}
}

func TestSettleSaysHowMuchIsOpen(t *testing.T) {
	c := bulk(t, Options{Seed: 4}, 3, map[string]string{"r-001": "stuck"})
	c.settle(5)
	if got := strings.TrimSpace(c.must("POST", "/settle", "")); got != `{"open":1}` {
		t.Errorf("answer %s", got)
	}
}

// receiver takes webhooks and hands their bodies on.
func receiver(t *testing.T, status int) (url string, received <-chan []byte) {
	bodies := make(chan []byte, 10)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		w.WriteHeader(status)
		bodies <- raw
	}))
	t.Cleanup(srv.Close)
	return srv.URL, bodies
}

func (c *client) webhooks() (sent []Webhook) {
	c.t.Helper()
	must(c.t, json.Unmarshal([]byte(c.must("GET", "/webhooks", "")), &sent))
	if sent == nil {
		c.t.Fatal("want an array, got null")
	}
	return sent
}

func TestAWebhookComesWhenABatchIsFinalAndAgainWhenAPayoutComesBack(t *testing.T) {
	url, received := receiver(t, http.StatusNoContent)
	c := bulk(t, Options{Seed: 6, WebhookURL: url}, 3, map[string]string{"r-001": "failed"})
	if n := len(c.webhooks()); n != 0 {
		t.Errorf("%d webhooks before the batch is final", n)
	}
	c.settle(6)
	body := <-received
	sent := c.webhooks()
	if len(sent) != 1 || sent[0].Event != "payout" || string(sent[0].Body) != string(body) {
		t.Errorf("sent %+v, received %s", sent, body)
	}
	c.settle(3)
	if n := len(c.webhooks()); n != 1 {
		t.Errorf("%d webhooks for one final batch", n)
	}
	c.must("POST", "/outcomes", `{"r-002":"returned"}`)
	c.settle(1)
	<-received
	if n := len(c.webhooks()); n != 2 {
		t.Errorf("%d webhooks after a return", n)
	}
	for len(c.webhooks()) != 2 || !c.webhooks()[1].Delivered { // the test's own deadline ends it
		continue
	}
}

func TestAReceiverThatFailsHoldsNobodyUp(t *testing.T) {
	url, received := receiver(t, http.StatusInternalServerError)
	c := bulk(t, Options{Seed: 6, WebhookURL: url}, 1, nil)
	c.settle(6)
	<-received
	if sent := c.webhooks(); len(sent) != 1 || sent[0].Delivered {
		t.Errorf("sent %+v", sent)
	}
}

func TestWithoutAURLThereAreNoWebhooks(t *testing.T) {
	c := bulk(t, Options{Seed: 6}, 1, nil)
	c.settle(6)
	if n := len(c.webhooks()); n != 0 {
		t.Errorf("%d webhooks", n)
	}
}
