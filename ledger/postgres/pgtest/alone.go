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

// NewAlone starts a server and stops it after the test.
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

// Stop stops the server with a signal.
func (a *Alone) Stop(how os.Signal) {
	a.t.Helper()
	if err := a.cmds[0].Process.Signal(how); err != nil {
		a.t.Fatal(err)
	}
	_ = a.cmds[0].Wait() // an immediate stop ends with an error
	a.cmds = nil
}

// Start starts the server again.
func (a *Alone) Start() {
	a.t.Helper()
	if err := a.serve(); err != nil {
		a.t.Fatal(err)
	}
}

// PutBack remembers this moment. back restores the server to it, from a base backup and the log.
func (a *Alone) PutBack() (back func()) {
	a.t.Helper()
	Needs(a.t, "pg_basebackup")
	backup := filepath.Join(a.dir, "backup")
	a.must(a.program("pg_basebackup", "-D", backup, "-c", "fast", "-X", "none", "-d", a.URL))
	Exec(a.t, a.URL, `ALTER SYSTEM SET wal_keep_size = '1GB'`, `SELECT pg_reload_conf()`, `SELECT pg_create_restore_point('here')`)
	return func() {
		a.t.Helper()
		a.Stop(os.Interrupt)
		logged := filepath.Join(a.dir, "logged")
		a.must(os.Rename(a.data(), logged))
		a.must(os.Rename(backup, a.data()))
		a.must(os.WriteFile(filepath.Join(a.data(), "recovery.signal"), nil, 0o644))
		a.must(a.serve("restore_command=cp "+logged+"/pg_wal/%f %p", "recovery_target_name=here", "recovery_target_action=promote"))
		Exec(a.t, a.URL, `DO $$ BEGIN WHILE pg_is_in_recovery() LOOP PERFORM pg_sleep(0.01); END LOOP; END $$`)
	}
}

// Upgrade moves the server's data into a new cluster of the same version with pg_upgrade.
func (a *Alone) Upgrade() {
	a.t.Helper()
	Needs(a.t, "pg_upgrade")
	a.Stop(os.Interrupt)
	old := filepath.Join(a.dir, "old")
	a.must(os.Rename(a.data(), old))
	a.must(a.program("initdb", "-D", a.data(), "-A", "trust", "-U", "postgres", "-E", "UTF8"))
	a.must(a.program("pg_upgrade", "-b", Binaries(), "-B", Binaries(), "-d", old, "-D", a.data(), "-U", "postgres", "-s", a.dir))
	a.Start()
}

func (a *Alone) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

// Explain makes the server log the plans of all queries of new connections, also of those within triggers. It
// skips the test if the server lacks the module for this.
func (a *Alone) Explain() {
	a.t.Helper()
	if found, _ := filepath.Glob(filepath.Join(Binaries(), "../lib/auto_explain.so")); len(found) == 0 { // the pattern is a constant
		a.t.Skip("this PostgreSQL comes without auto_explain") // the newest one of .ci/nightly lacks it; Debian's has it
	}
	Exec(a.t, a.URL, `LOAD 'auto_explain'`, `ALTER SYSTEM SET auto_explain.log_min_duration = 0`, `ALTER SYSTEM SET auto_explain.log_nested_statements = on`,
		`ALTER SYSTEM SET session_preload_libraries = 'auto_explain'`, `SELECT pg_reload_conf()`)
}

// Log returns what the server has logged.
func (a *Alone) Log() string {
	a.t.Helper()
	text, err := os.ReadFile(filepath.Join(a.dir, "log"))
	if err != nil {
		a.t.Fatal(err)
	}
	return string(text)
}
