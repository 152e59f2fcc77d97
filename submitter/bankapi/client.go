// Package bankapi is the client of the bank's interface, and the only package that knows its wire names. It
// sends each request once, reads the answer strictly, and classifies the outcome. The engine decides what
// follows.
//
// It promises three things. A POST leaves at most once for each call, in any state of the network. An answer that
// is not exactly what the interface shows is never a success. The keys, the OTP and the token go only to the
// configured hosts and never into an error.
package bankapi

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"payrun/ledger"
)

// Config says where the bank is and how to talk to it. BaseURL and the keys are required; everything else has a
// default.
type Config struct {
	BaseURL    string // https, or http on loopback
	IDURL      string // sub-merchant operations; default BaseURL
	LinkingURL string // linking; default BaseURL

	AccessKey ledger.Secret
	SecretKey ledger.Secret

	RequestFields RequestFields

	TimeoutRead time.Duration // of one GET; default 30 s
	TimeoutSend time.Duration // of one POST; default 60 s

	RequestsPerSecond float64 // 0 for no limit; rate limits are not shown

	RootCAs *x509.CertPool // trusted for https; nil for the system's
	Proxy   *url.URL       // proxy for https addresses; nil for none, even if the environment names one

	// Dial connects to a host; nil for the network. A simulation returns one end of a pipe, so that it controls
	// time and every byte.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Defaults of Config.
const (
	defaultTimeoutRead = 30 * time.Second
	defaultTimeoutSend = 60 * time.Second
)

// Limits on connecting and on the response headers.
const (
	dialTimeout      = 10 * time.Second
	handshakeTimeout = 10 * time.Second
	maxHeaderBytes   = 1 << 20
)

// Client talks to the bank. It is safe for use by several goroutines.
type Client struct {
	set   Config          // with its defaults; the addresses are checked, and have no slash at their end
	reads *http.Transport // GETs: connections are kept
	sends *http.Transport // POSTs: a fresh connection each
	limit *rate.Limiter
}

// New checks the configuration. It does not connect.
func New(c Config) (*Client, error) {
	c.IDURL, c.LinkingURL = cmp.Or(c.IDURL, c.BaseURL), cmp.Or(c.LinkingURL, c.BaseURL)
	c.TimeoutRead, c.TimeoutSend = cmp.Or(c.TimeoutRead, defaultTimeoutRead), cmp.Or(c.TimeoutSend, defaultTimeoutSend)
	_, errNames := c.RequestFields.checked()
	err := errors.Join(checkHost("base_url", &c.BaseURL), checkHost("id_url", &c.IDURL), checkHost("linking_url", &c.LinkingURL), errNames,
		checkKey("access key", c.AccessKey), checkKey("secret key", c.SecretKey))
	if err != nil {
		return nil, err
	}
	limit := rate.Inf
	if c.RequestsPerSecond > 0 {
		limit = rate.Limit(c.RequestsPerSecond)
	}
	return &Client{set: c, reads: transport(c, false), sends: transport(c, true), limit: rate.NewLimiter(limit, 1)}, nil
}

// Close closes idle connections.
func (c *Client) Close() {
	c.reads.CloseIdleConnections()
	c.sends.CloseIdleConnections()
}

// transport returns a transport that never sends a POST twice. It uses HTTP/1.1, because an HTTP/2 transport
// re-sends what a server says it did not process. With fresh set it opens a new connection for each request,
// because on a kept one Go's transport re-sends what it believes was not read. It is used directly and not
// through an http.Client, which would follow a 307 with the OTP in the body. The only proxy is Config's, even
// if the environment names one, and it only opens connections: the traffic is encrypted to the bank.
func transport(c Config, fresh bool) *http.Transport {
	http1 := new(http.Protocols)
	http1.SetHTTP1(true)
	dial := c.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	var proxy func(*http.Request) (*url.URL, error)
	if c.Proxy != nil {
		proxy = func(r *http.Request) (*url.URL, error) {
			if r.URL.Scheme != "https" {
				return nil, nil // the proxy would see the keys
			}
			return c.Proxy, nil
		}
	}
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.RootCAs},
		TLSHandshakeTimeout:    handshakeTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableKeepAlives:      fresh,
		Protocols:              http1,
	}
}

// checkHost checks one configured address: https only, except on loopback, and no part that could carry a key
// somewhere else. It cuts off slashes at the end.
func checkHost(name string, address *string) error {
	u, err := url.Parse(*address)
	switch {
	case err != nil:
		return fmt.Errorf("%s: not a URL", name) // the error of url.Parse would repeat a password in the address
	case u.Host == "" || u.Hostname() == "":
		return fmt.Errorf("%s: want https://HOST", name)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return fmt.Errorf("%s: must not have a user, a query or a fragment", name)
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		return fmt.Errorf("%s: must be https: only an address on loopback may be http", name)
	}
	*address = strings.TrimRight(u.String(), "/")
	return nil
}

func loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// checkKey reports a key that is missing or cannot be sent in a header, without showing it.
func checkKey(name string, key ledger.Secret) error {
	if key.Empty() {
		return fmt.Errorf("%s: missing", name)
	}
	if strings.ContainsFunc(key.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%s: has a character that is not printable ASCII (a line end?)", name)
	}
	return nil
}
