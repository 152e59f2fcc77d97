package app

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// given tells of the first file that a person named and that is not there, in
// words. Where it can be, it is asked before the ledger is opened. What is wrong with
// a file that is there is for its reader to say.
func given(paths ...string) error {
	for _, path := range paths {
		_, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			return Fail(Usage, "there is no file %s", ledger.Plain(path)).Because(err).
				Then(Say("look at how it is spelt; a path begins in the current folder"))
		case err != nil:
			return Fail(Usage, "the file %s cannot be read: %v", ledger.Plain(path), config.Reason(err)).Because(err)
		}
	}
	return nil
}
