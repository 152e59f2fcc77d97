package reports

import (
	"context"

	"golang.org/x/sync/errgroup"

	"payrun/ledger"
)

// ahead reads payouts in a goroutine of its own, some chunks ahead of fn, so that neither waits longer
// than it must. Followers get each chunk too.
func ahead(ctx context.Context, read func(ctx context.Context, fn func(ledger.Attempt) error) error, follows *following, fn func(ledger.Attempt) error) error {
	const perChunk, chunksBetween = 256, 2
	chunks := make(chan []ledger.Attempt, chunksBetween)
	both, working := errgroup.WithContext(ctx)
	both.Go(func() error {
		defer close(chunks)
		var chunk []ledger.Attempt
		give := func() error {
			select {
			case chunks <- chunk:
			case <-working.Done():
				return working.Err()
			}
			err := follows.give(working, chunk)
			chunk = nil
			return err
		}
		err := read(working, func(a ledger.Attempt) error {
			if chunk == nil {
				chunk = make([]ledger.Attempt, 0, perChunk)
			}
			if chunk = append(chunk, a); len(chunk) < perChunk {
				return nil
			}
			return give()
		})
		if err == nil && len(chunk) > 0 {
			err = give()
		}
		return err
	})
	both.Go(func() error {
		for chunk := range chunks {
			for i := range chunk {
				if err := working.Err(); err != nil {
					return err
				}
				if err := fn(chunk[i]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return both.Wait()
}
