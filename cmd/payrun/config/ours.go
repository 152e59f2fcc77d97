package config

import (
	"io/fs"
	"os"
	"path/filepath"
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
