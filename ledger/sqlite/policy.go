package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"payrun/ledger"
)

// UsersAndPolicy returns the people with their roles, and the policy, as recorded in the audit trail.
func (s *Tables) UsersAndPolicy(ctx context.Context) (ledger.Users, ledger.PolicyTrail, error) {
	people, policy, err := trailsOf(ctx, s.db)
	return people, policy, damage("read who may do what", err)
}

// trailsOf replays the events about people and the policy. An event that cannot have happened is damage: no one
// gets access on a guess.
func trailsOf(ctx context.Context, r Reader) (people ledger.Users, policy ledger.PolicyTrail, err error) {
	err = eachEvent(ctx, r, func(e ledger.Event) error {
		if err := errors.Join(policy.Replay(e, people), people.Replay(e)); err != nil {
			return errors.Join(ledger.ErrLedgerDamaged, fmt.Errorf("event %d: %w", e.Seq, err))
		}
		return nil
	}, ofPeople)
	return people, policy, err
}

// ofPeople selects the events about people and the policy with the index events_of_none.
const ofPeople = `batch_id = '' AND sheet_id = '' AND kind IN ('person_added', 'person_changed',
	'person_removed', 'person_confirmed', 'grant_taken_back', 'password_set', 'factor_added', 'factor_removed', 'policy_set', 'policy_proposed')`

// SetPolicy records a person's decision about the policy, and returns its event: the change, or a proposal if
// another person has to agree. It returns ledger.ErrDuplicate if the policy is already so.
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

// ApprovalStatus returns who approved a batch, and what they have to approve. It returns ledger.ErrNotFound if
// there is no such batch.
func (s *Tables) ApprovalStatus(ctx context.Context, batchID string) (ledger.ApprovalStatus, error) {
	return readAt(ctx, s.db.Moment, "read who agreed to batch "+batchID, func(r Snapshot) (ledger.ApprovalStatus, error) { return approvalOf(ctx, r, batchID) })
}

// ApprovalStatuses is ApprovalStatus for each of the filter's batches, by id.
func (s *Tables) ApprovalStatuses(ctx context.Context, f ledger.Filter) (map[string]ledger.ApprovalStatus, error) {
	return readAt(ctx, s.db.Moment, "read who agreed to the batches", func(r Snapshot) (map[string]ledger.ApprovalStatus, error) {
		where, args := batchFilter(f)
		all, _, err := approvalStatuses(ctx, r, where, args...)
		return all, err
	})
}

// withApprovals sets how people stand to the planned batches.
func withApprovals(ctx context.Context, r Reader, batches []ledger.Batch) error {
	planned := func(b ledger.Batch) bool { return b.State == ledger.BatchPlanned }
	if !slices.ContainsFunc(batches, planned) {
		return nil
	}
	where, args := decidedAbout, []any(nil)
	if len(batches) == 1 {
		where, args = `b.id = ?`, []any{batches[0].ID}
	}
	all, policy, err := approvalStatuses(ctx, r, where, args...)
	for i := range batches {
		b := &batches[i]
		if !planned(*b) {
			continue
		}
		c, ok := all[b.ID]
		if !ok {
			c = ledger.ApprovalStatus{Needed: b.NeedsApproval || b.Attention == ledger.ToBeApproved, Policy: policy}
		}
		b.Approval, b.ApprovedBy = c.State(), c.Approvers()
	}
	return err
}

// decidedAbout selects the planned batches that people approved or sent back, which are few. It uses two
// subqueries: for one list of kinds PostgreSQL joins the events and reads them again for each batch.
const decidedAbout = `b.state = 'planned' AND (b.id IN (SELECT batch_id FROM events WHERE kind = 'approved') OR b.id IN (SELECT batch_id FROM events WHERE kind = 'sent_back'))`

func approvalOf(ctx context.Context, r Reader, batchID string) (c ledger.ApprovalStatus, err error) {
	all, _, err := approvalStatuses(ctx, r, `b.id = ?`, batchID)
	if c, ok := all[batchID]; ok || err != nil {
		return c, err
	}
	return c, ledger.ErrNotFound
}

// approvalStatuses returns the statuses of the batches that where selects, by id, and the policy.
func approvalStatuses(ctx context.Context, r Reader, where string, args ...any) (map[string]ledger.ApprovalStatus, ledger.PolicyTrail, error) {
	people, policy, err := trailsOf(ctx, r)
	if err != nil {
		return nil, policy, err
	}
	all := map[string]ledger.ApprovalStatus{}
	err = each(ctx, r, func(rows Rows) error {
		c := ledger.ApprovalStatus{Policy: policy, People: people}
		err := rows.Scan(&c.BatchID, &c.PlannedBy, &c.Needed)
		all[c.BatchID] = c
		return err
	}, `SELECT b.id, p.actor, b.needs_approval = 1 OR b.attention = '`+string(ledger.ToBeApproved)+`' FROM planners p JOIN batches b ON b.no = p.batch_no JOIN sheets s ON s.no = b.sheet_no WHERE `+where, args...)
	if err != nil {
		return nil, policy, err
	}
	return all, policy, eachEvent(ctx, r, func(e ledger.Event) error {
		c, ok := all[e.BatchID]
		switch {
		case !ok: // a batch without a planner cannot be approved
			return nil
		case e.Kind == ledger.EventSentBack:
			c.SentBack = e
		case e.Kind == ledger.EventApproved:
			c.Approvals = append(c.Approvals, e)
		case e.LikeLocked():
			c.LikeSince = e.Seq
		}
		all[e.BatchID] = c
		return nil
	}, ofBatches(where)+` AND kind IN ('approved', 'sent_back', 'observed')`, args...)
}

// ConfirmEnvironment records that a person confirmed the environment of the configured hosts.
func (s *Tables) ConfirmEnvironment(ctx context.Context, e ledger.Event) error {
	return s.inTx(ctx, "record the environment", func(tx Writer) error { return s.appendEvent(ctx, tx, e) })
}

// EnvironmentConfirmed returns the newest event of ConfirmEnvironment, or the zero Event if there is none.
func (s *Tables) EnvironmentConfirmed(ctx context.Context) (e ledger.Event, err error) {
	err = eachEvent(ctx, s.db, func(newest ledger.Event) error { e = newest; return nil }, `seq = (SELECT max(seq) FROM events WHERE kind = 'environment_confirmed')`)
	return e, damage("read the environment", err)
}

// Sent reports whether a call to the bank was ever recorded, with any outcome.
func (s *Tables) Sent(ctx context.Context) (sent bool, err error) {
	err = s.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM intents)`).Scan(&sent)
	return sent, damage("read whether anything was sent", err)
}
