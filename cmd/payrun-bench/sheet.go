package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// sheetOf says what a sheet holds: a month-end of vendor payouts. The same is the
// same in every run.
type sheetOf struct {
	rows    int
	month   int    // the same payees with new references
	random  bool   // references in random order instead of five interleaved series
	account string // the debit account of all; empty for the two that take most payouts in bulk
}

// sheet makes a sheet, once, and gives its path.
func (b *bench) sheet(of sheetOf) string {
	name := fmt.Sprintf("%d-%02d-%t%s.csv", of.rows, of.month, of.random, of.account)
	if path, ok := b.made[name]; ok {
		return path
	}
	path := filepath.Join(b.dir, name)
	b.made[name] = path
	of.write(path)
	return path
}

// forget removes a sheet that is not needed again.
func (b *bench) forget(path string) {
	delete(b.made, filepath.Base(path))
	fine(os.Remove(path))
}

func (of sheetOf) write(path string) {
	f := must(os.Create(path))
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	rng := rand.New(rand.NewPCG(1, uint64(2+of.month)))
	series := [...]string{"AP", "FRT", "RENT", "SVC", "TRVL"}
	order := make([]int, of.rows)
	for i := range order {
		order[i] = i
	}
	if of.random {
		rng.Shuffle(of.rows, func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	fmt.Fprintln(w, "merchant_txn_ref_id,vendor_name,bank_account_number,ifsc,amount,remarks,bank_account_id,transaction_type_id,sub_merchant_id")
	year, month := 2026+(10+of.month)/12, 1+(10+of.month)%12 // the first is November
	for i, n := range order {
		account := of.account
		switch {
		case account != "":
		case i%2 == 0:
			account = "pb1"
		default:
			account = "pb3"
		}
		fmt.Fprintf(w, "%s-%d-%02d-%07d,Vendor %06d Traders Pvt Ltd,%012d,TEST0%06d,%d.%02d,Invoice %d,%s,NEFT,\n",
			series[n%len(series)], year, month, n, n%250_000, 100_000_000_000+int64(n), n%4000, 100+rng.IntN(9_000), rng.IntN(100), n, account)
	}
	fine(w.Flush())
}
