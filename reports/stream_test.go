package reports

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"testing"

	"payrun/ledger"
)

// stream is a ledger of many payouts that exist only while they are read.
type stream struct {
	*memory
	n     int
	tally ledger.Tally
	each  func(i int)
}

// newStream has n payouts in batches of 500; one in ten failed.
func newStream(n int) *stream {
	s := &stream{memory: &memory{}, n: n}
	sheet := s.sheet("large.csv")
	for range (n + 499) / 500 {
		s.batch(sheet, 12, ledger.BatchSettled)
	}
	for i := range n {
		s.tally.Add(amountOf(i))
	}
	s.sheets[0].Rows, s.sheets[0].Accepted, s.sheets[0].Total = n, s.tally, s.tally.Total
	return s
}

func amountOf(i int) ledger.Paise { return ledger.Paise(1_000_00 + i*37) }

func (s *stream) EachPayout(_ context.Context, _ ledger.Filter, fn func(ledger.Attempt) error) error {
	for i := range s.n {
		if s.each != nil {
			s.each(i)
		}
		a := ledger.Attempt{
			Payout: ledger.Payout{
				ID: int64(i + 1), SheetID: s.sheets[0].ID, Row: i + 2, Ref: fmt.Sprintf("INV-%07d", i), Amount: amountOf(i),
				VendorName: "Asha Traders and Sons Private Limited", BankAccountNumber: fmt.Sprintf("%014d", i), IFSC: "HDFC0001234",
				Remarks: fmt.Sprintf("invoice %d of November", i),
			},
			Number: 1, WireRef: fmt.Sprintf("INV-%07d", i), BatchID: s.batches[i/500].ID, State: ledger.PayoutSuccess,
			Status: ledger.StatusSuccess, BankStatusCode: "COMPLETED", OpenTxnID: fmt.Sprintf("txn_%012d", i),
			BankTxnRefID: fmt.Sprintf("%016d", i), UpdatedAt: day,
		}
		if i%10 == 0 {
			a.State, a.Status, a.Reason = ledger.PayoutFailed, ledger.StatusFailed, fmt.Sprintf("the bank says failed: code %d", i)
		}
		if err := fn(a); err != nil {
			return err
		}
	}
	return nil
}

// TestPayoutsAreNotHeld: what is alive after 50,000 payouts is what was alive
// after 5,000. Held, they would be some 40 MiB.
func TestPayoutsAreNotHeld(t *testing.T) {
	const n, slack = 50_000, 2 << 20
	s := newStream(n)
	live := map[int]uint64{}
	s.each = func(i int) {
		if i == n/10 || i == n-1 {
			live[i] = aliveAtMost()
		}
	}
	dir := writeAll(t, s, Options{})
	if early, late := live[n/10], live[n-1]; late > early+slack {
		t.Errorf("%d KiB are alive after %d payouts and %d KiB after %d", early>>10, n/10, late>>10, n)
	}
	if d := reconciliation(t, dir); d.Ties.ByStateSum != s.tally || !d.Ties.TiesOut || len(d.Exceptions) != n/10 {
		t.Errorf("ties %+v, %d exceptions", d.Ties, len(d.Exceptions))
	}
}

// aliveAtMost is the least of some readings: payouts that were read before are written
// meanwhile, and what that allocates while the heap is looked through counts as alive.
func aliveAtMost() uint64 {
	least := uint64(math.MaxUint64)
	m := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	for range 6 {
		runtime.GC()
		metrics.Read(m)
		least = min(least, m[0].Value.Uint64())
	}
	return least
}
