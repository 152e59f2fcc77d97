//go:build unix

package killtest

import (
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	_ "modernc.org/sqlite" // opens copies only

	"payrun/ledger"
)

// sound holds the ledger against what was known before and against the bank.
// No process of the desk may be running.
func (d *desk) sound() {
	d.t.Helper()
	if d.url == "" {
		if !d.lockFree() {
			d.t.Fatal("nobody runs, and the ledger is locked")
		}
		d.whole()
	}
	d.must(0, "ledger", "verify")
	now := d.view()
	now.follows(d.t, d.known)
	now.complete(d.t, d.sheets)
	now.agrees(d.t, d.truth())
	paidOnce(d.t, d.bank.state())
	d.known = now
}

// judge hears what does not hold: a test, or what tests the checks.
type judge interface {
	Helper()
	Errorf(format string, args ...any)
}

// paidOnce is the promise itself, over all ledgers that the bank ever served.
func paidOnce(t judge, bank truth) {
	t.Helper()
	if twice := bank.paidTwice(); len(twice) > 0 {
		t.Errorf("paid twice: %v", twice)
	}
}

// whole copies the ledger with its write-ahead log, as they lie there, and
// lets SQLite look through the copy.
func (d *desk) whole() {
	d.t.Helper()
	dir := d.t.TempDir()
	copyLedger(d.t, d.dir, dir)
	checkCopy(d.t, dir)
	must(d.t, os.RemoveAll(dir))
}

// copyLedger copies ledger and write-ahead log. The index next to them is left
// out: SQLite makes it again, as after a power cut.
func copyLedger(t *testing.T, from, to string) {
	t.Helper()
	for _, name := range []string{"payrun.db", "payrun.db-wal"} {
		raw, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), raw, 0o600)
		}
		must(t, err)
	}
}

// checkCopy runs SQLite's own checks over a copied ledger.
func checkCopy(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "payrun.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return // init was killed before there was a ledger
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: "mode=rw"}
	db, err := sql.Open("sqlite", u.String())
	must(t, err)
	defer db.Close()
	var verdict string
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("integrity_check: %q, %v", verdict, err)
	}
	var orphans int
	if err := db.QueryRow(`SELECT count(*) FROM pragma_foreign_key_check`).Scan(&orphans); err != nil || orphans != 0 {
		t.Fatalf("foreign_key_check: %d rows, %v", orphans, err)
	}
}

// follows: whatever a completed command showed is still there, or has moved on
// as the machine allows.
func (v view) follows(t judge, before view) {
	t.Helper()
	for _, b := range before.batches {
		if now := v.state(b.ID); !reachable(b.State, now) {
			t.Errorf("batch %s was %s and is now %q", b.ID, b.State, now)
		}
	}
	for name, id := range before.sheets {
		if v.sheets[name] != id {
			t.Errorf("the sheet %s was loaded as %s and is now %q", name, id, v.sheets[name])
		}
	}
	attempts := make(map[string]int, len(v.payouts))
	for _, p := range v.payouts {
		attempts[p.Ref] = p.Attempt
	}
	for _, p := range before.payouts {
		if attempts[p.Ref] < p.Attempt {
			t.Errorf("payout %s had attempt %d and has now %d", p.Ref, p.Attempt, attempts[p.Ref])
		}
	}
}

// reachable reports whether the batch machine leads from one state to another.
func reachable(from, to ledger.BatchState) bool {
	seen := []ledger.BatchState{from}
	for i := 0; i < len(seen); i++ {
		if seen[i] == to {
			return true
		}
		for _, e := range ledger.BatchEvents {
			if next, err := seen[i].Next(e); err == nil && !slices.Contains(seen, next) {
				seen = append(seen, next)
			}
		}
	}
	return false
}

// complete: each loaded sheet has each of its payouts exactly once, with its
// amount, and a sheet that is not loaded has none.
func (v view) complete(t judge, sheets []*sheet) {
	t.Helper()
	listed := make(map[string][]payout, len(v.payouts))
	for _, p := range v.payouts {
		listed[p.Ref] = append(listed[p.Ref], p)
	}
	wanted := 0
	for _, s := range sheets {
		id, isLoaded := v.sheets[s.name]
		for ref, amount := range s.amounts {
			switch got := listed[ref]; {
			case !isLoaded && len(got) != 0:
				t.Errorf("%s is not loaded, and its payout %s is listed", s.name, ref)
			case isLoaded && (len(got) != 1 || got[0].Amount != amount || got[0].SheetID != id):
				t.Errorf("%s wants %s once with %s, the ledger lists %+v", s.name, ref, amount, got)
			}
		}
		if isLoaded {
			wanted += len(s.amounts)
		}
	}
	if len(v.payouts) != wanted {
		t.Errorf("the ledger lists %d payouts, the loaded sheets have %d", len(v.payouts), wanted)
	}
}

// agrees holds at any moment: the bank saw nothing that is not on record.
func (v view) agrees(t judge, bank truth) {
	t.Helper()
	for _, b := range bank.Batches {
		switch state := v.state(b.ID); {
		case state == "":
			t.Errorf("the bank has batch %s, the ledger has not", b.ID)
		case state == ledger.BatchPlanned || state == ledger.BatchRefused:
			t.Errorf("the bank took batch %s, and here it is %s", b.ID, state)
		case b.Submits > 0 && !maySubmitted[state]:
			t.Errorf("the bank took a submit of batch %s, and here it is %s", b.ID, state)
		case b.Submits > 1:
			t.Errorf("batch %s was submitted %d times", b.ID, b.Submits)
		}
	}
}

// maySubmitted are the states in which the ledger owns up to a submit.
var maySubmitted = map[ledger.BatchState]bool{
	ledger.BatchSubmitting: true, ledger.BatchSubmitUnknown: true, ledger.BatchSubmitted: true, ledger.BatchSettled: true,
}

// tiesOut holds at the end: what the bank did and what the ledger says are
// one, attempt for attempt (submitter/simulation/README.md, invariant 21).
func (d *desk) tiesOut() {
	d.t.Helper()
	d.sound()
	d.known.tiesOut(d.t, d.payouts("--attempts"), d.truth())
}

// worksToTheEnd works on undisturbed, and compares with the bank.
func (d *desk) worksToTheEnd() {
	d.t.Helper()
	d.finish()
	d.tiesOut()
}

func (v view) tiesOut(t judge, attempts []payout, bank truth) {
	t.Helper()
	here := make(map[wire]payout, len(attempts)) // a reference may stand in several batches, of which the bank has one
	for _, a := range attempts {
		here[wire{a.BatchID, a.WireRef}] = a
	}
	seen := map[wire]truthPayout{}
	for _, b := range bank.Batches {
		for _, p := range b.Payouts {
			a, ok := here[wire{b.ID, p.Ref}]
			if !ok {
				t.Errorf("the bank has %s in batch %s, the ledger has not", p.Ref, b.ID)
				continue
			}
			seen[wire{b.ID, p.Ref}] = p
			if a.Amount != p.Amount {
				t.Errorf("%s is %s here and %s at the bank", p.Ref, a.Amount, p.Amount)
			}
			if p.Executed > p.Returned && !v.ownsUpTo(a) {
				t.Errorf("%s was executed, and here it is %s", p.Ref, a.State)
			}
		}
	}
	for _, a := range attempts {
		if p := seen[wire{a.BatchID, a.WireRef}]; a.State == ledger.PayoutSuccess && (p.Executed != 1 || p.Returned != 0) {
			t.Errorf("%s is success, and at the bank it was executed %d and returned %d times", a.WireRef, p.Executed, p.Returned)
		}
	}
}

// wire names an attempt as the bank knows it.
type wire struct{ batch, ref string }

// ownsUpTo: what was executed is success, on its way, in doubt or disputed here.
func (v view) ownsUpTo(a payout) bool {
	switch a.State {
	case ledger.PayoutSuccess, ledger.PayoutPending, ledger.PayoutInitiated, ledger.PayoutDisputed:
		return true
	case ledger.PayoutRequestInitiated:
		return maySubmitted[v.state(a.BatchID)]
	default:
		return false
	}
}
