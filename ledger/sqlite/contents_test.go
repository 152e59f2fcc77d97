package sqlite

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"payrun/ledger"
)

// loadBytes loads a sheet of two payouts that has these bytes.
func loadBytes(t *testing.T, s *Store, name string, content []byte, r ledger.ReadOptions) (ledger.Sheet, error) {
	t.Helper()
	payouts := samplePayouts(name, 2)
	sheet := sheetOf(name, payouts)
	sum := sha256.Sum256(content)
	sheet.SHA256 = hex.EncodeToString(sum[:])
	l, err := s.BeginLoad(t.Context())
	must(t, err)
	l.ReadAs(r)
	w := l.Contents()
	must(t, l.Add(keyedOf(payouts)))
	if _, err := io.Copy(w, iotest.HalfReader(bytes.NewReader(content))); err != nil {
		t.Fatal(err)
	}
	sheet.ID = ledger.SheetID(sheet.SHA256)
	_, err = l.Commit(sheet, planOf(payouts, 2))
	return sheet, err
}

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return b
}

// Bytes come back as they were, however they lie in parts and however little they are packed.
func TestEveryPartIsPacked(t *testing.T) {
	s := newStore(t)
	want := 0
	for name, content := range map[string][]byte{
		"line":     []byte("ref,amount\nINV-1,1.00\n"),
		"part":     bytes.Repeat([]byte("0123456789abcdef"), partBytes/16),
		"partplus": append(bytes.Repeat([]byte("0123456789abcdef"), partBytes/16), '\n'),
		"long":     []byte(strings.Repeat("INV-1,Asha Traders,50200012345678,HDFC0001234,100.00\n", 100_000)),
		"noise":    noise(3*partBytes + 17),
		"zip":      append([]byte("PK\x03\x04"), noise(2*partBytes)...),
	} {
		sheet, err := loadBytes(t, s, name, content, ledger.ReadOptions{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got bytes.Buffer
		if _, err := s.SheetContents(t.Context(), sheet.ID, &got); err != nil || !bytes.Equal(got.Bytes(), content) {
			t.Errorf("%s: %d bytes of %d, %v", name, got.Len(), len(content), err)
		}
		want += (len(content) + partBytes - 1) / partBytes
	}
	var parts int
	if err := s.read.QueryRow(`SELECT count(*) FROM sheet_contents`).Scan(&parts); err != nil || parts != want {
		t.Errorf("%d parts, want %d, %v", parts, want, err)
	}
}

func TestBytesAreAppendOnlyAndDamageShows(t *testing.T) {
	s := newStore(t)
	sheet, err := loadBytes(t, s, "nov", []byte(strings.Repeat("INV-1,100.00\n", 10)), ledger.ReadOptions{})
	must(t, err)
	for _, q := range []string{
		`DELETE FROM sheet_contents`, `UPDATE sheet_contents SET bytes = x'00'`,
		`INSERT OR REPLACE INTO sheet_contents SELECT * FROM sheet_contents`,
	} {
		if _, err := s.write.Exec(q); err == nil {
			t.Errorf("%s went through", q)
		}
	}
	if _, err := s.write.Exec(`DROP TRIGGER sheet_contents_fixed`); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{`UPDATE sheet_contents SET bytes = substr(bytes, 2)`, `UPDATE sheet_contents SET bytes = x'ffff'`} {
		if _, err := s.write.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		if _, err := s.SheetContents(t.Context(), sheet.ID, io.Discard); !errors.Is(err, ledger.ErrLedgerDamaged) {
			t.Errorf("%s: %v, want ErrLedgerDamaged", q, err)
		}
	}
	problems, err := s.Verify(t.Context())
	if err != nil || !slices.ContainsFunc(problems, func(p ledger.Problem) bool { return strings.Contains(p.Detail, sheet.ID) }) {
		t.Errorf("verify found %v, %v; want the sheet's bytes among them", problems, err)
	}
}
