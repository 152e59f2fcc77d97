package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite/internal/connect"
)

// applicationID marks the file as ours ("payr"), so that another program's database is never opened as a
// ledger.
const applicationID = 0x70617972

// Create creates a new, empty ledger at path, readable by its owner only, and opens it exclusively. It returns
// ledger.ErrLedgerExists if a file is already there, even a left-over write-ahead log, which may hold payouts, or the
// mark of a ledger that is missing.
func Create(ctx context.Context, path, actor string, at time.Time) (*Store, error) {
	_, err := os.Lstat(path)
	if _, marked := os.Lstat(path + markSuffix); marked == nil && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("create %s: %w: its mark %s is here, so the ledger itself is missing: put it back", path, ledger.ErrLedgerExists, path+markSuffix)
	}
	path, lock, err := claimNew(ctx, path, "payrun init", actor)
	if err != nil {
		return nil, err
	}
	if err := build(ctx, path, rand.Text(), actor, at); err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return open(ctx, path, lock, nil)
}

// claimNew takes the lock of a ledger to be created, and returns its absolute path.
func claimNew(ctx context.Context, path, command, actor string) (string, *runLock, error) {
	path, err := filepath.Abs(path)
	if err == nil {
		err = checkWriters(path)
	}
	if err != nil {
		return path, nil, err
	}
	lock, err := takeLock(ctx, path, ledger.Claim{Holder: ledger.Holder{Command: command, Person: actor}})
	return path, lock, err
}

// build creates a new ledger.
func build(ctx context.Context, path, id, actor string, at time.Time) error {
	return newLedger(path, func(temp string) error { return damage("create "+path, fill(ctx, temp, id, actor, at)) })
}

// newLedger calls fill to create a ledger under a temporary name, if there is none, and then gives it its name.
func newLedger(path string, fill func(temp string) error) error {
	for _, p := range []string{path, path + "-wal"} {
		if _, err := os.Lstat(p); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("create %s: %w", path, errors.Join(ledger.ErrLedgerExists, err))
		}
	}
	err := newFile(path, sharing{}, os.Link, func(temp string) error { return onDisk(path, fill(temp)) })
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("create %s: %w", path, ledger.ErrLedgerExists)
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(*os.LinkError)):
		return fmt.Errorf("create %s: %w: %w", path, ledger.ErrLedgerDamaged, err)
	}
	return err
}

// pageSize of a new ledger, in bytes. Pages four times SQLite's own need a quarter of the writes when a sheet
// is loaded; nothing else changes.
const pageSize = 16384

// fill writes the schema, the identity and the first event of a new file.
func fill(ctx context.Context, path, id, actor string, at time.Time) error {
	s, err := newTables(ctx, path)
	if err != nil {
		return err
	}
	defer s.write.Close()
	s.id = id
	if err := s.inTx(ctx, "found the ledger", func(tx Writer) error { return s.Found(ctx, tx, actor, at) }); err != nil {
		return err
	}
	// Close would not report a full disk, and would leave half of the ledger.
	if _, err := s.write.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		return err
	}
	return s.write.Close()
}

// newTables writes the schema of a new file, and returns a store that can only write.
func newTables(ctx context.Context, path string) (*Store, error) {
	s := newFileStore(path, nil)
	s.write = unwatched(path, writing)
	if err := s.migrate(ctx, 0); err != nil {
		return nil, errors.Join(err, s.write.Close())
	}
	return s, nil
}

// unwatched returns a pool of one connection that no test replaces: closing the pool closes the file.
func unwatched(path string, as access) *sql.DB {
	return connect.Pool(context.Background(), dsn(path, as), 1)
}

// Open opens the ledger at path for views and checks. It takes no lock and writes nothing. It returns
// ledger.ErrNoLedger if there is none (only Create creates one, because an empty ledger knows no references),
// ledger.ErrLedgerDamaged if it cannot be used, and ledger.ErrLedgerExposed if users beyond its own group may
// write it.
func Open(ctx context.Context, path string) (*Store, error) {
	path, err := present(path, false)
	if err != nil {
		return nil, err
	}
	return open(ctx, path, nil, nil)
}

// OpenExclusive opens the ledger at path for one operation that writes. It takes the run lock (<path>.lock)
// until Close; the kernel releases it after a crash. It returns a *ledger.LockedError if another run still has
// the lock after the claim's wait, ledger.ErrMoved if End was recorded, and the errors of Open.
func OpenExclusive(ctx context.Context, path string, claim ledger.Claim) (*Store, error) {
	path, err := present(path, true)
	if err != nil {
		return nil, err
	}
	lock, err := takeLock(ctx, path, claim)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, path, lock, claim.Migrated)
	if err == nil {
		s.proof = claim.Proof
	}
	return s, err
}

// present returns the absolute path of a ledger that exists and that this user may use.
func present(path string, write bool) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := checkFile(path); err != nil {
		return path, err
	}
	if err := checkWriters(path); err != nil {
		return path, err
	}
	return path, mayUse(path, write)
}

// open takes over the lock (nil for reading) and releases it if opening fails. migrated is
// ledger.Claim.Migrated.
func open(ctx context.Context, path string, lock *runLock, migrated func(from, to, copied string)) (*Store, error) {
	s := newFileStore(path, lock)
	s.reads = reading
	share := sharingOf(path)
	share.unmask()
	var err error
	s.file, err = checkFile(path)
	if err == nil && lock == nil {
		s.reads, err = readsAs(path)
	}
	if err == nil {
		err = damage("open "+path, s.connect(ctx, migrated))
	}
	share.log(path)
	if err == nil {
		err = s.stillThere() // the opened file is the checked one
	}
	if err != nil {
		return nil, errors.Join(onDisk(path, err), s.Close())
	}
	return s, nil
}

// connect opens the connections. It migrates an older ledger that is opened to write, if migrated is not nil.
func (s *Store) connect(ctx context.Context, migrated func(from, to, copied string)) (err error) {
	s.read = connect.Pool(ctx, dsn(s.path, s.reads), readers)
	s.db = fileEngine{sqlReader{s.read}, s}
	have, err := s.identify(ctx)
	if err != nil {
		return err
	}
	if have < len(migrations) && migrated == nil {
		return fmt.Errorf("%w (it has %s, this program needs %s)", ledger.ErrOutdated, migrations[have-1].Name, migrations[len(migrations)-1].Name)
	}
	if s.lock != nil {
		if err := s.connectToWrite(ctx, have, migrated); err != nil {
			return err
		}
	}
	err = s.read.QueryRowContext(ctx, `SELECT id FROM ledger`).Scan(&s.id)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: it has no identity", ledger.ErrLedgerDamaged)
	}
	if err != nil {
		return err
	}
	return s.checkMark(ctx)
}

// connectToWrite opens the connection that writes, and migrates a ledger that has fewer migrations. It refuses a
// ledger that was moved.
func (s *Store) connectToWrite(ctx context.Context, have int, migrated func(from, to, copied string)) (err error) {
	s.write = connect.Pool(ctx, dsn(s.path, writing), 1)
	if have < len(migrations) {
		copied, err := s.copyBefore(ctx, have)
		if err == nil {
			err = s.migrate(ctx, have)
		}
		if err != nil {
			return err
		}
		migrated(migrations[have-1].Name, migrations[len(migrations)-1].Name, copied)
	}
	if err := assertPragmas(ctx, s.write, writing); err != nil {
		return err
	}
	return s.Moved(ctx)
}

// identify refuses a file that is not a ledger, has another journal mode, or has other migrations
// than this program, before anything could be written to it.
func (s *Store) identify(ctx context.Context) (have int, err error) {
	var ours bool
	err = s.read.QueryRowContext(ctx, `SELECT application_id = ? AND EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'migrations')
		FROM pragma_application_id`, applicationID).Scan(&ours)
	if err == nil && !ours {
		err = fmt.Errorf("%w: it is not a payrun ledger", ledger.ErrLedgerDamaged)
	}
	if err != nil {
		return 0, err
	}
	if err := assertPragmas(ctx, s.read, s.reads); err != nil {
		return 0, err
	}
	return taken(ctx, s.db)
}

// readers bounds the connections that read while one writes.
const readers = 4

// access is what a connection may do.
type access int

const (
	reading access = iota + 1
	writing
	copying // for VACUUM INTO: it writes another file, which query_only forbids too
	frozen  // reads and copies a file that no one can write, without a write-ahead log's shared memory
)

// pragma is a setting that every connection gets by its DSN, and reads back. A pragma that ran once on a pool would
// miss later connections.
type pragma struct{ name, value string }

func pragmas(a access) []pragma {
	p := []pragma{
		{"busy_timeout", "5000"},    // wait for a reader that checkpoints
		{"foreign_keys", "1"},       // off by default
		{"recursive_triggers", "1"}, // without it INSERT OR REPLACE deletes and skips the triggers that forbid it
		{"trusted_schema", "0"},     // a forged schema calls no functions
		{"temp_store", "2"},         // no payout in a temporary file
		{"ignore_check_constraints", "0"},
		{"cell_size_check", "1"}, // finds damage earlier
	}
	switch a {
	case reading:
		p = append(p, pragma{"query_only", "1"})
	case writing:
		p = append(p, pragma{"synchronous", "2"}) // FULL: a commit is on disk when it returns, even after power loss
	}
	return p
}

// dsn names the file as a URI: only mode=rw in a URI keeps SQLite from creating a missing file.
func dsn(path string, a access) string {
	q := url.Values{"mode": {"rw"}, "_txlock": {"immediate"}, "_defensive": {"1"}, "_dqs": {"0"}, "_error_rc": {"1"}}
	switch a {
	case writing:
		q.Add("_pragma", fmt.Sprintf("page_size(%d)", pageSize)) // of a new file, before its journal fixes it
		q.Set("_journal_mode", "wal")                            // others can read while one writes; a crash loses nothing
	case frozen:
		q.Set("mode", "ro")
		q.Set("immutable", "1")
	}
	for _, p := range pragmas(a) {
		q.Add("_pragma", p.name+"("+p.value+")")
	}
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: q.Encode()}
	return u.String()
}

// assertPragmas reads back every setting, and the journal mode, which the file keeps.
func assertPragmas(ctx context.Context, db *sql.DB, a access) error {
	want := pragmas(a)
	if a != frozen { // a frozen ledger has no journal
		want = append(want, pragma{"journal_mode", "wal"})
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, p := range want {
		var got string
		if err := conn.QueryRowContext(ctx, "PRAGMA "+p.name).Scan(&got); err != nil {
			return fmt.Errorf("read back %s: %w", p.name, err)
		}
		if got != p.value {
			return fmt.Errorf("%w: %s is %q where %q was asked for", ledger.ErrLedgerDamaged, p.name, got, p.value)
		}
	}
	return nil
}

// newFileStore returns a store that is not open yet.
func newFileStore(path string, lock *runLock) *Store {
	s := &Store{Tables: &Tables{file: path}, path: path, lock: lock}
	s.db = fileEngine{s: s}
	return s
}
