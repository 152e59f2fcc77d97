package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"payrun/ledger"
)

// Backup writes a copy of the ledger, as it is at one moment, to path, which
// must not exist. It may be taken while another run writes. The copy says of
// itself that it is one, and sends nothing until a person accepts it. It gets its
// name only once it was verified from its first byte to its last event. Only its
// owner can read it; beside the ledger it is for whom the ledger is for.
func (s *Store) Backup(ctx context.Context, path string) (ledger.Backup, error) {
	doing := "back up to " + path
	path, err := filepath.Abs(path)
	if err != nil {
		return ledger.Backup{}, fmt.Errorf("%s: %w", doing, err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return ledger.Backup{}, fmt.Errorf("%s: %w", doing, errors.Join(ledger.ErrLedgerExists, err))
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // 0600
	if err != nil {
		return ledger.Backup{}, fmt.Errorf("%s: %w", doing, err)
	}
	temp := f.Name()
	defer func() {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			_ = os.Remove(temp + suffix)
		}
	}()
	if err := f.Close(); err != nil {
		return ledger.Backup{}, fmt.Errorf("%s: %w", doing, err)
	}
	if err := s.copyTo(ctx, temp); err != nil {
		return ledger.Backup{}, damage(doing, err)
	}
	var share sharing // with whom it lies beside the ledger
	if filepath.Dir(path) == filepath.Dir(s.path) {
		share = sharingOf(s.path)
	}
	copied, err := s.inspect(ctx, temp, share)
	if err != nil {
		return ledger.Backup{}, damage(doing, err)
	}
	if err := os.Link(temp, path); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = ledger.ErrLedgerExists
		}
		return ledger.Backup{}, fmt.Errorf("%s: %w", doing, err)
	}
	return copied, syncFolder(filepath.Dir(path))
}

// copyTo fills the empty file at path. VACUUM INTO reads one moment, also
// while others write, and leaves nothing behind that was deleted.
func (s *Store) copyTo(ctx context.Context, path string) error {
	from, err := sql.Open("sqlite", s.dsn(copying))
	if err != nil {
		return err
	}
	defer from.Close()
	from.SetMaxOpenConns(1)
	if _, err := from.ExecContext(ctx, `VACUUM INTO ?`, path); err != nil {
		return err
	}
	// The copy has no write-ahead log yet; a ledger has.
	to, err := sql.Open("sqlite", dsn(path, writing))
	if err != nil {
		return err
	}
	to.SetMaxOpenConns(1)
	err = assertPragmas(ctx, to, writing)
	if err == nil {
		err = sayCopied(ctx, to)
	}
	return errors.Join(err, to.Close())
}

// sayCopied writes into a copy that it is one. A copy of a copy is that already.
func sayCopied(ctx context.Context, to *sql.DB) error {
	_, err := to.ExecContext(ctx, `INSERT OR IGNORE INTO copied (one, seq) SELECT 1, max(seq) FROM events`)
	return err
}

// isCopy tells in words of which moment the ledger says that it is a copy, or "".
func isCopy(ctx context.Context, r reader) (string, error) {
	var seq int64
	err := r.QueryRowContext(ctx, `SELECT seq FROM copied`).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return fmt.Sprintf("it is a copy, made by `ledger backup` at event %d", seq), err
}

// inspect verifies a copy that has not got its name yet, makes it durable and
// gives it to whom it is for.
func (s *Store) inspect(ctx context.Context, path string, share sharing) (ledger.Backup, error) {
	c, err := open(ctx, path, nil, nil) // in whatever folder: it is no ledger in use
	if err != nil {
		return ledger.Backup{}, err
	}
	problems, err := c.Verify(ctx)
	problems = slices.DeleteFunc(problems, func(p ledger.Problem) bool { return p.Kind == ledger.ProblemBehind }) // it is a copy
	if err == nil && len(problems) > 0 {
		err = fmt.Errorf("%w: the copy fails %d checks, the first: %s: %s", ledger.ErrLedgerDamaged, len(problems), problems[0].What, problems[0].Detail)
	}
	var copied ledger.Backup
	if err == nil {
		copied.Head, err = c.AuditHead(ctx)
	}
	if err := errors.Join(err, c.Close()); err != nil {
		return ledger.Backup{}, err
	}
	// Every connection to it is closed, so opening the file drops none of SQLite's
	// locks.
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return ledger.Backup{}, err
	}
	info, err := f.Stat()
	if err = errors.Join(err, share.give(f), f.Sync(), f.Close()); err != nil {
		return ledger.Backup{}, err
	}
	copied.Bytes = info.Size()
	return copied, nil
}
