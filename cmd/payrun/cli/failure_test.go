package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// Of joined errors the one whose exit code wins is shown; an error of several
// causes is one error, with all its words.
func TestAnErrorOfSeveralCausesKeepsItsWords(t *testing.T) {
	cause := errors.New("no space left on device")
	several := fmt.Errorf("write the mark: %w: %w", ledger.ErrLedgerDamaged, cause)
	for name, c := range map[string]struct {
		err  error
		exit int
		want string
	}{
		"several causes":  {several, exitLedger, "no space left on device"},
		"wrapped":         {fmt.Errorf("initiate: %w", several), exitLedger, "initiate: write the mark"},
		"joined":          {errors.Join(fail(exitPerson, "waiting"), several), exitLedger, "no space left on device"},
		"joined the less": {errors.Join(fail(exitOpen, "open"), nil, fail(exitPerson, "waiting")), exitPerson, "waiting"},
		"restored":        {fmt.Errorf("%w: its event 7 is another", ledger.ErrRestored), exitLedger, "its event 7 is another"},
	} {
		t.Run(name, func(t *testing.T) {
			f := judge(c.err)
			if f.exit != c.exit || !strings.Contains(f.what, c.want) {
				t.Errorf("exit %d, %q; want %d, %q", f.exit, f.what, c.exit, c.want)
			}
		})
	}
}

// What the ledger's database refuses reaches a person in words, with what to
// do, and with nothing of the database's own.
func TestWhatTheDatabaseRefusesIsShownInWords(t *testing.T) {
	now := time.Date(2025, 11, 3, 9, 30, 0, 0, time.UTC)
	store, err := sqlite.Create(t.Context(), filepath.Join(t.TempDir(), "payrun.db"), "asha", now)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for name, c := range map[string]struct {
		second ledger.KeyedPayout // beside INV-1 in row 2
		want   string
	}{
		"a check":     {ledger.KeyedPayout{Key: "inv-2", Payout: ledger.Payout{Row: 0, Ref: "INV-2", Amount: 1}}, "load: the rules forbid it: row > 0 does not hold"},
		"a duplicate": {ledger.KeyedPayout{Key: "inv-1", Payout: ledger.Payout{Row: 3, Ref: "INV-1", Amount: 1}}, "load: already in the ledger: another row has the same wire_keys.key"},
	} {
		t.Run(name, func(t *testing.T) {
			first := ledger.KeyedPayout{Key: "inv-1", Payout: ledger.Payout{Row: 2, Ref: "INV-1", Amount: 1}}
			first.BankAccountID, c.second.BankAccountID = "account", "account"
			l, err := store.BeginLoad(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer l.Rollback() //nolint:errcheck
			if err = l.Add([]ledger.KeyedPayout{first, c.second}); err == nil {
				_, err = l.Commit(ledger.Sheet{Name: "a.csv"}, nil)
			}
			f := judge(fmt.Errorf("a.csv: %w", err))
			if f.exit != exitFailed || !strings.Contains(f.what, c.want) || len(f.hints) == 0 || strings.Contains(f.what, "constraint") {
				t.Errorf("exit %d, %q, hints %q; want %q", f.exit, f.what, f.hints, c.want)
			}
		})
	}
}
