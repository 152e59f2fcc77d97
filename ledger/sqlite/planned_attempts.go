package sqlite

import (
	"context"
	"encoding/json"
	"fmt"

	"payrun/ledger"
)

// unmadeBatches tells in which batch a payout is planned that has no attempt yet. It
// holds what the batches of one sheet say of that at a time, for no sheet's
// payouts lie among another's.
type unmadeBatches struct {
	sheetNo int64
	batches map[int64]int64 // by payout
}

// of gives the number of the payout's batch, or 0.
func (p *unmadeBatches) of(ctx context.Context, r Reader, sheetNo, payoutID int64) (int64, error) {
	if p.sheetNo != sheetNo {
		members, err := pairs[int64, string](ctx, r, `SELECT no, members FROM batches WHERE sheet_no = ? AND made = 0`, sheetNo)
		if err != nil {
			return 0, err
		}
		p.sheetNo, p.batches = sheetNo, map[int64]int64{}
		for no, list := range members {
			var ids []int64
			if err := json.Unmarshal([]byte(list), &ids); err != nil {
				return 0, fmt.Errorf("%w: the members of batch number %d: %w", ledger.ErrLedgerDamaged, no, err)
			}
			for _, id := range ids {
				p.batches[id] = no
			}
		}
	}
	return p.batches[payoutID], nil
}
