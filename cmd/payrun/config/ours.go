package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Permission bits that let others than the owner write a file.
const (
	groupWrites   fs.FileMode = 0o020
	anybodyWrites fs.FileMode = 0o002
)

// Ours refuses a file that another person may have written, because its writer chooses the key, the
// OTPs or the bank. The file must belong to this user or to root, and be writable by no other user.
// It must not be reached by a symbolic link, and others must not be able to replace it in its folder.
// what names it in the error, such as "the key file".
//
// A group may write it only if the group shares the ledger.
func (s Settings) Ours(what string, f *os.File) (fs.FileInfo, error) {
	return s.shared().opened(what, f)
}

// sharing is the group that may write the ledger.
type sharing struct {
	gid   uint32
	holds bool // there is such a group
	own   bool // the ledger belongs to this user or to root, so no member of the group put it there
}

// anyGroup is used before payrun.toml is read, when the ledger's place is unknown. The file is
// checked again later.
var anyGroup *sharing

// shared returns the group that may write the ledger, if there is one and no one else may.
func (s Settings) shared() *sharing {
	info, err := os.Lstat(s.LedgerPath)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&groupWrites == 0 || info.Mode()&anybodyWrites != 0 {
		return &sharing{}
	}
	by, known := ownerOf(info)
	return &sharing{gid: by.gid, holds: known, own: trusted(by.uid)}
}

// opened looks at the open file, so that it cannot be replaced between check and read.
func (g *sharing) opened(what string, f *os.File) (fs.FileInfo, error) {
	info, err := f.Stat()
	if err == nil {
		err = g.ours(what, f.Name(), info)
	}
	return info, err
}

func (g *sharing) ours(what, path string, opened fs.FileInfo) error {
	if err := notByLink(path, opened); err != nil {
		return err
	}
	if opened.Mode()&fs.ModeDevice != 0 {
		return nil // /dev/null or a terminal belongs to the system
	}
	if by, known := ownerOf(opened); known && !trusted(by.uid) {
		return wrong("%s %s belongs to another user (%s)", what, path, userOf(by.uid)).
			hint("see what it says, then copy it to a file of your own: cp %s COPY", path)
	}
	if !g.mayWrite(opened, true) {
		return wrong("%s %s may be written by others (mode %04o)", what, path, opened.Mode().Perm()).close(path, opened)
	}
	if !opened.Mode().IsRegular() {
		return nil // a pipe from a shell is in no folder
	}
	return g.folder(what, path)
}

// folder refuses a folder in which others can replace the file.
func (g *sharing) folder(what, path string) error {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil {
		return wrong("the folder of %s %s cannot be looked at: %v", what, path, Reason(err)).because(err)
	}
	by, known := ownerOf(info)
	if g != anyGroup && g.holds && by.gid == g.gid {
		known = false // a member may have made the folder that the group shares
	}
	if known && !trusted(by.uid) {
		return wrong("%s %s lies in a folder of another user (%s)", what, path, userOf(by.uid)).hint("keep it in a folder of your own")
	}
	if info.Mode()&fs.ModeSticky == 0 && !g.mayWrite(info, false) {
		return wrong("%s %s lies in a folder that others may write (mode %04o)", what, path, info.Mode().Perm()).close(dir, info)
	}
	return nil
}

// close says how to keep others from writing a file or folder. What a group may write may be meant so.
func (e *Error) close(path string, info fs.FileInfo) *Error {
	if info.Mode()&anybodyWrites != 0 {
		return e.hint("chmod go-w %s", path)
	}
	return e.hint("if a group shares the ledger here, payrun help people says which modes it needs; use any other ledger from a folder of your own").
		hint("if no group shares it: chmod go-w %s", path)
}

// mayWrite reports whether only the owner and the group that shares the ledger may write the file or folder of
// info. The group may write a file only if the ledger belongs to this user or to root: a file can say where the
// ledger is, and otherwise the group could have made that ledger itself.
func (g *sharing) mayWrite(info fs.FileInfo, file bool) bool {
	by, known := ownerOf(info)
	if known && info.Mode()&anybodyWrites != 0 {
		return false
	}
	if !known || info.Mode()&groupWrites == 0 || g == anyGroup || privateGroup(by) {
		return true
	}
	return g.holds && by.gid == g.gid && (g.own || !file)
}

// notByLink refuses a file that was reached by a symbolic link. It accepts a pipe from a
// shell (/dev/fd/63), which is not a regular file.
func notByLink(path string, opened fs.FileInfo) error {
	if !opened.Mode().IsRegular() {
		return nil
	}
	named, err := os.Lstat(path)
	switch {
	case err == nil && named.Mode()&fs.ModeSymlink != 0:
		f := wrong("%s is a symbolic link, and is not followed", path)
		if target, err := filepath.EvalSymlinks(path); err == nil {
			f.hint("name the file itself: %s", target)
		}
		return f
	case err != nil || !os.SameFile(named, opened):
		return wrong("%s was replaced while it was opened", path)
	}
	return nil
}

// NotOnlyOurs says why another person can change what is in a folder: it is a symbolic link, belongs
// to another user, or its group or others can write it. "" if no one can, or the folder is missing.
func NotOnlyOurs(dir string) string {
	named, err := os.Lstat(dir)
	if err != nil {
		return ""
	}
	if named.Mode()&fs.ModeSymlink != 0 {
		return "is a symbolic link"
	}
	by, known := ownerOf(named)
	if known && !trusted(by.uid) {
		return "belongs to another user (" + userOf(by.uid) + ")"
	}
	if !new(sharing).mayWrite(named, false) {
		return fmt.Sprintf("may be written by others (mode %04o)", named.Mode().Perm())
	}
	return ""
}

// Shares reports whether a folder belongs to the group that shares the ledger: it is inside the
// ledger's folder, and no one outside the group may write it.
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

// Share gives files that this user wrote in a folder inside the ledger's, and that folder if it is this
// user's, to the group that shares the ledger. Without such a group it changes nothing.
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

// besideLedger reports whether a folder is inside the ledger's folder.
func (s Settings) besideLedger(dir string) bool {
	home, err := filepath.Abs(filepath.Dir(s.LedgerPath))
	dir, err2 := filepath.Abs(dir)
	return err == nil && err2 == nil && strings.HasPrefix(dir, home+string(filepath.Separator))
}
