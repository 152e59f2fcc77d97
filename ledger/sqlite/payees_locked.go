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
		locked, err := like.ask(ctx, tx, most, func(first int) ledger.Payee { return payees[asked.list[first].at] })
		if err != nil {
			return nil, err
		}
		for first, locks := range locked {
			for i := first; i < len(asked.list) && asked.list[i].compare(asked.list[first]) == 0; i++ {
				found[payees[asked.list[i].at]] = locks
			}
		}
	}
	return found, nil
}

// doubtfulTo are the doubtful payouts to payees, by the first place that a payee has in
// askedPayees.list.
type doubtfulTo map[int][]int64

// doubtfulLike gives those to each of the payees that has some. Accounts are known by a
// hash.
func (p *payees) doubtfulLike(ctx context.Context, asked *askedPayees, doubts *doubtful) (doubtfulTo, error) {
	if err := p.latest(ctx, asked.accounts()); err != nil {
		return nil, err
	}
	like := doubtfulTo{}
	note := func(m payeeMark) {
		if !doubts.has(m.payoutID) {
			return
		}
		if first, ok := slices.BinarySearchFunc(asked.list, askedPayee{account: m.account, amount: m.amount}, askedPayee.compare); ok {
			like[first] = append(like[first], m.payoutID)
		}
	}
	var more []int64 // accounts that have others
	for from, to := 0, 0; from < len(p.lately.marks); from = to {
		account := p.lately.marks[from].account
		for to = from; to < len(p.lately.marks) && p.lately.marks[to].account == account; to++ {
		}
		if to-from >= latelyMost {
			more = append(more, account)
			continue
		}
		for _, m := range p.lately.marks[from:to] {
			note(m)
		}
	}
	return like, p.eachPayment(ctx, more, 0, math.MaxInt32, note)
}

// ask returns the locks of the newest payouts, at most so many to each payee, and leaves
// those to payees without any that are older.
func (like doubtfulTo) ask(ctx context.Context, r reader, most int, payee func(first int) ledger.Payee) (map[int][]ledger.Lock, error) {
	var ids []int64
	asked := doubtfulTo{}
	for first, of := range like {
		of = inOrder(of)
		older := max(0, len(of)-most)
		like[first], asked[first] = of[:older], of[older:]
		ids = append(ids, of[older:]...)
	}
	records, err := recordsOf(ctx, r, inOrder(ids))
	if err != nil {
		return nil, err
	}
	locked := map[int][]ledger.Lock{}
	for first, of := range asked {
		for _, id := range slices.Backward(of) {
			if locks := ledger.Grave(ledger.Locks(records[id])); len(locks) > 0 && sent(records[id], payee(first)) {
				locked[first] = locks
				break
			}
		}
		if len(locked[first]) > 0 || len(like[first]) == 0 {
			delete(like, first)
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
