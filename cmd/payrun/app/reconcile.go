package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/ledger/reconcile"
)

// ReconcileRequest says of which days the statements are asked for. Zero: those
// that matter.
type ReconcileRequest struct {
	Since, Until time.Time // days at their beginning in UTC, both included
	Dir          string    // of the reports; "" for that of the day
}

// Reconciled is the result.
type Reconciled struct {
	Statements *reconcile.Result // nil where no statement is on record
	Reports    []string
}

// Reconcile polls, fetches the statements of the days that matter, holds all that
// is on record against the payouts, and writes the reports.
func (a *App) Reconcile(ctx context.Context, call Call, req ReconcileRequest) (done *Reconciled, err error) {
	err = a.write(ctx, call, func(o *operation) error {
		if req.Since.After(dayOf(ledger.BankDay(o.env.Now()))) {
			return Fail(Usage, "%s is in the future; nothing was done", req.Since.Format(time.DateOnly))
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		results, engine := o.poll(ctx, nil, 0)
		var failed error
		if engine == nil {
			failed = o.fetchStatements(ctx, req)
		}
		if engine == nil && ctx.Err() == nil && !errors.Is(failed, ledger.ErrUnauthorized) {
			var err error
			if done, err = o.reconciled(ctx, req); err == nil {
				err = mismatch(done.Statements)
			}
			failed = errors.Join(failed, notRead(results), err)
		}
		_, waits := o.done(ctx, results, scope{everywhere: true, past: true}, engine) // after the statements were read
		return errors.Join(waits, failed)
	})
	return done, err
}

// fetchStatements asks for the statement of each debit account from which something
// was submitted. That of one account is no reason not to ask for another's.
func (o *operation) fetchStatements(ctx context.Context, req ReconcileRequest) error {
	defer o.call.progress().Begin("reading the statements", "").End()
	all, err := o.store.Batches(ctx, ledger.Filter{})
	if err != nil {
		return err
	}
	submits := slices.DeleteFunc(all, func(b ledger.Batch) bool { return !b.PerhapsSubmitted() })
	known, err := o.match(ctx)
	if err != nil {
		return err
	}
	reads, err := o.store.Statements(ctx, "")
	if err != nil {
		return err
	}
	var failed error
	for _, account := range accountsOf(submits) {
		from := cmp.Or(req.Since, dayOf(o.statementFrom(account, submits, reads, known)))
		_, err := o.fetchStatement(ctx, account, from, req.Until)
		if failed = errors.Join(failed, err); errors.Is(err, ledger.ErrUnauthorized) || err != nil && Worst(err).Code == Usage || ctx.Err() != nil {
			return failed
		}
	}
	return failed
}

// accountsOf are the debit accounts of batches, in the order in which they occur.
func accountsOf(batches []ledger.Batch) (ids []string) {
	for _, b := range batches {
		if !slices.Contains(ids, b.BankAccountID) {
			ids = append(ids, b.BankAccountID)
		}
	}
	return ids
}

// reconciled compares, and writes the reports. It asks the bank again about payouts that came back by the
// statement, however long they are final, and then compares again.
func (o *operation) reconciled(ctx context.Context, req ReconcileRequest) (*Reconciled, error) {
	r, err := o.match(ctx)
	if err != nil {
		return nil, err
	}
	var back []string // batches
	if r != nil {
		for _, e := range r.Exceptions {
			if e.Kind == ledger.ReturnedInStatement && !slices.Contains(back, e.BatchID) {
				back = append(back, e.BatchID)
			}
		}
	}
	if len(back) > 0 {
		if _, err := o.engine.Poll(ctx, back, 0); err != nil {
			return nil, err
		}
		if r, err = o.match(ctx); err != nil {
			return nil, err
		}
	}
	reports, err := o.writeReports(ctx, ReportRequest{Dir: req.Dir, Statements: r})
	if err != nil {
		return nil, err
	}
	return &Reconciled{r, reports}, nil
}

// mismatch is the error of what statements and payouts do not tell alike, or nil:
// one for each kind that an exit code has, and one for balances that break.
func mismatch(r *reconcile.Result) error {
	if r == nil {
		return nil
	}
	var failures []error
	for i := 0; i < len(r.Exceptions); {
		var t ledger.Tally
		kind := r.Exceptions[i].Kind
		first := r.Exceptions[i]
		for ; i < len(r.Exceptions) && r.Exceptions[i].Kind == kind; i++ {
			t.Add(r.Exceptions[i].Amount)
		}
		row := rowOf(kind)
		if code, ok := codes[row.Exit]; ok {
			e := Fail(code, "%s: %s (%s)", ledger.Lowered(row.Title), ledger.Counted(t.Count, "line", "lines"), t.Total.Rupees()).About(kind)
			if t.Count == 1 {
				e.Then(Say("%s", first.Detail))
			}
			failures = append(failures, e.Then(Say("%s", row.Do)))
		}
	}
	if r.Unexplained != 0 {
		failures = append(failures, Fail(Mismatch, "the balances of the statements break by %s that no line explains", r.Unexplained.Rupees()).
			Then(Say("money moved on the account, and no recorded statement shows it: ask the bank for the statement of those days, and import it")))
	}
	return errors.Join(failures...)
}

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
	return reconcile.Settings{Now: head.At, Grace: o.set.Reconcile.StatementGrace.Std(), PayrunOnly: o.set.Reconcile.Account == config.PayrunOnly}, err
}

// overlap is by how many days a statement is asked for again: entries may come
// late.
const overlap = 3

// statementFrom is from which day on the statement of an account matters: from the
// day before its first submit, or where statements are on record from the first
// payout that none shows yet, and a few days before the newest of them.
func (o *operation) statementFrom(account string, submits []ledger.Batch, reads []ledger.KeptStatement, known *reconcile.Result) (from string) {
	for _, b := range submits {
		at := b.SubmittedAt
		if at.IsZero() {
			at = b.StateSince
		}
		if day := ledger.DayPlus(ledger.BankDay(at), -1); b.BankAccountID == account && (from == "" || day < from) {
			from = day
		}
	}
	covered := ""
	for _, r := range reads {
		if r.BankAccountID == account && r.Source == ledger.FromInterface && r.Shape == ledger.ShapeEntries {
			covered = max(covered, r.To)
		}
	}
	if covered == "" {
		return from
	}
	from = max(from, ledger.DayPlus(covered, -overlap))
	if known == nil {
		return from
	}
	for _, a := range known.Accounts {
		if a.BankAccountID == account && a.Wanted != "" {
			from = min(from, ledger.DayPlus(a.Wanted, -1))
		}
	}
	return from
}

// dayOf is a day, YYYY-MM-DD, at its beginning in UTC.
func dayOf(day string) time.Time {
	t, _ := time.Parse(time.DateOnly, day) // a day of the ledger is one
	return t
}
