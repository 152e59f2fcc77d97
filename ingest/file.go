package ingest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// headSize is how many bytes of a file are examined to detect its format.
const headSize = 64 << 10

// file is one descriptor that is both hashed and parsed, so that the hash covers exactly the bytes that the
// rows came from.
type file struct {
	*os.File
	name  string
	first fs.FileInfo // at the time of opening
	hash  hash.Hash   // over the bytes that Read returned
	read  int64
	whole string    // hash that the whole file must have, taken before parsing; "" if it is not known
	copy  io.Writer // gets the bytes in order, the first time they are read; nil keeps none
}

// openFile opens a regular file. It refuses links, folders, pipes and devices, both before opening and after
// it, in case the name was replaced in between. name is what messages call the file; "" for its base name.
func openFile(path, name string, limit int64) (*file, error) {
	if name == "" {
		name = filepath.Base(path)
	}
	before, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("open sheet: %w", err)
	}
	if err := regular(name, before); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openNoFollow, 0)
	if err != nil {
		return nil, fmt.Errorf("open sheet: %w", err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = fmt.Errorf("open sheet: %w", err)
	case !os.SameFile(before, info):
		err = defect(CodeFileChanged, 0, "%s was replaced while it was opened", name)
	case info.Size() == 0:
		err = defect(CodeFileEmpty, 0, "%s is empty: it has no bytes at all", name)
	case info.Size() > limit:
		err = defect(CodeFileTooLarge, 0, "%s has %d bytes; the limit is %d", name, info.Size(), limit)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &file{File: f, name: name, first: info, hash: sha256.New()}, nil
}

func regular(name string, info fs.FileInfo) error {
	what := ""
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeSymlink != 0:
		what = "a link to another file"
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	default:
		what = "not a regular file"
	}
	return defect(CodeNotRegular, 0, "%s is %s", name, what)
}

// head returns the first bytes without moving the position of Read.
func (f *file) head() ([]byte, error) {
	b := make([]byte, min(headSize, f.first.Size()))
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", f.name, err)
	}
	return b[:n], nil
}

// size returns the size of the file when it was opened. Readers go no further, and finish detects a file that
// has grown.
func (f *file) size() int64 { return f.first.Size() }

// Read reads on and hashes the bytes it returns.
func (f *file) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	f.read += int64(n)
	f.hash.Write(b[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("read %s: %w", f.name, err)
	}
	if f.read > f.size() {
		return 0, f.changed()
	}
	if f.copy != nil {
		if _, err := f.copy.Write(b[:n]); err != nil {
			return 0, fmt.Errorf("copy %s: %w", f.name, err)
		}
	}
	return n, err
}

// hashAll hashes the file before it is parsed out of order, as a zip file is. finish hashes it again.
func (f *file) hashAll() error {
	sum, err := f.sum()
	if err != nil {
		return err
	}
	f.whole = cmp.Or(f.whole, sum)
	f.copy = nil // it has all bytes
	f.read = 0
	f.hash.Reset()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read %s: %w", f.name, err)
	}
	return nil
}

// sum reads and hashes the rest.
func (f *file) sum() (string, error) {
	if _, err := io.Copy(io.Discard, onlyReader{f}); err != nil {
		return "", err
	}
	return hex.EncodeToString(f.hash.Sum(nil)), nil
}

// finish reads and hashes the rest, checks that the file did not change since it was opened, and returns its
// SHA-256 in lower-case hex.
func (f *file) finish() (string, error) {
	sum, err := f.sum()
	if err != nil {
		return "", err
	}
	now, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("read %s: %w", f.name, err)
	}
	if (f.whole != "" && f.whole != sum) || f.read != f.size() || now.Size() != f.size() || !now.ModTime().Equal(f.first.ModTime()) {
		return "", f.changed()
	}
	return sum, nil
}

func (f *file) changed() error {
	return defect(CodeFileChanged, 0, "%s changed while it was read", f.name)
}

// onlyReader hides the other methods with which *os.File copies itself, because they bypass the hash.
type onlyReader struct{ io.Reader }

// Whole reads a file that is not a sheet in one piece, as carefully as Open reads a sheet: a regular file of at
// most limit bytes that does not change meanwhile. It returns the bytes and their SHA-256 in lower-case hex. A
// fault of the file itself is a *Defect.
func Whole(path string, limit int64) (content []byte, sha256 string, err error) {
	f, err := openFile(path, "", limit)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = f.Close() }()
	content, err = io.ReadAll(onlyReader{f})
	if err != nil {
		return nil, "", fmt.Errorf("read %s: %w", f.name, err)
	}
	sha256, err = f.finish()
	return content, sha256, err
}
