package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"payrun/ledger"
)

// BenchmarkVerify verifies ledgers of many batches, as a bank without bulk
// has them, and of many payouts that were submitted in bulk. To make the
// largest takes a minute.
func BenchmarkVerify(b *testing.B) {
	b.Run("a story", func(b *testing.B) { benchVerify(b, tell(b).path, 9) })
	for _, n := range []int{10_000, 20_000, 40_000} {
		b.Run(fmt.Sprintf("%d, one a batch", n), func(b *testing.B) { benchVerify(b, singles(b, n), n) })
	}
	for _, n := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("%d submitted in bulk", n), func(b *testing.B) { benchVerify(b, submittedInBulk(b, n), n/500) })
	}
}

func benchVerify(b *testing.B, path string, batches int) {
	s, err := Open(context.Background(), path)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	cpu := cpuSeconds()
	for b.Loop() {
		sound(b, s)
	}
	b.ReportMetric((cpuSeconds()-cpu)/float64(b.N)*1e3, "cpu-ms/op")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(batches)*1e6, "µs/batch")
}

// singles is a ledger of n payouts of a bank without bulk, planned.
func singles(b *testing.B, n int) (path string) {
	payouts := samplePayouts("nov", n)
	batches := make([]ledger.PlannedBatch, n)
	for i, p := range payouts {
		batches[i] = ledger.PlannedBatch{BankAccountID: p.BankAccountID, PartnerBankID: 4, SubMerchantID: p.SubMerchantID,
			TransactionTypeID: p.TransactionTypeID, Members: []int32{int32(i)}, Total: p.Amount}
	}
	return ledgerWith(b, func(s *Store) {
		if _, err := tryLoad(s, "nov", payouts, batches); err != nil {
			b.Fatal(err)
		}
	})
}

// submittedInBulk is a ledger of n payouts in batches of 500, all submitted.
func submittedInBulk(b *testing.B, n int) (path string) {
	return ledgerWith(b, func(s *Store) {
		for _, batch := range load(b, s, "nov", n, 500) {
			hold(b, s, batch.ID)
			submit(b, s, batch.ID)
		}
	})
}

// ledgerWith makes a ledger and closes it.
func ledgerWith(b *testing.B, fill func(s *Store)) (path string) {
	path = filepath.Join(b.TempDir(), "payrun.db")
	s, err := Create(context.Background(), path, "asha", t0)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.write.Exec(`PRAGMA synchronous = OFF`); err != nil { // no power is cut here
		b.Fatal(err)
	}
	fill(s)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}
