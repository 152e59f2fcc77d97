package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var listings = []Check{
	{"what the bank listed is kept, and replaced by what it lists next", listingsAreKept},
}

func accountsListed(at time.Time, whole bool, list ...ledger.LinkedAccount) ledger.BankListing {
	return ledger.BankListing{List: ledger.ListOfAccounts, Whole: whole, At: at, Actor: asha, Accounts: list}
}

func linked(id, status string, bank int) ledger.LinkedAccount {
	return ledger.LinkedAccount{BankAccountID: id, Status: status, PartnerBankID: bank, AccountNumber: "XXXX0003", IFSC: "SBOX0000003", AccountName: "Sample", Identifier: "one"}
}

func beneficiariesListed(at time.Time, account string, list ...ledger.Beneficiary) ledger.BankListing {
	return ledger.BankListing{List: ledger.ListOfBeneficiaries, SubMerchantID: "sm", BankAccountID: account, Whole: true, At: at, Actor: ravi, Beneficiaries: list}
}

func beneficiaryOf(account, id string) ledger.Beneficiary {
	return ledger.Beneficiary{BankAccountID: account, OpenBeneficiaryID: id, BankBeneficiaryID: "BB1", VendorName: "Rao ₹", BankAccountNumber: "123456789012",
		IFSC: "HDFC0001234", Status: ledger.BeneficiaryActive}
}

func listingsAreKept(t testing.TB, o Opener) {
	d := begin(t, o)
	want := d.world()
	for i, b := range []ledger.BankListing{
		accountsListed(minute(1), false, linked("A1", "active", 3)),
		accountsListed(minute(2), true, linked("A2", "active", 3), linked("A3", "token_expired", 12)),
		beneficiariesListed(minute(3), "", beneficiaryOf("A3", "B1"), beneficiaryOf("A4", "B1")),
		beneficiariesListed(minute(4), "A3", beneficiaryOf("A3", "B2")),
		accountsListed(minute(5), false, linked("a2", "token_expired", 3)),
		accountsListed(minute(6), true),
	} {
		d.must(d.KeepListing(d.ctx, b))
		want.BankLists = want.BankLists.With(b)
		want.event(b.Event(want.BankLists.Digest()))
		d.is(want, "listing %d", i+1)
		got, err := d.BankLists(d.ctx)
		if diff := cmp.Diff(want.BankLists, got); diff != "" || err != nil {
			d.Errorf("listing %d: %v\n%s", i+1, err, diff)
		}
	}
	d.reopen()
	d.whole()
}
