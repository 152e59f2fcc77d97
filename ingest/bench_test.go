package ingest_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"payrun/ingest"
)

// payoutCSV is a sheet of n payouts as finance teams write them, about 100
// bytes a row, with a quoted amount in every fourth.
func payoutCSV(n int) []byte {
	var b strings.Builder
	b.WriteString("merchant_txn_ref_id,vendor_name,bank_account_number,ifsc,amount,remarks,bank_account_id,transaction_type_id,bene_lei\n")
	for i := range n {
		amount := fmt.Sprintf("%d.%02d", 1000+i%90000, i%100)
		if i%4 == 0 {
			amount = fmt.Sprintf("\"1,%02d,%03d.50\"", i%100, i%1000)
		}
		fmt.Fprintf(&b, "INV-2026-%07d,Sharma Traders %d Pvt Ltd,50100%09d,HDFC0%06d,%s,November salary,main,NEFT,\n", i, i%5000, i, i%1000, amount)
	}
	return []byte(b.String())
}

// payoutXLSX is the same with shared strings, as Excel writes it.
func payoutXLSX(n int) book {
	var rows strings.Builder
	var texts []string
	row := func(number int, cells ...string) {
		fmt.Fprintf(&rows, `<row r="%d" spans="1:9" x14ac:dyDescent="0.25">`, number)
		for i, c := range cells {
			if i == 4 && number > 1 {
				fmt.Fprintf(&rows, `<c r="E%d" s="1"><v>%s</v></c>`, number, c)
				continue
			}
			fmt.Fprintf(&rows, `<c r="%c%d" t="s"><v>%d</v></c>`, 'A'+i, number, len(texts))
			texts = append(texts, "<t>"+c+"</t>")
		}
		rows.WriteString("</row>")
	}
	row(1, "merchant_txn_ref_id", "vendor_name", "bank_account_number", "ifsc", "amount", "remarks", "bank_account_id", "transaction_type_id", "sub_merchant_id")
	for i := range n {
		row(i+2, fmt.Sprintf("INV-2026-%07d", i), fmt.Sprintf("Sharma Traders %d Pvt Ltd", i%5000), fmt.Sprintf("50100%09d", i), fmt.Sprintf("HDFC0%06d", i%1000),
			fmt.Sprintf("%d.%d", 1000+i%90000, 1+i%9), "November salary", "main", "NEFT", "sm_0001")
	}
	return newBook("").edit("xl/worksheets/sheet1.xml", "<sheetData>", `<sheetData xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac">`+rows.String()).
		shared(texts...).styled("0", "0.00")
}

func drain(b testing.TB, path string) (rows int) {
	s, err := ingest.Open(path, ingest.Options{})
	must(b, err)
	defer func() { _ = s.Close() }()
	for ; ; rows++ {
		if _, err := s.Next(); errors.Is(err, io.EOF) {
			return rows
		} else if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCSV reads a sheet and reports how many times longer encoding/csv
// takes for it, measured in the same run.
func BenchmarkCSV(b *testing.B) {
	const n = 200_000
	path := write(b, "big.csv", payoutCSV(n))
	info, err := os.Stat(path)
	must(b, err)
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		if rows := drain(b, path); rows != n+1 {
			b.Fatal(rows)
		}
	}
	ours := b.Elapsed() / time.Duration(b.N)
	start := time.Now()
	f, err := os.Open(path)
	must(b, err)
	defer func() { _ = f.Close() }()
	r := csv.NewReader(f)
	r.ReuseRecord = true
	for err == nil {
		_, err = r.Read()
	}
	b.ReportMetric(float64(time.Since(start))/float64(ours), "x-encoding/csv")
	b.ReportMetric(float64(ours.Milliseconds()), "ms/200k-rows")
}
