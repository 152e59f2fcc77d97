package app

import (
	"context"
	"io"
	"time"

	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/reports"
	"payrun/submitter"
	"payrun/validate"
)

// serverStore is a store on a server: it has a clock of its own, and knows who logged in.
type serverStore interface {
	store
	// Now is the ledger's clock. It decides, and not this machine's.
	Now() time.Time
	// Role returns the actor of the role that logged in.
	Role() string
	// RoleNamed returns the actor of a role that can log in. postgres.ErrNoRole if there is none.
	RoleNamed(ctx context.Context, name string) (actor string, err error)
}

// store is an open ledger: what the rooms ask of it, and what the use cases do
// besides. Every method that writes is one transaction and durable once it
// returns nil.
type store interface {
	submitter.Store
	validate.History
	reports.Ledger

	// LedgerID returns the random name that the ledger got when it was created.
	LedgerID() string
	// Calling reports whether a call about a batch is in progress in another run, whose lease is
	// not over. In a file there is no other run: a call without an outcome is this run's, or lost.
	Calling(ctx context.Context, batchID string) (bool, error)
	// BeginLoad begins to record a sheet.
	BeginLoad(ctx context.Context) (ledger.Load, error)
	// Payees returns what is known of earlier payees. Two names are one if fold gives the same for
	// both; a name that it folds to "" is no payee.
	Payees(fold func(name string) string) ledger.Payees
	// PayeesBefore is Payees as they were before the sheet of a batch was loaded.
	PayeesBefore(fold func(name string) string, batchID string) ledger.Payees
	// IndexPayees completes the index of payees by the same fold, for the payouts recorded since the
	// last call, except for as many as may stay behind. Nothing else depends on it.
	IndexPayees(ctx context.Context, fold func(name string) string, behind int) error
	// SheetContents writes the bytes of a sheet to w, exactly as they were
	// loaded, and tells how they were read. ledger.ErrNotFound when there is no
	// such sheet or its bytes were not kept; ledger.ErrLedgerDamaged when they
	// are no longer those that were loaded, which shows only at their end.
	SheetContents(ctx context.Context, sheetID string, w io.Writer) (ledger.ReadOptions, error)

	// SheetAndRest returns a sheet and those that brought nothing but rows which it had
	// left out, in the order of loading; of one of the latter, the sheet that left them
	// out first.
	SheetAndRest(ctx context.Context, sheetID string) ([]ledger.Sheet, error)
	// PaysBefore returns, of the sheets that were loaded before one, or with "" of all, of
	// which a payout was or may still be paid from a debit account, the one that most of
	// these accounts were paid by, else the newest; ledger.ErrNotFound where there is none.
	// Sheets of what another left out count with that one.
	PaysBefore(ctx context.Context, bankAccountID, sheetID string, paid map[ledger.Account][]ledger.Payment) (ledger.Sheet, error)

	// Retryable returns the latest attempts of the payouts of a sheet, or in a batch, for
	// which a new attempt may be planned, and the locks of the others that are over.
	// ledger.ErrNotFound when neither a sheet nor a batch has that id.
	Retryable(ctx context.Context, sheetOrBatch string) (free []ledger.Attempt, locks []ledger.Lock, err error)
	// Records returns the attempts of some payouts, each with what its locks depend on.
	Records(ctx context.Context, payouts []int64) (map[int64][]ledger.AttemptRecord, error)
	// PlanRetry records further attempts, in batches whose members are positions
	// in attempts; each attempt is in exactly one. All attempts are of one sheet,
	// each the latest of its payout and over for good, else ledger.ErrConflict.
	PlanRetry(ctx context.Context, actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) ([]ledger.Batch, error)
	// BatchIDs returns the ids of the batches that a word is enough to name, as
	// ledger.BeginsID has it.
	BatchIDs(ctx context.Context, word string) ([]string, error)
	// Tallies counts and sums the payouts by the state of their latest attempt.
	Tallies(ctx context.Context) (map[ledger.PayoutState]ledger.Tally, error)
	// TalliesOf is Tallies of the payouts whose latest attempt is in one of the batches.
	TalliesOf(ctx context.Context, batchIDs []string) (map[ledger.PayoutState]ledger.Tally, error)
	// SumPayouts is Tallies of the payouts of a sheet, of a debit account, or planned in some days.
	SumPayouts(ctx context.Context, f ledger.Filter) (map[ledger.PayoutState]ledger.Tally, error)
	// PayeePayouts gives the numbers of the payouts to a payee, in the order of loading, by
	// the mark of the name, or of the account where that is ledger.NoName: at most so many of
	// the latest to each account, and some of other names at the same account.
	PayeePayouts(ctx context.Context, fold func(name string) string, name, account int64, most int) ([]int64, error)
	// SheetTallies is Tallies of each sheet, by its id.
	SheetTallies(ctx context.Context) (map[string]map[ledger.PayoutState]ledger.Tally, error)
	// InFlight sums up, by debit account, what may still be debited.
	InFlight(ctx context.Context) (map[string]ledger.Paise, error)

	// Paid sums up, by debit account, the attempts of submitted batches that were paid,
	// or may have been: no such sum ever falls.
	Paid(ctx context.Context) (map[string]ledger.Paise, error)

	// ImportBranches replaces the branch list by another, whole. The branches
	// have different codes, else ledger.ErrDuplicate.
	ImportBranches(ctx context.Context, list ledger.BranchList, branches []ledger.Branch) error

	// RecordStatement records one reading of a debit account's statement, whole, with
	// account numbers in its remarks masked, and matches it. A *ledger.JoinError for a
	// file that goes with nothing that is known of its first day.
	RecordStatement(ctx context.Context, r ledger.StatementRead) (ledger.StatementCounts, error)
	// Statements returns the readings of an account's statement, or with "" of all, in
	// the order of recording, without their lines.
	Statements(ctx context.Context, bankAccountID string) ([]ledger.KeptStatement, error)
	// LinesAt returns lines of statements by their names, in order.
	LinesAt(ctx context.Context, refs []ledger.EntryRef) ([]ledger.KeptLine, error)
	// Reconciled holds all that is on record of statements against every payout, or
	// against some.
	Reconciled(ctx context.Context, set reconcile.Settings, payouts ...int64) (*reconcile.Result, error)
	// DecideStatement records one person's word that a file is void, or whose lines are. It
	// holds once another person has said the same. A *ledger.StatementWordError where it
	// cannot be said.
	DecideStatement(ctx context.Context, r ledger.StatementRequest) (ledger.StatementDecision, error)

	// KeepListing records what the bank listed, with its event, or nothing.
	KeepListing(ctx context.Context, b ledger.BankListing) error
	// BankLists returns what the bank listed when it was last asked.
	// ledger.ErrTampered where that was changed by other means.
	BankLists(ctx context.Context) (ledger.BankLists, error)

	// Verify returns what does not hold in the ledger. A ledger too damaged to
	// be read is an error.
	Verify(ctx context.Context) ([]ledger.Problem, error)
	// Export calls the functions of out for everything in the ledger, as of one moment, and returns
	// the audit head of what it read.
	Export(ctx context.Context, out ledger.Export) (ledger.AuditHead, error)
	// End records that the ledger goes on elsewhere, made of the export in a file, which ends with head:
	// nothing is recorded behind it (ledger.ErrMoved). ledger.ErrConflict if another run wrote since.
	End(ctx context.Context, head ledger.AuditHead, actor, file string, at time.Time) error
	// Moved returns ledger.ErrMoved where that was recorded, else nil.
	Moved(ctx context.Context) error
	// Backup writes a copy of the ledger, as it is at one moment, to path, which
	// must not exist: else ledger.ErrLedgerExists. What has the name is whole.
	Backup(ctx context.Context, path string) (ledger.Backup, error)
	// Policy returns what the ledger asks of people, as its audit trail tells it.
	Policy(ctx context.Context) (ledger.PolicyTrail, error)
	// KeptColumns returns which columns are kept for which header, as the audit trail
	// tells it. ledger.ErrLedgerDamaged where it cannot have happened so.
	KeptColumns(ctx context.Context) (ledger.ColumnsTrail, error)
	// SetPolicy records a person's word about the policy, and returns its event:
	// the change, or a proposal where another person has to agree.
	// ledger.ErrDuplicate where it is so already.
	SetPolicy(ctx context.Context, c ledger.PolicyChange) (ledger.Event, error)
	// EventsWhere calls fn for the events that a filter selects, oldest first.
	EventsWhere(ctx context.Context, f ledger.EventFilter, fn func(ledger.Event) error) error
	// StandsSince returns the newest event except for logins (ledger.LoginKinds): while it is the
	// same, so is everything in the ledger apart from its trail.
	StandsSince(ctx context.Context) (ledger.AuditHead, error)
	// Approve records what a person decided about batches, each with a payload or sent back, all
	// or none. ledger.ErrStale where a batch is not as it was shown to them.
	Approve(ctx context.Context, words ...ledger.Approving) error
	// Comment records what a person says about a sheet.
	Comment(ctx context.Context, c ledger.Comment) error
	// SheetCorrections returns the batches by which a sheet corrects payouts of others, and
	// in which its own were corrected.
	SheetCorrections(ctx context.Context, sheetID string) ([]ledger.SheetCorrection, error)
	// SheetWords calls fn for what people said of a sheet apart from approvals: what they sent back,
	// and comments; oldest first.
	SheetWords(ctx context.Context, sheetID string, fn func(ledger.Event) error) error
	// EventsOf calls fn for the events of the filter's batches, oldest first.
	EventsOf(ctx context.Context, f ledger.Filter, fn func(ledger.Event) error) error
	// ApprovalStatuses is ApprovalStatus for each of the filter's batches, by id.
	ApprovalStatuses(ctx context.Context, f ledger.Filter) (map[string]ledger.ApprovalStatus, error)
	// Observations calls fn for what was observed of a payout's attempts, in order.
	Observations(ctx context.Context, payoutID int64, fn func(ledger.NewObservation) error) error
	// Users returns who may use the desk, as the audit trail tells it.
	Users(ctx context.Context) (ledger.Users, error)
	// ChangePeople records changes of who may use the desk, all or none.
	// *ledger.PeopleError where one of them cannot happen.
	ChangePeople(ctx context.Context, changes ...ledger.PersonChange) error
	// StoredSecret returns what is kept of a person's password or factor; "" where they have
	// none yet. ledger.ErrTampered where it is not what its event tells of.
	StoredSecret(ctx context.Context, p ledger.Person, name string) (kept string, err error)
	// RecordLogin records that a person signed in at the desk, left it, or was refused.
	RecordLogin(ctx context.Context, l ledger.Login) error
	// ConfirmEnvironment records that a person confirmed to which environment the
	// configured hosts belong (ledger.Environment).
	ConfirmEnvironment(ctx context.Context, e ledger.Event) error
	// EnvironmentConfirmed returns the newest event of that; the zero Event where
	// there is none.
	EnvironmentConfirmed(ctx context.Context) (ledger.Event, error)
	// Sent reports whether a call to the bank was ever recorded, whatever came of it.
	Sent(ctx context.Context) (bool, error)
	// Restored returns nil, or ledger.ErrRestored with what is wrong: the ledger
	// does not contain its high-water mark, and records no intent to send.
	Restored() error
	// AcceptRestored records that a person takes the ledger as it is, although
	// it is behind its mark. ledger.ErrNotFound where there is nothing to accept.
	AcceptRestored(ctx context.Context, actor, reason string, at time.Time) error

	// Close releases the ledger and what keeps others from writing to it.
	Close() error
}
