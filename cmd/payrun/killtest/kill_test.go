//go:build unix

package killtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"payrun/ledger"
)

// worlds is how many ledgers the kills are spread over, each with a bank that
// reads the interface in another way, and the last with all its troubles.
func worlds() int {
	const fewest, most, each = 2, 6, 50
	return min(max(*kills/each, fewest), most)
}

func TestKillAtRandomMoments(t *testing.T) {
	f := newFigures()
	n := worlds()
	t.Run("worlds", func(t *testing.T) {
		for world := range n {
			t.Run(fmt.Sprint(world), func(t *testing.T) {
				t.Parallel()
				share := (*kills + world) / n // of kills, rounded so that they add up
				storm(t, *seed*1000+int64(world), share, world == n-1, f)
			})
		}
	})
	t.Log(f)
	if f.kills < *kills {
		t.Errorf("%d kills hit, want %d", f.kills, *kills)
	}
}

// storm works on one ledger until so many kills have hit, then undisturbed to
// the end, and compares with the bank.
func storm(t *testing.T, seed int64, share int, trouble bool, f *figures) {
	args := []string{"--latency", "6ms"}
	if trouble {
		args = append(args, "--trouble")
	}
	b := openBank(t, seed, args...)
	d := newDesk(t, b, seed, int(seed%2))
	hits := d.initUnderFire(f)
	if !trouble {
		d.forTwo()
	}
	for hits < share && !t.Failed() {
		d.moreToDo()
		d.weather()
		s := d.any(d.choices(d.known))
		if repairs := d.repairs(d.known); len(repairs) > 0 && d.dice.IntN(5) == 0 {
			s = d.any(repairs)
		}
		if d.strike(s, d.aBlow(), d.delay(s, f), f) {
			hits++
		}
		if d.dice.IntN(8) == 0 { // the next run may be the one that recovers, and be killed at that
			if d.strike(step{args: []string{"poll"}}, killed, d.delay(s, f), f) {
				hits++
			}
		}
		d.sound()
	}
	b.faults()
	d.worksToTheEnd()
	f.count(&f.ledgers)
	f.add(&f.payouts, len(d.known.payouts))
	for _, batch := range d.truth().Batches {
		for _, p := range batch.Payouts {
			f.add(&f.executed, p.Executed)
		}
	}
}

// delay draws when the blow falls: from the first instruction to a little
// after the usual end.
func (d *desk) delay(s step, f *figures) time.Duration {
	return time.Duration(d.dice.Float64() * 1.1 * float64(f.longest(s.verb())))
}

func (d *desk) any(choices []step) step { return choices[d.dice.IntN(len(choices))] }

// initUnderFire kills init a few times, and then lets it through. A ledger is
// there as a whole or not at all.
func (d *desk) initUnderFire(f *figures) (hits int) {
	d.t.Helper()
	s := step{args: []string{"init"}}
	for range 3 {
		if d.strike(s, killed, d.delay(s, f), f) {
			hits++
		}
		d.whole()
		d.otherNames()
	}
	there := d.fileExists("payrun.db")
	if o := d.run("init"); o.exit != 0 && (!there || o.exit != 2) {
		d.t.Fatalf("init after kills, with a ledger there: %t: exit %d\n%s", there, o.exit, o.err)
	}
	d.sound()
	return hits
}

// otherNames removes what an init that was killed right after it named the ledger leaves:
// a second name, which every command asks people to remove.
func (d *desk) otherNames() {
	d.t.Helper()
	left, err := filepath.Glob(d.path(".payrun.db.new-*"))
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	must(d.t, err)
}

// moreToDo gives the person a further sheet when little is left. Some of its
// payouts will fail or come back.
func (d *desk) moreToDo() {
	d.t.Helper()
	const little, size = 8, 14
	if len(d.known.sheets) < len(d.sheets) || len(d.known.in(ledger.BatchPlanned, ledger.BatchHeld)) > little {
		return
	}
	s := d.addSheet(fmt.Sprintf("S%d", len(d.sheets)+1), 1+d.dice.IntN(size), accounts...)
	ends := map[string]string{}
	for ref := range s.amounts {
		switch d.dice.IntN(10) {
		case 0:
			ends[ref] = "failed"
		case 1:
			ends[ref] = "returned"
		}
	}
	d.bank.outcomes(ends)
}

// weather changes the faults and lets the bank work.
func (d *desk) weather() {
	d.t.Helper()
	const odds = 2
	if d.dice.IntN(odds) == 0 {
		d.bank.settle()
	}
	var list []fault
	if d.dice.IntN(odds) == 0 {
		ops := []string{"initiate", "submit", "status"}
		kinds := []string{"slow", "slow", "drop_before", "drop_after", "500_before", "500_after", "html502", "garbage", "truncate"}
		list = append(list, fault{
			Op: ops[d.dice.IntN(len(ops))], Kind: kinds[d.dice.IntN(len(kinds))], Nth: []int{1 + d.dice.IntN(3)}, Seconds: 0.05,
		})
	}
	d.bank.faults(list...)
}

func (d *desk) fileExists(name string) bool {
	d.t.Helper()
	_, err := os.Lstat(d.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.t.Fatal(err)
	}
	return err == nil
}
