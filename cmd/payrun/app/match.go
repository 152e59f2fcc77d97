package app

import (
	"context"
	"slices"
	"time"

	"payrun/ledger"
	"payrun/ledger/reconcile"
)

// match holds every statement on record against every payout. It is nil where the
// ledger has no statement. It asks no clock: the same ledger gives the same.
func (o *operation) match(ctx context.Context) (*reconcile.Result, error) {
	reads, err := o.store.Statements(ctx, "")
	if err != nil || len(reads) == 0 {
		return nil, err
	}
	set, err := o.matching(ctx)
	if err != nil {
		return nil, err
	}
	return o.store.Reconciled(ctx, set)
}

// matching is what it depends on besides the ledger. Its clock is the newest event.
func (o *operation) matching(ctx context.Context) (reconcile.Settings, error) {
	head, err := o.store.AuditHead(ctx)
	return reconcile.Settings{Now: head.At, Grace: o.set.Reconcile.StatementGrace.Std(), PayrunOnly: o.set.Reconcile.Account.PayrunOnly()}, err
}

// overlap is by how many days a statement is asked for again: entries may come
// late.
const overlap = 3

// statementFrom is from which day on the statement of an account matters: from the
// day before its first submit, or where statements are on record from the first
// payout that none shows yet, and a few days before the newest of them.
func (o *operation) statementFrom(account string, submits []ledger.Batch, reads []ledger.KeptStatement, known *reconcile.Result) (from time.Time, ok bool) {
	var covered string
	for _, r := range reads {
		if r.BankAccountID == account && r.Source == ledger.FromInterface && r.Shape == ledger.ShapeEntries {
			covered = max(covered, r.To)
		}
	}
	for _, b := range submits {
		at := b.SubmittedAt
		if at.IsZero() {
			at = b.StateSince
		}
		if day := bankDay(at).AddDate(0, 0, -1); b.BankAccountID == account && (!ok || day.Before(from)) {
			from, ok = day, true
		}
	}
	if !ok || covered == "" {
		return from, ok
	}
	last, err := time.Parse(time.DateOnly, covered)
	if err != nil {
		return from, ok
	}
	from = later(from, last.AddDate(0, 0, -overlap))
	if known == nil {
		return from, true
	}
	for _, a := range known.Accounts {
		if wanted, err := time.Parse(time.DateOnly, a.Wanted); err == nil && a.BankAccountID == account && wanted.AddDate(0, 0, -1).Before(from) {
			from = wanted.AddDate(0, 0, -1)
		}
	}
	return from, true
}

// bankDay is the bank's day of a moment, at its beginning in UTC.
func bankDay(t time.Time) time.Time {
	day, _ := time.Parse(time.DateOnly, ledger.BankDay(t)) // which writes it so
	return day
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// matchAnew is match, after it asked again about payouts that came back by the statement, however long
// they are final.
func (o *operation) matchAnew(ctx context.Context) (*reconcile.Result, error) {
	r, err := o.match(ctx)
	if err != nil || r == nil {
		return r, err
	}
	back := batchesWith(r, ledger.ReturnedInStatement)
	if len(back) == 0 {
		return r, nil
	}
	if _, err := o.engine.Poll(ctx, back, 0); err != nil {
		return r, engineFailed(err)
	}
	return o.match(ctx)
}

// batchesWith are the batches that have an exception of a kind.
func batchesWith(r *reconcile.Result, kind ledger.Attention) (ids []string) {
	for _, e := range r.Exceptions {
		if e.Kind == kind && !slices.Contains(ids, e.BatchID) {
			ids = append(ids, e.BatchID)
		}
	}
	return ids
}
