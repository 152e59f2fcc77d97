package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

func TestABackupIsTheLedgerAtOneMoment(t *testing.T) {
	st := tell(t)
	load(t, st.Store, "dec", 3000, 500)
	path := filepath.Join(t.TempDir(), "copy.db")
	view := openToRead(t, st.path)
	head := auditHeadOf(t, st.Store)
	copied, err := view.Backup(t.Context(), path)
	must(t, err)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != copied.Bytes || copied.Head != head {
		t.Errorf("copied %+v, there is %v %v, the ledger was at %+v", copied, info, err, head)
	}
	onlyFile(t, filepath.Dir(path), "copy.db")
	c := openToWrite(t, path)
	onlyBehind(t, c)
	if diff := cmp.Diff(dump(t, st.Store), dump(t, c)); diff != "" {
		t.Errorf("the copy differs:\n%s", diff)
	}
}

// `init; ledger backup; load; pay`, the copy put in place of the ledger, and the
// same sheet loaded again: it was paid twice. A mark next to it makes it no better.
func TestNothingIsSentFromACopyUntilAPersonAcceptsIt(t *testing.T) {
	s := newStore(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "night.db")
	if _, err := s.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if err := s.Restored(); err != nil {
		t.Errorf("the ledger that was copied: %v", err)
	}
	mark, err := os.ReadFile(s.path + markSuffix)
	must(t, err)
	write(t, path+markSuffix, mark)
	c := openToWrite(t, path)
	b := load(t, c, "nov", 4, 2)
	for range 2 {
		onlyBehind(t, c)
		if err := c.Restored(); !strings.Contains(err.Error(), "it is a copy, made by `ledger backup` or `ledger import` at event 1") {
			t.Errorf("Restored says %v", err)
		}
		step := ledger.Step{Actor: "asha", BatchID: b[0].ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(1), PayloadSHA256: hash("p"), Looks: looked(b[0].ID)}
		if err := c.Apply(t.Context(), step); !errors.Is(err, ledger.ErrRestored) {
			t.Errorf("an intent: %v", err)
		}
		c.mark.behind = nil // the file itself refuses it, too
		if err := c.Apply(t.Context(), step); !isTransition(err) || !strings.Contains(err.Error(), "nothing is sent from a copy") {
			t.Errorf("an intent past the store: %v", err)
		}
		if _, err := c.write.Exec(`DELETE FROM copied`); err == nil {
			t.Error("a copy became the ledger without a person")
		}
		c = reopen(t, c)
	}
	second := filepath.Join(dir, "copy-of-the-copy.db")
	if _, err := c.Backup(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	must(t, c.AcceptRestored(t.Context(), "asha", "disk lost", at(2)))
	c = reopen(t, c)
	if err := c.Restored(); err != nil {
		t.Errorf("accepted, and still %v", err)
	}
	hold(t, c, b[0].ID)
	sound(t, c)
	var accepted string
	if err := c.read.QueryRow(`SELECT detail FROM events WHERE kind = ?`, ledger.EventRestored).Scan(&accepted); err != nil ||
		!strings.Contains(accepted, "it is a copy") || !strings.Contains(accepted, "disk lost") {
		t.Errorf("on record: %q, %v", accepted, err)
	}
	again := openToWrite(t, second)
	onlyBehind(t, again)
}

// onlyBehind holds that everything is as it should be, but that the ledger is no
// more than a copy.
func onlyBehind(t testing.TB, s *Store) {
	t.Helper()
	problems, err := s.Verify(t.Context())
	if err != nil || len(problems) != 1 || problems[0].Kind != ledger.ProblemBehind {
		t.Errorf("verify says %+v, %v", problems, err)
	}
	if err := s.Restored(); !errors.Is(err, ledger.ErrRestored) {
		t.Errorf("it may send: %v", err)
	}
}

func onlyFile(t testing.TB, dir, name string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != name {
		t.Errorf("in the folder: %q", got)
	}
}

func TestABackupIsTakenWhileAnotherRunWrites(t *testing.T) {
	s := newStore(t)
	b := load(t, s, "nov", 200, 1)
	view := openToRead(t, s.path)
	dir := t.TempDir()
	wrote := make(chan error, 1)
	started := make(chan struct{})
	go func() {
		for i := range b {
			err := s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: b[i].ID, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(i), Person: "x"})
			if err != nil {
				wrote <- err
				return
			}
			if i == 0 {
				close(started)
			}
		}
		wrote <- nil
	}()
	<-started
	for i := range 3 {
		if _, err := view.Backup(t.Context(), filepath.Join(dir, fmt.Sprintf("copy%d.db", i))); err != nil {
			t.Errorf("copy %d: %v", i, err)
		}
	}
	if err := <-wrote; err != nil {
		t.Errorf("the run that wrote: %v", err)
	}
}

func TestABackupReplacesNothing(t *testing.T) {
	s := newStore(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "copy.db")
	write(t, path, []byte("mine"))
	if _, err := s.Backup(t.Context(), path); !errors.Is(err, ledger.ErrLedgerExists) {
		t.Errorf("over a file: %v", err)
	}
	must(t, errors.Join(os.Remove(path), os.Symlink(filepath.Join(dir, "elsewhere"), path)))
	if _, err := s.Backup(t.Context(), path); !errors.Is(err, ledger.ErrLedgerExists) {
		t.Errorf("over a symlink that leads nowhere: %v", err)
	}
	onlyFile(t, dir, "copy.db")
	if _, err := s.Backup(t.Context(), filepath.Join(dir, "none", "copy.db")); err == nil {
		t.Error("into a folder that is not there")
	}
}

func TestACopyThatIsNotWholeGetsNoName(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 4, 2)
	closed(t, s)
	tamper(t, s.path, `UPDATE events SET detail = detail || '.' WHERE seq = 2`)
	view := openToRead(t, s.path)
	dir := t.TempDir()
	if _, err := view.Backup(t.Context(), filepath.Join(dir, "copy.db")); !errors.Is(err, ledger.ErrLedgerDamaged) {
		t.Errorf("a copy of a ledger that was tampered with: %v", err)
	}
	onlyFile(t, dir, "")
}
