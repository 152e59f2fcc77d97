package validate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"payrun/ingest/visible"
	"payrun/ledger"
)

// askPayees warns of payouts that look like a recent one under another reference, and of what is unusual for
// their payee.
func (c *check) askPayees(ctx context.Context, rows []candidate) error {
	if c.payees == nil {
		return nil
	}
	if some, err := c.payees.Some(ctx); err != nil || !some {
		return asking("earlier payees", err)
	}
	asked, named := c.pending.payees[:0], c.pending.named[:0]
	for i := range rows {
		if rows[i].accepted {
			asked, named = append(asked, rows[i].Payout.Payee()), append(named, namedOf(&rows[i].Payout))
		}
	}
	if c.pending.payees, c.pending.named = asked, named; len(asked) == 0 {
		return nil
	}
	// Naming each earlier payout costs a read. If a whole sheet is paid again, the first few names show which
	// payouts.
	withUse := c.paidEarlier < namedPaid && !c.found.full() || slices.ContainsFunc(rows, func(r candidate) bool { return r.corrects != nil })
	var paid map[ledger.Payee]ledger.ReferenceUse
	var err1 error
	if !c.o.RecentSince.IsZero() {
		paid, err1 = c.payees.PaidSince(ctx, asked, c.o.RecentSince, withUse)
	}
	known, err2 := newAccounts(ctx, c.payees, named)
	above, err3 := farAbove(ctx, c.payees, asked)
	locked, err4 := c.payees.LockedLike(ctx, asked)
	if err := cmp.Or(asking("recent payees", err1), err2, err3, asking("locked payouts", err4)); err != nil || len(paid)+len(known)+len(above)+len(locked) == 0 {
		return err
	}
	for i := range rows {
		r := &rows[i]
		if !r.accepted {
			continue
		}
		payee := r.Payout.Payee()
		if use, ok := paid[payee]; ok && (r.corrects == nil || use.Ref != r.Ref) { // not for the corrected payout itself
			words := "a payout of the same amount to the same payee was loaded recently, or is still with the bank"
			if withUse {
				words += ": " + c.payoutWords(use)
				c.paidEarlier++
			} else {
				words += fmt.Sprintf("; the payout is named for the first %d such rows or more", namedPaid)
			}
			c.warn(r, colAmount, codePayeePaid, r.Amount.String(), words)
		}
		if locks := locked[payee]; len(locks) > 0 {
			r.LikeLocked = true
			l := locks[0]
			c.warn(r, colAmount, codeLikeLocked, r.Amount.String(),
				fmt.Sprintf("%q has the same account and amount, and is locked as %s: %s", visible.Shorten(l.Ref), l.Kind, l.Saw()))
		}
		if k, ok := known[namedOf(&r.Payout)]; ok {
			c.warn(r, accountColumn(payee.Account), codePayeeNewAccount, payee.Masked(), c.knownWords(r.VendorName, payee.Account, k))
		}
		if pattern, ok := above[payee]; ok {
			c.warn(r, colAmount, codeAmountUnusual, r.Amount.String(), c.patternWords(payee.Amount, pattern))
		}
	}
	return nil
}

func asking(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("asking for %s: %w", what, err)
}

// namedPaid is the number of rows of a sheet for which a finding names the earlier payout of the same amount to
// the same payee.
const namedPaid = 1000

// warn adds a warning for an accepted row. With --strict the warning refuses the row.
func (c *check) warn(r *candidate, col column, code, value, message string) {
	severity := c.found.add(ledger.Finding{
		Row: r.Row, Column: col.String(), Ref: r.Ref, Code: code, Value: value, Message: message,
	})
	if severity == ledger.SeverityError {
		c.reject(r)
	}
}

func namedOf(p *ledger.Payout) ledger.NamedAccount {
	return ledger.NamedAccount{VendorName: p.VendorName, Account: p.AccountOf()}
}

// accountColumn returns the column that says where the money goes.
func accountColumn(a ledger.Account) column {
	if a.BankAccountNumber == "" {
		return colBeneficiary
	}
	return colAccount
}

// accountWords names an account with its branch.
func (c *check) accountWords(a ledger.Account) string {
	words := a.Masked()
	if a.IFSC != "" {
		words += " at " + c.branches.Words(a.IFSC)
	}
	return words
}

func (c *check) knownWords(name string, now ledger.Account, k knownPayee) string {
	before := "the account " + c.accountWords(k.Account) + " until now"
	if k.accounts > 1 {
		before = fmt.Sprintf("%d other accounts, the latest of them %s", k.accounts, c.accountWords(k.Account))
	}
	is := c.accountWords(now)
	if is == c.accountWords(k.Account) {
		is = "another that ends the same"
	}
	return fmt.Sprintf("%q had %s, and now has %s; first by %s", visible.Shorten(name), before, is, c.payoutWords(k.use))
}

func (c *check) patternWords(amount ledger.Paise, p paymentPattern) string {
	return fmt.Sprintf("%s is %d times %s, the median of %d earlier payouts to this account, the latest of them %s",
		amount.Indian(), amount/p.median, p.median.Indian(), p.payouts, c.payoutWords(p.last))
}

// payoutWords names an earlier payout, with its state if known.
func (c *check) payoutWords(u ledger.ReferenceUse) string {
	words := fmt.Sprintf("reference %q, %s", visible.Shorten(u.Ref), c.useWords(u))
	if u.State != "" {
		words += ", now " + ledger.Lowered(u.State.Words())
	}
	return words
}
