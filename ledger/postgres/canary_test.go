package postgres

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
	"payrun/ledger/sqlite"
	"payrun/ledger/storetest"
)

// Broken engines which a history of payments does not tell from a sound one (submitter/simulation/README.md has the
// others): a test here finds each, and finds nothing in the engine as it is.
func TestCanaries(t *testing.T) {
	ofTheProof(t)
	for name, c := range map[string]struct {
		broken func(*engine) sqlite.Engine
		find   func(t *testing.T, url string, batches []ledger.Batch, s *Store, others *Server) (found string)
	}{
		"lock_after_reading":         {func(e *engine) sqlite.Engine { return lateLock{e} }, twoAreHeld},
		"session_lock":               {func(e *engine) sqlite.Engine { return sessionLock{e} }, theSessionKeepsSomething},
		"copy_under_the_ledger_lock": {func(e *engine) sqlite.Engine { return longLock{e} }, theLedgerIsLockedWhileItLoads},
	} {
		t.Run(name, func(t *testing.T) {
			for _, broken := range []bool{false, true} {
				url, batches := planned(t, 2)
				s := machine(t, url)
				if broken {
					s.Tables = sqlite.NewTables(s.LedgerID(), "", c.broken(s.engine))
				}
				if found := c.find(t, url, batches, s, connect(t, url)); (found != "") != broken {
					t.Errorf("broken %t: found %q", broken, found)
				}
			}
		})
	}
}

// lateLock reads what a step depends on, and only then locks the ledger.
type lateLock struct{ *engine }

func (e lateLock) Write(ctx context.Context, fn func(sqlite.Writer) error) error {
	_, err := e.write(ctx, func(w sqlite.Writer) error { return fn(lockingWriter{w}) }, `SELECT 1`)
	return err
}

func (e lateLock) Intend(ctx context.Context, _ string, fn func(sqlite.Writer) error) error {
	return e.Write(ctx, fn)
}

type lockingWriter struct{ sqlite.Writer }

func (w lockingWriter) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	if strings.Contains(query, "SET made") { // before anything is read
		return w.Writer.Exec(ctx, query, args...)
	}
	if meanwhile, ok := ctx.Value(meanwhileKey{}).(func()); ok {
		meanwhile()
	}
	if _, err := w.Writer.Exec(ctx, lockLedger); err != nil {
		return 0, err
	}
	return w.Writer.Exec(ctx, query, args...)
}

// meanwhileKey is of what another machine does between the reading and the writing of a step.
type meanwhileKey struct{}

// twoAreHeld: held_at_once is 1, and of two machines that initiate at once one does.
func twoAreHeld(t *testing.T, url string, batches []ledger.Batch, s *Store, others *Server) string {
	other, did := opened(t, others), make(chan error, 1)
	went := false
	meanwhile := func() {
		if !went {
			went = true
			step := storetest.Intent(batches[1].ID)
			step.HeldAtMost = 1
			did <- other.Apply(context.Background(), step)
		}
	}
	step := storetest.Intent(batches[0].ID)
	step.HeldAtMost = 1
	first := s.Apply(context.WithValue(t.Context(), meanwhileKey{}, meanwhile), step)
	if !went {
		meanwhile()
	}
	if second := <-did; first == nil && second == nil {
		return "two batches of one account are on their way"
	}
	return ""
}

// sessionLock takes a lock of the session, which a pooler gives to someone else with the connection.
type sessionLock struct{ *engine }

func (e sessionLock) Write(ctx context.Context, fn func(sqlite.Writer) error) error {
	_, err := e.write(ctx, fn, `SELECT pg_advisory_lock(1)`, lockLedger)
	return err
}

// theSessionKeepsSomething: after a transaction the connection is as a new one is.
func theSessionKeepsSomething(t *testing.T, _ string, _ []ledger.Batch, s *Store, _ *Server) (found string) {
	must(t, s.RecordLogin(t.Context(), ledger.Login{Name: "ravi", At: t0, Kind: ledger.LoginKinds[0]}))
	for _, conn := range s.engine.pool.AcquireAllIdle(t.Context()) {
		defer conn.Release()
		var kept string
		must(t, conn.QueryRow(t.Context(), `SELECT concat_ws(', ',
			(SELECT string_agg(locktype, ', ') FROM pg_locks WHERE pid = pg_backend_pid() AND locktype IN ('advisory', 'object')),
			(SELECT string_agg(name, ', ') FROM pg_settings WHERE source = 'session'),
			(SELECT string_agg(name, ', ') FROM pg_prepared_statements WHERE NOT from_sql),
			(SELECT string_agg(c, ', ') FROM pg_listening_channels() c))`, pgx.QueryExecModeExec).Scan(&kept))
		found += kept
	}
	return found
}

// longLock locks the ledger from the first row of a load on.
type longLock struct{ *engine }

func (e longLock) Load(ctx context.Context) (sqlite.LoadEngine, error) {
	tx, err := e.beginWrite(ctx, e.lockLoads(), lockLedger)
	if err != nil {
		return nil, err
	}
	return &load{transaction: tx, e: e.engine}, nil
}

// theLedgerIsLockedWhileItLoads: others write while rows are copied.
func theLedgerIsLockedWhileItLoads(t *testing.T, url string, _ []ledger.Batch, s *Store, _ *Server) string {
	_, payouts, _ := sheetOf("dec")
	l, err := s.BeginLoad(t.Context())
	must(t, err)
	defer l.Rollback() //nolint:errcheck // it is broken off
	must(t, l.Add(payouts))
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), `SELECT one FROM payrun.ledger FOR UPDATE NOWAIT`)
	if said, ok := errors.AsType[*pgconn.PgError](err); ok && said.Code == "55P03" {
		return "nobody else can write meanwhile"
	}
	must(t, err)
	return ""
}

// A process that does not hear whether its run, or what it found out, is on record has no ledger.
func TestALostCommitOfARun(t *testing.T) {
	url, _ := planned(t, 1)
	proxy := pgtest.NewProxy(t, url)
	server := connect(t, proxy.URL)
	for _, after := range []bool{false, true} {
		proxy.Lose(1, after, false)
		_, err := server.OpenToWrite(t.Context(), ledger.Claim{})
		says(t, err, ledger.ErrUnreachable)
	}
	proxy.Delay(1)
	_, err := server.OpenToWrite(t.Context(), ledger.Claim{})
	says(t, err, ledger.ErrUnreachable)
	must(t, opened(t, server).RecordLogin(t.Context(), ledger.Login{Name: "ravi", At: time.Now(), Kind: ledger.LoginKinds[0]}))
}

// A COMMIT that the server has only when someone asks what became of it, as one that waited for a standby: behind
// the ledger's lock the answer is final.
func TestACommitThatHangs(t *testing.T) {
	url, b := planned(t, 1)
	proxy := pgtest.NewProxy(t, url)
	s := machine(t, proxy.URL)
	head, err := s.AuditHead(t.Context())
	must(t, err)
	proxy.Delay(1)
	must(t, s.Apply(t.Context(), storetest.Intent(b[0].ID)))
	says(t, s.MaySend(t.Context(), b[0].ID), "did not confirm")
	if now, err := s.AuditHead(t.Context()); err != nil || now.Length != head.Length+1 {
		t.Errorf("%d events more, %v", now.Length-head.Length, err)
	}
}

// A machine that stops in a transaction, with the ledger's lock, loses it, though its lease is not over.
func TestAMachineThatStopsWithTheLock(t *testing.T) {
	ofTheProof(t)
	t.Parallel() // it waits for ten seconds
	url, _ := planned(t, 1)
	stopped, other := machine(t, url), machine(t, url)
	tx, err := stopped.engine.beginWrite(t.Context(), lockLedger)
	must(t, err)
	must(t, other.RecordLogin(t.Context(), ledger.Login{Name: "ravi", At: t0, Kind: ledger.LoginKinds[0]}))
	if _, err := tx.Exec(t.Context(), `SELECT 1`); err == nil {
		t.Error("it has its transaction still")
	}
	tx.rollback()
}
