//go:build unix

package browsertest

import (
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// certificate is that of Go's test servers, which is for loopback. It returns the flags that take it.
func certificate(t *testing.T) []string {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pair := server.TLS.Certificates[0]
	dir := t.TempDir()
	file := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		fine(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return path
	}
	return []string{"--cert", file("cert.pem", "CERTIFICATE", pair.Certificate[0]), "--key", file("key.pem", "PRIVATE KEY", need(x509.MarshalPKCS8PrivateKey(pair.PrivateKey))(t))}
}

// cookies are those that the browser has for the desk.
func (p *person) cookies() []*network.Cookie {
	p.Helper()
	return need(chromedp.Call(p.tab, network.GetCookies, network.GetCookiesParams{URLs: []string{p.desk.URL}}))(p).Cookies
}

// TestUnderTLSTheBrowserKeepsTheCookie logs in, decides, follows what happens and logs
// out over https: the browser takes the __Host- cookie, keeps it from scripts and from
// other sites, and lets it go.
func TestUnderTLSTheBrowserKeepsTheCookie(t *testing.T) {
	h := openWith(t, quick, certificate(t))
	if !strings.HasPrefix(h.desk.URL, "https://127.0.0.1:") {
		t.Fatalf("it is served at %s", h.desk.URL)
	}
	meera := h.admin()
	all := meera.cookies()
	if len(all) != 2 { // the login's, and the one by which the browser is known
		t.Fatalf("after the login the browser has %d cookies", len(all))
	}
	for _, c := range all {
		if strings.HasSuffix(c.Name, "-known") == c.Session {
			t.Errorf("the cookie ends with the browser: %t: %+v", c.Session, c)
		}
		if !strings.HasPrefix(c.Name, "__Host-payrun-") || !c.Secure || !c.HTTPOnly || c.SameSite != "Strict" || c.Path != "/" || strings.HasPrefix(c.Domain, ".") {
			t.Errorf("the cookie is %+v", c)
		}
	}
	if seen := ask[string](meera, "document.cookie"); seen != "" {
		t.Errorf("a script sees %q", seen)
	}
	streams := meera.streams()
	meera.open("/policy")
	meera.proposes("true", "as agreed")
	meera.open("/log")
	meera.sees("policy set")
	h.until(func() bool { return streams() == 1 })
	h.payrun(good, "load", h.sheet("vendors.csv", "VEN", 1))
	meera.sees("sheet loaded")
	meera.logsOut()
	meera.sees("Log in")
	if all := meera.cookies(); len(all) != 1 || !strings.HasSuffix(all[0].Name, "-known") {
		t.Errorf("after the logout the browser has %+v\n%s", *all[0], meera.page())
	}
}
