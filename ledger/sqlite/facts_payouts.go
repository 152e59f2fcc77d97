package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"payrun/ledger"
)

var (
	factsOfOrigins     = Select{`payout_id, sheet_no, row`, `FROM origins ORDER BY payout_id`, false}
	factsOfPayouts     = Select{`id, sheet_no, route_no, row, ref, ref_key, ` + corrections.columns, `FROM payouts ORDER BY id`, true}
	factsOfAttempts    = Select{`payout_id, number, batch_no, wire_ref, ` + attempts.columns, `FROM attempts ORDER BY payout_id, number`, true}
	factsOfCorrections = Select{`payout_id, number, sheet_no, row, route_no, ` + corrections.columns, `FROM corrections ORDER BY payout_id, number`, false}
	factsOfAnswers     = Select{observations.of("o"), `FROM observations o ORDER BY o.payout_id, o.number, o.seq`, true}
)

// payoutJoin joins the payouts with their records, each in the order of loading.
type payoutJoin struct {
	f                          *reader
	routes                     map[int64]ledger.Route
	payouts, attempts, answers *cursor
	corrections, origins       *cursor
	members                    memberships
	index                      *payeeIndex
	seen                       []ledger.NewObservation // of the current payout

	// The current rows, with the fields that they are read into.
	row                           ledger.Payout
	attempted                     ledger.Attempt
	observed                      ledger.NewObservation
	rowFields, attemptFields, see []any
}

func (f *reader) Payouts(ctx context.Context, give func(*ledger.PayoutFacts) error) (err error) {
	j := &payoutJoin{f: f}
	j.rowFields, j.attemptFields, j.see = corrections.fields(&j.row), attempts.fields(&j.attempted), observations.fields(&j.observed)
	if j.routes, err = routesOf(ctx, f.r); err != nil {
		return err
	}
	if j.index, err = payeeIndexOf(ctx, f.r); err != nil {
		return err
	}
	open, err := walkAll(ctx, f.r, factsOfPayouts, factsOfAttempts, factsOfAnswers, factsOfCorrections, factsOfOrigins)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, open.close()) }()
	j.payouts, j.attempts, j.answers, j.corrections, j.origins = open[0], open[1], open[2], open[3], open[4]
	var p ledger.PayoutFacts
	for ; j.payouts.more && !open.failed(); j.payouts.next() {
		if err := j.payout(ctx, &p); err != nil {
			return err
		}
		j.index.add(&p.Payout)
		if err := give(&p); err != nil {
			return err
		}
	}
	return j.index.compare(ctx, f)
}

// payout reads the payout at the cursor, and its records.
func (j *payoutJoin) payout(ctx context.Context, p *ledger.PayoutFacts) error {
	c := j.payouts
	j.row.ID, j.row.Row, j.row.Ref = c.int(0), int(c.int(3)), c.text(4)
	c.scan(6, j.rowFields)
	send(&j.row, j.routes[c.int(2)])
	p.Payout, p.SheetNo, p.Key = j.row, c.int(1), c.text(5)
	if p.Key == "" {
		p.Key = asciiLower(p.Ref)
	}
	p.Attempts, j.seen = p.Attempts[:0], j.seen[:0]
	for ; j.attempts.at(p.ID); j.attempts.next() {
		p.Attempts = append(p.Attempts, j.attempt(p))
	}
	members, err := j.members.of(ctx, j.f.r, p.SheetNo, p.ID)
	if errors.Is(err, ledger.ErrLedgerDamaged) { // reported once for each sheet
		j.f.report(6, attemptsKept, err.Error())
	} else if err != nil {
		return err
	}
	for _, of := range members {
		j.first(p, of.batch)
	}
	p.From = ledger.OriginFacts{}
	for ; j.origins.at(p.ID); j.origins.next() {
		p.From = ledger.OriginFacts{SheetNo: j.origins.int(1), Row: int(j.origins.int(2))}
	}
	for ; j.corrections.at(p.ID); j.corrections.next() {
		j.corrected(p)
	}
	return nil
}

// attempt reads the attempt at the cursor, and its observations.
func (j *payoutJoin) attempt(p *ledger.PayoutFacts) ledger.AttemptFacts {
	c, o := j.attempts, j.answers
	c.scan(4, j.attemptFields)
	a := ledger.AttemptFacts{BatchNo: c.int(2), Attempt: j.attempted}
	a.Number, a.WireRef = int(c.int(1)), cmp.Or(c.text(3), p.Ref)
	for o.at(p.ID) && int(o.int(1)) < a.Number {
		o.next()
	}
	first := len(j.seen)
	for ; o.at(p.ID) && int(o.int(1)) == a.Number; o.next() {
		o.scan(0, j.see)
		j.seen = append(j.seen, j.observed)
	}
	a.Seen = j.seen[first:len(j.seen):len(j.seen)]
	return a
}

// corrected sets what the attempts send, from a correction on.
func (j *payoutJoin) corrected(p *ledger.PayoutFacts) {
	c := j.corrections
	is := &ledger.CorrectionFacts{Number: int(c.int(1)), SheetNo: c.int(2), Row: int(c.int(3)), Sends: ledger.Payout{ID: p.ID, Row: p.Row, Ref: p.Ref}}
	c.scan(5, corrections.fields(&is.Sends))
	send(&is.Sends, j.routes[c.int(4)])
	sent := false
	for i := range p.Attempts {
		if a := &p.Attempts[i]; a.Number >= is.Number {
			a.Corrected, sent = is, sent || a.Number == is.Number
		}
	}
	if !sent {
		j.f.report(6, attemptsKept, fmt.Sprintf("payout %d is corrected for attempt %d, which does not exist", p.ID, is.Number))
	}
}

// first adds the first attempt of a payout that has no row yet, or reports that its row is lost.
func (j *payoutJoin) first(p *ledger.PayoutFacts, of *memberBatch) {
	there := slices.ContainsFunc(p.Attempts, func(a ledger.AttemptFacts) bool { return a.Number == 1 && a.BatchNo == of.no })
	switch {
	case of.made && !there:
		j.f.report(6, attemptsKept, fmt.Sprintf("batch %s lost the first attempt of payout %d", of.id, p.ID))
	case !of.made:
		planned := ledger.Attempt{Number: 1, State: ledger.PayoutPlanned, WireRef: p.Ref}
		p.Attempts = slices.Insert(p.Attempts, 0, ledger.AttemptFacts{BatchNo: of.no, Attempt: planned})
	}
}

// asciiLower is SQLite's lower(), which decides whether ref_key is left out.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
