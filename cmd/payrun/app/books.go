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
	"payrun/ledger/threeway"
	"payrun/submitter"
)

// books are the bank's statement of an account as people decide on it (safety.md,
// "Setting aside", 3): fetched anew each time, with the balance before and after,
// and recorded as any other reading. It judges nothing: ledger.Books does.
type books struct{ *operation }

// openingDays is how many days before the time in question are read as well: the
// last entry in them tells what the account held when it began.
const openingDays = 29

// Statement is submitter.Books'.
func (b books) Statement(ctx context.Context, account string, since time.Time) (ledger.Books, error) {
	from, today := b.day(since), b.day(b.env.Now())
	out := ledger.Books{BankAccountID: account, From: b.begins(from), To: b.begins(today.AddDate(0, 0, 1)), ReadAt: b.env.Now()}
	reads, err := b.fetchStatement(ctx, account, from.AddDate(0, 0, -openingDays), today)
	if err != nil {
		return out, err
	}
	for _, r := range reads {
		if r.Shape != ledger.ShapeEntries {
			return out, fmt.Errorf("%w: %s", submitter.ErrNoStatement, withoutEntries(r))
		}
	}
	if len(reads) == 0 || len(reads[0].Balances) < 2 {
		return out, errors.New("the bank did not say what the account holds")
	}
	out.Closed, out.Before, out.After = true, reads[0].Balances[0].Balance, reads[0].Balances[1].Balance
	entries := whole(reads)
	first := slices.IndexFunc(entries, func(e ledger.StatementEntry) bool { return e.Day() >= from.Format(time.DateOnly) })
	if first < 0 {
		first = len(entries)
	}
	if first > 0 {
		out.Opening, out.HasOpening = entries[first-1].Closing, true
	}
	m, err := b.matcherOf(ctx, account)
	if err != nil {
		return out, err
	}
	if out.Entries, err = b.bookEntries(ctx, m, account, entries[first:]); err != nil {
		return out, err
	}
	if out.Owed, err = b.owed(ctx, m, account, entries); err != nil {
		return out, err
	}
	known, err := b.store.Statements(ctx, account)
	out.UnchangedSince = unchangedSince(known, out.After)
	return out, err
}

// withoutEntries says what came in place of a statement.
func withoutEntries(r ledger.StatementRead) string {
	what := "the bank only promises it (HTTP 202)"
	if r.Shape == ledger.ShapeOther {
		what = "the bank answers with payouts in place of entries"
	}
	if len(r.RequestIDs) > 0 {
		what += ", request " + strings.Join(r.RequestIDs, ", ")
	}
	return what
}

// begins is the first moment of a day where the days are counted.
func (o *operation) begins(day time.Time) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, o.set.Timezone.At)
}

// whole puts the windows of one statement together, oldest first. What two of them
// have, by the bank's own id, is one entry.
func whole(reads []ledger.StatementRead) (entries []ledger.StatementEntry) {
	have := map[ledger.EntryKey]bool{}
	for _, r := range reads {
		for _, k := range r.Kept() {
			if k.Nth == 0 || k.TransactionID != "" && have[k.EntryKey] {
				continue
			}
			have[k.EntryKey] = true
			entries = append(entries, k.StatementEntry)
		}
	}
	return entries
}

// bookEntries gives entries as books have them, each debit with the payout whose
// UTR or reference it carries, where the amount is that payout's and no other debit
// was before. Of a credit they say whether it carries the name of a payout.
func (b books) bookEntries(ctx context.Context, m *threeway.Matcher, account string, entries []ledger.StatementEntry) ([]ledger.BookEntry, error) {
	out := make([]ledger.BookEntry, 0, len(entries))
	named := map[ledger.AttemptKey]int{} // place in out
	for i := range entries {
		e := &entries[i]
		at, err := e.At(b.set.Timezone.At)
		if err != nil {
			return nil, err
		}
		words := []string{e.Reference, e.Remarks}
		for _, d := range e.Details {
			words = append(words, d.Reference, d.Remarks)
		}
		of, amount, ok := m.Named(account, e)
		if _, before := named[of]; ok && e.Debit && amount == e.Amount && !before {
			named[of] = len(out)
		}
		entry := ledger.BookEntry{At: at, Debit: e.Debit, Amount: e.Amount, Balance: e.Closing, Words: words}
		switch {
		case e.Debit:
		case ok:
			entry.Explained = "it carries the name of a payout"
		case len(e.Details) > 0:
			entry.Explained = "it is made of several"
		}
		out = append(out, entry)
	}
	if len(named) == 0 {
		return out, nil
	}
	err := b.store.EachPayout(ctx, ledger.Filter{Attempts: true}, func(a ledger.Attempt) error {
		if i, ok := named[a.Key()]; ok {
			out[i].Matched = a.WireRef
		}
		return nil
	})
	return out, err
}

// owed are the debits of payouts that the bank does not call paid, and that no credit
// of their name gives back.
func (b books) owed(ctx context.Context, m *threeway.Matcher, account string, entries []ledger.StatementEntry) (list []ledger.Owed, err error) {
	open := map[ledger.AttemptKey]int{}
	for i := range entries {
		of, amount, ok := m.Named(account, &entries[i])
		switch {
		case !ok || amount != entries[i].Amount:
		case entries[i].Debit:
			open[of]++
		default:
			open[of]--
		}
	}
	if len(open) == 0 {
		return nil, nil
	}
	err = b.store.EachPayout(ctx, ledger.Filter{Attempts: true}, func(a ledger.Attempt) error {
		for n := open[a.Key()]; n > 0 && a.State != ledger.PayoutSuccess; n-- {
			list = append(list, ledger.Owed{WireRef: a.WireRef, Amount: a.Amount})
		}
		return nil
	})
	return list, err
}

// matcherOf knows every payout of a debit account by its names.
func (o *operation) matcherOf(ctx context.Context, account string) (*threeway.Matcher, error) {
	m := threeway.New(threeway.Settings{Now: o.env.Now(), Zone: o.set.Timezone.At})
	all, err := o.store.Batches(ctx, ledger.Filter{})
	if err != nil {
		return nil, err
	}
	for _, batch := range all {
		if batch.BankAccountID == account {
			m.Batch(batch)
		}
	}
	return m, o.store.EachPayout(ctx, ledger.Filter{Attempts: true}, func(a ledger.Attempt) error { m.Attempt(&a); return nil })
}

// unchangedSince is the first of the readings of the balance, all of them this one
// up to the newest; zero where there is only one.
func unchangedSince(reads []ledger.KeptStatement, balance ledger.Paise) (since time.Time) {
	var all []ledger.BalanceRead
	for _, r := range reads {
		all = append(all, r.Balances...)
	}
	slices.SortStableFunc(all, func(a, b ledger.BalanceRead) int { return cmp.Compare(a.At.UnixMicro(), b.At.UnixMicro()) })
	for i := len(all) - 1; i >= 0 && all[i].Balance == balance; i-- {
		since = all[i].At
	}
	return since
}
