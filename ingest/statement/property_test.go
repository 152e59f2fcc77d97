package statement_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"payrun/ingest/statement"
	"payrun/ledger"
)

// anyBooks draws books of at least one entry.
func anyBooks(t *rapid.T) books {
	b := books{opening: ledger.Paise(rapid.Int64Range(-1_00_000_00, 1_000_00_00_000_00).Draw(t, "opening"))}
	day := time.Date(2026, time.November, rapid.IntRange(1, 28).Draw(t, "first day"), 0, 0, 0, 0, time.UTC)
	for i := range rapid.IntRange(1, 9).Draw(t, "entries") {
		day = day.AddDate(0, 0, rapid.IntRange(0, 2).Draw(t, "days on"))
		amount := ledger.Paise(rapid.Int64Range(1, 50_00_000_00).Draw(t, "amount"))
		reference := "UTR" + rapid.StringMatching(`[A-Z0-9]{5,19}`).Draw(t, "reference")
		b.add(day.Format(time.DateOnly), rapid.Bool().Draw(t, "debit"), amount, reference, fmt.Sprintf("NEFT/INV-%d/%s", i, rapid.StringMatching(`[A-Z]{3,70}`).Draw(t, "name")))
	}
	return b
}

// TestEveryFormatSaysTheSame: the same books, written in each format, are read
// as the same entries.
func TestEveryFormatSaysTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := anyBooks(rt)
		newest := rapid.Bool().Draw(rt, "newest first")
		content := map[string]string{
			"CSV":                 csvOf(b.rows(newest)),
			"XLSX":                xlsxOf(t, b.rows(newest)),
			"camt.053.001.02":     b.camt("02"),
			"camt.053.001.08":     b.camt("08"),
			"MT940 in blocks":     b.mt940(0, true),
			"bare MT940 in pages": b.mt940(rapid.IntRange(1, 4).Draw(rt, "entries a page"), false),
		}
		for name, text := range content {
			f := read(t, text, statement.Options{DayFirst: true})
			if f.Refused() {
				if f.Findings[0].Code == string(statement.CodeOrder) && b.entries[0].Transacted == b.entries[len(b.entries)-1].Transacted {
					continue // one day, and the balances agree both ways
				}
				rt.Fatalf("%s is refused: %+v\n%s", name, f.Findings, text)
			}
			same(rt, name, f, b)
		}
	})
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// same holds what was read against the books.
func same(t fataler, name string, f statement.File, b books) {
	t.Helper()
	if f.Opening != b.opening || f.Closing != b.closing() || len(f.Entries) != len(b.entries) {
		t.Fatalf("%s: %s to %s with %d entries, want %s to %s with %d", name, f.Opening, f.Closing, len(f.Entries), b.opening, b.closing(), len(b.entries))
	}
	for i, got := range f.Entries {
		want := b.entries[i]
		if got.Day() != want.Transacted || got.Debit != want.Debit || got.Amount != want.Amount || got.Closing != want.Closing || got.Reference != want.Reference {
			t.Fatalf("%s, entry %d: got %+v, want %+v", name, i, got, want)
		}
		if !strings.Contains(got.Remarks, want.Remarks) {
			t.Fatalf("%s, entry %d: remarks %q lack %q", name, i, got.Remarks, want.Remarks)
		}
	}
}
