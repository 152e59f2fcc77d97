// Package simulation runs payrun through thousands of bad days to show that it never pays twice and never loses
// a payout. It holds tests only.
//
// One history is the real engine, the real client of the bank and a real SQLite ledger, over pipes, against a
// simulated bank that is the worst the interface allows (interface.md is silent on repeats, finality, listing
// and much else). A simulated person loads sheets, reads OTPs, submits, polls, abandons and retries. The
// process dies between any two calls, the ledger fails, a second process interferes. Every step is followed by
// a check of each invariant of safety.md that applies, against the ledger and against what the bank really
// paid. Then the faults stop, and within 60 runs every payout must be final or named as needing a person.
//
// Some days a person submits at the bank's own portal. Some days a second ledger of the same sheet, copied or
// made separately, runs alongside the first. A payment that a look would have prevented is a violation. What
// safety.md says cannot be promised is recognised by facts of the bank's log, and counted ("unprevented").
//
// The bank keeps its books in one of the ways that banks do: by name, nameless, in bulk, with debits that come
// back, are taken again or are presented twice. Its statements and files show them. Two people release what is
// locked, with a letter of the bank that is true or, rarely, false; they also try what is forbidden. If the
// statement of the last look showed money out for a payout and it is paid again, that is a violation.
//
// payrun's wall clock is set back and forward; the checks use the true one. Failed payouts are sent again
// unchanged, or corrected by a later sheet first. A total is typed, rightly or wrongly. An older ledger comes
// back and is accepted.
//
// Everything follows from one seed: the same seed gives the same events, and their SHA-256 is compared. A
// history that fails prints the command that replays it; what it found stays as a named test in seeds_test.go.
// The simulation must find each broken variant of the engine (canary_test.go), or it is itself at fault.
//
// The store comes from a constructor (home_test.go); -store runs the same histories on another store.
//
//	go test ./submitter/simulation -histories 20000
//	go test ./submitter/simulation -run TestReplay -v -seed 4711
package simulation
