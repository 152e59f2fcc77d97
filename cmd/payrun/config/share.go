package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Shares reports whether a folder is for the group that shares the ledger: it is next to the ledger,
// and no one else may write it.
func (s Settings) Shares(dir string) bool {
	g := s.shared()
	if !g.holds || !s.besideLedger(dir) {
		return false
	}
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	by, known := ownerOf(info)
	return known && by.gid == g.gid && info.Mode()&anybodyWrites == 0
}

// Share gives files that this user wrote in a folder next to the ledger, and the folder if it is this
// user's, to the group that shares the ledger. Without such a group they stay their writer's.
func (s Settings) Share(dir string, paths []string) error {
	g := s.shared()
	if !g.holds || !s.besideLedger(dir) {
		return nil
	}
	var errs []error
	give := func(path string, mode os.FileMode) {
		info, err := os.Lstat(path)
		if err != nil {
			errs = append(errs, err)
			return
		}
		if by, known := ownerOf(info); !known || !trusted(by.uid) || info.Mode().Type() != mode.Type() {
			return
		}
		errs = append(errs, os.Lchown(path, -1, int(g.gid)), os.Chmod(path, mode.Perm()|mode&os.ModeSetgid))
	}
	for _, path := range paths {
		give(path, 0o660)
	}
	give(dir, os.ModeDir|os.ModeSetgid|0o770)
	return errors.Join(errs...)
}

// besideLedger reports whether a folder is one inside the ledger's.
func (s Settings) besideLedger(dir string) bool {
	home, err := filepath.Abs(filepath.Dir(s.LedgerPath))
	dir, err2 := filepath.Abs(dir)
	return err == nil && err2 == nil && strings.HasPrefix(dir, home+string(filepath.Separator))
}
