package statement_test

import (
	"os"
	"path/filepath"
	"testing"

	"payrun/ingest/statement"
)

// FuzzRead: whatever the bytes, a statement is refused with a reason and a fix,
// or its opening balance and its entries give its closing balance.
func FuzzRead(f *testing.F) {
	b := november()
	for _, text := range []string{
		csvOf(b.rows(false)), csvOf(b.rows(true)), b.camt("02"), b.camt("08"), b.mt940(0, true), b.mt940(2, false),
		oneCamt(openAt+closeAt, batchOf(detail02("60.00", "INV-1")+detail02("40.00", "INV-2"))),
		swiftOf("C261120INR900,", ":61:2611201120RCR100,NTRFUTR1", ":86:text"),
		lines("Date,Description,Amount,Dr / Cr,Balance,Dr / Cr", "2026-11-20,INV-1,100.50,DR,899.50,CR"),
		"{1:{4::20:\n:60F:C261120INR0,\n:62F:C261120INR0,\n-}", ":20:\n:86:\n", "<?xml?>", "\xFF\xFE<\x00?\x00",
	} {
		f.Add([]byte(text))
	}
	for _, sample := range odd {
		f.Add([]byte(sample.content))
	}
	path := filepath.Join(f.TempDir(), "statement")
	f.Fuzz(func(t *testing.T, content []byte) {
		must(t, os.WriteFile(path, content, 0o600))
		got, err := statement.Read(path, statement.Options{})
		must(t, err)
		if got.Refused() {
			for _, found := range got.Findings {
				if found.Code == "" || found.Message == "" || found.Fix == "" {
					t.Errorf("%+v", found)
				}
			}
			return
		}
		if len(got.From) != 10 || len(got.To) != 10 || got.From > got.To {
			t.Errorf("from %q to %q", got.From, got.To)
		}
		balance := got.Opening
		for i, e := range got.Entries {
			next, ok := balance.Plus(e.Change())
			if !ok || next != e.Closing || e.Amount <= 0 {
				t.Fatalf("entry %d: %s and %s do not give %s", i, balance, e.Change(), e.Closing)
			}
			if day := e.Day(); len(day) != 10 || day < got.From || day > got.To {
				t.Errorf("an entry of %q in %s to %s", day, got.From, got.To)
			}
			balance = next
		}
		if balance != got.Closing {
			t.Errorf("%s, and it closes with %s", balance, got.Closing)
		}
	})
}
