package sqlitetest_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite"
	"payrun/ledger/sqlite/sqlitetest"
)

var at = time.Date(2026, 1, 30, 4, 0, 0, 0, time.UTC)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// file is a new ledger as the bytes of its file, and its id.
func file(t *testing.T) (content []byte, id string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "first.db")
	s, err := sqlite.Create(t.Context(), path, "asha", at)
	must(t, err)
	must(t, s.Close())
	if content, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return content, s.LedgerID()
}

func open(t *testing.T, slate *sqlitetest.Slate, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.OpenExclusive(slate.Context(t.Context()), path, ledger.Claim{})
	must(t, err)
	return s
}

// events counts them.
func events(t *testing.T, s *sqlite.Store) (n int64) {
	t.Helper()
	must(t, s.Events(t.Context(), func(e ledger.Event) error { n = e.Seq; return nil }))
	return n
}

func TestALedgerThatIsWipedIsTheFirstAgain(t *testing.T) {
	first, id := file(t)
	other, otherID := file(t)
	path := filepath.Join(t.TempDir(), "payrun.db")
	slate := sqlitetest.NewSlate(path)
	for range 3 {
		must(t, slate.Wipe(t.Context(), first))
		s := open(t, slate, path)
		if s.LedgerID() != id || events(t, s) != 1 {
			t.Fatalf("ledger %s with %d events, want %s with one", s.LedgerID(), events(t, s), id)
		}
		load(t, s)
		if problems, err := s.Verify(slate.Context(t.Context())); err != nil || len(problems) != 0 {
			t.Fatalf("found %v, %v", problems, err)
		}
		must(t, s.Close())
		must(t, slate.Replace(t.Context(), other))
		s = open(t, slate, path)
		if s.LedgerID() != otherID || s.Restored() == nil {
			t.Errorf("ledger %s, want %s, which its mark tells", s.LedgerID(), otherID)
		}
		must(t, s.Close())
	}
	must(t, slate.Close())
	if _, err := os.Stat(path + "-wal"); !os.IsNotExist(err) {
		t.Errorf("a log is left: %v", err)
	}
}

func TestACopyIsPutBackAsItWas(t *testing.T) {
	first, _ := file(t)
	path := filepath.Join(t.TempDir(), "payrun.db")
	slate := sqlitetest.NewSlate(path)
	defer slate.Close()
	must(t, slate.Wipe(t.Context(), first))
	before, err := slate.File(t.Context())
	must(t, err)
	s := open(t, slate, path)
	load(t, s)
	must(t, s.Close())
	must(t, slate.Replace(t.Context(), before))
	after, err := slate.File(t.Context())
	if err != nil || !bytes.Equal(before, after[:len(before)]) {
		t.Errorf("%d bytes, then %d others, %v", len(before), len(after), err)
	}
	s = open(t, slate, path)
	if n := events(t, s); n != 1 {
		t.Errorf("%d events", n)
	}
	if problems, err := s.Verify(t.Context()); err != nil || len(problems) != 1 || problems[0].Kind != ledger.ProblemBehind { // its mark tells
		t.Errorf("found %v, %v", problems, err)
	}
	must(t, s.Close())
}

// load records a sheet of one payout.
func load(t *testing.T, s *sqlite.Store) {
	t.Helper()
	l, err := s.BeginLoad(t.Context())
	must(t, err)
	p := ledger.Payout{Row: 2, Ref: "R-1", Amount: 100, TransactionTypeID: "NEFT", BankAccountID: "a", VendorName: "Payee", BankAccountNumber: "123456", IFSC: "HDFC0001234"}
	must(t, l.Add([]ledger.KeyedPayout{{Payout: p, Key: "r-1"}}))
	sheet := ledger.Sheet{Name: "s.csv", SHA256: sum('1'), RowsHash: sum('2'), Format: "csv", Header: 1, Rows: 1, Total: 100, LoadedAt: at, LoadedBy: "asha"}
	sheet.Accepted.Add(100)
	if _, err := l.Commit(sheet, []ledger.PlannedBatch{{BankAccountID: "a", PartnerBankID: 3, TransactionTypeID: "NEFT", Members: []int32{0}, Total: 100, Reason: "last of its account"}}); err != nil {
		t.Fatal(err)
	}
}

func sum(digit byte) string { return string(bytes.Repeat([]byte{digit}, 64)) }
