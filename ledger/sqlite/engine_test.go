package sqlite

import (
	"context"
	"errors"
	"os"
	"testing"

	"payrun/ledger"
)

// A write that its caller gives up is whole or nothing, and leaves the connection to the next one.
func TestAWriteThatIsGivenUpIsWholeOrNothing(t *testing.T) {
	s := newStore(t)
	const count = `SELECT count(*) FROM copied`
	for _, at := range []string{"before", "between", "at the end", "never"} {
		ctx, giveUp := context.WithCancel(t.Context())
		if at == "before" {
			giveUp()
		}
		err := s.db.Write(ctx, func(w Writer) error {
			if _, err := w.Exec(ctx, `INSERT INTO copied (one, seq) VALUES (1, 1)`); err != nil {
				return err
			}
			if at == "between" {
				giveUp()
			}
			var n int
			err := w.QueryRow(ctx, count).Scan(&n)
			if at == "at the end" {
				giveUp()
			}
			return err
		})
		giveUp()
		var n int
		must(t, s.write.QueryRow(count).Scan(&n))
		if given := at != "never"; (err != nil) != given || (n == 0) != given || given && !errors.Is(err, context.Canceled) {
			t.Errorf("abandoned %s: %v, %d rows", at, err, n)
		}
		if used := s.write.Stats().InUse; used != 0 {
			t.Errorf("abandoned %s: %d connections are in use", at, used)
		}
	}
}

// What a connection meets before the first query is damage too.
func TestBatchesOfAFileThatWasReplacedAreDamage(t *testing.T) {
	s := newStore(t)
	s.read.SetMaxIdleConns(0)
	must(t, os.Rename(s.path, s.path+".aside"))
	must(t, os.WriteFile(s.path, []byte("this is no database, and long enough to be looked at: 0123456789 0123456789 0123456789 0123456789"), 0o600))
	for _, f := range []ledger.Filter{{}, {SheetID: "x"}, {BatchID: "x"}} {
		if _, err := s.Batches(t.Context(), f); !errors.Is(err, ledger.ErrLedgerDamaged) {
			t.Errorf("%+v: %v", f, err)
		}
	}
	must(t, os.Remove(s.path))
	must(t, os.Rename(s.path+".aside", s.path))
}
