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
	if err := b.fill(ctx, &out, m, entries, first); err != nil {
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

// fill puts entries into the books, those from first on as their own, and what the
// bank owes by all of them. A debit is matched to the payout whose UTR or reference it
// carries, where the amount is that payout's and no other debit was before; of a credit
// the books say whether it carries the name of a payout.
func (b books) fill(ctx context.Context, out *ledger.Books, m *threeway.Matcher, entries []ledger.StatementEntry, first int) error {
	named := map[ledger.AttemptKey]int{} // place in out.Entries
	open := map[ledger.AttemptKey]int{}  // debits by name that no credit of the name gives back
	out.Entries = make([]ledger.BookEntry, 0, len(entries)-first)
	for i := range entries {
		e := &entries[i]
		of, amount, ok := m.Named(out.BankAccountID, e)
		exactly := ok && amount == e.Amount
		switch {
		case exactly && e.Debit:
			open[of]++
		case exactly:
			open[of]--
		}
		if i < first {
			continue
		}
		if _, before := named[of]; exactly && e.Debit && !before {
			named[of] = len(out.Entries)
		}
		entry, err := b.bookEntry(e, ok)
		if err != nil {
			return err
		}
		out.Entries = append(out.Entries, entry)
	}
	if len(open) == 0 {
		return nil
	}
	return b.store.EachPayout(ctx, ledger.Filter{Attempts: true}, func(a ledger.Attempt) error {
		if i, ok := named[a.Key()]; ok {
			out.Entries[i].Matched = a.WireRef
		}
		for n := open[a.Key()]; n > 0 && a.State != ledger.PayoutSuccess; n-- {
			out.Owed = append(out.Owed, ledger.Owed{WireRef: a.WireRef, Amount: a.Amount})
		}
		return nil
	})
}

// bookEntry is an entry as books have it, but for the payout that it is matched to;
// named says that it carries the name of one.
func (b books) bookEntry(e *ledger.StatementEntry, named bool) (ledger.BookEntry, error) {
	at, err := e.At(b.set.Timezone.At)
	words := []string{e.Reference, e.Remarks}
	for _, d := range e.Details {
		words = append(words, d.Reference, d.Remarks)
	}
	entry := ledger.BookEntry{At: at, Debit: e.Debit, Amount: e.Amount, Balance: e.Closing, Words: words}
	switch {
	case e.Debit:
	case named:
		entry.Explained = "it carries the name of a payout"
	case len(e.Details) > 0:
		entry.Explained = "it is made of several"
	}
	return entry, err
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
