package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"payrun/ledger"
)

// mostNameBytes leaves room in a file name for a number and an ending.
const mostNameBytes = 180

// putAway moves a file into a folder under its own name, or the next free one: it replaces nothing
// there. beside are endings of files that are written next to it; those names are free too. A file
// that moves to another disk is complete and durable there before the original goes.
func putAway(path, dir, name string, beside ...string) (to string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		to = filepath.Join(dir, numbered(harmless(name), n))
		if takenBeside(to, beside) {
			continue
		}
		err := reserve(to)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := moveOnto(path, to); err != nil {
			return "", errors.Join(err, os.Remove(to))
		}
		return to, errors.Join(syncDir(dir), syncDir(filepath.Dir(path)))
	}
}

func takenBeside(path string, endings []string) bool {
	for _, ending := range endings {
		if _, err := os.Lstat(path + ending); err == nil {
			return true
		}
	}
	return false
}

// reserve makes an empty file under a free name: fs.ErrExist otherwise.
func reserve(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// rename is os.Rename, but for tests: none can have two disks.
var rename = os.Rename

// moveOnto moves a file onto one that was reserved.
func moveOnto(path, reserved string) error {
	err := rename(path, reserved)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	if err := copyOnto(path, reserved); err != nil {
		return err
	}
	return os.Remove(path)
}

func copyOnto(path, reserved string) error {
	before, err := os.Lstat(path)
	if err != nil {
		return err
	}
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	if opened, err := from.Stat(); err != nil || !os.SameFile(before, opened) {
		return errors.Join(fmt.Errorf("%s was replaced while it was put away", filepath.Base(path)), err)
	}
	return replaceFile(reserved, from, 0o600)
}

// harmless is a file name that does nothing to a terminal or to a command.
func harmless(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '/' || ledger.Unprintable(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	if strings.HasPrefix(name, "-") || strings.HasPrefix(name, ".") {
		name = "_" + name
	}
	return name
}

// numbered puts a number behind a name, from the second on, and keeps it short
// enough for any disk.
func numbered(name string, n int) string {
	ext := filepath.Ext(name)
	if len(ext) > len(".xlsx") {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	for len(stem) > mostNameBytes {
		r := []rune(stem)
		stem = string(r[:len(r)-1])
	}
	if n > 1 {
		stem = fmt.Sprintf("%s-%d", stem, n)
	}
	return stem + ext
}

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// replaceFile writes a file under another name and renames it: a reader finds the old one or the new
// one, complete.
func replaceFile(path string, from io.Reader, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".payrun-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = io.Copy(f, from)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
