package app

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/ledger/postgres"
)

var _ serverStore = (*postgres.Store)(nil)

// serverPlace is a ledger in a PostgreSQL database. The connections stay open between use cases.
type serverPlace struct {
	url    string // config.Settings.LedgerServer
	env    Env
	server *postgres.Server
	failed error // why the URL, or a file that PGPASSFILE and the like name, cannot be used
}

func newServerPlace(set config.Settings, env Env) serverPlace {
	p := serverPlace{url: set.LedgerServer, env: env}
	p.server, p.failed = postgres.Connect(p.url, postgres.Options{
		Now: env.Now, Lease: set.LedgerURL.Lease.Std(), Durability: set.LedgerURL.Durability, Marks: p.own("marks"),
	})
	return p
}

func (p serverPlace) name() string       { return p.url }
func (serverPlace) file() (string, bool) { return "", false }

// own is the same for each role that logs in: with another role, payrun still knows what this machine saw.
func (p serverPlace) own(what string) string {
	where := p.url
	if u, err := url.Parse(p.url); err == nil {
		u.User = nil
		where = u.String()
	}
	return p.env.statePath(fmt.Sprintf("%x.%s", sha256.Sum256([]byte(where)), what))
}

func (p serverPlace) create(ctx context.Context, actor string, at time.Time) (store, error) {
	if p.failed != nil {
		return nil, p.unusable()
	}
	return p.server.Create(ctx, actor, at)
}

func (p serverPlace) open(ctx context.Context) (store, error) {
	if p.failed != nil {
		return nil, p.unusable()
	}
	return p.server.Open(ctx)
}

func (p serverPlace) openToWrite(ctx context.Context, claim ledger.Claim) (store, error) {
	if p.failed != nil {
		return nil, p.unusable()
	}
	return p.server.OpenToWrite(ctx, claim)
}

func (p serverPlace) importTo(ctx context.Context, actor string, fold func(string) string, give func(ledger.Export) (ledger.AuditHead, error)) (made ledger.Backup, err error) {
	if p.failed != nil {
		return made, p.unusable()
	}
	return p.server.Import(ctx, fold, give)
}

func (p serverPlace) unusable() error {
	return Fail(Usage, "%s: %s", p.name(), p.failed).Because(p.failed)
}

// holder returns who works on it. Others need not wait for them: each transaction takes the
// ledger's lock for itself.
func (p serverPlace) holder(ctx context.Context) (who ledger.Holder, held bool, err error) {
	if p.failed != nil {
		return who, false, p.unusable()
	}
	return p.server.Holder(ctx)
}
