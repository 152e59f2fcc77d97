package reports

import (
	"context"

	"golang.org/x/sync/errgroup"

	"payrun/ledger"
)

// eachAhead reads attempts in a goroutine of its own, some chunks ahead of fn, so that neither waits longer
// than it must. Who follows gets each chunk too.
func (s *Snapshot) eachAhead(ctx context.Context, f ledger.Filter, fn func(ledger.Attempt) error) error {
	const perChunk, chunksBetween = 256, 2
	chunks := make(chan []ledger.Attempt, chunksBetween)
	both, working := errgroup.WithContext(ctx)
	both.Go(func() error {
		defer close(chunks)
		var chunk []ledger.Attempt
		give := func() error {
			if err := send(working, chunks, chunk); err != nil {
				return err
			}
			if s.following == nil {
				return nil
			}
			return send(working, s.following.chunks, chunk)
		}
		err := s.ledger.EachPayout(working, f, func(a ledger.Attempt) error {
			if chunk == nil {
				chunk = make([]ledger.Attempt, 0, perChunk)
			}
			if chunk = append(chunk, a); len(chunk) < perChunk {
				return nil
			}
			err := give()
			chunk = nil
			return err
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

// send gives a chunk, which no one changes any more, to one who reads them.
func send(ctx context.Context, to chan<- []ledger.Attempt, chunk []ledger.Attempt) error {
	select {
	case to <- chunk:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
