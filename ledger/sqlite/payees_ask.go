package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"time"

	"payrun/ledger"
)

const (
	// paidMost is how many of an account's latest payouts are looked at for
	// one that was paid lately, usualMost for what it is usually paid. An
	// account that everybody is paid through must not stop the check.
	paidMost  = 10_000
	usualMost = 100

	// namesMost is the number of accounts from which on a name is nobody's in
	// particular: "Refund", or a name that many people have.
	namesMost = 20
)

// PaidSince tells which of these payees got the same amount by a payout of a
// sheet loaded at or after since, whatever became of it, and by which: the
// latest. It looks at the 10,000 latest payouts to an account.
func (s *Store) PaidSince(ctx context.Context, payees []ledger.Payee, since time.Time) (map[ledger.Payee]ledger.ReferenceUse, error) {
	found, err := s.paidSince(ctx, payees, since)
	return found, damage("look for payees paid lately", err)
}

func (s *Store) paidSince(ctx context.Context, payees []ledger.Payee, since time.Time) (map[ledger.Payee]ledger.ReferenceUse, error) {
	parts, err := s.payeeParts(ctx)
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	var first sql.NullInt64
	err = s.read.QueryRowContext(ctx, `SELECT min(first_payout) FROM sheets WHERE loaded_at >= ?`, since.UnixMicro()).Scan(&first)
	if err != nil || !first.Valid {
		return nil, err
	}
	type paid struct{ account, amount int64 }
	asked := map[paid]int64{} // to the latest payout
	for _, p := range payees {
		asked[paid{accountMark(p.Account), int64(p.Amount)}] = 0
	}
	err = eachPayoutTo(ctx, parts, accountMarks(payees), first.Int64, paidMost, func(m payeeMark) {
		if at, ok := asked[paid{m.account, m.amount}]; ok && m.payoutID > at {
			asked[paid{m.account, m.amount}] = m.payoutID
		}
	})
	if err != nil {
		return nil, err
	}
	earlier, err := s.earlierPayouts(ctx, slices.Collect(maps.Values(asked)))
	if err != nil {
		return nil, err
	}
	found := map[ledger.Payee]ledger.ReferenceUse{}
	for _, p := range payees {
		e, ok := earlier[asked[paid{accountMark(p.Account), int64(p.Amount)}]]
		if ok && e.Account.Same(p.Account) && !e.use.LoadedAt.Before(since) {
			found[p] = e.use
		}
	}
	return found, nil
}

// NewAccounts tells which of these names were paid before, though never at
// this account, and where instead. A name that has more than 20 accounts is
// nobody's in particular and not told.
func (s *Store) NewAccounts(ctx context.Context, named []ledger.NamedAccount) (map[ledger.NamedAccount]ledger.KnownPayee, error) {
	found, err := s.newAccounts(ctx, named)
	return found, damage("look for payees with another account", err)
}

func (s *Store) newAccounts(ctx context.Context, named []ledger.NamedAccount) (map[ledger.NamedAccount]ledger.KnownPayee, error) {
	parts, err := s.payeeParts(ctx)
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	marks := map[ledger.NamedAccount]pair{}
	for _, n := range named {
		if m := (pair{nameMark(n.VendorName), accountMark(n.Account)}); m.name != noName {
			marks[n] = m
		}
	}
	unknown, err := unknownPairs(ctx, parts, slices.Collect(maps.Values(marks)))
	if err != nil || len(unknown) == 0 {
		return nil, err
	}
	names := map[int64]map[int64]int64{} // to its accounts, and the first payout to each
	for p := range unknown {
		names[p.name] = map[int64]int64{}
	}
	latest, earlier, err := s.accountsOf(ctx, parts, names)
	if err != nil {
		return nil, err
	}
	found := map[ledger.NamedAccount]ledger.KnownPayee{}
	for n, m := range marks {
		e, ok := earlier[latest[m.name]]
		if unknown[m] && ok && foldName(e.VendorName) == foldName(n.VendorName) {
			found[n] = ledger.KnownPayee{Account: e.Account, Accounts: len(names[m.name]), Use: e.use}
		}
	}
	return found, nil
}

// pair is a name and an account.
type pair struct{ name, account int64 }

// unknownPairs keeps the pairs that were never paid.
func unknownPairs(ctx context.Context, parts []payeePart, pairs []pair) (map[pair]bool, error) {
	unknown := make(map[pair]bool)
	for _, part := range parts {
		slices.SortFunc(pairs, func(a, b pair) int {
			return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.account, b.account))
		})
		args := make([]any, 0, 2*len(pairs))
		for _, p := range slices.Compact(pairs) {
			args = append(args, p.name, p.account)
		}
		clear(unknown)
		err := eachAsked(ctx, part, func(rows *sql.Rows) error {
			var p pair
			err := rows.Scan(&p.name, &p.account)
			unknown[p] = true
			return err
		}, 2, args, `SELECT a, b FROM asked WHERE NOT EXISTS (SELECT 1 FROM payee_names n WHERE n.name = asked.a AND n.account = asked.b)`)
		if err != nil {
			return nil, err
		}
		pairs = slices.Collect(maps.Keys(unknown))
	}
	return unknown, nil
}

// accountsOf fills in the accounts of the names with the first payout to each,
// and returns the latest of those for each name that is somebody's.
func (s *Store) accountsOf(ctx context.Context, parts []payeePart, names map[int64]map[int64]int64) (map[int64]int64, map[int64]earlierPayout, error) {
	args := numbers(slices.Sorted(maps.Keys(names)))
	for _, part := range parts {
		err := eachAsked(ctx, part, func(rows *sql.Rows) error {
			var name, account, payoutID int64
			err := rows.Scan(&name, &account, &payoutID)
			if _, earlier := names[name][account]; !earlier {
				names[name][account] = payoutID
			}
			return err
		}, 1, args, `SELECT n.name, n.account, n.payout_id FROM asked CROSS JOIN payee_names n ON n.name = asked.a AND n.account <= ifnull(
			(SELECT q.account FROM payee_names q WHERE q.name = asked.a ORDER BY q.account LIMIT 1 OFFSET ?), ?)`, namesMost, int64(math.MaxInt64))
		if err != nil {
			return nil, nil, err
		}
	}
	latest := map[int64]int64{}
	for name, accounts := range names {
		if n := len(accounts); n > 0 && n <= namesMost {
			latest[name] = slices.Max(slices.Collect(maps.Values(accounts)))
		}
	}
	earlier, err := s.earlierPayouts(ctx, slices.Collect(maps.Values(latest)))
	return latest, earlier, err
}

// FarAbove tells which of these payees get at least factor times the median of
// what their account was paid before, by at least least payouts. Counted are
// those of the account's 100 latest that did not fail, come back or end
// cancelled. The median of an even number is the mean of the middle two,
// rounded down to the paisa.
func (s *Store) FarAbove(ctx context.Context, payees []ledger.Payee, factor ledger.Paise, least int) (map[ledger.Payee]ledger.PaymentPattern, error) {
	found, err := s.farAbove(ctx, payees, factor, least)
	return found, damage("look for unusual amounts", err)
}

func (s *Store) farAbove(ctx context.Context, payees []ledger.Payee, factor ledger.Paise, least int) (map[ledger.Payee]ledger.PaymentPattern, error) {
	parts, err := s.payeeParts(ctx)
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	// No median is below the smallest amount: nearly every payee ends here,
	// before anybody asks what became of its payouts.
	floors, err := paidFloors(ctx, parts, accountMarks(payees))
	if err != nil {
		return nil, err
	}
	above := payees[:0:0]
	for _, p := range payees {
		if f := floors[accountMark(p.Account)]; f.payouts >= least && p.Amount/factor >= f.smallest {
			above = append(above, p)
		}
	}
	before := map[int64][]payeeMark{}
	err = eachPayoutTo(ctx, parts, accountMarks(above), 0, usualMost, func(m payeeMark) { before[m.account] = append(before[m.account], m) })
	if err != nil {
		return nil, err
	}
	doubtful := map[ledger.Payee][]payeeMark{}
	var ids []int64
	for _, p := range above {
		doubtful[p] = latestMarks(before[accountMark(p.Account)])
		for _, m := range doubtful[p] {
			ids = append(ids, m.payoutID)
		}
	}
	earlier, err := s.earlierPayouts(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := map[ledger.Payee]ledger.PaymentPattern{}
	for p, marks := range doubtful {
		usual := usualOf(p.Account, marks, earlier)
		if usual.Payouts >= least && p.Amount/factor >= usual.Median {
			found[p] = usual
		}
	}
	return found, nil
}

// latestMarks keeps the latest payouts where several parts had some.
func latestMarks(marks []payeeMark) []payeeMark {
	slices.SortFunc(marks, func(a, b payeeMark) int { return cmp.Compare(a.payoutID, b.payoutID) })
	return marks[max(0, len(marks)-usualMost):]
}

// paidFloor is how often an account was paid latest, and the smallest amount.
type paidFloor struct {
	payouts  int
	smallest ledger.Paise
}

func paidFloors(ctx context.Context, parts []payeePart, accounts []int64) (map[int64]paidFloor, error) {
	args, floors := numbers(accounts), map[int64]paidFloor{}
	for _, part := range parts {
		err := eachAsked(ctx, part, func(rows *sql.Rows) error {
			var account int64
			var f paidFloor
			err := rows.Scan(&account, &f.payouts, &f.smallest)
			if g, ok := floors[account]; ok {
				f = paidFloor{f.payouts + g.payouts, min(f.smallest, g.smallest)}
			}
			floors[account] = f
			return err
		}, 1, args, `SELECT p.account, count(*), min(p.amount) FROM asked CROSS JOIN payee_payouts p ON `+latestTo+` GROUP BY p.account`, 0, usualMost-1, part.upto)
		if err != nil {
			return nil, err
		}
	}
	return floors, nil
}

// usualOf sums up the payouts to the account that were paid or still may be.
func usualOf(account ledger.Account, marks []payeeMark, earlier map[int64]earlierPayout) ledger.PaymentPattern {
	var usual ledger.PaymentPattern
	var amounts []ledger.Paise
	for _, m := range marks { // in the order of loading
		if e := earlier[m.payoutID]; e.Account.Same(account) && !e.use.State.Retryable() {
			amounts, usual.Last = append(amounts, ledger.Paise(m.amount)), e.use
		}
	}
	usual.Payouts, usual.Median = len(amounts), median(amounts)
	return usual
}

// median of an even number is the mean of the middle two, rounded down.
func median(amounts []ledger.Paise) ledger.Paise {
	if len(amounts) == 0 {
		return 0
	}
	slices.Sort(amounts)
	low, high := amounts[(len(amounts)-1)/2], amounts[len(amounts)/2]
	return low + (high-low)/2
}

// latestTo joins an account with its latest payouts: none before a first one,
// none that has as many after it as the second argument says, none behind a
// last one.
const latestTo = `p.account = asked.a AND p.payout_id BETWEEN max(?, ifnull((SELECT q.payout_id FROM payee_payouts q
	WHERE q.account = asked.a ORDER BY q.payout_id DESC LIMIT 1 OFFSET ?), 0)) AND ?`

// eachPayoutTo calls fn for the latest payouts to each account, at most so
// many of each part, none before first.
func eachPayoutTo(ctx context.Context, parts []payeePart, accounts []int64, first int64, most int, fn func(payeeMark)) error {
	args := numbers(accounts)
	for _, part := range parts {
		err := eachAsked(ctx, part, func(rows *sql.Rows) error {
			var m payeeMark
			err := rows.Scan(&m.account, &m.payoutID, &m.amount)
			fn(m)
			return err
		}, 1, args, `SELECT p.account, p.payout_id, p.amount FROM asked CROSS JOIN payee_payouts p ON `+latestTo, first, most-1, part.upto)
		if err != nil {
			return err
		}
	}
	return nil
}

// eachAsked runs a query over a table "asked" with a column a, or two, a and b.
// The values go as one parameter: a statement of a thousand parameters takes
// as long to compile as to run.
func eachAsked(ctx context.Context, r reader, fn func(*sql.Rows) error, columns int, asked []any, query string, further ...any) error {
	with := `WITH asked(a) AS MATERIALIZED (SELECT value FROM json_each(?)) `
	if columns == 2 {
		with = `WITH asked(a, b) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?)) `
	}
	for chunk := range slices.Chunk(asked, columns*lookups) {
		var rows any = chunk
		if columns == 2 {
			rows = slices.Collect(slices.Chunk(chunk, 2))
		}
		list, err := json.Marshal(rows)
		if err != nil {
			return err
		}
		if err := each(ctx, r, fn, with+query, slices.Concat([]any{string(list)}, further)...); err != nil {
			return err
		}
	}
	return nil
}

// earlierPayout is a payout as findings name it.
type earlierPayout struct {
	ledger.NamedAccount
	use ledger.ReferenceUse
}

// earlierPayouts reads payouts by their numbers; 0 is none.
func (s *Store) earlierPayouts(ctx context.Context, ids []int64) (map[int64]earlierPayout, error) {
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(id int64) bool { return id == 0 })
	earlier := make(map[int64]earlierPayout, len(ids))
	return earlier, eachAsked(ctx, s.read, func(rows *sql.Rows) error {
		var id int64
		var e earlierPayout
		var at sql.NullInt64
		err := rows.Scan(&id, &e.VendorName, &e.BankAccountNumber, &e.IFSC, &e.OpenBeneficiaryID,
			&e.use.Ref, &e.use.Row, &e.use.SheetID, &e.use.SheetName, &at, &e.use.State)
		e.use.LoadedAt = fromMicros(at)
		earlier[id] = e
		return err
	}, 1, numbers(ids), `SELECT p.id, p.vendor_name, p.bank_account_number, p.ifsc, ifnull(p.open_beneficiary_id, ''), p.ref, p.row, s.id, s.name, s.loaded_at,
		ifnull((SELECT a.state FROM attempts a WHERE a.payout_id = p.id ORDER BY a.number DESC LIMIT 1), 'planned')
		FROM asked CROSS JOIN payouts p ON p.id = asked.a JOIN sheets s ON s.no = p.sheet_no`)
}

// accountMarks gives each payee's account once, in the order of the tree.
func accountMarks(payees []ledger.Payee) []int64 {
	marks := make([]int64, len(payees))
	for i, p := range payees {
		marks[i] = accountMark(p.Account)
	}
	slices.Sort(marks)
	return slices.Compact(marks)
}

func numbers(ids []int64) []any {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return args
}
