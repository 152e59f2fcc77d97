package storetest

import (
	"context"
	"testing"

	"payrun/ledger"
)

// What the suite loads, for a store's own tests.

// Hash is the SHA-256 of a text, in lower-case hex.
func Hash(s string) string { return hash(s) }

// Payouts makes n payouts with references <prefix>-1, <prefix>-2, …, of 100.00
// each and a paisa more from one to the next.
func Payouts(prefix string, n int) []ledger.Payout { return payouts(prefix, n) }

// Keyed adds the folded form of each reference.
func Keyed(list []ledger.Payout) []ledger.KeyedPayout { return keyed(list) }

// SheetOf describes a sheet that has just these payouts.
func SheetOf(name string, list []ledger.Payout) ledger.Sheet { return sheetOf(name, list) }

// Plan puts payouts into batches of at most size, all of partner bank 12 CIB.
func Plan(list []ledger.Payout, size int) []ledger.PlannedBatch { return plan(list, size) }

// TryLoad loads a sheet of just these payouts.
func TryLoad(s Store, name string, list []ledger.Payout, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	return on(nil, s).tryLoad(name, list, batches)
}

// Load records a sheet of n payouts in batches of size.
func Load(t testing.TB, s Store, name string, n, size int) []ledger.Batch {
	t.Helper()
	return on(t, s).load(name, n, size)
}

// Looked are looks at batches that the bank does not know, in its own word.
func Looked(ids ...string) []ledger.StatusCheck { return looked(ids...) }

// See judges one answer about one attempt.
func See(a ledger.Attempt, status, code string) ledger.Observed { return see(a, status, code) }

// Observe is one answer that says the same of every payout of a batch.
func Observe(t testing.TB, s Store, id, status, code string) []ledger.Observed {
	t.Helper()
	return on(t, s).observe(id, status, code)
}

// Intent is the step that records the intent to initiate a batch.
func Intent(batchID string) ledger.Step {
	return ledger.Step{BatchID: batchID, Actor: asha, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(1), PayloadSHA256: hash(batchID), Looks: looked(batchID)}
}

// Hold brings a planned batch to held, as the engine does.
func Hold(t testing.TB, s Store, id string) {
	t.Helper()
	on(t, s).hold(id)
}

// Submit brings a held batch to submitted.
func Submit(t testing.TB, s Store, id string) {
	t.Helper()
	on(t, s).submit(id)
}

// Story names the batches of a story.
type Story struct {
	Planned, Held, Submitted, Settled, Abandoned, Quarantined, Refused, Unknown string
}

// Tell brings a new ledger to where each station that matters has a batch.
func Tell(t testing.TB, s Store) Story {
	t.Helper()
	st := on(t, s).tell()
	return Story{st.planned, st.held, st.submitted, st.settled, st.abandoned, st.quarantined, st.refused, st.unknown}
}

// on is the desk at an open ledger.
func on(t testing.TB, s Store) *desk { return &desk{TB: t, Store: s, ctx: context.Background()} }
