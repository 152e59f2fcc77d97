//go:build unix

package killtest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
)

// drill returns the commands of the page's drill, in their order.
func drill(t *testing.T) (list [][]string) {
	t.Helper()
	page, err := os.ReadFile("../../../docs/shared-ledger.md")
	must(t, err)
	_, section, found := strings.Cut(string(page), "### Drill: the server is gone\n")
	if section, _, _ = strings.Cut(section, "\n#"); !found {
		t.Fatal("the page has no drill")
	}
	for _, command := range regexp.MustCompile("`payrun ([^`]+)`").FindAllStringSubmatch(section, -1) {
		words := strings.Fields(command[1])
		for i := range words {
			words[i] = strings.Replace(words[i], "TEXT", "the server is gone", 1)
		}
		list = append(list, words)
	}
	if len(list) != 2 {
		t.Fatalf("the drill has the commands %q", list)
	}
	return list
}

// The drill of docs/shared-ledger.md, "the server is gone", in the middle of a submit: with a
// synchronous standby nothing is lost, with one that lagged the bank knows what the ledger
// forgot. Until a person accepts it nothing is sent. What was submitted is paid once, and the
// rest is locked.
func TestTheServerIsGoneAndItsStandbyTakesOver(t *testing.T) {
	ofTheProof(t)
	commands := drill(t)
	for name, c := range map[string]struct {
		synchronous bool
		durability  string
		parts       bool // the standby lacks the last submits
	}{
		"a synchronous standby":    {true, "replicated", false},
		"a standby that lags":      {false, "single", false},
		"a standby that is behind": {false, "single", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servers := pgtest.NewPair(t, c.synchronous)
			b := openBank(t, *seed, "--latency", "6ms")
			a, other := newMachine(t, b, *seed, servers.URL, c.durability), newMachine(t, b, *seed+1, servers.URL, c.durability)
			a.must(0, "init")
			a.loaded("S1", 14, accounts...)
			a.must(12, "initiate", "--all", "--yes")
			a.known = a.view()
			before := a.known
			if c.parts {
				servers.Part()
			}
			b.faults(fault{Op: "submit", Nth: []int{3}, Kind: "slow", Seconds: 1})
			submitting := a.start(a.submit(before.in(ledger.BatchHeld)))
			until(t, "the bank took the third submit", func() bool { return a.truth().submits() == 3 })
			servers.Crash()
			a.shared(step{args: []string{"submit"}}, submitting)
			servers.Promote()
			b.faults()

			sent := a.truth().summary()
			for _, m := range []*desk{a, other} {
				m.follow(a)
				for _, command := range []step{m.submit(before.in(ledger.BatchHeld)), {args: commands[0]}} {
					if o := m.start(command).wait(); o.exit != 17 || !strings.Contains(o.err+o.out, "another server took over") {
						t.Errorf("%s after the standby took over: exit %d\n%s%s", command.verb(), o.exit, o.out, o.err)
					}
				}
			}
			if now := a.truth().summary(); now != sent {
				t.Errorf("the bank had %s, and has %s before anybody accepted", sent, now)
			}
			if o := a.run(append(commands[1], "--yes")...); o.exit != 0 && o.exit != 15 || !strings.Contains(o.out, `"accepted_restored":true`) {
				t.Fatalf("accepting: exit %d\n%s%s", o.exit, o.out, o.err)
			}
			now := a.view()
			if !c.parts {
				now.follows(t, before)
			}
			other.known = now
			other.worksToTheEnd()
			for _, batch := range other.truth().Batches {
				if got := other.known.state(batch.ID); batch.Submits > 0 && got != ledger.BatchSettled || batch.Submits == 0 && got != ledger.BatchHeld {
					t.Errorf("%s was submitted %d times, and is %s", batch.ID, batch.Submits, got)
				}
			}
		})
	}
}
