// Package durable writes files that are complete or not there at all, also after a crash or a power loss.
package durable

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// New writes a file that only its owner can use. It returns fs.ErrExist if the path is taken.
func New(path string, fill func(*os.File) error) error { return Write(path, os.Link, fill) }

// Replace writes a file that only its owner can use, in place of one that is there: a reader finds the old or the
// new one.
func Replace(path string, fill func(*os.File) error) error { return Write(path, os.Rename, fill) }

// Write calls fill to write a file under another, hidden name. The complete file is synced, and then name gives it
// its own name: os.Link or os.Rename.
func Write(path string, name func(temp, path string) error, fill func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // a link made from it stays; after a rename it does not exist
	err = fill(f)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := name(f.Name(), path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// From returns a fill that copies everything from r.
func From(r io.Reader) func(*os.File) error {
	return func(f *os.File) error {
		_, err := io.Copy(f, r)
		return err
	}
}

// SyncFolder makes the names in a folder durable.
func SyncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
