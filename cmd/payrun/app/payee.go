package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"payrun/ledger"
	"payrun/validate"
)

// PayeeID names a payee in an address: by the mark of the folded name, or of the account
// where there is no name.
func PayeeID(p ledger.NamedAccount) string {
	if name := ledger.NameMark(validate.FoldName(p.VendorName)); name != ledger.NoName {
		return fmt.Sprintf("n%016x", uint64(name))
	}
	return fmt.Sprintf("a%016x", uint64(ledger.AccountMark(p.Account)))
}

// PayeeStory is what was paid to a payee, and where to.
type PayeeStory struct {
	Name     string         // as the latest payout has it; "" where there is none
	Accounts []PayeeAccount // the latest first
	States   map[ledger.PayoutState]ledger.Tally
	All      ledger.Tally
	Rows     []PayoutRow // newest first
}

// PayeeAccount is an account of a payee, and what was paid there.
type PayeeAccount struct {
	ledger.Account
	First, Last time.Time // the first and the latest payout were planned
	All, Paid   ledger.Tally
}

// payeeMost is how many of the latest payouts to each account a payee's story has.
const payeeMost = 1000

// Payee tells of a payee by their id; ledger.ErrNotFound where nothing was ever to be paid
// to them.
func (a *App) Payee(ctx context.Context, call Call, id string) (PayeeStory, error) {
	return look(ctx, a, call, func(o *operation) (p PayeeStory, err error) {
		none := fmt.Errorf("payee %s: %w", ledger.Plain(id), ledger.ErrNotFound)
		if len(id) != 17 || id[0] != 'n' && id[0] != 'a' {
			return p, none
		}
		mark, err := strconv.ParseUint(id[1:], 16, 64)
		if err != nil {
			return p, none
		}
		var name, account int64
		if name = int64(mark); id[0] == 'a' {
			name, account = ledger.NoName, int64(mark)
		}
		ids, err := o.store.PayeePayouts(ctx, validate.FoldName, name, account, payeeMost)
		if err != nil || len(ids) == 0 {
			return p, cmp.Or(err, none)
		}
		p.States = map[ledger.PayoutState]ledger.Tally{}
		planned := o.plannedAt(ctx)
		err = o.payouts(ctx, ledger.Filter{Payouts: ids, Newest: true}, func(at ledger.Attempt, asks ledger.Attention, _ ledger.Late) error {
			if PayeeID(ledger.NamedAccount{VendorName: at.VendorName, Account: at.AccountOf()}) != id {
				return nil // another name at the same account
			}
			day, err := planned(at.BatchID)
			if err != nil {
				return err
			}
			return p.add(PayoutRow{at, asks, day})
		})
		if err == nil && len(p.Rows) == 0 {
			err = none
		}
		return p, err
	})
}

func (p *PayeeStory) add(row PayoutRow) error {
	if len(p.Rows) == 0 {
		p.Name = row.VendorName
	}
	p.Rows = append(p.Rows, row)
	i := slices.IndexFunc(p.Accounts, func(a PayeeAccount) bool { return a.Same(row.AccountOf()) })
	if i < 0 {
		i, p.Accounts = len(p.Accounts), append(p.Accounts, PayeeAccount{Account: row.AccountOf(), Last: row.Planned})
	}
	to := &p.Accounts[i]
	to.First = row.Planned
	if row.State == ledger.PayoutSuccess {
		if err := to.Paid.Add(row.Amount); err != nil {
			return err
		}
	}
	state := p.States[row.State]
	if err := state.Add(row.Amount); err != nil {
		return err
	}
	p.States[row.State] = state
	if err := to.All.Add(row.Amount); err != nil {
		return err
	}
	return p.All.Add(row.Amount)
}
