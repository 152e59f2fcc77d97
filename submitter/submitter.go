// Package submitter moves batches: initiate, hold for the OTP, submit, poll,
// recover. For each call to the bank it records the intent, calls, and records
// the outcome; recovery after a crash runs the same code as the first run. It
// knows neither SQL nor wire names: what it needs of a store and of a bank it
// declares here.
package submitter

import (
	"context"
	"time"

	"payrun/ledger"
)

// Store is what the engine needs of a ledger. Every method that writes is
// durable once it returns nil.
type Store interface {
	// Recover moves every initiating batch to initiate_unknown and every
	// submitting one to submit_unknown whose call is of a run that is over, and
	// returns their ids. It runs before anything else happens.
	Recover(ctx context.Context, actor string, at time.Time) ([]string, error)
	// Batch returns one batch, or ledger.ErrNotFound.
	Batch(ctx context.Context, id string) (ledger.Batch, error)
	// BatchesIn returns the batches in any of the states, in the order they were planned.
	BatchesIn(ctx context.Context, states ...ledger.BatchState) ([]ledger.Batch, error)
	// Watched returns the batches that are over and changed after since, or
	// after asideSince where they were set aside.
	Watched(ctx context.Context, since, asideSince time.Time) ([]ledger.Batch, error)
	// BatchRecord returns the record against which a submit of the batch is checked.
	BatchRecord(ctx context.Context, batchID string) (ledger.BatchRecord, error)
	// LastNotFoundReply returns how the bank last said that it does not know a batch; the
	// zero Word where it never did.
	LastNotFoundReply(ctx context.Context) (ledger.NotFoundReply, error)
	// LastShown returns the newest batch that was submitted: a status shows it.
	LastShown(ctx context.Context) (b ledger.Batch, ok bool, err error)
	// LedgerID is the ledger's own name.
	LedgerID() string
	// Attempts returns the attempts of a batch, in order of their payouts.
	Attempts(ctx context.Context, batchID string) ([]ledger.Attempt, error)
	// VerifyDigests returns a *ledger.TamperedError where the rows of the batch, or of the
	// batches of earlier attempts of its payouts, are not those that the audit trail tells of.
	VerifyDigests(ctx context.Context, batchID string) error
	// AccountEvidence returns what the statements on record show of a debit account
	// besides payouts, from one day to another, YYYY-MM-DD.
	AccountEvidence(ctx context.Context, bankAccountID, from, to string) (ledger.AccountEvidence, error)
	// Proposals returns what people said in releases of a batch and its payouts, oldest first.
	Proposals(ctx context.Context, batchID string) ([]ledger.ReleaseApproval, error)
	// ApprovalStatus returns who agreed to a batch, as the audit trail tells it.
	ApprovalStatus(ctx context.Context, batchID string) (ledger.ApprovalStatus, error)
	// Apply records what the step changes, or nothing; see ledger.Step.Change
	// for its errors.
	Apply(ctx context.Context, step ledger.Step) error
	// MaySend is the last look at the ledger, once there is a connection to the bank and
	// before any of the call's body leaves: nil where the call that was recorded is still
	// this run's to make. Else it is not made.
	MaySend(ctx context.Context, batchID string) error
}

// Statements reads the bank's own statement of a debit account.
type Statements interface {
	// ReadStatement fetches the days from since to now and records them. ErrNoStatement
	// where the interface gives none of the account; any other error: not now.
	ReadStatement(ctx context.Context, bankAccountID string, since time.Time) error
}

// Bank is what the engine needs of the bank. Every error of a call is a
// *ledger.CallError; a POST is sent at most once by each call.
type Bank interface {
	// IsSandbox asks an operation that reports it (interface.md, "List sub-merchants").
	IsSandbox(ctx context.Context) (bool, error)
	// EncodeInitiate gives the body of Initiate transfer. Pure: the same batch
	// and attempts give the same bytes.
	EncodeInitiate(b ledger.Batch, attempts []ledger.Attempt) (ledger.Payload, error)
	// Initiate sends it, once.
	Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error)
	// EncodeSubmit gives the body of Submit transfer without OTP and token.
	// beneLEI is "" where the batch needs none.
	EncodeSubmit(batchID, beneLEI string) (ledger.Payload, error)
	// Submit adds OTP and token (empty where the partner bank needs none) and sends it, once.
	Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (ledger.Answer, error)
	// Accounts lists all linked accounts (interface.md, "List bank accounts"), with little patience:
	// one or two tries.
	Accounts(ctx context.Context) ([]ledger.LinkedAccount, error)
	// ReadStatus reads every page of a batch. expect is how many payouts it
	// should have; it bounds the pages. A read that broke off is not an error:
	// it comes back with Complete false and says why.
	ReadStatus(ctx context.Context, batchID string, expect int, tries ledger.Patience) (ledger.StatusRead, error)
}
