package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"math"
	"slices"
	"time"

	"payrun/ledger"
)

// paidMost is how many of an account's latest payouts PaidSince reads: an account that receives every payment
// must not stop the check.
const paidMost = 10_000

// payees implements ledger.Payees. It answers from the index of payees and, for the payouts after the index,
// from marks in memory that the first call makes.
type payees struct {
	*Tables
	fold     func(name string) string
	prepared bool
	upto     int64  // the last payout of the index that counts
	last     int64  // the last payout of the ledger that counts
	without  string // payouts of the sheet of this batch do not count; "": all count
	tail     payeeMarks
	moved    map[int64][]payeeMark // the latest corrections of payouts; the index has what they were before

	accounts []int64    // of the last call: each chunk of a sheet makes two calls in a row
	latest   payeeMarks // the latest payouts to each of these accounts

	unpaid map[int64]bool // payouts that failed, came back or were cancelled; nil until PaidElsewhere is called
	doubts *doubts        // nil until LockedLike is called
}

// latestMost is how many of an account's latest payouts are read at once. Nearly every account has fewer.
const latestMost = 100

// Payees returns what is known about earlier payees. Two names are the same if fold gives the same for both; a
// name that folds to "" is no name. Always use the same fold for a ledger: the index depends on it.
func (s *Tables) Payees(fold func(name string) string) ledger.Payees {
	return &payees{Tables: s, fold: fold}
}

// PayeesWithout is Payees without the sheet of a batch; but see marksOfSent.
func (s *Tables) PayeesWithout(fold func(name string) string, batchID string) ledger.Payees {
	return &payees{Tables: s, fold: fold, without: batchID}
}

// Some implements ledger.Payees.
func (p *payees) Some(ctx context.Context) (bool, error) {
	some, err := p.prepare(ctx)
	return some, damage("look for payees", err)
}

// PaidSince implements ledger.Payees. It reads the 10,000 latest payouts to an account.
func (p *payees) PaidSince(ctx context.Context, payees []ledger.Payee, since time.Time, withUse bool) (found map[ledger.Payee]ledger.ReferenceUse, err error) {
	defer func() { err = damage("look for payees paid lately", err) }()
	if some, err := p.prepare(ctx); err != nil || !some {
		return nil, err
	}
	var first sql.NullInt64
	err = p.db.QueryRow(ctx, `SELECT min(first_payout) FROM sheets WHERE loaded_at >= ?`, since.UnixMicro()).Scan(&first)
	if err != nil {
		return nil, err
	}
	d, err := p.mayBeLocked(ctx)
	if err != nil || !first.Valid && len(d.ids) == 0 {
		return nil, err
	}
	asked := askAbout(payees)
	paid := map[payeeAsked][]int64{} // the payouts to each
	note := func(m payeeMark) {
		if a := (payeeAsked{m.account, m.amount}); len(asked[a]) > 0 && (first.Valid && m.payoutID >= first.Int64 || d.ids[m.payoutID]) && !p.correctedAway(m) {
			paid[a] = append(paid[a], m.payoutID)
		}
	}
	accounts := asked.accounts()
	marks, err := p.latestTo(ctx, accounts)
	if err != nil {
		return nil, err
	}
	var busy []int64 // accounts that may have more payouts
	for _, account := range accounts {
		of := marks.to(account)
		if len(of) >= latestMost {
			busy = append(busy, account)
		}
		for _, m := range of {
			note(m)
		}
	}
	if err := p.eachPayment(ctx, busy, 0, paidMost, note); err != nil {
		return nil, err
	}
	var payouts map[int64]ledger.PastPayout
	if withUse {
		var ids []int64
		for a, of := range paid {
			slices.Sort(of)
			of = slices.Compact(of) // an account with many payouts is read twice
			paid[a] = of[max(0, len(of)-paidCompared):]
			ids = append(ids, paid[a]...)
		}
		if payouts, err = p.PastPayouts(ctx, ids); err != nil {
			return nil, err
		}
	}
	found = make(map[ledger.Payee]ledger.ReferenceUse, len(paid))
	for a, of := range paid {
		for _, payee := range asked[a] {
			if !withUse {
				found[payee] = ledger.ReferenceUse{}
				continue
			}
			for _, id := range of { // the latest last
				past := payouts[id]
				if best, some := found[payee]; past.ByNumber().Same(payee.ByNumber()) && (d.ids[id] || !past.Use.LoadedAt.Before(since)) && (!some || mayBePaid(past.Use.State) >= mayBePaid(best.State)) {
					found[payee] = past.Use
				}
			}
		}
	}
	return found, nil
}

// paidCompared is how many of the latest payouts of an amount to a payee PaidSince compares.
const paidCompared = 16

// mayBePaid ranks the state of a payout by how much it speaks against paying again: 2 for a paid one, 1 for one that
// may still be paid, 0 for one that surely was not.
func mayBePaid(s ledger.PayoutState) int {
	switch {
	case s == ledger.PayoutSuccess:
		return 2
	case s.Retryable():
		return 0
	}
	return 1
}

// payeeAsked is a payee as marks of the index.
type payeeAsked struct{ account, amount int64 }

// askedPayees are the payees of one call.
type askedPayees map[payeeAsked][]ledger.Payee

func askAbout(payees []ledger.Payee) askedPayees {
	asked := make(askedPayees, len(payees))
	for _, p := range payees {
		a := payeeAsked{ledger.AccountMark(p.ByNumber()), int64(p.Amount)}
		asked[a] = append(asked[a], p)
	}
	return asked
}

// accounts returns the accounts of the payees, sorted, each once.
func (a askedPayees) accounts() []int64 {
	accounts := make([]int64, 0, len(a))
	for of := range a {
		accounts = append(accounts, of.account)
	}
	return inOrder(accounts)
}

// correctedAway reports whether a mark is of a payout before its correction: it paid nothing to that account.
func (p *payees) correctedAway(m payeeMark) bool {
	is, moved := p.moved[m.payoutID]
	return moved && !slices.ContainsFunc(is, func(o payeeMark) bool { return o.account == m.account && o.amount == m.amount })
}

// neverPaid returns those of the accounts to which every earlier payout failed, came back or was cancelled.
// The accounts must be sorted.
func (p *payees) neverPaid(ctx context.Context, accounts []int64) (map[int64]bool, error) {
	marks, err := p.latestTo(ctx, accounts)
	if err == nil && p.unpaid == nil {
		p.unpaid, err = pairs[int64, bool](ctx, p.db, `SELECT a.payout_id, 1 FROM attempts a INDEXED BY attempts_apart WHERE `+apartStates+` AND a.state <> 'disputed' AND `+latest)
	}
	never := map[int64]bool{}
	for _, account := range accounts {
		of := marks.to(account)
		never[account] = len(of) > 0 && len(of) < latestMost &&
			!slices.ContainsFunc(of, func(m payeeMark) bool { return !p.unpaid[m.payoutID] && !p.correctedAway(m) })
	}
	return never, err
}

// inOrder returns the marks sorted, each once: neighbours share a page.
func inOrder(marks []int64) []int64 {
	slices.Sort(marks)
	return slices.Compact(marks)
}

// LatestPayments implements ledger.Payees.
func (p *payees) LatestPayments(ctx context.Context, accounts []ledger.Account, most int) (found map[ledger.Account][]ledger.Payment, err error) {
	defer func() { err = damage("look for payments", err) }()
	if some, err := p.prepare(ctx); err != nil || !some {
		return nil, err
	}
	hashes := ledger.ListOf(accounts, ledger.AccountMark)
	paid, err := p.latestTo(ctx, inOrder(slices.Clone(hashes)))
	found = map[ledger.Account][]ledger.Payment{}
	for i, a := range accounts {
		latest := paid.to(hashes[i])
		latest = latest[max(0, len(latest)-most):] // the index and the tail may have most each
		if len(latest) > 0 {
			found[a] = ledger.ListOf(latest, func(m payeeMark) ledger.Payment {
				return ledger.Payment{PayoutID: m.payoutID, Amount: ledger.Paise(m.amount)}
			})
		}
	}
	return found, err
}

// latestTo returns the latest payouts to these accounts. The accounts must be sorted.
func (p *payees) latestTo(ctx context.Context, accounts []int64) (payeeMarks, error) {
	if slices.Equal(accounts, p.accounts) {
		return p.latest, nil
	}
	var marks []payeeMark
	err := p.eachPayment(ctx, accounts, 0, latestMost, func(m payeeMark) { marks = append(marks, m) })
	if err == nil {
		slices.SortFunc(marks, byAccount)
		p.accounts, p.latest = accounts, payeeMarks{byAccount: marks}
	}
	return p.latest, err
}

// eachPayment calls fn for the latest payouts to each account, in any order. The accounts must be sorted. It
// leaves out payouts before first. For each account it reads no more than most from the index and from the
// tail.
func (p *payees) eachPayment(ctx context.Context, accounts []int64, first int64, most int, fn func(payeeMark)) error {
	for _, account := range accounts {
		marks := p.tail.to(account)
		for _, m := range marks[max(0, len(marks)-most):] {
			if m.payoutID >= first {
				fn(m)
			}
		}
	}
	if p.upto == 0 {
		return nil
	}
	return eachAsked(ctx, p.db, func(m *payeeMark) []any { return []any{&m.account, &m.payoutID, &m.amount} }, fn, accounts, askedValues+`SELECT p.account, p.payout_id, p.amount FROM asked CROSS JOIN payee_payouts p
		ON p.account = asked.a AND p.payout_id BETWEEN ifnull((SELECT q.payout_id FROM payee_payouts q
			WHERE q.account = asked.a AND q.payout_id BETWEEN ? AND ? ORDER BY q.payout_id DESC LIMIT 1 OFFSET ?), ?) AND ?`, first, p.upto, most-1, first, p.upto)
}

// PaidElsewhere implements ledger.Payees.
func (p *payees) PaidElsewhere(ctx context.Context, named []ledger.NamedAccount, most int) (found map[ledger.NamedAccount][]ledger.Payment, err error) {
	defer func() { err = damage("look for payees with another account", err) }()
	if some, err := p.prepare(ctx); err != nil || !some {
		return nil, err
	}
	type pair [2]int64 // name and account
	at := map[pair][]ledger.NamedAccount{}
	accounts := make([]int64, len(named))
	for i, n := range named {
		m := pair{ledger.NameMark(p.fold(n.VendorName)), ledger.AccountMark(n.Account)}
		at[m], accounts[i] = append(at[m], n), m[1]
	}
	unpaid, err := p.neverPaid(ctx, inOrder(accounts))
	if err != nil {
		return nil, err
	}
	elsewhere := map[int64][]pair{} // by name
	var asked []pair
	for m := range at {
		_, behind := slices.BinarySearchFunc(p.tail.of(m[0]), m[1], func(t payeeMark, account int64) int { return cmp.Compare(t.account, account) })
		switch {
		case m[0] == ledger.NoName:
		case unpaid[m[1]]:
			elsewhere[m[0]] = append(elsewhere[m[0]], m)
		case !behind:
			asked = append(asked, m)
		}
	}
	slices.SortFunc(asked, func(a, b pair) int { return slices.Compare(a[:], b[:]) }) // neighbours share a page
	err = eachAsked(ctx, p.db, func(m *pair) []any { return []any{&m[0], &m[1]} }, func(m pair) {
		elsewhere[m[0]] = append(elsewhere[m[0]], m)
	}, asked, `WITH asked(a, b) AS MATERIALIZED (SELECT CAST(value ->> 0 AS bigint), CAST(value ->> 1 AS bigint) FROM json_each(?)) SELECT a, b FROM asked
		WHERE NOT EXISTS (SELECT 1 FROM payee_names n WHERE n.name = a AND n.account = b AND n.payout_id <= ?)`, p.upto)
	if err != nil {
		return nil, err
	}
	first := map[int64]map[int64]ledger.Payment{} // by name and account
	for name := range elsewhere {
		first[name] = map[int64]ledger.Payment{}
		for _, m := range p.tail.of(name) {
			first[name][m.account] = ledger.Payment{PayoutID: m.payoutID}
		}
	}
	err = eachAsked(ctx, p.db, func(m *payeeMark) []any { return []any{&m.name, &m.account, &m.payoutID} }, func(m payeeMark) {
		first[m.name][m.account] = ledger.Payment{PayoutID: m.payoutID} // it is earlier than those after the index
	}, slices.Sorted(maps.Keys(elsewhere)), askedValues+`SELECT n.name, n.account, n.payout_id FROM asked CROSS JOIN payee_names n
		ON n.name = asked.a AND n.payout_id <= ? AND n.account <= ifnull((SELECT q.account FROM payee_names q
			WHERE q.name = asked.a AND q.payout_id <= ? ORDER BY q.account LIMIT 1 OFFSET ?), ?)`, p.upto, p.upto, most, int64(math.MaxInt64))
	found = map[ledger.NamedAccount][]ledger.Payment{}
	for name, pairs := range elsewhere {
		for _, m := range pairs {
			var payments []ledger.Payment
			for account, payment := range first[name] {
				if account != m[1] {
					payments = append(payments, payment)
				}
			}
			if len(payments) == 0 || len(payments) > most {
				continue
			}
			for _, n := range at[m] {
				found[n] = payments
			}
		}
	}
	return found, err
}

// PastPayouts implements ledger.Payees. It returns what the latest attempt of a payout sends: nothing was paid to
// another account.
func (p *payees) PastPayouts(ctx context.Context, ids []int64) (map[int64]ledger.PastPayout, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	payouts := make(map[int64]ledger.PastPayout, len(ids))
	type row struct {
		ledger.Payout
		use ledger.ReferenceUse
	}
	err := eachAsked(ctx, p.db, func(p *row) []any {
		return append([]any{&p.ID, &p.use.Ref, &p.use.Row, &p.use.SheetID, &p.use.SheetName, moment{&p.use.LoadedAt}, &p.use.State}, corrections.fields(&p.Payout)...)
	}, func(p row) {
		payouts[p.ID] = ledger.PastPayout{NamedAccount: ledger.NamedAccount{VendorName: p.VendorName, Account: p.AccountOf()}, Amount: p.Amount, Use: p.use}
	}, ids, askedValues+`SELECT p.id, p.ref, p.row, s.id, s.name, s.loaded_at,
		`+attemptState+`, `+sentColumns+`
		FROM asked CROSS JOIN payouts p ON p.id = asked.a JOIN sheets s ON s.no = p.sheet_no LEFT JOIN attempts a ON a.payout_id = p.id AND `+latest+corrected)
	return payouts, damage("read earlier payouts", err)
}

// PayeePayouts returns the numbers of the payouts to a payee, in the order of loading: to each account that was
// paid under a name, or to one account, by their marks. For each account it returns the latest, no more than
// most. Marks may collide, so the caller checks the payee.
func (s *Tables) PayeePayouts(ctx context.Context, fold func(name string) string, name, account int64, most int) (ids []int64, err error) {
	defer func() { err = damage("look for the payouts of a payee", err) }()
	p := &payees{Tables: s, fold: fold}
	if some, err := p.prepare(ctx); err != nil || !some {
		return nil, err
	}
	accounts := []int64{account}
	if name != ledger.NoName {
		accounts, err = list(ctx, s.db, itself[int64], `SELECT account FROM payee_names WHERE name = ?`, name)
		for _, m := range p.tail.of(name) {
			accounts = append(accounts, m.account)
		}
	}
	if err != nil {
		return nil, err
	}
	err = p.eachPayment(ctx, inOrder(accounts), 0, most, func(m payeeMark) { ids = append(ids, m.payoutID) })
	return inOrder(ids), err
}

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
		UNION ALL SELECT a.payout_id, CASE WHEN a.state = 'success' OR `+apartStates+` THEN 0 ELSE 1 END FROM batches b CROSS JOIN attempts a ON a.batch_no = b.no WHERE `+inProgress+`
		UNION ALL SELECT payout_id, 0 FROM (`+oddPayouts+`) odd) doubts GROUP BY id`)
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
		return a.Amount == payee.Amount && a.AccountOf().ByNumber().Same(payee.ByNumber())
	})
}
