package statement_test

import (
	"fmt"
	"testing"

	"payrun/ingest/statement"
	"payrun/ledger"
)

// BenchmarkRead reads 20,000 entries in each format.
func BenchmarkRead(b *testing.B) {
	all := books{opening: 1_000_00_00_000_00}
	for i := range 20_000 {
		all.add(fmt.Sprintf("2025-11-%02d", 1+i/1000), i%5 > 0, ledger.Paise(100_00+i), fmt.Sprintf("UTR%09d", i), fmt.Sprintf("NEFT/INV-%d/ACME SUPPLIES", i))
	}
	for name, content := range map[string]string{
		"CSV": csvOf(all.rows(false)), "XLSX": xlsxOf(b, all.rows(false)), "camt.053": all.camt("08"), "MT940": all.mt940(0, true),
	} {
		path := write(b, name, content)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f, err := statement.Read(path, statement.Options{})
				if err != nil || len(f.Entries) != 20_000 {
					b.Fatal(err, f.Findings)
				}
			}
		})
	}
}
