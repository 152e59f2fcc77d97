package ledger

import (
	"fmt"
	"slices"
	"strings"
)

// Corrected is a correction (contract.md, "Sheets", --correct): the next attempt of a payout
// that was certainly not paid sends what a row of a later sheet says. The payout itself never
// changes. An attempt sends its Payout: that of the sheet, or the latest correction.
type Corrected struct {
	After Attempt // the latest attempt of the payout, with what it sent
	Is    Payout  // what the row says; ID, SheetID and Ref are the payout's, Row is that of the correcting sheet
	// Priority and LikeLocked are those of the row, as in KeyedPayout.
	Priority   int
	LikeLocked bool
}

// SheetCorrection is a batch of payouts of one sheet, corrected by another sheet.
type SheetCorrection struct {
	Of, By  string // the ids of the two sheets
	BatchID string
}

// Sends returns the attempt with the correction applied. The batch is planned from it.
func (c Corrected) Sends() Attempt {
	a := c.After
	is := c.Is
	is.ID, is.SheetID, is.Row, is.Ref = a.ID, a.SheetID, a.Row, a.Ref
	a.Payout = is
	return a
}

// FieldChange is one field that a correction changes. Account numbers are masked, but the two
// stay distinguishable.
type FieldChange struct {
	Column string `json:"column"` // by its canonical name
	Was    string `json:"was"`
	Is     string `json:"is"`
}

// Changes lists the differences between the attempt and the row, in the order of the columns.
// It is empty if the row only asks for a retry.
func (c Corrected) Changes() []FieldChange { return ChangesOf(&c.After.Payout, &c.Is) }

// ChangesOf lists the differences between what two attempts of a payout send.
func ChangesOf(was, is *Payout) []FieldChange {
	var list []FieldChange
	add := func(column, before, after string) {
		if before != after {
			list = append(list, FieldChange{column, before, after})
		}
	}
	add("vendor_name", was.VendorName, is.VendorName)
	if was.BankAccountNumber != is.BankAccountNumber {
		before, after := maskApart(was.BankAccountNumber, is.BankAccountNumber)
		list = append(list, FieldChange{"bank_account_number", before, after})
	}
	add("ifsc", was.IFSC, is.IFSC)
	add("amount", was.Amount.String(), is.Amount.String())
	add("remarks", was.Remarks, is.Remarks)
	add("open_beneficiary_id", was.OpenBeneficiaryID, is.OpenBeneficiaryID)
	add("bank_account_id", was.BankAccountID, is.BankAccountID)
	add("transaction_type_id", was.TransactionTypeID, is.TransactionTypeID)
	add("bene_lei", was.BeneLEI, is.BeneLEI)
	add("sub_merchant_id", was.SubMerchantID, is.SubMerchantID)
	return list
}

// ChangeWords describes the changes in words; "" for none.
func ChangeWords(changes []FieldChange) string {
	return strings.Join(ListOf(changes, func(f FieldChange) string { return fmt.Sprintf("%s %q → %q", f.Column, f.Was, f.Is) }), ", ")
}

// maskApart masks two account numbers that differ. If they look the same masked, it adds the
// digit that differs: a person cannot approve a change they cannot see.
func maskApart(was, is string) (string, string) {
	before, after := Mask(was), Mask(is)
	if before != after {
		return before, after
	}
	a, b := []rune(was), []rune(is)
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%s (digit %d: %c)", before, i+1, a[i]), fmt.Sprintf("%s (digit %d: %c)", after, i+1, b[i])
		}
	}
	return before, after
}

// Correctable is the record of a payout that a row wants to correct.
type Correctable struct {
	After   Attempt // its latest attempt
	Records []AttemptRecord
}

// Uncorrectable says why a payout is not corrected.
type Uncorrectable struct {
	Words, Fix string
	// GiveUp is the batch that has to be abandoned first; "" if that would not help.
	GiveUp string
}

// Uncorrectable returns why the payout may not be corrected; nil if it may. The payout must
// certainly not be paid: final, and not locked (contract.md, "--correct").
func (c Correctable) Uncorrectable() *Uncorrectable {
	locks := Locks(c.Records)
	switch {
	case slices.ContainsFunc(c.Records, func(r AttemptRecord) bool { return r.State == PayoutSuccess }):
		return &Uncorrectable{Words: "the payout is paid", Fix: "Delete the row."}
	case len(locks) > 0 && locks[0].Kind == LockInFlight:
		l := locks[0]
		switch l.BatchState {
		case BatchPlanned, BatchHeld, BatchQuarantined:
			return &Uncorrectable{Words: "the payout is not over: " + l.Saw(), Fix: "Cancel that batch with `payrun abandon`, then load the sheet again.", GiveUp: l.BatchID}
		}
		return &Uncorrectable{Words: "the payout is not over: " + l.Saw(), Fix: l.Ends()}
	case len(locks) > 0:
		return &Uncorrectable{Words: fmt.Sprintf("the payout is %s and locked (%s): %s", c.After.State, locks[0].Kind, locks[0].Saw()), Fix: locks[0].Ends()}
	case !c.After.State.Retryable():
		return &Uncorrectable{Words: "the payout is " + string(c.After.State) + ", and may be paid"}
	}
	return nil
}

// Event returns the audit event of the correction, which batch batchID sends and sheet by brought.
func (c Corrected) Event(batchID string, by Sheet) Event {
	digest := CorrectionDigest(c.After.ID, c.After.Number+1, by.ID, &c.Is)
	return Event{At: by.LoadedAt, Actor: by.LoadedBy, Kind: EventCorrected, SheetID: by.ID, BatchID: batchID, Digest: digest.String(),
		Detail: jsonText(rowNote{Ref: c.After.Ref, Row: c.Is.Row, Changes: c.Changes()})}
}
