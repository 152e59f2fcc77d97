// Package folder writes files that appear completely or not at all.
//
// It writes them under temporary names, makes them durable, and only then gives them their own names. Their
// mode is 0600, because they may hold full account numbers.
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

	"payrun/ledger/durable"
)

// temporaryPrefix begins every name of an unfinished file.
const temporaryPrefix = ".payrun-"

// DraftsPrefix begins the name of a folder of drafts. If no process has it locked, it was left by a killed run,
// and the next run that writes there removes it.
const DraftsPrefix = temporaryPrefix + "drafts-"

// Folder is a folder whose files are written together. Several Folders may write to one place at once, each
// with its own drafts. Until the files are complete, they are in a separate folder, mode 0700 and locked.
type Folder struct {
	dir  string
	at   string // parent of the folder of drafts, on the same disk
	made bool   // dir did not exist
	own  string // the folder of drafts; "" before the first draft

	release func()            // unlocks it; nil without a lock
	drafts  map[string]*Draft // by their final names; unnamed ones by their temporary names
}

// Draft is a file that does not have its own name yet.
type Draft struct {
	*bufio.Writer
	file *os.File
}

const draftBuffer = 256 << 10

// At returns a Folder for a folder that exists.
func At(dir string) *Folder { return &Folder{dir: dir, at: dir, drafts: map[string]*Draft{}} }

// Make returns a Folder that is created, with mode 0700, when its files are complete. Its drafts are in drafts,
// which is created at once, or with "" in the folder itself.
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

// New writes one file to path. It returns fs.ErrExist if the path is taken. write creates the file under its
// name.
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

// Create begins the file with that name.
func (d *Folder) Create(name string) (*Draft, error) {
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

// begin removes what killed runs left, then makes and locks the folder of drafts. Only one run at a time does
// this in one place, so no run removes a folder that another has not locked yet.
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

// Left lists the folders of drafts in dir that killed runs left.
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

// Unnamed begins a file that never gets a name, for content that must be written before its destination is
// known.
func (d *Folder) Unnamed() (*Draft, error) { return d.Create("") }

// Written returns everything written so far. It must be read to its end before more is written.
func (f *Draft) Written() (io.Reader, error) {
	if err := f.Flush(); err != nil {
		return nil, err
	}
	_, err := f.file.Seek(0, io.SeekStart)
	return f.file, err
}

// CopyTo appends everything written so far to w.
func (f *Draft) CopyTo(w io.Writer) error {
	written, err := f.Written()
	if err == nil {
		_, err = io.Copy(w, written)
	}
	return err
}

// Settle makes a draft durable. Nothing can be added afterwards.
func (d *Folder) Settle(name string) error {
	f := d.drafts[name]
	if err := errors.Join(f.Flush(), f.file.Sync(), f.file.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Commit settles the named drafts, then gives them their names and replaces files that had these names. It
// returns their paths.
func (d *Folder) Commit(names []string) ([]string, error) {
	for _, name := range names {
		if err := d.Settle(name); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the folder: %w", err)
	}
	if done, ok := lock(d.dir, true); ok { // so that two runs on one day leave the files of one of them
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
	return paths, durable.SyncFolder(d.dir)
}

// Keep gives a settled draft a free name in the same folder, and returns its path. If the name is taken, it
// returns fs.ErrExist and keeps the draft. If the name cannot be given, the path is the temporary one.
func (d *Folder) Keep(draft, name string) (string, error) {
	temporary, path := d.drafts[draft].file.Name(), filepath.Join(d.dir, name)
	if err := giveName(temporary, path); err != nil {
		return temporary, err
	}
	delete(d.drafts, draft)
	return path, durable.SyncFolder(d.dir)
}

// LetOthersRead makes the draft readable for everyone, for a file without secrets.
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

// Discard removes every draft without a name.
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
		d.own = "" // Discard may be called twice
	}
	if d.made {
		_ = os.Remove(d.dir) // succeeds only if no file got its name
	}
}

// giveName renames a file to a free name, and returns fs.ErrExist if it is taken. If the disk has no hard
// links, it checks before it renames.
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
