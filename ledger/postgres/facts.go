package postgres

import (
	"context"
	"crypto/tls"
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// Inspection are what a person checks of the server before payrun works with it.
type Inspection struct {
	Version   string // of PostgreSQL
	TLS       string // its version; "" for none
	Role      string
	Lacks     []string // the GRANT statements for what the role lacks
	Undurable string   // why a commit may be lost; "" if it may not
	Clock     time.Time
	Mark      int64 // the event up to which this machine has seen the ledger; 0 for none
	Runs      []ledger.Holder
}

// Inspect looks at the server and changes nothing.
func (s *Server) Inspect(ctx context.Context) (f Inspection, err error) {
	store, err := s.Open(ctx)
	if err != nil {
		return f, err
	}
	is, _, err := store.compare(ctx) // what it says is Verify's
	if err != nil {
		return f, err
	}
	is.commits = "on" // each transaction that writes sets it
	f.Undurable, f.Clock, f.Mark = is.undurable(s.set.Durability), time.UnixMicro(is.clock), store.engine.guard.mark.Length
	err = store.engine.Moment(ctx, func(r sqlite.Reader) error {
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
