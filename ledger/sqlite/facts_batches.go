package sqlite

import (
	"context"
	"errors"
	"fmt"

	"payrun/ledger"
)

var (
	factsOfBatches   = Select{`b.no, b.sheet_no, b.route_no, b.made, b.planned_with, ` + ofBatch, `FROM batches b NOT INDEXED ORDER BY b.no`, true}
	factsOfRefs      = Select{`batch_no, wire_ref`, `FROM attempts WHERE wire_ref IS NOT NULL ORDER BY batch_no, payout_id`, false}
	factsOfIntents   = Select{`batch_no, no, looks, ` + intents.columns, `FROM intents ORDER BY batch_no, no`, false}
	factsOfLooks     = Select{`batch_no, intent_no, ` + looks.columns, `FROM looks ORDER BY batch_no, intent_no, place`, false}
	factsOfProposals = Select{`batch_no, ` + releases.columns, `FROM proposals ORDER BY batch_no, no`, false}
)

// Batches joins the batches with their records.
func (f *reader) Batches(ctx context.Context, give func(*ledger.BatchFacts) error) (err error) {
	routes, err := routesOf(ctx, f.r)
	if err != nil {
		return err
	}
	open, err := walkAll(ctx, f.r, factsOfBatches, factsOfIntents, factsOfProposals, factsOfRefs, factsOfLooks)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, open.close()) }()
	batches, calls, said, refs, shown := open[0], open[1], open[2], open[3], open[4]
	var b ledger.BatchFacts
	fields := batchFields(&b.Batch)
	for ; batches.more && !open.failed(); batches.next() {
		f.batch(ctx, batches, routes, &b, fields)
		b.Intents, b.Looks, b.Proposals, b.Refs = b.Intents[:0], b.Looks[:0], b.Proposals[:0], b.Refs[:0]
		for ; refs.at(b.No); refs.next() {
			b.Refs = append(b.Refs, refs.text(1))
		}
		for ; calls.at(b.No); calls.next() {
			i := ledger.RecordedIntent{No: calls.int(1), BatchID: b.ID}
			calls.scan(3, intents.fields(&i.Intent))
			i.Looked = f.allowed(shown, &b, i, calls.int(2))
			b.Intents = append(b.Intents, i)
		}
		for ; said.at(b.No); said.next() {
			p := ledger.ReleaseApproval{BatchID: b.ID}
			said.scan(1, releases.fields(&p))
			b.Proposals = append(b.Proposals, p)
		}
		if err := give(&b); err != nil {
			return err
		}
	}
	return nil
}

// allowed reads the checks of an intent. It reports whether they are complete, and whether the check of its own
// batch shows nothing that forbids the call.
func (f *reader) allowed(shown *cursor, b *ledger.BatchFacts, i ledger.RecordedIntent, count int64) bool {
	var found int64
	allows, forbids := false, false
	for ; shown.at(b.No) && shown.int(1) <= i.No; shown.next() {
		if shown.int(1) < i.No { // its intent does not exist
			continue
		}
		found++
		l := ledger.RecordedLook{BatchID: b.ID, Call: len(b.Intents) + 1}
		if !shown.scan(2, looks.fields(&l)) {
			forbids = true // what it showed cannot be read
		}
		b.Looks = append(b.Looks, l)
		if l.Asked != i.BatchID {
			continue
		}
		_, held := l.Payouts[ledger.StatusRequestInitiated]
		beyond := len(l.Payouts) > 1 || len(l.Payouts) == 1 && !held // a payout was shown beyond request_initiated
		if l.Answer == ledger.LookNotKnown || i.Kind == ledger.CallSubmit && l.Answer == ledger.LookShown && !beyond {
			allows = true
		} else {
			forbids = true
		}
	}
	return found == count && allows && !forbids
}

// batch reads a row of factsOfBatches.
func (f *reader) batch(ctx context.Context, c *cursor, routes map[int64]ledger.Route, b *ledger.BatchFacts, fields []any) {
	c.scan(5, fields)
	route := routes[c.int(2)]
	b.No, b.SheetNo, b.BankAccountID, b.SubMerchantID, b.TransactionTypeID = c.int(0), c.int(1), route.BankAccountID, route.SubMerchantID, route.TransactionTypeID
	b.SheetID, b.PlannedWith = "", ""
	if with := c.int(4); with != 0 { // few batches have one
		b.PlannedWith = f.name(ctx, with)
	}
	switch made := c.int(3); {
	case made == 0 && b.State != ledger.BatchPlanned:
		f.report(6, attemptsKept, fmt.Sprintf("batch %s is %s, and its attempts are not made", b.ID, b.State))
	case made == 1:
		f.report(6, attemptsKept, fmt.Sprintf("batch %s is %s, and its attempts are half made", b.ID, b.State))
	}
}

// attemptsKept is the rule for first attempts: before the first step of their batch they are its members, from
// then on they are rows.
const attemptsKept = "no attempt is lost, made twice or made without its batch"

// at skips the rows of missing batches before no, and reports whether the cursor is at a row of no. Its rows
// begin with the batch's number.
func (c *cursor) at(no int64) bool {
	for c.more && c.int(0) < no {
		c.next()
	}
	return c.more && c.int(0) == no
}
