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
}

// newServerPlace fails if the URL, or a file that PGPASSFILE and the like name, cannot be used.
func newServerPlace(set config.Settings, env Env) (p serverPlace, err error) {
	p = serverPlace{url: set.LedgerServer, env: env}
	p.server, err = postgres.Connect(p.url, postgres.Options{
		Now: env.Now, Lease: set.LedgerURL.Lease.Std(), Durability: set.LedgerURL.Durability, Marks: p.own("marks"),
	})
	if err != nil {
		err = Fail(Usage, "%s: %s", p.name(), err).Because(err)
	}
	return p, err
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
	return p.server.Create(ctx, actor, at)
}

func (p serverPlace) open(ctx context.Context) (store, error) { return p.server.Open(ctx) }

func (p serverPlace) openToWrite(ctx context.Context, claim ledger.Claim) (store, error) {
	return p.server.OpenToWrite(ctx, claim)
}

func (p serverPlace) importTo(ctx context.Context, actor string, fold func(string) string, give func(ledger.Export) (ledger.AuditHead, error)) (ledger.Backup, error) {
	return p.server.Import(ctx, fold, give)
}

// holder returns who works on it. Others need not wait for them: each transaction takes the
// ledger's lock for itself.
func (p serverPlace) holder(ctx context.Context) (ledger.Holder, bool, error) {
	return p.server.Holder(ctx)
}
