// Package simulation proves, by running it through thousands of bad days, that
// payrun never pays twice and never loses a payout. It holds tests only.
//
// One history is the real engine, the real client of the bank and a real
// SQLite ledger, over pipes, against a simulated bank that is the worst the
// interface allows (interface.md is silent on repeats, finality, listing and
// much else). A simulated person loads sheets, reads OTPs, submits, polls,
// gives up and retries. The process dies between any two calls, the ledger
// fails, a second process interferes. After each step every invariant of
// safety.md that applies is checked, against the ledger and against what the
// bank really paid. Then the faults stop, and within 60 runs every payout must
// be final or named as needing a person.
//
// Some days someone submits at the bank's own portal, or a second ledger of the
// same sheet, a copy or one made on its own, goes on alongside the first. A payment
// that a look would have prevented is a violation; what safety.md says cannot be
// promised is counted by facts of the bank's log, and counted ("unprevented").
//
// The bank keeps books in one of the ways that banks do: by name, nameless, in bulk,
// debits that come back, are taken out again or presented twice. Its statements and
// files tell of them. Two people release what is locked, with a letter of the bank, which
// is true or, rarely, false; they try what is forbidden, too. What the statement of the
// last look showed to be out and is paid again is a violation.
//
// The clock on payrun's wall is set back and forward, and the true one is what
// is checked against. What failed is sent again as it was, or corrected by a later
// sheet first. A total is typed, rightly or not. An older ledger comes back and is accepted.
//
// All of it follows from one seed: the same seed gives the same events, and
// their SHA-256 is compared. A history that fails prints the command that
// replays it; what it found stays as a named test in seeds_test.go. Broken
// variants of the engine (canary_test.go) must each be found, or the
// simulation is at fault.
//
// The store comes from a constructor (home_test.go): what is proved of one is
// proved of another by -store.
//
//	go test ./submitter/simulation -histories 20000
//	go test ./submitter/simulation -run TestReplay -v -seed 4711
package simulation
