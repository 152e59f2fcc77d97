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

// paidMost is how many of an account's latest payouts PaidSince looks at: an
// account that everybody is paid through must not stop the check.
const paidMost = 10_000

// payees implements ledger.Payees. It answers from the index of payees and,
// for the payouts behind the index, from marks in memory that the first
// question makes.
type payees struct {
	*Store
	fold   func(name string) string
	looked bool
	upto   int64  // the last payout of the index that counts
	last   int64  // the last payout of the ledger that counts
	before string // only payouts of sheets before that of this batch count; "" for all
	tail   payeeMarks
	moved  map[int64]payeeMark // what payouts were last corrected to: the index has them as they were before, too

	lately lately

	doubtful *doubtful // nil until LockedLike is asked
}

// lately are the latest payouts to each of some accounts. One chunk of a sheet is
// asked about twice in a row.
type lately struct {
	accounts []int64     // in order, each once; nil for none
	marks    []payeeMark // by account and payout
}

// latelyMost is how many of an account's latest payouts are read at once: nearly
// every account has fewer.
const latelyMost = 100

// Payees returns what is known of who was paid before. Two names are one when
// fold gives the same for both; what it folds to "" names nobody. One ledger,
// one fold: the index is made by it too. Several goroutines may fold.
func (s *Store) Payees(fold func(name string) string) ledger.Payees {
	return &payees{Store: s, fold: fold}
}

// PayeesBefore is Payees as they were before the sheet of a batch was loaded.
func (s *Store) PayeesBefore(fold func(name string) string, batchID string) ledger.Payees {
	return &payees{Store: s, fold: fold, before: batchID}
}

// Anybody implements ledger.Payees.
func (p *payees) Anybody(ctx context.Context) (bool, error) {
	some, err := p.look(ctx)
	return some, damage("look for payees", err)
}

// PaidSince implements ledger.Payees. It looks at the 10,000 latest payouts to
// an account.
func (p *payees) PaidSince(ctx context.Context, payees []ledger.Payee, since time.Time, told bool) (map[ledger.Payee]ledger.ReferenceUse, error) {
	found, err := p.paidSince(ctx, payees, since, told)
	return found, damage("look for payees paid lately", err)
}

func (p *payees) paidSince(ctx context.Context, payees []ledger.Payee, since time.Time, told bool) (map[ledger.Payee]ledger.ReferenceUse, error) {
	if some, err := p.look(ctx); err != nil || !some {
		return nil, err
	}
	var first sql.NullInt64
	err := p.read.QueryRowContext(ctx, `SELECT min(first_payout) FROM sheets WHERE loaded_at >= ?`, since.UnixMicro()).Scan(&first)
	if err != nil || !first.Valid {
		return nil, err
	}
	asked := askAbout(payees)
	latest := map[payeeAsked]int64{} // payout
	note := func(m payeeMark) {
		if a := (payeeAsked{m.account, m.amount}); len(asked[a]) > 0 && m.payoutID >= first.Int64 && !p.correctedAway(m) {
			latest[a] = max(latest[a], m.payoutID)
		}
	}
	more, err := p.eachLately(ctx, asked.accounts(), note)
	if err == nil {
		err = p.eachPayment(ctx, more, first.Int64, paidMost, note)
	}
	if err != nil {
		return nil, err
	}
	found := make(map[ledger.Payee]ledger.ReferenceUse, len(latest))
	if !told {
		for a := range latest {
			for _, payee := range asked[a] {
				found[payee] = ledger.ReferenceUse{}
			}
		}
		return found, nil
	}
	payouts, err := p.pastPayouts(ctx, slices.Collect(maps.Values(latest)))
	if err != nil {
		return nil, err
	}
	for a, id := range latest {
		past, ok := payouts[id]
		for _, payee := range asked[a] {
			if ok && past.Same(payee.Account) && !past.Use.LoadedAt.Before(since) {
				found[payee] = past.Use
			}
		}
	}
	return found, nil
}

// payeeAsked is a payee as the index knows it.
type payeeAsked struct{ account, amount int64 }

// askedPayees are payees that are asked about.
type askedPayees map[payeeAsked][]ledger.Payee

func askAbout(payees []ledger.Payee) askedPayees {
	asked := make(askedPayees, len(payees))
	for _, p := range payees {
		a := payeeAsked{accountMark(p.Account), int64(p.Amount)}
		asked[a] = append(asked[a], p)
	}
	return asked
}

// accounts are theirs, in order, each once.
func (a askedPayees) accounts() []int64 {
	accounts := make([]int64, 0, len(a))
	for of := range a {
		accounts = append(accounts, of.account)
	}
	return inOrder(accounts)
}

// correctedAway reports a mark of what a payout was before it was corrected: nothing
// was paid by it there.
func (p *payees) correctedAway(m payeeMark) bool {
	is, moved := p.moved[m.payoutID]
	return moved && (is.account != m.account || is.amount != m.amount)
}

// inOrder gives each of them once, in order: neighbours lie on the same page.
func inOrder(marks []int64) []int64 {
	slices.Sort(marks)
	return slices.Compact(marks)
}

// latest reads into lately the latest payouts to these accounts, which are in order, if it
// has not.
func (p *payees) latest(ctx context.Context, accounts []int64) error {
	if slices.Equal(accounts, p.lately.accounts) {
		return nil
	}
	p.lately = lately{marks: p.lately.marks[:0]}
	err := p.eachPayment(ctx, accounts, 0, latelyMost, func(m payeeMark) { p.lately.marks = append(p.lately.marks, m) })
	slices.SortFunc(p.lately.marks, byAccount)
	if err == nil {
		p.lately.accounts = accounts
	}
	return err
}

// eachLately calls fn for the latest payouts to these accounts, which are in order, and
// gives those that may have more.
func (p *payees) eachLately(ctx context.Context, accounts []int64, fn func(payeeMark)) (more []int64, err error) {
	if err := p.latest(ctx, accounts); err != nil {
		return nil, err
	}
	n := 0
	for i, m := range p.lately.marks {
		fn(m)
		if n++; i > 0 && p.lately.marks[i-1].account != m.account {
			n = 1
		}
		if n == latelyMost {
			more = append(more, m.account)
		}
	}
	return more, nil
}

// LatestPayments implements ledger.Payees.
func (p *payees) LatestPayments(ctx context.Context, accounts []ledger.Account, least, most int) (map[ledger.Account][]ledger.Payment, error) {
	if some, err := p.look(ctx); err != nil || !some {
		return nil, damage("look for payments", err)
	}
	marks := make([]int64, len(accounts))
	for i, a := range accounts {
		marks[i] = accountMark(a)
	}
	if err := p.latest(ctx, inOrder(slices.Clone(marks))); err != nil {
		return nil, damage("look for payments", err)
	}
	most = min(most, latelyMost)
	paid := p.lately.marks
	of := map[int64][]ledger.Payment{}
	for first, end := 0, 0; first < len(paid); first = end {
		for end = first; end < len(paid) && paid[end].account == paid[first].account; end++ {
		}
		first = max(first, end-most) // the index and the tail may each have most
		if end-first < least {
			continue
		}
		payments := make([]ledger.Payment, end-first)
		for i, m := range paid[first:end] {
			payments[i] = ledger.Payment{PayoutID: m.payoutID, Amount: ledger.Paise(m.amount)}
		}
		of[paid[first].account] = payments
	}
	found := make(map[ledger.Account][]ledger.Payment, len(of))
	for i, a := range accounts {
		if latest := of[marks[i]]; len(latest) > 0 {
			found[a] = latest
		}
	}
	return found, nil
}

// eachPayment calls fn for the latest payouts to each account, which are in order, in any
// order: none before first, at most so many of the index and of the tail.
func (p *payees) eachPayment(ctx context.Context, accounts []int64, first int64, most int, fn func(payeeMark)) error {
	if err := p.eachIndexed(ctx, accounts, first, most, fn); err != nil {
		return err
	}
	for _, account := range accounts {
		marks := p.tail.to(account)
		for _, m := range marks[max(0, len(marks)-most):] {
			if m.payoutID >= first {
				fn(m)
			}
		}
	}
	return nil
}

// latestIndexed finds the payouts to accounts in the index: those between two, and of
// each account only the latest that count.
var latestIndexed = askNumbers(1, `SELECT p.account, p.payout_id, p.amount FROM asked CROSS JOIN payee_payouts p
	ON p.account = asked.a AND p.payout_id BETWEEN max(?, ifnull((SELECT q.payout_id FROM payee_payouts q
		WHERE q.account = asked.a AND q.payout_id <= ? ORDER BY q.payout_id DESC LIMIT 1 OFFSET ?), 0)) AND ?`)

// eachIndexed asks the index about the accounts.
func (p *payees) eachIndexed(ctx context.Context, accounts []int64, first int64, most int, fn func(payeeMark)) error {
	if p.upto == 0 {
		return nil
	}
	return latestIndexed.each(ctx, p.read, func(rows *sql.Rows) error {
		var m payeeMark
		err := rows.Scan(&m.account, &m.payoutID, &m.amount)
		fn(m)
		return err
	}, 1, accounts, first, p.upto, most-1, p.upto)
}

// notPaidThere finds the names and accounts of which the index has not both together,
// and tells whether it has the name.
var notPaidThere = askNumbers(2, `SELECT a, b, EXISTS (SELECT 1 FROM payee_names n WHERE n.name = asked.a AND n.payout_id <= ?) FROM asked
	WHERE a IS NOT NULL AND NOT EXISTS (SELECT 1 FROM payee_names n WHERE n.name = asked.a AND n.account = asked.b AND n.payout_id <= ?)`)

// PaidElsewhere implements ledger.Payees.
func (p *payees) PaidElsewhere(ctx context.Context, named []ledger.NamedAccount) (map[ledger.NamedAccount]bool, error) {
	found, err := p.paidElsewhere(ctx, named)
	return found, damage("look for payees with another account", err)
}

func (p *payees) paidElsewhere(ctx context.Context, named []ledger.NamedAccount) (map[ledger.NamedAccount]bool, error) {
	if some, err := p.look(ctx); err != nil || !some {
		return nil, err
	}
	type pair struct{ name, account int64 }
	type askedName struct {
		pair
		at int // among those that were given
	}
	asked := make([]askedName, 0, len(named))
	for i := range named {
		if name := nameMark(p.fold(named[i].VendorName)); name != noName {
			asked = append(asked, askedName{pair{name, accountMark(named[i].Account)}, i})
		}
	}
	slices.SortFunc(asked, func(a, b askedName) int {
		if a.name != b.name {
			return cmp.Compare(a.name, b.name)
		}
		return cmp.Compare(a.account, b.account)
	})
	asked = slices.DeleteFunc(asked, func(a askedName) bool { return paidAt(p.tail.of(a.name), a.account) })
	elsewhere := map[pair]bool{}
	var numbers []int64 // of the pairs that the index may know
	for i, a := range asked {
		switch {
		case i > 0 && a.pair == asked[i-1].pair:
		case p.upto == 0: // only the tail knows anything
			elsewhere[a.pair] = len(p.tail.of(a.name)) > 0
		default:
			numbers = append(numbers, a.name, a.account)
		}
	}
	err := notPaidThere.each(ctx, p.read, func(rows *sql.Rows) error {
		var a pair
		var indexed bool // the name, at some account
		err := rows.Scan(&a.name, &a.account, &indexed)
		elsewhere[a] = indexed || len(p.tail.of(a.name)) > 0
		return err
	}, 2, numbers, p.upto, p.upto)
	found := map[ledger.NamedAccount]bool{}
	for _, a := range asked {
		if elsewhere[a.pair] {
			found[named[a.at]] = true
		}
	}
	return found, err
}

// AccountsOf implements ledger.Payees.
func (p *payees) AccountsOf(ctx context.Context, names []string, most int) (map[string][]ledger.Payment, error) {
	found, err := p.accountsOf(ctx, names, most)
	return found, damage("look for payees by name", err)
}

func (p *payees) accountsOf(ctx context.Context, names []string, most int) (map[string][]ledger.Payment, error) {
	if some, err := p.look(ctx); err != nil || !some {
		return nil, err
	}
	accounts := map[int64]map[int64]ledger.Payment{} // by name and account
	for _, name := range names {
		if m := nameMark(p.fold(name)); m != noName {
			accounts[m] = map[int64]ledger.Payment{}
		}
	}
	err := eachAsked(ctx, p.read, func(rows *sql.Rows) error {
		var m payeeMark
		err := rows.Scan(&m.name, &m.account, &m.payoutID)
		accounts[m.name][m.account] = ledger.Payment{PayoutID: m.payoutID}
		return err
	}, slices.Sorted(maps.Keys(accounts)), askedValues+`SELECT n.name, n.account, n.payout_id FROM asked CROSS JOIN payee_names n
		ON n.name = asked.a AND n.payout_id <= ? AND n.account <= ifnull((SELECT q.account FROM payee_names q
			WHERE q.name = asked.a AND q.payout_id <= ? ORDER BY q.account LIMIT 1 OFFSET ?), ?)`, p.upto, p.upto, most, int64(math.MaxInt64))
	if err != nil {
		return nil, err
	}
	found := map[string][]ledger.Payment{}
	for _, name := range names {
		of, ok := accounts[nameMark(p.fold(name))]
		if !ok {
			continue
		}
		for _, m := range p.tail.of(nameMark(p.fold(name))) {
			if len(of) > most {
				break
			}
			if _, indexed := of[m.account]; !indexed {
				of[m.account] = ledger.Payment{PayoutID: m.payoutID}
			}
		}
		if len(of) > 0 {
			found[name] = slices.Collect(maps.Values(of))
		}
	}
	return found, nil
}

// PastPayouts implements ledger.Payees. What was corrected is as it was last: to
// what stood there before nothing was paid.
func (p *payees) PastPayouts(ctx context.Context, ids []int64) (map[int64]ledger.PastPayout, error) {
	payouts, err := p.pastPayouts(ctx, ids)
	return payouts, damage("read earlier payouts", err)
}

func (p *payees) pastPayouts(ctx context.Context, ids []int64) (map[int64]ledger.PastPayout, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	payouts := make(map[int64]ledger.PastPayout, len(ids))
	return payouts, eachAsked(ctx, p.read, func(rows *sql.Rows) error {
		var id int64
		var past ledger.PastPayout
		var at sql.NullInt64
		err := rows.Scan(&id, &past.Amount, &past.VendorName, &past.BankAccountNumber, &past.IFSC, &past.OpenBeneficiaryID,
			&past.Use.Ref, &past.Use.Row, &past.Use.SheetID, &past.Use.SheetName, &at, &past.Use.State)
		past.Use.LoadedAt = fromMicros(at)
		payouts[id] = past
		return err
	}, ids, askedValues+`SELECT p.id, ifnull(c.amount, p.amount), ifnull(c.vendor_name, p.vendor_name), ifnull(c.bank_account_number, p.bank_account_number), ifnull(c.ifsc, p.ifsc),
		ifnull(iif(c.number IS NULL, p.open_beneficiary_id, c.open_beneficiary_id), ''), p.ref, p.row, s.id, s.name, s.loaded_at,
		ifnull((SELECT a.state FROM attempts a WHERE a.payout_id = p.id ORDER BY a.number DESC LIMIT 1), 'planned')
		FROM asked CROSS JOIN payouts p ON p.id = asked.a JOIN sheets s ON s.no = p.sheet_no
		LEFT JOIN corrections c ON c.payout_id = p.id AND c.number = (SELECT max(number) FROM corrections WHERE payout_id = p.id)`)
}
