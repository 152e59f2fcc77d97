package submitter

import (
	"strings"
	"testing"

	"payrun/ledger"
)

func plan() (ledger.Batch, []ledger.Attempt) {
	b := ledger.Batch{ID: "pr1", BankAccountID: "acc-1", PartnerBankID: 3, Count: 2, Total: 300}
	return b, []ledger.Attempt{
		{Payout: ledger.Payout{ID: 1, Ref: "A", Amount: 100, BankAccountNumber: "50100200300400", IFSC: "TEST0000001"}, Number: 1, WireRef: "A"},
		{Payout: ledger.Payout{ID: 2, Ref: "B", Amount: 200, BankAccountNumber: "123456789", IFSC: "TEST0000002"}, Number: 1, WireRef: "B"},
	}
}

func answer() ledger.Answer {
	return ledger.Answer{BatchID: "pr1", BankAccountID: "acc-1", Payouts: []ledger.Observation{
		{WireRef: "B", Amount: 200, HasAmount: true, Status: "request_initiated"},
		{WireRef: "A", Amount: 100, HasAmount: true, Status: "request_initiated", BankAccountNumber: "50100200300400", IFSC: "test0000001"},
	}}
}

func TestEchoIsHeldAgainstThePlan(t *testing.T) {
	const number = "50200000300009" // of the debit account, as configured
	for _, c := range []struct {
		name    string
		change  func(*ledger.Answer)
		equal   bool
		because string
	}{
		{"the number of the debit account", func(a *ledger.Answer) { a.DebitAccountNumber = number }, true, ""},
		{"that number, masked", func(a *ledger.Answer) { a.DebitAccountNumber = "XXXXXXXXXX0009" }, true, ""},
		{"too little of a number", func(a *ledger.Answer) { a.DebitAccountNumber = "XXXXXXXXXXX008" }, true, ""},
		{"the number of another debit account", func(a *ledger.Answer) { a.DebitAccountNumber = "50200000300008" }, false, "number XXXXXXXXXX0008, not XXXXXXXXXX0009"},
		{"that of another, masked", func(a *ledger.Answer) { a.DebitAccountNumber = "XXXXXXXXXX0008" }, false, "number XXXXXXXXXX0008"},
		{"as sent, in another order", func(*ledger.Answer) {}, true, ""},
		{"masked accounts that agree", func(a *ledger.Answer) { a.Payouts[1].BankAccountNumber = "XXXXXXXXXX0400" }, true, ""},
		{"batch id left out", func(a *ledger.Answer) { a.BatchID = "" }, true, ""},
		{"another batch", func(a *ledger.Answer) { a.BatchID = "pr2" }, false, "about batch"},
		{"another debit account", func(a *ledger.Answer) { a.BankAccountID = "acc-2" }, false, "debit account"},
		{"no debit account", func(a *ledger.Answer) { a.BankAccountID = "" }, false, "debit account"},
		{"one missing", func(a *ledger.Answer) { a.Payouts = a.Payouts[:1] }, false, "missing A"},
		{"none", func(a *ledger.Answer) { a.Payouts = nil }, false, "missing A; B"},
		{"one more", func(a *ledger.Answer) {
			a.Payouts = append(a.Payouts, ledger.Observation{WireRef: "C", Amount: 1, HasAmount: true, Status: "request_initiated"})
		}, false, `"C" was never sent`},
		{"one twice", func(a *ledger.Answer) { a.Payouts = append(a.Payouts, a.Payouts[0]) }, false, `"B" came twice`},
		{"reference in another case", func(a *ledger.Answer) { a.Payouts[0].WireRef = "b" }, false, "never sent"},
		{"another amount", func(a *ledger.Answer) { a.Payouts[0].Amount = 201 }, false, `"B" is 2.01, not 2.00`},
		{"amounts swapped", func(a *ledger.Answer) { a.Payouts[0].Amount, a.Payouts[1].Amount = 100, 200 }, false, "is"},
		{"amount absent", func(a *ledger.Answer) { a.Payouts[0].HasAmount = false }, false, "no amount for B"},
		{"another payee account", func(a *ledger.Answer) { a.Payouts[1].BankAccountNumber = "50100200300401" }, false, "pays account XXXXXXXXXX0401, not XXXXXXXXXX0400"},
		{"masked accounts that differ", func(a *ledger.Answer) { a.Payouts[1].BankAccountNumber = "XXXXXXXXXX0401" }, false, "pays account"},
		{"masked to another length", func(a *ledger.Answer) { a.Payouts[1].BankAccountNumber = "****0400" }, true, ""},
		{"masked by signs that nobody describes", func(a *ledger.Answer) { a.Payouts[1].BankAccountNumber = "●●-●●0400" }, true, ""},
		{"the same, of another account", func(a *ledger.Answer) { a.Payouts[1].BankAccountNumber = "●●-●●0401" }, false, "pays account"},
		{"a shorter account is not a masked one", func(a *ledger.Answer) { a.Payouts[1].BankAccountNumber = "0400" }, false, "pays account"},
		{"another branch", func(a *ledger.Answer) { a.Payouts[1].IFSC = "TEST0000009" }, false, "pays at"},
		{"already moving", func(a *ledger.Answer) { a.Payouts[1].Status = "pending" }, false, `"A" is "pending" before any submit`},
		{"failed in the echo", func(a *ledger.Answer) { a.Payouts[1].Status = "failed" }, false, "before any submit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, attempts := plan()
			a := answer()
			c.change(&a)
			got := compare(b, number, attempts, a)
			got.unmoved(attempts)
			if got.equal() != c.equal || !strings.Contains(got.why(), c.because) {
				t.Errorf("equal %t, why %q; want %t because %q", got.equal(), got.why(), c.equal, c.because)
			}
		})
	}
}

func TestOnlyAListedStatusProvesThatABatchMoves(t *testing.T) {
	for status, want := range map[string]bool{
		"request_initiated": false, "": false, "XYZ": false, "SUCCESS": false,
		"pending": true, "initiated": true, "success": true, "failed": true,
	} {
		b, attempts := plan()
		a := answer()
		a.Payouts[0].Status = status
		if got := compare(b, "", attempts, a).moving(); got != want {
			t.Errorf("%q: moving %t, want %t", status, got, want)
		}
	}
}

func TestWhyIsShortForALongList(t *testing.T) {
	if got := some([]string{"a", "b", "c", "d", "e"}); got != "a; b; c; and 2 more" {
		t.Error(got)
	}
}

func TestARIBEchoIsHeldAgainstTheBeneficiaryAndWhatTheRowSays(t *testing.T) {
	b, attempts := plan()
	b.PartnerBankID, b.Kind = 12, ledger.KindRIB
	attempts[0].OpenBeneficiaryID, attempts[1].OpenBeneficiaryID = "ben-1", "ben-2"
	a := answer()
	a.Payouts[0].OpenBeneficiaryID, a.Payouts[1].OpenBeneficiaryID = "BEN-2", "ben-1"
	a.Payouts[1].BankAccountNumber, a.Payouts[1].IFSC = "999988887777", "SBOX0000012" // the bank's own record
	if got := compare(b, "", attempts, a); got.equal() || !strings.Contains(got.why(), "pays account XXXXXXXX7777") {
		t.Errorf("another payee than the row's: %q", got.why())
	}
	attempts[0].BankAccountNumber, attempts[0].IFSC = "", "" // a row that names the beneficiary only
	attempts[1].BankAccountNumber, attempts[1].IFSC = "", ""
	if got := compare(b, "", attempts, a); !got.equal() {
		t.Errorf("quarantined because %s", got.why())
	}
	a.Payouts[1].OpenBeneficiaryID = "ben-2"
	if got := compare(b, "", attempts, a); !strings.Contains(got.why(), `"A" pays beneficiary "ben-2", not ben-1`) {
		t.Errorf("another beneficiary: %q", got.why())
	}
}

func TestTheSubMerchantOfAnEchoIsThatOfTheBatch(t *testing.T) {
	const uuid = "0a000000-0000-4000-8000-00000000000f"
	for _, c := range []struct {
		sent, said string
		equal      bool
	}{
		{"sm_0001", "sm_0001", true},
		{"sm_0001", "sm_9999", false},
		{"sm_0001", "SM_0001", false},
		{"sm_0001", "", true},
		{"", "sm_0001", true},
		{uuid, strings.ToUpper(uuid), true},
		{uuid, strings.Replace(uuid, "f", "e", 1), false},
	} {
		b, attempts := plan()
		a := answer()
		b.SubMerchantID, a.SubMerchantID = c.sent, c.said
		if got := compare(b, "", attempts, a); got.equal() != c.equal {
			t.Errorf("sent %q, said %q: %v", c.sent, c.said, got.differs)
		}
	}
}
