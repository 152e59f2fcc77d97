package sandbox

import (
	"testing"

	"payrun/submitter/bankapi"
)

func TestDetailsMayBeEmptyOrTheBanksOwn(t *testing.T) {
	rib := oneBatch("b", 112, ribPayout("r1", 1).with("remarks", "rent"))
	tests := []struct {
		name    string
		reading func(Reading) bool
		body    body
		want    string // vendor_name, account and IFSC of the first payout
	}{
		{"as sent", func(r Reading) bool { return r.Details == "as_sent" }, oneBatch("b", 3, onePayout("r1", "1.00")), "Asha Traders 123456789012 SBOX0000001"},
		{"empty", func(r Reading) bool { return r.Details == "empty" }, oneBatch("b", 3, onePayout("r1", "1.00")), "  "},
		{"who stands behind the beneficiary id", func(r Reading) bool { return r.Details == "as_sent" && r.NamesBeneficiary }, rib, "Beneficiary One 91800001000033 SBOX0000012"},
		{"only the beneficiary id", func(r Reading) bool { return r.Details == "as_sent" && !r.NamesBeneficiary }, rib, "  "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newClient(t, Options{Seed: seedWith(t, false, tt.reading)})
			p := c.initiate(tt.body).Payouts[0]
			if got := p.VendorName + " " + p.BankAccountNumber + " " + p.IFSC; got != tt.want {
				t.Errorf("details %q, want %q", got, tt.want)
			}
			if tt.body["bank_account_id"] == accountID(112) && p.OpenBeneficiaryID != beneficiaryID(1) {
				t.Errorf("open_beneficiary_id %q", p.OpenBeneficiaryID)
			}
		})
	}
}

func TestSomeDetailsAreEmptyAndSomeAreNot(t *testing.T) {
	c := newClient(t, Options{Seed: seedWith(t, false, func(r Reading) bool { return r.Details == "some" })})
	empty := 0
	for _, p := range c.initiate(oneBatch("b", 3, manyPayouts("r", 40)...)).Payouts {
		if p.VendorName == "" {
			empty++
		}
	}
	if empty == 0 || empty == 40 {
		t.Errorf("%d of 40 are empty", empty)
	}
}

func TestTheDebitAccountIsShownWithInitiateOrNot(t *testing.T) {
	for _, shows := range []bool{true, false} {
		for _, masks := range []bool{true, false} {
			c := newClient(t, Options{Seed: seedWith(t, false, func(r Reading) bool { return r.DebitOnInitiate == shows && r.MasksDebit == masks })})
			full := c.s.bank.account(accountID(3)).AccountNumber
			want := full
			if masks {
				want = "XXXXXXXXXX" + full[10:]
			}
			answer := c.initiate(oneBatch("b", 3, onePayout("r1", "1.00")))
			if shows != (answer.DebitAccountNumber == want) || shows == (answer.DebitIFSC == "") {
				t.Errorf("initiate: %+v", answer)
			}
			if reads := c.s.bank.reading.OpenBatchID; reads != (answer.OpenBatchID != "") {
				t.Errorf("open_batch_id %q, by the reading %t", answer.OpenBatchID, reads)
			}
			if answer := c.submit("b"); answer.DebitAccountNumber != want {
				t.Errorf("submit: %+v", answer)
			}
		}
	}
}

func TestPayoutsComeInTheOrderOfTheReading(t *testing.T) {
	order := func(want string) string {
		c := newClient(t, Options{Seed: seedWith(t, false, func(r Reading) bool { return r.Order == want })})
		refs := ""
		for _, p := range c.initiate(oneBatch("b", 3, manyPayouts("r", 9)...)).Payouts {
			refs += p.WireRef[4:]
		}
		return refs
	}
	if got := order("as_sent"); got != "123456789" {
		t.Errorf("as sent: %s", got)
	}
	if got := order("reversed"); got != "987654321" {
		t.Errorf("reversed: %s", got)
	}
	if got := order("mixed"); got == "123456789" || got == "987654321" || len(got) != 9 {
		t.Errorf("mixed: %s", got)
	}
}

func TestUnderTroubleInitiateMayHideAmountsThatStatusTells(t *testing.T) {
	seed := seedWith(t, true, func(r Reading) bool { return r.HidesAmount })
	c := quiet(newClient(t, Options{Seed: seed, Trouble: true}))
	if got := c.initiate(oneBatch("b", 3, onePayout("r1", "1.00"))).Payouts[0].Amount; got != nil {
		t.Errorf("initiate tells %v", got)
	}
	if got := accepted(t, c.get(bankapi.PathTransfer, "merchant_transfer_batch_id", "b")).Payouts[0].Amount; got != "1.00" {
		t.Errorf("status tells %v", got)
	}
}
