package postgres

import (
	"syscall"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
	"payrun/ledger/storetest"
)

// ofTheProof skips a test that takes a second or more, or a server of its own, except in .ci/run.
func ofTheProof(t *testing.T) {
	t.Helper()
	if !*whole {
		t.Skip("runs with -postgres")
	}
}

// at connects a machine with a mark of its own.
func at(t *testing.T, url, durability string) *Server {
	t.Helper()
	return connectBy(t, url, Options{Lease: time.Minute, Durability: durability, Marks: t.TempDir()})
}

// begun creates a ledger with planned batches.
func begun(t *testing.T, server *Server, n int) []ledger.Batch {
	t.Helper()
	s, err := server.Create(t.Context(), "asha", time.Now())
	must(t, err)
	batches := storetest.Load(t, s, "nov", n, 1)
	must(t, s.Close())
	return batches
}

// Two servers take writes, because a standby was promoted while the first one lives: the first
// one has no standby that confirms, and permits no call. The other one is accepted first.
func TestTwoServersTakeWrites(t *testing.T) {
	ofTheProof(t)
	t.Parallel()
	pair := pgtest.NewPair(t, true)
	first := at(t, pair.First, "replicated")
	b := begun(t, first, 3)
	s := opened(t, first)
	must(t, s.Apply(t.Context(), storetest.Intent(b[0].ID)))
	must(t, s.MaySend(t.Context(), b[0].ID))
	pair.Follows()

	pair.Promote()
	if err := s.Apply(t.Context(), storetest.Intent(b[1].ID)); err == nil { // it still saw the standby, and waited for it
		says(t, s.MaySend(t.Context(), b[1].ID), "did not confirm")
	} else {
		says(t, err, ledger.ErrNotDurable)
	}
	second := opened(t, at(t, pair.Standby, "single"))
	for _, b := range b[:2] {
		says(t, second.Apply(t.Context(), storetest.Intent(b.ID)), ledger.ErrRestored)
	}
	must(t, second.AcceptRestored(t.Context(), "ravi", "the standby took over", time.Now()))
	must(t, second.Apply(t.Context(), storetest.Intent(b[2].ID)))
	if got := state(t, second, b[0].ID); got != ledger.BatchInitiating {
		t.Errorf("what the first server confirmed is %s on the second", got)
	}
}

// A server that is put back to an earlier moment from its log, and one that pg_upgrade made, are
// other databases: no machine sends before a person accepts, with a mark or without.
func TestAServerThatIsPutBackOrUpgraded(t *testing.T) {
	for name, move := range map[string]func(*pgtest.Alone) (do func()){
		"to an earlier moment": func(a *pgtest.Alone) func() { return a.PutBack() },
		"to another cluster":   func(a *pgtest.Alone) func() { return a.Upgrade },
	} {
		t.Run(name, func(t *testing.T) {
			ofTheProof(t)
			t.Parallel()
			alone := pgtest.NewAlone(t)
			one := at(t, alone.URL, "single")
			b := begun(t, one, 3)
			do := move(alone)
			s := opened(t, one)
			must(t, s.Apply(t.Context(), storetest.Intent(b[0].ID)))
			must(t, s.Close())

			do()
			one.pool.Reset() // its connections are to a server that is gone
			for _, server := range []*Server{one, at(t, alone.URL, "single")} {
				s := opened(t, server)
				says(t, s.Restored(), "another server took over, or it was restored")
				says(t, s.Apply(t.Context(), storetest.Intent(b[1].ID)), ledger.ErrRestored)
			}
			must(t, opened(t, one).AcceptRestored(t.Context(), "ravi", "the bank was asked", time.Now()))
			must(t, opened(t, one).Apply(t.Context(), storetest.Intent(b[2].ID)))
		})
	}
}

// What a role with synchronous_commit = off commits is there after a crash: each transaction of
// the ledger sets it for itself.
func TestACrashLosesNothingOfARoleWithoutSynchronousCommit(t *testing.T) {
	ofTheProof(t)
	t.Parallel()
	alone := pgtest.NewAlone(t)
	pgtest.Exec(t, alone.URL, `ALTER SYSTEM SET wal_writer_delay = '10s'`, `SELECT pg_reload_conf()`, `ALTER ROLE postgres SET synchronous_commit = off`,
		`CREATE TABLE lost (n int)`)
	one := at(t, alone.URL, "single")
	b := begun(t, one, 1)
	s := opened(t, one)
	must(t, s.Apply(t.Context(), storetest.Intent(b[0].ID)))
	must(t, s.MaySend(t.Context(), b[0].ID))
	pgtest.Exec(t, alone.URL, `INSERT INTO lost VALUES (1)`)
	alone.Stop(syscall.SIGQUIT) // at once, without writing what it has in memory
	alone.Start()
	pgtest.Exec(t, alone.URL, `DO $$ BEGIN ASSERT NOT EXISTS (SELECT 1 FROM lost), 'nothing was lost: the crash shows nothing'; END $$`)
	if got := state(t, opened(t, at(t, alone.URL, "single")), b[0].ID); got != ledger.BatchInitiating {
		t.Errorf("after the crash it is %s", got)
	}
}
