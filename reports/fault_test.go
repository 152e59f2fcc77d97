package reports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"payrun/ledger"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return found
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

var errDisk = errors.New("disk trouble")

// failing breaks one of the readings.
type failing struct {
	*memory
	at string
}

func (f failing) fail(at string) error {
	if f.at == at {
		return errDisk
	}
	return nil
}

func (f failing) Sheets(ctx context.Context) ([]ledger.Sheet, error) {
	s, _ := f.memory.Sheets(ctx)
	return s, f.fail("sheets")
}

func (f failing) Batches(ctx context.Context, q ledger.Filter) ([]ledger.Batch, error) {
	b, _ := f.memory.Batches(ctx, q)
	return b, f.fail("batches")
}

func (f failing) EachPayout(ctx context.Context, q ledger.Filter, fn func(ledger.Attempt) error) error {
	return errors.Join(f.memory.EachPayout(ctx, q, fn), f.fail("payouts"))
}

func (f failing) Events(ctx context.Context, fn func(ledger.Event) error) error {
	return errors.Join(f.memory.Events(ctx, fn), f.fail("events"))
}

func (f failing) AuditHead(ctx context.Context) (ledger.AuditHead, error) {
	h, _ := f.memory.AuditHead(ctx)
	return h, f.fail("head")
}

func TestErrorLeavesTheEarlierReportsAndNothingElse(t *testing.T) {
	for _, at := range []string{"head", "sheets", "batches", "payouts", "events"} {
		t.Run(at, func(t *testing.T) {
			dir := writeAll(t, allPaid(), Options{})
			before := read(t, dir, PayoutsFile)
			_, err := Write(t.Context(), failing{month(), at}, Options{Dir: dir, Zone: indianStandardTime})
			if !errors.Is(err, errDisk) {
				t.Fatalf("err = %v, want the ledger's", err)
			}
			if got := names(t, dir); !slices.Equal(got, sorted(Files())) {
				t.Errorf("the folder holds %v", got)
			}
			if string(read(t, dir, PayoutsFile)) != string(before) {
				t.Error("payouts.csv changed")
			}
		})
	}
}

func TestCancelledRunLeavesNothing(t *testing.T) {
	m, dir := month(), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	m.onPayout = func(i int) {
		if i == 5 {
			cancel()
		}
	}
	if _, err := Write(ctx, m, Options{Dir: dir, Zone: indianStandardTime}); !errors.Is(err, context.Canceled) {
		t.Fatalf("err = %v, want cancelled", err)
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the folder holds %v", got)
	}
}

func TestFolderThatCannotBeWrittenIsAnError(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(blocked, nil, 0o600))
	for _, dir := range []string{"", blocked, filepath.Join(blocked, "below")} {
		if paths, err := Write(t.Context(), allPaid(), Options{Dir: dir, Zone: indianStandardTime}); err == nil {
			t.Errorf("Dir %q: wrote %v", dir, paths)
		}
	}
}

func TestLedgerThatMovesIsReadAgain(t *testing.T) {
	for moves, wantErr := range map[int]bool{0: false, passes - 1: false, passes: true} {
		t.Run(fmt.Sprint(moves), func(t *testing.T) {
			m, dir := allPaid(), t.TempDir()
			left := moves
			m.onPayout = func(i int) {
				if i == 0 && left > 0 {
					left--
					m.event("poll", "", "", "")
				}
			}
			_, err := Write(t.Context(), m, Options{Dir: dir, Zone: indianStandardTime})
			if errors.Is(err, ledger.ErrConflict) != wantErr {
				t.Fatalf("err = %v", err)
			}
			if wantErr {
				if got := names(t, dir); len(got) != 0 {
					t.Errorf("the folder holds %v", got)
				}
				return
			}
			if got := reconciliation(t, dir).Audit.Length; got != int64(len(m.events)) {
				t.Errorf("the reports are as of event %d, the ledger is at %d", got, len(m.events))
			}
		})
	}
}

// TestRowsLeftOutAreEnormous: account numbers in the amount column, of several sheets.
func TestRowsLeftOutAreEnormous(t *testing.T) {
	m := allPaid()
	m.sheet("wrong-columns.csv")
	m.sheet("again.csv")
	for i := len(m.sheets) - 2; i < len(m.sheets); i++ {
		m.sheets[i].Rejected = ledger.Tally{Count: 1, Total: math.MaxInt64 - 1}
		m.sheets[i].Rows, m.sheets[i].Total = 1, math.MaxInt64-1
	}
	dir := writeAll(t, m, Options{})
	if page := read(t, dir, HTMLFile); !bytes.Contains(page, []byte(ledger.Paise(math.MaxInt64).Rupees())) {
		t.Error("what was left out of the sheets is not the largest amount")
	}
	if d := reconciliation(t, dir); d.Pairs[0].Verdict != tiesOut {
		t.Errorf("sheet and ledger: %+v", d.Pairs[0])
	}
}
