package sqlite

import (
	"context"
	"database/sql"
	"math"
	"slices"

	"payrun/ledger"
)

// doubtful are the payouts that can have a lock other than in_flight: all up to one, and
// few of the others.
type doubtful struct {
	upto int64    // by an older copy that was accepted; 0 for none
	bits []uint64 // the others, by their numbers
	any  bool
}

func (d *doubtful) add(id int64) {
	d.bits[id>>6] |= 1 << (id & 63)
	d.any = true
}

func (d *doubtful) has(id int64) bool { return id <= d.upto || d.bits[id>>6]>>(id&63)&1 == 1 }

// underWay are the batches whose attempts may be neither paid nor over.
const underWay = `b.state IN ('initiating', 'initiate_unknown', 'held', 'submitting', 'submit_unknown', 'submitted', 'quarantined')`

// mayBeLocked reads them, once for a check.
func (p *payees) mayBeLocked(ctx context.Context) (*doubtful, error) {
	if p.doubtful != nil {
		return p.doubtful, nil
	}
	d := &doubtful{bits: make([]uint64, p.last>>6+1)}
	err := p.read.QueryRowContext(ctx, `SELECT ifnull(max(last_payout), 0) FROM sheets WHERE no <= (SELECT max(last_sheet) FROM restores)`).Scan(&d.upto)
	if err != nil {
		return nil, err
	}
	d.any = d.upto > 0
	err = each(ctx, p.read, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		if id <= p.last {
			d.add(id)
		}
		return err
	}, `SELECT a.payout_id FROM attempts a INDEXED BY attempts_apart WHERE `+apartStates+`
		UNION ALL SELECT a.payout_id FROM batches b CROSS JOIN attempts a ON a.batch_no = b.no WHERE `+underWay)
	if err == nil {
		p.doubtful = d
	}
	return d, err
}

// LockedLike implements ledger.Payees.
func (p *payees) LockedLike(ctx context.Context, payees []ledger.Payee) (map[ledger.Payee][]ledger.Lock, error) {
	found, err := p.lockedLike(ctx, payees)
	return found, damage("look for locked payouts to the same payees", err)
}

func (p *payees) lockedLike(ctx context.Context, payees []ledger.Payee) (map[ledger.Payee][]ledger.Lock, error) {
	if some, err := p.look(ctx); err != nil || !some {
		return nil, err
	}
	doubts, err := p.mayBeLocked(ctx)
	if err != nil || !doubts.any {
		return nil, err
	}
	asked := askAbout(payees)
	like, err := p.doubtfulLike(ctx, asked, doubts)
	if err != nil || len(like) == 0 {
		return nil, err
	}
	tx, err := p.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one moment of the ledger, which a load may be writing
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	found := map[ledger.Payee][]ledger.Lock{}
	for most := 1; len(like) > 0; most *= 2 { // one lock of a payee is enough, and nearly always its newest payout has it
		locked, err := like.ask(ctx, tx, most, asked)
		if err != nil {
			return nil, err
		}
		for a, locks := range locked {
			for _, payee := range asked[a] {
				found[payee] = locks
			}
		}
	}
	return found, nil
}

// doubtfulTo are the doubtful payouts to payees.
type doubtfulTo map[payeeAsked][]int64

// doubtfulLike gives those to each of the payees that has some. Accounts are known by a
// hash.
func (p *payees) doubtfulLike(ctx context.Context, asked askedPayees, doubts *doubtful) (doubtfulTo, error) {
	like := doubtfulTo{}
	return like, p.eachPayment(ctx, asked.accounts(), 0, math.MaxInt32, func(m payeeMark) {
		if a := (payeeAsked{m.account, m.amount}); len(asked[a]) > 0 && doubts.has(m.payoutID) {
			like[a] = append(like[a], m.payoutID)
		}
	})
}

// ask returns the locks of the newest payouts, at most so many to each payee, and leaves
// those to payees without any that are older.
func (like doubtfulTo) ask(ctx context.Context, r reader, most int, payees askedPayees) (map[payeeAsked][]ledger.Lock, error) {
	var ids []int64
	asked := doubtfulTo{}
	for a, of := range like {
		of = inOrder(of)
		older := max(0, len(of)-most)
		like[a], asked[a] = of[:older], of[older:]
		ids = append(ids, of[older:]...)
	}
	records, err := recordsOf(ctx, r, inOrder(ids))
	if err != nil {
		return nil, err
	}
	locked := map[payeeAsked][]ledger.Lock{}
	for a, of := range asked {
		for _, id := range slices.Backward(of) {
			if locks := ledger.Grave(ledger.Locks(records[id])); len(locks) > 0 && sent(records[id], payees[a][0]) {
				locked[a] = locks
				break
			}
		}
		if len(locked[a]) > 0 || len(like[a]) == 0 {
			delete(like, a)
		}
	}
	return locked, nil
}

// sent reports whether an attempt of a payout has this account and amount.
func sent(all []ledger.AttemptRecord, payee ledger.Payee) bool {
	return slices.ContainsFunc(all, func(a ledger.AttemptRecord) bool {
		return a.Amount == payee.Amount && a.AccountOf().Same(payee.Account)
	})
}
