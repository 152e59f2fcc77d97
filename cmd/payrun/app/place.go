package app

import (
	"context"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// place is where a ledger is. Only its implementations know a store.
type place interface {
	// name is what people call it. There is never a password in it.
	name() string
	// file is the path of the ledger's file; ok is false where the ledger is no file.
	file() (path string, ok bool)
	// own is the path of what this machine alone keeps for the ledger, a file or a
	// folder: "spool", "night". "" where it can keep nothing.
	own(what string) string

	// create makes a new, empty ledger. ledger.ErrLedgerExists where there is one.
	create(ctx context.Context, actor string, at time.Time) (store, error)
	// open opens it to read. ledger.ErrNoLedger where there is none.
	open(ctx context.Context) (store, error)
	// openToWrite opens it for one operation that writes. *ledger.LockedError where
	// others still hold it after the claim's wait.
	openToWrite(ctx context.Context, claim ledger.Claim) (store, error)
	// importTo makes it of an export, whole or not at all: a copy, as one of Backup.
	// ledger.ErrLedgerExists where there is one.
	importTo(ctx context.Context, actor string, fold func(ref string) string, give func(ledger.Export) (ledger.AuditHead, error)) (ledger.Backup, error)
	// holder returns who uses it; held is false if no one does.
	holder(ctx context.Context) (who ledger.Holder, held bool, err error)
}

// placeOf is the only place that chooses a store.
func placeOf(set config.Settings, env Env) place {
	if set.LedgerServer != "" {
		return newServerPlace(set, env)
	}
	return sqlitePlace{set.LedgerPath, set.LedgerOnNetwork}
}
