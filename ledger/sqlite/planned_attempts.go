package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"payrun/ledger"
)

// membership is a batch into which a sheet put a payout.
type membership struct {
	payout int64
	batch  *memberBatch
}

// memberBatch is a batch that lists its members.
type memberBatch struct {
	no      int64
	id      string
	created time.Time
	made    bool // its attempts are rows
}

// memberships are the memberships of one sheet's payouts at a time. The payouts of a sheet are contiguous.
type memberships struct {
	sheetNo int64
	list    []membership // by payout
}

const membersOfSheet = `SELECT b.no, b.id, b.created_at, b.made > 0, b.members, s.first_payout, s.last_payout
	FROM sheets s JOIN batches b ON b.sheet_no = s.no WHERE s.no = ? AND b.members IS NOT NULL`

// of returns the memberships of a payout of a sheet: one, except in a damaged ledger. It returns
// ledger.ErrLedgerDamaged once if a batch of the sheet has a member that is not one of its payouts, with the
// memberships that were read before it.
func (m *memberships) of(ctx context.Context, r Reader, sheetNo, payoutID int64) (found []membership, err error) {
	byPayout := func(m membership, id int64) int { return cmp.Compare(m.payout, id) }
	if m.sheetNo != sheetNo {
		m.sheetNo, m.list = sheetNo, nil
		err = each(ctx, r, m.add, membersOfSheet, sheetNo)
		slices.SortStableFunc(m.list, func(a, b membership) int { return byPayout(a, b.payout) })
	}
	from, _ := slices.BinarySearchFunc(m.list, payoutID, byPayout)
	to := from
	for to < len(m.list) && m.list[to].payout == payoutID {
		to++
	}
	return m.list[from:to], err
}

// add adds the members of a row's batch.
func (m *memberships) add(row Rows) error {
	var b memberBatch
	var members []int64
	var first, last int64
	if err := row.Scan(&b.no, &b.id, moment{&b.created}, &b.made, inJSON{&members}, &first, &last); err != nil {
		return fmt.Errorf("the members of a batch: %w", err)
	}
	for _, id := range members {
		if id < first || id > last {
			return fmt.Errorf("%w: batch number %d has member %d, which is no payout of its sheet", ledger.ErrLedgerDamaged, b.no, id)
		}
		m.list = append(m.list, membership{id, &b})
	}
	return nil
}
