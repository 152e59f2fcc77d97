package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// firstAdmin makes the first person, with a password.
func (d *desk) firstAdmin() Call {
	d.t.Helper()
	admin := Call{Actor: "asha", LoggedIn: true, Proof: "of a test"}
	_, err := d.AddFirst(d.t.Context(), admin, "asha", "a password of many words")
	must(d.t, err)
	return admin
}

// tie ties the first admin to a person at the terminal.
func (d *desk) tie(terminal string) {
	d.t.Helper()
	d.store(func(ctx context.Context, s *sqlite.Store) error {
		return s.ChangePeople(ctx, ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: "asha", May: []ledger.Role{ledger.RoleAdmin}, Terminal: terminal, Actor: "asha", At: d.env.Now()})
	})
}

// If the admins of a desk have only passwords, no one could give new links after a move.
func TestALedgerIsNotMovedAwayFromItsAdmins(t *testing.T) {
	d := newDesk(t)
	admin := d.firstAdmin()
	file := filepath.Join(d.dir, "all.jsonl")
	move := func() error {
		_, err := d.ExportFile(t.Context(), admin, file, ExportOptions{Move: true})
		return err
	}
	if err := move(); Worst(err) == nil || Worst(err).Code != Usage {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it was exported")
	}
	d.tie("uid:1001")
	if err := move(); err != nil {
		t.Error(err)
	}
	if _, err := d.ExportFile(t.Context(), admin, file+"2", ExportOptions{Move: true}); Worst(err) == nil || Worst(err).Code != LedgerMoved {
		t.Errorf("%v", err)
	}
}

// full takes so many bytes, and then has enough.
type full struct{ left int }

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, ErrEnough
	}
	return len(b), nil
}

// An export whose reader has gone ends, and nothing went wrong.
func TestAnExportEndsWithItsReader(t *testing.T) {
	d := newDesk(t)
	for _, left := range []int{0, 1 << 30} {
		if err := d.Export(t.Context(), Call{Actor: "asha"}, &full{left}, ExportOptions{}); err != nil {
			t.Errorf("%d bytes: %v", left, err)
		}
	}
	broken := errors.New("the disk is full")
	if err := d.Export(t.Context(), Call{Actor: "asha"}, failing{broken}, ExportOptions{}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A line of an export may be long: a batch booking has all its payments in one.
func TestTheHeadOfAnExportWithALongLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "all.jsonl")
	text := `{"type":"ledger","schema":"payrun.export/v1"}` + "\n" + `{"type":"statement_line","remarks":"` + strings.Repeat("x", 2<<20) + `"}` + "\n" +
		`{"type":"end","audit":{"length":7,"hash":"ab"}}` + "\n"
	must(t, os.WriteFile(path, []byte(text), 0o600))
	if head, err := readAnchor(path); err != nil || head.Length != 7 || head.Hash != "ab" {
		t.Errorf("%+v, %v", head, err)
	}
}

// busy is a ledger to which another machine writes right behind its export.
type busy struct{ sqlitePlace }

func (b busy) openToWrite(ctx context.Context, claim ledger.Claim) (store, error) {
	s, err := b.sqlitePlace.openToWrite(ctx, claim)
	return overtaken{s}, err
}

type overtaken struct{ store }

func (o overtaken) Export(ctx context.Context, out ledger.Export) (ledger.AuditHead, error) {
	head, err := o.store.Export(ctx, out)
	return head, errors.Join(err, o.store.RecordLogin(ctx, ledger.Login{Name: "ravi", From: "elsewhere", Kind: ledger.EventLoggedIn, At: now}))
}

// What was recorded after the export would be lost: the ledger is not moved, and there is no export of it.
func TestALedgerIsNotMovedBehindAnotherWriter(t *testing.T) {
	d := newDesk(t)
	d.place = busy{d.place.(sqlitePlace)}
	path := filepath.Join(d.dir, "moved.jsonl")
	_, err := d.ExportFile(t.Context(), Call{Actor: "asha"}, path, ExportOptions{Move: true})
	wantCode(t, "move", err, Failed)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the export is still there: %v", err)
	}
	must(t, d.write(t.Context(), Call{Actor: "asha"}, func(*operation) error { return nil })) // it goes on
}
