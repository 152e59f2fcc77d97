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

// home is where the ledgers of histories live, one after another. Every store
// that is to be proved brings one; nothing else here knows which it is.
type home interface {
	// begin has a new, empty ledger there, the same for every history. No one
	// has the one before it open. end ends its use.
	begin(h *history) error
	end() error
	// open opens the ledger as a process does. ledger.ErrLocked when another
	// process has it.
	open(p *process) (store, error)
	// unlock has a second process open the ledger while another one has it.
	unlock() error
	// look opens a look at the ledger beside every process.
	look() (view, error)

	// copied returns a copy of the ledger for restore to put in its place; lose
	// puts a new ledger there, or does nothing where no one would notice that.
	// No one has it open, and no view.
	copied() (copied any, err error)
	restore(copied any) error
	// beside is another place, for a second ledger; place puts a copy there, with
	// what remembers how far it had come, or a new ledger where copied is nil.
	beside() home
	place(copied any) error
	lose() (noticed bool, err error)
	// change puts other text of the same length in the place of some, wherever it
	// stands in the ledger's file, behind every guard.
	change(from, to string) error
	// forget takes away what remembers, beside the ledger, how far it had come.
	forget() error

	// failRow fails the at-th row that is written from now on, inside its
	// statement; failedRow reports, once, that it did. 0 fails none.
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
	DecideStatement(ctx context.Context, r ledger.StatementRequest) (ledger.StatementDecision, error)
	RecordStatement(ctx context.Context, r ledger.StatementRead) (ledger.StatementCounts, error)
	PlanRetry(ctx context.Context, actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) ([]ledger.Batch, error)
	Verify(context.Context) ([]ledger.Problem, error)
	Close() error
}

// view reads the ledger with queries of its own, so that a mistake of the
// store cannot hide itself.
type view interface {
	id() (string, error)
	// version differs when anything was committed since it was last asked.
	version() (int64, error)
	snapshot() (snapshot, error)
	// events are those after a number, in their order; stop ends it.
	events(after int64, each func(event) error) error
	// intents reports whether there is an open intent for exactly this call,
	// and how many there are for the batch and kind.
	intents(batchID, kind, payloadSHA256 string) (open bool, all int, err error)
	// approved reports whether someone other than its planner approved a batch
	// with this payload.
	approved(batchID, payloadSHA256 string) (bool, error)
	// sheet counts a sheet's payouts and adds them up; found is false where it
	// is not recorded.
	sheet(sha256 string) (s recordedSheet, found bool, err error)
	close() error
}

// event is one of the audit trail, as it is recorded.
type event struct {
	seq, at                           int64
	actor, kind, sheet, batch, detail string
	digest, stands, hash              string
}

// recordedSheet is what the ledger says of a sheet, and what its payouts say.
type recordedSheet struct {
	rows, payouts   int
	accepted, total ledger.Paise
}

var storeName = flag.String("store", "sqlite", "the store that histories are played on: "+strings.Join(slices.Sorted(maps.Keys(stores)), ", "))

// stores make a home, by the name of the store.
var stores = map[string]func(testing.TB) home{
	"sqlite": newSQLiteHome,
}

// newHome is a home of the store under test, for one history at a time.
func newHome(t testing.TB) home {
	t.Helper()
	make, known := stores[*storeName]
	if !known {
		t.Fatalf("-store %s: unknown", *storeName)
	}
	return make(t)
}
