// Package killtest drives the built program as a cron job and a person do, and
// pulls the plug: SIGKILL at random moments and at named points, SIGTERM and
// SIGSTOP between them, two processes on one ledger, a power cut, a full disk,
// a ledger that is damaged, missing, read-only or an older one. If the test runs as root, the second of
// two people is a system user of its own. The bank is `payrun sandbox`, a process of its own whose control
// listener reports what was really paid. After each kill, and at the end, the ledger is compared with that
// truth (submitter/simulation/README.md, "The proofs").
//
// The test knows the program only by its command line. It reads a ledger file only in a copy, taken while
// no process has it open, or changes it on purpose, as an attacker with the file would. The checks have
// canaries of their own (canary_test.go).
//
//	go test -v ./cmd/payrun/killtest                          a sample, in every test run
//	go test -v ./cmd/payrun/killtest -kills 300 -cuts 200     the figures of .ci/nightly
//	go test -v ./cmd/payrun/killtest -kills 5000 -seed 7      longer, other moments
//
// The seed decides sheets, faults, readings of the interface, commands, signals
// and delays. What the delays hit is up to the machine: the same seed repeats
// the experiment, not the microsecond.
package killtest
