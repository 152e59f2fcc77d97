package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Who may write a file, besides its owner.
const (
	groupWrites   fs.FileMode = 0o020
	anybodyWrites fs.FileMode = 0o002
)

// Ours refuses a file that another person may have written, because its writer chooses the key, the
// OTPs or the bank. It must belong to this user or to root, be writable by no one else, be reached by
// no symbolic link, and lie in a folder in which others cannot replace it. opened is what was opened
// under the path; what names it in the refusal, such as "the key file".
//
// A group may write only if it shares the ledger.
func (s Settings) Ours(what, path string, opened fs.FileInfo) error {
	return s.shared().ours(what, path, opened)
}

// sharing is the group that may write the ledger.
type sharing struct {
	gid   uint32
	holds bool // there is one
	own   bool // the ledger belongs to this user or to root: the group did not bring one of its own
}

// anyGroup is for a payrun.toml that is not read yet, so that the ledger's place is unknown. It is
// checked again afterwards.
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

func (g *sharing) ours(what, path string, opened fs.FileInfo) error {
	if err := notByLink(path, opened); err != nil {
		return err
	}
	if opened.Mode()&fs.ModeDevice != 0 {
		return nil // /dev/null, a terminal: the system's
	}
	if by, known := ownerOf(opened); known && !trusted(by.uid) {
		return wrong("%s %s belongs to another user (%s)", what, path, userOf(by.uid)).
			hint("see what it says, then copy it to a file of your own: cp %s COPY", path)
	}
	if !g.mayWrite(opened, true) {
		return wrong("%s %s may be written by others (mode %04o)", what, path, opened.Mode().Perm()).hint("chmod go-w %s", path)
	}
	if !opened.Mode().IsRegular() {
		return nil // a pipe that a shell made lies in no folder
	}
	return g.folder(what, path)
}

// folder refuses a folder in which others can take the file away and put
// another there.
func (g *sharing) folder(what, path string) error {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err != nil {
		return wrong("the folder of %s %s cannot be looked at: %v", what, path, Reason(err)).because(err)
	}
	by, known := ownerOf(info)
	if g != anyGroup && g.holds && by.gid == g.gid {
		known = false // a member made the folder that the group shares
	}
	if known && !trusted(by.uid) {
		return wrong("%s %s lies in a folder of another user (%s)", what, path, userOf(by.uid)).hint("keep it in a folder of your own")
	}
	if info.Mode()&fs.ModeSticky == 0 && !g.mayWrite(info, false) {
		return wrong("%s %s lies in a folder that others may write (mode %04o)", what, path, info.Mode().Perm()).hint("chmod go-w %s", dir)
	}
	return nil
}

// mayWrite reports whether everybody who may write what info is about may: its
// owner, and the group that shares the ledger. A file, which says where the
// ledger is, is left to the group only when the ledger itself is not the group's
// own making.
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

// notByLink refuses a file that was reached by a symbolic link. A pipe that a
// shell made (/dev/fd/63) is not a file.
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

// NotOnlyOurs returns why another person decides what is in a folder, or "": it is reached by a link,
// belongs to another user, or its group or others can write it. For a missing folder it is "".
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
	mode := named.Mode().Perm()
	if known && (mode&anybodyWrites != 0 || mode&groupWrites != 0 && !privateGroup(by)) {
		return fmt.Sprintf("may be written by others (mode %04o)", mode)
	}
	return ""
}

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
