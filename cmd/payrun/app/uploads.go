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

// Limits on sheets that wait to be looked at.
const (
	WaitingEach  = 4              // of one person
	waitingBytes = 1 << 30        // of all together
	leastFree    = 1 << 30        // on the disk, for the ledger
	waitingFor   = 24 * time.Hour // from when they were brought
	mostChecks   = 2              // at the same time: each may have a hundred thousand findings
	mostAnswers  = 1000           // that say what became of one
)

// Why a sheet is not taken in.
var (
	ErrTooLarge  = errors.New("the sheet is larger than limits.sheet_bytes")
	ErrTooMany   = errors.New("too many sheets wait already")
	ErrNoRoom    = errors.New("there is too little room on the disk")
	ErrSpoolHeld = errors.New("sheets are uploaded at another desk of this ledger")
	ErrNotYours  = errors.New("another person uploaded the sheet")
)

// OverError: an upload does not wait any more.
type OverError struct {
	SheetID string // what it was loaded as; "" where it was discarded, or waited for too long
}

func (e *OverError) Error() string { return "the upload does not wait any more" }

// How the id of an upload begins, which is the name of its file, and the name of the folder of a file
// that is given out.
const (
	uploadName = "up-"
	outName    = "out-"
)

// freeOnDisk is freeBytes, but for tests: none of them fills a disk.
var freeOnDisk = freeBytes

// Upload is a sheet that a person brought, and what became of it.
type Upload struct {
	ID      string // up- and 22 characters that cannot be guessed
	Name    string // what the person calls the file
	By      string
	At      time.Time
	Bytes   int64
	Options SheetOptions // how it is read
	SheetID string       // what it was loaded as; "" while it waits
	Over    bool         // it was discarded, or waited for too long
}

// waits reports whether its bytes are still there.
func (u *Upload) waits() bool { return u.SheetID == "" && !u.Over }

// Uploads are the sheets that were uploaded to the desk and wait to be loaded or discarded. Until
// then, for a day at most, their bytes are in a folder of this machine (LEDGER.spool); the rest is in
// memory. One process has the folder at a time. Files that it finds there at the start belong to one
// that was killed, and are removed.
type Uploads struct {
	app    *App
	dir    string
	checks *semaphore.Weighted

	mu    sync.Mutex
	root  *os.Root // nil until the folder is ours
	let   func() error
	all   []*brought   // in the order in which they came
	bytes int64        // of those that wait or are coming in
	last  checkedSheet // what was found of the one that was looked at last
}

// brought is an upload. The request that works on it has its lock.
type brought struct {
	sync.Mutex
	Upload
}

// Uploads returns the sheets that wait: none, as a desk begins with. What a desk
// that was killed left is removed now, or before the first sheet is taken in.
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

// hold takes the folder, and empties it. u.mu is held.
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

// empty removes the sheets in the folder, what was made to be given out, and nothing
// else.
func empty(root *os.Root) error {
	found, err := fs.ReadDir(root.FS(), ".")
	for _, e := range found {
		if strings.HasPrefix(e.Name(), uploadName) || strings.HasPrefix(e.Name(), outName) {
			err = errors.Join(err, root.RemoveAll(e.Name()))
		}
	}
	return err
}

// Close removes all that waits, and gives the folder up.
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

// Bring takes a sheet in. It is there whole, or nothing of it is: ErrTooLarge,
// ErrTooMany, ErrNoRoom, ErrSpoolHeld, or what r said.
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

// begin counts one more of a person's, which is locked, and makes its file.
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

// fileName is the name of a file as the browser sends it, as words: without folders
// and without what does not show. Nothing is ever opened by it.
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

// chunk is how much is written between two looks at the limits.
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

// end notes what a sheet was loaded as, or with "" that it is over, and removes its bytes.
// The caller has its lock.
func (u *Uploads) end(w *brought, sheetID string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over(w, sheetID)
}

// over is end with u.mu held.
func (u *Uploads) over(w *brought, sheetID string) {
	w.SheetID, w.Over, u.last = sheetID, sheetID == "", checkedSheet{}
	if u.root != nil { // else all of it was closed meanwhile
		u.bytes -= w.Bytes
		_ = u.root.Remove(w.ID) // else it goes with the next start
	}
}

// Sweep removes what waited for too long. An upload that a request works on is removed the next time.
func (u *Uploads) Sweep() {
	u.mu.Lock()
	defer u.mu.Unlock()
	before := u.app.env.Now().Add(-waitingFor)
	answers := 0
	for _, w := range u.all {
		if w.waits() && !w.At.After(before) && w.TryLock() {
			u.over(w, "")
			w.Unlock()
		}
		if !w.waits() {
			answers++
		}
	}
	u.all = slices.DeleteFunc(u.all, func(w *brought) bool { // the oldest first
		if w.waits() || answers <= mostAnswers {
			return false
		}
		answers--
		return true
	})
}

// Of lists the sheets of a person that wait, the newest first.
func (u *Uploads) Of(by string) []Upload {
	u.Sweep()
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.of(by)
}

// of is Of with u.mu held.
func (u *Uploads) of(by string) (list []Upload) {
	for _, w := range slices.Backward(u.all) {
		if w.By == by && w.waits() {
			list = append(list, w.Upload)
		}
	}
	return list
}

// take locks a sheet that waits for one request; its caller unlocks it. ledger.ErrNotFound where there
// is none of that id, ErrNotYours where another person brought it.
func (u *Uploads) take(by, id string) (*brought, error) {
	u.Sweep()
	u.mu.Lock()
	var w *brought
	if i := slices.IndexFunc(u.all, func(w *brought) bool { return w.ID == id }); i >= 0 {
		w = u.all[i]
	}
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

// Discard removes a sheet that waits. Nothing of it is recorded.
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
