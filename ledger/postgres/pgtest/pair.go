package pgtest

import (
	"fmt"
	"testing"
)

// Pair is a server with a standby.
type Pair struct {
	URL     string // of the database "books", on the server that takes writes
	First   string // of the same database, on the first server
	Standby string // of the same database, on the standby

	t                testing.TB
	primary, standby node
}

// NewPair starts a server and a standby. If synchronous is set, the standby confirms each commit.
func NewPair(t testing.TB, synchronous bool) *Pair {
	t.Helper()
	Needs(t, "pg_basebackup")
	p := &Pair{t: t}
	t.Cleanup(func() { p.standby.stop(); p.primary.stop() })
	first, second := &p.primary, &p.standby
	p.must(first.begun(memory()))
	Exec(t, address(first.port, "postgres"), `CREATE DATABASE books`)
	p.must(second.place(memory()))
	p.must(second.program("pg_basebackup", "-D", second.data(), "-R", "-c", "fast", "-d", address(first.port, "postgres")))
	p.must(second.serve())
	if synchronous {
		Exec(t, address(first.port, "postgres"), `ALTER SYSTEM SET synchronous_standby_names = '*'`, `SELECT pg_reload_conf()`)
	}
	p.First, p.Standby = address(first.port, "books"), address(second.port, "books")
	p.URL = fmt.Sprintf("postgres://postgres@127.0.0.1:%d,127.0.0.1:%d/books?sslmode=disable&target_session_attrs=read-write", first.port, second.port)
	return p
}

func (p *Pair) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// Follows waits until the standby has everything that the first server has.
func (p *Pair) Follows() {
	p.t.Helper()
	Exec(p.t, address(p.primary.port, "postgres"), `DO $$ BEGIN
		WHILE NOT coalesce((SELECT bool_and(replay_lsn >= pg_current_wal_lsn()) FROM pg_stat_replication), false) LOOP PERFORM pg_stat_clear_snapshot(); END LOOP;
	END $$`)
}

// Part ends the replication: later commits reach only the first server.
func (p *Pair) Part() {
	p.t.Helper()
	Exec(p.t, address(p.standby.port, "postgres"), `ALTER SYSTEM SET primary_conninfo = ''`, `SELECT pg_reload_conf()`)
	Exec(p.t, address(p.primary.port, "postgres"), `SELECT pg_terminate_backend(pid) FROM pg_stat_replication`)
}

// Crash stops the first server like a power cut.
func (p *Pair) Crash() {
	p.t.Helper()
	p.must(p.primary.cmds[0].Process.Kill())
	_ = p.primary.cmds[0].Wait() // its error says that it was killed
	p.primary.cmds = nil
}

// Promote makes the standby the server that takes writes.
func (p *Pair) Promote() {
	p.t.Helper()
	Exec(p.t, address(p.standby.port, "postgres"), `SELECT pg_promote()`)
}
