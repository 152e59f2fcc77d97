package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"payrun/ledger"
)

// Problem is one thing that does not hold in the ledger.
type Problem struct {
	Invariant int    `json:"invariant"` // its number in safety.md; 0 for the file itself
	What      string `json:"what"`      // what should hold
	Detail    string `json:"detail"`    // where it does not
}

//go:embed invariants.sql
var invariants string

// Verify checks the file, the audit chain and every invariant that the ledger
// alone can tell, and returns what does not hold. A ledger too damaged to be
// read is an error.
func (s *Store) Verify(ctx context.Context) ([]Problem, error) {
	var problems []Problem
	report := func(invariant int, what, detail string) {
		problems = append(problems, Problem{invariant, what, detail})
	}
	for _, check := range []func(context.Context, func(int, string, string)) error{
		s.verifyFile, s.verifyChain, s.verifyIDs, s.verifyInvariants, s.verifyContents, s.verifyPeople, s.verifyMark,
	} {
		if err := check(ctx, report); err != nil {
			return problems, damage("verify the ledger", err)
		}
	}
	return problems, nil
}

// verifyFile asks SQLite about its own structures, and about rows that refer
// to what is not there.
func (s *Store) verifyFile(ctx context.Context, report func(int, string, string)) error {
	err := each(ctx, s.read, func(rows *sql.Rows) error {
		var found string
		err := rows.Scan(&found)
		if found != "ok" {
			report(0, "the file is sound", found)
		}
		return err
	}, `PRAGMA integrity_check`)
	if err != nil {
		return err
	}
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
	var head ledger.AuditHead
	stands := map[string]ledger.BatchState{}
	err := eachEvent(ctx, s.read, func(e ledger.Event) error {
		if e.Seq != head.Length+1 {
			report(18, what, fmt.Sprintf("after event %d comes %d", head.Length, e.Seq))
		}
		if want := chainHash(s.prevHash(head), e); e.Hash != want {
			report(18, what, fmt.Sprintf("event %d is not what was recorded", e.Seq))
		}
		head = ledger.AuditHead{Length: e.Seq, Hash: e.Hash, At: e.At}
		switch e.Kind {
		case "batch_planned":
			stands[e.BatchID] = ledger.BatchPlanned
		case "observed", "sheet_loaded", "ledger_created", eventBranchList:
		case eventApproved, eventProposed, eventRestored: // words of people, which move nothing
		default:
			to, err := stands[e.BatchID].Next(ledger.BatchEvent(e.Kind))
			if err != nil {
				report(18, what, fmt.Sprintf("event %d: %v", e.Seq, err))
				return nil
			}
			stands[e.BatchID] = to
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
		if stands[id] != state {
			report(18, what, fmt.Sprintf("batch %s is %s, its events led it to %q", id, state, stands[id]))
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

func (s *Store) verifyInvariants(ctx context.Context, report func(int, string, string)) error {
	for _, q := range invariantQueries(invariants) {
		err := each(ctx, s.read, func(rows *sql.Rows) error {
			var detail string
			err := rows.Scan(&detail)
			report(q.invariant, q.what, detail)
			return err
		}, q.query)
		if err != nil {
			return fmt.Errorf("invariant %d: %w", q.invariant, err)
		}
	}
	return nil
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
