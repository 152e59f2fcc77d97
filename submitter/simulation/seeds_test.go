package simulation

import "testing"

// TestSeedsThatFoundSomething replays seeds that once failed, with -exhaustive. A seed plays another story when the
// simulation changes, so each finding is also tested where it was fixed.
func TestSeedsThatFoundSomething(t *testing.T) {
	if !*exhaustive {
		t.Skip(".ci/run plays them")
	}
	for _, s := range []struct {
		seed  uint64
		story string
		found string
	}{
		{10, "", "an echo that never shows amounts was recorded as doubt with the outcome accepted, which the ledger refuses: submitter/amounts_test.go"},
		{20, "", "a process that died while it began to load left the ledger locked: the simulated process did not let go of its connection"},
		{89, "", "a second process got the lock after the lock file was removed: the first process goes on until its end, and no longer"},
		{1434, "", "an OTP was taken for a batch that a second process had initiated in between: it was held by then"},
		{4998, "", "a dispute in an earlier attempt stopped every submit of the run, and nobody was asked: submitter/dispute_test.go"},
		{21445, "", "a transaction token entered for partner bank 12 went out on the wire: submitter/token_test.go"},
		{10, "release", "a batch whose payouts two people closed as paid could not settle: the schema took the one for not final"},
		{398359903250, "release", "what a file said came back of a batch's debit freed a payout of it: ledger/reconcile, TestWhoseALineIs"},
		{1029, "release", "one nameless debit of two payouts that failed was nobody's, and both were sent again: the same"},
		{3067, "release", "a debit in a file stood for that of a paid payout, and the bulk debit could be nobody's any more: ledger/sqlite, matches_test.go"},
		{3082, "books", "a charge that came back counted as a part of the return: ledger/reconcile, TestWhoseALineIs"},
		{3108, "release", "a return under the reference of another attempt was missing for one that is returned: ledger, TestLocks"},
		{50148, "books", "one of two withdrawn debits of one amount was forgotten: ledger/reconcile, TestWhatCounts"},
		{275, "", "a debit was before the submit by a clock that was three days ahead, and nobody's: ledger/sqlite, matches_test.go"},
		{56664, "", "a batch was sent at the bank's portal, and its debit was before the day on which that was seen: ledger/sqlite, doubts_test.go"},
		{2115326876, "", "a nameless debit of two payouts that also have their own could be nobody's: docs/safety.md, what cannot be promised"},
	} {
		t.Run(s.found, func(t *testing.T) { report(t, play(t, newHome(t), s.seed, stories[s.story])) })
	}
}
