package postgres

import (
	"context"
	"crypto/tls"
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// Inspection has what a person checks about the server before payrun works with it.
type Inspection struct {
	Version   string // of PostgreSQL
	TLS       string // the TLS version; "" for none
	Role      string
	Lacks     []string // GRANT statements for the role's missing rights
	Undurable string   // why a commit may be lost; "" if it cannot be
	Clock     time.Time
	Mark      int64 // the last event that this machine has seen; 0 for none
	Runs      []ledger.Holder
}

// Inspect examines the server and changes nothing.
func (s *Server) Inspect(ctx context.Context) (f Inspection, err error) {
	store, err := s.Open(ctx)
	if err != nil {
		return f, err
	}
	is, _, err := store.compare(ctx) // Verify reports what it says
	if err != nil {
		return f, err
	}
	is.commits = "on" // each writing transaction sets it
	f.Undurable, f.Clock, f.Mark = is.undurable(s.set.Durability), time.UnixMicro(is.clock), store.engine.guard.mark.Length
	err = store.engine.Moment(ctx, func(r sqlite.Snapshot) error {
		if conn, ok := r.(*transaction).conn.Conn().(*tls.Conn); ok {
			f.TLS = tls.VersionName(conn.ConnectionState().Version)
		}
		err := r.QueryRow(ctx, `SELECT current_setting('server_version'), current_user`).Scan(&f.Version, &f.Role)
		if err == nil {
			f.Lacks, err = lacks(ctx, r, f.Role, true)
		}
		if err == nil {
			f.Runs, err = holders(ctx, r, live)
		}
		return err
	})
	return f, sqlite.Damage("look at the server", err)
}
