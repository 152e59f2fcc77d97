package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// Limits on waiting sheets.
const (
	WaitingEach  = 4              // sheets of one person
	waitingBytes = 1 << 30        // of all sheets together
	leastFree    = 1 << 30        // that stay free on the disk, for the ledger
	waitingFor   = 24 * time.Hour // from the upload on
	mostChecks   = 2              // at the same time: each may have a hundred thousand findings
	mostKept     = 1000           // uploads, with those that ended and whose result is kept
)

// Why an upload is refused.
var (
	ErrTooLarge  = errors.New("the sheet is larger than limits.sheet_bytes")
	ErrTooMany   = errors.New("too many sheets wait already")
	ErrNoRoom    = errors.New("there is too little room on the disk")
	ErrSpoolHeld = errors.New("sheets are uploaded at another desk of this ledger")
	ErrNotYours  = errors.New("another person uploaded the sheet")
)

// OverError means that an upload does not wait any more.
type OverError struct {
	SheetID string // what it was loaded as; "" if it was discarded, or waited too long
}

func (e *OverError) Error() string { return "the upload does not wait any more" }

// Prefixes: of the id of an upload, which is also its file name, and of the folder of a download.
const (
	uploadName = "up-"
	outName    = "out-"
)

// freeOnDisk is freeBytes. It is a variable for tests, which do not fill a disk.
var freeOnDisk = freeBytes

// Upload is a sheet that a person uploaded, and its result.
type Upload struct {
	ID      string // up- and 22 characters that cannot be guessed
	Name    string // the person's name for the file
	By      string
	At      time.Time
	Bytes   int64
	Options SheetOptions // how it is read
	SheetID string       // what it was loaded as; "" while it waits
	Over    bool         // it was discarded, or waited too long
}

// waits reports whether it still waits, so that its bytes are kept.
func (u *Upload) waits() bool { return u.SheetID == "" && !u.Over }

// Uploads are the sheets that were uploaded to the desk and wait to be loaded or discarded. Until then,
// for at most a day, their bytes are in a folder of this machine (LEDGER.spool); the rest is in memory.
// Only one process at a time uses the folder. Files that it finds there at its start are from a process
// that was killed, and are removed.
type Uploads struct {
	app    *App
	dir    string
	checks *semaphore.Weighted

	mu    sync.Mutex
	root  *os.Root // nil until this process holds the folder
	let   func() error
	all   []*brought   // in the order of upload
	bytes int64        // of waiting sheets and of those being uploaded
	last  checkedSheet // the result for the sheet that was checked last
}

// brought is an upload. A request that works on it holds its lock.
type brought struct {
	sync.Mutex
	Upload
}

// Uploads returns the waiting sheets of a new desk: none. Files of a desk that was killed are
// removed now, or before the first upload.
func (a *App) Uploads() (*Uploads, error) {
	u := &Uploads{app: a, dir: a.place.own("spool"), checks: semaphore.NewWeighted(mostChecks)}
	if _, err := os.Lstat(u.dir); errors.Is(err, fs.ErrNotExist) {
		return u, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.hold(); err != nil && !errors.Is(err, ErrSpoolHeld) {
		return u, err
	}
	return u, nil
}

// hold takes the folder and empties it. The caller holds u.mu.
func (u *Uploads) hold() error {
	if u.root != nil {
		return nil
	}
	if err := os.Mkdir(u.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("the folder of waiting sheets: %w", err)
	}
	if why := config.NotOnlyOurs(u.dir); why != "" {
		return fmt.Errorf("the folder of waiting sheets, %s, %s", u.dir, why)
	}
	if err := os.Chmod(u.dir, 0o700); err != nil {
		return fmt.Errorf("the folder of waiting sheets: %w", err)
	}
	let, err := hold(filepath.Join(u.dir, "desk"))
	if errors.Is(err, ledger.ErrLocked) {
		return ErrSpoolHeld
	}
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(u.dir)
	if err == nil {
		err = empty(root)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("the folder of waiting sheets: %w", err), let())
	}
	u.root, u.let = root, let
	return nil
}

// empty removes the sheets and the downloads in the folder, and nothing else.
func empty(root *os.Root) error {
	found, err := fs.ReadDir(root.FS(), ".")
	for _, e := range found {
		if strings.HasPrefix(e.Name(), uploadName) || strings.HasPrefix(e.Name(), outName) {
			err = errors.Join(err, root.RemoveAll(e.Name()))
		}
	}
	return err
}

// Close removes all waiting sheets, and releases the folder.
func (u *Uploads) Close() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.root == nil {
		return nil
	}
	err := errors.Join(empty(u.root), u.root.Close(), u.let())
	u.root, u.all, u.bytes = nil, nil, 0
	return err
}

// Bring stores an uploaded sheet, completely or not at all. It returns ErrTooLarge,
// ErrTooMany, ErrNoRoom, ErrSpoolHeld, or an error of r.
func (u *Uploads) Bring(by, name string, r io.Reader) (Upload, error) {
	w, f, err := u.begin(by, fileName(name))
	if err != nil {
		return Upload{}, err
	}
	defer w.Unlock()
	if err = errors.Join(u.write(w, f, r), f.Close()); err != nil {
		u.end(w, "")
	}
	return w.Upload, err
}

// begin adds an upload of a person, locked, and makes its file.
func (u *Uploads) begin(by, name string) (*brought, *os.File, error) {
	u.Sweep()
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.hold(); err != nil {
		return nil, nil, err
	}
	if len(u.of(by)) >= WaitingEach || u.bytes >= waitingBytes {
		return nil, nil, ErrTooMany
	}
	w := &brought{Upload: Upload{ID: uploadName + NewToken()[:22], Name: name, By: by, At: u.app.env.Now(), Options: SheetOptions{Choices: Choices{Name: name}}}}
	f, err := u.root.OpenFile(w.ID, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("a sheet is taken in: %w", err)
	}
	w.Lock()
	u.all = append(u.all, w)
	return w, f, nil
}

// fileName returns the file name from the browser as plain words: without folders and without
// characters that do not print. No file is ever opened by this name.
func fileName(name string) string {
	const most, end = 120, 8 // characters
	name = strings.TrimSpace(printable(name[strings.LastIndexAny(name, `/\`)+1:]))
	if strings.Trim(name, ". _") == "" {
		return "sheet"
	}
	if r := []rune(name); len(r) > most {
		name = string(r[:most-end]) + string(r[len(r)-end:])
	}
	return name
}

// chunk is how many bytes are written between two checks of the limits.
const chunk = 1 << 20

// write copies a sheet into its file, within the limits.
func (u *Uploads) write(w *brought, f io.Writer, r io.Reader) error {
	for {
		if free, known := freeOnDisk(u.dir); known && free < leastFree+chunk {
			return ErrNoRoom
		}
		n, err := io.CopyN(f, r, chunk)
		u.mu.Lock()
		w.Bytes += n
		u.bytes += n
		all := u.bytes
		u.mu.Unlock()
		switch {
		case all > waitingBytes:
			return ErrTooMany
		case w.Bytes > int64(u.app.set.Limits.SheetBytes):
			return ErrTooLarge
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// end records what a sheet was loaded as, or with "" that it does not wait any more, and removes
// its bytes. The caller holds its lock.
func (u *Uploads) end(w *brought, sheetID string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over(w, sheetID)
}

// over does the work of end. The caller holds u.mu.
func (u *Uploads) over(w *brought, sheetID string) {
	w.SheetID, w.Over, u.last = sheetID, sheetID == "", checkedSheet{}
	if u.root != nil { // nil: the folder was closed meanwhile
		u.bytes -= w.Bytes
		_ = u.root.Remove(w.ID) // if this fails, the next start removes it
	}
}

// Sweep removes what waited too long. An upload that a request works on is left for the next time.
func (u *Uploads) Sweep() {
	u.mu.Lock()
	defer u.mu.Unlock()
	before := u.app.env.Now().Add(-waitingFor)
	for _, w := range u.all {
		if w.waits() && !w.At.After(before) && w.TryLock() {
			u.over(w, "")
			w.Unlock()
		}
	}
	over := len(u.all) - mostKept
	u.all = slices.DeleteFunc(u.all, func(w *brought) bool { // oldest first
		if w.waits() || over <= 0 {
			return false
		}
		over--
		return true
	})
}

// Of returns a person's waiting sheets, newest first.
func (u *Uploads) Of(by string) []Upload {
	u.Sweep()
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.of(by)
}

// of does the work of Of. The caller holds u.mu.
func (u *Uploads) of(by string) (list []Upload) {
	for _, w := range slices.Backward(u.all) {
		if w.By == by && w.waits() {
			list = append(list, w.Upload)
		}
	}
	return list
}

// take locks a waiting sheet for one request; the caller unlocks it. ledger.ErrNotFound if there is none
// with that id, ErrNotYours if another person uploaded it.
func (u *Uploads) take(by, id string) (*brought, error) {
	u.Sweep()
	u.mu.Lock()
	w, _ := ledger.First(u.all, func(w *brought) bool { return w.ID == id })
	u.mu.Unlock()
	switch {
	case w == nil:
		return nil, ledger.ErrNotFound
	case w.By != by:
		return nil, ErrNotYours
	}
	if w.Lock(); !w.waits() {
		defer w.Unlock()
		return nil, &OverError{w.SheetID}
	}
	return w, nil
}

// Choose changes how a sheet is read.
func (u *Uploads) Choose(by, id string, o SheetOptions) error {
	w, err := u.take(by, id)
	if err != nil {
		return err
	}
	defer w.Unlock()
	u.mu.Lock()
	defer u.mu.Unlock()
	o.Name = w.Name
	w.Options, u.last = o, checkedSheet{}
	return nil
}

// Discard removes a waiting sheet. Nothing is recorded.
func (u *Uploads) Discard(by, id string) error {
	w, err := u.take(by, id)
	if err != nil {
		return err
	}
	defer w.Unlock()
	u.end(w, "")
	return nil
}

func (u *Uploads) path(w *brought) string { return filepath.Join(u.dir, w.ID) }
