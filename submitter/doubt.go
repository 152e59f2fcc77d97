package submitter

import (
	"context"
	"fmt"
	"time"

	"payrun/ledger"
)

// askTimes are the multiples of poll.first, counted from the lost answer, at
// which a run asks about it before it ends with "unknown". Later runs go on.
var askTimes = [...]time.Duration{1, 2, 4, 8, 16}

// settleDoubts asks once about every initiate whose answer an earlier run lost.
func (e *Engine) settleDoubts(ctx context.Context) error {
	batches, err := e.store.BatchesIn(ctx, ledger.BatchInitiateUnknown)
	if err != nil {
		return err
	}
	for _, b := range batches {
		if _, err := e.pollOne(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// askAgain asks about answers lost in this run, on the schedule, and replaces
// their results. What is still unknown at the end stays "unknown".
func (e *Engine) askAgain(ctx context.Context, results []Result, unknown []string) ([]Result, error) {
	var waited time.Duration
	for _, times := range askTimes {
		if len(unknown) == 0 {
			break
		}
		e.tell("", "asking the bank about %d lost answer(s) in %s", len(unknown), times*e.set.PollFirst-waited)
		if err := pause(ctx, times*e.set.PollFirst-waited); err != nil {
			return results, err
		}
		waited = times * e.set.PollFirst
		var still []string
		for _, id := range unknown {
			b, err := e.store.Batch(ctx, id)
			if err != nil {
				return results, err
			}
			r, err := e.pollOne(ctx, b)
			if err != nil {
				return results, err
			}
			if r.Outcome == OutcomeUnknown || r.Outcome == OutcomeUnread {
				still = append(still, id)
				r.Outcome = OutcomeUnknown
			}
			replace(results, r)
		}
		unknown = still
	}
	return results, nil
}

func replace(results []Result, r Result) {
	for i := range results {
		if results[i].Batch.ID == r.Batch.ID {
			results[i] = r
		}
	}
}

// doubtInitiate concludes, or not, about an initiate whose answer was lost. It
// is always safe to give up: money moves only at submit (safety.md, 1).
func (e *Engine) doubtInitiate(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, read ledger.StatusRead) (Result, error) {
	step := ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Note: b.Note}
	if read.Complete && len(read.Payouts) > 0 {
		c := compare(b, attempts, read.Answer)
		c.unmoved(attempts)
		switch {
		case c.equal():
			step.Event, step.Observed, step.Note = ledger.SeenAsPlanned, c.echoed(attempts), ""
			return e.concluded(ctx, step, OutcomeHeld, "the bank has it after all: held for its OTP")
		case len(c.differs) > 0:
			step.Event, step.Attention = ledger.EchoDiffers, ledger.EchoDiffered
			step.Note = "the bank holds something else than was sent: " + c.why()
			return e.concluded(ctx, step, OutcomeQuarantined, step.Note)
		}
	}
	if quiet := step.At.Sub(b.StateSince); quiet < e.set.DoubtQuiet {
		return e.result(ctx, b.ID, OutcomeUnknown, fmt.Sprintf("the bank does not show it; given up and planned anew after %s", e.set.DoubtQuiet))
	}
	step.Event, step.Successor = ledger.DoubtExpired, true
	step.Note = fmt.Sprintf("no answer to initiate, and the bank did not show it for %s; its payouts were planned anew", e.set.DoubtQuiet)
	return e.concluded(ctx, step, OutcomeAbandoned, step.Note)
}
