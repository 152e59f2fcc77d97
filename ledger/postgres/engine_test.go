package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
	"payrun/ledger/sqlite"
	"payrun/ledger/storetest"
)

var t0 = time.Date(2025, 11, 3, 9, 30, 0, 0, time.UTC)

// made is a server with a new ledger.
func made(t *testing.T) (*Server, *Store) {
	t.Helper()
	p := &place{t: t}
	s, err := p.Create(t.Context(), "ENGINETESTAAAAAAAAAAAAAAAA", "asha", t0)
	must(t, err)
	return p.server, s.(*Store)
}

func sheetOf(name string) (ledger.Sheet, []ledger.KeyedPayout, []ledger.PlannedBatch) {
	p := ledger.Payout{Row: 2, Amount: 100, Ref: name + "-1", VendorName: "Asha", BankAccountNumber: "50100000000001", IFSC: "HDFC0000001", BankAccountID: "acc", TransactionTypeID: "NEFT"}
	hash := ledger.KeptPassword(name)
	return ledger.Sheet{Name: name, SHA256: hash, RowsHash: hash, Format: "csv", Header: 1, Rows: 1, HasTotal: true, Total: 100, Accepted: ledger.Tally{Count: 1, Total: 100}, LoadedAt: t0, LoadedBy: "asha"},
		[]ledger.KeyedPayout{{Payout: p, Key: name + "-1"}},
		[]ledger.PlannedBatch{{BankAccountID: "acc", PartnerBankID: 3, TransactionTypeID: "NEFT", Members: []int32{0}, Total: 100}}
}

// Steps go on while a sheet is loaded: a load takes the ledger's lock only at its end.
func TestStepsGoOnWhileASheetIsLoaded(t *testing.T) {
	_, s := made(t)
	sheet, payouts, plan := sheetOf("nov")
	l, err := s.BeginLoad(t.Context())
	must(t, err)
	must(t, l.Add(payouts))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	must(t, s.RecordLogin(ctx, ledger.Login{Name: "ravi", At: t0, Kind: ledger.LoginKinds[0]}))
	batches, err := l.Commit(sheet, plan)
	if err != nil || len(batches) != 1 {
		t.Fatal(batches, err)
	}
	if problems, err := s.Verify(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

// A second load waits as long as it may, and is refused, with the name of the first.
func TestASecondLoadWaits(t *testing.T) {
	server, _ := made(t)
	s := opened(t, server)
	l, err := s.BeginLoad(t.Context())
	must(t, err)
	defer l.Rollback() //nolint:errcheck // nothing was written
	other, err := server.OpenToWrite(t.Context(), ledger.Claim{})
	must(t, err)
	_, err = other.BeginLoad(t.Context())
	says(t, err, ledger.ErrLocked)
	says(t, err, "initiate by asha process 1 on desk (backend ")
}

// A process that stopped within COPY keeps the ledger's lock and no timeout ends it: the next
// run does, once its lease is over.
func TestAProcessThatStoppedWithinCOPY(t *testing.T) {
	server, s := made(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stopped, err := pgconn.Connect(ctx, s.engine.pool.Config().ConnString())
	must(t, err)
	started, over := make(chan struct{}), make(chan error)
	if _, err := stopped.Exec(ctx, `SET search_path = payrun; INSERT INTO runs (id, host, pid, os_user, command, person, since, until) VALUES ('R', 'h', 7, 'u', 'load', 'asha', 1, clock())`).ReadAll(); err != nil {
		t.Fatal(err)
	}
	_, err = stopped.Exec(ctx, `BEGIN; SET LOCAL application_name = 'payrun R'; `+lockLedger).ReadAll()
	must(t, err)
	go func() {
		_, err := stopped.CopyFrom(ctx, readerFunc(func(p []byte) (int, error) {
			close(started)
			<-ctx.Done()
			return 0, io.EOF
		}), `COPY branch_list (one) FROM STDIN`)
		over <- err
	}()
	<-started
	next, err := server.OpenToWrite(t.Context(), ledger.Claim{})
	must(t, err)
	defer next.Close()
	if err := next.RecordLogin(t.Context(), ledger.Login{Name: "ravi", At: t0, Kind: ledger.LoginKinds[0]}); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-over; err == nil {
		t.Error("its COPY went through")
	}
}

// A role that may not end a stopped process names it: its number, its host, and the connection to end.
func TestAStoppedProcessThatMayNotBeEnded(t *testing.T) {
	url, _ := planned(t, 1)
	s := worker(t, url, "weak")
	stopped, err := pgconn.Connect(t.Context(), url)
	must(t, err)
	defer stopped.Close(context.Background())
	for _, query := range []string{`SET search_path = payrun`,
		`INSERT INTO runs (id, host, pid, os_user, command, person, since, until) VALUES ('R', 'h', 7, 'u', 'load', 'asha', 1, clock())`,
		`BEGIN; SET LOCAL application_name = 'payrun R'; ` + lockLedger} {
		_, err := stopped.Exec(t.Context(), query).ReadAll()
		must(t, err)
	}
	ended, err := s.engine.endStopped(t.Context())
	if says(t, err, "process 7 on h stopped in the middle of a write"); ended != 0 {
		t.Errorf("%d were ended", ended)
	}
	says(t, err, fmt.Sprintf("SELECT pg_terminate_backend(%d)", stopped.PID()))
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A server that is gone is distinguished from a ledger that is damaged.
func TestAServerThatIsNotThere(t *testing.T) {
	server := connect(t, "postgres://payrun@127.0.0.1:1/books?sslmode=disable")
	_, err := server.Open(t.Context())
	says(t, err, ledger.ErrUnreachable)

	silent, err := net.Listen("tcp", "127.0.0.1:0") // it accepts, and does not answer
	must(t, err)
	defer silent.Close()
	config, err := pgxpool.ParseConfig("postgres://payrun@" + silent.Addr().String() + "/books?sslmode=disable")
	must(t, err)
	config.ConnConfig.ConnectTimeout = 50 * time.Millisecond
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	must(t, err)
	server = &Server{pool: pool}
	defer server.Close()
	_, err = server.Open(t.Context())
	says(t, err, ledger.ErrUnreachable)
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = server.Open(ended)
	says(t, err, context.Canceled)
}

// An empty database has no ledger, and only Create makes one.
func TestOnlyCreateMakesALedger(t *testing.T) {
	name, _ := pgtest.Database(t, "")
	server := connect(t, pgtest.Pooled(t, name))
	if _, err := server.Open(t.Context()); !errors.Is(err, ledger.ErrNoLedger) {
		t.Error(err)
	}
	for _, want := range []error{nil, ledger.ErrLedgerExists} {
		if _, err := server.Create(t.Context(), "asha", t0); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	if _, err := server.Open(t.Context()); err != nil {
		t.Error(err)
	}
}

// A ledger is made and used only where its texts stay what they are, and can be written.
func TestADatabaseThatDoesNotFit(t *testing.T) {
	ofTheProof(t)
	_, url := pgtest.Database(t, "")
	pgtest.Exec(t, url, `DROP DATABASE IF EXISTS latin`, `CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`)
	latin := connect(t, pgtest.URL(t, "latin"))
	_, err := latin.Create(t.Context(), "asha", t0)
	says(t, err, ledger.ErrUnfit)
	says(t, err, "LATIN1")
	_, err = latin.Open(t.Context())
	says(t, err, ledger.ErrUnfit)
	for _, url := range []string{pgtest.URL(t, "nosuch"), as("nosuch", url)} {
		_, err := connect(t, url).Open(t.Context())
		says(t, err, ledger.ErrUnfit)
	}

	pair := pgtest.NewPair(t, false)
	_, err = connect(t, pair.URL).Create(t.Context(), "asha", t0)
	must(t, err)
	pair.Follows()
	standby := connect(t, pair.Standby)
	_, err = standby.OpenToWrite(t.Context(), ledger.Claim{})
	says(t, err, "is a standby, which takes no writes")
	_, err = standby.Create(t.Context(), "asha", t0)
	says(t, err, ledger.ErrUnfit)
	_, err = standby.Migrate(t.Context())
	says(t, err, ledger.ErrUnfit)
	s, err := standby.Open(t.Context())
	must(t, err)
	_, err = s.AuditHead(t.Context())
	must(t, err)
}

// What the program does not know of the schema stops it.
func TestAnotherProgramsSchema(t *testing.T) {
	for change, want := range map[string]error{
		`UPDATE payrun.migrations SET sha256 = 'x'`:                       ledger.ErrLedgerDamaged,
		`INSERT INTO payrun.migrations VALUES (2, '0002_newer.sql', 'x')`: ledger.ErrLedgerDamaged,
		`DELETE FROM payrun.migrations`:                                   ledger.ErrOutdated,
	} {
		name, url := pgtest.Database(t, "")
		server := connect(t, pgtest.Pooled(t, name))
		if _, err := server.Create(t.Context(), "asha", t0); err != nil {
			t.Fatal(err)
		}
		pgtest.Exec(t, url, change)
		if _, err := server.Open(t.Context()); !errors.Is(err, want) {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// A cursor is planned to be read to its end: what reads the attempts of a batch in order does not
// read those of every batch, and what reads the latest attempts probes the further ones, of which
// the planner knows none before the next ANALYZE.
func TestACursorReadsAttemptsByTheirIndexes(t *testing.T) {
	server, s := made(t)
	storetest.Load(t, s, "nov", 8000, 500)
	pgtest.Exec(t, pgtest.URL(t, server.pool.Config().ConnConfig.Database), `SET search_path = payrun`, `UPDATE batches SET made = 1`, `ANALYZE attempts`,
		`SET session_replication_role = replica`, // without the rules of a retry
		`INSERT INTO attempts (payout_id, number, batch_no, wire_ref) SELECT payout_id, 2, batch_no, 'again' || payout_id FROM attempts WHERE payout_id % 2 = 0`)
	for query, want := range map[string]string{
		`SELECT a.payout_id, p.ref FROM attempts a JOIN payouts p ON p.id = a.payout_id WHERE a.batch_no = 2 ORDER BY a.payout_id, a.number`: "attempts_by_batch",
		`SELECT a.payout_id FROM attempts a WHERE NOT EXISTS (SELECT 1 FROM attempts n INDEXED BY attempts_further
			WHERE n.payout_id = a.payout_id AND n.number > 1 AND n.number > a.number) ORDER BY a.payout_id, a.number`: "Index Cond: ((payout_id = a.payout_id)",
	} {
		var plan []string
		must(t, (&engine{pool: server.pool}).Moment(t.Context(), func(r sqlite.Snapshot) error {
			rows, err := r.Query(t.Context(), `EXPLAIN DECLARE c CURSOR FOR `+query)
			for err == nil && rows.Next() {
				plan = append(plan, "")
				err = rows.Scan(&plan[len(plan)-1])
			}
			return err
		}))
		if all := strings.Join(plan, "\n"); !strings.Contains(all, want) {
			t.Errorf("%s\n%s", query, all)
		}
	}
}
