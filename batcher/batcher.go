// Package batcher packs payouts into legal batches with the fewest OTPs. It is
// pure: no I/O, no clock, no randomness; the same input gives the same batches.
package batcher
