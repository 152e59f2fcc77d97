// Package pgtest starts a PostgreSQL server for tests: one for a test binary, a database for
// each check.
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
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Binaries returns the folder of the server's programs: PAYRUN_TEST_PG, or what the system
// has; "" for none.
func Binaries() string {
	if dir := os.Getenv("PAYRUN_TEST_PG"); dir != "" {
		return dir
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // the pattern is a constant
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
	dir  string
	port int
	cmds []*exec.Cmd // the server, and PgBouncer in front of it

	pooled int // the port of PgBouncer
}

// Main runs the tests of a package and stops the server they started.
func Main(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

// Stop stops the server, where a test started one.
func Stop() {
	for _, cmd := range slices.Backward(server.cmds) {
		_ = cmd.Process.Signal(syscall.SIGINT) // fast shutdown
		_ = cmd.Wait()
	}
	if server.dir != "" {
		_ = os.RemoveAll(server.dir)
	}
}

// URL returns that of a database of the server, which it starts first. It skips the test
// where there is no server, but where PAYRUN_TEST_PG_REQUIRED is set.
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

func address(port int, database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", port, database)
}

// Pooled returns the URL of a database as a program is to use it: through PgBouncer in
// transaction mode where PAYRUN_TEST_PGBOUNCER names that program, else URL.
func Pooled(t testing.TB, database string) string {
	t.Helper()
	direct := URL(t, database)
	if server.pooled == 0 {
		return direct
	}
	return address(server.pooled, database)
}

var databases atomic.Int64

// Database makes a database from a template ("" for an empty one) and returns its URL. It is
// dropped with the server.
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

func start() (err error) {
	base := os.TempDir()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		base = "/dev/shm"
	}
	if server.dir, err = os.MkdirTemp(base, "payrun-pg-"); err != nil {
		return err
	}
	as, err := account(server.dir)
	if err != nil {
		return err
	}
	if server.port, err = freePort(); err != nil {
		return err
	}
	data := filepath.Join(server.dir, "data")
	run := func(program string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(Binaries(), program), args...)
		cmd.Dir, cmd.SysProcAttr = server.dir, &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGINT}
		cmd.Env = append(os.Environ(), "LC_ALL=C")
		return cmd
	}
	if out, err := run("initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8").CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	cmd := run("postgres", "-D", data, "-k", server.dir, "-p", strconv.Itoa(server.port),
		"-c", "listen_addresses=127.0.0.1", "-c", "max_connections=500", "-c", "log_destination=stderr", "-c", "autovacuum=off")
	log, err := os.Create(filepath.Join(server.dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	if err := begin(cmd, log); err != nil {
		return err
	}
	if bouncer := os.Getenv("PAYRUN_TEST_PGBOUNCER"); bouncer != "" {
		if server.pooled, err = freePort(); err != nil {
			return err
		}
		config, users := filepath.Join(server.dir, "pgbouncer.ini"), filepath.Join(server.dir, "users.txt")
		err = errors.Join(os.WriteFile(users, []byte("\"postgres\" \"\"\n"), 0o644), os.WriteFile(config, fmt.Appendf(nil,
			"[databases]\n* = host=127.0.0.1 port=%d\n[pgbouncer]\nlisten_addr=127.0.0.1\nlisten_port=%d\nunix_socket_dir=\nauth_type=trust\nauth_file=%s\n"+
				"pool_mode=transaction\ndefault_pool_size=4\nserver_idle_timeout=5\nmax_client_conn=500\n", server.port, server.pooled, users), 0o644))
		if err != nil {
			return err
		}
		cmd := run("postgres", config)
		cmd.Path, cmd.Args = bouncer, []string{bouncer, config}
		if err := begin(cmd, log); err != nil {
			return err
		}
		if err := answers(server.pooled); err != nil {
			return err
		}
	}
	return answers(server.port)
}

func begin(cmd *exec.Cmd, log *os.File) error {
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	server.cmds = append(server.cmds, cmd)
	return nil
}

// answers waits for a server.
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
		time.Sleep(20 * time.Millisecond) // a server says nowhere that it listens
	}
}

// account is the one the server runs as: it refuses root. The folder is made its own.
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
