package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"payrun/ledger"
	"payrun/ledger/sqlite/internal/connect"
)

//go:embed invariants.sql
var invariants string

// verification looks at one side of the ledger and reports what does not hold.
type verification func(ctx context.Context, report func(invariant int, what, detail string)) error

// check is a verification and what its problems ask of a person.
type check struct {
	finds ledger.ProblemKind
	look  verification
}

// Verify checks the file, the audit chain and every invariant that the ledger
// alone can tell, and returns what does not hold. A ledger too damaged to be
// read is an error.
func (s *Store) Verify(ctx context.Context) ([]ledger.Problem, error) {
	pool, err := connect.Pool(ctx, dsn(s.path, verifying))
	if err != nil {
		return nil, damage("verify the ledger", err)
	}
	defer pool.Close()
	pool.SetMaxOpenConns(atOnce)
	if err := assertPragmas(ctx, pool, verifying); err != nil {
		return nil, damage("verify the ledger", err)
	}
	found, err := (&Store{path: s.path, id: s.id, read: pool}).verify(ctx)
	return found, damage("verify the ledger", err)
}

// atOnce is how many checks run at once: more wait for one another inside
// SQLite longer than they save.
const atOnce = 2

func (s *Store) verify(ctx context.Context) ([]ledger.Problem, error) {
	var checks []check
	for _, look := range []verification{s.verifyFile, s.verifyRelations, s.verifyChain, s.verifyIDs, s.verifyContents, s.verifyPeople} {
		checks = append(checks, check{ledger.ProblemBroken, look})
	}
	checks = append(checks, check{ledger.ProblemBehind, s.verifyMark})
	for _, q := range invariantQueries(invariants) {
		checks = append(checks, check{ledger.ProblemBroken, s.verifyInvariant(q)})
	}
	found := make([][]ledger.Problem, len(checks))
	failed := make([]error, len(checks))
	var g errgroup.Group // what one check cannot read is no reason to stop another
	g.SetLimit(atOnce)
	for i, check := range checks {
		g.Go(func() error {
			failed[i] = check.look(ctx, func(invariant int, what, detail string) {
				found[i] = append(found[i], ledger.Problem{Kind: check.finds, Invariant: invariant, What: what, Detail: detail})
			})
			return nil
		})
	}
	_ = g.Wait() // nothing but nil
	return slices.Concat(found...), errors.Join(failed...)
}

// verifyFile asks SQLite about its own structures.
func (s *Store) verifyFile(ctx context.Context, report func(int, string, string)) error {
	return each(ctx, s.read, func(rows *sql.Rows) error {
		var found string
		err := rows.Scan(&found)
		if found != "ok" {
			report(0, "the file is sound", found)
		}
		return err
	}, `PRAGMA integrity_check`)
}

// verifyRelations finds rows that refer to what is not there.
func (s *Store) verifyRelations(ctx context.Context, report func(int, string, string)) error {
	return each(ctx, s.read, func(rows *sql.Rows) error {
		var table, parent string
		var row sql.NullInt64
		var key int
		err := rows.Scan(&table, &row, &parent, &key)
		report(0, "every row refers to rows that exist", fmt.Sprintf("%s refers to %s that is not there (row %d)", table, parent, row.Int64))
		return err
	}, `PRAGMA foreign_key_check`)
}

// verifyChain recomputes the audit chain, and replays it: each batch must
// stand where its events led it.
func (s *Store) verifyChain(ctx context.Context, report func(int, string, string)) error {
	const what = "the audit chain verifies from first to last event"
	chain, replay := ledger.Chain{LedgerID: s.id}, ledger.Replay{}
	err := eachEvent(ctx, s.read, func(e ledger.Event) error {
		for _, wrong := range chain.Follow(e) {
			report(18, what, wrong)
		}
		if wrong := replay.Follow(e); wrong != "" {
			report(18, what, wrong)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return each(ctx, s.read, func(rows *sql.Rows) error {
		var id string
		var state ledger.BatchState
		err := rows.Scan(&id, &state)
		if led := replay.Stands(id); led != state {
			report(18, what, fmt.Sprintf("batch %s is %s, its events led it to %q", id, state, led))
		}
		return err
	}, `SELECT id, state FROM batches ORDER BY no`)
}

// verifyIDs derives every id again, and checks the digits of every LEI.
func (s *Store) verifyIDs(ctx context.Context, report func(int, string, string)) error {
	return each(ctx, s.read, func(rows *sql.Rows) error {
		b, err := scanBatch(rows)
		if err != nil {
			return err
		}
		if want := ledger.BatchID(s.id, b.sheetSHA256, b.BankAccountID, b.Sequence, b.Attempt); b.ID != want {
			report(6, "batch ids derive from what they stand for", fmt.Sprintf("batch %s should be %s", b.ID, want))
		}
		if want := ledger.SheetID(b.sheetSHA256); b.SheetID != want {
			report(6, "sheet ids derive from what they stand for", fmt.Sprintf("sheet %s should be %s", b.SheetID, want))
		}
		if b.BeneLEI != "" && !ledger.ValidLEI(b.BeneLEI) {
			report(8, "the LEI of a batch is valid", fmt.Sprintf("batch %s has %q", b.ID, b.BeneLEI))
		}
		return nil
	}, selectBatch+` ORDER BY b.no`)
}

func (s *Store) verifyInvariant(q invariantQuery) verification {
	return func(ctx context.Context, report func(int, string, string)) error {
		err := each(ctx, s.read, func(rows *sql.Rows) error {
			var detail string
			err := rows.Scan(&detail)
			report(q.invariant, q.what, detail)
			return err
		}, q.query)
		if err != nil {
			return fmt.Errorf("invariant %d: %w", q.invariant, err)
		}
		return nil
	}
}

type invariantQuery struct {
	invariant   int
	what, query string
}

var invariantHead = regexp.MustCompile(`(?m)^-- invariant (\d+): (.*)$`)

// invariantQueries cuts invariants.sql at its headings.
func invariantQueries(text string) []invariantQuery {
	heads := invariantHead.FindAllStringSubmatchIndex(text, -1)
	queries := make([]invariantQuery, len(heads))
	for i, h := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		n, err := strconv.Atoi(text[h[2]:h[3]])
		if err != nil {
			panic(err) // the pattern has digits only
		}
		queries[i] = invariantQuery{n, text[h[4]:h[5]], strings.TrimSpace(text[h[1]:end])}
	}
	return queries
}
