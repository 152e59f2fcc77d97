//go:build unix

package browsertest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"payrun/submitter/sandbox"
)

// patience is how long anything may take before it counts as hung.
const patience = 30 * time.Second

const config = `environment = "sandbox"
base_url = "http://BANK"
sub_merchant_id = "sm_0001"
transaction_type_id = "NEFT"
ledger = "payrun.db"

[[accounts]]
name = "salaries"
bank_account_id = "a0000000-0000-4000-8000-000000000003"
partner_bank_id = 3
default = true

[[accounts]]
name = "vendors"
bank_account_id = "a0000000-0000-4000-8000-000000000001"
partner_bank_id = 1
`

// quick are the timers of a bank that answers in milliseconds.
const quick = `
[poll]
first = "50ms"
most = "200ms"

[doubt]
quiet = "300ms"
`

// house is a folder with a ledger, its bank, and its desk.
type house struct {
	*testing.T
	dir  string
	bank *sandbox.Server
	env  []string
	tls  []string // by which the desk is served over TLS; nil for plain HTTP
	desk *desk

	meera *person // the first one; staff makes them
}

// desk is one run of `payrun desk`.
type desk struct {
	cmd   *exec.Cmd
	ended chan error
	said  saidAll // what it wrote, ready line and all
	URL   string  `json:"url"`
	First string  `json:"first"`
}

// saidAll is what a process wrote.
type saidAll struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *saidAll) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(b)
}

func (s *saidAll) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// open makes a ledger next to a bank of its own, and opens its desk. more is added
// to its configuration. Houses know nothing of one another, and wait for pages far
// more than they compute: tests run next to others.
func open(t *testing.T, more string) *house {
	t.Helper()
	return openWith(t, more, nil)
}

// openWith is open with these flags for TLS.
func openWith(t *testing.T, more string, tls []string) *house {
	t.Helper()
	needsChromium(t)
	t.Parallel()
	bank := need(sandbox.Start(t.Context(), sandbox.Options{Seed: 1, Now: time.Now}))(t)
	t.Cleanup(func() {
		if err := bank.Close(); err != nil {
			t.Error(err)
		}
	})
	h := &house{T: t, dir: t.TempDir(), bank: bank, tls: tls}
	ready := bank.Ready()
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "PAYRUN_") && !strings.HasPrefix(kv, "XDG_") {
			h.env = append(h.env, kv)
		}
	}
	h.env = append(h.env, "PAYRUN_ACCESS_KEY="+ready.AccessKey, "PAYRUN_SECRET_KEY="+ready.SecretKey, "XDG_STATE_HOME="+filepath.Join(h.dir, "state"))
	h.write("payrun.toml", strings.Replace(config, "BANK", ready.Addr, 1)+more)
	h.payrun(good, "init", "--yes")
	h.start()
	return h
}

// fine ends the test at an error.
func fine(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// need is what a call returns; an error ends the test.
func need[T any](found T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		fine(t, err)
		return found
	}
}

func (h *house) write(name, text string) (path string) {
	h.Helper()
	path = filepath.Join(h.dir, name)
	fine(h, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// payrun runs a command that ends with one of the exit codes. It waits for the desk,
// which has the ledger while it asks the bank.
func (h *house) payrun(codes []int, args ...string) string {
	h.Helper()
	cmd := exec.CommandContext(h.Context(), payrun, append(args, "--lock-timeout", "30s")...)
	cmd.Dir, cmd.Env = h.dir, h.env
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	if err := cmd.Run(); cmd.ProcessState == nil || !slices.Contains(codes, cmd.ProcessState.ExitCode()) {
		h.Fatalf("payrun %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), words.String())
	}
	return out.String()
}

// Exit codes that runs here end with.
var (
	good     = []int{0}
	asks     = []int{12}            // a person: an OTP
	whatever = []int{0, 13, 14, 16} // of a poll: the outcome of the payouts
)

// start opens the desk; once more at the same address.
func (h *house) start() {
	h.Helper()
	d, addr := &desk{ended: make(chan error, 1)}, "127.0.0.1:0"
	if h.desk != nil {
		addr = strings.Trim(strings.TrimPrefix(h.desk.URL, "http:"), "/")
	}
	d.cmd = exec.Command(payrun, append([]string{"desk", "--addr", addr, "--json"}, h.tls...)...)
	d.cmd.Dir, d.cmd.Env, d.cmd.Stderr = h.dir, h.env, &d.said
	out := need(d.cmd.StdoutPipe())(h)
	fine(h, d.cmd.Start())
	line, err := bufio.NewReader(out).ReadBytes('\n')
	go func() { d.ended <- d.cmd.Wait() }()
	if err != nil {
		h.Fatalf("the desk did not say where it listens: %v\n%s", err, d.said.String())
	}
	fine(h, json.Unmarshal(line, d))
	h.desk = d
	h.Cleanup(func() { h.end(d, syscall.SIGTERM) })
}

// end ends a run of the desk, unless it has ended.
func (h *house) end(d *desk, by syscall.Signal) {
	h.Helper()
	if d.cmd.ProcessState != nil {
		return
	}
	_ = d.cmd.Process.Signal(by)
	select {
	case err := <-d.ended:
		if by == syscall.SIGTERM && err != nil {
			h.Errorf("the desk ended with %v\n%s", err, d.said.String())
		}
	case <-time.After(patience):
		_ = d.cmd.Process.Kill()
		h.Errorf("the desk did not end\n%s", d.said.String())
	}
}
