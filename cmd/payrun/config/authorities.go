package config

import (
	"crypto/x509"
	"io"
	"os"
	"syscall"
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
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO must not make us wait
	if err != nil {
		return nil, wrong("http.ca_file: %s cannot be read: %v", path, Reason(err)).because(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, wrong("http.ca_file: %s is not a regular file", path).because(err)
	}
	if err := s.Ours("http.ca_file", path, info); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxAuthorities))
	if err != nil {
		return nil, wrong("http.ca_file: %s cannot be read: %v", path, Reason(err)).because(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, wrong("http.ca_file: %s holds no certificate (PEM)", path)
	}
	return pool, nil
}
