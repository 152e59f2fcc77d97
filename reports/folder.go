package reports

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// temporaryPrefix begins every name that is not a finished report.
const temporaryPrefix = ".payrun-"

// folder is where the reports go. They are written under temporary names and
// get their own only when all of them are whole and on the disk.
type folder struct {
	dir    string
	drafts map[string]*draft // by their final names; scratch ones by their temporary names
}

// draft is a file that has no name of its own yet. Mode 0600, for it may hold
// full account numbers.
type draft struct {
	*bufio.Writer
	file *os.File
}

const draftBuffer = 256 << 10

func openFolder(dir string) (*folder, error) {
	if dir == "" {
		return nil, errors.New("no folder to write to")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the folder: %w", err)
	}
	return &folder{dir: dir, drafts: map[string]*draft{}}, nil
}

// create begins the file of that name.
func (d *folder) create(name string) (*draft, error) {
	f, err := os.CreateTemp(d.dir, temporaryPrefix+name+"-*")
	if err != nil {
		return nil, err
	}
	w := &draft{Writer: bufio.NewWriterSize(f, draftBuffer), file: f}
	d.drafts[name] = w
	return w, nil
}

// scratch begins a file that never gets a name: what must be written before
// the place where it goes is known.
func (d *folder) scratch() (*draft, error) {
	return d.create(fmt.Sprintf("scratch%d", len(d.drafts)))
}

// copyTo appends all that was written so far to w.
func (f *draft) copyTo(w io.Writer) error {
	if err := f.Flush(); err != nil {
		return err
	}
	if _, err := f.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, f.file)
	return err
}

// commit makes the named drafts durable, then gives them their names.
func (d *folder) commit(names []string) ([]string, error) {
	for _, name := range names {
		if err := d.settle(name); err != nil {
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
	return paths, syncDir(d.dir)
}

// settle makes a draft durable. Nothing can be added to it any more.
func (d *folder) settle(name string) error {
	f := d.drafts[name]
	if err := errors.Join(f.Flush(), f.file.Sync(), f.file.Close()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// discard removes every draft that got no name.
func (d *folder) discard() {
	for _, f := range d.drafts {
		_ = f.file.Close()
		_ = os.Remove(f.file.Name())
	}
}

// syncDir makes the renames durable.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
