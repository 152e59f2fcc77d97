package sqlite

import (
	"fmt"
	"testing"
	"time"

	"payrun/ledger"
)

// BenchmarkPayees shows what a chunk of rows costs next to a month of payouts
// to the same payees: to index a payout, and to ask about a row.
func BenchmarkPayees(b *testing.B) {
	const n = 200_000
	s := newStore(b)
	payouts := samplePayouts("oct", n)
	for i := range payouts {
		payouts[i].BankAccountNumber = fmt.Sprintf("%012d", 100_000_000_000+i)
		payouts[i].VendorName = fmt.Sprintf("Vendor %06d Traders", i%(n/4))
	}
	if _, err := tryLoad(s, "oct", payouts, planOf(payouts, 500)); err != nil {
		b.Fatal(err)
	}
	b.Run("index a payout in memory", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Payees(plainFold).(*payees).look(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/payout")
	})
	p := s.Payees(plainFold)
	if err := s.IndexPayees(b.Context(), plainFold, 0); err != nil {
		b.Fatal(err)
	}
	const chunk = 1024
	payees, named, accounts := make([]ledger.Payee, chunk), make([]ledger.NamedAccount, chunk), make([]ledger.Account, chunk)
	at := 0
	fill := func() {
		for i := range payees {
			q := &payouts[at%n]
			payees[i] = ledger.Payee{Account: q.AccountOf(), Amount: q.Amount + 1}
			named[i] = ledger.NamedAccount{VendorName: q.VendorName, Account: q.AccountOf()}
			accounts[i] = q.AccountOf()
			at++
		}
	}
	row := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/chunk, "ns/row")
	}
	b.Run("paid lately", func(b *testing.B) {
		for b.Loop() {
			fill()
			if _, err := p.PaidSince(b.Context(), payees, t0.Add(-time.Hour), true); err != nil {
				b.Fatal(err)
			}
		}
		row(b)
	})
	b.Run("known name", func(b *testing.B) {
		for b.Loop() {
			fill()
			if _, err := p.PaidElsewhere(b.Context(), named, 20); err != nil {
				b.Fatal(err)
			}
		}
		row(b)
	})
	b.Run("latest payments", func(b *testing.B) {
		for b.Loop() {
			fill()
			if _, err := p.LatestPayments(b.Context(), accounts, 5, 100); err != nil {
				b.Fatal(err)
			}
		}
		row(b)
	})
	b.Run("used references", func(b *testing.B) {
		keys := make([]string, chunk)
		for b.Loop() {
			for i := range keys {
				keys[i] = fmt.Sprintf("nov-%d", at)
				at++
			}
			if _, err := s.UsedReferences(b.Context(), keys); err != nil {
				b.Fatal(err)
			}
		}
		row(b)
	})
}
