package samples_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"payrun/batcher"
	"payrun/ingest"
	"payrun/ledger"
	"payrun/ledger/sqlite"
	"payrun/validate"
)

// today is the day on which the tests look at their sheets.
var today = time.Date(2025, time.November, 28, 10, 0, 0, 0, time.UTC)

// given is what a sheet is looked at with. The zero value is a new desk: no
// flags, and a ledger that knows nothing.
type given struct {
	set   func(*validate.Options)
	store *sqlite.Store // nil for a new desk
}

// looked is what was seen.
type looked struct {
	result  validate.Result
	payouts []ledger.KeyedPayout // those accepted, none withdrawn
	plan    batcher.Plan
}

// look does what `payrun check` does with a sheet: it reads and judges it, and
// plans the batches.
func look(t *testing.T, path string, g given) looked {
	t.Helper()
	o := options()
	o.Now, o.RecentSince = today, today.AddDate(0, 0, -7)
	if g.set != nil {
		g.set(&o)
	}
	var past validate.Past
	if g.store != nil {
		past = struct {
			*sqlite.Store
			ledger.Payees
		}{g.store, g.store.Payees(validate.FoldName)}
	}
	l, err := lookWith(t.Context(), path, o, past)
	check(t, err)
	return l
}

// options are those of every look.
func options() validate.Options {
	return validate.Options{Accounts: accounts(), SubMerchantID: "sm_0001", TransactionTypeID: "NEFT", Limits: ingest.DefaultLimits()}
}

func lookWith(ctx context.Context, path string, o validate.Options, past validate.Past) (l looked, err error) {
	l.result, err = validate.Check(ctx, path, o, past, func(payouts []validate.Accepted) error {
		l.payouts = append(l.payouts, payouts...)
		return nil
	})
	if err != nil {
		return l, err
	}
	for _, i := range slices.Backward(l.result.Withdrawn) {
		l.payouts = slices.Delete(l.payouts, i, i+1)
	}
	l.plan, err = batcher.Make(planning(l.payouts))
	return l, err
}

// load records a sheet in the ledger, as `payrun load` does, days before today.
func load(t *testing.T, store *sqlite.Store, path string, daysAgo int) []ledger.Batch {
	t.Helper()
	l := look(t, path, given{store: store})
	if l.result.Refused() {
		t.Fatalf("loading %s: %+v", path, l.result.Findings)
	}
	loading, err := store.BeginLoad(t.Context())
	check(t, err)
	check(t, loading.Add(l.payouts))
	l.result.Sheet.LoadedAt, l.result.Sheet.LoadedBy = today.AddDate(0, 0, -daysAgo), "asha"
	batches, err := loading.Commit(l.result.Sheet, l.plan.Batches)
	check(t, err)
	check(t, store.IndexPayees(t.Context(), validate.FoldName, 0))
	return batches
}
