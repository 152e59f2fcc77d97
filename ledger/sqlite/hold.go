package sqlite

import (
	"errors"
	"fmt"

	"payrun/ledger"
)

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
