package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"

	"payrun/ledger"
)

// lockTry is how often a waiting run tries to take the lock.
const lockTry = 50 * time.Millisecond

// runLock is the lock of one operation. The kernel holds the lock; the holder's name in the file is for people.
type runLock struct{ file *flock.Flock }

func takeLock(ctx context.Context, path string, claim ledger.Claim) (*runLock, error) {
	// A link or another kind of file at this path is neither locked nor written to.
	if info, err := os.Lstat(path + ".lock"); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("lock %s: %w: %s.lock is not a regular file (%s)", path, ledger.ErrUnsafe, path, info.Mode().Type())
	}
	if err := sharingOf(path).lock(path + ".lock"); err != nil {
		return nil, fmt.Errorf("lock %s: %w: %w", path, ledger.ErrLedgerDamaged, err)
	}
	l := &runLock{newFlock(path)}
	held, err := l.take(ctx, claim.Wait)
	switch {
	case ctx.Err() != nil:
		return nil, errors.Join(context.Cause(ctx), l.file.Unlock())
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w: %w", path, ledger.ErrLedgerDamaged, err)
	case !held:
		return nil, fmt.Errorf("lock %s: %w", path, &ledger.LockedError{Holder: l.holder()})
	}
	if text, err := json.Marshal(claim.Holder); err == nil { // the lock is held, even if this or the write fails
		l.write(append(text, '\n'))
	}
	return l, nil
}

// newFlock does not follow a link at the lock's path.
func newFlock(path string) *flock.Flock {
	return flock.New(path+".lock", flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDONLY|openNoFollow))
}

func (l *runLock) take(ctx context.Context, wait time.Duration) (bool, error) {
	if wait <= 0 {
		return l.file.TryLock()
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	held, err := l.file.TryLockContext(ctx, lockTry)
	if errors.Is(err, context.DeadlineExceeded) {
		return false, nil
	}
	return held, err
}

// write replaces the content of the locked file, which names its holder for people. It writes nothing if another file
// is at its path, and follows no link.
func (l *runLock) write(text []byte) {
	f, err := os.OpenFile(l.file.Path(), os.O_WRONLY|openNoFollow, 0)
	if err != nil {
		return
	}
	defer f.Close()
	locked, err := l.file.Stat()
	if there, err2 := f.Stat(); err != nil || err2 != nil || !os.SameFile(locked, there) {
		return
	}
	if f.Truncate(0) == nil {
		_, _ = f.Write(text)
	}
}

// holder reads who holds the lock, or returns the zero Holder if that was not written.
func (l *runLock) holder() (h ledger.Holder) {
	text, err := readShort(l.file.Path())
	if err != nil || json.Unmarshal(text, &h) != nil {
		return ledger.Holder{}
	}
	return h
}

// release releases the lock. It clears the name of the holder first.
func (l *runLock) release() error {
	l.write(nil)
	return l.file.Unlock()
}

// HeldBy returns who holds the run lock of the ledger at path, without taking it.
func HeldBy(path string) (holder ledger.Holder, held bool, err error) {
	f := flock.New(path+".lock", flock.SetFlag(os.O_RDONLY|openNoFollow))
	free, err := f.TryRLock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return holder, false, nil
	case err != nil:
		return holder, false, fmt.Errorf("look at the lock of %s: %w", path, err)
	case free:
		return holder, false, f.Unlock()
	}
	return (&runLock{f}).holder(), true, f.Close()
}

// Hold locks path for this process, like the run lock: the kernel releases it when the process ends in any way.
// It does not wait. It returns ledger.ErrLocked if another process, or this one, already has the lock.
func Hold(path string) (release func() error, err error) {
	f := newFlock(path)
	held, err := f.TryLock()
	if err == nil && !held {
		err = ledger.ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("hold %s: %w", path, errors.Join(err, f.Close()))
	}
	return f.Unlock, nil
}
