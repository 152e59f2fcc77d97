// Package storetest is the conformance suite that every store of a ledger must pass. It uses a store
// through its methods only, in the words of the domain. A store that passes it can replace another without
// a rule being written twice.
//
// Its main instrument is a model (world.go): everything that an export contains, changed by
// ledger.Step.Change. After each step of each story the ledger is compared with the model: exactly what
// Change allows is recorded, and a step that Change refuses changes nothing.
//
// What only one store has (files, pragmas, triggers, marks, locks, and how their damage looks) is tested
// next to that store.
package storetest

import (
	"context"
	"flag"
	"io"
	"testing"
	"time"

	"payrun/ledger"
)

// Store is the union of the interfaces that the users of a store declare (submitter.Store and People, the
// History of validate, ifsc.Directory, reports.Ledger, the application's own). Their promises are written
// there. Every method that writes is one transaction and is durable once it returns nil. Backup, Restored
// and AcceptRestored are not in it, because each store has its own way to copy a ledger and to recognise an
// older one.
type Store interface {
	LedgerID() string
	Close() error

	Recover(ctx context.Context, actor string, at time.Time) ([]string, error)
	Apply(ctx context.Context, step ledger.Step) error
	MaySend(ctx context.Context, batchID string) error
	Calling(ctx context.Context, batchID string) (bool, error)
	Batch(ctx context.Context, id string) (ledger.Batch, error)
	BatchesIn(ctx context.Context, states ...ledger.BatchState) ([]ledger.Batch, error)
	Watched(ctx context.Context, since, asideSince time.Time) ([]ledger.Batch, error)
	BatchRecord(ctx context.Context, batchID string) (ledger.BatchRecord, error)
	VerifyDigests(ctx context.Context, batchID string) error
	LastNotFoundReply(ctx context.Context) (ledger.NotFoundReply, error)
	LastShown(ctx context.Context) (b ledger.Batch, ok bool, err error)
	Attempts(ctx context.Context, batchID string) ([]ledger.Attempt, error)

	Approve(ctx context.Context, words ...ledger.Approving) error
	Comment(ctx context.Context, c ledger.Comment) error
	SheetCorrections(ctx context.Context, sheetID string) ([]ledger.SheetCorrection, error)
	SheetWords(ctx context.Context, sheetID string, fn func(ledger.Event) error) error
	Proposals(ctx context.Context, batchID string) ([]ledger.ReleaseApproval, error)
	ApprovalStatus(ctx context.Context, batchID string) (ledger.ApprovalStatus, error)
	ApprovalStatuses(ctx context.Context, f ledger.Filter) (map[string]ledger.ApprovalStatus, error)
	EventsOf(ctx context.Context, f ledger.Filter, fn func(ledger.Event) error) error
	UsersAndPolicy(ctx context.Context) (ledger.Users, ledger.PolicyTrail, error)
	SetPolicy(ctx context.Context, c ledger.PolicyChange) (ledger.Event, error)
	KeptColumns(ctx context.Context) (ledger.ColumnsTrail, error)
	ChangePeople(ctx context.Context, changes ...ledger.PersonChange) error
	StoredSecret(ctx context.Context, p ledger.Person, name string) (kept string, err error)
	RecordLogin(ctx context.Context, l ledger.Login) error
	ConfirmEnvironment(ctx context.Context, e ledger.Event) error
	EnvironmentConfirmed(ctx context.Context) (ledger.Event, error)
	Sent(ctx context.Context) (bool, error)

	RowsUsed(ctx context.Context, sheetID string, rows []int) (map[int]ledger.RowUse, error)
	Elsewhere(ctx context.Context, sheetID string, fn func(row int, a ledger.Attempt) error) error
	Correctable(ctx context.Context, keys []string) (map[string]ledger.Correctable, error)
	UsedReferences(ctx context.Context, keys []string) (map[string]ledger.ReferenceUse, error)
	SheetBy(ctx context.Context, like ledger.Sheet) (ledger.Sheet, error)
	SheetUnderAnotherPrefix(ctx context.Context, like ledger.Sheet) (ledger.Sheet, error)

	BeginLoad(ctx context.Context) (ledger.Load, error)
	SheetContents(ctx context.Context, sheetID string, w io.Writer) (ledger.ReadOptions, error)
	Retryable(ctx context.Context, sheetOrBatch string) ([]ledger.Attempt, []ledger.Lock, error)
	Records(ctx context.Context, payouts []int64) (map[int64][]ledger.AttemptRecord, error)
	AccountEvidence(ctx context.Context, bankAccountID, from, to string) (ledger.AccountEvidence, error)
	PlanRetry(ctx context.Context, actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) ([]ledger.Batch, error)

	Sheets(ctx context.Context) ([]ledger.Sheet, error)
	SheetAndRest(ctx context.Context, sheetID string) ([]ledger.Sheet, error)
	PaysBefore(ctx context.Context, bankAccountID, sheetID string, paid map[ledger.Account][]ledger.Payment) (ledger.Sheet, error)
	Batches(ctx context.Context, f ledger.Filter) ([]ledger.Batch, error)
	BatchIDs(ctx context.Context, word string) ([]string, error)
	EachPayout(ctx context.Context, f ledger.Filter, fn func(ledger.Attempt) error) error
	Paid(ctx context.Context) (map[string]ledger.Paise, error)
	Tallies(ctx context.Context, batchIDs ...string) (map[ledger.PayoutState]ledger.Tally, error)
	SumPayouts(ctx context.Context, f ledger.Filter) (map[ledger.PayoutState]ledger.Tally, error)
	PayeePayouts(ctx context.Context, fold func(name string) string, name, account int64, most int) ([]int64, error)
	SheetTallies(ctx context.Context) (map[string]map[ledger.PayoutState]ledger.Tally, error)
	InFlight(ctx context.Context) (map[string]ledger.Paise, error)
	Events(ctx context.Context, fn func(ledger.Event) error) error
	AuditHead(ctx context.Context) (ledger.AuditHead, error)
	StandsSince(ctx context.Context) (ledger.AuditHead, error)
	EventsWhere(ctx context.Context, f ledger.EventFilter, fn func(ledger.Event) error) error
	Observations(ctx context.Context, payoutID int64, fn func(ledger.NewObservation) error) error

	Payees(fold func(name string) string) ledger.Payees
	PayeesWithout(fold func(name string) string, batchID string) ledger.Payees
	IndexPayees(ctx context.Context, fold func(name string) string, behind int) error

	KeepListing(ctx context.Context, b ledger.BankListing) error
	BankLists(ctx context.Context) (ledger.BankLists, error)

	ImportBranches(ctx context.Context, list ledger.BranchList, branches []ledger.Branch) error
	BranchList(ctx context.Context) (ledger.BranchList, error)
	Branches(ctx context.Context, codes []string) (map[string]ledger.Branch, error)

	RecordStatement(ctx context.Context, r ledger.StatementRead) (ledger.StatementCounts, error)
	Statements(ctx context.Context, bankAccountID string) ([]ledger.KeptStatement, error)
	LinesAt(ctx context.Context, refs []ledger.EntryRef) ([]ledger.KeptLine, error)
	DecideStatement(ctx context.Context, r ledger.StatementDecision) (ledger.StatementDecision, error)

	Export(ctx context.Context, out ledger.Export) (ledger.AuditHead, error)
	End(ctx context.Context, head ledger.AuditHead, actor, file string, at time.Time) error
	Moved(ctx context.Context) error
	Verify(ctx context.Context) ([]ledger.Problem, error)
}

// Opener is a place for one ledger. Only one check uses it.
type Opener interface {
	// Create makes a new, empty ledger there, with the given id in place of a random one, and opens it for
	// writing. The ledger that was there before, which no run has open, is gone.
	Create(ctx context.Context, id, actor string, at time.Time) (Store, error)
	// Open opens the ledger for writing. A store that allows only one run at a time returns
	// ledger.ErrLocked while another run has the ledger.
	Open(ctx context.Context) (Store, error)
	// OpenSecond opens the ledger for writing although another run has it open: as Open does if the store
	// allows several runs, else as if the other run's lock had been lost.
	OpenSecond(ctx context.Context) (Store, error)
	// View opens the ledger for reading, no matter who has it open.
	View(ctx context.Context) (Store, error)
	// Import makes a second ledger from the rows that give passes on, and opens it for reading. It removes
	// the ledger that was imported before, which must be closed. fold folds references.
	Import(ctx context.Context, fold func(ref string) string, give func(out ledger.Export) (ledger.AuditHead, error)) (Store, error)
	// Lapse ends the runs whose calls are in progress, as if their processes had stopped for longer than
	// their leases.
	Lapse()
	// FailAt lets the n-th row that is written, changed or deleted from now on fail inside its transaction,
	// counted from 1; 0 lets none fail. It is called once before Create.
	FailAt(n int)
	// Failed reports whether the n-th row was reached.
	Failed() bool
}

// wholeSuite runs the suite in full, as .ci/nightly does.
var wholeSuite = flag.Bool("whole-suite", false, "every edit of an export, 100 histories, on a server every step, and not a part of them")

// OnServer is an Opener of a store on a server, where a step takes ten times as long. Without -whole-suite, the
// two checks with the most steps try a third of them.
type OnServer interface{ OnServer() }

func inPart(o Opener) bool {
	_, is := o.(OnServer)
	return is && !*wholeSuite
}

// Check is one thing that a store must do. It has an Opener of its own.
type Check struct {
	Name string // a sentence
	Do   func(t testing.TB, o Opener)
}

// Checks returns all checks.
func Checks() []Check {
	var all []Check
	for _, room := range [][]Check{steps, looks, loads, several, contents, corrections, references, retries, recoveries, views, stories, people, bindings, policies, rosters, columns, releases, statements, listings, branches, payees, races, crashes, audits, exports, imports, histories} {
		all = append(all, room...)
	}
	return all
}

// Run runs every check on a store. open returns a new, empty place each time.
func Run(t *testing.T, open func(t testing.TB) Opener) {
	for _, c := range Checks() {
		t.Run(c.Name, func(t *testing.T) { c.Do(t, open(t)) })
	}
}
