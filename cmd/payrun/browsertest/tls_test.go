//go:build unix

package browsertest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// certificate makes one for loopback, and returns the flags that take it.
func certificate(t *testing.T) []string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return []string{"--cert", file("cert.pem", "CERTIFICATE", cert), "--key", file("key.pem", "PRIVATE KEY", secret)}
}

// cookies are those that the browser has for the desk.
func (p *person) cookies() []*network.Cookie {
	p.Helper()
	got, err := chromedp.Call(p.tab, network.GetCookies, network.GetCookiesParams{URLs: []string{p.desk.URL}})
	if err != nil {
		p.Fatal(err)
	}
	return got.Cookies
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
