package validate

import (
	"context"
	"fmt"
	"time"

	"payrun/ledger"
	"payrun/validate/visible"
)

// PaidHistory is what a History may know besides: who was paid how much
// lately. Without it, or with Options.RecentSince zero, nothing is asked.
type PaidHistory interface {
	// PaidSince tells which of these payees got the same amount by a payout of
	// a sheet loaded at or after since, and by which. A payee that has no such
	// payout is not in the map.
	PaidSince(ctx context.Context, payees []ledger.Payee, since time.Time) (map[ledger.Payee]ledger.ReferenceUse, error)
}

// PayeeHistory is what a History may know besides: what is usual for a payee.
type PayeeHistory interface {
	// NewAccounts tells which of these names were paid before, though never
	// at this account, and where instead. What makes two names one is for the
	// history to say.
	NewAccounts(ctx context.Context, named []ledger.NamedAccount) (map[ledger.NamedAccount]ledger.KnownPayee, error)
	// FarAbove tells which of these payees get at least factor times the
	// median of what their account was paid before, by at least least payouts.
	FarAbove(ctx context.Context, payees []ledger.Payee, factor ledger.Paise, least int) (map[ledger.Payee]ledger.PaymentPattern, error)
}

const (
	// unusualFactor times the median is where an amount is unusual: a point
	// that was left out makes a hundred of it, a zero too many ten.
	unusualFactor = 10
	// unusualLeast is how many earlier payouts make something usual.
	unusualLeast = 5
)

// past is what is asked of History, and what it said of references: held back,
// for when the whole sheet was loaded before one finding says it all.
type past struct {
	history History
	paid    PaidHistory  // nil when it is not asked
	payees  PayeeHistory // nil when it is not asked
	since   time.Time
	used    findings

	asked []ledger.Payee        // room for a chunk
	named []ledger.NamedAccount // likewise
}

func newPast(h History, since time.Time) past {
	p := past{history: h, since: since}
	p.payees, _ = h.(PayeeHistory)
	if !since.IsZero() {
		p.paid, _ = h.(PaidHistory)
	}
	return p
}

// askPayees warns of payouts that look like one made lately under another
// reference, and of what is unusual for their payee.
func (c *check) askPayees(ctx context.Context, rows []candidate) error {
	if c.past.paid == nil && c.past.payees == nil {
		return nil
	}
	payees := c.past.asked[:0]
	for i := range rows {
		if rows[i].accepted {
			payees = append(payees, payeeOf(rows[i].payout))
		}
	}
	c.past.asked = payees
	if len(payees) == 0 {
		return nil
	}
	paid, known, usual, err := c.past.tell(ctx, payees, rows)
	if err != nil || len(paid)+len(known)+len(usual) == 0 {
		return err
	}
	for i := range rows {
		r := &rows[i]
		if !r.accepted {
			continue
		}
		payee := payeeOf(r.payout)
		if use, ok := paid[payee]; ok {
			c.warn(r, colAmount, codePayeePaid, r.payout.Amount.String(), "the same payee was paid the same amount recently: "+payoutWords(use))
		}
		if k, ok := known[namedOf(r.payout)]; ok {
			c.warn(r, accountColumn(payee.Account), codePayeeNewAccount, maskedAccount(payee.Account), c.knownWords(r.payout.VendorName, payee.Account, k))
		}
		if u, ok := usual[payee]; ok {
			c.warn(r, colAmount, codeAmountUnusual, r.payout.Amount.String(), usualWords(payee.Amount, u))
		}
	}
	return nil
}

// tell asks everything about the payees of a chunk.
func (p *past) tell(ctx context.Context, payees []ledger.Payee, rows []candidate) (
	paid map[ledger.Payee]ledger.ReferenceUse, known map[ledger.NamedAccount]ledger.KnownPayee, usual map[ledger.Payee]ledger.PaymentPattern, err error,
) {
	if p.paid != nil {
		if paid, err = p.paid.PaidSince(ctx, payees, p.since); err != nil {
			return nil, nil, nil, fmt.Errorf("asking for recent payees: %w", err)
		}
	}
	if p.payees == nil {
		return paid, nil, nil, nil
	}
	named := p.named[:0]
	for i := range rows {
		if rows[i].accepted {
			named = append(named, namedOf(rows[i].payout))
		}
	}
	p.named = named
	if known, err = p.payees.NewAccounts(ctx, named); err != nil {
		return nil, nil, nil, fmt.Errorf("asking for known payees: %w", err)
	}
	if usual, err = p.payees.FarAbove(ctx, payees, unusualFactor, unusualLeast); err != nil {
		return nil, nil, nil, fmt.Errorf("asking for usual amounts: %w", err)
	}
	return paid, known, usual, nil
}

// warn reports something about an accepted row, which --strict refuses.
func (c *check) warn(r *candidate, col column, code, value, message string) {
	severity := c.found.add(ledger.Finding{
		Row: r.payout.Row, Column: col.String(), Ref: r.payout.Ref, Code: code, Value: value, Message: message,
	})
	if severity == ledger.SeverityError {
		c.reject(r)
	}
}

func payeeOf(p *ledger.Payout) ledger.Payee {
	return ledger.Payee{Account: p.AccountOf(), Amount: p.Amount}
}

func namedOf(p *ledger.Payout) ledger.NamedAccount {
	return ledger.NamedAccount{VendorName: p.VendorName, Account: p.AccountOf()}
}

// accountColumn is where the sheet says where the money goes.
func accountColumn(a ledger.Account) column {
	if a.BankAccountNumber == "" {
		return colBeneficiary
	}
	return colAccount
}

// maskedAccount names an account without telling its number.
func maskedAccount(a ledger.Account) string {
	if a.BankAccountNumber == "" {
		return a.OpenBeneficiaryID
	}
	return ledger.Mask(a.BankAccountNumber)
}

// accountWords names an account with its branch.
func (c *check) accountWords(a ledger.Account) string {
	words := maskedAccount(a)
	if a.IFSC != "" {
		words += " at " + c.branches.Words(a.IFSC)
	}
	return words
}

func (c *check) knownWords(name string, now ledger.Account, k ledger.KnownPayee) string {
	before := "the account " + c.accountWords(k.Account)
	if k.Accounts > 1 {
		before = fmt.Sprintf("%d other accounts, the latest of them %s", k.Accounts, c.accountWords(k.Account))
	}
	return fmt.Sprintf("%q was paid before, but never at %s: always at %s, first by %s",
		visible.Shorten(name), c.accountWords(now), before, payoutWords(k.Use))
}

func usualWords(amount ledger.Paise, u ledger.PaymentPattern) string {
	return fmt.Sprintf("%s is %d times %s, the median of %d earlier payouts to this account, the latest of them %s",
		amount.Indian(), amount/u.Median, u.Median.Indian(), u.Payouts, payoutWords(u.Last))
}

// payoutWords names an earlier payout, and how it stands where that is known.
func payoutWords(u ledger.ReferenceUse) string {
	words := fmt.Sprintf("reference %q, %s", visible.Shorten(u.Ref), useWords(u))
	if u.State != "" {
		words += ", now " + string(u.State)
	}
	return words
}
