package sandbox

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// bulk submits n payouts r-001… of 1.00, 2.00, … in one batch "b".
func bulk(t *testing.T, o Options, n int, outcomes map[string]string) *client {
	t.Helper()
	c := newClient(t, o)
	must(t, c.s.SetOutcomes(outcomes))
	c.initiate(oneBatch("b", 3, manyPayouts("r", n)...))
	c.submit("b")
	return c
}

func TestWithoutOutcomesEverythingSucceedsWithinSixSteps(t *testing.T) {
	c := bulk(t, Options{Seed: 6}, 100, nil)
	seen := map[string]bool{}
	for range 6 {
		for _, p := range c.state().Batches[0].Payouts {
			seen[p.Status] = true
			if (p.Status == "success") != (p.Executed == 1) {
				t.Errorf("%s is %s and was executed %d times", p.WireRef, p.Status, p.Executed)
			}
		}
		c.settle(1)
	}
	if s := c.state(); s.Open.Count != 0 || s.Executed.Count != 100 || s.Executed.Total != 505000 {
		t.Errorf("open %+v, executed %+v", s.Open, s.Executed)
	}
	for _, status := range []string{"pending", "initiated", "success"} {
		if !seen[status] {
			t.Errorf("no payout was ever %s: the steps are too alike", status)
		}
	}
}

func TestOutcomesSayHowPayoutsEnd(t *testing.T) {
	for _, seed := range []int64{
		seedWith(t, false, func(r Reading) bool { return r.ReturnedFails && r.UnknownInStatus && r.FailedError }),
		seedWith(t, false, func(r Reading) bool { return !r.ReturnedFails && !r.UnknownInStatus && !r.FailedError }),
	} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			reading := ReadingFor(seed, false)
			c := bulk(t, Options{Seed: seed}, 5, map[string]string{
				"r-001": "success", "r-002": "failed", "r-003": "returned", "r-004": "stuck", "r-005": "unknown:ON_HOLD",
			})
			succeeded := false
			for range 6 {
				c.settle(1)
				p := c.payout("r-003")
				succeeded = succeeded || p.Status == "success" && p.BankStatusCode == "COMPLETED" && p.Executed == 1 && p.Returned == 0
			}
			c.settle(3)
			if !succeeded {
				t.Error("r-003 came back without being a success first")
			}
			if p := c.payout("r-001"); p.Status != "success" || p.Paid != 100 {
				t.Errorf("success: %+v", p)
			}
			if p := c.payout("r-002"); p.Status != "failed" || p.Executed != 0 {
				t.Errorf("failed: %+v", p)
			}
			returnedStatus := map[bool]string{true: "failed", false: "success"}[reading.ReturnedFails]
			if p := c.payout("r-003"); p.Status != returnedStatus || p.BankStatusCode != "RETURNED_FROM_BENEFICIARY" || p.Executed != 1 || p.Returned != 1 || p.Paid != 0 {
				t.Errorf("returned: %+v", p)
			}
			if p := c.payout("r-004"); (p.Status != "pending" && p.Status != "initiated") || p.Executed != 0 {
				t.Errorf("stuck: %+v", p)
			}
			p := c.payout("r-005")
			if reading.UnknownInStatus != (p.Status == "ON_HOLD") || reading.UnknownInStatus == (p.BankStatusCode == "ON_HOLD") || p.Executed != 0 {
				t.Errorf("unknown: %+v", p)
			}
			s := c.state()
			if s.Open != (ledger.Tally{Count: 2, Total: 900}) || s.Executed != (ledger.Tally{Count: 2, Total: 400}) || s.Returned != (ledger.Tally{Count: 1, Total: 300}) {
				t.Errorf("open %+v, executed %+v, returned %+v", s.Open, s.Executed, s.Returned)
			}
			for _, o := range accepted(t, c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b")).Payouts {
				if wantError := o.WireRef == "r-002" || o.WireRef == "r-003" && reading.ReturnedFails; (o.Error != nil) != (wantError && reading.FailedError) {
					t.Errorf("%s: error %v", o.WireRef, o.Error)
				}
			}
		})
	}
}

func TestOutcomesAddUpAndMayComeLate(t *testing.T) {
	c := newClient(t, Options{Seed: 6})
	c.must("POST", "/outcomes", `{"r-001":"stuck"}`)
	c.must("POST", "/outcomes", `{"r-002":"stuck"}`)
	c.initiate(oneBatch("b", 3, manyPayouts("r", 3)...))
	c.submit("b")
	c.settle(6)
	if s := c.state(); s.Open.Count != 2 || s.Executed.Count != 1 {
		t.Fatalf("open %+v, executed %+v", s.Open, s.Executed)
	}
	c.must("POST", "/outcomes", `{"r-001":"success","r-003":"returned"}`)
	c.settle(1)
	if p := c.payout("r-001"); p.Status != "success" || p.Executed != 1 {
		t.Errorf("a stuck payout that was let go: %+v", p)
	}
	if p := c.payout("r-003"); p.Returned != 1 || p.BankStatusCode != "RETURNED_FROM_BENEFICIARY" {
		t.Errorf("a late return: %+v", p)
	}
	c.settle(6)
	if p := c.payout("r-003"); p.Returned != 1 {
		t.Errorf("it came back %d times", p.Returned)
	}
}

func TestAFailureMayBeCorrectedToSuccess(t *testing.T) {
	c := bulk(t, Options{Seed: 6}, 1, map[string]string{"r-001": "failed-then-success"})
	for range mostSteps {
		if c.payout("r-001").Status != "failed" {
			c.settle(1)
		}
	}
	if p := c.payout("r-001"); p.Status != "failed" || p.Executed != 0 {
		t.Fatalf("payout %+v", p)
	}
	c.settle(1)
	if p, s := c.payout("r-001"), c.state(); p.Status != "success" || p.Executed != 1 || s.Accounts[1].Reserved != 0 {
		t.Errorf("payout %+v of account %+v", p, s.Accounts[1])
	}
	c.settle(3)
	if p := c.payout("r-001"); p.Executed != 1 {
		t.Errorf("executed %d times", p.Executed)
	}
}

func TestOutcomesThatAreNotKnownAreRefusedAsAWhole(t *testing.T) {
	c := newClient(t, Options{Seed: 6})
	for _, outcome := range []string{"", "paid", "unknown:", "unknown", "unknown:success", "unknown:COMPLETED", "Success"} {
		if status, _ := c.control("POST", "/outcomes", fmt.Sprintf(`{"a":"stuck","b":%q}`, outcome)); status != 400 {
			t.Errorf("outcome %q: HTTP %d", outcome, status)
		}
	}
	if got := c.state().Outcomes; len(got) != 0 {
		t.Errorf("set all the same: %v", got)
	}
}

func TestTheUTRIsKnownWithTheSuccessOrBeforeIt(t *testing.T) {
	for _, early := range []bool{true, false} {
		seed := seedWith(t, false, func(r Reading) bool { return r.EarlyUTR == early })
		c := bulk(t, Options{Seed: seed}, 40, nil)
		for _, p := range c.state().Batches[0].Payouts {
			if known := p.BankTxnRefID != ""; known != (early || p.Status == "success") {
				t.Errorf("early %t: %s is %s with UTR %q", early, p.WireRef, p.Status, p.BankTxnRefID)
			}
		}
		c.settle(6)
		utrs := map[string]bool{}
		for _, p := range c.state().Batches[0].Payouts {
			utrs[p.BankTxnRefID] = true
		}
		if len(utrs) != 40 || utrs[""] {
			t.Errorf("early %t: %d different UTRs for 40 payouts", early, len(utrs))
		}
	}
}

func TestSettlesOnItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		times := 0
		go every(ctx, time.Minute, func() { times++ })
		time.Sleep(3*time.Minute + time.Second)
		cancel()
		synctest.Wait()
		if times != 3 {
			t.Errorf("settled %d times in three minutes", times)
		}
	})
}

func TestSettleEveryReachesThePayouts(t *testing.T) {
	c := bulk(t, Options{Seed: 6, SettleEvery: time.Millisecond}, 5, nil)
	for c.state().Open.Count > 0 { // the test's own deadline ends it
		continue
	}
	if s := c.state(); s.Executed.Count != 5 {
		t.Errorf("executed %+v", s.Executed)
	}
}

// Whatever is asked for, in whatever order, the accounts add up: what was
// executed was debited, what came back was credited, and nothing else moved.
func TestTheBooksAlwaysBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Now: time.Now, Seed: rapid.Int64Range(1, 1<<40).Draw(t, "seed"), Trouble: rapid.Bool().Draw(t, "trouble")}
		b, err := openBank(o)
		must(t, err)
		post := func(path string, v body) *answer {
			op := operations[slices.IndexFunc(operations, func(op operation) bool { return op.path == path })]
			return op.answer(b, request{operation: op, body: encode(t, v)})
		}
		outcomes := []string{"success", "failed", "returned", "stuck", "unknown:XYZ"}
		accounts := []int{1, 3, 4, 12}
		next := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"initiate", "submit", "settle", "outcome"}).Draw(t, "do") {
			case "initiate":
				next++
				account := rapid.SampledFrom(accounts).Draw(t, "account")
				amount := ledger.Paise(rapid.Int64Range(1, 400_000_000_000).Draw(t, "amount"))
				batch := oneBatch(fmt.Sprint("b", next), account, onePayout(fmt.Sprint("r", next), amount.String()))
				if a := post(bankapi.PathTransferInitiate, batch); a.envelope.Error != nil {
					t.Fatalf("refused: %+v", a.envelope.Error)
				}
			case "submit":
				if next == 0 {
					continue
				}
				batch := b.batches[fmt.Sprint("b", rapid.IntRange(1, next).Draw(t, "batch"))]
				_ = post(bankapi.PathTransferSubmit, body{
					"merchant_transfer_batch_id": batch.BatchID, "otp": batch.OTP, "transaction_token": batch.Token, "bene_lei": lei,
				}) // again, or above the balance: refused
			case "settle":
				b.settle()
			case "outcome":
				b.Outcomes[fmt.Sprint("r", rapid.IntRange(1, next+1).Draw(t, "payout"))] = rapid.SampledFrom(outcomes).Draw(t, "outcome")
			}
			balanced(t, b)
		}
	})
}

func balanced(t *rapid.T, b *bank) {
	s := b.state()
	var debits, credits ledger.Tally
	for _, a := range s.Accounts {
		if a.Balance != a.Opening-a.Debits.Total+a.Credits.Total || a.Balance < 0 || a.Reserved < 0 || a.Reserved > a.Balance {
			t.Fatalf("account %+v", a)
		}
		debits.Count, debits.Total = debits.Count+a.Debits.Count, debits.Total+a.Debits.Total
		credits.Count, credits.Total = credits.Count+a.Credits.Count, credits.Total+a.Credits.Total
	}
	if debits != s.Executed || credits != s.Returned {
		t.Fatalf("debits %+v, executed %+v, credits %+v, returned %+v", debits, s.Executed, credits, s.Returned)
	}
	var reserved, due ledger.Paise
	for _, a := range b.Accounts {
		reserved += a.Reserved
	}
	for _, batch := range b.Batches {
		for _, p := range batch.Payouts {
			due += p.Amount * ledger.Paise(p.Due)
			if p.Executed > batch.Submits || p.Returned > p.Executed || (batch.Submits == 0 && p.Status != "request_initiated") {
				t.Fatalf("batch %s with %d submits: %+v", batch.BatchID, batch.Submits, p)
			}
			if p.Executed > 1 != slices.Contains(s.PaidTwice, p.WireRef) {
				t.Fatalf("paid twice %v, and %s was executed %d times", s.PaidTwice, p.WireRef, p.Executed)
			}
		}
	}
	if reserved != due {
		t.Fatalf("reserved %s, due %s", reserved, due)
	}
}
