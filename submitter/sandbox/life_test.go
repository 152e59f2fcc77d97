package sandbox

import (
	"testing"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// A batch through its whole life: initiate moves nothing, submit moves
// nothing yet, success debits exactly once.
func TestAPayoutIsDebitedOnceAndOnlyAfterSubmit(t *testing.T) {
	for _, seed := range []int64{1, 2, 3, 4, 5, 6, 7, 8} {
		c := newClient(t, Options{Seed: seed})
		c.initiate(oneBatch("b1", 12, manyPayouts("r", 30)...))
		if s := c.state(); s.Executed.Count != 0 || s.NotSubmitted != 1 {
			t.Fatalf("seed %d: after initiate %+v", seed, s.Executed)
		}
		c.settle(3)
		if s := c.state(); s.Executed.Count != 0 {
			t.Fatalf("seed %d: settling paid a batch that was not submitted", seed)
		}
		c.submit("b1")
		c.settle(6)
		s := c.state()
		want := ledger.Tally{Count: 30, Total: 46500}
		if s.Executed != want || s.Open.Count != 0 || len(s.PaidTwice) != 0 {
			t.Errorf("seed %d: executed %+v, open %+v, twice %v; want %+v", seed, s.Executed, s.Open, s.PaidTwice, want)
		}
		for _, a := range s.Accounts {
			if a.BankAccountID != accountID(12) {
				continue
			}
			if a.Debits != want || a.Balance != a.Opening-want.Total || a.Reserved != 0 {
				t.Errorf("seed %d: account %+v", seed, a)
			}
		}
		answer := accepted(t, c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b1", "limit", "100"))
		for _, p := range answer.Payouts {
			if p.Status != "success" || p.BankStatusCode != "COMPLETED" || p.BankTxnRefID == "" {
				t.Errorf("seed %d: %+v", seed, p)
			}
		}
	}
}
