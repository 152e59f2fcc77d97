package bankapi

import (
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"payrun/ledger"
)

// tunnel is a proxy that connects whom it is asked to, and keeps what it saw in
// the clear.
type tunnel struct {
	mu   sync.Mutex
	seen []string
	no   bool // it refuses
}

func (p *tunnel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.seen = append(p.seen, r.Method+" "+r.Host+" "+strings.Join(r.Header.Values("Authorization"), ""))
	p.mu.Unlock()
	if p.no || r.Method != http.MethodConnect {
		http.Error(w, "no", http.StatusForbidden)
		return
	}
	there, err := net.Dial("tcp", r.Host)
	if err != nil {
		http.Error(w, "unreachable", http.StatusBadGateway)
		return
	}
	here, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		there.Close()
		return
	}
	io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { defer there.Close(); io.Copy(there, here) }()
	go func() { defer here.Close(); io.Copy(here, there) }()
}

// Through a proxy goes what is encrypted to the bank, and nothing else; one that
// refuses has sent nothing.
func TestAProxySeesNothing(t *testing.T) {
	echo := fixture(t, "initiate_response.json")
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(echo) })
	bank := httptest.NewTLSServer(answer)
	defer bank.Close()
	plain := httptest.NewServer(answer)
	defer plain.Close()
	for name, c := range map[string]struct {
		address string
		refuses bool
		asked   int
		want    ledger.Outcome // "" for an answer
	}{
		"https":              {bank.URL, false, 1, ""},
		"it refuses":         {bank.URL, true, 1, ledger.NotSent},
		"http, on this host": {plain.URL, false, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			through := &tunnel{no: c.refuses}
			proxy := httptest.NewServer(through)
			defer proxy.Close()
			client := newClient(t, c.address, func(f *Config) {
				f.Proxy, _ = url.Parse(proxy.URL)
				f.RootCAs = x509.NewCertPool()
				f.RootCAs.AddCert(bank.Certificate())
			})
			_, err := client.Initiate(t.Context(), initiatePayload(t, client))
			call, failed := errors.AsType[*ledger.CallError](err)
			if failed != (c.want != "") || failed && call.Outcome != c.want {
				t.Errorf("%v", err)
			}
			through.mu.Lock()
			defer through.mu.Unlock()
			if len(through.seen) != c.asked || strings.Contains(strings.Join(through.seen, ""), accessKey) {
				t.Errorf("the proxy saw %q", through.seen)
			}
		})
	}
}
