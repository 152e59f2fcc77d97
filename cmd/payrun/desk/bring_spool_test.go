package desk

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
)

// Where sheets wait: whose they are, for how long, and what goes.

// spooled are the sheets that lie in the folder of those that wait, and what is made
// there to be given out.
func (h *house) spooled() (names []string) {
	h.Helper()
	for _, kind := range []string{"up-*", "out-*"} {
		found := need(filepath.Glob(h.set.LedgerPath + ".spool/" + kind))(h)
		names = append(names, found...)
	}
	return names
}

func (h *house) nothingWaits(what string) {
	h.Helper()
	if left := h.spooled(); len(left) > 0 {
		h.Errorf("%s: %q is left", what, left)
	}
}

// U1: what a desk that was killed left goes at the next start, and with the first
// sheet; what is no sheet stays. A second desk takes none in while the first does.
func TestWhatAKilledDeskLeftGoes(t *testing.T) {
	h := build(t)
	dir := h.set.LedgerPath + ".spool"
	fine(t, os.Mkdir(dir, 0o700))
	fine(t, os.Mkdir(filepath.Join(dir, "out-0123456789abcdefghijkl"), 0o700))
	for _, name := range []string{"up-0123456789abcdefghijkl", "notes.txt", "out-0123456789abcdefghijkl/nov.rejected.csv"} {
		fine(t, os.WriteFile(filepath.Join(dir, name), []byte("half a sh"), 0o600))
	}
	h.anew(func(*config.Settings) {})
	h.nothingWaits("the killed desk")
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
		t.Error(err)
	}
	b := h.loader()
	b.waits("nov.csv", sheetOf("INV/1"))
	first := *h
	second := newDesk(t.Context(), h.app, h.set, h.now, h.first, h.warns)
	second.named("127.0.0.1:8660", "", false)
	h.desk, h.handler = second, second.handler()
	is(t, b.post("/login", "name", "ravi", "password", password), 303)
	is(t, b.bring("dec.csv", sheetOf("INV/2")), 503, "Another desk of this ledger")
	is(t, b.decide("/sheets/"+h.loadedWithout()+"/rejected"), 503, "Another desk of this ledger")
	if len(h.spooled()) != 1 {
		t.Errorf("the second desk left %q", h.spooled())
	}
	fine(t, first.desk.uploads.Close())
	b.waits("dec.csv", sheetOf("INV/2"))
	if len(h.warned) > 0 {
		t.Errorf("it warns %q", h.warned)
	}
}

// A folder that is a link, or that others may write to, is none of ours.
func TestTheFolderOfSheetsIsOurOwn(t *testing.T) {
	h := build(t)
	elsewhere := t.TempDir()
	fine(t, os.Symlink(elsewhere, h.set.LedgerPath+".spool"))
	p := h.loader().bring("nov.csv", sheetOf("INV/1"))
	is(t, p, 500, "That did not work")
	found, err := os.ReadDir(elsewhere)
	if err != nil || len(found) > 0 || strings.Contains(p.body, h.dir) {
		t.Errorf("%v, %v\n%s", found, err, p.body)
	}
}

// A sheet waits for a day; what was discarded is gone, and nothing is recorded.
func TestASheetWaitsForADay(t *testing.T) {
	h := build(t)
	b := h.loader()
	one, two := b.waits("a.csv", sheetOf("A")), b.waits("b.csv", sheetOf("B"))
	before := len(h.events())
	form := b.loadForm(one)
	is(t, b.postAll(two+"/discard", url.Values{"form": form["form"]}), 303)
	if len(h.spooled()) != 1 || len(h.events()) != before {
		t.Errorf("%q, %d events", h.spooled(), len(h.events())-before)
	}
	is(t, b.get("/sheets?discarded=1"), 200, "Discarded. Nothing was recorded.")
	for range 49 { // logged in all the while
		if h.at = h.at.Add(29 * time.Minute); b.get("/").StatusCode != 200 {
			b.post("/login", "name", "ravi", "password", password)
		}
	}
	is(t, b.get(one), 200)
	h.at = h.at.Add(20 * time.Minute)
	is(t, b.get(one), 410, "waited for more than a day", "Nothing of it was recorded")
	is(t, b.get(two), 410)
	h.nothingWaits("a day later")
	form = map[string][]string{"form": {b.form()}}
	is(t, b.postAll(one+"/check", form), 410)
}

// Only who brought a sheet acts on it, and only with the role.
func TestASheetIsForWhoBroughtIt(t *testing.T) {
	h := build(t)
	b := h.loader()
	path := b.waits("a.csv", sheetOf("A"))
	other, viewer := h.invite("mina", "load"), h.invite("vera", "view")
	mine := b.loadForm(path)
	for _, c := range []struct {
		*browser
		words string
	}{{other, "Another person uploaded this sheet"}, {viewer, "the role load"}} {
		fields := url.Values{"form": {c.form()}, "sheet_sha256": mine["sheet_sha256"], "plan": mine["plan"]}
		is(t, c.get(path), 403, c.words)
		for _, do := range []string{"/check", "/load", "/discard"} {
			is(t, c.postAll(path+do, fields), 403, c.words)
		}
	}
	is(t, viewer.get("/sheets/new"), 403, "the role load")
	is(t, viewer.bringOf([]string{"form", viewer.form()}, [2]string{"a.csv", sheetOf("B")}), 403)
	if strings.Contains(viewer.get("/sheets").body, "/sheets/new") {
		t.Error("a page offers what its person may not")
	}
	is(t, b.get("/sheets/up-"+strings.Repeat("a", 22)), 404)
	is(t, b.get("/sheets/up-..%2f..%2fpayrun.toml"), 404)
	if len(h.spooled()) != 1 {
		t.Errorf("there is %q", h.spooled())
	}
	is(t, b.loads(path), 303)
}

// loadedWithout loads a sheet of which a row is left out, at a terminal.
func (h *house) loadedWithout() (id string) {
	h.Helper()
	path := filepath.Join(h.TempDir(), "left.csv")
	fine(h, os.WriteFile(path, []byte(sheetOf("LEFT/1", "LEFT/2", "LEFT/2")), 0o600))
	_, _ = h.app.Load(h.Context(), app.Call{Actor: "asha"}, []string{path}, app.SheetOptions{SkipBad: true}) // that rows are left out is no failure
	all, err := h.app.Sheets(h.Context(), app.Call{})
	if err != nil || len(all) == 0 || all[len(all)-1].Rejected.Count == 0 {
		h.Fatal(err, "no row is left out")
	}
	return all[len(all)-1].ID
}

// What is given out is made in a folder of its own, for no one else to read, and takes
// its turn among the checks: two at a time.
func TestWhatIsGivenOutTakesItsTurn(t *testing.T) {
	h := build(t)
	id := h.loadedWithout()
	b := h.loader()
	var over []chan error
	reading := heldUp{make(chan struct{}), make(chan struct{}), new(sync.Once)}
	for range 2 {
		one := heldUp{make(chan struct{}), reading.letGo, new(sync.Once)}
		gone := make(chan error, 1)
		go func() {
			f, _, err := h.uploads.LeftOut(t.Context(), app.Call{Actor: "asha", Progress: one, LockWait: 5 * time.Second}, id, "127.0.0.1")
			if err == nil {
				err = f.Close()
			}
			gone <- err
		}()
		<-one.there
		over = append(over, gone)
	}
	made := h.spooled()
	if len(made) != 2 {
		t.Errorf("two are made in %q", made)
	}
	for _, dir := range made {
		files, err := filepath.Glob(dir + "/*")
		if err != nil || len(files) == 0 {
			t.Errorf("%v: nothing is in %s yet", err, dir)
		}
		for path, mode := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, files[0]: 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode() != mode {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	for _, path := range []string{"/rejected", "/retry.xlsx"} {
		if p := b.postIn(ctx, "/sheets/"+id+path, "form", b.session().form); p.StatusCode == 200 || len(h.spooled()) != 2 {
			t.Errorf("a third: %s, in %q", p.Status, h.spooled())
		}
	}
	close(reading.letGo)
	for _, gone := range over {
		if err := <-gone; err != nil {
			t.Error(err)
		}
	}
	is(t, b.decide("/sheets/"+id+"/rejected"), 200, "LEFT/2")
	h.nothingWaits("all given out")
}
