// Package killtest drives the built program as a cron job and a person do, and
// pulls the plug: SIGKILL at random moments and at named points, SIGTERM and
// SIGSTOP between them, two processes on one ledger, a power cut, a full disk,
// a ledger that is damaged, missing, read-only or an older one. Where the test is
// root the second of two people is a system user of its own. The bank is `payrun sandbox`,
// a process of its own whose control listener tells what was really paid; after
// each blow, and at the end, the ledger is held against that truth
// (submitter/simulation/README.md, "The proofs").
//
// Nothing here knows the inside of the program: it is built once, and all that
// is asked of it goes through its command line. A ledger file is only ever
// looked at in a copy, taken while no process has it open, or changed on purpose,
// as somebody does who has the file. The checks have canaries of their own
// (canary_test.go).
//
//	go test -v ./cmd/payrun/killtest                          a sample, in every test run
//	go test -v ./cmd/payrun/killtest -kills 300 -cuts 200     the figures of .ci/nightly
//	go test -v ./cmd/payrun/killtest -kills 5000 -seed 7      longer, other moments
//
// The seed decides sheets, faults, readings of the interface, commands, signals
// and delays. What the delays hit is up to the machine: the same seed repeats
// the experiment, not the microsecond.
package killtest
