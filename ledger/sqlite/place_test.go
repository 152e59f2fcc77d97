package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"payrun/ledger"
)

// `ln payrun.db other.db`: the two names had two locks and two logs, and two
// submits went out. Snapshots by hard link make such files.
func TestALedgerWithASecondNameIsRefused(t *testing.T) {
	s := closed(t, newStore(t))
	other := filepath.Join(filepath.Dir(s.path), "other.db")
	must(t, os.Link(s.path, other))
	for _, path := range []string{s.path, other} {
		if _, err := Open(t.Context(), path); !errors.Is(err, ledger.ErrUnsafe) {
			t.Errorf("reading %s: %v", path, err)
		}
		if _, err := OpenExclusive(t.Context(), path, ledger.Claim{}); !errors.Is(err, ledger.ErrUnsafe) {
			t.Errorf("writing %s: %v", path, err)
		}
	}
	must(t, os.Remove(other))
	sound(t, reopen(t, s))
}

// What happens to the name while the ledger is open stops the next intent.
func TestTheFileIsLookedAtBeforeEachIntent(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"a second name": func(p string) error { return os.Link(p, p+".snapshot") },
		"another file in its place": func(p string) error {
			text, err := os.ReadFile(p + markSuffix)
			return errors.Join(err, os.Rename(p, p+".moved"), os.WriteFile(p, text, 0o600))
		},
		"a link in its place": func(p string) error { return errors.Join(os.Rename(p, p+".moved"), os.Symlink(p+".moved", p)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			b := load(t, s, "nov", 4, 2)
			hold(t, s, b[0].ID)
			must(t, change(s.path))
			for _, step := range []ledger.Step{
				{Actor: "asha", BatchID: b[0].ID, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: at(3), PayloadSHA256: hash("s"), Looks: looked(b[0].ID)},
				{Actor: "asha", BatchID: b[1].ID, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(3), PayloadSHA256: hash("p"), Looks: looked(b[1].ID)},
			} {
				if err := s.Apply(t.Context(), step); !errors.Is(err, ledger.ErrUnsafe) {
					t.Errorf("%s: %v", step.Event, err)
				}
			}
			if list, err := s.BatchesIn(t.Context(), ledger.BatchSubmitting, ledger.BatchInitiating); err != nil || len(list) > 0 {
				t.Errorf("in progress: %v, %v", list, err)
			}
		})
	}
}

// A link that lies where the lock belongs, or took its place, is neither locked
// nor written to nor emptied.
func TestNoLinkIsFollowedToTheLock(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	write(t, victim, []byte("mine"))
	untouched := func(when string) {
		t.Helper()
		if text, err := os.ReadFile(victim); err != nil || string(text) != "mine" {
			t.Errorf("%s: the file behind the link is now %q, %v", when, text, err)
		}
	}
	s := newStore(t)
	plant := func() {
		t.Helper()
		must(t, errors.Join(os.Remove(s.path+".lock"), os.Symlink(victim, s.path+".lock")))
	}
	plant()
	closed(t, s)
	untouched("released")
	if _, err := OpenExclusive(t.Context(), s.path, ledger.Claim{}); !errors.Is(err, ledger.ErrUnsafe) {
		t.Errorf("a link for a lock: %v", err)
	}
	untouched("opened")

	lock := &runLock{newFlock(s.path)} // the link came between the look and the lock
	if held, err := lock.take(t.Context(), 0); held || err == nil {
		t.Errorf("the link was locked: %v", err)
	}
	lock.write([]byte("said"))
	if h := lock.holder(); h != (ledger.Holder{}) {
		t.Errorf("it was read: %+v", h)
	}
	untouched("said")
}

func TestNetworkFileSystemsAreKnown(t *testing.T) {
	for magic, want := range map[uint32]string{0x6969: "NFS", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x01021997: "9p", 0x65735546: "FUSE", 0xef53: "", 0x9123683e: "", 0x01021994: ""} {
		if got := networkFileSystems[magic]; got != want {
			t.Errorf("%#x is %q, want %q", magic, got, want)
		}
	}
	if got := NetworkFileSystem(filepath.Join(t.TempDir(), "none", "payrun.db")); got != "" {
		t.Errorf("a folder that is not there: %q", got)
	}
}
