package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAProgramOutsidePaysWithTheClient: the client is usable from another module,
// without the engine, the ledger file and the command line; and it builds with
// nothing fetched.
func TestAProgramOutsidePaysWithTheClient(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	program := build(t, filepath.Join("..", "bankapi", "testdata", "library"))
	b := startRaw(t, 1)
	run := func(otp string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), program)
		c.Env = append(os.Environ(), "BANK=http://"+b.ready.Addr, "ACCESS_KEY="+b.ready.AccessKey, "SECRET_KEY="+b.ready.SecretKey, "OTP="+otp)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if got := run(""); got != "request_initiated" {
		t.Errorf("initiate: %s", got)
	}
	otp, _ := b.otp("library-0001")
	if got := run(otp); got != "true 1234.50" {
		t.Errorf("submit: %s", got)
	}
}

// build compiles a program of testdata as a module of its own that has this one
// as a dependency, and the same versions of what this one needs.
func build(t *testing.T, source string) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	must(t, err)
	dir := t.TempDir()
	copyFile := func(to, from string, change func(string) string) {
		content, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), []byte(change(string(content))), 0o600)
		}
		must(t, err)
	}
	same := func(s string) string { return s }
	copyFile("main.go", filepath.Join(source, "main.go"), same)
	copyFile("go.sum", filepath.Join(root, "go.sum"), same)
	copyFile("go.mod", filepath.Join(root, "go.mod"), func(s string) string {
		return strings.Replace(s, "module payrun\n", "module example.com/pays\n\nrequire payrun v0.0.0\n\nreplace payrun => "+root+"\n", 1)
	})
	program := filepath.Join(dir, "pays")
	c := exec.CommandContext(t.Context(), "go", "build", "-mod=mod", "-o", program, ".")
	c.Dir = dir
	c.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}
