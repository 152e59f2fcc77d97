//go:build unix

package killtest

import (
	"os"
	"testing"

	"payrun/ledger"
)

func TestASecondRunIsTurnedAwayAtOnce(t *testing.T) {
	ofTheProof(t)
	d := openDesk(t, openBank(t, *seed), *seed, 0)
	small(d)
	d.bank.faults(fault{Op: "initiate", Nth: []int{1}, Kind: "slow", Seconds: 10})
	first := d.start(initiate(d))
	until(t, "the bank took the first initiate", func() bool { return d.truth().batches() == 1 })
	for _, s := range []step{initiate(d), poll(d), {args: []string{"load", d.sheets[0].name}}, {args: []string{"retry", "x"}}, {args: []string{"abandon", "x", "--reason", "y"}}} {
		d.ends(11, s)
	}
	if !first.running() {
		t.Error("the second runs were not turned away at once: the first had ended by then")
	}
	if got := d.truth().batches(); got != 1 {
		t.Errorf("the bank has %d batches while one run waits for its first answer", got)
	}
	if o := first.wait(); o.exit != 12 {
		t.Errorf("the first run: exit %d\n%s", o.exit, o.err)
	}
	d.worksToTheEnd()
}

func TestRunsThatStartTogetherInitiateAndSubmitOnce(t *testing.T) {
	ofTheProof(t)
	const rounds, runs = 4, 4
	ran, away := 0, 0
	d := openDesk(t, openBank(t, *seed, "--latency", "5ms"), *seed, 0)
	for range rounds {
		small(d)
		for _, command := range []func(*desk) step{initiate, submitAll} {
			s := command(d)
			var started []*process
			for range runs {
				started = append(started, d.start(s))
			}
			for _, p := range started {
				switch o := p.wait(); o.exit {
				case 11:
					away++
				case 0, 2, 12, 14: // 2: it came after the one that submitted, and nothing is held any more
					ran++
				default:
					t.Errorf("%s with others: exit %d\n%s%s", s.verb(), o.exit, o.out, o.err)
				}
			}
			d.sound()
		}
	}
	if ran < 2*rounds || away == 0 {
		t.Errorf("%d runs had the ledger and %d were turned away: there was no race", ran, away)
	}
	d.worksToTheEnd()
	t.Logf("kill figures: races=%d runs=%d turned_away=%d", 2*rounds, ran+away, away)
}

// The lock file may be swept away by a person or a tidying job. Then two runs
// have the ledger, and the conditional update is what is left to keep them
// apart (docs/operations.md, "Faults of the machine").
func TestWithTheLockFileDeletedNothingIsPaidTwice(t *testing.T) {
	ofTheProof(t)
	for _, c := range []struct {
		name    string
		prepare func(*desk)
		command func(*desk) step
		op      string
		reached func(truth) bool
	}{
		{"during an initiate", small, initiate, "initiate", func(s truth) bool { return s.batches() == 1 }},
		{"during a submit", held, submitAll, "submit", func(s truth) bool { return s.submits() == 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := openDesk(t, openBank(t, *seed), *seed, 0)
			c.prepare(d)
			d.bank.faults(fault{Op: c.op, Nth: []int{1}, Kind: "slow", Seconds: 1})
			s := c.command(d)
			first := d.start(s)
			until(t, "the bank took the call", func() bool { return c.reached(d.truth()) })
			must(t, os.Remove(d.ledger()+".lock"))
			second := d.start(s)
			if o := second.wait(); o.exit == 11 {
				t.Fatal("the second run was turned away: there was no race")
			}
			first.wait()
			d.sound()
			if len(d.known.in(ledger.BatchInitiating, ledger.BatchSubmitting)) > 0 {
				t.Errorf("a call has no outcome: %+v", d.known.batches)
			}
			d.worksToTheEnd()
		})
	}
}
