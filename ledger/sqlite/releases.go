package sqlite

import (
	"context"
	"slices"
	"time"

	"payrun/ledger"
	"payrun/ledger/reconcile"
)

// Proposals returns the parts that people took in releases of a batch and its payouts, oldest first; for "" of
// every batch.
func (s *Tables) Proposals(ctx context.Context, batchID string) ([]ledger.ReleaseApproval, error) {
	list, err := proposals(ctx, s.db, batchID)
	return list, damage("read the releases", err)
}

// releases are the parts that people took in releases.
var releases = table[ledger.ReleaseApproval]{"proposals", "no, payout_id, number, outcome, reason, ticket, evidence, actor, at, bank_time, carried, seconds", func(p *ledger.ReleaseApproval) []any {
	return []any{nullable{&p.No}, nullable{&p.PayoutID}, nullable{&p.Number}, &p.As, &p.Reason, &p.Ticket, &p.Evidence, &p.Actor, moment{&p.At}, moment{&p.BankTime}, &p.Carried, nullable{&p.Seconds}}
}}

func proposals(ctx context.Context, r Reader, batchID string) ([]ledger.ReleaseApproval, error) {
	return list(ctx, r, func(p *ledger.ReleaseApproval) []any { return append([]any{&p.BatchID}, releases.fields(p)...) },
		`SELECT (SELECT id FROM batches b WHERE b.no = batch_no), `+releases.columns+` FROM proposals
		WHERE ?1 = '' OR batch_no = (SELECT no FROM batches WHERE id = ?1) ORDER BY no`, batchID)
}

// spentAt returns the nameless credits of a debit account that releases used.
func spentAt(ctx context.Context, r Reader, bankAccountID string) ([]string, error) {
	return list(ctx, r, itself[string], `SELECT c.value FROM proposals p JOIN batches b ON b.no = p.batch_no JOIN routes r ON r.no = b.route_no CROSS JOIN json_each(p.evidence, '$.credits') c ON true
		WHERE p.carried = 1 AND r.bank_account_id = ?`, bankAccountID)
}

// Records returns the attempts of some payouts, each with what its locks depend on.
func (s *Tables) Records(ctx context.Context, payouts []int64) (map[int64][]ledger.AttemptRecord, error) {
	return readAt(ctx, s.fresh, "read what locks payouts", func(r Snapshot) (map[int64][]ledger.AttemptRecord, error) { return recordsOf(ctx, r, payouts) })
}

// recordsOf reads the attempts of some payouts, oldest first, with their batches, calls,
// statement lines, releases and restores.
func recordsOf(ctx context.Context, r Snapshot, payouts []int64) (map[int64][]ledger.AttemptRecord, error) {
	records := make(map[int64][]ledger.AttemptRecord, len(payouts))
	d, err := newDerived(ctx, r)
	if err != nil {
		return nil, err
	}
	evidence, err := d.evidence(payouts)
	if err != nil {
		return nil, err
	}
	all := selection{Filter: ledger.Filter{Attempts: true, Payouts: append([]int64{}, payouts...)}}
	return records, all.each(ctx, r, func(a ledger.Attempt) error {
		b, err := d.batch(a.BatchID)
		if err == nil {
			records[a.ID] = append(records[a.ID], b.record(a, evidence[a.Key()]))
		}
		return err
	})
}

// batchRecord has what the attempts of one batch share.
type batchRecord struct {
	ledger.Batch
	submit     *ledger.Intent
	last       ledger.Intent // the last submit, else the last call; the zero Intent if there was none
	restoredAt time.Time
	released   []ledger.ReleaseApproval // carried out as not paid; oldest first
	gone       map[string]bool          // of the credits that they used
}

// batch reads a batch, once.
func (d *derived) batch(id string) (*batchRecord, error) {
	if b := d.batches[id]; b != nil {
		return b, nil
	}
	row, err := batchByID(d.ctx, d.r, id)
	if err != nil {
		return nil, err
	}
	b := &batchRecord{Batch: row.Batch}
	d.batches[id] = b
	calls, err := intents.list(d.ctx, d.r, `batch_no = ? ORDER BY no`, row.no)
	if err != nil {
		return nil, err
	}
	for i := range calls {
		if calls[i].Kind == ledger.CallSubmit || b.submit == nil {
			b.last = calls[i]
		}
		if calls[i].Kind == ledger.CallSubmit {
			b.submit = &calls[i]
		}
	}
	err = d.r.QueryRow(d.ctx, `SELECT at FROM restores WHERE last_sheet >= ? ORDER BY seq DESC LIMIT 1`, row.sheetNo).Scan(moment{&b.restoredAt})
	if orNone(err) != nil {
		return nil, err
	}
	said, err := proposals(d.ctx, d.r, id)
	b.released = slices.DeleteFunc(said, func(p ledger.ReleaseApproval) bool { return !p.Carried || p.As != ledger.ReleaseNotPaid })
	if err == nil && slices.ContainsFunc(b.released, func(p ledger.ReleaseApproval) bool { return len(p.Saw().Credits) > 0 }) {
		b.gone, err = d.creditsGone(b.BankAccountID)
	}
	return b, err
}

// creditsGone returns the nameless credits that releases of an account used and that its statements no longer
// show often enough.
func (d *derived) creditsGone(account string) (map[string]bool, error) {
	spent, err := spentAt(d.ctx, d.r, account)
	if err != nil {
		return nil, err
	}
	around, err := d.around(account, "", 0)
	shown := map[string]int{}
	for _, o := range around.Open {
		if !o.Debit && o.Why != reconcile.Explain {
			shown[o.Key()]++
		}
	}
	gone := map[string]bool{}
	for _, key := range spent {
		shown[key]--
		gone[key] = shown[key] < 0
	}
	return gone, err
}

func (b *batchRecord) record(a ledger.Attempt, evidence ledger.StatementEvidence) ledger.AttemptRecord {
	rec := ledger.AttemptRecord{Attempt: a, Batch: b.Batch, Submit: b.submit, CalledAt: b.last.At, BankTime: b.last.BankTime,
		RestoredAt: b.restoredAt, Statement: evidence}
	if b.last.Kind == "" {
		rec.CalledAt = b.CreatedAt
	}
	rec.Released = b.releasedEvidence(a.Key())
	return rec
}

// releasedEvidence returns what two people saw when they last released an attempt; nil if they did not.
func (b *batchRecord) releasedEvidence(of ledger.AttemptKey) *ledger.ReleasedEvidence {
	for _, p := range slices.Backward(b.released) {
		if seen, ok := p.Saw().Of(of); ok {
			return &ledger.ReleasedEvidence{At: p.At, Keys: seen.Lines, CreditGone: slices.ContainsFunc(p.Saw().Credits, func(key string) bool { return b.gone[key] })}
		}
	}
	return nil
}
