package validate

import (
	"context"
	"fmt"
	"time"

	"payrun/ledger"
)

// PaidHistory is what a History may know besides: who was paid how much
// lately. Without it, or with Options.RecentSince zero, nothing is asked. A
// History that is a ledger.Payees, whose names are folded by FoldName, is also
// asked what is unusual for a payee.
type PaidHistory interface {
	// PaidSince is ledger.Payees' own.
	PaidSince(ctx context.Context, payees []ledger.Payee, since time.Time, told bool) (map[ledger.Payee]ledger.ReferenceUse, error)
}

// past is what is asked of History, and what it said of references: held back,
// for when the whole sheet was loaded before one finding says it all.
type past struct {
	history History
	paid    PaidHistory   // nil when it is not asked
	payees  ledger.Payees // nil when it is not asked
	since   time.Time
	used    findings

	asked []ledger.Payee        // room for a chunk
	named []ledger.NamedAccount // room for a chunk
}

func newPast(h History, since time.Time) past {
	p := past{history: h, since: since}
	p.payees, _ = h.(ledger.Payees)
	if !since.IsZero() {
		p.paid, _ = h.(PaidHistory)
	}
	return p
}

// anybody reports whether there may be anything to ask about payees.
func (p *past) anybody(ctx context.Context) (bool, error) {
	if p.payees == nil {
		return p.paid != nil, nil
	}
	some, err := p.payees.Anybody(ctx)
	return some, asking("payees", err)
}

// about collects the payees of a chunk to look up.
func (p *past) about(rows []candidate) {
	p.asked, p.named = p.asked[:0], p.named[:0]
	for i := range rows {
		if rows[i].accepted {
			p.asked = append(p.asked, payeeOf(rows[i].payout))
			p.named = append(p.named, namedOf(rows[i].payout))
		}
	}
}

// lockedLike asks for locked payouts to the same payees.
func (p *past) lockedLike(ctx context.Context) (map[ledger.Payee][]ledger.Lock, error) {
	if p.payees == nil {
		return nil, nil
	}
	locked, err := p.payees.LockedLike(ctx, p.asked)
	return locked, asking("locked payouts", err)
}

// paidRecently looks up payees that got the same amount lately, with the payout if the finding names
// it.
func (p *past) paidRecently(ctx context.Context, told bool) (map[ledger.Payee]ledger.ReferenceUse, error) {
	if p.paid == nil {
		return nil, nil
	}
	paid, err := p.paid.PaidSince(ctx, p.asked, p.since, told)
	return paid, asking("recent payees", err)
}

func asking(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("asking for %s: %w", what, err)
}
