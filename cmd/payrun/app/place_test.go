package app

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// Locks and a write-ahead log do not hold between machines on NFS, SMB and
// their like: nothing is opened or made there that the configuration does not allow.
func TestALedgerOnANetworkFileSystemIsRefusedUnlessConfigured(t *testing.T) {
	defer func(was func(string) string) { networkFileSystem = was }(networkFileSystem)
	networkFileSystem = func(string) string { return "NFS" }
	set := config.Settings{LedgerPath: filepath.Join(t.TempDir(), "payrun.db")}
	a := New(set, Env{Now: time.Now, Getenv: func(string) string { return "" }})
	none := func(*operation) error { return nil }
	for name, do := range map[string]func(context.Context) error{
		"create": func(ctx context.Context) error { return a.createLedger(ctx, Call{Actor: "asha"}) },
		"read":   func(ctx context.Context) error { return a.read(ctx, Call{Actor: "asha"}, none) },
		"write":  func(ctx context.Context) error { return a.write(ctx, Call{Actor: "asha"}, none) },
	} {
		e, ok := errors.AsType[*Error](do(t.Context()))
		if !ok || e.Code != LedgerUnsafe {
			t.Errorf("%s: %v", name, e)
		}
	}
	a.set.LedgerOnNetwork = true
	if err := a.createLedger(t.Context(), Call{Actor: "asha"}); err != nil {
		t.Fatal(err)
	}
	if err := a.write(t.Context(), Call{Actor: "asha"}, none); err != nil {
		t.Error(err)
	}
}

func TestTheCodesOfALedgerThatSendsNothing(t *testing.T) {
	for want, err := range map[Code]error{LedgerRestored: ledger.ErrRestored, LedgerUnsafe: ledger.ErrUnsafe, LedgerUnusable: ledger.ErrLedgerDamaged} {
		if got := Worst(err); got.Code != want {
			t.Errorf("%v is %s, want %s", err, got.Code, want)
		}
	}
}
