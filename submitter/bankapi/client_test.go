package bankapi

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"payrun/ledger"
)

func TestNewRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Config)
		about  string
	}{
		{"no address", func(c *Config) { c.BaseURL = "" }, "base_url"},
		{"http beyond loopback", func(c *Config) { c.BaseURL = "http://bank.example" }, "base_url"},
		{"http to an address that only begins like loopback", func(c *Config) { c.BaseURL = "http://127.0.0.1.bank.example" }, "base_url"},
		{"http to a private address", func(c *Config) { c.IDURL = "http://10.0.0.1" }, "id_url"},
		{"another scheme", func(c *Config) { c.BaseURL = "ftp://127.0.0.1" }, "base_url"},
		{"no scheme", func(c *Config) { c.LinkingURL = "bank.example" }, "linking_url"},
		{"no host", func(c *Config) { c.BaseURL = "https:///v1" }, "base_url"},
		{"only a port", func(c *Config) { c.BaseURL = "https://:443" }, "base_url"},
		{"a user in it", func(c *Config) { c.IDURL = "https://user:" + secretKey + "@bank.example" }, "id_url"},
		{"a user in what is no URL", func(c *Config) { c.IDURL = "https://user:" + secretKey + "@bank.example:port" }, "id_url"},
		{"a query", func(c *Config) { c.BaseURL = "https://bank.example?x=1" }, "base_url"},
		{"a fragment", func(c *Config) { c.BaseURL = "https://bank.example#x" }, "base_url"},
		{"no access key", func(c *Config) { c.AccessKey = ledger.Secret{} }, "access key"},
		{"no secret key", func(c *Config) { c.SecretKey = ledger.Secret{} }, "secret key"},
		{"a key with its line end", func(c *Config) { c.SecretKey = ledger.NewSecret(secretKey + "\n") }, "secret key"},
		{"a key that is not ASCII", func(c *Config) { c.AccessKey = ledger.NewSecret(accessKey + "é") }, "access key"},
		{"an amount field of another's name", func(c *Config) { c.RequestFields.Amount = "ifsc" }, "amount field"},
		{"a debit account field of another's name", func(c *Config) { c.RequestFields.DebitAccount = "payout_data" }, "debit account field"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Config{BaseURL: "https://bank.example", AccessKey: ledger.NewSecret(accessKey), SecretKey: ledger.NewSecret(secretKey)}
			tt.change(&c)
			_, err := New(c)
			if err == nil || !strings.Contains(err.Error(), tt.about) {
				t.Fatalf("got %v", err)
			}
			hideNothing(t, err)
		})
	}
}

func TestNewTakes(t *testing.T) {
	for _, address := range []string{
		"https://bank.example", "https://bank.example:8443/gateway/", "http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:8080",
	} {
		c := newClient(t, address)
		if c.set.BaseURL != strings.TrimRight(address, "/") || c.set.IDURL != c.set.BaseURL {
			t.Errorf("%s became %s and %s", address, c.set.BaseURL, c.set.IDURL)
		}
		if c.reads.Proxy != nil || c.sends.Proxy != nil {
			t.Error("a proxy may be asked, which would see http on loopback and every host")
		}
	}
}

// Sub-merchants are asked at {id_url}, linking at {linking_url}, everything else
// at {base_url}, each below the path that the address has (interface.md, "What
// the service does", Hosts).
func TestEachOperationGoesToItsHost(t *testing.T) {
	var paths []string
	serve := func(name string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			paths = append(paths, name+r.URL.Path)
			w.WriteHeader(http.StatusBadRequest)
		}))
		t.Cleanup(s.Close)
		return s
	}
	base, id, linking := serve("base "), serve("id "), serve("linking ")
	c := newClient(t, base.URL+"/b", func(c *Config) { c.IDURL, c.LinkingURL = id.URL+"/i/", linking.URL+"/l" })
	ctx := t.Context()
	_, e1 := c.IsSandbox(ctx)
	_, e2 := c.BankAccounts(ctx, AccountQuery{})
	_, e3 := c.Balances(ctx, BalanceQuery{})
	_, e4 := c.Initiate(ctx, initiatePayload(t, c))
	_, e5 := c.Submit(ctx, submitPayload(t, c), ledger.NewSecret(otpText), ledger.Secret{})
	_, e6 := c.ReadStatus(ctx, batchID, 1, ledger.Patient)
	_, e7 := c.SubMerchants(ctx)
	_, e8 := c.Register(ctx, asha)
	_, e9 := c.Link(ctx, toLink)
	_, e10 := c.Beneficiaries(ctx, BeneficiaryQuery{SubMerchantID: "sm"})
	_, e11 := c.AddBeneficiary(ctx, iyer)
	_, e12 := c.Statement(ctx, StatementQuery{BankAccountID: "a"})
	for i, err := range []error{e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12} {
		if call, ok := errors.AsType[*ledger.CallError](err); !ok || call.HTTPStatus != 400 {
			t.Errorf("%d: got %v", i, err)
		}
	}
	want := `id /i/v1/connected_banking/sub_merchant/list
base /b/v1/connected_banking/bank_accounts
base /b/v1/connected_banking/balance
base /b/v1/connected_banking/transfer/initiate
base /b/v1/connected_banking/transfer/submit
base /b/v1/connected_banking/transfer
id /i/v1/connected_banking/sub_merchant/list
id /i/v1/connected_banking/sub_merchant/register
linking /l/v1/connected_banking/linking/initiate
base /b/v1/connected_banking/beneficiaries
base /b/v1/connected_banking/beneficiary/initiate
base /b/v1/connected_banking/statements`
	if got := strings.Join(paths, "\n"); got != want {
		t.Errorf("got\n%s", got)
	}
}

// A read does not ask again someone it cannot trust.
func TestUntrustedIsAskedOnce(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	connections := 0
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections++
		}
	}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	_, err := newClient(t, s.URL).IsSandbox(t.Context())
	s.Close()
	if call, ok := errors.AsType[*ledger.CallError](err); !ok || call.Outcome != ledger.NotSent || connections != 1 {
		t.Errorf("got %v after %d connections", err, connections)
	}
}

func TestTLS(t *testing.T) {
	echo := fixture(t, "initiate_response.json")
	serve := func(t *testing.T, most uint16) *httptest.Server {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(echo) }))
		s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: most}
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.EnableHTTP2 = true
		s.StartTLS()
		t.Cleanup(s.Close)
		return s
	}
	trusting := func(s *httptest.Server) func(*Config) {
		return func(c *Config) {
			c.RootCAs = x509.NewCertPool()
			c.RootCAs.AddCert(s.Certificate())
		}
	}
	tests := []struct {
		name  string
		most  uint16 // TLS version of the server
		trust bool
		other string // the name the client asks for
		ok    bool
	}{
		{name: "1.3", most: tls.VersionTLS13, trust: true, ok: true},
		{name: "1.2", most: tls.VersionTLS12, trust: true, ok: true},
		{name: "1.1 is too old", most: tls.VersionTLS11, trust: true},
		{name: "a certificate nobody vouches for", most: tls.VersionTLS13},
		{name: "a certificate for another name", most: tls.VersionTLS13, trust: true, other: "localhost"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.most)
			change := func(*Config) {}
			if tt.trust {
				change = trusting(s)
			}
			address := s.URL
			if tt.other != "" {
				address = strings.Replace(address, "127.0.0.1", tt.other, 1)
			}
			c := newClient(t, address, change)
			_, err := c.Initiate(t.Context(), initiatePayload(t, c))
			if tt.ok {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if call, ok := errors.AsType[*ledger.CallError](err); !ok || call.Outcome != ledger.NotSent {
				t.Errorf("got %v", err)
			}
		})
	}
}

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
