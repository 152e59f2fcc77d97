package ledger

import (
	"cmp"
	"fmt"
	"strings"
)

// Corrected is a further attempt of a payout that was surely not paid, with what
// a row of a later sheet now says: a correction (contract.md, "Sheets",
// --correct). The payout itself never changes. What an attempt sends is the
// Payout in it: that of its sheet, or what it was last corrected to.
type Corrected struct {
	After Attempt // the latest attempt of the payout, with what that one sent
	Is    Payout  // what the row says; ID, SheetID and Ref are the payout's, Row that of the correcting sheet
	// Priority is that of the row, as KeyedPayout has it.
	Priority int
}

// Sends is the attempt as it would be with the correction: what the batch is
// planned by.
func (c Corrected) Sends() Attempt {
	a := c.After
	is := c.Is
	is.ID, is.SheetID, is.Row, is.Ref = a.ID, a.SheetID, a.Row, a.Ref
	a.Payout = is
	return a
}

// FieldChange is one thing that a correction changes. Account numbers are masked,
// but so far that the two can be told apart.
type FieldChange struct {
	Column string `json:"column"` // by its canonical name
	Was    string `json:"was"`
	Is     string `json:"is"`
}

// Changes lists what differs between what an attempt sent and what a row says, in
// the order of the columns; nothing where the row only asks for a retry.
func (c Corrected) Changes() []FieldChange { return ChangesOf(&c.After.Payout, &c.Is) }

// ChangesOf lists what differs between what two attempts of a payout send.
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

// ChangeWords says in words what is changed; "" for nothing.
func ChangeWords(changes []FieldChange) string {
	parts := make([]string, len(changes))
	for i, f := range changes {
		parts[i] = fmt.Sprintf("%s %q → %q", f.Column, f.Was, f.Is)
	}
	return strings.Join(parts, ", ")
}

// maskApart masks two account numbers that differ. Where their last four digits do
// not, it says which digit does: nobody can approve a change that nobody can see.
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

// Correctable is how a payout stands that a row wants to correct.
type Correctable struct {
	After Attempt   // its latest attempt
	All   []Attempt // every one, as far as its number and state tell
	Under []Batch   // of each of these
}

// Uncorrectable says why a payout is not corrected.
type Uncorrectable struct {
	Words, Fix string
	// GiveUp is the batch that has to be given up first; "" where that is not what
	// stands in the way.
	GiveUp string
}

// Uncorrectable returns why the payout may not be corrected, in the words of its
// state; nil where it may.
func (c Correctable) Uncorrectable() *Uncorrectable {
	if MayCorrect(c.After, c.Under...) == nil {
		for _, a := range c.All {
			if !a.State.Retryable() {
				return &Uncorrectable{Words: fmt.Sprintf("an earlier attempt of the payout is %s, and may have paid", a.State)}
			}
		}
		return nil
	}
	standing, asks := string(c.After.State), NeedsNothing
	for _, b := range c.Under {
		if b.ID == c.After.BatchID {
			asks = c.After.Asks(b)
		}
	}
	if c.After.State.Retryable() { // its batch, or that of an earlier attempt, is what stands in the way
		for _, b := range c.Under {
			if b.uncertain() {
				standing, asks = fmt.Sprintf("%s, but its batch %s is %s", standing, b.ID, b.State), b.Asks()
			}
		}
	}
	switch row, ok := asks.Row(); {
	case c.After.State == PayoutSuccess:
		return &Uncorrectable{Words: "the payout is paid", Fix: "Delete the row."}
	case c.After.State == PayoutPlanned || asks == OTPWaiting || asks == OTPLate || asks == OTPSpent:
		return &Uncorrectable{Words: fmt.Sprintf("the payout is not over: it is %s in batch %s", standing, c.After.BatchID),
			Fix: "Give that batch up with `payrun abandon`, then load the sheet again.", GiveUp: c.After.BatchID}
	case ok && row.Why != "":
		return &Uncorrectable{Words: fmt.Sprintf("the payout is %s: %s", standing, row.Why), Fix: row.Do}
	}
	return &Uncorrectable{Words: "the payout is " + standing + ", and may be paid"}
}

// uncertain: what the batch may have done at the bank is not known for sure.
func (b Batch) uncertain() bool {
	switch b.State {
	case BatchQuarantined, BatchSetAside, BatchInitiating, BatchInitiateUnknown, BatchSubmitting, BatchSubmitUnknown:
		return true
	}
	return false
}

// MayCorrect reports why a payout cannot be corrected, whose latest attempt is a
// and whose attempts were in the batches under: it has to be surely not paid
// (contract.md, "--correct"). ErrConflict.
func MayCorrect(a Attempt, under ...Batch) error {
	if !a.State.Retryable() {
		return fmt.Errorf("%w: payout %q is %s", ErrConflict, a.Ref, a.State)
	}
	for _, b := range under {
		if b.uncertain() {
			return fmt.Errorf("%w: batch %s of payout %q is %s", ErrConflict, b.ID, a.Ref, b.State)
		}
	}
	return nil
}

// Event is what the audit trail says of the correction, which goes out in that
// batch and came with that sheet.
func (c Corrected) Event(batchID string, by Sheet) Event {
	what := cmp.Or(ChangeWords(c.Changes()), "nothing is changed")
	digest := CorrectionDigest(c.After.ID, c.After.Number+1, by.ID, &c.Is)
	return Event{At: by.LoadedAt, Actor: by.LoadedBy, Kind: EventCorrected, SheetID: by.ID, BatchID: batchID, Digest: digest.String(),
		Detail: fmt.Sprintf("%s: row %d: %s", c.After.Ref, c.Is.Row, what)}
}
