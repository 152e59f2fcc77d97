package validate

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

const benchRows = 200_000

// benchSheet writes a sheet of nine columns and returns its path and bytes.
func benchSheet(b *testing.B, columns string, row func(i int) string) (string, []byte) {
	b.Helper()
	var text bytes.Buffer
	text.WriteString(columns)
	for i := range benchRows {
		text.WriteString(row(i))
	}
	path := filepath.Join(b.TempDir(), "bench.csv")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return path, text.Bytes()
}

func benchRow(i int) string {
	return fmt.Sprintf("INV/NOV/%07d,Asha Traders %d,502000%08d,HDFC0%06d,%d.%02d,November salary,main,NEFT,\n", i, i%977, i, i%9999, 1000+i%90000, i%100)
}

const benchColumns = "merchant_txn_ref_id,vendor_name,bank_account_number,ifsc,amount,remarks,bank_account_id,transaction_type_id,bene_lei\n"

// BenchmarkCheck reads and judges a sheet, and in the same run reads it with
// encoding/csv alone: the ratio is what strictness and judging cost over a
// reader that judges nothing, whatever the machine.
func BenchmarkCheck(b *testing.B) {
	path, text := benchSheet(b, benchColumns, benchRow)
	var ours, plain time.Duration
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		given := 0
		r, err := Check(context.Background(), path, testOptions(), &memory{}, func(p []Accepted) error {
			given += len(p)
			return nil
		})
		if err != nil || r.Refused() || given != benchRows {
			b.Fatal(err, given, r.Findings[:min(3, len(r.Findings))])
		}
		ours += time.Since(start)
		b.StopTimer()
		plain += readPlainly(b, text)
		b.StartTimer()
	}
	b.ReportMetric(ours.Seconds()/plain.Seconds(), "x-encoding/csv")
	b.ReportMetric(float64(b.N)*benchRows/ours.Seconds(), "rows/s")
}

func readPlainly(b *testing.B, text []byte) time.Duration {
	start := time.Now()
	r := csv.NewReader(bytes.NewReader(text))
	r.ReuseRecord = true
	for rows := 0; ; rows++ {
		if _, err := r.Read(); errors.Is(err, io.EOF) {
			if rows != benchRows+1 {
				b.Fatal(rows)
			}
			return time.Since(start)
		} else if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseAmount(b *testing.B) {
	for b.Loop() {
		if _, fault := parseAmount("12,34,567.89"); fault != "" {
			b.Fatal(fault)
		}
	}
}
