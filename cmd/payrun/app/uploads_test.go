package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/config"
)

// uploads are closed with the test.
func (a *App) uploads(t *testing.T) *Uploads {
	t.Helper()
	u, err := a.Uploads()
	must(t, err)
	t.Cleanup(func() {
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	})
	return u
}

// What fills the disk of the ledger is not taken in, and nothing of it stays.
func TestADiskWithoutRoomTakesNoSheet(t *testing.T) {
	free := int64(leastFree + 2*chunk)
	freeOnDisk = func(string) (int64, bool) { free -= chunk / 2; return free, true }
	t.Cleanup(func() { freeOnDisk = freeBytes })
	set := config.Settings{LedgerPath: filepath.Join(t.TempDir(), "payrun.db")}
	set.Limits.SheetBytes = 1 << 30
	u := New(set, Env{Now: time.Now}).uploads(t)
	if _, err := u.Bring("ravi", "small.csv", strings.NewReader("a,b\n")); err != nil {
		t.Errorf("there is room for a small one: %v", err)
	}
	if _, err := u.Bring("ravi", "large.csv", strings.NewReader(strings.Repeat("a,b\n", chunk))); !errors.Is(err, ErrNoRoom) {
		t.Errorf("a large one: %v", err)
	}
	found, err := filepath.Glob(set.LedgerPath + ".spool/up-*")
	if err != nil || len(found) != 1 || len(u.Of("ravi")) != 1 {
		t.Errorf("there is %q, %v", found, err)
	}
	if info, err := os.Stat(found[0]); err != nil || info.Size() != 4 || u.bytes != 4 {
		t.Errorf("%v, %v; %d bytes are counted", info, err, u.bytes)
	}
}

// A row that turns out to be bad when another comes, after it was given on: what a person is
// shown is what is loaded, without it.
func TestAWaitingSheetOfWhichRowsTurnOutBadIsLoadedAsShown(t *testing.T) {
	d := newDesk(t)
	u := d.uploads(t)
	call := Call{Actor: "ravi"}
	text := longSheet()
	up, err := u.Bring("ravi", "long.csv", strings.NewReader(text+"first,Asha Traders,123456789012,HDFC0001234,7.00,pb3\n"))
	must(t, err)
	shown, err := u.Review(t.Context(), call, up.ID, Part{})
	must(t, err)
	if shown.Sheet.Sheet.Accepted.Count != longRows || shown.Sheet.Sheet.Rejected.Count != 2 || len(shown.Withdrawn) != 0 || shown.OTPs() != 9 {
		t.Fatalf("shown: %+v, %d OTPs, withdrawn %v", shown.Sheet.Sheet, shown.OTPs(), shown.Withdrawn)
	}
	agreed := Agreed{SHA256: shown.Sheet.Sheet.SHA256, Plan: shown.Plan, SkipBad: true}
	for _, one := range shown.Toward {
		agreed.Seen = append(agreed.Seen, one.Key)
	}
	loaded, err := u.Load(t.Context(), call, up.ID, agreed)
	if err != nil || loaded.SheetID == "" {
		t.Errorf("%+v, %v", loaded, err)
	}
}

// However many sheets come and go, little stays of them.
func TestWhatBecameOfUploadsIsBounded(t *testing.T) {
	u := newDesk(t).App.uploads(t)
	for range mostKept + 50 {
		w, err := u.Bring("maker", "sheet.csv", strings.NewReader("x"))
		must(t, err)
		must(t, u.Discard("maker", w.ID))
	}
	u.Sweep()
	if len(u.all) != mostKept {
		t.Errorf("%d are kept", len(u.all))
	}
}
