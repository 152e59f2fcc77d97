// Package folder writes files that appear whole or not at all.
//
// They are written under temporary names, made durable, and get their own names
// only then. Mode 0600: they may hold full account numbers.
package folder

import (
	"bufio"
	"cmp"
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

// DraftsPrefix begins the name of a folder of drafts. A folder that no process holds was left by a run
// that was killed; the next run that writes there removes it.
const DraftsPrefix = temporaryPrefix + "drafts-"

// Folder is where files go that are written together, also by several at a time,
// each its own drafts. Until they are whole they lie in a folder of their own, 0700 and locked.
type Folder struct {
	dir  string
	at   string // where the folder of drafts lies: the same disk
	mu   sync.Mutex
	made bool   // dir was not there
	own  string // the folder of drafts; "" before the first

	release func()            // of its lock; nil where there is none
	drafts  map[string]*Draft // by their final names; scratch ones by their temporary names
}

// Draft is a file that has no name of its own yet.
type Draft struct {
	*bufio.Writer
	file *os.File
}

const draftBuffer = 256 << 10

// At is a folder that is there already.
func At(dir string) *Folder { return &Folder{dir: dir, at: dir, drafts: map[string]*Draft{}} }

// Make is a folder that is created, with mode 0700, when its files are whole. Its drafts lie
// in drafts, which is created too, or with "" in the folder itself.
func Make(dir, drafts string) (*Folder, error) {
	if dir == "" {
		return nil, errors.New("no folder to write to")
	}
	d := At(dir)
	d.at = cmp.Or(drafts, dir)
	_, err := os.Lstat(dir)
	d.made = errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(d.at, 0o700); err != nil {
		return nil, fmt.Errorf("creating the folder: %w", err)
	}
	return d, nil
}

// New writes one file at a path where there is none yet, else fs.ErrExist. write creates it
// under its name.
func New(path string, write func(d *Folder, name string) error) error {
	d, name := At(filepath.Dir(path)), filepath.Base(path)
	defer d.Discard()
	err := write(d, name)
	if err == nil {
		err = d.Settle(name)
	}
	if err == nil {
		_, err = d.Keep(name, name)
	}
	return err
}

// Create begins the file of that name.
func (d *Folder) Create(name string) (*Draft, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(d.own, name+"-*")
	if err != nil {
		return nil, err
	}
	w := &Draft{Writer: bufio.NewWriterSize(f, draftBuffer), file: f}
	d.drafts[cmp.Or(name, f.Name())] = w
	return w, nil
}

// begin removes what killed runs left, and makes and locks the folder of drafts. No two runs are here
// at once in one place, so that none removes a folder which another has not locked yet.
func (d *Folder) begin() error {
	if d.own != "" {
		return nil
	}
	if done, ok := lock(d.at, true); ok {
		defer done()
		for _, left := range Left(d.at) {
			_ = os.RemoveAll(left)
		}
	}
	own, err := os.MkdirTemp(d.at, DraftsPrefix)
	if err != nil {
		return err
	}
	d.own = own
	d.release, _ = lock(own, false)
	return nil
}

// Left lists the folders of drafts in dir that runs left which were killed.
func Left(dir string) (left []string) {
	found, _ := filepath.Glob(filepath.Join(dir, DraftsPrefix+"*"))
	for _, path := range found {
		if release, ok := lock(path, false); ok {
			left = append(left, path)
			release()
		}
	}
	return left
}

// Unnamed begins a file that never gets a name: what must be written before
// the place where it goes is known.
func (d *Folder) Unnamed() (*Draft, error) { return d.Create("") }

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
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the folder: %w", err)
	}
	if done, ok := lock(d.dir, true); ok { // so that two runs of a day leave the files of one
		defer done()
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

// Keep gives a settled draft a free name in the same folder, and returns its path. If the name is
// taken it returns fs.ErrExist and keeps the draft. If the name cannot be given, the path is the
// temporary one.
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

// Forget leaves a draft under its temporary name, in the folder itself, and returns its path.
func (d *Folder) Forget(draft string) (path string) {
	f := d.drafts[draft].file.Name()
	delete(d.drafts, draft)
	path = filepath.Join(d.dir, temporaryPrefix+filepath.Base(f))
	if os.Rename(f, path) != nil {
		return f
	}
	return path
}

// Discard removes every draft that got no name.
func (d *Folder) Discard() {
	for _, f := range d.drafts {
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
	}
	if d.own != "" {
		_ = os.Remove(d.own)
		if d.release != nil {
			d.release()
		}
		d.own = "" // it may be discarded twice
	}
	if d.made {
		_ = os.Remove(d.dir) // where nothing got its name
	}
}

// giveName renames a file to a free name: fs.ErrExist otherwise. If the disk has no second names for a
// file, the check comes before the rename.
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
