package sqlite

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// storetest cannot know where this store cuts, and loads sheets of sizes about
// these.
func TestTheSuiteLoadsAboutWhereTheStoreCuts(t *testing.T) {
	if rowsAtOnce[1] != 256 || rowsAtOnce[0] != rowsOver || rowsOver != 1024 || partBytes != 1<<20 || lookups > 1000 || exportPart > 100<<10 {
		t.Error("the sizes in storetest (loads, contents, references, exports, payees) are to be looked at again")
	}
}

func TestTheLogDoesNotStayLong(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 5000, 500)
	info, err := os.Stat(s.path + "-wal")
	if err != nil || info.Size() != 0 {
		t.Errorf("after a load the log has %d bytes, %v", info.Size(), err)
	}
}

// An insert that fails is found by the person who comes next, with its meaning, and
// nothing of the sheet is recorded: not by a commit that follows either.
func TestAnInsertThatFailsWhileMoreIsReadStopsTheLoad(t *testing.T) {
	for name, next := range map[string]func(*loading, *testing.T) error{
		"the sheet's bytes": func(l *loading, t *testing.T) error {
			w := l.Contents()
			var err error
			for n := 0; err == nil && n < 100; n++ {
				_, err = w.Write(make([]byte, partBytes))
			}
			return err
		},
		"a commit that did not look": func(l *loading, t *testing.T) error {
			l.done = true
			return l.w.close(true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			load(t, s, "nov", 3, 3)
			before := dump(t, s)
			begun, err := s.BeginLoad(t.Context())
			must(t, err)
			l := begun.(*loading)
			payouts := keyedOf(samplePayouts("dec", 300))
			if name != "the sheet's bytes" { // a reference that was used: its insert fails
				payouts[7].Key = "nov-1"
			} else {
				l.w.keys.row("nov-1", int64(99))
				l.w.keys.flush()
			}
			err = l.Add(payouts)
			l.flushKeys() // as Commit does
			if err != nil && !errors.Is(err, ledger.ErrDuplicate) {
				t.Fatal(err)
			}
			if err := next(l, t); !errors.Is(err, ledger.ErrDuplicate) {
				t.Errorf("%v", err)
			}
			if err := l.Rollback(); err != nil {
				t.Error(err)
			}
			if d := cmp.Diff(before, dump(t, s)); d != "" {
				t.Errorf("something is left (-before +after):\n%s", d)
			}
			load(t, s, "jan", 3, 3) // the connection is fit for use
		})
	}
}

func TestALoadWithoutItsTableEndsInWords(t *testing.T) {
	s := newStore(t)
	must(t, s.Close())
	tamper(t, s.path, `DROP TABLE wire_keys`)
	s = openToWrite(t, s.path)
	for range 2 { // the first gives the connection back
		l, err := s.BeginLoad(t.Context())
		must(t, err)
		must(t, l.Add([]ledger.KeyedPayout{{Payout: ledger.Payout{Row: 2, Ref: "R-1", Amount: 100, BankAccountID: "a"}, Key: "r-1"}}))
		sheet := ledger.Sheet{Name: "s.csv", Rows: 1, Total: 100, Accepted: ledger.Tally{Count: 1, Total: 100}, LoadedAt: at(0), LoadedBy: "asha"}
		if _, err = l.Commit(sheet, nil); err == nil || !strings.Contains(err.Error(), "no such table: wire_keys") {
			t.Errorf("it was loaded: %v", err)
		}
	}
}

// What SQLite looks up in a list it first makes a tree of, for a row as for a
// million: where rows are many, the schema has no lists (0039_lists.sql).
func TestNoTreeIsMadeForEachBatchAndEvent(t *testing.T) {
	s := newStore(t)
	for _, insert := range []string{plannedBatches.into("") + `(` + marks(19) + `)`, events.into("") + `(` + marks(11) + `)`} {
		steps := 0
		err := each(t.Context(), sqlReader{s.write}, func(rows Rows) error {
			var at, p1, p2, p3 int
			var op string
			var p4, p5, comment any
			if err := rows.Scan(&at, &op, &p1, &p2, &p3, &p4, &p5, &comment); err != nil {
				return err
			}
			if steps++; at == steps-1 && strings.HasPrefix(op, "OpenEphemeral") { // behind them are the triggers, from 0 again
				t.Errorf("step %d of %s makes a tree", at, insert)
			}
			return nil
		}, `EXPLAIN `+insert, make([]any, strings.Count(insert, "?"))...)
		if err != nil || steps == 0 {
			t.Errorf("%s: %d steps, %v", insert, steps, err)
		}
	}
}

// A load has the ledger for itself: what is asked of statements while it runs waits for nothing
// that it would have to write.
func TestALoadDoesNotWaitForItself(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 3, 3)
	ctx, end := context.WithTimeout(t.Context(), 10*time.Second)
	defer end()
	err := s.inTx(ctx, "mark", func(tx Writer) error {
		_, err := tx.Exec(ctx, `INSERT INTO statement_stale (account, day) VALUES ('a0000000-0000-4000-8000-000000000003', '2025-11-01')`)
		return err
	})
	must(t, err)
	l, err := s.BeginLoad(ctx)
	must(t, err)
	defer func() { _ = l.Rollback() }()
	if _, err := s.Records(ctx, []int64{1}); err != nil {
		t.Error(err)
	}
}
