package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

// StatementQuery says which account's statement to fetch, and for which days, both included. If it names no
// sub-merchant, the configured one is used, if any. A person names the account by its name or id.
type StatementQuery = bankapi.StatementQuery

// StatementWindow is the statement of some of the requested days: the interface gives at
// most bankapi.MostStatementDays at once.
type StatementWindow = bankapi.Statement

// Statement fetches the statement of an account, window by window, with all pages. If it
// fails, it also returns the windows that it read completely before.
func (a *App) Statement(ctx context.Context, call Call, q StatementQuery) (windows []StatementWindow, err error) {
	if q.BankAccountID, err = a.account(q.BankAccountID); err != nil {
		return nil, err
	}
	q.SubMerchantID = cmp.Or(q.SubMerchantID, a.set.SubMerchantID)
	err = a.withBank(call, func(c *bankapi.Client) error {
		reading := call.progress().Begin("reading the statement", "windows")
		defer reading.End()
		return a.eachWindow(ctx, c, q, "the statement", func(w StatementWindow) {
			windows = append(windows, w)
			reading.Add(1)
		})
	})
	return windows, err
}

// eachWindow fetches a statement window by window, in order. what names it in an error.
func (a *App) eachWindow(ctx context.Context, c *bankapi.Client, q StatementQuery, what string, take func(StatementWindow)) error {
	windows, err := windowsOf(q.From, q.To)
	for _, days := range windows {
		q.From, q.To = days.From, days.To
		asked := a.env.Now() // the reading covers up to this time
		w, err := c.Statement(ctx, q)
		if err != nil {
			return notListed(what+" from "+q.From.Format(time.DateOnly)+" to "+q.To.Format(time.DateOnly), err)
		}
		w.At = asked
		take(w)
	}
	return err
}

// mostWindows is the most windows that one command fetches: ten years.
const mostWindows = 123

// StatementSince returns the first day of the longest statement that ends at to and needs only one request.
func StatementSince(to time.Time) time.Time { return to.AddDate(0, 0, 1-bankapi.MostStatementDays) }

// windowsOf splits days into windows of at most bankapi.MostStatementDays days, including the
// first and the last: it is not shown whether the interface counts both.
func windowsOf(from, to time.Time) (windows []StatementQuery, err error) {
	for !from.After(to) {
		if len(windows) == mostWindows {
			return nil, Fail(Usage, "that would be more than %d requests; ask for at most %d days at once", mostWindows, mostWindows*bankapi.MostStatementDays)
		}
		last := from.AddDate(0, 0, bankapi.MostStatementDays-1)
		if last.After(to) {
			last = to
		}
		windows = append(windows, StatementQuery{From: from, To: last})
		from = last.AddDate(0, 0, 1)
	}
	return windows, nil
}

// fetchStatement fetches the statement of an account for some days, both included, window by window. It records
// what each window gave, with the balances before and after, if the bank gives them. It never asks for future
// days, because the reading would seem to cover them; a zero to means today. If it fails, the windows before
// the error are recorded all the same, unless the clock is wrong: a reading would end too early, or seem to cover
// days to come.
func (o *operation) fetchStatement(ctx context.Context, account string, from, to time.Time) (list []ledger.StatementRead, err error) {
	today := dayOf(ledger.BankDay(o.env.Now()))
	if to.IsZero() || to.After(today) {
		to = today
	}
	var bank time.Time // by its clock
	balances, err := o.balance(ctx, account, nil)
	if err != nil {
		return nil, err
	}
	q := StatementQuery{BankAccountID: account, SubMerchantID: o.set.SubMerchantID, From: from, To: to}
	err = o.eachWindow(ctx, o.client, q, "the statement of "+o.set.AccountName(account), func(w StatementWindow) {
		w.Actor = o.call.Actor
		list, bank = append(list, w.StatementRead), w.BankTime
	})
	now := o.env.Now()
	if off := bank.Sub(now); from.After(today) || !bank.IsZero() && off.Abs() > time.Hour && ledger.BankDay(bank) != ledger.BankDay(now) {
		return nil, Fail(BankUnanswered, "by this machine's clock it is %s, and by the bank or the ledger %s: the statement was not recorded",
			ledger.BankDay(now), cmp.Or(ledger.BankDay(bank), from.Format(time.DateOnly))).Then(setClock())
	}
	if err == nil {
		balances, err = o.balance(ctx, account, balances)
	}
	for i := range list {
		list[i].Balances = balances
		if _, failed := o.store.RecordStatement(context.WithoutCancel(ctx), list[i]); failed != nil { // keep what was read
			return list, errors.Join(err, failed)
		}
	}
	return list, err
}

// balance appends the account's balance now to those before. If the bank does not give it,
// it appends nothing: only a decision about the statement needs it.
func (o *operation) balance(ctx context.Context, account string, before []ledger.BalanceRead) ([]ledger.BalanceRead, error) {
	list, err := o.client.Balances(ctx, bankapi.BalanceQuery{BankAccountID: account, SubMerchantID: o.set.SubMerchantID})
	if err != nil && (errors.Is(err, ledger.ErrUnauthorized) || ctx.Err() != nil) {
		return before, err
	}
	if b, given := ledger.First(list, func(b ledger.Balance) bool { return strings.EqualFold(b.BankAccountID, account) }); given { // UUIDs
		before = append(before, ledger.BalanceRead{Balance: b.Balance, At: o.env.Now()})
	}
	return before, nil
}

// ReadStatement implements submitter.Statements: it fetches and records the bank's own statement. If the bank ever
// gave entries for the account, recorded or in a part of this answer, an answer without entries is no answer, and
// not ErrNoStatement.
func (o *operation) ReadStatement(ctx context.Context, account string, since time.Time) error {
	reads, err := o.fetchStatement(ctx, account, dayOf(ledger.BankDay(since)), time.Time{})
	if err != nil {
		o.warn("%v", err)
		return err
	}
	without := slices.IndexFunc(reads, func(r ledger.StatementRead) bool { return r.Shape != ledger.ShapeEntries })
	if without < 0 {
		return nil
	}
	kept, err := o.store.Statements(ctx, account)
	if err != nil {
		return err
	}
	gives := slices.ContainsFunc(kept, func(k ledger.KeptStatement) bool {
		return k.Source == ledger.FromInterface && k.Shape == ledger.ShapeEntries
	})
	what := withoutEntries(reads[without])
	if gives {
		return errors.New(what)
	}
	return fmt.Errorf("%w: %s", submitter.ErrNoStatement, what)
}

// withoutEntries says what the bank gave instead of a statement.
func withoutEntries(r ledger.StatementRead) string {
	what := "the bank only promises it (HTTP 202)"
	if r.Shape == ledger.ShapeOther {
		what = "the bank answers with payouts instead of entries"
	}
	if len(r.RequestIDs) > 0 {
		what += ", request " + strings.Join(r.RequestIDs, ", ")
	}
	return what
}
