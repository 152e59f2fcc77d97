package config

import (
	"crypto/x509"
	"errors"
)

// maxAuthorities bounds http.ca_file, in bytes.
const maxAuthorities = 1 << 20

// Authorities reads http.ca_file: the only certificates that vouch for the bank; nil for the system's.
// The file must be ours, as a key must: its writer decides who the bank is.
func (s Settings) Authorities() (*x509.CertPool, error) {
	if s.HTTP.CAFile == "" {
		return nil, nil
	}
	path := s.Beside(s.HTTP.CAFile)
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
