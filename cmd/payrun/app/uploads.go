package app

import (
	"context"
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
	ErrSpoolHeld = errors.New("another desk of this ledger takes the sheets in")
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
func (u Upload) waits() bool { return u.SheetID == "" && !u.Over }

// Uploads are the sheets that were uploaded to the desk and wait to be loaded or discarded. Until
// then, for a day at most, their bytes are in a folder of this machine (LEDGER.spool); the rest is in
// memory. One process has the folder at a time. Files that it finds there at the start belong to one
// that was killed, and are removed.
type Uploads struct {
	app   *App
	dir   string
	turns chan struct{} // of the checks

	mu    sync.Mutex
	root  *os.Root // nil until the folder is ours
	let   func() error
	all   []*brought   // in the order in which they came
	bytes int64        // of those that wait or are coming in
	last  checkedSheet // what was found of the one that was looked at last
}

// brought is an upload while a request may be working on it.
type brought struct {
	busy sync.RWMutex // held to read its bytes, and alone to load or remove them
	Upload
}

// Uploads returns the sheets that wait: none, as a desk begins with. What a desk
// that was killed left is removed now, or before the first sheet is taken in.
func (a *App) Uploads() (*Uploads, error) {
	u := &Uploads{app: a, dir: a.place.own("spool"), turns: make(chan struct{}, mostChecks)}
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
	w, root, err := u.begin(by, fileName(name))
	if err != nil {
		return Upload{}, err
	}
	if err = u.write(w, root, r); err != nil {
		u.end(w, "")
	}
	w.busy.Unlock()
	return w.Upload, err
}

// begin counts one more of a person's, which is busy.
func (u *Uploads) begin(by, name string) (*brought, *os.Root, error) {
	u.Sweep()
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.hold(); err != nil {
		return nil, nil, err
	}
	mine := 0
	for _, w := range u.all {
		if w.By == by && w.waits() {
			mine++
		}
	}
	if mine >= WaitingEach || u.bytes >= waitingBytes {
		return nil, nil, ErrTooMany
	}
	w := &brought{Upload: Upload{ID: uploadName + NewToken()[:22], Name: name, By: by, At: u.app.env.Now(), Options: SheetOptions{Choices: Choices{Name: name}}}}
	w.busy.Lock()
	u.all = append(u.all, w)
	return w, u.root, nil
}

// fileName is the name of a file as the browser sends it, as words: without folders
// and without what does not show. Nothing is ever opened by it.
func fileName(name string) string {
	const most = 120 // characters
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if ledger.Unprintable(r) {
			return '_'
		}
		return r
	}, name))
	if r := []rune(name); len(r) > most {
		ext := []rune(filepath.Ext(name))
		if len(ext) > 8 {
			ext = nil
		}
		name = string(r[:most-len(ext)]) + string(ext)
	}
	if strings.Trim(name, ". _") == "" {
		return "sheet"
	}
	return name
}

// chunk is how much is written between two looks at the limits.
const chunk = 1 << 20

// write copies a sheet into the folder, within the limits.
func (u *Uploads) write(w *brought, root *os.Root, r io.Reader) (err error) {
	f, err := root.OpenFile(w.ID, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("a sheet is taken in: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	most := int64(u.app.set.Limits.SheetBytes)
	for {
		if free, known := freeOnDisk(u.dir); known && free < leastFree+chunk {
			return ErrNoRoom
		}
		n, err := io.CopyN(f, r, chunk)
		if all := u.count(w, n); all > waitingBytes {
			return ErrTooMany
		}
		switch {
		case w.Bytes > most:
			return ErrTooLarge
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// count adds to what all sheets have.
func (u *Uploads) count(w *brought, n int64) (all int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	w.Bytes += n
	u.bytes += n
	return u.bytes
}

// end notes what a sheet was loaded as, or with "" that it is over, and removes its bytes.
// The caller alone has it.
func (u *Uploads) end(w *brought, sheetID string) {
	u.lookAnew()
	u.mu.Lock()
	defer u.mu.Unlock()
	if w.SheetID, w.Over = sheetID, sheetID == ""; u.root == nil {
		return // all of it was closed meanwhile
	}
	u.bytes -= w.Bytes
	_ = u.root.Remove(w.ID) // else it goes with the next start
}

// Sweep removes what waited for too long. An upload that a request works on is removed the next time.
func (u *Uploads) Sweep() {
	u.mu.Lock()
	var late []*brought
	before := u.app.env.Now().Add(-waitingFor)
	answers := 0
	for i := len(u.all) - 1; i >= 0; i-- { // the newest first
		w := u.all[i]
		if w.waits() {
			if !w.At.After(before) {
				late = append(late, w)
			}
		} else if answers++; answers > mostAnswers {
			u.all = slices.Delete(u.all, i, i+1)
		}
	}
	u.mu.Unlock()
	for _, w := range late {
		if w.busy.TryLock() {
			if w.waits() { // or it was loaded just now
				u.end(w, "")
			}
			w.busy.Unlock()
		}
	}
}

// Of lists the sheets of a person that wait, the newest first.
func (u *Uploads) Of(by string) (list []Upload) {
	u.Sweep()
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, w := range slices.Backward(u.all) {
		if w.By == by && w.waits() {
			list = append(list, w.Upload)
		}
	}
	return list
}

// find finds a sheet that was brought. ledger.ErrNotFound where there is none of that id,
// ErrNotYours where another person brought it.
func (u *Uploads) find(by, id string) (*brought, error) {
	u.Sweep()
	u.mu.Lock()
	defer u.mu.Unlock()
	i := slices.IndexFunc(u.all, func(w *brought) bool { return w.ID == id })
	switch {
	case i < 0:
		return nil, ledger.ErrNotFound
	case u.all[i].By != by:
		return nil, ErrNotYours
	}
	return u.all[i], nil
}

// take finds a sheet that waits, for one person at work on it alone. done lets go.
func (u *Uploads) take(by, id string) (w *brought, done func(), err error) {
	if w, err = u.find(by, id); err != nil {
		return nil, nil, err
	}
	w.busy.Lock()
	if !w.waits() {
		w.busy.Unlock()
		return nil, nil, &OverError{w.SheetID}
	}
	return w, w.busy.Unlock, nil
}

// Choose changes how a sheet is read.
func (u *Uploads) Choose(by, id string, o SheetOptions) error {
	w, done, err := u.take(by, id)
	if err != nil {
		return err
	}
	defer done()
	u.lookAnew()
	u.mu.Lock()
	defer u.mu.Unlock()
	o.Name = w.Name
	w.Options = o
	return nil
}

// Discard removes a sheet that waits. Nothing of it is recorded.
func (u *Uploads) Discard(by, id string) error {
	w, done, err := u.take(by, id)
	if err != nil {
		return err
	}
	defer done()
	u.end(w, "")
	return nil
}

// turn waits until the sheet may be read: no more than a few are at once.
func (u *Uploads) turn(ctx context.Context) (done func(), err error) {
	select {
	case u.turns <- struct{}{}:
		return func() { <-u.turns }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (u *Uploads) path(w *brought) string { return filepath.Join(u.dir, w.ID) }
