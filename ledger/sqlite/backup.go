package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"payrun/ledger"
	"payrun/ledger/durable"
)

// Backup writes a snapshot of the ledger to path, which must not exist. It works while another run writes. The
// copy is marked as one and sends nothing until a person accepts it. It gets its name only after it was
// verified from its first byte to its last event. Only its owner can read it; in the ledger's folder it has the
// ledger's permissions.
func (s *Store) Backup(ctx context.Context, path string) (ledger.Backup, error) {
	doing := "back up to " + path
	path, err := filepath.Abs(path)
	if err != nil {
		return ledger.Backup{}, fmt.Errorf("%s: %w", doing, err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return ledger.Backup{}, fmt.Errorf("%s: %w", doing, errors.Join(ledger.ErrLedgerExists, err))
	}
	var copied ledger.Backup
	err = s.copyAs(ctx, path, func(temp string) (err error) {
		copied, err = inspect(ctx, temp)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		err = ledger.ErrLedgerExists
	}
	if err = damage(doing, err); errors.Is(err, syscall.ENOSPC) { // the disk of the copy is full, and the ledger is not damaged
		err = &fs.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}
	}
	return copied, err
}

// copyAs writes a copy of the ledger. The copy gets its name once it is checked and on disk; in the ledger's folder
// it has the ledger's permissions. It returns fs.ErrExist if the name is taken.
func (s *Store) copyAs(ctx context.Context, path string, check func(temp string) error) error {
	var share sharing
	if filepath.Dir(path) == filepath.Dir(s.path) {
		share = sharingOf(s.path)
	}
	return newFile(path, share, os.Link, func(temp string) error {
		if err := s.copyTo(ctx, temp); err != nil {
			return err
		}
		return check(temp)
	})
}

// newFile is durable.Write for a file with the sharing of a ledger. fill may write it with SQLite, which opens it by
// its name: every connection to it is closed when fill returns, so closing it here drops none of SQLite's locks.
func newFile(path string, share sharing, name func(temp, path string) error, fill func(temp string) error) error {
	return durable.Write(path, name, func(f *os.File) error {
		defer func() {
			for _, suffix := range []string{"-journal", "-wal", "-shm"} {
				_ = os.Remove(f.Name() + suffix)
			}
		}()
		if err := fill(f.Name()); err != nil {
			return err
		}
		return share.give(f)
	})
}

// copyTo fills the empty file at path. VACUUM INTO reads one snapshot, even while others write, and leaves no
// deleted data behind.
func (s *Store) copyTo(ctx context.Context, path string) error {
	as := copying
	if s.reads == frozen {
		as = frozen
	}
	from := unwatched(s.path, as)
	defer from.Close()
	if _, err := from.ExecContext(ctx, `VACUUM INTO ?`, path); err != nil {
		return err
	}
	// The copy has no write-ahead log yet; a ledger needs one.
	to := unwatched(path, writing)
	err := assertPragmas(ctx, to, writing)
	if err == nil { // a copy of a copy already says that it is one
		_, err = to.ExecContext(ctx, `INSERT OR IGNORE INTO copied (one, seq) SELECT 1, max(seq) FROM events`)
	}
	return errors.Join(err, to.Close())
}

// isCopy says at which event a copy was made, or returns "" for a ledger that is no copy.
func isCopy(ctx context.Context, r Reader) (string, error) {
	var seq int64
	err := r.QueryRow(ctx, `SELECT seq FROM copied`).Scan(&seq)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return fmt.Sprintf("it is a copy, made by `ledger backup` or `ledger import` at event %d", seq), err
}

// Unsound is the error of a copy that fails checks.
func Unsound(problems []ledger.Problem) error {
	return fmt.Errorf("%w: the copy fails %d checks, the first: %s: %s", ledger.ErrLedgerDamaged, len(problems), problems[0].What, problems[0].Detail)
}

// inspect verifies a copy that has no name yet.
func inspect(ctx context.Context, path string) (copied ledger.Backup, err error) {
	c, err := open(ctx, path, nil, nil) // in any folder: no run uses it as a ledger
	if err != nil {
		return copied, err
	}
	problems, err := c.Verify(ctx)
	problems = ledger.WithoutMark(problems) // being a copy is no problem here
	if err == nil && len(problems) > 0 {
		err = Unsound(problems)
	}
	if err == nil {
		copied.Head, err = c.AuditHead(ctx)
	}
	if err := errors.Join(err, c.Close()); err != nil {
		return copied, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return copied, err
	}
	copied.Bytes = info.Size()
	return copied, nil
}
