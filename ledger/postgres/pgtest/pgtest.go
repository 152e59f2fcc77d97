// Package pgtest starts a PostgreSQL server for tests: one for each test binary, with a
// database for each check.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Binaries returns the folder of the server's programs: PAYRUN_TEST_PG, or the system's; "" if there is none.
func Binaries() string {
	if dir := os.Getenv("PAYRUN_TEST_PG"); dir != "" {
		return dir
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // the pattern is a constant, so there is no error
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1])
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}

var server struct {
	once sync.Once
	err  error
	node
	pooled int // the port of PgBouncer
}

// node is a server with a folder of its own.
type node struct {
	dir  string
	as   *syscall.Credential
	port int
	cmds []*exec.Cmd // the server, and PgBouncer in front of it
}

// Main runs the tests of a package and stops the server they started.
func Main(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

// Stop stops the server, if a test started one.
func Stop() {
	server.stop()
}

func (n *node) stop() {
	for _, cmd := range slices.Backward(n.cmds) {
		_ = cmd.Process.Signal(syscall.SIGINT) // fast shutdown
		_ = cmd.Wait()
	}
	if n.dir != "" {
		_ = os.RemoveAll(n.dir)
	}
}

// URL returns the URL of a database of the server, which it starts first. If there is no server it skips the
// test, or fails it if PAYRUN_TEST_PG_REQUIRED is set.
func URL(t testing.TB, database string) string {
	t.Helper()
	if Binaries() == "" {
		if os.Getenv("PAYRUN_TEST_PG_REQUIRED") != "" {
			t.Fatal("there is no PostgreSQL")
		}
		t.Skip("there is no PostgreSQL: set PAYRUN_TEST_PG to the folder of its programs")
	}
	server.once.Do(func() { server.err = start() })
	if server.err != nil {
		t.Fatal(server.err)
	}
	return address(server.port, database)
}

// Needs skips a test if this PostgreSQL lacks one of the server's programs: the newest one of .ci/nightly lacks
// some, Debian's has all.
func Needs(t testing.TB, program string) {
	t.Helper()
	URL(t, "postgres") // skips if there is no server
	if _, err := os.Stat(filepath.Join(Binaries(), program)); err != nil {
		t.Skip("this PostgreSQL comes without it:", err)
	}
}

// InProof skips a test that needs a server outside the package of the store, except in .ci/run.
func InProof(t testing.TB) {
	t.Helper()
	if os.Getenv("PAYRUN_TEST_PG_REQUIRED") == "" {
		t.Skip("runs with PAYRUN_TEST_PG_REQUIRED=1, on a server of its own")
	}
}

func address(port int, database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", port, database)
}

// Pooled returns the URL of a database for a program: through PgBouncer in transaction mode if
// PAYRUN_TEST_PGBOUNCER names that program, else URL.
func Pooled(t testing.TB, database string) string {
	t.Helper()
	direct := URL(t, database)
	if server.pooled == 0 {
		return direct
	}
	return address(server.pooled, database)
}

// WriteFile writes a file into the server's data folder, in place, for a function that reads it.
func WriteFile(t testing.TB, name, text string) error {
	URL(t, "postgres") // starts it
	return os.WriteFile(filepath.Join(server.data(), name), []byte(text), 0o644)
}

var databases atomic.Int64

// Database creates a database from a template ("" for an empty one) and returns its name and
// URL. It is dropped with the server.
func Database(t testing.TB, template string) (name, url string) {
	t.Helper()
	name = fmt.Sprintf("test%d", databases.Add(1))
	how := `CREATE DATABASE ` + name
	if template != "" {
		how += ` TEMPLATE ` + template
	}
	Exec(t, URL(t, "postgres"), how)
	return name, URL(t, name)
}

// Exec runs statements as the superuser.
func Exec(t testing.TB, url string, statements ...string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// start starts the server of the test binary, and PgBouncer if requested.
func start() (err error) {
	n := &server.node
	if err := n.begun(memory()); err != nil {
		return err
	}
	bouncer := os.Getenv("PAYRUN_TEST_PGBOUNCER")
	if bouncer == "" {
		return nil
	}
	if server.pooled, err = freePort(); err != nil {
		return err
	}
	config, users := filepath.Join(n.dir, "pgbouncer.ini"), filepath.Join(n.dir, "users.txt")
	err = errors.Join(os.WriteFile(users, []byte("\"postgres\" \"\"\n\"payrun_app\" \"\"\n"), 0o644), os.WriteFile(config, fmt.Appendf(nil,
		"[databases]\n* = host=127.0.0.1 port=%d\n[pgbouncer]\nlisten_addr=127.0.0.1\nlisten_port=%d\nunix_socket_dir=\nauth_type=trust\nauth_file=%s\n"+
			"pool_mode=transaction\ndefault_pool_size=4\nserver_idle_timeout=5\nmax_client_conn=500\n", n.port, server.pooled, users), 0o644))
	if err != nil {
		return err
	}
	return n.begin(n.command(bouncer, config), server.pooled)
}

// memory returns a folder in memory, or else the folder for temporary files.
func memory() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return os.TempDir()
}

// begun creates a server in its own folder within base, and starts it.
func (n *node) begun(base string) error {
	if err := n.place(base); err != nil {
		return err
	}
	if err := n.program("initdb", "-D", n.data(), "-A", "trust", "-U", "postgres", "-E", "UTF8"); err != nil {
		return err
	}
	return n.serve()
}

// place gives the server a folder within base, owned by its account, and a port.
func (n *node) place(base string) (err error) {
	sweep(base)
	if n.dir, err = os.MkdirTemp(base, fmt.Sprintf("payrun-pg-%d-", os.Getpid())); err != nil {
		return err
	}
	if n.as, err = account(n.dir); err != nil {
		return err
	}
	n.port, err = freePort()
	return err
}

// sweep removes the servers of tests that were killed: nothing else removes folders in memory.
func sweep(base string) {
	left, _ := filepath.Glob(filepath.Join(base, "payrun-pg-*-*"))
	for _, dir := range left {
		pid, err := strconv.Atoi(strings.Split(filepath.Base(dir), "-")[2])
		if err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			_ = os.RemoveAll(dir)
		}
	}
}

func (n *node) data() string { return filepath.Join(n.dir, "data") }

func (n *node) command(path string, args ...string) *exec.Cmd {
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.SysProcAttr = n.dir, &syscall.SysProcAttr{Credential: n.as, Pdeathsig: syscall.SIGINT}
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	return cmd
}

// program runs one of the server's programs to completion.
func (n *node) program(name string, args ...string) error {
	if out, err := n.command(filepath.Join(Binaries(), name), args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}

// serve starts the server with the usual settings and these.
func (n *node) serve(settings ...string) error {
	args := []string{"-D", n.data(), "-k", n.dir, "-p", strconv.Itoa(n.port)}
	for _, s := range append([]string{"listen_addresses=127.0.0.1", "max_connections=500", "log_destination=stderr", "autovacuum=off"}, settings...) {
		args = append(args, "-c", s)
	}
	return n.begin(n.command(filepath.Join(Binaries(), "postgres"), args...), n.port)
}

// begin starts a program and waits until it answers at the port.
func (n *node) begin(cmd *exec.Cmd, port int) error {
	log, err := os.OpenFile(filepath.Join(n.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	n.cmds = append(n.cmds, cmd)
	return answers(port)
}

// answers waits until a server answers.
func answers(port int) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, address(port, "postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), err)
		}
		time.Sleep(20 * time.Millisecond) // a server does not signal when it listens
	}
}

// account returns an account for the server, which refuses to run as root. The account becomes the owner of the
// folder.
func account(dir string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(dir, uid, gid)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
