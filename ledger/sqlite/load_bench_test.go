package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"payrun/ledger"
)

// BenchmarkLoad records sheets of synthetic payouts in batches of 500, as a
// month-end has them. Its yardstick is `sqlite3 .import` of the same rows into
// one table of nine TEXT columns with a unique reference.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{200_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchLoads(b, n) })
	}
}

func benchLoads(b *testing.B, n int) {
	for b.Loop() {
		benchLoad(b, n)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "payouts/s")
}

func benchLoad(b *testing.B, n int) {
	before := cpuSeconds()
	s, err := Create(context.Background(), filepath.Join(b.TempDir(), "payrun.db"), "asha", t0)
	must(b, err)
	defer s.Close()
	l, err := s.BeginLoad(context.Background())
	must(b, err)
	sheet := ledger.Sheet{Name: "bench.csv", SHA256: hash("bench"), RowsHash: hash("rows"), Format: "csv", Header: 1, LoadedAt: t0, LoadedBy: "asha"}
	var batches []ledger.PlannedBatch
	const chunk = 1024
	payouts := make([]ledger.KeyedPayout, chunk)
	for i := range n {
		p := ledger.Payout{Row: i + 2, Ref: fmt.Sprintf("INV-2025-%07d", i), Amount: ledger.Paise(i*7919%10_000_000 + 100), VendorName: fmt.Sprintf("Vendor Name %d Private Limited", i%5000),
			BankAccountNumber: fmt.Sprintf("%012d", i*7919), IFSC: fmt.Sprintf("HDFC0%06d", i%1000), Remarks: fmt.Sprintf("Payment for November %d", i),
			SubMerchantID: "sm_0001", TransactionTypeID: "NEFT", BankAccountID: accountCIB}
		payouts[i%chunk] = ledger.KeyedPayout{Payout: p, Key: fmt.Sprintf("inv-2025-%07d", i)}
		sheet.Accepted.Add(p.Amount)
		if i%500 == 0 {
			batches = append(batches, ledger.PlannedBatch{BankAccountID: accountCIB, PartnerBankID: 12, Kind: ledger.KindCIB, SubMerchantID: "sm_0001", TransactionTypeID: "NEFT", Reason: "last of its account"})
		}
		last := &batches[len(batches)-1]
		last.Members, last.Total = append(last.Members, int32(i)), last.Total+p.Amount
		if i%chunk == chunk-1 || i == n-1 {
			must(b, l.Add(payouts[:i%chunk+1]))
			payouts = make([]ledger.KeyedPayout, chunk)
		}
	}
	sheet.Rows, sheet.Total = n, sheet.Accepted.Total
	if _, err := l.Commit(sheet, batches); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric((cpuSeconds()-before)/float64(n)*1e6, "cpu-µs/payout")
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/1e6, "goMB")
}

// cpuSeconds is what the process took of all cores so far.
func cpuSeconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
}
