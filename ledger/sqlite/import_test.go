package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// exporting gives all of a ledger to an import.
func exporting(t *testing.T, s *Store) func(ledger.Export) (ledger.AuditHead, error) {
	return func(out ledger.Export) (ledger.AuditHead, error) { return s.Export(t.Context(), out) }
}

// imported imports a ledger and gives the new one's path.
func imported(t *testing.T, s *Store) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "new.db")
	made, err := Import(t.Context(), path, "asha", strings.ToLower, exporting(t, s))
	must(t, err)
	head, err := s.AuditHead(t.Context())
	if info, failed := os.Stat(path); failed != nil || err != nil || made.Head != head || made.Bytes != info.Size() || info.Mode().Perm() != 0o600 {
		t.Errorf("made %+v, %v, %v", made, err, failed)
	}
	return path
}

func only(t *testing.T, folder string, names ...string) {
	t.Helper()
	found, err := os.ReadDir(folder)
	must(t, err)
	var got []string
	for _, f := range found {
		got = append(got, f.Name())
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("the folder has (-want +got):\n%s", diff)
	}
}

// An import is a copy: it sends nothing until a person accepts it, and then it goes on.
func TestAnImportIsACopy(t *testing.T) {
	s := newStore(t)
	b := load(t, s, "nov", 2, 2)[0]
	path := imported(t, s)
	c := openToWrite(t, path)
	if err := c.Restored(); !errors.Is(err, ledger.ErrRestored) || !strings.Contains(err.Error(), "it is a copy") {
		t.Errorf("%v", err)
	}
	must(t, c.AcceptRestored(t.Context(), "asha", "moved here", at(3)))
	if err := c.Restored(); err != nil {
		t.Error(err)
	}
	if err := c.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: b.ID, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(4), Person: "not wanted"}); err != nil {
		t.Error(err)
	}
	again, err := Open(t.Context(), imported(t, c)) // with what was accepted
	must(t, err)
	defer again.Close()
	if n, err := pairs[string, int](t.Context(), again.db, `SELECT 'restores', count(*) FROM restores`); err != nil || n["restores"] != 1 {
		t.Errorf("%v, %v", n, err)
	}
}

// What was moved goes on as a copy that a person accepts, also where the first export is
// lost and it is exported again.
func TestAnImportOfAMovedLedgerGoesOn(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 2, 2)
	must(t, s.End(t.Context(), auditHeadOf(t, s), "asha", "all.jsonl", at(2)))
	path := imported(t, s)
	for _, doing := range []string{"accept", "write"} {
		c, err := OpenExclusive(t.Context(), path, ledger.Claim{})
		if err != nil {
			t.Fatalf("%s: %v", doing, err)
		}
		if doing == "accept" {
			err = c.AcceptRestored(t.Context(), "asha", "moved here", at(3))
		}
		if err := errors.Join(err, c.Close()); err != nil {
			t.Errorf("%s: %v", doing, err)
		}
	}
}

// The guards are those of every ledger.
func TestAnImportHasEveryGuard(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 2, 2)
	c := openToRead(t, imported(t, s))
	want, err1 := schemaOf(t.Context(), s.db)
	got, err2 := schemaOf(t.Context(), c.db)
	if diff := cmp.Diff(want, got); diff != "" || err1 != nil || err2 != nil {
		t.Errorf("%v, %v (-want +got):\n%s", err1, err2, diff)
	}
}

// Where something has the name nothing is imported, and what is there stays.
func TestAnImportReplacesNothing(t *testing.T) {
	s := newStore(t)
	for _, name := range []string{"new.db", "new.db-wal"} {
		folder := t.TempDir()
		there := filepath.Join(folder, name)
		must(t, os.WriteFile(there, []byte("payouts"), 0o600))
		_, err := Import(t.Context(), filepath.Join(folder, "new.db"), "asha", strings.ToLower, exporting(t, s))
		if text, _ := os.ReadFile(there); !errors.Is(err, ledger.ErrLedgerExists) || string(text) != "payouts" {
			t.Errorf("%s: %v, and it has %q", name, err, text)
		}
	}
}

// Whatever ends an import, nothing of it is left.
func TestAnImportThatEndsLeavesNothing(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 4, 2)
	stop := errors.New("the disk with the export is gone")
	for name, c := range map[string]struct {
		give func(ledger.Export, context.CancelFunc) (ledger.AuditHead, error)
		want error
	}{
		"at its source": {func(out ledger.Export, _ context.CancelFunc) (ledger.AuditHead, error) {
			out.Event = func(ledger.Event) error { return stop }
			return s.Export(t.Context(), out)
		}, stop},
		"as cancelled": {func(out ledger.Export, cancel context.CancelFunc) (ledger.AuditHead, error) {
			cancel()
			return s.Export(t.Context(), out)
		}, context.Canceled},
		"with another head": {func(out ledger.Export, _ context.CancelFunc) (ledger.AuditHead, error) {
			head, err := s.Export(t.Context(), out)
			head.Hash = hash("another")
			return head, err
		}, ledger.ErrExport},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		folder := t.TempDir()
		_, err := Import(ctx, filepath.Join(folder, "new.db"), "asha", strings.ToLower, func(out ledger.Export) (ledger.AuditHead, error) { return c.give(out, cancel) })
		if cancel(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		only(t, folder, "new.db.lock")
	}
}
