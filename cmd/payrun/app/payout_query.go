package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/reports"
	"payrun/validate"
)

// PayoutQuery says which payouts a person looks for, and in which order. Each payout comes
// once, with its latest attempt; Text may match an earlier one.
type PayoutQuery struct {
	Text        string // as in Find; "" for any
	States      []ledger.PayoutState
	SheetID     string
	Account     string    // bank_account_id of the debit account
	From, Until time.Time // planned at or after From and before Until; zero: no bound
	Sort        PayoutSort
}

// PayoutSort is an order of payouts.
type PayoutSort string

// The orders.
const (
	NewestFirst   PayoutSort = ""
	OldestFirst   PayoutSort = "oldest"
	LargestFirst  PayoutSort = "largest"
	SmallestFirst PayoutSort = "smallest"
	ByPayee       PayoutSort = "payee"
)

// PayoutSorts lists all orders.
var PayoutSorts = [...]PayoutSort{NewestFirst, OldestFirst, LargestFirst, SmallestFirst, ByPayee}

// PayoutPage is one page of the payouts found.
type PayoutPage struct {
	Rows   []PayoutRow
	All    ledger.Tally // of all pages
	States map[ledger.PayoutState]ledger.Tally
}

// FindPayouts returns the payouts of a query after the first behind ones, at most most of them. It
// also counts and sums all that the query finds.
func (a *App) FindPayouts(ctx context.Context, call Call, q PayoutQuery, behind, most int) (PayoutPage, error) {
	return reading(ctx, a, call, func(o *operation) (p PayoutPage, err error) {
		f := q.filter()
		add := func(row PayoutRow) error { p.Rows = append(p.Rows, row); return nil }
		if !q.gathers() {
			if p.States, err = o.store.SumPayouts(ctx, f); err != nil {
				return p, err
			}
			maps.DeleteFunc(p.States, func(state ledger.PayoutState, _ ledger.Tally) bool {
				return len(q.States) > 0 && !slices.Contains(q.States, state)
			})
			if p.All = sumOfStates(p.States); p.All.Count <= behind || most == 0 {
				return p, nil
			}
			f.Skip, f.Most = behind, most
			err = o.payouts(ctx, f, add)
			return p, err
		}
		found, err := o.gather(ctx, q)
		if err != nil {
			return p, err
		}
		p.States = map[ledger.PayoutState]ledger.Tally{}
		for _, one := range found {
			tallied(p.States, one.state, one.amount)
		}
		p.All = sumOfStates(p.States)
		found = found[min(behind, len(found)):]
		err = o.eachFound(ctx, found[:min(most, len(found))], add)
		return p, err
	})
}

func (q PayoutQuery) filter() ledger.Filter {
	return ledger.Filter{SheetID: q.SheetID, States: q.States, Account: q.Account, From: q.From, Until: q.Until, Newest: q.Sort != OldestFirst}
}

// gathers reports whether everything has to be read before the first payout is known.
func (q PayoutQuery) gathers() bool {
	return strings.TrimSpace(q.Text) != "" || q.Sort != NewestFirst && q.Sort != OldestFirst
}

// foundPayout holds what a found payout is sorted and summed up by.
type foundPayout struct {
	id     int64
	amount ledger.Paise
	state  ledger.PayoutState
	name   string
}

// gather returns what a query finds, in its order.
func (o *operation) gather(ctx context.Context, q PayoutQuery) (found []foundPayout, err error) {
	f := q.filter()
	if word := strings.TrimSpace(q.Text); word != "" {
		if f.Payouts, err = o.mentioned(ctx, word, q.SheetID); err != nil || len(f.Payouts) == 0 {
			return nil, err
		}
	}
	err = o.store.EachPayout(ctx, f, func(at ledger.Attempt) error {
		one := foundPayout{id: at.ID, amount: at.Amount, state: at.State}
		if q.Sort == ByPayee {
			one.name = validate.FoldName(at.VendorName)
		}
		found = append(found, one)
		return nil
	})
	switch q.Sort {
	case LargestFirst:
		slices.SortStableFunc(found, func(a, b foundPayout) int { return cmp.Compare(b.amount, a.amount) })
	case SmallestFirst:
		slices.SortStableFunc(found, func(a, b foundPayout) int { return cmp.Compare(a.amount, b.amount) })
	case ByPayee:
		slices.SortStableFunc(found, func(a, b foundPayout) int { return cmp.Compare(a.name, b.name) })
	}
	return found, err
}

// mentioned returns the numbers of the payouts with an attempt that Find would find for the word.
func (o *operation) mentioned(ctx context.Context, word, sheetID string) (ids []int64, err error) {
	for _, f := range searches(word, sheetID) {
		err = o.store.EachPayout(ctx, f, func(at ledger.Attempt) error { ids = append(ids, at.ID); return nil })
		if err != nil || len(ids) > 0 {
			break
		}
	}
	return slices.Compact(ids), err
}

// foundAtOnce is how many found payouts are read together.
const foundAtOnce = 1000

// eachFound reads found payouts in the order of the list.
func (o *operation) eachFound(ctx context.Context, found []foundPayout, each EachPayout) error {
	for some := range slices.Chunk(found, foundAtOnce) {
		ids := ledger.ListOf(some, func(f foundPayout) int64 { return f.id })
		rows := make(map[int64]PayoutRow, len(ids)) // by the number of the payout
		err := o.payouts(ctx, ledger.Filter{Payouts: ids}, func(row PayoutRow) error { rows[row.ID] = row; return nil })
		for _, id := range ids {
			if row, there := rows[id]; there && err == nil {
				err = each(row)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func sumOfStates(states map[ledger.PayoutState]ledger.Tally) (all ledger.Tally) {
	for _, t := range states {
		all = all.Plus(t)
	}
	return all
}

// WriteFound writes the payouts of a query as a CSV or a workbook. Account numbers are masked unless
// full is set; then the caller records that they are given out: RecordFound.
func (a *App) WriteFound(ctx context.Context, call Call, q PayoutQuery, workbook, full bool, w io.Writer) error {
	list := reports.List{Zone: a.set.Timezone.At, Account: a.set.AccountName, Full: full}
	each := func(fn func(ledger.Attempt) error) error {
		give := func(row PayoutRow) error { return fn(row.Attempt) }
		return a.read(ctx, call, func(o *operation) error {
			if !q.gathers() {
				return o.payouts(ctx, q.filter(), give)
			}
			found, err := o.gather(ctx, q)
			if err != nil {
				return err
			}
			return o.eachFound(ctx, found, give)
		})
	}
	if workbook {
		return list.WriteXLSX(w, a.env.Now(), each)
	}
	return list.WriteCSV(w, each)
}

// RecordFound allows a person to get the result of a query with account numbers in full, and
// records this with the place they asked from.
func (a *App) RecordFound(ctx context.Context, call Call, q PayoutQuery, from string) error {
	p, err := a.FindPayouts(ctx, call, q, 0, 0)
	if err != nil {
		return err
	}
	return a.recordGiven(ctx, call, trusted, from, "payouts that were looked for, "+ledger.CountedPayouts(p.All.Count))
}

// shortestTail is how many characters of an account number's end are needed to find it.
const shortestTail = 4

// Find calls each for every attempt that matches a person's word: a part of its reference,
// of its UTR or of the payee's name, the end of the payee's account number, or the full
// amount. Earlier attempts match too. If the word is a whole reference or UTR, only that
// payout matches, and it is found at once.
func (a *App) Find(ctx context.Context, call Call, word string, each EachPayout) error {
	for _, f := range searches(word, "") {
		found := false
		err := a.Payouts(ctx, call, f, func(row PayoutRow) error {
			found = true
			return each(row)
		})
		if err != nil || found {
			return err
		}
	}
	return nil
}

// searches returns two filters. The second is used only if the first finds nothing: a whole
// reference or UTR, then everything that the word may match.
func searches(word, sheetID string) [2]ledger.Filter {
	part := ledger.Filter{SheetID: sheetID, Attempts: true, Find: finder(word)}
	whole := part
	whole.Exact = validate.RefKey(strings.TrimSpace(word))
	return [...]ledger.Filter{whole, part}
}

// finder returns a function that reports whether a payout matches the word.
func finder(word string) func(*ledger.Particulars) bool {
	word = strings.TrimSpace(word)
	key, name, tail := validate.RefKey(word), validate.FoldName(word), strings.ToUpper(word)
	amount, err := ParseAmount(strings.TrimSpace(strings.TrimPrefix(word, "₹")))
	within := func(text string) bool { return key != "" && strings.Contains(validate.RefKey(text), key) }
	return func(p *ledger.Particulars) bool {
		switch {
		case within(p.Ref), within(p.UTR):
			return true
		case name != "" && strings.Contains(validate.FoldName(p.VendorName), name):
			return true
		case len(word) >= shortestTail && strings.HasSuffix(strings.ToUpper(p.BankAccountNumber), tail):
			return true
		}
		return err == nil && p.Amount == amount
	}
}

// PayeeID identifies a payee in an address: by the mark of the folded name, or of the account
// if there is no name.
func PayeeID(p ledger.NamedAccount) string {
	if name := ledger.NameMark(validate.FoldName(p.VendorName)); name != ledger.NoName {
		return fmt.Sprintf("n%016x", uint64(name))
	}
	return fmt.Sprintf("a%016x", uint64(ledger.AccountMark(p.Account)))
}

// PayeeStory says what was paid to a payee, and to which accounts.
type PayeeStory struct {
	Name     string         // from the latest payout; "" if it has none
	Accounts []PayeeAccount // latest first
	States   map[ledger.PayoutState]ledger.Tally
	All      ledger.Tally
	Rows     []PayoutRow // newest first
}

// PayeeAccount is an account of a payee, and what was paid there.
type PayeeAccount struct {
	ledger.Account
	First, Last time.Time // when the first and the latest payout were planned
	All, Paid   ledger.Tally
}

// payeeMost is how many of the latest payouts to each account a payee's story shows.
const payeeMost = 1000

// Payee returns the story of a payee by their id; ledger.ErrNotFound if the ledger has no payout to them.
func (a *App) Payee(ctx context.Context, call Call, id string) (PayeeStory, error) {
	return reading(ctx, a, call, func(o *operation) (p PayeeStory, err error) {
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
		err = o.payouts(ctx, ledger.Filter{Payouts: ids, Newest: true}, func(row PayoutRow) error {
			if PayeeID(ledger.NamedAccount{VendorName: row.VendorName, Account: row.AccountOf()}) == id { // else another name at the same account
				p.add(row)
			}
			return nil
		})
		if err == nil && len(p.Rows) == 0 {
			err = none
		}
		return p, err
	})
}

func (p *PayeeStory) add(row PayoutRow) {
	if len(p.Rows) == 0 {
		p.Name = row.VendorName
	}
	p.Rows = append(p.Rows, row)
	same := func(a PayeeAccount) bool { return a.Same(row.AccountOf()) }
	to := ledger.FirstOrNew(&p.Accounts, same, PayeeAccount{Account: row.AccountOf(), Last: row.Planned})
	to.First = row.Planned
	if row.State == ledger.PayoutSuccess {
		to.Paid.Add(row.Amount)
	}
	tallied(p.States, row.State, row.Amount)
	to.All.Add(row.Amount)
	p.All.Add(row.Amount)
}
