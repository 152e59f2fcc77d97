//go:build unix

package killtest

import (
	"os"
	"syscall"
	"testing"

	"payrun/ledger"
)

// Asked to stop between an intent and its outcome, the program finishes the
// call, records it, and starts no other (docs/operations.md, "Faults of the machine").
func TestASignalDuringACallWaitsForItsOutcome(t *testing.T) {
	ofTheProof(t)
	for _, c := range []struct {
		name           string
		signals        []syscall.Signal
		op             string
		prepare        func(*desk)
		command        func(*desk) step
		taken          func(truth) int
		moved, unmoved ledger.BatchState
	}{
		{"SIGTERM during an initiate", []syscall.Signal{syscall.SIGTERM}, "initiate", small, initiate, truth.batches, ledger.BatchHeld, ledger.BatchPlanned},
		{"SIGINT during a submit", []syscall.Signal{syscall.SIGINT}, "submit", held, submitAll, truth.submits, ledger.BatchSubmitted, ledger.BatchHeld},
		{"SIGTERM and SIGINT during a submit", []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGTERM}, "submit", held, submitAll, truth.submits, ledger.BatchSubmitted, ledger.BatchHeld},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openDesk(t, openBank(t, *seed), *seed, 0)
			c.prepare(d)
			d.bank.faults(fault{Op: c.op, Nth: []int{1}, Kind: "slow", Seconds: 1})
			run := d.start(c.command(d))
			until(t, "the bank took the call", func() bool { return c.taken(d.truth()) == 1 })
			for _, s := range c.signals {
				if !run.signal(s) {
					t.Fatal("it ended before the signal")
				}
			}
			if o := run.wait(); o.exit != 130 {
				t.Errorf("exit %d, want 130\n%s", o.exit, o.err)
			}
			d.sound()
			if got := c.taken(d.truth()); got != 1 {
				t.Errorf("the bank took %d calls, want the one in progress", got)
			}
			if len(d.known.in(c.moved)) != 1 || len(d.known.in(c.unmoved)) == 0 {
				t.Errorf("want one batch %s and the others %s: %+v", c.moved, c.unmoved, d.known.batches)
			}
			d.worksToTheEnd()
		})
	}
}

// A person who reads the output may leave, as `head` does. That is noticed by the
// writer, never by a signal that falls between an intent and its outcome.
func TestAClosedOutputAbortsNothing(t *testing.T) {
	ofTheProof(t)
	for _, c := range []struct {
		name    string
		prepare func(*desk)
		command func(*desk) step
		moved   ledger.BatchState
	}{
		{"initiate", small, initiate, ledger.BatchHeld},
		{"submit", held, submitAll, ledger.BatchSubmitted},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openDesk(t, openBank(t, *seed), *seed, 0)
			c.prepare(d)
			s := c.command(d)
			cmd := d.command(payrun, append(s.args, "--verbose", "--log-format", "json")...)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = words(s.stdin), nobodyReads(t), nobodyReads(t)
			o := launch(t, cmd).wait()
			if o.signal != 0 {
				t.Errorf("it died of %v", o.signal)
			}
			d.sound()
			if want := len(d.known.batches); len(d.known.in(c.moved)) != want {
				t.Errorf("want all %d batches %s: %+v", want, c.moved, d.known.batches)
			}
			d.worksToTheEnd()
		})
	}
}

// nobodyReads is a pipe whose reader has left.
func nobodyReads(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { _ = w.Close() })
	must(t, r.Close())
	return w
}
