package sqlite

import (
	"context"
	"math"
	"slices"

	"payrun/ledger"
)

// doubts are the payouts that can have a lock other than in_flight.
type doubts struct {
	upto int64          // all payouts up to this one, from an accepted older copy; 0 for none
	ids  map[int64]bool // and these payouts; true if the bank has not finished it
}

// inProgress selects the batches with attempts that may be neither paid nor over.
const inProgress = `b.state IN ('initiating', 'initiate_unknown', 'held', 'submitting', 'submit_unknown', 'submitted', 'quarantined')`

// mayBeLocked reads the doubts, once in a check.
func (p *payees) mayBeLocked(ctx context.Context) (*doubts, error) {
	if p.doubts != nil {
		return p.doubts, nil
	}
	upto, err := copiedUpTo(ctx, p.db)
	if err != nil {
		return nil, err
	}
	ids, err := pairs[int64, bool](ctx, p.db, `SELECT id, max(open) FROM (SELECT a.payout_id AS id, 0 AS open FROM attempts a INDEXED BY attempts_apart WHERE `+apartStates+`
		UNION ALL SELECT a.payout_id, CASE WHEN a.state = 'success' OR `+apartStates+` THEN 0 ELSE 1 END FROM batches b CROSS JOIN attempts a ON a.batch_no = b.no WHERE `+inProgress+`) doubts GROUP BY id`)
	if err == nil {
		p.doubts = &doubts{upto, ids}
	}
	return p.doubts, err
}

// copiedUpTo returns the last payout that an accepted older copy had; 0 for none.
func copiedUpTo(ctx context.Context, r Reader) (upto int64, err error) {
	err = r.QueryRow(ctx, `SELECT ifnull(max(last_payout), 0) FROM sheets WHERE no <= (SELECT max(last_sheet) FROM restores)`).Scan(&upto)
	return upto, err
}

// LockedLike implements ledger.Payees.
func (p *payees) LockedLike(ctx context.Context, payees []ledger.Payee) (found map[ledger.Payee][]ledger.Lock, err error) {
	defer func() { err = damage("look for locked payouts to the same payees", err) }()
	if some, err := p.prepare(ctx); err != nil || !some {
		return nil, err
	}
	d, err := p.mayBeLocked(ctx)
	if err != nil || d.upto == 0 && len(d.ids) == 0 {
		return nil, err
	}
	asked := askAbout(payees)
	like := map[payeeAsked][]int64{} // payouts that may be locked
	err = p.eachPayment(ctx, asked.accounts(), 0, math.MaxInt32, func(m payeeMark) {
		_, doubted := d.ids[m.payoutID]
		if a := (payeeAsked{m.account, m.amount}); len(asked[a]) > 0 && (m.payoutID <= d.upto || doubted) {
			like[a] = append(like[a], m.payoutID)
		}
	})
	if err != nil || len(like) == 0 {
		return nil, err
	}
	found = map[ledger.Payee][]ledger.Lock{}
	return found, p.db.Moment(ctx, func(r Snapshot) error { // a load may be writing
		for most := 1; len(like) > 0; most *= 2 { // the newest payout nearly always has a lock; older ones are read only if it has none
			var ids []int64
			for a, of := range like {
				like[a] = inOrder(of)
				ids = append(ids, like[a][max(0, len(like[a])-most):]...)
			}
			records, err := recordsOf(ctx, r, inOrder(ids))
			if err != nil {
				return err
			}
			for a, of := range like {
				older := max(0, len(of)-most)
				like[a] = of[:older]
				if older == 0 {
					delete(like, a)
				}
				for _, id := range slices.Backward(of[older:]) {
					locks := ledger.Grave(ledger.Locks(records[id]))
					if len(locks) == 0 || !sent(records[id], asked[a][0]) {
						continue
					}
					for _, payee := range asked[a] {
						found[payee] = locks
					}
					delete(like, a)
					break
				}
			}
		}
		return nil
	})
}

// sent reports whether an attempt of a payout had this account and amount.
func sent(all []ledger.AttemptRecord, payee ledger.Payee) bool {
	return slices.ContainsFunc(all, func(a ledger.AttemptRecord) bool {
		return a.Amount == payee.Amount && a.AccountOf().Same(payee.Account)
	})
}
