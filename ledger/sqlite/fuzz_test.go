package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"payrun/ledger"
)

// A mark is read whole or refused; one that was read says whose it is, and of
// which event.
func FuzzMark(f *testing.F) {
	f.Add([]byte(`{"schema":"payrun.head/v1","ledger_id":"L","length":3,"hash":"ab"}`))
	f.Add([]byte(`{"schema":"payrun.head/v1","ledger_id":"L","length":-1,"hash":"ab"}`))
	f.Add([]byte(`{"schema":"payrun.head/v1"}{}`))
	f.Add([]byte("null"))
	f.Add([]byte{})
	path := filepath.Join(f.TempDir(), "payrun.db")
	f.Fuzz(func(t *testing.T, text []byte) {
		must(t, os.WriteFile(path+markSuffix, text, 0o600))
		m, err := ReadMark(path+markSuffix, markSchema)
		switch {
		case err == nil && (m.Schema != markSchema || m.LedgerID == "" || m.Length < 1 || m.Hash == ""):
			t.Errorf("%q was read as %+v", text, m)
		case err != nil && !strings.Contains(err.Error(), markSuffix):
			t.Errorf("the error names no file: %v", err)
		}
	})
}

// A ledger file of which some bytes were overwritten is used, or refused, or
// named by verify: it never ends the program, and it never hangs.
func FuzzLedgerFile(f *testing.F) {
	s := newStore(f)
	payouts := samplePayouts("NOV", 20)
	if _, err := tryLoad(s, "nov", payouts, planOf(payouts, 7)); err != nil {
		f.Fatal(err)
	}
	copied := filepath.Join(f.TempDir(), "copy.db")
	if _, err := s.Backup(f.Context(), copied); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(copied)
	must(f, err)
	f.Add(uint32(0), []byte("SQLite format 4"))
	f.Add(uint32(18), []byte{9, 9})
	f.Add(uint32(100), []byte{0xff, 0xff, 0xff})
	f.Add(uint32(4096), make([]byte, 64))
	f.Add(uint32(len(whole)-1), []byte{1})
	f.Fuzz(func(t *testing.T, at uint32, over []byte) {
		damaged := append([]byte(nil), whole...)
		copy(damaged[int(at)%len(damaged):], over)
		path := filepath.Join(t.TempDir(), "payrun.db")
		must(t, os.WriteFile(path, damaged, 0o600))
		d, err := Open(t.Context(), path)
		if err != nil {
			if errors.Is(err, ledger.ErrNoLedger) {
				t.Errorf("a damaged ledger is no ledger: %v", err)
			}
			return
		}
		defer d.Close()
		_, _ = d.Verify(t.Context())
		_, _ = d.Tallies(t.Context())
	})
}
