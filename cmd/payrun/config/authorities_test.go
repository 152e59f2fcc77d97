package config

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAuthorities(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), mode))
		must(t, os.Chmod(path, mode))
	}
	write("bank.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})), 0o644)
	write("open.pem", "", 0o666)
	write("empty.pem", "no certificate", 0o600)
	for file, want := range map[string]string{
		"": "", "bank.pem": "", "open.pem": "may be written by others", "empty.pem": "holds no certificate", "none.pem": "cannot be read", ".": "not a regular file",
	} {
		s := Settings{Path: filepath.Join(dir, Name)}
		s.HTTP.CAFile = file
		pool, err := s.Authorities()
		switch {
		case want == "" && (err != nil || (pool == nil) != (file == "")):
			t.Errorf("%q: %v, %v", file, pool, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
}

func TestAProxyIsABareAddress(t *testing.T) {
	for address, ok := range map[string]bool{
		"http://proxy.example:3128": true, "http://10.0.0.1:8080/": true, "https://proxy.example": false, "proxy.example:3128": false,
		"http://user:word@proxy.example": false, "http://": false, "http://proxy.example/x": false, "http://proxy.example?x": false,
	} {
		if got := proxyAddress(address); got != ok {
			t.Errorf("%q: %t", address, got)
		}
	}
}
