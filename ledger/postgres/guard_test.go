package postgres

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
	"payrun/ledger/sqlite"
	"payrun/ledger/storetest"
)

// planned makes a ledger in a database of its own, with planned batches.
func planned(t *testing.T, n int) (url string, batches []ledger.Batch) {
	t.Helper()
	_, url = pgtest.Database(t, "")
	s, err := connect(t, url).Create(t.Context(), "asha", time.Now())
	must(t, err)
	return url, storetest.Load(t, s, "nov", n, 1)
}

// machine opens the ledger to write, as a machine with marks of its own.
func machine(t *testing.T, url string) *Store {
	t.Helper()
	return opened(t, connect(t, url))
}

func opened(t *testing.T, server *Server) *Store {
	t.Helper()
	s, err := server.OpenToWrite(t.Context(), ledger.Claim{Holder: ledger.Holder{Command: "initiate", Person: "asha", Host: "desk", PID: 1}})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// says wants an error that is a sentinel, or has words.
func says(t *testing.T, err error, want any) {
	t.Helper()
	switch want := want.(type) {
	case error:
		if !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	case string:
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func state(t *testing.T, s *Store, id string) ledger.BatchState {
	t.Helper()
	b, err := s.Batch(t.Context(), id)
	must(t, err)
	return b.State
}

const lapse = `UPDATE payrun.runs SET until = 0 WHERE ended IS NULL`

// A call is in doubt once its run is over, and not before: by its end, or by its lease. Then
// it is not made any more, and its outcome finds the ledger moved on.
func TestOnlyCallsOfRunsThatAreOverAreRecovered(t *testing.T) {
	url, b := planned(t, 3)
	a, other := machine(t, url), machine(t, url)
	must(t, a.Apply(t.Context(), storetest.Intent(b[0].ID)))
	if ids, err := other.Recover(t.Context(), "ravi", time.Now()); err != nil || len(ids) > 0 {
		t.Fatalf("a live run: %v, %v", ids, err)
	}
	must(t, a.MaySend(t.Context(), b[0].ID))
	must(t, a.Apply(t.Context(), storetest.Intent(b[1].ID)))
	pgtest.Exec(t, url, lapse)
	says(t, a.MaySend(t.Context(), b[1].ID), "this run is over")
	says(t, a.Apply(t.Context(), storetest.Intent(b[2].ID)), "this run is over")
	third := machine(t, url)
	if ids, err := third.Recover(t.Context(), "ravi", time.Now()); err != nil || len(ids) != 2 {
		t.Fatalf("a run that is over: %v, %v", ids, err)
	}
	says(t, a.Apply(t.Context(), ledger.Step{BatchID: b[0].ID, Actor: "asha", From: ledger.BatchInitiating, Event: ledger.InitiateUndone, At: time.Now(), Outcome: ledger.NotSent}), ledger.ErrConflict)
	if got := state(t, third, b[0].ID); got != ledger.BatchInitiateUnknown {
		t.Error(got)
	}
	if got := state(t, third, b[2].ID); got != ledger.BatchPlanned {
		t.Errorf("a run that is over recorded an intent: %s", got)
	}
}

func TestARunIsRenewedAndSeen(t *testing.T) {
	ofTheProof(t)
	url, _ := planned(t, 1)
	server := connectBy(t, url, Options{Lease: 3 * time.Second, Durability: "single", Marks: t.TempDir()})
	s := opened(t, server)
	until := func() (at int64) {
		var over bool
		must(t, s.engine.QueryRow(t.Context(), `SELECT until, until < clock() FROM runs WHERE id = ?`, s.engine.run.id).Scan(&at, &over))
		if over {
			t.Fatal("the run was not renewed in time")
		}
		return at
	}
	for was := until(); until() == was; {
	}
	if h, held, err := server.Holder(t.Context()); err != nil || !held || h.String() != "initiate by asha process 1 on desk" {
		t.Errorf("%v, %t, %v", h, held, err)
	}
	must(t, s.Close())
	if h, held, err := server.Holder(t.Context()); err != nil || held {
		t.Errorf("after its end: %v, %t, %v", h, held, err)
	}
	if ago := time.Since(s.Now()); ago < -time.Minute || ago > time.Minute {
		t.Errorf("the ledger's clock is off by %s", ago)
	}
}

// Where COMMIT is lost, the transaction is done again; where its answer is, it is found. A
// call whose record was only found is not made.
func TestALostCommit(t *testing.T) {
	url, b := planned(t, 3)
	proxy := pgtest.NewProxy(t, url)
	s := machine(t, proxy.URL)
	events := func() int64 {
		head, err := s.AuditHead(t.Context())
		must(t, err)
		return head.Length
	}
	for i, after := range []bool{false, true} {
		was := events()
		proxy.Lose(1, after, false)
		must(t, s.Apply(t.Context(), storetest.Intent(b[i].ID)))
		if got := events(); got != was+1 || state(t, s, b[i].ID) != ledger.BatchInitiating {
			t.Errorf("lost after the server had it %t: %d events more", after, got-was)
		}
		if err := s.MaySend(t.Context(), b[i].ID); (err != nil) != after {
			t.Errorf("lost after the server had it %t: may it be sent: %v", after, err)
		}
		must(t, s.Apply(t.Context(), ledger.Step{BatchID: b[i].ID, Actor: "asha", From: ledger.BatchInitiating, Event: ledger.InitiateUndone, At: time.Now(), Outcome: ledger.NotSent}))
	}
	was := events()
	s.engine.run.until.Store(nil) // otherwise it waits for the server until its lease is over
	proxy.Lose(1, true, true)
	says(t, s.Apply(t.Context(), storetest.Intent(b[2].ID)), ledger.ErrCommitUnknown)
	says(t, s.MaySend(t.Context(), b[2].ID), "recorded no such call")
	proxy.Lose(0, false, false)
	if got := events(); got != was+1 {
		t.Errorf("%d events more", got-was)
	}
}

// An outcome, and what is read for it, waits for a server that restarts: before it is written, or
// while it is.
func TestARestartLosesNoOutcome(t *testing.T) {
	ofTheProof(t)
	server := pgtest.NewAlone(t)
	s, err := connect(t, server.URL).Create(t.Context(), "asha", time.Now())
	must(t, err)
	b := storetest.Load(t, s, "nov", 4, 1)
	s = machine(t, server.URL)
	for i, how := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} { // pg_ctl restart -m fast, and -m immediate
		outcome := func(id string) ledger.Step {
			return ledger.Step{BatchID: id, Actor: "asha", From: ledger.BatchInitiating, Event: ledger.InitiateUndone, At: time.Now(), Outcome: ledger.NotSent}
		}
		for _, b := range b[2*i : 2*i+2] {
			must(t, s.Apply(t.Context(), storetest.Intent(b.ID)))
		}
		server.Stop(how)
		done := make(chan error, 1)
		go func() {
			_, err := s.Attempts(t.Context(), b[2*i].ID)
			done <- errors.Join(err, s.Apply(t.Context(), outcome(b[2*i].ID)))
		}()
		server.Start()
		must(t, <-done)

		tries := 0
		must(t, s.engine.Write(t.Context(), func(w sqlite.Writer) error {
			if tries++; tries == 1 {
				server.Stop(how)
				server.Start()
			}
			_, err := w.Exec(t.Context(), `UPDATE runs SET task = 'tried' WHERE id = ?`, s.engine.run.id)
			return err
		}))
		must(t, s.Apply(t.Context(), outcome(b[2*i+1].ID)))
		if tries != 2 || state(t, s, b[2*i].ID) != ledger.BatchPlanned {
			t.Errorf("after %s: %d tries, %s", how, tries, state(t, s, b[2*i].ID))
		}
	}
}

func TestAConnectionThatIsLostBeforeCommit(t *testing.T) {
	url, _ := planned(t, 1)
	s := machine(t, url)
	for _, c := range []struct {
		losses int
		want   error
	}{{writeTries - 1, nil}, {writeTries, ledger.ErrUnreachable}} {
		tries := 0
		err := sqlite.Damage("write", s.engine.Write(t.Context(), func(w sqlite.Writer) error {
			if tries++; tries > c.losses {
				return nil
			}
			_, err := w.Exec(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`)
			return err
		}))
		if !errors.Is(err, c.want) || tries != writeTries {
			t.Errorf("lost %d times: %v after %d tries", c.losses, err, tries)
		}
	}
}

func TestALostCommitOfALoad(t *testing.T) {
	url, _ := planned(t, 1)
	proxy := pgtest.NewProxy(t, url)
	s := machine(t, proxy.URL)
	load := func(name string) error {
		list := storetest.Payouts(name, 3)
		_, err := storetest.TryLoad(s, name, list, storetest.Plan(list, 1))
		return err
	}
	proxy.Lose(1, true, false)
	must(t, load("dec"))
	proxy.Lose(1, false, false)
	says(t, load("jan"), ledger.ErrUnreachable)
	s.engine.run.until.Store(nil) // otherwise it waits for the server until its lease is over
	proxy.Lose(1, true, true)
	says(t, load("feb"), ledger.ErrCommitUnknown)
	proxy.Lose(0, false, false)
	must(t, load("jan"))
	says(t, load("feb"), ledger.ErrDuplicate)
}

// Each reason for which a call that is on record is not made.
func TestTheLastLook(t *testing.T) {
	url, b := planned(t, 7)
	for i, c := range []struct {
		after func(s *Store, p *permit)
		want  string
	}{
		{func(*Store, *permit) {}, ""},
		{func(_ *Store, p *permit) { p.clock -= sendWithin.Microseconds() }, "too much time"}, // by the database's clock
		{func(_ *Store, p *permit) { p.at = p.at.Add(-sendWithin) }, "too much time"},
		{func(_ *Store, p *permit) { p.at = p.at.Round(0).Add(-sendWithin) }, "too much time"}, // by the wall clock
		{func(_ *Store, p *permit) { p.here = "another" }, "another one now"},
		{func(s *Store, _ *permit) { must(t, s.Close()) }, "this run is over"},
		{func(s *Store, _ *permit) { s.engine.run.id = "another" }, "no longer open"},
	} {
		s := machine(t, url)
		must(t, s.Apply(t.Context(), storetest.Intent(b[i].ID)))
		p := s.engine.guard.permits[b[i].ID]
		c.after(s, &p)
		s.engine.guard.permits[b[i].ID] = p
		err := s.MaySend(t.Context(), b[i].ID)
		if c.want != "" {
			says(t, err, c.want)
		} else {
			must(t, err)
		}
		says(t, s.MaySend(t.Context(), b[i].ID), "no such call") // it was asked
	}
}

func TestACommitThatMayBeTakenBackIsNone(t *testing.T) {
	good := standing{fsync: "on", pages: "on", commits: "on", standby: true}
	for want, change := range map[string]func(*standing){
		"":                   func(*standing) {},
		"fsync":              func(s *standing) { s.fsync = "off" },
		"full_page_writes":   func(s *standing) { s.pages = "off" },
		"synchronous_commit": func(s *standing) { s.commits = "local" },
		"standby":            func(s *standing) { s.standby = false },
	} {
		is := good
		change(&is)
		for _, durability := range []string{"replicated", "managed", "single"} {
			got := is.undurable(durability)
			if refused := want != "" && (want != "standby" || durability == "replicated"); (got != "") != refused || !strings.Contains(got, want) && refused {
				t.Errorf("%s, %s: %q", want, durability, got)
			}
		}
	}
}

// With a synchronous standby a call may be made, without one not; nor after a wait for the
// standby that was broken off, of which the server gives only a notice.
func TestReplicated(t *testing.T) {
	pgtest.Needs(t, "pg_receivewal")
	url, b := planned(t, 3)
	server := at(t, url, "replicated")
	s := opened(t, server)
	says(t, s.Apply(t.Context(), storetest.Intent(b[0].ID)), ledger.ErrNotDurable)
	if got := state(t, s, b[0].ID); got != ledger.BatchPlanned {
		t.Errorf("it is %s", got)
	}
	standby := standbyOf(t, url)
	must(t, s.Apply(t.Context(), storetest.Intent(b[1].ID)))
	must(t, s.MaySend(t.Context(), b[1].ID))
	must(t, standby.stop())
	done := make(chan error, 1)
	go func() { done <- s.Apply(context.Background(), storetest.Intent(b[2].ID)) }()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer conn.Close(context.Background())
	for cancelled := false; !cancelled; {
		must(t, conn.QueryRow(t.Context(), `SELECT coalesce(bool_or(pg_cancel_backend(pid)), false) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database()`).Scan(&cancelled))
	}
	must(t, <-done)
	says(t, s.MaySend(t.Context(), b[2].ID), "did not confirm")
}

// standby is a synchronous one of the server, for one test: it receives and keeps nothing
// else.
type standby struct{ cmd *exec.Cmd }

func standbyOf(t *testing.T, url string) standby {
	t.Helper()
	cmd := exec.Command(filepath.Join(pgtest.Binaries(), "pg_receivewal"), "--synchronous", "--no-loop", "-D", t.TempDir(), "-d", url+"&application_name=payrun_standby")
	must(t, cmd.Start())
	t.Cleanup(func() {
		pgtest.Exec(t, url, `ALTER SYSTEM RESET synchronous_standby_names`, `SELECT pg_reload_conf()`)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	pgtest.Exec(t, url, `ALTER SYSTEM SET synchronous_standby_names = 'payrun_standby'`, `SELECT pg_reload_conf()`)
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer conn.Close(context.Background())
	for there := false; !there; {
		must(t, conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync')`).Scan(&there))
	}
	return standby{cmd}
}

// stop keeps it connected, and confirming nothing.
func (s standby) stop() error { return s.cmd.Process.Signal(syscall.SIGSTOP) }

// A database that another server took over, or that was copied, sends nothing until a
// person accepts it; then every machine does again.
func TestALedgerThatMovedIsAcceptedFirst(t *testing.T) {
	url, b := planned(t, 3)
	a, other := connect(t, url), connect(t, url)
	s := opened(t, a)
	must(t, s.Apply(t.Context(), storetest.Intent(b[0].ID)))
	must(t, s.Close())
	pgtest.Exec(t, url, `SET search_path = payrun; INSERT INTO homes (is_at, at) VALUES ('elsewhere', 1)`)
	s, second := opened(t, a), opened(t, other)
	for _, s := range []*Store{s, second} {
		says(t, s.Restored(), ledger.ErrRestored)
		says(t, s.Apply(t.Context(), storetest.Intent(b[1].ID)), ledger.ErrRestored)
	}
	found, err := s.Verify(t.Context())
	if err != nil || len(found) != 1 || found[0].Kind != ledger.ProblemBehind {
		t.Errorf("%v, %v", found, err)
	}
	must(t, s.AcceptRestored(t.Context(), "asha", "a failover", time.Now()))
	says(t, s.AcceptRestored(t.Context(), "asha", "a failover", time.Now()), ledger.ErrNotFound)
	for i, server := range []*Server{a, other} {
		s := opened(t, server)
		must(t, s.Restored())
		must(t, s.Apply(t.Context(), storetest.Intent(b[1+i].ID)))
		must(t, s.MaySend(t.Context(), b[1+i].ID))
		found, err := s.Verify(t.Context())
		if err != nil || len(found) > 0 {
			t.Errorf("%v, %v", found, err)
		}
	}
}

// A new ledger in the place of a lost one does not know what was paid: it sends nothing until a
// person accepts it.
func TestANewLedgerInThePlaceOfALostOne(t *testing.T) {
	url, b := planned(t, 1)
	a, other, third := connect(t, url), connect(t, url), connect(t, url)
	s := opened(t, a)
	must(t, s.Apply(t.Context(), storetest.Intent(b[0].ID)))
	must(t, s.Close())
	pgtest.Exec(t, url, `DROP SCHEMA payrun CASCADE`)
	s, err := other.Create(t.Context(), "asha", time.Now())
	must(t, err)
	b = storetest.Load(t, s, "nov", 3, 1)
	must(t, opened(t, third).Restored()) // it has seen neither
	for i, server := range []*Server{a, third} {
		s := opened(t, server)
		says(t, s.Restored(), "another one in its place")
		says(t, s.Apply(t.Context(), storetest.Intent(b[i].ID)), ledger.ErrRestored)
	}
	must(t, opened(t, third).AcceptRestored(t.Context(), "ravi", "nothing was paid from the lost one", time.Now()))
	for i, server := range []*Server{a, other, third} {
		must(t, opened(t, server).Apply(t.Context(), storetest.Intent(b[i].ID)))
	}
}

// A ledger that moves while a run has it open records no intent of that run.
func TestALedgerThatMovesMeanwhile(t *testing.T) {
	url, b := planned(t, 1)
	s := machine(t, url)
	pgtest.Exec(t, url, `SET search_path = payrun; INSERT INTO homes (is_at, at) VALUES ('elsewhere', 1)`)
	says(t, s.Apply(t.Context(), storetest.Intent(b[0].ID)), ledger.ErrRestored)
	if got := state(t, s, b[0].ID); got != ledger.BatchPlanned {
		t.Errorf("it is %s", got)
	}
}

// A ledger that lacks what one machine saw in it is known to all: an older copy in the same
// place, as a dump that was put back.
func TestALedgerBehindAMarkIsRefusedEverywhere(t *testing.T) {
	_, url := pgtest.Database(t, "")
	a, other := connect(t, url), connect(t, url)
	s, err := a.Create(t.Context(), "asha", time.Now())
	must(t, err)
	b := storetest.Load(t, s, "nov", 2, 1)
	s = opened(t, a)
	must(t, s.Apply(t.Context(), storetest.Intent(b[0].ID)))
	must(t, s.Close())
	must(t, opened(t, other).Restored()) // it has no mark yet
	pgtest.Exec(t, url, `SET session_replication_role = replica`+`; DELETE FROM payrun.events WHERE seq = (SELECT max(seq) FROM payrun.events);
		DELETE FROM payrun.looks; DELETE FROM payrun.intents; UPDATE payrun.batches SET state = 'planned'`)
	for i, server := range []*Server{a, other} {
		s := opened(t, server)
		says(t, s.Restored(), "had reached event")
		says(t, s.Apply(t.Context(), storetest.Intent(b[i].ID)), ledger.ErrRestored)
	}
	must(t, opened(t, other).AcceptRestored(t.Context(), "ravi", "the bank was asked", time.Now()))
	must(t, opened(t, a).Restored())
}

func TestAMachineWithoutAFolderForItsMarkSendsNothing(t *testing.T) {
	url, b := planned(t, 2)
	server := connectBy(t, url, Options{Lease: time.Minute, Durability: "single"})
	says(t, opened(t, server).Apply(t.Context(), storetest.Intent(b[0].ID)), ledger.ErrNotDurable)
	s := machine(t, url)
	s.engine.guard.path = t.TempDir() // a folder is in its place
	must(t, s.Apply(t.Context(), storetest.Intent(b[1].ID)))
	if err := s.MaySend(t.Context(), b[1].ID); err == nil {
		t.Error("the mark was not raised, and the call is made")
	}
}
