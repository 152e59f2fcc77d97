//go:build unix

package killtest

import (
	"fmt"
	"os"
	"testing"

	"payrun/ledger"
)

// point is a moment that shows from outside: what the bank has seen, what the
// ledger says, how long the write-ahead log is. reached is asked again and
// again while the command runs.
type point struct {
	name    string
	fault   fault              // keeps the command in the call
	latency string             // of the bank, before an effect; "" for none
	frozen  bool               // the bank is stopped at the moment, and goes on after the kill
	prepare func(d *desk)      // up to the command
	command func(d *desk) step // that is killed
	reached func(d *desk) bool // the moment
	state   ledger.BatchState  // some batch is found in right after the kill
}

const longTime = 25 // seconds: an answer that no one will wait for

var points = []point{
	{
		name: "the bank took an initiate, its answer is on the way", fault: fault{Op: "initiate", Nth: []int{1}, Kind: "slow", Seconds: longTime},
		prepare: small, command: initiate, state: ledger.BatchInitiating,
		reached: func(d *desk) bool { return d.truth().batches() == 1 },
	},
	{
		name: "one batch is held, the bank took the next", fault: fault{Op: "initiate", Nth: []int{2}, Kind: "slow", Seconds: longTime},
		prepare: small, command: initiate, state: ledger.BatchHeld,
		reached: func(d *desk) bool { return d.truth().batches() == 2 },
	},
	{
		name: "an initiate is on record, the bank has not seen it", latency: "150ms",
		prepare: small, command: initiate, state: ledger.BatchInitiating,
		reached: func(d *desk) bool { return d.has(ledger.BatchInitiating) },
	},
	{
		name: "the bank took a submit, its answer is on the way", fault: fault{Op: "submit", Nth: []int{1}, Kind: "slow", Seconds: longTime},
		prepare: held, command: submitAll, state: ledger.BatchSubmitting,
		reached: func(d *desk) bool { return d.truth().submits() == 1 },
	},
	{
		name: "one batch is submitted, the bank took the next", fault: fault{Op: "submit", Nth: []int{2}, Kind: "slow", Seconds: longTime},
		prepare: held, command: submitAll, state: ledger.BatchSubmitted,
		reached: func(d *desk) bool { return d.truth().submits() == 2 },
	},
	{
		name: "a submit is on record, the bank has not seen it", latency: "250ms", frozen: true,
		prepare: held, command: submitAll, state: ledger.BatchSubmitting,
		reached: func(d *desk) bool { return d.has(ledger.BatchSubmitting) },
	},
	{
		name: "the next run has turned a cut-off submit into doubt, and asks", fault: fault{Op: "status", Kind: "slow", Seconds: longTime},
		prepare: cutOffSubmit, command: poll, state: ledger.BatchSubmitUnknown,
		reached: func(d *desk) bool { return d.has(ledger.BatchSubmitUnknown) },
	},
}

// again is how many more kills a point gets if a busy machine let each of its moments pass.
const again = 4

func TestKillAtNamedPoints(t *testing.T) {
	ofTheProof(t)
	times := draws()
	f := newFigures()
	t.Run("points", func(t *testing.T) {
		for i, p := range points {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				some := false
				for n := 0; n < times || !some && n < times+again; n++ {
					hit := p.kill(t, *seed*100+int64(i*(times+again)+n))
					f.kill(p.name, hit)
					some = some || hit
				}
			})
		}
	})
	t.Logf("kill figures: named_points=%d kills=%d", len(points), f.kills)
	for _, p := range points {
		if f.byVerb[p.name] == 0 {
			t.Errorf("no kill hit where %s", p.name)
		}
	}
}

// kill brings a new ledger to the point, kills there, and lets a person
// finish. It reports whether the kill found the ledger at the point: on a busy
// machine the moment may be over.
func (p point) kill(t *testing.T, seed int64) bool {
	var args []string
	if p.latency != "" {
		args = []string{"--latency", p.latency}
	}
	d := openDesk(t, openBank(t, seed, args...), seed, 0)
	p.prepare(d)
	if p.fault.Kind != "" {
		d.bank.faults(p.fault)
	}
	command := p.command(d)
	run := d.start(command)
	until(t, p.name, func() bool { return !run.running() || p.reached(d) })
	if p.frozen {
		d.bank.freeze()
	}
	hit := run.kill()
	if p.frozen {
		d.bank.thaw() // and it may now take what was sent by a process that is dead
	}
	d.whole()
	hit = hit && d.has(p.state)
	d.sound()
	d.bank.faults()
	d.worksToTheEnd()
	return hit
}

// A load is one transaction. Killed while SQLite writes it to the log, the
// sheet is there as a whole or not at all, and can be loaded again.
func TestKillWhileASheetIsWritten(t *testing.T) {
	ofTheProof(t)
	const times, rows = 4, 2500
	d := openDesk(t, openBank(t, *seed), *seed, 0)
	hits, absent := 0, 0
	for range times {
		s := d.addSheet(d.fresh(), rows, "pb3", "pb12")
		load := step{args: []string{"load", s.name}}
		run := d.start(load)
		until(t, "SQLite writes to its log", func() bool { return !run.running() || d.logLength() > 0 })
		if run.kill() {
			hits++
		}
		d.sound()
		if _, loaded := d.known.sheets[s.name]; !loaded {
			absent++
			d.must(0, "load", s.name)
		}
	}
	d.sound()
	t.Logf("kill figures: loads_cut=%d kills=%d left_nothing=%d rows_each=%d", times, hits, absent, rows)
	if hits == 0 || absent == 0 {
		t.Errorf("%d kills hit and %d of them before the commit: the moment is not reached", hits, absent)
	}
}

// fresh names a sheet whose references no other sheet of the bank has.
func (d *desk) fresh() string { return fmt.Sprintf("N%d-%d", len(d.others), len(d.sheets)+1) }

func small(d *desk) { d.loaded(d.fresh(), 5, "pb3", "pb1") }

func held(d *desk) {
	small(d)
	d.must(12, "initiate", "--all", "--yes")
	d.known = d.view()
}

// cutOffSubmit leaves a submit that the bank took and no one heard of.
func cutOffSubmit(d *desk) {
	held(d)
	d.bank.faults(fault{Op: "submit", Nth: []int{1}, Kind: "slow", Seconds: longTime})
	run := d.start(submitAll(d))
	until(d.t, "the bank took a submit", func() bool { return d.truth().submits() == 1 })
	run.kill()
}

func initiate(*desk) step { return step{args: []string{"initiate", "--all", "--yes"}} }

func poll(*desk) step { return step{args: []string{"poll"}} }

// verify looks through the ledger, and sends nothing.
var verify = step{args: []string{"ledger", "verify"}}

func submitAll(d *desk) step { return d.submit(d.known.in(ledger.BatchHeld)) }

// has reports whether some batch is in the state.
func (d *desk) has(state ledger.BatchState) bool {
	d.t.Helper()
	return len((view{batches: d.batches()}).in(state)) > 0
}

// logLength is the size of the write-ahead log, 0 when there is none.
func (d *desk) logLength() int64 {
	info, err := os.Stat(d.ledger() + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}
