package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"

	"payrun/ledger"
	"payrun/ledger/sqlite/internal/connect"
)

// Verify checks the file, the audit chain and every invariant that the ledger
// alone can tell, and returns what does not hold. It looks at one moment, also
// while another run writes. A ledger too damaged to be read is an error.
func (s *Store) Verify(ctx context.Context) ([]ledger.Problem, error) {
	found, err := s.verify(ctx)
	return found, damage("verify the ledger", err)
}

func (s *Store) verify(ctx context.Context) ([]ledger.Problem, error) {
	pool, err := connect.Pool(ctx, s.dsn(verifying))
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	if err := s.assertPragmas(ctx, pool, verifying); err != nil {
		return nil, err
	}
	mark, markErr := readMark(s.path) // before the ledger: a run under way may raise it, and never beyond the ledger
	conns, err := sameMoment(ctx, pool, atOnce)
	if err != nil {
		return nil, err
	}
	defer release(conns)
	v := verification{s: &Store{path: s.path, id: s.id, read: pool}, audit: ledger.NewAudit(), mark: mark, markErr: markErr}
	return v.run(ctx, conns)
}

// atOnce is how many parts of a verification run at once: more wait for one
// another inside SQLite longer than they save.
const atOnce = 2

// mostTries bounds how often sameMoment begins anew.
const mostTries = 10

// sameMoment takes n connections that see the ledger at one moment: SQLite
// gives a connection the newest there is, so they begin anew until no event came
// between. Whatever changes the ledger appends one.
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
			_, _ = conn.ExecContext(ctx, `ROLLBACK`) // where one had begun
		}
		if err != nil {
			release(conns)
			return nil, err
		}
	}
	release(conns)
	return nil, fmt.Errorf("%w: another run writes faster than a moment can be caught", ledger.ErrConflict)
}

// begin begins to read on each connection, and reports whether all see the same
// audit trail.
func begin(ctx context.Context, conns []*sql.Conn) (same bool, err error) {
	heads := make([]ledger.AuditHead, len(conns))
	for i, conn := range conns {
		if _, err := conn.ExecContext(ctx, `BEGIN`); err != nil {
			return false, err
		}
		if heads[i], err = auditHead(ctx, conn); err != nil {
			return false, err
		}
	}
	return len(slices.Compact(heads)) == 1, nil
}

func release(conns []*sql.Conn) {
	for _, conn := range conns {
		_, _ = conn.ExecContext(context.Background(), `ROLLBACK`) // it only read
		_ = conn.Close()
	}
}

// verification is one run of Verify.
type verification struct {
	s       *Store
	audit   *ledger.Audit
	mark    headMark
	markErr error

	planned    sync.Once // audit.Batches
	plannedErr error
}

// part looks at one side of the ledger.
type part struct {
	finds ledger.ProblemKind // what its problems ask of a person
	look  func(ctx context.Context, f *facts) error
}

// run shares the parts out among the connections. What one part cannot read is
// no reason to stop another.
func (v *verification) run(ctx context.Context, conns []*sql.Conn) ([]ledger.Problem, error) {
	parts := []part{ // the longest first; told in this order
		{ledger.ProblemBroken, v.payouts},
		{ledger.ProblemBroken, v.file},
		{ledger.ProblemBroken, v.relations},
		{ledger.ProblemBroken, v.machines},
		{ledger.ProblemBroken, v.events},
		{ledger.ProblemBroken, v.references},
		{ledger.ProblemBroken, v.contents},
		{ledger.ProblemBehind, v.highWater},
	}
	found := make([][]ledger.Problem, len(parts))
	failed := make([]error, len(parts))
	todo := make(chan int, len(parts))
	for i := range parts {
		todo <- i
	}
	close(todo)
	var workers sync.WaitGroup
	for _, conn := range conns {
		workers.Go(func() {
			for i := range todo {
				failed[i] = parts[i].look(ctx, v.facts(conn, parts[i].finds, &found[i]))
			}
		})
	}
	workers.Wait()
	problems := slices.Concat(found...)
	told, err := v.audit.Problems(ctx, v.facts(conns[0], ledger.ProblemBroken, new([]ledger.Problem)))
	return append(problems, told...), errors.Join(append(failed, err)...)
}

func (v *verification) facts(conn *sql.Conn, finds ledger.ProblemKind, found *[]ledger.Problem) *facts {
	return &facts{conn: conn, id: v.s.id, report: func(invariant int, what, detail string) {
		*found = append(*found, ledger.Problem{Kind: finds, Invariant: invariant, What: what, Detail: detail})
	}}
}

// batches is what payouts and events come after, whichever comes first.
func (v *verification) batches(ctx context.Context, f *facts) error {
	v.planned.Do(func() { v.plannedErr = v.audit.Batches(ctx, f) })
	return v.plannedErr
}

func (v *verification) payouts(ctx context.Context, f *facts) error {
	if err := v.batches(ctx, f); err != nil {
		return err
	}
	return v.audit.Payouts(ctx, f)
}

func (v *verification) events(ctx context.Context, f *facts) error {
	if err := v.batches(ctx, f); err != nil {
		return err
	}
	return v.audit.Events(ctx, f)
}

// machines compares the rows that the triggers ask with the machines of the domain.
func (v *verification) machines(ctx context.Context, f *facts) error {
	var want []string
	bit := map[bool]int{true: 1}
	for _, from := range ledger.BatchStates {
		for _, event := range ledger.BatchEvents {
			if to, err := from.Next(event); err == nil {
				want = append(want, fmt.Sprint("batch ", from, " ", event, " ", to))
			}
		}
	}
	for _, from := range ledger.PayoutStates {
		want = append(want, fmt.Sprint("state ", from, " ", bit[from.Final()], " ", bit[from.Retryable()], " ", bit[!from.Retryable()]))
		for _, to := range ledger.PayoutStates {
			if from != to && from.MayBecome(to) {
				want = append(want, fmt.Sprint("payout ", from, " ", to))
			}
		}
	}
	got, err := list(ctx, f.conn, itself[string], `SELECT 'batch ' || from_state || ' ' || event || ' ' || to_state FROM batch_transitions UNION ALL SELECT 'payout ' || from_state || ' ' || to_state FROM payout_transitions
		UNION ALL SELECT 'state ' || name || ' ' || final || ' ' || retryable || ' ' || live FROM payout_states`)
	slices.Sort(want)
	slices.Sort(got)
	if err == nil && !slices.Equal(got, want) {
		f.report(18, "the states and steps that the ledger file has are those of payrun", "batch_transitions, payout_transitions or payout_states was changed")
	}
	return err
}

func (v *verification) references(ctx context.Context, f *facts) error {
	return v.audit.References(ctx, f)
}

// file asks SQLite about its own structures.
func (v *verification) file(ctx context.Context, f *facts) error {
	return each(ctx, f.conn, func(rows *sql.Rows) error {
		var found string
		err := rows.Scan(&found)
		if found != "ok" {
			f.report(0, "the file is sound", found)
		}
		return err
	}, `PRAGMA integrity_check`)
}

// relations finds rows that refer to what is not there.
func (v *verification) relations(ctx context.Context, f *facts) error {
	return each(ctx, f.conn, func(rows *sql.Rows) error {
		var table, parent string
		var row sql.NullInt64
		var key int
		err := rows.Scan(&table, &row, &parent, &key)
		f.report(0, "every row refers to rows that exist", fmt.Sprintf("%s refers to %s that is not there (row %d)", table, parent, row.Int64))
		return err
	}, `PRAGMA foreign_key_check`)
}

// contents reads the bytes of every sheet, which never change.
func (v *verification) contents(ctx context.Context, f *facts) error {
	return v.s.verifyContents(ctx, f.report)
}

// highWater reports a ledger that does not contain its mark.
func (v *verification) highWater(ctx context.Context, f *facts) error {
	const markHolds = "the ledger contains its high-water mark"
	if v.markErr != nil {
		f.report(18, markHolds, v.markErr.Error())
		return nil
	}
	why, err := v.s.compareMark(ctx, f.conn, v.mark)
	if why != "" {
		f.report(18, markHolds, why)
	}
	return err
}
