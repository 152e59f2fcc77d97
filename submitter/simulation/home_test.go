package simulation

import (
	"context"
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// home is the place of the ledgers of histories, one after another. Each store under test has its own;
// nothing else here knows the store.
type home interface {
	// begin makes a new, empty ledger there, the same for every history. No process has the previous one open.
	// end ends its use.
	begin(h *history) error
	end() error
	// open opens the ledger as a process does. It returns ledger.ErrLocked if another process has it.
	open(p *process) (store, error)
	// unlock lets a second process open the ledger while another one has it.
	unlock() error
	// look opens a view of the ledger, independent of every process.
	look() (view, error)

	// copied returns a copy of the ledger, which restore puts in its place. lose puts a new ledger there,
	// or does nothing if that would not be noticed. No process has the ledger open, and no view is open.
	copied() (copied any, err error)
	restore(copied any) error
	// second returns another place, for a second ledger. place puts a copy there, with its high-water mark,
	// or a new ledger if copied is nil.
	second() home
	place(copied any) error
	lose() (noticed bool, err error)
	// change replaces text in the ledger's file by other text of the same length, everywhere, behind every
	// guard.
	change(from, to string) error
	// forget removes the high-water mark next to the ledger.
	forget() error

	// failRow lets the at-th row write from now on fail, inside its statement; 0 lets none fail. failedRow
	// reports, once, that it failed.
	failRow(at int) error
	failedRow() bool
}

// store is what a process does with its ledger.
type store interface {
	submitter.Store
	Approve(ctx context.Context, words ...ledger.Approving) error
	Restored() error
	AcceptRestored(ctx context.Context, actor, reason string, at time.Time) error
	BeginLoad(context.Context) (ledger.Load, error)
	Correctable(ctx context.Context, keys []string) (map[string]ledger.Correctable, error)
	Retryable(ctx context.Context, sheetOrBatch string) ([]ledger.Attempt, []ledger.Lock, error)
	Records(ctx context.Context, payouts []int64) (map[int64][]ledger.AttemptRecord, error)
	DecideStatement(ctx context.Context, r ledger.StatementDecision) (ledger.StatementDecision, error)
	RecordStatement(ctx context.Context, r ledger.StatementRead) (ledger.StatementCounts, error)
	PlanRetry(ctx context.Context, actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) ([]ledger.Batch, error)
	Verify(context.Context) ([]ledger.Problem, error)
	Close() error
}

// view reads the ledger with its own queries, so that a mistake of the store cannot hide itself.
type view interface {
	id() (string, error)
	// version changes with every commit.
	version() (int64, error)
	snapshot() (snapshot, error)
	// events passes on the events after a number, in order, until each returns an error.
	events(after int64, each func(event) error) error
	// intents reports whether there is an open intent for exactly this call, and how many intents there are
	// for the batch and kind.
	intents(batchID, kind, payloadSHA256 string) (open bool, all int, err error)
	// approved reports whether a person other than its planner approved a batch with this payload.
	approved(batchID, payloadSHA256 string) (bool, error)
	// sheet counts a sheet's payouts and sums them up. found is false if the sheet is not recorded.
	sheet(sha256 string) (s recordedSheet, found bool, err error)
	close() error
}

// event is one recorded event of the audit trail.
type event struct {
	seq, at                           int64
	actor, kind, sheet, batch, detail string
	digest, stands, hash              string
}

// recordedSheet is what the ledger says about a sheet, and the sums of its payouts.
type recordedSheet struct {
	rows, payouts   int
	accepted, total ledger.Paise
}

var storeName = flag.String("store", "sqlite", "the store that histories are played on: "+strings.Join(slices.Sorted(maps.Keys(stores)), ", "))

// stores make a home, by the name of the store.
var stores = map[string]func(testing.TB) home{
	"sqlite": newSQLiteHome,
}

// newHome returns a home of the store under test, for one history at a time.
func newHome(t testing.TB) home {
	t.Helper()
	make, known := stores[*storeName]
	if !known {
		t.Fatalf("-store %s: unknown", *storeName)
	}
	return make(t)
}
