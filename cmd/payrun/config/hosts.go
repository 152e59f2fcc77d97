package config

import (
	"cmp"
	"crypto/x509"
	"net/url"
	"strings"

	"payrun/ledger"
)

// setHosts applies the addresses of the environment over those of payrun.toml. In
// production the environment may change a path, never the host: the keys are sent to the
// host, and more people can set an environment than write the file.
func (s *Settings) setHosts(getenv func(name string) string) error {
	file := s.File
	for _, u := range []struct {
		variable, key string
		value         *string
		named         string
	}{
		{"PAYRUN_BASE_URL", "base_url", &s.BaseURL, file.BaseURL},
		{"PAYRUN_ID_URL", "id_url", &s.IDURL, file.IDURL},
		{"PAYRUN_LINKING_URL", "linking_url", &s.LinkingURL, file.LinkingURL},
	} {
		set, named := getenv(u.variable), cmp.Or(u.named, file.BaseURL)
		*u.value = cmp.Or(set, u.named, s.BaseURL)
		if s.Environment == Production && set != "" && !sameHost(set, named) {
			return wrong("%s names a host that %s does not (%s, %s): in production the environment may not move the bank", u.variable, s.Path, u.key, cmp.Or(named, "not set")).
				hint("name it as %s in payrun.toml, or unset %s", u.key, u.variable)
		}
	}
	return nil
}

// Bank returns the configured environment, with the host that names its environment
// and the host where money moves. split reports whether they are two.
func (s Settings) Bank() (bank ledger.Environment, split bool) {
	bank = ledger.Environment{Name: s.Environment, IDHost: hostOf(s.IDURL), BaseHost: hostOf(s.BaseURL)}
	return bank, !sameHost(s.IDURL, s.BaseURL)
}

// hostOf returns the host and port of an address, in lower case.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// sameHost reports whether two addresses have the same scheme, host and port.
func sameHost(a, b string) bool {
	u, err := url.Parse(a)
	v, err2 := url.Parse(b)
	return err == nil && err2 == nil && u.Scheme == v.Scheme && u.Host != "" && strings.EqualFold(u.Host, v.Host)
}

// maxAuthorities is the longest http.ca_file, in bytes.
const maxAuthorities = 1 << 20

// Authorities reads http.ca_file: the only authorities that payrun trusts for the bank; nil for the system's.
// The file must pass Ours, like a key file: its writer decides who the bank is.
func (s Settings) Authorities() (*x509.CertPool, error) {
	if s.HTTP.CAFile == "" {
		return nil, nil
	}
	path := s.InFolder(s.HTTP.CAFile)
	text, _, err := s.readOurs("http.ca_file", path, maxAuthorities)
	if wordless(err) {
		err = wrong("http.ca_file: %s cannot be read: %v", path, Reason(err)).because(err)
	}
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, wrong("http.ca_file: %s holds no certificate (PEM)", path)
	}
	return pool, nil
}
