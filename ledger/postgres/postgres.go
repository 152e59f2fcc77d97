// Package postgres keeps the ledger in PostgreSQL 15 or later, for several machines at once (shared-ledger.md).
// It runs the queries of ledger/sqlite, which both stores share, on its own engine: how a transaction begins
// and what it locks, how rows are loaded in bulk, what an error means. The schema repeats the domain's rules in
// PostgreSQL's dialect (migrations/). The package has no rules of its own: package ledger decides.
package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// Server is the database of a ledger, and the connections to it.
type Server struct {
	pool *pgxpool.Pool
	set  Options
}

// mostConnections bounds the connections of a process.
const mostConnections = 8

// connectWithin bounds the wait for a server that does not answer.
const connectWithin = 15 * time.Second

// Connect prepares the use of the database of a URL. It opens no connection yet.
func Connect(url string, set Options) (*Server, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("the ledger's URL cannot be used") // the error would quote the URL
	}
	config.MaxConns = mostConnections
	config.ConnConfig.ConnectTimeout = connectWithin
	config.ConnConfig.OnNotice = func(c *pgconn.PgConn, _ *pgconn.Notice) { c.CustomData()[warned] = true }
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	return &Server{pool, set}, nil
}

// Close closes all connections.
func (s *Server) Close() { s.pool.Close() }

// Store is an open ledger. Its methods may be called from several goroutines.
type Store struct {
	*sqlite.Tables
	engine *engine
	role   string
}

// Role returns the actor of the role that logged in: the person at a terminal.
func (s *Store) Role() string { return s.role }

// RoleNamed returns the actor of a role that can log in, or ErrNoRole if there is none.
func (s *Store) RoleNamed(ctx context.Context, name string) (actor string, err error) {
	var there, super bool
	err = s.engine.QueryRow(ctx, `SELECT count(*) > 0, coalesce(bool_or(rolsuper OR rolcreaterole), false) FROM pg_roles WHERE rolname = ? AND rolcanlogin`, name).Scan(&there, &super)
	if err == nil && !there {
		err = ErrNoRole
	}
	return ledger.DatabaseRole(name, super), err
}

// Create creates the tables of a new, empty ledger in the database, and opens it to write. It returns
// ledger.ErrLedgerExists if there is one.
func (s *Server) Create(ctx context.Context, actor string, at time.Time) (*Store, error) {
	return s.create(ctx, rand.Text(), actor, at)
}

func (s *Server) create(ctx context.Context, id, actor string, at time.Time) (*Store, error) {
	e := &engine{pool: s.pool, writable: true}
	store := &Store{Tables: sqlite.NewTables(id, "", e), engine: e}
	_, err := e.write(ctx, func(w sqlite.Writer) error {
		if err := w.(*transaction).makeTables(ctx); err != nil {
			return err
		}
		var login string
		var super bool
		if err := w.QueryRow(ctx, `SELECT `+loggedIn).Scan(&login, &super); err != nil {
			return err
		}
		if store.role = ledger.DatabaseRole(login, super); ledger.AtTerminal(actor) {
			actor = store.role
		}
		return store.Found(ctx, w, actor, at)
	})
	if err != nil {
		return nil, sqlite.Damage("create the ledger", err)
	}
	return store, nil
}

// makeTables creates the tables of a new ledger. It returns ledger.ErrLedgerExists if there is one.
func (tx *transaction) makeTables(ctx context.Context) error {
	_, there, err := fit(ctx, tx, true)
	if err != nil {
		return err
	}
	var lacks string
	err = tx.QueryRow(ctx, `SELECT CASE WHEN has_database_privilege(current_database(), 'CREATE') THEN '' ELSE
		format('GRANT CREATE ON DATABASE %I TO %I', current_database(), current_user) END`).Scan(&lacks)
	switch {
	case err != nil:
		return err
	case there:
		return ledger.ErrLedgerExists
	case lacks != "":
		return fmt.Errorf("%w: %s", ledger.ErrNoRight, lacks)
	}
	if err := tx.script(ctx, `CREATE SCHEMA IF NOT EXISTS payrun`); err != nil {
		return err
	}
	if err := tx.take(ctx, 0); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO homes (is_at, at) VALUES (here(), clock())`)
	return err
}

// script runs several statements.
func (tx *transaction) script(ctx context.Context, statements string) error {
	_, err := tx.conn.Exec(ctx, statements).ReadAll()
	return meant(err)
}

// Open opens the ledger for views and checks. It returns ledger.ErrNoLedger if there is none.
func (s *Server) Open(ctx context.Context) (*Store, error) { return s.open(ctx, false, ledger.Claim{}) }

// OpenToWrite opens the ledger for one operation that writes, and begins its run. Others may
// have it open too: each transaction takes the ledger's lock.
func (s *Server) OpenToWrite(ctx context.Context, claim ledger.Claim) (*Store, error) {
	store, err := s.open(ctx, true, claim)
	if err != nil {
		return nil, err
	}
	err = store.engine.beginRun(ctx, claim.Holder, s.set.Lease)
	if err == nil {
		_, err = store.engine.endStopped(ctx)
	}
	if err == nil {
		err = store.watch(ctx)
	}
	if err != nil {
		store.engine.endRun()
		return nil, sqlite.Damage("open the ledger", err)
	}
	return store, nil
}

func (s *Server) open(ctx context.Context, write bool, claim ledger.Claim) (*Store, error) {
	e := &engine{pool: s.pool, writable: write, wait: claim.Wait, guard: guard{Options: s.set, permits: map[string]permit{}}}
	var id, login string
	var super bool
	err := e.Moment(ctx, func(r sqlite.Snapshot) error {
		role, err := present(ctx, r, write)
		if err != nil {
			return err
		}
		grants, err := lacks(ctx, r, role, write)
		if err := errors.Join(err, missing(grants)); err != nil {
			return err
		}
		if err := sameMigrations(ctx, r); err != nil {
			return err
		}
		return r.QueryRow(ctx, `SELECT id, `+loggedIn+` FROM ledger`).Scan(&id, &login, &super)
	})
	store := &Store{sqlite.NewTables(id, claim.Proof, e), e, ledger.DatabaseRole(login, super)}
	if err == nil && write {
		err = store.Moved(ctx)
	}
	if err != nil {
		return nil, sqlite.Damage("open the ledger", err)
	}
	return store, nil
}

const oldestServer = 150000

// fit refuses a server or database in which payrun cannot work. It returns the connection's role, and whether a
// ledger exists.
func fit(ctx context.Context, r sqlite.Reader, write bool) (role string, there bool, err error) {
	var version int
	var encoding string
	var standby bool
	err = r.QueryRow(ctx, `SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding'), current_user, `+hasLedger+`, pg_is_in_recovery()`).
		Scan(&version, &encoding, &role, &there, &standby)
	switch {
	case err != nil:
	case version < oldestServer:
		err = fmt.Errorf("%w: the server is older than PostgreSQL 15", ledger.ErrUnfit)
	case encoding != "UTF8":
		err = fmt.Errorf("%w: it keeps texts as %s, and not as UTF8", ledger.ErrUnfit, encoding)
	case write && standby:
		err = fmt.Errorf("%w: the server is a standby, which takes no writes", ledger.ErrUnfit)
	}
	return role, there, err
}

// present is fit for a ledger that must exist.
func present(ctx context.Context, r sqlite.Reader, write bool) (role string, err error) {
	role, there, err := fit(ctx, r, write)
	if err == nil && !there {
		err = fmt.Errorf("%w in this database", ledger.ErrNoLedger)
	}
	return role, err
}

// loggedIn selects the role that opened the connection, and whether it can become any role.
const loggedIn = `session_user, (SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = session_user)`

// hasLedger also works for a role that has no right to the schema.
const hasLedger = `EXISTS (SELECT 1 FROM pg_class WHERE relname = 'ledger' AND relnamespace = to_regnamespace('payrun'))`

// Close ends the run and the use of the ledger. The server keeps the connections.
func (s *Store) Close() error {
	s.engine.endRun()
	return nil
}

// Backup returns an error: backups are the task of the database.
func (s *Store) Backup(context.Context, string) (ledger.Backup, error) {
	return ledger.Backup{}, errors.New("a ledger in PostgreSQL is backed up with pg_dump or pg_basebackup; what is restored has to be accepted")
}

// Verify checks the audit chain and every invariant that the ledger alone can prove, in one snapshot.
func (s *Store) Verify(ctx context.Context) (found []ledger.Problem, err error) {
	mark := sqlite.Part{Finds: ledger.ProblemBehind, Check: func(ctx context.Context, _ sqlite.Snapshot, report func(int, string, string)) error {
		_, why, err := s.compare(ctx)
		if err == nil && why != "" {
			report(18, "the ledger is where it was, and contains this machine's mark", why)
		}
		return err
	}}
	err = s.engine.Moment(ctx, func(r sqlite.Snapshot) error {
		found, err = s.VerifyParts(ctx, []sqlite.Snapshot{r}, mark)
		return err
	})
	return found, sqlite.Damage("verify the ledger", err)
}
