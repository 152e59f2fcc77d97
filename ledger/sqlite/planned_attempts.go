package sqlite

import (
	"context"
	"database/sql"
)

// unmade tells in which batch a payout is planned that has no attempt yet. It
// holds what the batches of one sheet say of that at a time, for no sheet's
// payouts lie among another's.
type unmade struct {
	sheetNo int64
	first   int64   // the payout at position 0
	batches []int64 // 0 where none has it
}

// of gives the number of the payout's batch, or 0.
func (u *unmade) of(ctx context.Context, r reader, sheetNo, payoutID int64) (int64, error) {
	if u.sheetNo != sheetNo {
		if err := u.read(ctx, r, sheetNo); err != nil {
			return 0, err
		}
	}
	if at := payoutID - u.first; at >= 0 && at < int64(len(u.batches)) {
		return u.batches[at], nil
	}
	return 0, nil
}

func (u *unmade) read(ctx context.Context, r reader, sheetNo int64) error {
	u.sheetNo, u.first, u.batches = sheetNo, 0, u.batches[:0]
	var count int64
	err := r.QueryRowContext(ctx, `SELECT first_payout, accepted_count FROM sheets WHERE no = ?`, sheetNo).Scan(&u.first, &count)
	if err != nil {
		return err
	}
	if int64(cap(u.batches)) < count {
		u.batches = make([]int64, count)
	}
	u.batches = u.batches[:count]
	clear(u.batches)
	return each(ctx, r, func(rows *sql.Rows) error {
		var no int64
		var members sql.RawBytes
		if err := rows.Scan(&no, &members); err != nil {
			return err
		}
		eachMember(members, func(id int64) {
			if at := id - u.first; at >= 0 && at < count {
				u.batches[at] = no
			}
		})
		return nil
	}, `SELECT no, members FROM batches WHERE sheet_no = ? AND made = 0`, sheetNo)
}

// eachMember calls fn for the numbers in a batch's members, which are a JSON list
// of positive whole numbers.
func eachMember(members []byte, fn func(id int64)) {
	id := int64(0)
	for _, c := range members {
		switch {
		case c >= '0' && c <= '9':
			id = id*10 + int64(c-'0')
		case id > 0:
			fn(id)
			id = 0
		}
	}
}
