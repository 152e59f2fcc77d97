package sandbox

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"payrun/submitter/bankapi"
)

func ribPayout(ref string, beneficiary int) body {
	return body{"merchant_txn_ref_id": ref, "amount": "10.00", "open_beneficiary_id": beneficiaryID(beneficiary)}
}

func TestInitiateAccepts(t *testing.T) {
	one := onePayout("r1", "10.00")
	tests := []struct {
		name string
		body body
	}{
		{"a bulk batch of partner bank 1", oneBatch("b", 1, manyPayouts("r", 40)...)},
		{"a bulk batch of partner bank 3", oneBatch("b", 3, manyPayouts("r", 2)...)},
		{"a bulk batch of partner bank 12 CIB", oneBatch("b", 12, manyPayouts("r", 2)...)},
		{"a bulk batch of partner bank 12 RIB", oneBatch("b", 112, ribPayout("r1", 1), ribPayout("r2", 2))},
		{"one payout of partner bank 4", oneBatch("b", 4, one)},
		{"one payout of partner bank 8", oneBatch("b", 8, one)},
		{"one payout of partner bank 31", oneBatch("b", 31, one)},
		{"one payout of partner bank 79", oneBatch("b", 79, one)},
		{"one payout of partner bank 105", oneBatch("b", 105, one)},
		{"no remarks", oneBatch("b", 3, one.without("remarks"))},
		{"the least amount", oneBatch("b", 3, onePayout("r1", "0.01"))},
		{"a transaction_type_id that is a number", oneBatch("b", 3, one).with("transaction_type_id", 7)},
		{"the sub-merchant of the account", oneBatch("b", 3, one).with("sub_merchant_id", subMerchantID)},
		{"names it does not know", oneBatch("b", 3, one.with("purpose", "rent")).with("note", 1)},
		{"an open_beneficiary_id that a CIB account does not use", oneBatch("b", 12, one.with("open_beneficiary_id", "any"))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClient(t, Options{Seed: 11})
			answer := c.initiate(tt.body)
			sent := tt.body["payout_data"].([]body)
			if answer.BatchID != "b" || answer.BankAccountID != tt.body["bank_account_id"] || answer.SubMerchantID != subMerchantID {
				t.Errorf("echo of the batch: %+v", answer)
			}
			if len(answer.Payouts) != len(sent) {
				t.Fatalf("sent %d payouts, %d came back", len(sent), len(answer.Payouts))
			}
			for _, p := range sent {
				i := slices.IndexFunc(answer.Payouts, func(o bankapi.Payout) bool { return o.WireRef == p["merchant_txn_ref_id"] })
				if i < 0 {
					t.Fatalf("%v did not come back", p["merchant_txn_ref_id"])
				}
				o := answer.Payouts[i]
				if o.Amount != p["amount"] || o.Status != "request_initiated" || o.BankStatusCode != "" || o.BankTxnRefID != "" || o.OpenTxnID == "" || o.Error != nil {
					t.Errorf("echo of %v: %+v", p, o)
				}
			}
		})
	}
}

func TestInitiateRefusesAndRecordsNothing(t *testing.T) {
	one := onePayout("r1", "10.00")
	good := oneBatch("b", 3, one)
	amount := func(v any) body { return oneBatch("b", 3, one.with("amount", v)) }
	type test struct {
		name string
		body any
	}
	tests := []test{
		{"no batch id", good.without("merchant_transfer_batch_id")},
		{"an empty batch id", good.with("merchant_transfer_batch_id", "")},
		{"a batch id that is a number", good.with("merchant_transfer_batch_id", 5)},
		{"no transaction type", good.without("transaction_type_id")},
		{"a null transaction type", good.with("transaction_type_id", nil)},
		{"a fractional transaction type", good.with("transaction_type_id", 1.5)},
		{"no debit account", good.without("bank_account_id")},
		{"an unknown debit account", good.with("bank_account_id", accountID(77))},
		{"an account that is token_expired", good.with("bank_account_id", accountID(999))},
		{"another sub-merchant's account", good.with("sub_merchant_id", "sm_0002")},
		{"a sub-merchant that is a number", good.with("sub_merchant_id", 1)},
		{"no payouts", good.without("payout_data")},
		{"an empty list of payouts", good.with("payout_data", []body{})},
		{"payouts that are no list", good.with("payout_data", one)},
		{"a payout that is no object", good.with("payout_data", []any{"r1"})},
		{"a null payout", good.with("payout_data", []any{nil})},
		{"a payout without reference", oneBatch("b", 3, one.without("merchant_txn_ref_id"))},
		{"remarks that are a number", oneBatch("b", 3, one.with("remarks", 1))},
		{"one bad payout among good ones", oneBatch("b", 3, one, onePayout("r2", "1"))},
		{"a reference twice in the batch", oneBatch("b", 3, one, onePayout("r1", "20.00"))},
		{"a batch total out of range", oneBatch("b", 3, onePayout("r1", "90000000000000000.00"), onePayout("r2", "90000000000000000.00"))},
		{"no amount", oneBatch("b", 3, one.without("amount"))},
		{"an amount that is a number", amount(10.5)},
		{"an amount without fraction", amount("10")},
		{"an amount with one fraction digit", amount("10.5")},
		{"an amount with three fraction digits", amount("10.500")},
		{"an amount of zero", amount("0.00")},
		{"a negative amount", amount("-1.00")},
		{"an amount with groups", amount("1,000.00")},
		{"an amount with leading zeros", amount("010.00")},
		{"an amount with spaces", amount(" 10.00")},
		{"an amount in other scripts' digits", amount("१०.००")},
		{"an amount out of range", amount("99999999999999999999.00")},
		{"RIB without open_beneficiary_id", oneBatch("b", 112, one)},
		{"RIB with an unknown beneficiary", oneBatch("b", 112, ribPayout("r1", 9))},
		{"RIB with a beneficiary that is not active yet", oneBatch("b", 112, ribPayout("r1", 3))},
		{"CIB with only an open_beneficiary_id", oneBatch("b", 12, ribPayout("r1", 1))},
		{"no JSON", "hello"},
		{"no object", "[]"},
		{"two objects", `{"merchant_transfer_batch_id":"b"} {}`},
		{"an empty body", ""},
		{"a name twice", strings.Replace(string(encode(t, good)), "{", `{"bank_account_id":"x",`, 1)},
		{"a name in another case", strings.Replace(string(encode(t, good)), "bank_account_id", "Bank_Account_Id", 1)},
		{"bytes that are not UTF-8", strings.Replace(string(encode(t, good)), "Asha", "Ash\xe9", 1)},
	}
	for _, field := range []string{"vendor_name", "bank_account_number", "ifsc"} {
		tests = append(tests, test{"no " + field, oneBatch("b", 3, one.without(field))},
			test{"an empty " + field, oneBatch("b", 3, one.with(field, ""))})
	}
	for _, account := range []int{4, 8, 31, 79, 105} {
		tests = append(tests, test{"two payouts of " + accountID(account), oneBatch("b", account, manyPayouts("r", 2)...)})
	}
	c := newClient(t, Options{Seed: 11})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code := refused(t, c.post(bankapi.PathTransferInitiate, tt.body), 400)
			if !slices.Contains(strings.Fields(initiateCodes), strings.TrimPrefix(code, "SVC_CB_")) {
				t.Errorf("code %s is not one the interface lists for initiate", code)
			}
			if s := c.state(); len(s.Batches) != 0 {
				t.Errorf("recorded: %+v", s.Batches)
			}
		})
	}
	c.initiate(good) // nothing refused before was used up
}

func TestIDsAreUniqueOverAllThatWasInitiated(t *testing.T) {
	for _, status := range []int{400, 409, 422} {
		c := newClient(t, Options{Seed: seedWith(t, false, func(r Reading) bool { return r.UsedStatus == status && r.EchoesRepeats })})
		c.initiate(oneBatch("b1", 3, onePayout("r1", "10.00")))
		refused(t, c.post(bankapi.PathTransferInitiate, oneBatch("b1", 3, onePayout("r2", "10.00"))), status)
		refused(t, c.post(bankapi.PathTransferInitiate, oneBatch("b1", 3, onePayout("r1", "10.01"))), status)
		refused(t, c.post(bankapi.PathTransferInitiate, oneBatch("b2", 4, onePayout("r1", "10.00"))), status)
		c.initiate(oneBatch("b2", 4, onePayout("R1", "10.00"))) // compared as they are
	}
}

func TestARepeatIsRefusedOrAnsweredWithTheBatchAsItStands(t *testing.T) {
	same := oneBatch("b1", 3, onePayout("r1", "10.00"))
	for _, echoes := range []bool{true, false} {
		c := newClient(t, Options{Seed: seedWith(t, false, func(r Reading) bool { return r.EchoesRepeats == echoes })})
		c.initiate(same)
		c.submit("b1")
		c.settle(6)
		g := c.post(bankapi.PathTransferInitiate, same)
		if !echoes {
			refused(t, g, c.s.bank.reading.UsedStatus)
		} else if p := accepted(t, g).Payouts[0]; p.Status != "success" {
			t.Errorf("the batch as it stands: %+v", p)
		}
		if s := c.state(); len(s.Batches) != 1 || s.Executed.Count != 1 {
			t.Errorf("%d batches, executed %+v", len(s.Batches), s.Executed)
		}
	}
}

func TestOneOfManyEqualInitiatesIsAccepted(t *testing.T) {
	c := newClient(t, Options{Seed: seedWith(t, false, func(r Reading) bool { return !r.EchoesRepeats })})
	raw := encode(t, oneBatch("b1", 3, onePayout("r1", "10.00")))
	var wg sync.WaitGroup
	results := make([]got, 8)
	for i := range results {
		wg.Go(func() {
			results[i], _ = c.try("POST", bankapi.PathTransferInitiate, raw)
		})
	}
	wg.Wait()
	count := map[int]int{}
	for _, g := range results {
		count[g.status]++
	}
	if refusedAs := c.s.bank.reading.UsedStatus; count[200] != 1 || count[refusedAs] != 7 {
		t.Errorf("answers by HTTP status: %v", count)
	}
}

func wantKeys(t *testing.T, object map[string]any, keys ...string) {
	t.Helper()
	var have []string
	for k := range object {
		have = append(have, k)
	}
	slices.Sort(have)
	slices.Sort(keys)
	if !slices.Equal(have, keys) {
		t.Errorf("fields %v, want %v", have, keys)
	}
}

func TestTheMobileGetsAnOTPForWhatIsAskedFor(t *testing.T) {
	var sent []string
	c := newClient(t, Options{Seed: 2, SMS: func(m SMS) { sent = append(sent, m.String()) }})
	for _, r := range []struct{ path, body string }{
		{bankapi.PathTransferInitiate, `{"merchant_transfer_batch_id":"b1","transaction_type_id":"NEFT","bank_account_id":"` + accountID(1) + `","payout_data":[
			{"merchant_txn_ref_id":"r1","vendor_name":"Rao","bank_account_number":"123456789012","ifsc":"HDFC0001234","amount":"2700000.00"},
			{"merchant_txn_ref_id":"r2","vendor_name":"Rao","bank_account_number":"123456789012","ifsc":"HDFC0001234","amount":"4369.97"}]}`},
		{bankapi.PathBeneficiaryInitiate, `{"sub_merchant_id":"` + subMerchantID + `","bank_account_id":"` + accountID(112) + `",
			"vendor_name":"Rao","bank_account_number":"123456789012","ifsc":"HDFC0001234"}`},
		{bankapi.PathTransferInitiate, `{"merchant_transfer_batch_id":"b2"}`}, // refused: nothing is sent
	} {
		_, err := c.try("POST", r.path, []byte(r.body))
		must(t, err)
	}
	otp, token, _ := c.s.OTP("b1")
	want := "SMS to 90XXXXXXXX: OTP " + otp + " token " + token + " for 2 payouts ₹27,04,369.97"
	if len(sent) != 2 || sent[0] != want || !strings.HasPrefix(sent[1], "SMS to 90XXXXXXXX: OTP ") || !strings.HasSuffix(sent[1], " to add the beneficiary Rao") {
		t.Errorf("sent %q, want %q and one for the beneficiary", sent, want)
	}
}
