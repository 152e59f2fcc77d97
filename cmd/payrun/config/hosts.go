package config

import (
	"cmp"
	"crypto/x509"
	"errors"
	"net/url"
	"strings"

	"payrun/ledger"
)

// setHosts lays the environment's addresses over those of payrun.toml. In
// production it may change a path there, and never the host: the keys go to it,
// and an environment is set by more hands than a file.
func (s *Settings) setHosts(getenv func(name string) string) error {
	named := s.File
	s.BaseURL = cmp.Or(getenv("PAYRUN_BASE_URL"), s.BaseURL)
	s.IDURL = cmp.Or(getenv("PAYRUN_ID_URL"), s.IDURL, s.BaseURL)
	s.LinkingURL = cmp.Or(getenv("PAYRUN_LINKING_URL"), s.LinkingURL, s.BaseURL)
	if s.Environment != Production {
		return nil
	}
	for _, u := range []struct{ variable, key, value, named string }{
		{"PAYRUN_BASE_URL", "base_url", s.BaseURL, named.BaseURL},
		{"PAYRUN_ID_URL", "id_url", s.IDURL, cmp.Or(named.IDURL, named.BaseURL)},
		{"PAYRUN_LINKING_URL", "linking_url", s.LinkingURL, cmp.Or(named.LinkingURL, named.BaseURL)},
	} {
		if getenv(u.variable) == "" || sameHost(u.value, u.named) {
			continue
		}
		return wrong("%s names a host that %s does not (%s, %s): in production the environment may not move the bank", u.variable, s.Path, u.key, cmp.Or(u.named, "not set")).
			hint("name it as %s in payrun.toml, or unset %s", u.key, u.variable)
	}
	return nil
}

// Bank is the configured environment, with the host that is asked which one it
// is and the host where money moves. split: they are not one.
func (s Settings) Bank() (bank ledger.Environment, split bool) {
	bank = ledger.Environment{Name: s.Environment, IDHost: hostOf(s.IDURL), BaseHost: hostOf(s.BaseURL)}
	return bank, !sameHost(s.IDURL, s.BaseURL)
}

// hostOf is the host and port of an address.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// sameHost reports whether two addresses are of one scheme, host and port.
func sameHost(a, b string) bool {
	u, err := url.Parse(a)
	v, err2 := url.Parse(b)
	return err == nil && err2 == nil && u.Scheme == v.Scheme && u.Host != "" && strings.EqualFold(u.Host, v.Host)
}

// maxAuthorities bounds http.ca_file, in bytes.
const maxAuthorities = 1 << 20

// Authorities reads http.ca_file: the only certificates that vouch for the bank; nil for the system's.
// The file must be ours, as a key must: its writer decides who the bank is.
func (s Settings) Authorities() (*x509.CertPool, error) {
	if s.HTTP.CAFile == "" {
		return nil, nil
	}
	path := s.InFolder(s.HTTP.CAFile)
	text, _, err := s.readOurs("http.ca_file", path, maxAuthorities)
	if f, ok := errors.AsType[*Error](err); ok {
		return nil, f
	}
	if err != nil {
		return nil, wrong("http.ca_file: %s cannot be read: %v", path, Reason(err)).because(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, wrong("http.ca_file: %s holds no certificate (PEM)", path)
	}
	return pool, nil
}
