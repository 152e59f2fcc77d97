package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"payrun/ledger"
)

// Part checks one side of the ledger, as one reader sees it.
type Part struct {
	Finds ledger.ProblemKind // the kind of its problems
	Check func(ctx context.Context, r Snapshot, report func(invariant int, what, detail string)) error
}

// VerifyParts checks the audit chain and every invariant that the tables alone can prove, and the engine's own
// parts. All readers see the same snapshot; each is used by one goroutine.
func (s *Tables) VerifyParts(ctx context.Context, readers []Snapshot, own ...Part) ([]ledger.Problem, error) {
	type look = func(context.Context, ledger.LedgerReader) error
	audit := ledger.NewAudit()
	of := func(do look) Part {
		return Part{ledger.ProblemBroken, func(ctx context.Context, r Snapshot, report func(int, string, string)) error {
			return do(ctx, &reader{r: r, id: s.id, report: report})
		}}
	}
	var planned sync.Once
	var plannedErr error
	afterBatches := func(do look) Part { // the first one to run reads the batches
		return of(func(ctx context.Context, f ledger.LedgerReader) error {
			planned.Do(func() { plannedErr = audit.Batches(ctx, f) })
			if plannedErr != nil {
				return plannedErr
			}
			return do(ctx, f)
		})
	}
	parts := slices.Concat([]Part{afterBatches(audit.Payouts)}, own, // the longest first; reported in this order
		[]Part{{ledger.ProblemBroken, machines}, afterBatches(audit.Events), of(audit.References), {ledger.ProblemBroken, verifyContents}})
	problems, err := checkParts(ctx, readers, parts)
	found, last := audit.Problems(ctx, &reader{r: readers[0], id: s.id, report: reportTo(ledger.ProblemBroken, new([]ledger.Problem))})
	return append(problems, found...), errors.Join(err, last)
}

// checkParts distributes the parts among the readers. If one part cannot be read, the others still run.
func checkParts(ctx context.Context, readers []Snapshot, parts []Part) ([]ledger.Problem, error) {
	found := make([][]ledger.Problem, len(parts))
	failed := make([]error, len(parts))
	todo := make(chan int, len(parts))
	for i := range parts {
		todo <- i
	}
	close(todo)
	var workers sync.WaitGroup
	for _, r := range readers {
		workers.Go(func() {
			for i := range todo {
				failed[i] = parts[i].Check(ctx, r, reportTo(parts[i].Finds, &found[i]))
			}
		})
	}
	workers.Wait()
	return slices.Concat(found...), errors.Join(failed...)
}

func reportTo(finds ledger.ProblemKind, found *[]ledger.Problem) func(invariant int, what, detail string) {
	return func(invariant int, what, detail string) {
		*found = append(*found, ledger.Problem{Kind: finds, Invariant: invariant, What: what, Detail: detail})
	}
}

// machines compares the rows that the triggers use with the domain's state machines.
func machines(ctx context.Context, r Snapshot, report func(int, string, string)) error {
	var want []string
	for _, from := range ledger.BatchStates {
		for _, event := range ledger.BatchEvents {
			if to, err := from.Next(event); err == nil {
				want = append(want, fmt.Sprint("batch ", from, " ", event, " ", to))
			}
		}
	}
	for _, from := range ledger.PayoutStates {
		if from.Retryable() {
			want = append(want, fmt.Sprint("retryable ", from))
		}
		for _, to := range ledger.PayoutStates {
			if from != to && from.MayBecome(to) {
				want = append(want, fmt.Sprint("payout ", from, " ", to))
			}
		}
	}
	got, err := list(ctx, r, itself[string], `SELECT 'batch ' || from_state || ' ' || event || ' ' || to_state FROM batch_transitions UNION ALL SELECT 'payout ' || from_state || ' ' || to_state FROM payout_transitions
		UNION ALL SELECT 'retryable ' || name FROM retryable_states`)
	slices.Sort(want)
	slices.Sort(got)
	if err == nil && !slices.Equal(got, want) {
		report(18, "the states and steps that the ledger file has are those of payrun", "batch_transitions, payout_transitions or retryable_states was changed")
	}
	return err
}
