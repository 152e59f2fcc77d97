package sqlite

import (
	"errors"
	"fmt"

	"payrun/ledger"
)

// Hold takes path for this process, by the means of the run lock: the kernel lets go
// of it when the process ends, however it ends. It waits for nobody:
// ledger.ErrLocked where another process, or another one here, has it.
func Hold(path string) (release func() error, err error) {
	l := &runLock{newFlock(path)}
	held, err := l.file.TryLock()
	if err == nil && !held {
		err = ledger.ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("hold %s: %w", path, errors.Join(err, l.file.Close()))
	}
	return l.file.Unlock, nil
}
