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

// Load records a sheet of n payouts in batches of one, for the tests of one store.
func Load(t testing.TB, s Store, name string, n int) []ledger.Batch {
	t.Helper()
	d := &desk{TB: t, Store: s, ctx: context.Background()}
	return d.load(name, n, 1)
}

// Intent is the step that records the intent to initiate a batch.
func Intent(batchID string) ledger.Step {
	return ledger.Step{BatchID: batchID, Actor: asha, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: minute(1), PayloadSHA256: hash(batchID), Looks: looked(batchID)}
}

// Submit brings a planned batch to submitted, as the engine does.
func Submit(t testing.TB, s Store, batchID string) {
	t.Helper()
	d := &desk{TB: t, Store: s, ctx: context.Background()}
	d.hold(batchID)
	d.submit(batchID)
}
