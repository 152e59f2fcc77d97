package sandbox

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"payrun/submitter/bankapi"
)

const lei = "5493001KJTIIGC8Y1R12"

func TestSubmitRefusesAndMovesNothing(t *testing.T) {
	const line = "500000000.00"
	tests := []struct {
		name    string
		account int
		amount  string
		spoil   func(right body) body
		code    string
	}{
		{"no batch id", 3, "10.00", func(b body) body { return b.without("merchant_transfer_batch_id") }, "SVC_CB_FT_001"},
		{"no OTP", 3, "10.00", func(b body) body { return b.without("otp") }, "SVC_CB_FT_001"},
		{"an OTP that is a number", 3, "10.00", func(b body) body { return b.with("otp", 123456) }, "SVC_CB_FT_001"},
		{"an OTP that was not sent", 3, "10.00", func(b body) body { return b.with("otp", "not it") }, "SVC_CB_FT_001"},
		{"partner bank 1 without token", 1, "10.00", func(b body) body { return b.without("transaction_token") }, "SVC_CB_FT_011"},
		{"partner bank 1 with an empty token", 1, "10.00", func(b body) body { return b.with("transaction_token", "") }, "SVC_CB_FT_011"},
		{"partner bank 1 with a token that was not sent", 1, "10.00", func(b body) body { return b.with("transaction_token", "x") }, "SVC_CB_FT_001"},
		{"the LEI line without LEI", 1, line, func(b body) body { return b }, "SVC_CB_FT_012"},
		{"the LEI line with a LEI of 19", 1, line, func(b body) body { return b.with("bene_lei", lei[1:]) }, "SVC_CB_FT_012"},
		{"the LEI line with a LEI of 21", 1, line, func(b body) body { return b.with("bene_lei", lei+"0") }, "SVC_CB_FT_012"},
		{"the LEI line with a LEI that is not alphanumeric", 1, line, func(b body) body { return b.with("bene_lei", "-"+lei[1:]) }, "SVC_CB_FT_012"},
		{"more than the balance", 3, "10000000000.01", func(b body) body { return b }, "SVC_CB_FT_001"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClient(t, Options{Seed: 5})
			c.initiate(oneBatch("b", tt.account, onePayout("r1", tt.amount)))
			code := refused(t, c.post(bankapi.PathTransferSubmit, tt.spoil(c.submission("b"))), 400)
			if code != tt.code {
				t.Errorf("code %s, want %s", code, tt.code)
			}
			c.settle(6)
			if p := c.payout("r1"); p.Executed != 0 || p.Status != "request_initiated" {
				t.Errorf("moved: %+v", p)
			}
		})
	}
}

func TestSubmitAccepts(t *testing.T) {
	tests := []struct {
		name    string
		account int
		amount  string
		adjust  func(body) body
	}{
		{"partner bank 1 with its token", 1, "10.00", func(b body) body { return b }},
		{"a paisa below the LEI line without LEI", 1, "499999999.99", func(b body) body { return b }},
		{"the LEI line with LEI", 1, "500000000.00", func(b body) body { return b.with("bene_lei", lei) }},
		{"over the LEI line with LEI", 1, "500000000.01", func(b body) body { return b.with("bene_lei", lei) }},
		{"another partner bank over the LEI line without LEI", 3, "500000000.01", func(b body) body { return b }},
		{"a token that nobody asked for", 3, "10.00", func(b body) body { return b.with("transaction_token", "x") }},
		{"exactly the balance", 3, "10000000000.00", func(b body) body { return b }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClient(t, Options{Seed: 5})
			c.initiate(oneBatch("b", tt.account, onePayout("r1", tt.amount)))
			answer := accepted(t, c.post(bankapi.PathTransferSubmit, tt.adjust(c.submission("b"))))
			p := answer.Payouts[0]
			if !slices.Contains([]string{"pending", "initiated", "success", "failed"}, p.Status) || p.BankStatusCode == "" {
				t.Errorf("payout %+v", p)
			}
			if answer.DebitAccountNumber == nil || answer.DebitAccountNumber == "" || answer.DebitAccountHolderName == "" || answer.DebitIFSC == "" {
				t.Errorf("debit account not included: %+v", answer)
			}
			c.settle(6)
			if p := c.payout("r1"); p.Executed != 1 || p.Paid.String() != tt.amount {
				t.Errorf("paid %+v", p)
			}
		})
	}
}

func TestAWrongOTPLeavesTheBatchForTheRightOne(t *testing.T) {
	c := newClient(t, Options{Seed: 5})
	c.initiate(oneBatch("b1", 3, onePayout("r1", "10.00")))
	c.initiate(oneBatch("b2", 3, onePayout("r2", "10.00")))
	swapped := c.submission("b1").with("merchant_transfer_batch_id", "b2")
	for range 10 {
		refused(t, c.post(bankapi.PathTransferSubmit, swapped), 400)
	}
	c.submit("b2")
	if s := c.state(); s.Batches[0].Submits != 0 || s.Batches[1].Submits != 1 || s.Batches[1].WrongOTPs != 10 {
		t.Errorf("batches %+v", s.Batches)
	}
}

func TestAWrongOTPIsRefusedWithTheStatusOfTheReading(t *testing.T) {
	reading := ReadingFor(5, false)
	reading.WrongOTPStatus = 422
	c := newClient(t, Options{Seed: 5, Reading: &reading})
	c.initiate(oneBatch("b", 3, onePayout("r1", "10.00")))
	right := c.submission("b")
	if code := refused(t, c.post(bankapi.PathTransferSubmit, right.with("otp", "not it")), 422); code != "SVC_CB_FT_001" {
		t.Errorf("code %s", code)
	}
	refused(t, c.post(bankapi.PathTransferSubmit, right.without("otp")), 400) // what is not about the OTP is as before
	c.settle(6)
	if p := c.payout("r1"); p.Executed != 0 || p.Status != "request_initiated" {
		t.Errorf("moved: %+v", p)
	}
}

func TestASecondSubmitIsRefusedAndPaysNothing(t *testing.T) {
	c := newClient(t, Options{Seed: 5})
	c.initiate(oneBatch("b", 3, onePayout("r1", "10.00")))
	right := encode(t, c.submission("b"))
	var wg sync.WaitGroup
	statuses := make([]int, 8)
	for i := range statuses {
		wg.Go(func() {
			g, _ := c.try("POST", bankapi.PathTransferSubmit, right)
			statuses[i] = g.status
		})
	}
	wg.Wait()
	slices.Sort(statuses)
	if !slices.Equal(statuses, []int{200, 400, 400, 400, 400, 400, 400, 400}) {
		t.Errorf("answers %v", statuses)
	}
	c.settle(6)
	if p := c.payout("r1"); p.Executed != 1 {
		t.Errorf("executed %d times", p.Executed)
	}
}

// The worst a bank may do, for the interface does not say that a second submit
// is refused. No client may bring it about; State must show it.
func TestUnderTroubleASecondSubmitMayPayAgain(t *testing.T) {
	seed := seedWith(t, true, func(r Reading) bool { return r.RepeatsSubmit })
	for _, between := range []int{0, 6} {
		c := quiet(newClient(t, Options{Seed: seed, Trouble: true}))
		c.initiate(oneBatch("b", 3, onePayout("r1", "10.00"), onePayout("r2", "5.00")))
		must(t, c.s.SetOutcomes(map[string]string{"r2": "failed"}))
		c.submit("b")
		c.settle(between)
		c.submit("b")
		c.settle(6)
		s := c.state()
		if !slices.Equal(s.PaidTwice, []string{"r1"}) || s.Executed.Count != 2 || s.Executed.Total != 2000 {
			t.Errorf("after %d settlements: paid twice %v, executed %+v", between, s.PaidTwice, s.Executed)
		}
		for _, a := range s.Accounts {
			if a.Reserved != 0 {
				t.Errorf("%s still reserves %s", a.BankAccountID, a.Reserved)
			}
		}
	}
}

// quiet keeps the readings of Trouble and takes away its random faults.
func quiet(c *client) *client {
	c.s.faults.mu.Lock()
	defer c.s.faults.mu.Unlock()
	c.s.faults.trouble = false
	return c
}

func TestUnderTroubleAnOTPMayBecomeVoid(t *testing.T) {
	seed := seedWith(t, true, func(r Reading) bool { return r.OTPTries == 5 })
	c := quiet(newClient(t, Options{Seed: seed, Trouble: true}))
	c.initiate(oneBatch("b", 3, onePayout("r1", "10.00")))
	right := c.submission("b")
	for range 5 {
		refused(t, c.post(bankapi.PathTransferSubmit, right.with("otp", "wrong")), 400)
	}
	g := c.post(bankapi.PathTransferSubmit, right)
	refused(t, g, 400)
	if !strings.Contains(string(g.raw), "void") {
		t.Errorf("answer %s", g.raw)
	}
}

func TestAnUnknownBatchIsAnsweredWithTheStatusOfTheSeed(t *testing.T) {
	for status, submit := range map[int]int{400: 400, 404: 404, 500: 400, 200: 400} {
		seed := seedWith(t, false, func(r Reading) bool { return r.UnknownStatus == status })
		c := newClient(t, Options{Seed: seed})
		refused(t, c.post(bankapi.PathTransferSubmit, body{"merchant_transfer_batch_id": "b", "otp": "123456"}), submit)
		g := c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b")
		if status == 200 {
			if answer := accepted(t, g); len(answer.Payouts) != 0 || answer.BatchID != "b" {
				t.Errorf("answer %+v", answer)
			}
			continue
		}
		if code := refused(t, g, status); code != "SVC_CB_FT_014" && code != "SVC_CB_FT_015" {
			t.Errorf("code %s", code)
		}
	}
}
