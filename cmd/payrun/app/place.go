package app

import (
	"context"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// place is where a ledger is. Only its implementations know the kind of store.
type place interface {
	// name is what people call it. It never contains a password.
	name() string
	// file is the path of the ledger's file; ok is false if the ledger is not a file.
	file() (path string, ok bool)
	// own returns the path of a file or folder that only this machine keeps for the
	// ledger; what is "spool" or "night", for example. "" if it can keep nothing.
	own(what string) string

	// create makes a new, empty ledger. ledger.ErrLedgerExists if there is one.
	create(ctx context.Context, actor string, at time.Time) (store, error)
	// open opens it to read. ledger.ErrNoLedger if there is none.
	open(ctx context.Context) (store, error)
	// openToWrite opens it for one operation that writes. *ledger.LockedError if
	// others still hold it when the claim's wait is over.
	openToWrite(ctx context.Context, claim ledger.Claim) (store, error)
	// importTo creates the ledger from an export, completely or not at all: a copy, as
	// Backup makes one. ledger.ErrLedgerExists if there is one.
	importTo(ctx context.Context, actor string, fold func(ref string) string, give func(ledger.Export) (ledger.AuditHead, error)) (ledger.Backup, error)
	// holder returns who uses it; held is false if it is not in use.
	holder(ctx context.Context) (who ledger.Holder, held bool, err error)
}

// placeOf chooses the kind of store. No other function does.
func placeOf(set config.Settings, env Env) place {
	if set.LedgerServer != "" {
		return usable(newServerPlace(set, env))
	}
	p := sqlitePlace{set.LedgerPath}
	return usable(p, p.local(set.LedgerOnNetwork))
}

// unusable is a place where no ledger can be opened or created, and why.
type unusable struct {
	place
	why error
}

// usable returns a place; an unusable one if err is not nil.
func usable(p place, err error) place {
	if err != nil {
		return unusable{p, err}
	}
	return p
}

func (p unusable) create(context.Context, string, time.Time) (store, error) { return nil, p.why }
func (p unusable) open(context.Context) (store, error)                      { return nil, p.why }
func (p unusable) openToWrite(context.Context, ledger.Claim) (store, error) { return nil, p.why }
func (p unusable) holder(context.Context) (who ledger.Holder, held bool, err error) {
	return who, false, p.why
}

func (p unusable) importTo(context.Context, string, func(string) string, func(ledger.Export) (ledger.AuditHead, error)) (none ledger.Backup, err error) {
	return none, p.why
}
