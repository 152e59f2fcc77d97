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

// serverStore is a store on a server: it has its own clock, and knows which role logged in.
type serverStore interface {
	store
	// Now is the ledger's clock. It is used instead of this machine's.
	Now() time.Time
	// Role returns the actor of the role that logged in.
	Role() string
	// RoleNamed returns the actor of a role that can log in; postgres.ErrNoRole if there is none.
	RoleNamed(ctx context.Context, name string) (actor string, err error)
	// Only gives this run a task that one run at a time does; *ledger.LockedError if another run has it.
	Only(ctx context.Context, task string) error
}

// store is an open ledger: what the other packages and the use cases need of it. Every
// method that writes is one transaction and durable once it returns nil.
type store interface {
	submitter.Store
	validate.History
	reports.Ledger

	// Calling reports whether another run has a call about a batch in progress: its lease has not
	// expired. A ledger in a file has no other run: a call without an outcome is this run's, or lost.
	Calling(ctx context.Context, batchID string) (bool, error)
	// BeginLoad starts the recording of a sheet.
	BeginLoad(ctx context.Context) (ledger.Load, error)
	// Payees returns what is known of earlier payees. Two names are the same payee if fold returns the
	// same for both. A name that folds to "" is no payee.
	Payees(fold func(name string) string) ledger.Payees
	// PayeesWithout returns the Payees without the sheet of a batch: a later sheet may have paid them, too. Once some of
	// the sheet are planned again, those of it that were sent count.
	PayeesWithout(fold func(name string) string, batchID string) ledger.Payees
	// IndexPayees extends the index of payees, with the same fold, by the payouts recorded since the
	// last call. Up to behind payouts may stay without it. Nothing else depends on the index.
	IndexPayees(ctx context.Context, fold func(name string) string, behind int) error
	// SheetContents writes the bytes of a sheet to w, exactly as they were loaded,
	// and returns how they were read. ledger.ErrNotFound if there is no such sheet
	// or its bytes were not kept. ledger.ErrLedgerDamaged if they differ from those
	// that were loaded, which is known only once all of them are written.
	SheetContents(ctx context.Context, sheetID string, w io.Writer) (ledger.ReadOptions, error)

	// SheetAndRest returns a sheet, and the sheets that only loaded rows which it had left out, in the order of
	// loading. For one of the latter, the sheet that left the rows out comes first.
	SheetAndRest(ctx context.Context, sheetID string) ([]ledger.Sheet, error)
	// PaysBefore returns the sheet that paid most of the accounts in paid, else the newest. It looks at
	// the sheets loaded before sheetID (at all if it is "") that have a payout which was or may still be
	// paid from the debit account. A sheet that only loaded rows which another left out is part of that
	// one. ledger.ErrNotFound if there is none.
	PaysBefore(ctx context.Context, bankAccountID, sheetID string, paid map[ledger.Account][]ledger.Payment) (ledger.Sheet, error)

	// Retryable returns the latest attempts of the payouts of a sheet, or in a batch, for
	// which a new attempt may be planned, and the locks of the others that are over or disputed.
	// ledger.ErrNotFound if no sheet or batch has that id.
	Retryable(ctx context.Context, sheetOrBatch string) (free []ledger.Attempt, locks []ledger.Lock, err error)
	// Records returns the attempts of some payouts, each with what decides its locks.
	Records(ctx context.Context, payouts []int64) (map[int64][]ledger.AttemptRecord, error)
	// PlanRetry records further attempts, in batches whose members are positions in
	// attempts; each attempt is in exactly one batch. All attempts belong to one sheet,
	// each is the latest of its payout and over for good, else ledger.ErrConflict.
	PlanRetry(ctx context.Context, actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) ([]ledger.Batch, error)
	// BatchIDs returns the ids of the batches that a word is enough to name (ledger.BeginsID).
	BatchIDs(ctx context.Context, word string) ([]string, error)
	// Tallies counts and sums the payouts by the state of their latest attempt: all, or those whose latest
	// attempt is in one of the given batches.
	Tallies(ctx context.Context, batchIDs ...string) (map[ledger.PayoutState]ledger.Tally, error)
	// SumPayouts is Tallies, but only of payouts of a sheet, of a debit account, or planned on certain days.
	SumPayouts(ctx context.Context, f ledger.Filter) (map[ledger.PayoutState]ledger.Tally, error)
	// PayeePayouts returns the numbers of the payouts to a payee, in the order of loading. The payee is
	// given by the mark of the name, or of the account if name is ledger.NoName. It returns at most most
	// of the latest payouts to each account, and may include other names at the same account.
	PayeePayouts(ctx context.Context, fold func(name string) string, name, account int64, most int) ([]int64, error)
	// SheetTallies returns the Tallies of each sheet, by sheet id.
	SheetTallies(ctx context.Context) (map[string]map[ledger.PayoutState]ledger.Tally, error)
	// InFlight returns, by debit account, the sum that may still be debited.
	InFlight(ctx context.Context) (map[string]ledger.Paise, error)

	// Paid returns, by debit account, the sum of the attempts of submitted batches that were
	// paid, or may have been. This sum never falls.
	Paid(ctx context.Context) (map[string]ledger.Paise, error)

	// ImportBranches replaces the whole branch list. Each branch has its own code, else ledger.ErrDuplicate.
	ImportBranches(ctx context.Context, list ledger.BranchList, branches []ledger.Branch) error

	// RecordStatement records one complete reading of a debit account's statement, with
	// account numbers in its remarks masked, and matches it. *ledger.JoinError for a file
	// that joins nothing that is known of its first day.
	RecordStatement(ctx context.Context, r ledger.StatementRead) (ledger.StatementCounts, error)
	// Statements returns the readings of an account's statement (of all accounts if it is ""),
	// in the order of recording, without their lines.
	Statements(ctx context.Context, bankAccountID string) ([]ledger.KeptStatement, error)
	// LinesAt returns statement lines by their names, in order.
	LinesAt(ctx context.Context, refs []ledger.EntryRef) ([]ledger.KeptLine, error)
	// Reconciled compares all recorded statements with every payout, or with the given ones.
	Reconciled(ctx context.Context, set reconcile.Settings, payouts ...int64) (*reconcile.Result, error)
	// Contradicted returns what statements show against payouts, as they were last matched: against those of
	// suspects, and against any other with a return, or with more or another debit than its status explains. Of
	// the suspects it also returns those that an accepted older copy locked.
	Contradicted(ctx context.Context, set reconcile.Settings, suspects []int64) ([]reconcile.Exception, error)
	// DecideStatement records one person's decision that a file is void, or whose lines are. It takes effect
	// once another person has made the same decision. *ledger.PeopleError if it is not allowed.
	DecideStatement(ctx context.Context, r ledger.StatementDecision) (ledger.StatementDecision, error)

	// KeepListing records what the bank listed and its event, in one transaction.
	KeepListing(ctx context.Context, b ledger.BankListing) error
	// BankLists returns what the bank listed when it was last asked.
	// ledger.ErrTampered if something other than payrun changed that.
	BankLists(ctx context.Context) (ledger.BankLists, error)

	// Verify returns the problems of the ledger. A ledger too damaged to be read is an error.
	Verify(ctx context.Context) ([]ledger.Problem, error)
	// Export calls the functions of out for everything in the ledger, as of one moment, and returns
	// the audit head of what it read.
	Export(ctx context.Context, out ledger.Export) (ledger.AuditHead, error)
	// End records that the ledger continues elsewhere, made from the exported file that ends with head.
	// After that nothing is recorded (ledger.ErrMoved). ledger.ErrConflict if another run wrote since.
	End(ctx context.Context, head ledger.AuditHead, actor, file string, at time.Time) error
	// Moved returns ledger.ErrMoved if End was recorded, else nil.
	Moved(ctx context.Context) error
	// Backup writes a copy of the ledger, as of one moment, to path. ledger.ErrLedgerExists if
	// path exists. A file with that name is always complete.
	Backup(ctx context.Context, path string) (ledger.Backup, error)
	// UsersAndPolicy returns the people of the desk and the ledger's policy, as the audit trail records them.
	UsersAndPolicy(ctx context.Context) (ledger.Users, ledger.PolicyTrail, error)
	// KeptColumns returns which columns are kept for which header, as the audit trail
	// records it. ledger.ErrLedgerDamaged if that is impossible.
	KeptColumns(ctx context.Context) (ledger.ColumnsTrail, error)
	// SetPolicy records a person's decision about the policy, and returns its event:
	// the change, or a proposal if another person has to agree.
	// ledger.ErrDuplicate if the policy is so already.
	SetPolicy(ctx context.Context, c ledger.PolicyChange) (ledger.Event, error)
	// EventsWhere calls fn for the events that match a filter, oldest first.
	EventsWhere(ctx context.Context, f ledger.EventFilter, fn func(ledger.Event) error) error
	// StandsSince returns the newest event other than logins (ledger.LoginKinds). As long as it is the
	// same, everything in the ledger apart from its audit trail is the same.
	StandsSince(ctx context.Context) (ledger.AuditHead, error)
	// Approve records a person's decisions about batches, each approved with its payload or sent back:
	// all or none. ledger.ErrStale if a batch has changed since it was shown to them.
	Approve(ctx context.Context, words ...ledger.Approving) error
	// Comment records a person's comment on a sheet.
	Comment(ctx context.Context, c ledger.Comment) error
	// SheetCorrections returns the batches in which a sheet corrects payouts of others, and
	// those in which its own payouts were corrected.
	SheetCorrections(ctx context.Context, sheetID string) ([]ledger.SheetCorrection, error)
	// SheetWords calls fn for what people said about a sheet other than approvals: send-backs
	// and comments, oldest first.
	SheetWords(ctx context.Context, sheetID string, fn func(ledger.Event) error) error
	// EventsOf calls fn for the events of the batches that match the filter, oldest first.
	EventsOf(ctx context.Context, f ledger.Filter, fn func(ledger.Event) error) error
	// ApprovalStatuses returns the ApprovalStatus of each batch that matches the filter, by id.
	ApprovalStatuses(ctx context.Context, f ledger.Filter) (map[string]ledger.ApprovalStatus, error)
	// Observations calls fn for each observation of a payout's attempts, in order.
	Observations(ctx context.Context, payoutID int64, fn func(ledger.NewObservation) error) error
	// ChangePeople records changes of the people of the desk, all or none.
	// *ledger.PeopleError if one of them is not allowed.
	ChangePeople(ctx context.Context, changes ...ledger.PersonChange) error
	// StoredSecret returns what is stored of a person's password or factor; "" if they have
	// none yet. ledger.ErrTampered if it differs from what its event records.
	StoredSecret(ctx context.Context, p ledger.Person, name string) (kept string, err error)
	// RecordLogin records that a person signed in at the desk, signed out, or was refused.
	RecordLogin(ctx context.Context, l ledger.Login) error
	// ConfirmEnvironment records that a person confirmed to which environment the
	// configured hosts belong (ledger.Environment).
	ConfirmEnvironment(ctx context.Context, e ledger.Event) error
	// EnvironmentConfirmed returns the newest event of ConfirmEnvironment; the zero Event if there is none.
	EnvironmentConfirmed(ctx context.Context) (ledger.Event, error)
	// Sent reports whether a call to the bank was ever recorded, with any outcome.
	Sent(ctx context.Context) (bool, error)
	// Restored returns nil, or ledger.ErrRestored with the reason: the ledger does
	// not contain its high-water mark, and records no intent to send.
	Restored() error
	// AcceptRestored records that a person accepts the ledger although it is behind
	// its high-water mark. ledger.ErrNotFound if there is nothing to accept.
	AcceptRestored(ctx context.Context, actor, reason string, at time.Time) error

	// Close closes the ledger and releases its lock.
	Close() error
}
