package app

import (
	"context"
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// sqlitePlace is a ledger in a file of this machine.
type sqlitePlace struct{ path string }

func (p sqlitePlace) name() string           { return p.path }
func (p sqlitePlace) file() (string, bool)   { return p.path, true }
func (p sqlitePlace) own(what string) string { return p.path + "." + what }

func (p sqlitePlace) create(ctx context.Context, actor string, at time.Time) (store, error) {
	return sqlite.Create(ctx, p.path, actor, at)
}

func (p sqlitePlace) open(ctx context.Context) (store, error) { return sqlite.Open(ctx, p.path) }

func (p sqlitePlace) openToWrite(ctx context.Context, claim ledger.Claim) (store, error) {
	return sqlite.OpenExclusive(ctx, p.path, claim)
}

func (p sqlitePlace) importTo(ctx context.Context, actor string, fold func(string) string, give func(ledger.Export) (ledger.AuditHead, error)) (ledger.Backup, error) {
	return sqlite.Import(ctx, p.path, actor, fold, give)
}

func (p sqlitePlace) holder(context.Context) (ledger.Holder, bool, error) {
	return sqlite.HeldBy(p.path)
}

// hold locks a path for this process until it ends. ledger.ErrLocked if another process holds it.
func hold(path string) (release func() error, err error) { return sqlite.Hold(path) }

// networkFileSystem is a variable for tests, which cannot mount a network file system.
var networkFileSystem = sqlite.NetworkFileSystem

// local refuses a ledger on a network file system, unless the configuration allows it.
// Neither the lock nor the write-ahead log keeps two machines apart there.
func (p sqlitePlace) local(onNetwork bool) error {
	kind := networkFileSystem(p.path)
	if kind == "" || onNetwork {
		return nil
	}
	return Fail(LedgerUnsafe, "the ledger %s lies on a network file system (%s), where its locks may not hold", p.path, kind).
		Then(Say("nothing was sent; keep it on a disk of this machine, or set ledger_on_network = true in payrun.toml if only one machine ever uses it"))
}
