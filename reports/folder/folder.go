// Package folder writes files that appear whole or not at all.
//
// They are written under temporary names, made durable, and get their own names
// only then. Mode 0600: they may hold full account numbers.
package folder

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// temporaryPrefix begins every name that is not a finished file's.
const temporaryPrefix = ".payrun-"

// Folder is where files go that are written together, also by several at a time,
// each its own drafts.
type Folder struct {
	dir    string
	mu     sync.Mutex
	drafts map[string]*Draft // by their final names; scratch ones by their temporary names
}

// Draft is a file that has no name of its own yet.
type Draft struct {
	*bufio.Writer
	file *os.File
}

const draftBuffer = 256 << 10

// At is a folder that is there already.
func At(dir string) *Folder { return &Folder{dir: dir, drafts: map[string]*Draft{}} }

// Make is a folder that is created, with mode 0700, when it is not there.
func Make(dir string) (*Folder, error) {
	if dir == "" {
		return nil, errors.New("no folder to write to")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the folder: %w", err)
	}
	return At(dir), nil
}

// Create begins the file of that name.
func (d *Folder) Create(name string) (*Draft, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.create(name)
}

func (d *Folder) create(name string) (*Draft, error) {
	f, err := os.CreateTemp(d.dir, temporaryPrefix+name+"-*")
	if err != nil {
		return nil, err
	}
	w := &Draft{Writer: bufio.NewWriterSize(f, draftBuffer), file: f}
	d.drafts[name] = w
	return w, nil
}

// Scratch begins a file that never gets a name: what must be written before
// the place where it goes is known.
func (d *Folder) Scratch() (*Draft, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.create(fmt.Sprintf("scratch%d", len(d.drafts)))
}

// As gives a scratch draft the name that Commit is to give it.
func (d *Folder) As(f *Draft, name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for scratch, draft := range d.drafts {
		if draft == f {
			delete(d.drafts, scratch)
		}
	}
	d.drafts[name] = f
}

// CopyTo appends all that was written so far to w.
func (f *Draft) CopyTo(w io.Writer) error {
	if err := f.Flush(); err != nil {
		return err
	}
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, f.file)
	return err
}

// Settle makes a draft durable. Nothing can be added to it any more.
func (d *Folder) Settle(name string) error {
	f := d.drafts[name]
	if err := errors.Join(f.Flush(), f.file.Sync(), f.file.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Commit settles the named drafts, then gives them their names, in the place
// of what had them. It returns their paths.
func (d *Folder) Commit(names []string) ([]string, error) {
	for _, name := range names {
		if err := d.Settle(name); err != nil {
			return nil, err
		}
	}
	var paths []string
	for _, name := range names {
		path := filepath.Join(d.dir, name)
		if err := os.Rename(d.drafts[name].file.Name(), path); err != nil {
			return nil, err
		}
		delete(d.drafts, name)
		paths = append(paths, path)
	}
	return paths, d.sync()
}

// Keep gives a settled draft a name that nobody has, in the same folder, and
// returns its path: fs.ErrExist, and the draft stays, where somebody has it.
// Where the name cannot be given the path is the temporary one.
func (d *Folder) Keep(draft, name string) (string, error) {
	temporary, path := d.drafts[draft].file.Name(), filepath.Join(d.dir, name)
	if err := giveName(temporary, path); err != nil {
		return temporary, err
	}
	delete(d.drafts, draft)
	return path, d.sync()
}

// LetOthersRead makes a draft a file with nothing in it to keep from others.
func (f *Draft) LetOthersRead() error { return f.file.Chmod(0o644) }

// Forget leaves a draft under its temporary name for good.
func (d *Folder) Forget(draft string) { delete(d.drafts, draft) }

// Discard removes every draft that got no name.
func (d *Folder) Discard() {
	for _, f := range d.drafts {
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
	}
}

// giveName renames a file to a name that nobody has: fs.ErrExist otherwise.
// Where the disk knows no second names for a file, the look comes before the
// rename.
func giveName(temporary, path string) error {
	err := os.Link(temporary, path)
	switch {
	case err == nil:
		return os.Remove(temporary)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	return os.Rename(temporary, path)
}

// sync makes the names durable.
func (d *Folder) sync() error {
	f, err := os.Open(d.dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
