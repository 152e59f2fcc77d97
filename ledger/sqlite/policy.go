package sqlite

import (
	"context"

	"payrun/ledger"
)

// SetPolicy records a person's word about the policy, and returns its event: the
// change, or a proposal where another person has to agree. ledger.ErrDuplicate
// where it is so already.
func (s *Tables) SetPolicy(ctx context.Context, c ledger.PolicyChange) (e ledger.Event, err error) {
	err = s.inTx(ctx, "set the policy", func(tx Writer) error {
		people, policy, err := trailsOf(ctx, tx)
		if err != nil {
			return err
		}
		if e, err = policy.Decide(c, people); err != nil {
			return err
		}
		return s.appendEvent(ctx, tx, e)
	})
	return e, err
}

// ApprovalStatus returns who agreed to a batch, and what they have to agree to.
// ledger.ErrNotFound when there is no such batch.
func (s *Tables) ApprovalStatus(ctx context.Context, batchID string) (c ledger.ApprovalStatus, err error) {
	err = s.db.Moment(ctx, func(r Reader) (err error) {
		c, err = consentTo(ctx, r, batchID)
		return err
	})
	return c, damage("read who agreed to batch "+batchID, err)
}

// Consents is ApprovalStatus for each of the filter's batches, by id.
func (s *Tables) Consents(ctx context.Context, f ledger.Filter) (all map[string]ledger.ApprovalStatus, err error) {
	err = s.db.Moment(ctx, func(r Reader) (err error) {
		all, err = consents(ctx, r, f)
		return err
	})
	return all, damage("read who agreed to the batches", err)
}

// consentWanted is consentTo where the ledger or the batch wants two people; else only
// the policy is known.
func consentWanted(ctx context.Context, r Reader, b batchRow) (c ledger.ApprovalStatus, err error) {
	c.Needed = b.NeedsApproval
	if _, c.Policy, err = trailsOf(ctx, r); err != nil || !c.Asked() {
		return c, err
	}
	return consentTo(ctx, r, b.ID)
}

func consentTo(ctx context.Context, r Reader, batchID string) (c ledger.ApprovalStatus, err error) {
	all, err := consents(ctx, r, ledger.Filter{BatchID: batchID})
	if c, ok := all[batchID]; ok || err != nil {
		return c, err
	}
	return c, ledger.ErrNotFound
}

func consents(ctx context.Context, r Reader, f ledger.Filter) (map[string]ledger.ApprovalStatus, error) {
	people, policy, err := trailsOf(ctx, r)
	if err != nil {
		return nil, err
	}
	all := map[string]ledger.ApprovalStatus{}
	where, args := batchFilter(f)
	err = each(ctx, r, func(rows Rows) error {
		c := ledger.ApprovalStatus{Policy: policy, People: people}
		err := rows.Scan(&c.BatchID, &c.PlannedBy, &c.Needed)
		all[c.BatchID] = c
		return err
	}, `SELECT b.id, p.actor, b.needs_approval FROM planners p JOIN batches b ON b.no = p.batch_no JOIN sheets s ON s.no = b.sheet_no WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	kept, err := approvalsOf(ctx, r, f)
	if err != nil {
		return nil, err
	}
	for _, a := range kept {
		if c, ok := all[a.BatchID]; ok { // nobody consents to what nobody planned
			c.Kept = append(c.Kept, a)
			all[a.BatchID] = c
		}
	}
	return all, eachEvent(ctx, r, func(e ledger.Event) error {
		if c, ok := all[e.BatchID]; ok {
			c.Approvals = append(c.Approvals, e)
			all[e.BatchID] = c
		}
		return nil
	}, ofBatches(where)+` AND kind = 'approved'`, args...)
}

// ConfirmEnvironment records that a person confirmed to which environment the
// configured hosts belong.
func (s *Tables) ConfirmEnvironment(ctx context.Context, e ledger.Event) error {
	return s.inTx(ctx, "record the environment", func(tx Writer) error { return s.appendEvent(ctx, tx, e) })
}

// EnvironmentConfirmed returns the newest event of ConfirmEnvironment; the zero
// Event where there is none.
func (s *Tables) EnvironmentConfirmed(ctx context.Context) (e ledger.Event, err error) {
	err = eachEvent(ctx, s.db, func(newest ledger.Event) error { e = newest; return nil }, `seq = (SELECT max(seq) FROM events WHERE kind = 'environment_confirmed')`)
	return e, damage("read the environment", err)
}

// Sent reports whether a call to the bank was ever recorded, whatever came of it.
func (s *Tables) Sent(ctx context.Context) (sent bool, err error) {
	err = s.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM intents)`).Scan(&sent)
	return sent, damage("read whether anything was sent", err)
}
