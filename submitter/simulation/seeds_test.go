package simulation

import "testing"

// TestSeedsThatFoundSomething plays again what once failed. What a seed plays
// changes when the simulation grows; what it found is tested where it was
// mended, too.
func TestSeedsThatFoundSomething(t *testing.T) {
	for _, s := range []struct {
		seed  uint64
		found string
	}{
		{10, "an echo that never shows amounts was recorded as doubt with the outcome accepted, which the ledger refuses: submitter/amounts_test.go"},
		{20, "a process that died while it began to load left the ledger locked: the simulated process did not let go of its connection"},
		{89, "a second process got the lock after the lock file was removed: the first process goes on until its end, and no longer"},
		{1434, "an OTP was taken for a batch that a second process had initiated in between: it was held by then"},
		{4998, "a dispute in an earlier attempt stopped every submit of the run, and nobody was asked: submitter/dispute_test.go"},
		{21445, "a transaction token entered for partner bank 12 went out on the wire: submitter/token_test.go"},
	} {
		t.Run(s.found, func(t *testing.T) { report(t, play(t, newHome(t), s.seed, anything)) })
	}
}
