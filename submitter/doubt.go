package submitter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"payrun/ledger"
)

// askTimes are multiples of poll.first, counted from the lost answer. At these times a run asks the bank again
// before it ends with "unknown". Later runs continue.
var askTimes = [...]time.Duration{1, 2, 4, 8, 16}

// SettleDoubts asks once about every initiate whose answer an earlier run lost. It plans the payouts of
// abandoned batches again. On an ErrAccountNumber the batches that it names stay in doubt, and all others were
// polled.
func (e *Engine) SettleDoubts(ctx context.Context) error {
	batches, err := e.store.BatchesIn(ctx, ledger.BatchInitiateUnknown)
	if err == nil {
		_, err = e.pollAll(ctx, batches, ledger.Brisk)
	}
	return err
}

// askAgain asks on the schedule about answers lost in this run, and replaces their results. Batches without an
// answer at the end stay "unknown".
func (e *Engine) askAgain(ctx context.Context, results []Result, unknown []string) ([]Result, error) {
	if e.set.LeaveDoubts {
		return results, nil
	}
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
		batches, err := e.pick(ctx, unknown)
		if err != nil {
			return results, err
		}
		asked, err := e.pollAll(ctx, batches, ledger.AskOnce) // one try each: the schedule is the back-off
		if err != nil {
			return results, err
		}
		unknown = nil
		for _, r := range asked {
			if r.Outcome == OutcomeUnknown || r.Outcome == OutcomeUnread {
				unknown = append(unknown, r.Batch.ID)
				r.Outcome = OutcomeUnknown
			}
			replace(results, r)
		}
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

// doubtInitiate decides, if it can, about an initiate whose answer was lost. Abandoning is always safe, because
// money moves only at submit. A batch that the bank has shown is never abandoned here.
func (e *Engine) doubtInitiate(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, s seen) (Result, error) {
	step := ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Note: b.Note}
	if s.Answer == ledger.LookShown {
		return e.doubtShown(ctx, b, attempts, s, step)
	}
	if s.Answer == ledger.LookUnanswered && !(s.read.Complete && len(s.read.Payouts) == 0) {
		return e.result(ctx, b.ID, OutcomeUnknown, "no answer that says whether the bank has it: "+s.Why)
	}
	if quiet, err := e.quiet(ctx, b, s); err != nil {
		return Result{}, err
	} else if !quiet || b.Shown {
		return e.result(ctx, b.ID, OutcomeUnknown, fmt.Sprintf("the bank does not show it; decided after %s", e.set.DoubtQuiet))
	}
	if b.Refusal != "" {
		step.Event = ledger.RefusalStands
		step.Note = "the bank answered no to initiate (" + b.Refusal + "), and did not show it for " + e.set.DoubtQuiet.String()
		return e.concluded(ctx, step, OutcomeRefused, step.Note)
	}
	return e.giveUpDoubt(ctx, b.ID, step)
}

// quiet reports whether doubt.quiet has passed since the answer to initiate was lost, or since the batch was held,
// by our clock and, if the bank gives one, by the bank's, because ours may have been set meanwhile. If our clock
// recorded that in the future, only the bank's clock counts; without it a person abandons the batch, or time
// passes. A bank's clock that stops or goes back does not count, or the doubt would never end.
func (e *Engine) quiet(ctx context.Context, b ledger.Batch, s seen) (bool, error) {
	k, err := e.store.BatchRecord(ctx, b.ID)
	if err != nil {
		return false, err
	}
	var asked time.Time // by the bank's clock, at the look before the last call
	for _, i := range k.Intents {
		asked = i.BankTime
	}
	ours, banks := s.At.Sub(b.StateSince), s.BankTime.Sub(asked)
	if said := !asked.IsZero() && !s.BankTime.IsZero() && banks > 0; said && (banks < e.set.DoubtQuiet || ours < 0) {
		return banks >= e.set.DoubtQuiet, nil
	}
	return ours >= e.set.DoubtQuiet, nil
}

// giveUpDoubt ends the doubt of a batch that the bank never showed. The batch is abandoned and its payouts are planned
// again. If they may not be, it counts as refused, which asks for a person: no payout is cancelled in silence.
func (e *Engine) giveUpDoubt(ctx context.Context, id string, step ledger.Step) (Result, error) {
	k, err := e.store.BatchRecord(ctx, id)
	if err != nil {
		return Result{}, err
	}
	note := func(what string) string {
		return fmt.Sprintf("no answer to initiate, and the bank did not show it for %s; %s", e.set.DoubtQuiet, what)
	}
	why := "the bank has shown a reference of it in an earlier batch meanwhile"
	if !slices.ContainsFunc(k.Attempts, func(a ledger.KnownAttempt) bool { return a.RefShown }) {
		step.Event, step.Successor, step.Note = ledger.DoubtExpired, true, note("its payouts were planned again, under the same references")
		r, err := e.concluded(ctx, step, OutcomeAbandoned, step.Note)
		if !errors.Is(err, ledger.ErrConflict) && !errors.Is(err, ledger.ErrPayoutLocked) {
			return r, err
		}
		why = "an earlier attempt of one of its payouts may have paid"
	}
	step.Event, step.Successor, step.Note = ledger.RefusalStands, false, note("not planned again: "+why)
	return e.concluded(ctx, step, OutcomeRefused, step.Note)
}

// doubtShown handles a batch that the bank shows after all: as it was sent, differently, or in part.
func (e *Engine) doubtShown(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, s seen, step ledger.Step) (Result, error) {
	c := e.compare(ctx, b, attempts, s.read.Answer)
	if c.misconfigured != nil {
		return Result{}, c.misconfigured
	}
	c.unmoved(attempts)
	step.Shown = true
	quiet, err := e.quiet(ctx, b, s)
	if err != nil {
		return Result{}, err
	}
	switch {
	case len(c.differs) > 0 && !c.onlyUntold():
		step.Event, step.Note = ledger.EchoDiffers, "the bank holds something else than was sent: "+c.why()
		return e.quarantined(ctx, step, attempts, s)
	case s.Complete && c.equal():
		step.Event, step.Observed, step.Note, step.Listed = ledger.SeenAsPlanned, c.echoed(attempts), "", ledger.ListingYes
		return e.concluded(ctx, step, OutcomeHeld, "the bank has it after all: held for OTP")
	case s.read.Complete && quiet && !c.onlyUntold(): // the bank took part of it, or shows values that cannot be judged
		step.Event, step.Attention = ledger.EchoDiffers, ledger.EchoDiffered
		step.Note = "the bank has it, and did not show it as it was sent for " + e.set.DoubtQuiet.String() + ": " + c.why()
		return e.concluded(ctx, step, OutcomeQuarantined, step.Note)
	}
	return e.noted(ctx, b, step, OutcomeUnknown, "the bank shows it, but not whole ("+c.why()+s.Why+"); asked again")
}
