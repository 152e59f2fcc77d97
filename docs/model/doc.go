// Package model holds a model of the rules that keep a payout from being paid twice
// (release.pml, in Promela) and the test that runs spin on it. It holds tests only. README.md
// says what the model proves, and what it cannot prove.
//
//	go test ./docs/model           # the small proofs and one story
//	go test ./docs/model -all      # everything, as .ci/run does
package model
