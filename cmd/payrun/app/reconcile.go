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

// ReconcileRequest says for which days to fetch the statements. Zero: the days that matter.
type ReconcileRequest struct {
	Since, Until time.Time // each day by its start in UTC, both included
	Dir          string    // of the reports; "" for the folder of the day
}

// Reconciled is the result of Reconcile.
type Reconciled struct {
	Statements *reconcile.Result // nil if no statement is recorded
	Reports    []string
}

// Reconcile polls, fetches the statements of the days that matter, compares all recorded
// statements with the payouts, and writes the reports.
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
		_, waits := o.done(ctx, results, scope{everywhere: true, past: true, compared: true}, engine) // after the statements were read
		return errors.Join(waits, failed)
	})
	return done, err
}

// fetchStatements fetches the statement of each debit account from which something was
// submitted. If one account fails, it still asks for the others.
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
	accounts := ledger.ListOf(submits, func(b ledger.Batch) string { return b.BankAccountID })
	slices.Sort(accounts)
	var failed error
	for _, account := range slices.Compact(accounts) {
		from := cmp.Or(req.Since, dayOf(o.statementFrom(account, submits, reads, known)))
		_, err := o.fetchStatement(ctx, account, from, req.Until)
		if failed = errors.Join(failed, err); errors.Is(err, ledger.ErrUnauthorized) || err != nil && Worst(err).Code == Usage || ctx.Err() != nil {
			return failed
		}
	}
	return failed
}

// reconciled compares, and writes the reports. If the statement shows that payouts came back, it first asks
// the bank about them again, even if they have long been final, and compares once more.
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

// mismatch returns the errors for all differences between statements and payouts, or nil.
func mismatch(r *reconcile.Result) error {
	if r == nil {
		return nil
	}
	failures := exceptions(r.Exceptions)
	if r.Unexplained != 0 {
		failures = append(failures, Fail(Mismatch, "the balances of the statements break by %s that no line explains", r.Unexplained.Rupees()).
			Then(Say("money moved on the account, and no recorded statement shows it: ask the bank for the statement of those days, and import it")))
	}
	return errors.Join(failures...)
}

// exceptions returns an error for each kind of exception that has an exit code. Those of a kind are together.
func exceptions(list []reconcile.Exception) (failures []error) {
	for len(list) > 0 {
		first, n := list[0], 0
		var t ledger.Tally
		var refs []string
		for ; n < len(list) && list[n].Kind == first.Kind; n++ {
			t.Add(list[n].Amount)
			refs = append(refs, ledger.Plain(list[n].WireRef))
		}
		list = list[n:]
		row := first.Kind.Row()
		code, ok := codes[row.Exit]
		if !ok {
			continue
		}
		what := ledger.Counted(n, "line", "lines")
		if first.WireRef != "" {
			what = ledger.CountedPayouts(n) + ", " + some(refs, 3)
		}
		e := Fail(code, "%s: %s (%s)", ledger.Lowered(row.Title), what, t.Total.Rupees()).About(row.Kind)
		if n == 1 && first.Detail != "" {
			e.Then(Say("%s", first.Detail))
		}
		e.Then(Say("%s", row.Do))
		switch {
		case row.Kind == ledger.PayoutContradicted:
			e.Then(Do("payouts", "--attempts", "--state", "disputed").Which("lists them"))
		case first.WireRef != "":
			e.Then(Do("status", first.WireRef))
		}
		failures = append(failures, e)
	}
	return failures
}

// match compares every recorded statement with every payout. It returns nil if the ledger
// has no statement. It uses no clock: the same ledger gives the same result.
func (o *operation) match(ctx context.Context) (*reconcile.Result, error) {
	reads, err := o.store.Statements(ctx, "")
	if err != nil || len(reads) == 0 {
		return nil, err
	}
	return o.store.Reconciled(ctx, o.matching())
}

// matching returns what the result depends on apart from the ledger.
func (o *operation) matching() reconcile.Settings {
	return reconcile.Settings{Grace: o.set.Reconcile.StatementGrace.Std(), PayrunOnly: o.set.Reconcile.Account == config.PayrunOnly}
}

// overlap is how many days of a statement are fetched again: entries may come late.
const overlap = 3

// statementFrom returns the first day that matters of an account's statement: the day before its
// first submit. Once the bank's statements are recorded, it is a few days before the newest of
// them, or the day before the first payout that none shows yet, whichever is earlier.
func (o *operation) statementFrom(account string, submits []ledger.Batch, reads []ledger.KeptStatement, known *reconcile.Result) (from string) {
	for _, b := range submits {
		if day := ledger.DayPlus(ledger.BankDay(cmp.Or(b.SubmittedAt, b.StateSince)), -1); b.BankAccountID == account && (from == "" || day < from) {
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

// dayOf returns the start of a day, YYYY-MM-DD, in UTC.
func dayOf(day string) time.Time {
	t, _ := time.Parse(time.DateOnly, day) // the ledger's days are valid
	return t
}
