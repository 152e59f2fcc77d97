package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite/sqlitetest"
	"payrun/ledger/storetest"
	"payrun/reports"
	"payrun/submitter"
	"payrun/validate"
)

// What the suite asks of a store is at least what anybody does.
var (
	_ submitter.Store  = storetest.Store(nil)
	_ validate.History = storetest.Store(nil)
	_ reports.Ledger   = storetest.Store(nil)

	_ storetest.Store = (*Store)(nil)
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) storetest.Opener { return newPlace(t) })
}

// place is a storetest.Opener: a folder with a ledger in it.
type place struct {
	path string
	rows *sqlitetest.Rows // nil while none is to fail
}

func newPlace(t testing.TB) *place {
	p := &place{path: filepath.Join(sqlitetest.Folder(t), "payrun.db")}
	t.Cleanup(func() {
		if p.rows != nil {
			p.rows.Forget()
		}
	})
	return p
}

// founded has the bytes of new ledgers, by how they were made: to make one takes
// longer than most stories.
var founded sync.Map

func (p *place) Create(ctx context.Context, id, actor string, at time.Time) (storetest.Store, error) {
	how := fmt.Sprint(id, actor, at)
	file, ok := founded.Load(how)
	if !ok {
		made := p.path + ".made"
		if err := build(ctx, made, id, actor, at); err != nil {
			return nil, err
		}
		bytes, err := os.ReadFile(made)
		if err != nil {
			return nil, err
		}
		file, _ = founded.LoadOrStore(how, bytes)
	}
	for _, suffix := range []string{"", "-wal", "-shm", ".lock", markSuffix} {
		if err := os.Remove(p.path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	if err := os.WriteFile(p.path, file.([]byte), 0o600); err != nil {
		return nil, err
	}
	return p.Open(ctx)
}

func (p *place) Open(ctx context.Context) (storetest.Store, error) {
	return asStore(OpenExclusive(ctx, p.path, ledger.Claim{}))
}

// OpenSecond takes the lock file away first, as a careless person might.
func (p *place) OpenSecond(ctx context.Context) (storetest.Store, error) {
	if err := os.Remove(p.path + ".lock"); err != nil {
		return nil, err
	}
	return p.Open(ctx)
}

func (p *place) View(ctx context.Context) (storetest.Store, error) {
	return asStore(Open(ctx, p.path))
}

func (p *place) Import(ctx context.Context, fold func(string) string, give func(ledger.Export) (ledger.AuditHead, error)) (storetest.Store, error) {
	path := p.path + ".imported"
	for _, suffix := range []string{"", "-wal", "-shm", ".lock", markSuffix} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	if _, err := Import(ctx, path, "asha", fold, give); err != nil {
		return nil, err
	}
	return asStore(Open(ctx, path))
}

// Lapse has nothing to do: no run but this one has the lock, so every open call is lost.
func (p *place) Lapse() {}

func asStore(s *Store, err error) (storetest.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (p *place) FailAt(n int) {
	if p.rows == nil {
		p.rows = sqlitetest.WatchRows(p.path)
	}
	p.rows.FailAt(n)
}

func (p *place) Failed() bool { return p.rows != nil && p.rows.Failed() }
