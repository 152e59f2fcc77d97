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
	fine(t, os.MkdirAll(filepath.Join(dir, "out-0123456789abcdefghijkl"), 0o700))
	for _, name := range []string{"up-0123456789abcdefghijkl", "notes.txt", "out-0123456789abcdefghijkl/nov.rejected.csv"} {
		fine(t, os.WriteFile(filepath.Join(dir, name), []byte("half a sh"), 0o600))
	}
	h.reopen(func(*config.Settings) {})
	h.nothingWaits("the killed desk")
	need(os.Stat(filepath.Join(dir, "notes.txt")))(t)
	b := h.loader()
	b.waits("nov.csv", sheetOf("INV/1"))
	first := *h
	h.serves(h.now, h.first)
	is(t, b.post("/login", "name", "ravi", "password", password), 303)
	is(t, b.bring("dec.csv", sheetOf("INV/2")), 503, "another desk of this ledger")
	is(t, b.decide("/sheets/"+h.loadedWithout()+"/rejected"), 503, "another desk of this ledger")
	same(t, "left by the second desk", len(h.spooled()), 1)
	fine(t, first.desk.uploads.Close())
	b.waits("dec.csv", sheetOf("INV/2"))
	h.warnedOf(0)
}

// A folder that is a link, or that others may write to, is none of ours.
func TestTheFolderOfSheetsIsOurOwn(t *testing.T) {
	h := build(t)
	elsewhere := t.TempDir()
	fine(t, os.Symlink(elsewhere, h.set.LedgerPath+".spool"))
	p := h.loader().bring("nov.csv", sheetOf("INV/1"))
	is(t, p, 500, "That did not work")
	isNot(t, p, h.dir)
	same(t, "files elsewhere", len(need(os.ReadDir(elsewhere))(t)), 0)
}

// A sheet waits for a day; what was discarded is gone, and nothing is recorded.
func TestASheetWaitsForADay(t *testing.T) {
	h, b := withLoader(t)
	one, two := b.waits("a.csv", sheetOf("A")), b.waits("b.csv", sheetOf("B"))
	before := len(h.events())
	form := b.loadForm(one)
	is(t, b.postAll(two+"/discard", url.Values{"form": form["form"]}), 303)
	same(t, "sheets that wait", len(h.spooled()), 1)
	h.recorded(before)
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
	h, b := withLoader(t)
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
	isNot(t, viewer.get("/sheets"), "/sheets/new")
	is(t, b.get("/sheets/up-"+strings.Repeat("a", 22)), 404)
	is(t, b.get("/sheets/up-..%2f..%2fpayrun.toml"), 404)
	same(t, "sheets that wait", len(h.spooled()), 1)
	is(t, b.loads(path), 303)
}

// loadedWithout loads a sheet of which a row is left out, at a terminal.
func (h *house) loadedWithout() (id string) {
	h.Helper()
	h.loadText("left.csv", sheetOf("LEFT/1", "LEFT/2", "LEFT/2"), app.SheetOptions{SkipBad: true})
	all := need(h.app.Sheets(h.Context(), app.Call{}))(h)
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
	same(t, "folders of two", len(made), 2)
	for _, dir := range made {
		files := need(filepath.Glob(dir + "/*"))(t)
		same(t, dir, need(os.Stat(dir))(t).Mode(), 0o700|os.ModeDir)
		same(t, files[0], need(os.Stat(files[0]))(t).Mode(), 0o600)
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
		fine(t, <-gone)
	}
	is(t, b.decide("/sheets/"+id+"/rejected"), 200, "LEFT/2")
	h.nothingWaits("all given out")
}
