package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
)

// markOf reads the mark next to the store's ledger.
func markOf(t testing.TB, s *Store) Mark {
	t.Helper()
	m, err := s.readMark()
	must(t, err)
	return m
}

func closed(t testing.TB, s *Store) *Store {
	t.Helper()
	must(t, s.Close())
	return s
}

func TestTheMarkFollowsTheLedger(t *testing.T) {
	s := newStore(t)
	if m, head := markOf(t, s), auditHeadOf(t, s); m.Length != 1 || m.Hash != head.Hash || m.LedgerID != s.LedgerID() {
		t.Errorf("a new ledger is at %+v and its mark is %+v", head, m)
	}
	b := load(t, s, "nov", 4, 2)
	apply(t, s, ledger.Step{Actor: "asha", BatchID: b[0].ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(1), PayloadSHA256: hash("p"), Looks: looked(b[0].ID)})
	head := auditHeadOf(t, s)
	if m := markOf(t, s); m.Length != head.Length || m.Hash != head.Hash || m.LedgerID != s.LedgerID() {
		t.Errorf("behind an intent the mark is %+v, the ledger at %+v", m, head)
	}
	apply(t, s, ledger.Step{Actor: "asha", BatchID: b[0].ID, From: ledger.BatchInitiating, Event: ledger.InitiateRefused, At: at(2)})
	if m := markOf(t, s); m.Length != head.Length {
		t.Errorf("an outcome moved the mark to %d", m.Length)
	}
	head = auditHeadOf(t, s)
	closed(t, s)
	if m := markOf(t, s); m.Length != head.Length || m.Hash != head.Hash {
		t.Errorf("closed, the mark is %+v, the ledger was at %+v", m, head)
	}
	if info, err := os.Stat(s.path + markSuffix); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode: %v, %v", info.Mode(), err)
	}
	// a crash before the mark was written leaves it behind: nothing is wrong with that
	s = reopen(t, s)
	apply(t, s, ledger.Step{Actor: "asha", BatchID: b[1].ID, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(3), Person: "x"})
	view := openToRead(t, s.path)
	sound(t, view)
}

func bytesOf(t testing.TB, s *Store) []byte {
	t.Helper()
	content, err := os.ReadFile(closed(t, s).path)
	must(t, err)
	return content
}

func TestALedgerBehindItsMarkSendsNothing(t *testing.T) {
	s := newStore(t)
	b := load(t, s, "nov", 6, 2)
	hold(t, s, b[0].ID)
	older := bytesOf(t, s)
	s = reopen(t, s)
	submit(t, s, b[0].ID)
	newest := markOf(t, closed(t, s))

	write(t, s.path, older)
	s = openToWrite(t, s.path)
	refuses := func(why string) {
		t.Helper()
		if err := s.Restored(); !errors.Is(err, ledger.ErrRestored) || !strings.Contains(err.Error(), why) {
			t.Errorf("Restored says %v, want %q", err, why)
		}
		for _, step := range []ledger.Step{
			{BatchID: b[0].ID, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: at(9), PayloadSHA256: hash("s"), Looks: looked(b[0].ID)},
			{BatchID: b[1].ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(9), PayloadSHA256: hash("i"), Looks: looked(b[1].ID)},
		} {
			if err := s.Apply(t.Context(), step); !errors.Is(err, ledger.ErrRestored) {
				t.Errorf("%s: %v", step.Event, err)
			}
		}
		problems, err := s.Verify(t.Context())
		if err != nil || !slices.ContainsFunc(problems, func(p ledger.Problem) bool { return p.Kind == ledger.ProblemBehind && p.Invariant == 18 }) {
			t.Errorf("verify says %+v, %v", problems, err)
		}
	}
	refuses("its audit trail ends with event")
	// what sends nothing goes on, and leads to another history, not to the mark
	load(t, s, "dec", 30, 1)
	if head := auditHeadOf(t, s); head.Length <= newest.Length {
		t.Fatalf("the story is too short: %d", head.Length)
	}
	closed(t, s)
	if m := markOf(t, s); m != newest {
		t.Errorf("the mark went from %+v to %+v", newest, m)
	}
	s = reopen(t, s)
	refuses("is not the one that was recorded")

	// a person's word, with its reason on record, makes it the ledger
	must(t, s.AcceptRestored(t.Context(), "asha", "disk lost", at(10)))
	if err := s.Restored(); err != nil {
		t.Errorf("accepted, and still %v", err)
	}
	apply(t, s, ledger.Step{Actor: "asha", BatchID: b[1].ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(11), PayloadSHA256: hash("i"), Looks: looked(b[1].ID)})
	var accepted ledger.Event
	if err := s.Events(t.Context(), func(e ledger.Event) error {
		if e.Kind == ledger.EventRestored {
			accepted = e
		}
		return nil
	}); err != nil || !strings.Contains(accepted.Detail, "disk lost") || !strings.Contains(accepted.Detail, newest.Hash) {
		t.Errorf("on record: %+v, %v", accepted, err)
	}
	if err := s.AcceptRestored(t.Context(), "asha", "again", at(12)); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("accepted twice: %v", err)
	}
	s = reopen(t, s)
	if err := s.Restored(); err != nil {
		t.Errorf("opened again: %v", err)
	}
	sound(t, s)
}

func TestAnotherLedgerInItsPlaceSendsNothing(t *testing.T) {
	s := closed(t, newStore(t))
	must(t, os.Remove(s.path))
	if _, err := Create(t.Context(), s.path, "asha", t0); !errors.Is(err, ledger.ErrLedgerExists) || !strings.Contains(err.Error(), "its mark") {
		t.Errorf("created where the mark of another is: %v", err)
	}
	other := closed(t, newStore(t))
	must(t, os.Rename(other.path, s.path))
	other = openToWrite(t, s.path)
	if err := other.Restored(); !errors.Is(err, ledger.ErrRestored) || !strings.Contains(err.Error(), s.id) {
		t.Errorf("a new ledger where another was: %v", err)
	}
}

func TestAMarkThatCannotBeReadSendsNothing(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"empty":         func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"other content": func(p string) error { return os.WriteFile(p, []byte(`{"schema":"x"}`), 0o600) },
		"cut off":       func(p string) error { return os.Truncate(p, 20) },
		"huge":          func(p string) error { return os.WriteFile(p, make([]byte, mostShort+1), 0o600) },
		"a folder":      func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o700)) },
		"a symlink": func(p string) error {
			return errors.Join(os.Rename(p, p+".real"), os.Symlink(p+".real", p))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := closed(t, newStore(t))
			must(t, spoil(s.path+markSuffix))
			s = reopen(t, s)
			if err := s.Restored(); !errors.Is(err, ledger.ErrRestored) {
				t.Errorf("opened: %v", err)
			}
		})
	}
}

// The mark that cannot be written stops the next call, and nothing else.
func TestAMarkThatCannotBeWrittenStopsTheNextCall(t *testing.T) {
	s := newStore(t)
	b := load(t, s, "nov", 4, 2)
	intend := func(id string) error {
		return s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(1), PayloadSHA256: hash("p"), Looks: looked(id)})
	}
	blocked := filepath.Join(filepath.Dir(s.path), filepath.Base(s.path)+markSuffix)
	must(t, errors.Join(os.Remove(blocked), os.MkdirAll(filepath.Join(blocked, "in the way"), 0o700)))
	if err := intend(b[0].ID); err != nil {
		t.Errorf("its intent is on record: %v", err)
	}
	if err := intend(b[1].ID); !errors.Is(err, ledger.ErrLedgerDamaged) {
		t.Errorf("the next call: %v", err)
	}
	must(t, os.RemoveAll(blocked))
	closed(t, s)
	if m := markOf(t, s); m.Length == 0 {
		t.Error("closed without a mark")
	}
}

// A plain copy of the file has no mark. It may be of any moment: before the
// first intent, too.
func TestALedgerWithoutItsMarkSendsNothing(t *testing.T) {
	for name, story := range map[string]func(t *testing.T, s *Store){
		"loaded":         func(t *testing.T, s *Store) { load(t, s, "nov", 4, 2) },
		"with an intent": func(t *testing.T, s *Store) { hold(t, s, load(t, s, "nov", 4, 2)[0].ID); load(t, s, "dec", 4, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			story(t, s)
			content := bytesOf(t, s)
			path := filepath.Join(t.TempDir(), "moved.db")
			write(t, path, content)
			for range 2 { // opening and closing it makes it no newer
				moved := openToWrite(t, path)
				if err := moved.Restored(); !errors.Is(err, ledger.ErrRestored) || !strings.Contains(err.Error(), "no high-water mark (moved.db.head)") {
					t.Errorf("Restored says %v", err)
				}
				for _, b := range plannedIn(t, moved) {
					err := moved.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: b.ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(1), PayloadSHA256: hash("p"), Looks: looked(b.ID)})
					if !errors.Is(err, ledger.ErrRestored) {
						t.Errorf("an intent: %v", err)
					}
				}
				problems, err := moved.Verify(t.Context())
				if err != nil || !slices.ContainsFunc(problems, func(p ledger.Problem) bool { return p.Kind == ledger.ProblemBehind }) {
					t.Errorf("verify says %+v, %v", problems, err)
				}
				closed(t, moved)
				if m := markOf(t, moved); m != (Mark{}) {
					t.Errorf("it got a mark: %+v", m)
				}
			}
			moved := openToWrite(t, path)
			must(t, moved.AcceptRestored(t.Context(), "asha", "moved to another machine", at(2)))
			moved = reopen(t, closed(t, moved))
			if err := moved.Restored(); err != nil {
				t.Errorf("accepted, and still %v", err)
			}
			apply(t, moved, ledger.Step{Actor: "asha", BatchID: plannedIn(t, moved)[0].ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(3), PayloadSHA256: hash("p"), Looks: looked(plannedIn(t, moved)[0].ID)})
			sound(t, moved)
		})
	}
}

func plannedIn(t *testing.T, s *Store) []ledger.Batch {
	t.Helper()
	list, err := s.BatchesIn(t.Context(), ledger.BatchPlanned)
	if err != nil || len(list) == 0 {
		t.Fatalf("planned: %v, %v", list, err)
	}
	return list
}

// An ordinary first day is not held up: neither by a load that dies, nor by an
// init that dies between the ledger and its mark.
func TestADeathLeavesNoLedgerWithoutItsMark(t *testing.T) {
	s := newStore(t)
	b := load(t, s, "nov", 4, 2)
	content, mark := bytesAsTheyLie(t, s)
	path := filepath.Join(t.TempDir(), "payrun.db")
	write(t, path, content)
	write(t, path+markSuffix, mark)
	after, err := OpenExclusive(t.Context(), path, ledger.Claim{})
	if err != nil || after.Restored() != nil {
		t.Fatalf("after a load that died: %v, %v", err, after.Restored())
	}
	apply(t, after, ledger.Step{Actor: "asha", BatchID: b[0].ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(1), PayloadSHA256: hash("p"), Looks: looked(b[0].ID)})
	closed(t, after)

	s = closed(t, newStore(t))
	must(t, os.Remove(s.path+markSuffix))
	s = reopen(t, s)
	if m := markOf(t, s); s.Restored() != nil || m.Length != 1 {
		t.Errorf("after an init that died: %v, its mark is %+v", s.Restored(), m)
	}
}

// bytesAsTheyLie are the ledger and its mark as a process leaves them that dies
// now, but for the log, which is in the ledger already.
func bytesAsTheyLie(t *testing.T, s *Store) (content, mark []byte) {
	t.Helper()
	mark, err := os.ReadFile(s.path + markSuffix)
	must(t, err)
	return bytesOf(t, s), mark
}
