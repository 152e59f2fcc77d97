package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"payrun/ledger"
	"payrun/reports"
)

// machineFaults are what a machine lacks, by the error of the system. Nothing is wrong with the
// sheet, the configuration or the ledger then.
var machineFaults = [...]struct {
	is   []error
	what string // %s: the path, then the disk
	cure string // %s: the disk
}{
	{[]error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}, "%s could not be written: the disk %s is full, or has a limit for this user",
		"make room on it (df -h %s), then run the same command again"},
	{[]error{syscall.EROFS}, "%s could not be written: the disk %s is read-only",
		"mount it for writing; or look only: payrun status, payrun ledger verify, and payrun report -o with a folder on another disk"},
	{[]error{syscall.EMFILE, syscall.ENFILE}, "%s, on the disk %s, could not be opened: too many files are open",
		"allow more open files (ulimit -n 1024, or LimitNOFILE=1024 in the unit), then run the same command again"},
}

// ofTheMachine is the error of a full or read-only disk, or of too many open files; nil where
// it is none of these. It names the path, the disk and the cure. Of the ledger it is 17, of any other
// file 1, and never one of usage.
func ofTheMachine(err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok && known.Code != Usage {
		return nil // it has its words
	}
	for _, fault := range machineFaults {
		for _, is := range fault.is {
			if !errors.Is(err, is) {
				continue
			}
			path := pathIn(err)
			disk := mountPoint(path)
			e := Fail(Failed, fault.what, ledger.Plain(path), ledger.Plain(disk)).Because(err)
			if errors.Is(err, ledger.ErrLedgerDamaged) {
				e.Code = LedgerUnusable
			}
			return e.Then(Say("nothing was sent after this; %s", strings.ReplaceAll(fault.cure, "%s", ledger.Plain(disk))))
		}
	}
	return nil
}

// pathIn is the file that an error is about; that of a draft is its folder.
func pathIn(err error) string {
	path := "payrun.db"
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		path = e.Path
	} else if e, ok := errors.AsType[*os.LinkError](err); ok {
		path = e.New
	}
	path, _, _ = strings.Cut(path, string(filepath.Separator)+reports.DraftsPrefix)
	return path
}
