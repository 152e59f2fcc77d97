package storetest

import (
	"context"
	"testing"

	"payrun/ledger"
)

// The suite's own samples and steps, for the tests of a store.

// Hash returns the SHA-256 of a text, in lower-case hex.
func Hash(s string) string { return hash(s) }

// Payouts returns n payouts with references <prefix>-1, <prefix>-2, …, of 100.00, 100.01, 100.02, …
func Payouts(prefix string, n int) []ledger.Payout { return payouts(prefix, n) }

// Keyed adds the folded form of each reference.
func Keyed(list []ledger.Payout) []ledger.KeyedPayout { return keyed(list) }

// SheetOf describes a sheet with exactly these payouts.
func SheetOf(name string, list []ledger.Payout) ledger.Sheet { return sheetOf(name, list) }

// Plan puts payouts into batches of at most size, all of partner bank 12 CIB.
func Plan(list []ledger.Payout, size int) []ledger.PlannedBatch { return plan(list, size) }

// TryLoad loads a sheet with exactly these payouts.
func TryLoad(s Store, name string, list []ledger.Payout, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	return on(nil, s).tryLoad(name, list, batches)
}

// Load loads a sheet of n payouts in batches of size.
func Load(t testing.TB, s Store, name string, n, size int) []ledger.Batch {
	t.Helper()
	return on(t, s).load(name, n, size)
}

// Looked returns status checks that found the batches unknown to the bank.
func Looked(ids ...string) []ledger.StatusCheck { return looked(ids...) }

// See judges one answer about one attempt.
func See(a ledger.Attempt, status, code string) ledger.Observed { return see(a, status, code) }

// Observe returns one answer with the same status for every payout of a batch.
func Observe(t testing.TB, s Store, id, status, code string) []ledger.Observed {
	t.Helper()
	return on(t, s).observe(id, status, code)
}

// Intent returns the step that records the intent to initiate a batch.
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

// Tell brings a new ledger to a state with a batch in each important state.
func Tell(t testing.TB, s Store) Story {
	t.Helper()
	st := on(t, s).tell()
	return Story{st.planned, st.held, st.submitted, st.settled, st.abandoned, st.quarantined, st.refused, st.unknown}
}

// on returns a desk for an open ledger.
func on(t testing.TB, s Store) *desk { return &desk{TB: t, Store: s, ctx: context.Background()} }
