package sandbox

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

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
