package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"payrun/ledger"
)

func (f *facts) Payouts(ctx context.Context) iter.Seq2[*ledger.PayoutFacts, error] {
	return stream(func(give func(*ledger.PayoutFacts) error) error { return f.payouts(ctx, give) })
}

const (
	factsOfPayouts = `SELECT id, sheet_no, route_no, amount, ref, ref_key, bene_lei, ifnull(open_beneficiary_id, '') <> '',
		vendor_name <> '' AND bank_account_number <> '' AND ifsc <> '' FROM payouts ORDER BY id`
	factsOfAttempts = `SELECT payout_id, number, batch_no, state, wire_ref FROM attempts ORDER BY payout_id, number`
	factsOfPermits  = `SELECT payout_id, number, batch_no FROM further_attempts ORDER BY payout_id, number`
	// Seen.Add, where the rows are: they need not come out one by one.
	factsOfAnswers = `SELECT payout_id, number, count(*), max(seq), sum(status = ?1), sum(status = ?2), sum(bank_status_code = ?3)
		FROM observations GROUP BY payout_id, number ORDER BY payout_id, number`
)

// payoutJoin is the payouts and what is recorded of them, each in the order of
// loading.
type payoutJoin struct {
	f                                   *facts
	routes                              map[int64]ledger.Route
	payouts, attempts, permits, answers *cursor
	places                              *places
}

func (f *facts) payouts(ctx context.Context, give func(*ledger.PayoutFacts) error) (err error) {
	j := &payoutJoin{f: f}
	if j.routes, err = f.routes(ctx); err != nil {
		return err
	}
	var open cursors
	defer func() { err = errors.Join(err, open.close()) }()
	if j.places, err = f.newPlaces(ctx, &open); err != nil {
		return err
	}
	for _, q := range []struct {
		c     **cursor
		query string
		args  []any
	}{
		{&j.payouts, factsOfPayouts, nil}, {&j.attempts, factsOfAttempts, nil}, {&j.permits, factsOfPermits, nil},
		{&j.answers, factsOfAnswers, []any{ledger.StatusSuccess, ledger.StatusFailed, ledger.CodeReturned}},
	} {
		if *q.c, err = open.add(ctx, f.conn, q.query, q.args...); err != nil {
			return err
		}
	}
	var p ledger.PayoutFacts
	for ; j.payouts.more && !open.failed(); j.payouts.next() {
		j.payout(ctx, &p)
		if err := give(&p); err != nil {
			return err
		}
	}
	return nil
}

// payout reads the payout that the cursor stands at, and what is of it.
func (j *payoutJoin) payout(ctx context.Context, p *ledger.PayoutFacts) {
	c := j.payouts
	p.ID, p.SheetNo, p.Route, p.Amount = c.int(0), c.int(1), j.routes[c.int(2)], ledger.Paise(c.int(3))
	p.Ref, p.Key, p.BeneLEI = c.text(4), c.text(5), c.text(6)
	p.HasBeneficiaryID, p.HasPayee = c.bool(7), c.bool(8)
	if p.Key == "" {
		p.Key = asciiLower(p.Ref)
	}
	p.Attempts = p.Attempts[:0]
	for ; j.attempts.standsAt(p.ID); j.attempts.next() {
		p.Attempts = append(p.Attempts, j.attempt(p))
	}
	for _, at := range j.places.of(p.ID) {
		j.place(ctx, p, at)
	}
	for ; j.permits.standsAt(p.ID); j.permits.next() {
		number, batch := int(j.permits.int(1)), j.permits.int(2)
		if !slices.ContainsFunc(p.Attempts, func(a ledger.AttemptFacts) bool { return a.Number == number && a.BatchNo == batch }) {
			j.f.report(6, attemptsKept, fmt.Sprintf("attempt %d of payout %d has a permit and does not exist", number, p.ID))
		}
	}
}

// attempt reads the attempt that the cursor stands at, and what was seen of it.
func (j *payoutJoin) attempt(p *ledger.PayoutFacts) ledger.AttemptFacts {
	c, o := j.attempts, j.answers
	a := ledger.AttemptFacts{Number: int(c.int(1)), BatchNo: c.int(2), State: ledger.PayoutState(c.text(3)), WireRef: c.text(4)}
	if a.WireRef == "" {
		a.WireRef = p.Ref
	}
	for o.standsAt(p.ID) && int(o.int(1)) < a.Number {
		o.next()
	}
	if o.standsAt(p.ID) && int(o.int(1)) == a.Number {
		a.Seen = ledger.Seen{Count: int(o.int(2)), Last: int(o.int(3)), Success: int(o.int(4)), Failed: int(o.int(5)), Returned: int(o.int(6))}
		o.next()
	}
	return a
}

// place holds a payout against a batch that a sheet put it into: its first
// attempt is a row there, or is yet to be made.
func (j *payoutJoin) place(ctx context.Context, p *ledger.PayoutFacts, at placing) {
	if !at.made {
		p.Attempts = append(p.Attempts, ledger.AttemptFacts{Number: 1, BatchNo: at.batch, State: ledger.PayoutPlanned, WireRef: p.Ref})
		if len(p.Attempts) > 1 {
			slices.SortStableFunc(p.Attempts, func(a, b ledger.AttemptFacts) int { return cmp.Compare(a.Number, b.Number) })
		}
		return
	}
	if !slices.ContainsFunc(p.Attempts, func(a ledger.AttemptFacts) bool { return a.Number == 1 && a.BatchNo == at.batch }) {
		j.f.report(6, attemptsKept, fmt.Sprintf("batch %s lost the first attempt of payout %d", j.f.name(ctx, at.batch), p.ID))
	}
}

// asciiLower is lower() of SQLite, which is how ref_key is left out.
func asciiLower(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return 'A' <= r && r <= 'Z' }) < 0 {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
