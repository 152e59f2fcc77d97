package storetest

import "payrun/ledger"

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
