package app

import (
	"context"
	"time"

	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/ledger/storetest"
)

// custody is what the use cases ask of a store that no suite for all stores can
// hold: how a ledger is copied, and how an older one in its place is recognised, are
// each store's own, and tested next to it. What statements come to is in the words of
// reconcile.
type custody interface {
	Backup(ctx context.Context, path string) (ledger.Backup, error)
	Restored() error
	Reconciled(ctx context.Context, set reconcile.Settings, payouts ...int64) (*reconcile.Result, error)
	Contradicted(ctx context.Context, set reconcile.Settings, suspects []int64) ([]reconcile.Exception, error)
	AcceptRestored(ctx context.Context, actor, reason string, at time.Time) error
}

// Everything else that they ask of a store is in the suite that every store
// passes.
var _ store = struct {
	storetest.Store
	custody
}{}
