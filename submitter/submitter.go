// Package submitter moves batches: initiate, hold for the OTP, submit, poll, recover. For each call to the bank
// it records the intent, calls, and records the outcome. Recovery after a crash runs the same code as the first
// run. The package knows neither SQL nor wire names: it declares here what it needs of a store and of a bank.
package submitter

import (
	"context"
	"time"

	"payrun/ledger"
)

// Store is what the engine needs of a ledger. Every method that writes is durable once it returns nil.
type Store interface {
	// Recover moves every initiating batch to initiate_unknown and every submitting one to submit_unknown if
	// the run that made the call is over. It returns their ids. It runs before anything else happens.
	Recover(ctx context.Context, actor string, at time.Time) ([]string, error)
	// Batch returns one batch, or ledger.ErrNotFound.
	Batch(ctx context.Context, id string) (ledger.Batch, error)
	// BatchesIn returns the batches in any of the states, in the order they were planned.
	BatchesIn(ctx context.Context, states ...ledger.BatchState) ([]ledger.Batch, error)
	// Watched returns the batches that are over and changed after since. For batches that were set aside,
	// asideSince replaces since.
	Watched(ctx context.Context, since, asideSince time.Time) ([]ledger.Batch, error)
	// BatchRecord returns the record against which a submit of the batch is checked.
	BatchRecord(ctx context.Context, batchID string) (ledger.BatchRecord, error)
	// LastNotFoundReply returns how the bank last said that it does not know a batch. It returns the zero
	// NotFoundReply if the bank never did.
	LastNotFoundReply(ctx context.Context) (ledger.NotFoundReply, error)
	// LastShown returns the batch that was submitted last, which a status shows; ok is false if there is none.
	LastShown(ctx context.Context) (b ledger.Batch, ok bool, err error)
	// LedgerID returns the ledger's id.
	LedgerID() string
	// Attempts returns the attempts of a batch, in the order of their payouts.
	Attempts(ctx context.Context, batchID string) ([]ledger.Attempt, error)
	// VerifyDigests returns a *ledger.TamperedError if the rows of the batch, or of the batches of earlier
	// attempts of its payouts, do not match the audit trail.
	VerifyDigests(ctx context.Context, batchID string) error
	// AccountEvidence returns what the statements on record show of a debit account, payouts excluded, between
	// two days (YYYY-MM-DD).
	AccountEvidence(ctx context.Context, bankAccountID, from, to string) (ledger.AccountEvidence, error)
	// Proposals returns what people said in releases of a batch and its payouts, oldest first.
	Proposals(ctx context.Context, batchID string) ([]ledger.ReleaseApproval, error)
	// ApprovalStatus returns who approved a batch, as recorded in the audit trail.
	ApprovalStatus(ctx context.Context, batchID string) (ledger.ApprovalStatus, error)
	// Apply records the whole change of the step, or nothing. See ledger.Step.Change for its errors.
	Apply(ctx context.Context, step ledger.Step) error
	// MaySend is the last look at the ledger. It runs once the connection to the bank is up and before any of
	// the call's body leaves. It returns nil if the recorded call is still this run's to make. On an error the
	// call is not made.
	MaySend(ctx context.Context, batchID string) error
}

// Statements reads the bank's own statement of a debit account.
type Statements interface {
	// ReadStatement fetches the days from since to now and records them. It returns ErrNoStatement if the
	// interface gives no statement of the account. Any other error means: not now.
	ReadStatement(ctx context.Context, bankAccountID string, since time.Time) error
}

// Bank is what the engine needs of the bank. Every error of a call is a *ledger.CallError. Each call sends its
// POST at most once.
type Bank interface {
	// IsSandbox asks the bank whether it is the sandbox (interface.md, "List sub-merchants").
	IsSandbox(ctx context.Context) (bool, error)
	// EncodeInitiate returns the body of Initiate transfer. It is pure: the same batch and attempts give the
	// same bytes. An error names the batch.
	EncodeInitiate(b ledger.Batch, attempts []ledger.Attempt) (ledger.Payload, error)
	// Initiate sends the body, once.
	Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error)
	// EncodeSubmit returns the body of Submit transfer without OTP and token. beneLEI is "" if the batch needs
	// none.
	EncodeSubmit(batchID, beneLEI string) (ledger.Payload, error)
	// Submit adds OTP and token (empty if the partner bank needs none) and sends the body, once.
	Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (ledger.Answer, error)
	// Accounts lists all linked accounts (interface.md, "List bank accounts"). It tries once or twice.
	Accounts(ctx context.Context) ([]ledger.LinkedAccount, error)
	// ReadStatus reads every page of a batch. expect is the expected number of payouts; it bounds the pages. A
	// read that broke off is not an error: it has Complete false and says why.
	ReadStatus(ctx context.Context, batchID string, expect int, tries ledger.Patience) (ledger.StatusRead, error)
}
