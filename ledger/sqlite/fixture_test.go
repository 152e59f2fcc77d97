package sqlite

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
	"payrun/ledger/sqlite/sqlitetest"
)

var update = flag.Bool("update", false, "write testdata/ledgers again; a ledger that is there stays")

// everyState is the path of a ledger with a batch and a payout in each state, corrections, a
// release and statements, and the rows of its tables.
func everyState(t *testing.T) (path string, rows map[string][]string) {
	t.Helper()
	st := tell(t)
	b := load(t, st.Store, "dec", 18, 2)
	intend := func(id string) {
		apply(t, st.Store, ledger.Step{BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(8), PayloadSHA256: hash(id), Looks: looked(id)})
	}
	intend(b[0].ID)
	intend(b[1].ID)
	apply(t, st.Store, ledger.Step{BatchID: b[1].ID, From: ledger.BatchInitiating, Event: ledger.InitiateLost, At: at(9)})
	hold(t, st.Store, b[2].ID)
	apply(t, st.Store, ledger.Step{BatchID: b[2].ID, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: at(8), PayloadSHA256: hash("s"), Looks: looked(b[2].ID)})
	for i, said := range []struct{ status, code string }{
		{ledger.StatusInitiated, ""}, {ledger.StatusFailed, "FAILED"}, {ledger.StatusSuccess, ledger.CodeReturned}, {"ON_HOLD", ""},
	} {
		id := b[3+i].ID
		hold(t, st.Store, id)
		submit(t, st.Store, id)
		for read := range 2 { // a failure is believed when a second read says it
			apply(t, st.Store, ledger.Step{BatchID: id, From: ledger.BatchSubmitted, At: at(8 + 2*read), Observed: observe(t, st.Store, id, said.status, said.code)})
		}
	}
	hold(t, st.Store, b[7].ID)
	apply(t, st.Store, ledger.Step{BatchID: b[7].ID, From: ledger.BatchHeld, Event: ledger.SubmitIntended, At: at(8), PayloadSHA256: hash("s"), Looks: looked(b[7].ID)})
	apply(t, st.Store, ledger.Step{BatchID: b[7].ID, From: ledger.BatchSubmitting, Event: ledger.SubmitLost, At: at(9)})
	hold(t, st.Store, b[8].ID)
	submit(t, st.Store, b[8].ID)
	for i, status := range []string{ledger.StatusSuccess, ledger.StatusFailed, ledger.StatusFailed} { // which is a dispute
		apply(t, st.Store, ledger.Step{BatchID: b[8].ID, From: ledger.BatchSubmitted, At: at(8 + i), Observed: observe(t, st.Store, b[8].ID, status, "FAILED")})
	}
	setAside(t, st)
	load(t, st.Store, "jan", 2, 2)
	correct(t, st)
	statementOf(t, st.Store)
	rows = rowsOf(t, st.db)
	must(t, st.Close())
	return st.path, rows
}

// contentsOf is what people and programs find in a ledger.
func contentsOf(t *testing.T, s *Store) string {
	t.Helper()
	var lines []string
	batches, payouts := map[ledger.BatchState]int{}, map[ledger.PayoutState]int{}
	list, err := s.Batches(t.Context(), ledger.Filter{})
	must(t, err)
	for _, b := range list {
		batches[b.State]++
		for _, a := range attemptsOf(t, s, b.ID) {
			payouts[a.State]++
			lines = append(lines, fmt.Sprintf("%s %s %s %s, batch %s", a.WireRef, a.Amount, a.State, a.BankTxnRefID, b.State))
		}
	}
	for _, state := range ledger.BatchStates {
		if batches[state] == 0 {
			t.Errorf("no batch is %s", state)
		}
	}
	for _, state := range ledger.PayoutStates {
		if payouts[state] == 0 {
			t.Errorf("no payout is %s", state)
		}
	}
	slices.Sort(lines)
	lines = append(lines, columnOf(t, s.db, `SELECT format('payout %d on the statement of %s: %d by %s %s', payout_id, day, share, matched_by, why) FROM statement_matches ORDER BY 1`)...)
	return strings.Join(lines, "\n") + "\n"
}

// Each version has left a ledger here, and every later one understands it.
func TestLedgersOfEveryVersionAreUnderstood(t *testing.T) {
	newest := migrations[len(migrations)-1].Name
	for _, m := range migrations {
		t.Run(m.Name, func(t *testing.T) {
			kept := filepath.Join("testdata", "ledgers", strings.TrimSuffix(m.Name, ".sql")+".db.gz")
			head := strings.TrimSuffix(kept, ".gz") + ".head.gz"
			if _, err := os.Stat(kept); *update && m.Name == newest && os.IsNotExist(err) {
				made, _ := everyState(t)
				pack(t, made, kept)
				pack(t, made+".head", head)
			}
			path := filepath.Join(sqlitetest.Folder(t), "payrun.db")
			unpack(t, kept, path)
			unpack(t, head, path+".head")
			s, err := OpenExclusive(t.Context(), path, ledger.Claim{Migrated: func(string, string, string) {}})
			must(t, err)
			defer s.Close()
			sound(t, s)
			got, golden := contentsOf(t, s), strings.TrimSuffix(kept, ".db.gz")+".txt"
			if *update {
				must(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			must(t, err)
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			load(t, s, "next", 2, 2)
			sound(t, s)
		})
	}
}

func pack(t *testing.T, path, kept string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	must(t, w.Close())
	must(t, os.MkdirAll(filepath.Dir(kept), 0o755))
	must(t, os.WriteFile(kept, packed.Bytes(), 0o644))
}

func unpack(t *testing.T, kept, path string) {
	t.Helper()
	f, err := os.Open(kept)
	must(t, err)
	defer f.Close()
	r, err := gzip.NewReader(f)
	must(t, err)
	raw, err := io.ReadAll(r)
	must(t, err)
	must(t, os.WriteFile(path, raw, 0o600))
}
