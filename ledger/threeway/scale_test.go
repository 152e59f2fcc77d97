package threeway_test

import (
	"flag"
	"fmt"
	"runtime"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/threeway"
)

var payouts = flag.Int("payouts", 50_000, "payouts, and as many entries, that TestMatchingGrowsWithWhatThereIs matches")

// A million payouts against as many entries are matched in under a minute and 300
// MB: go test ./ledger/threeway -run Grows -payouts 1000000 -v
func TestMatchingGrowsWithWhatThereIs(t *testing.T) {
	n := *payouts
	began := time.Now()
	m := threeway.New(set)
	const size = 500
	submitted := time.Date(2031, 3, 10, 11, 0, 0, 0, ist)
	for b := range (n + size - 1) / size {
		m.Batch(ledger.Batch{ID: fmt.Sprintf("b%d", b), BankAccountID: "a", State: ledger.BatchSettled, Count: size, SubmittedAt: submitted})
	}
	a := ledger.Attempt{Number: 1, State: ok, UpdatedAt: submitted}
	for i := range n {
		a.ID, a.BatchID, a.WireRef, a.BankTxnRefID = int64(i+1), fmt.Sprintf("b%d", i/size), fmt.Sprintf("SAL-2031-03-%07d", i), fmt.Sprintf("UTIBN%015d", i)
		a.Amount = ledger.Paise(100 + i%90_000)
		m.Attempt(&a)
	}
	m.Statement(ledger.KeptStatement{StatementRead: ledger.StatementRead{BankAccountID: "a", Source: api, Shape: ledger.ShapeEntries, From: "2031-03-01", To: "2031-03-31"}})
	balance := ledger.Paise(0)
	e := ledger.KeptEntry{BankAccountID: "a", Source: api}
	for i := range n {
		e.Debit, e.Amount = true, ledger.Paise(100+i%90_000)
		balance -= e.Amount
		e.Closing, e.Transacted, e.Reference = balance, "2031-03-10 11:30:00", ""
		switch i % 3 {
		case 0:
			e.Reference = fmt.Sprintf("UTIBN%015d", i)
			e.Remarks = "NEFT"
		case 1:
			e.Remarks = fmt.Sprintf("NEFT/UTIBN%015d/SOMEBODY OF SOMEWHERE/HDFC0001234", i)
		case 2:
			e.Remarks = fmt.Sprintf("NEFT/SAL-2031-03-%07d/SOMEBODY OF SOMEWHERE", i)
		}
		m.Entry(&e)
	}
	r := m.Finish()
	if r.Matched.Count != n || len(r.Exceptions) != 0 || r.Unexplained != 0 {
		t.Errorf("matched %d, %d exceptions, unexplained %s", r.Matched.Count, len(r.Exceptions), r.Unexplained)
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	t.Logf("%d payouts against %d entries: %s, %d MB from the system", n, n, time.Since(began).Round(time.Millisecond), mem.Sys>>20)
	runtime.KeepAlive(m)
}
