package reports

import (
	"bytes"
	"encoding/csv"
	"os"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/reports/folder"
)

// BenchmarkCSV writes payouts.csv of many payouts, and the same bytes with
// encoding/csv from rows of text that are there already.
func BenchmarkCSV(b *testing.B) {
	const n = 50_000
	var all []ledger.Attempt
	s := newStream(n)
	snapshot := &Snapshot{Options: Options{Zone: time.UTC}}
	err := s.EachPayout(b.Context(), ledger.Filter{}, func(a ledger.Attempt) error { all = append(all, a); return nil })
	must(b, err)
	write := func(b *testing.B) string {
		dir, err := folder.Make(b.TempDir(), "")
		must(b, err)
		f, err := newCSV(dir, attemptColumns)
		must(b, err)
		var row attemptRow
		for _, a := range all {
			row = attemptRow{Attempt: a, batch: &ledger.Batch{}, debitAccount: snapshot.account(a.BankAccountID), at: snapshot.instantOf(a.UpdatedAt)}
			must(b, f.add(cellsOf(attemptColumns, &row, nil)))
		}
		must(b, f.Finish("payouts.csv"))
		paths, err := dir.Commit([]string{"payouts.csv"})
		must(b, err)
		return paths[0]
	}
	text, err := os.ReadFile(write(b))
	must(b, err)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	must(b, err)
	b.Run("payouts.csv", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			write(b)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/payout")
	})
	b.Run("encoding-csv", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f, err := os.Create(b.TempDir() + "/payouts.csv")
			must(b, err)
			must(b, csv.NewWriter(f).WriteAll(rows))
			must(b, f.Close())
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/payout")
	})
}
