package validate

import (
	"context"
	"fmt"
	"slices"

	"payrun/ledger"
)

// correction is a row that corrects a payout. It is valid only while no other row has its reference.
type correction struct {
	ledger.Corrected
	entry refEntry
}

// askCorrections treats each row as a correction of the payout that it names. It refuses rows that name no
// payout, or one that may be paid (contract.md, --correct).
func (c *check) askCorrections(ctx context.Context, rows []candidate) error {
	var found map[string]ledger.Correctable
	if c.past != nil {
		var err error
		if found, err = c.past.Correctable(ctx, c.pending.keys); err != nil {
			return fmt.Errorf("asking for payouts to correct: %w", err)
		}
	}
	for i := range rows {
		r := &rows[i]
		now, known := found[r.Key]
		switch why := now.Uncorrectable(); {
		case !c.o.Correct && !r.own:
		case r.leftOut, !r.accepted && r.cameFrom > 0: // a new payout, or a row that its origin already refused
		case !known:
			c.refuseReference(r, codeCorrectUnknown, "no payout of this ledger has this reference", "")
		case why != nil:
			c.refuseReference(r, codeCorrectMayBePaid, why.Words, why.Fix)
			if why.GiveUp != "" && !slices.Contains(c.GiveUp, why.GiveUp) {
				c.GiveUp = append(c.GiveUp, why.GiveUp)
			}
		case r.accepted:
			c.correct(r, now.After)
		}
	}
	return nil
}

// refuseReference refuses a row because of what history knows about its reference.
func (c *check) refuseReference(r *candidate, code, message, fix string) {
	c.used.add(ledger.Finding{
		Row: r.Row, Column: colReference.String(), Ref: r.Ref, Code: code, Value: r.Ref, Message: message, Fix: fix,
	})
	c.reject(r)
}

// correct turns the row into the payout's next attempt. A field whose column is missing in the sheet keeps its
// value.
func (c *check) correct(r *candidate, after ledger.Attempt) {
	p := &r.Payout
	p.ID, p.SheetID, p.Ref = after.ID, after.SheetID, after.Ref
	for col, field := range map[column][2]*string{
		colRemarks: {&p.Remarks, &after.Remarks}, colLEI: {&p.BeneLEI, &after.BeneLEI}, colTransactionType: {&p.TransactionTypeID, &after.TransactionTypeID},
	} {
		if !c.layout.has(col) {
			*field[0] = *field[1]
		}
	}
	c.keepAccount(p, after)
	if account := c.reader.debits.find(p.BankAccountID); account != nil && account.Rules().NeedsLEI(p.Amount) && p.BeneLEI == "" {
		c.refuseReference(r, codeLEIMissing, fmt.Sprintf("a payout of %s or more from partner bank %d needs the payee's LEI", account.Rules().LEILine, account.PartnerBankID), "")
		return
	}
	r.corrects = &correction{ledger.Corrected{After: after, Is: *p, Priority: r.Priority}, r.entry}
	if len(r.corrects.Changes()) == 0 {
		c.found.add(ledger.Finding{Row: p.Row, Ref: p.Ref, Code: codeCorrectNothing, Message: "the row says what was sent before: it is a retry"})
	}
}

// keepAccount keeps the payout's debit account if neither the sheet nor the person names one and the same rules
// applied to the row.
func (c *check) keepAccount(p *ledger.Payout, after ledger.Attempt) {
	if c.layout.has(colDebitAccount) || c.o.Account != "" {
		return
	}
	had, read := c.reader.debits.find(after.BankAccountID), c.reader.debits.find(p.BankAccountID)
	if had == nil || read == nil || had.Rules().NeedsBeneficiaryID != read.Rules().NeedsBeneficiaryID {
		return
	}
	p.BankAccountID = after.BankAccountID
	if !c.layout.has(colSubMerchant) {
		p.SubMerchantID = after.SubMerchantID
	}
}

// corrected returns the valid corrections and their sum.
func (c *check) corrected() (list []ledger.Corrected, sum ledger.Tally) {
	for _, one := range c.corrections {
		if c.index.group(one.entry) != noGroup {
			continue
		}
		list = append(list, one.Corrected)
		sum.Add(one.Is.Amount) // part of the sheet's own total, so it cannot overflow
	}
	return list, sum
}
