package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"payrun/ledger"
)

// Verify checks the file, the audit chain and every invariant that the ledger alone can prove, and returns the
// problems. It checks one snapshot, even while another run writes. It returns an error if the ledger is too
// damaged to read.
func (s *Store) Verify(ctx context.Context) (found []ledger.Problem, err error) {
	defer func() { err = damage("verify the ledger", err) }()
	mark, markErr := s.readMark() // before the ledger: an active run may raise it, and never beyond the ledger
	conns, err := sameMoment(ctx, s.read, atOnce)
	if err != nil {
		return nil, err
	}
	defer release(conns)
	readers := ledger.ListOf(conns, func(conn *sql.Conn) Snapshot { return sqlReader{conn} })
	return s.VerifyParts(ctx, readers, Part{ledger.ProblemBroken, soundFile}, Part{ledger.ProblemBroken, relations},
		Part{ledger.ProblemBehind, func(ctx context.Context, r Snapshot, report func(int, string, string)) error {
			why, err := s.compareMark(ctx, r, mark)
			if markErr != nil {
				why = markErr.Error()
			}
			if why != "" {
				report(18, "the ledger contains its high-water mark", why)
			}
			return err
		}})
}

// atOnce is how many parts of a verification run at once. With more, they wait for each other inside SQLite
// longer than they save.
const atOnce = 2

// mostTries bounds how often sameMoment starts again.
const mostTries = 10

// sameMoment takes n connections that see the same snapshot of the ledger. SQLite gives each connection the
// newest state, so they start again until no event came between. Every change of the ledger appends an event.
func sameMoment(ctx context.Context, pool *sql.DB, n int) ([]*sql.Conn, error) {
	conns := make([]*sql.Conn, 0, n)
	for range n {
		conn, err := pool.Conn(ctx)
		if err != nil {
			release(conns)
			return nil, err
		}
		conns = append(conns, conn)
	}
	for range mostTries {
		same, err := begin(ctx, conns)
		if err == nil && same {
			return conns, nil
		}
		for _, conn := range conns {
			_, _ = conn.ExecContext(ctx, `ROLLBACK`) // it has no effect on one that had not begun
		}
		if err != nil {
			release(conns)
			return nil, err
		}
	}
	release(conns)
	return nil, fmt.Errorf("%w: another run writes faster than a moment can be caught", ledger.ErrConflict)
}

// begin starts to read on each connection, and reports whether all see the same audit trail.
func begin(ctx context.Context, conns []*sql.Conn) (same bool, err error) {
	heads := make([]ledger.AuditHead, len(conns))
	for i, conn := range conns {
		if _, err := conn.ExecContext(ctx, `BEGIN`); err != nil {
			return false, err
		}
		if heads[i], err = auditHead(ctx, sqlReader{conn}); err != nil {
			return false, err
		}
	}
	return len(slices.Compact(heads)) == 1, nil
}

// release rolls back what was not committed, and returns the connections to the pool.
func release(conns []*sql.Conn) {
	for _, conn := range conns {
		_, _ = conn.ExecContext(context.Background(), `ROLLBACK`)
		_ = conn.Close()
	}
}

// soundFile checks SQLite's own structures.
func soundFile(ctx context.Context, r Snapshot, report func(int, string, string)) error {
	return each(ctx, r, func(rows Rows) error {
		var found string
		err := rows.Scan(&found)
		if found != "ok" {
			report(0, "the file is sound", found)
		}
		return err
	}, `PRAGMA integrity_check`)
}

// relations finds rows that refer to rows that do not exist.
func relations(ctx context.Context, r Snapshot, report func(int, string, string)) error {
	return each(ctx, r, func(rows Rows) error {
		var table, parent string
		var row sql.NullInt64
		var key int
		err := rows.Scan(&table, &row, &parent, &key)
		report(0, "every row refers to rows that exist", fmt.Sprintf("%s refers to %s that is not there (row %d)", table, parent, row.Int64))
		return err
	}, `PRAGMA foreign_key_check`)
}
