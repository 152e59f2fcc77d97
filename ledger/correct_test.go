package ledger_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

func TestACorrectionSaysWhatWasAndWhatIs(t *testing.T) {
	was := ledger.Payout{ID: 7, SheetID: "sh1", Row: 3, Ref: "INV-1", Amount: 100_00, VendorName: "Asha", BankAccountNumber: "123456789012", IFSC: "HDFC0001234", BankAccountID: "acct"}
	c := ledger.Corrected{After: ledger.Attempt{Payout: was, Number: 2, WireRef: "INV-1-R2"}, Is: was}
	if got := c.Changes(); got != nil {
		t.Errorf("nothing is changed: %v", got)
	}
	c.Is.Row, c.Is.Amount, c.Is.BankAccountNumber, c.Is.IFSC = 9, 120_50, "123456789099", "HDFC0009999"
	want := []ledger.FieldChange{
		{Column: "bank_account_number", Was: "XXXXXXXX9012", Is: "XXXXXXXX9099"},
		{Column: "ifsc", Was: "HDFC0001234", Is: "HDFC0009999"},
		{Column: "amount", Was: "100.00", Is: "120.50"},
	}
	if diff := cmp.Diff(want, c.Changes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	sends := c.Sends()
	if sends.Amount != 120_50 || sends.BankAccountNumber != "123456789099" || sends.ID != 7 || sends.SheetID != "sh1" || sends.Row != 3 || sends.Ref != "INV-1" || sends.Number != 2 {
		t.Errorf("it sends %+v", sends)
	}
	c.Is.BankAccountNumber = "123466789012"
	if got := c.Changes()[0]; got.Was != "XXXXXXXX9012 (digit 5: 5)" || got.Is != "XXXXXXXX9012 (digit 5: 6)" {
		t.Errorf("two accounts that end alike: %+v", got)
	}
}

func TestOnlyWhatWasSurelyNotPaidIsCorrected(t *testing.T) {
	for _, state := range ledger.PayoutStates {
		for _, batch := range ledger.BatchStates {
			rec := sent(1, state, batch)
			why := ledger.Correctable{After: rec.Attempt, Records: []ledger.AttemptRecord{rec}}.Uncorrectable()
			if (why == nil) != state.Retryable() || why != nil && (why.Words == "" || why.Fix == "") {
				t.Errorf("%s in a batch that is %s: %+v", state, batch, why)
			}
			giveUp := state.Awaited() && (batch == ledger.BatchPlanned || batch == ledger.BatchHeld || batch == ledger.BatchQuarantined)
			if why != nil && (why.GiveUp != "") != giveUp {
				t.Errorf("%s in a batch that is %s: give up %q first", state, batch, why.GiveUp)
			}
		}
	}
	debited := named(sent(1, "failed", ledger.BatchSettled), line(true, 101_39, "2025-11-03"))
	if why := (ledger.Correctable{After: debited.Attempt, Records: []ledger.AttemptRecord{debited}}).Uncorrectable(); why == nil || !strings.Contains(why.Words, "locked (debited)") {
		t.Errorf("failed, and debited: %+v", why)
	}
}

// The story of a payout leaves out the events of its batch that are about another payout. Only a correction is
// about one payout: a row that was brought back has an event of its sheet, and of no batch.
func TestAnEventOfABatchIsAboutAnotherPayout(t *testing.T) {
	of := ledger.Corrected{After: ledger.Attempt{Payout: ledger.Payout{ID: 7, Ref: "INV-1"}, Number: 1}}.Event("prx", ledger.Sheet{ID: "sh2"})
	if of.OfAnother("INV-1") || !of.OfAnother("INV-2") {
		t.Errorf("%+v", of)
	}
	if e := (ledger.Event{Kind: ledger.EventObserved, BatchID: "prx", Detail: `{"ref":"INV-1"}`}); e.OfAnother("INV-2") {
		t.Errorf("%+v", e)
	}
	if e := (ledger.Sheet{ID: "sh2"}).OriginEvent(&ledger.Payout{Ref: "INV-1"}, ledger.RowOrigin{SheetID: "sh1", Row: 3}); e.BatchID != "" {
		t.Errorf("%+v", e)
	}
}
