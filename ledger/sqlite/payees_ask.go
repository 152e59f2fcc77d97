package sqlite

import (
	"context"
	"database/sql"
	"maps"
	"math"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

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
	type paid struct{ account, amount int64 }
	markOf := func(payee ledger.Payee) paid { return paid{accountMark(payee.Account), int64(payee.Amount)} }
	latest := make(map[paid]int64, len(payees))
	accounts := make([]int64, len(payees))
	for i, payee := range payees {
		m := markOf(payee)
		latest[m], accounts[i] = 0, m.account
	}
	note := func(m payeeMark) {
		if p.correctedAway(m) {
			return
		}
		if at, ok := latest[paid{m.account, m.amount}]; ok && m.payoutID > at && m.payoutID >= first.Int64 {
			latest[paid{m.account, m.amount}] = m.payoutID
		}
	}
	if err := p.latest(ctx, accounts); err != nil {
		return nil, err
	}
	var more []int64 // accounts of which others may be as late
	for from, to := 0, 0; from < len(p.lately.marks); from = to {
		late := 0
		for to = from; to < len(p.lately.marks) && p.lately.marks[to].account == p.lately.marks[from].account; to++ {
			if note(p.lately.marks[to]); p.lately.marks[to].payoutID >= first.Int64 {
				late++
			}
		}
		if late >= latelyMost {
			more = append(more, p.lately.marks[from].account)
		}
	}
	if err := p.eachPayment(ctx, more, first.Int64, paidMost, note); err != nil {
		return nil, err
	}
	maps.DeleteFunc(latest, func(_ paid, id int64) bool { return id == 0 })
	found := make(map[ledger.Payee]ledger.ReferenceUse, len(latest))
	if !told {
		for _, payee := range payees {
			if _, some := latest[markOf(payee)]; some {
				found[payee] = ledger.ReferenceUse{}
			}
		}
		return found, nil
	}
	payouts, err := p.pastPayouts(ctx, slices.Collect(maps.Values(latest)))
	if err != nil {
		return nil, err
	}
	for _, payee := range payees {
		past, ok := payouts[latest[markOf(payee)]]
		if ok && past.Same(payee.Account) && !past.Use.LoadedAt.Before(since) {
			found[payee] = past.Use
		}
	}
	return found, nil
}

// correctedAway reports a mark of what a payout was before it was corrected: nothing
// was paid by it there.
func (p *payees) correctedAway(m payeeMark) bool {
	is, moved := p.moved[m.payoutID]
	return moved && (is.account != m.account || is.amount != m.amount)
}

// latest reads into lately the latest payouts to these accounts, if it has not.
func (p *payees) latest(ctx context.Context, accounts []int64) error {
	accounts = slices.Compact(slices.Sorted(slices.Values(accounts)))
	if slices.Equal(accounts, p.lately.accounts) {
		return nil
	}
	p.lately.accounts, p.lately.marks = nil, p.lately.marks[:0]
	err := p.eachPayment(ctx, accounts, 0, latelyMost, func(m payeeMark) { p.lately.marks = append(p.lately.marks, m) })
	slices.SortFunc(p.lately.marks, byAccount)
	p.lately.accounts = accounts
	if err != nil {
		p.lately.accounts = nil
	}
	return err
}

// LatestPayments implements ledger.Payees.
func (p *payees) LatestPayments(ctx context.Context, accounts []ledger.Account, most int) (map[ledger.Account][]ledger.Payment, error) {
	if some, err := p.look(ctx); err != nil || !some {
		return nil, damage("look for payments", err)
	}
	marks := make([]int64, len(accounts))
	for i, a := range accounts {
		marks[i] = accountMark(a)
	}
	var paid []payeeMark
	var err error
	if most <= latelyMost {
		err = p.latest(ctx, marks)
		paid = p.lately.marks
	} else {
		err = p.eachPayment(ctx, marks, 0, most, func(m payeeMark) { paid = append(paid, m) })
		slices.SortFunc(paid, byAccount)
	}
	if err != nil {
		return nil, damage("look for payments", err)
	}
	payments := make([]ledger.Payment, len(paid)) // one array for all accounts
	of := make(map[int64][]ledger.Payment, len(accounts))
	for i, first := 0, 0; i < len(paid); i++ {
		payments[i] = ledger.Payment{PayoutID: paid[i].payoutID, Amount: ledger.Paise(paid[i].amount)}
		if i+1 == len(paid) || paid[i+1].account != paid[i].account {
			of[paid[i].account] = payments[max(first, i+1-most) : i+1 : i+1] // the index and the tail may each have most
			first = i + 1
		}
	}
	found := make(map[ledger.Account][]ledger.Payment, len(of))
	for i, a := range accounts {
		if latest := of[marks[i]]; len(latest) > 0 {
			found[a] = latest
		}
	}
	return found, nil
}

// eachPayment calls fn for the latest payouts to each account, in any order:
// none before first, at most so many of the index and of the tail.
func (p *payees) eachPayment(ctx context.Context, accounts []int64, first int64, most int, fn func(payeeMark)) error {
	accounts = slices.Compact(slices.Sorted(slices.Values(accounts))) // neighbours lie on the same page
	if err := p.eachIndexed(ctx, accounts, first, most, fn); err != nil {
		return err
	}
	tail := p.tail.to()
	for _, account := range accounts {
		marks := tail.find(account)
		for _, m := range marks[max(0, len(marks)-most):] {
			if m.payoutID >= first {
				fn(m)
			}
		}
	}
	return nil
}

// latestIndexed finds the payouts to accounts in the index: those between two, and of
// each account only the latest.
var latestIndexed = askNumbers(1, `SELECT p.account, p.payout_id, p.amount FROM asked CROSS JOIN payee_payouts p
	ON p.account = asked.a AND p.payout_id BETWEEN max(?, ifnull((SELECT q.payout_id FROM payee_payouts q
		WHERE q.account = asked.a ORDER BY q.payout_id DESC LIMIT 1 OFFSET ?), 0)) AND ?`)

// eachIndexed asks the index about the accounts, some on each core.
func (p *payees) eachIndexed(ctx context.Context, accounts []int64, first int64, most int, fn func(payeeMark)) error {
	if p.upto == 0 {
		return nil
	}
	chunks := slices.Collect(slices.Chunk(accounts, lookups))
	found := make([][]payeeMark, len(chunks))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(min(readers, runtime.GOMAXPROCS(0)))
	for i, chunk := range chunks {
		g.Go(func() error {
			return latestIndexed.each(ctx, p.read, func(rows *sql.Rows) error {
				var m payeeMark
				err := rows.Scan(&m.account, &m.payoutID, &m.amount)
				found[i] = append(found[i], m)
				return err
			}, 1, chunk, first, most-1, p.upto)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, some := range found {
		for _, m := range some {
			fn(m)
		}
	}
	return nil
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
	marks := make(map[ledger.NamedAccount][2]int64, len(named))
	for _, n := range named {
		if name := nameMark(p.fold(n.VendorName)); name != noName {
			marks[n] = [2]int64{name, accountMark(n.Account)}
		}
	}
	asked := slices.SortedFunc(maps.Values(marks), func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
	tail := p.tail.of()
	asked = slices.DeleteFunc(slices.Compact(asked), func(pair [2]int64) bool { return paidAt(tail.find(pair[0]), pair[1]) })
	elsewhere := map[[2]int64]bool{}
	if p.upto == 0 { // only the tail knows anything
		for _, pair := range asked {
			elsewhere[pair] = len(tail.find(pair[0])) > 0
		}
		asked = nil
	}
	numbers := make([]int64, 0, 2*len(asked))
	for _, pair := range asked {
		numbers = append(numbers, pair[:]...)
	}
	err := notPaidThere.each(ctx, p.read, func(rows *sql.Rows) error {
		var pair [2]int64
		var indexed bool // the name, at some account
		err := rows.Scan(&pair[0], &pair[1], &indexed)
		elsewhere[pair] = indexed || len(tail.find(pair[0])) > 0
		return err
	}, 2, numbers, p.upto, p.upto)
	found := map[ledger.NamedAccount]bool{}
	for n, pair := range marks {
		if elsewhere[pair] {
			found[n] = true
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
	tail := p.tail.of()
	for _, name := range names {
		of, ok := accounts[nameMark(p.fold(name))]
		if !ok {
			continue
		}
		for _, m := range tail.find(nameMark(p.fold(name))) {
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
