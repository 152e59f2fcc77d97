package pgtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Alone is a server that a test may stop.
type Alone struct {
	URL string

	t testing.TB
	node
}

// NewAlone starts a server, which is stopped after the test.
func NewAlone(t testing.TB) *Alone {
	t.Helper()
	URL(t, "postgres") // skips if there is no server
	a := &Alone{t: t}
	t.Cleanup(a.stop)
	if err := a.begun(memory()); err != nil {
		t.Fatal(err)
	}
	a.URL = address(a.port, "postgres")
	return a
}

// Stop stops the server by a signal.
func (a *Alone) Stop(how os.Signal) {
	a.t.Helper()
	if err := a.cmds[0].Process.Signal(how); err != nil {
		a.t.Fatal(err)
	}
	_ = a.cmds[0].Wait() // an immediate stop ends with an error
	a.cmds = nil
}

// Start starts it again.
func (a *Alone) Start() {
	a.t.Helper()
	if err := a.serve(); err != nil {
		a.t.Fatal(err)
	}
}

// Explain makes the server log the plans of all queries of new connections, also of those within
// triggers. It skips the test if the server comes without that.
func (a *Alone) Explain() {
	a.t.Helper()
	if found, _ := filepath.Glob(filepath.Join(Binaries(), "../lib/auto_explain.so")); len(found) == 0 { // the pattern is a constant
		a.t.Skip("this PostgreSQL comes without auto_explain") // the newest one of .ci/nightly; Debian's has it
	}
	Exec(a.t, a.URL, `LOAD 'auto_explain'`, `ALTER SYSTEM SET auto_explain.log_min_duration = 0`, `ALTER SYSTEM SET auto_explain.log_nested_statements = on`,
		`ALTER SYSTEM SET session_preload_libraries = 'auto_explain'`, `SELECT pg_reload_conf()`)
}

// Log is what the server has logged.
func (a *Alone) Log() string {
	a.t.Helper()
	text, err := os.ReadFile(filepath.Join(a.dir, "log"))
	if err != nil {
		a.t.Fatal(err)
	}
	return string(text)
}
