package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"payrun/ledger"
)

// verification is one run of Verify.
type verification struct {
	s     *Tables
	audit *ledger.Audit

	planned    sync.Once // audit.Batches
	plannedErr error
}

// Part looks at one side of the ledger, by what one reader sees of it.
type Part struct {
	Finds ledger.ProblemKind // what its problems ask of a person
	Check func(ctx context.Context, r Reader, report func(invariant int, what, detail string)) error
}

// VerifyParts checks the audit chain and every invariant that the tables alone can tell, by
// readers that see one moment and each are one goroutine's, with parts of the engine's own.
func (s *Tables) VerifyParts(ctx context.Context, readers []Reader, own ...Part) ([]ledger.Problem, error) {
	v := verification{s: s, audit: ledger.NewAudit()}
	return v.run(ctx, readers, own)
}

// run shares the parts out among the readers. What one part cannot read is
// no reason to stop another.
func (v *verification) run(ctx context.Context, readers []Reader, own []Part) ([]ledger.Problem, error) {
	of := func(look func(context.Context, *reader) error) Part {
		return Part{ledger.ProblemBroken, func(ctx context.Context, r Reader, report func(int, string, string)) error {
			return look(ctx, v.reader(r, report))
		}}
	}
	parts := slices.Concat([]Part{of(v.payouts)}, own, []Part{of(v.machines), of(v.events), of(v.references), of(v.contents)}) // the longest first; reported in this order
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
	problems := slices.Concat(found...)
	told, err := v.audit.Problems(ctx, v.reader(readers[0], reportTo(ledger.ProblemBroken, new([]ledger.Problem))))
	return append(problems, told...), errors.Join(append(failed, err)...)
}

func (v *verification) reader(r Reader, report func(invariant int, what, detail string)) *reader {
	return &reader{r: r, id: v.s.id, report: report}
}

func reportTo(finds ledger.ProblemKind, found *[]ledger.Problem) func(invariant int, what, detail string) {
	return func(invariant int, what, detail string) {
		*found = append(*found, ledger.Problem{Kind: finds, Invariant: invariant, What: what, Detail: detail})
	}
}

// batches is what payouts and events come after, whichever comes first.
func (v *verification) batches(ctx context.Context, f *reader) error {
	v.planned.Do(func() { v.plannedErr = v.audit.Batches(ctx, f) })
	return v.plannedErr
}

func (v *verification) payouts(ctx context.Context, f *reader) error {
	if err := v.batches(ctx, f); err != nil {
		return err
	}
	return v.audit.Payouts(ctx, f)
}

func (v *verification) events(ctx context.Context, f *reader) error {
	if err := v.batches(ctx, f); err != nil {
		return err
	}
	return v.audit.Events(ctx, f)
}

// machines compares the rows that the triggers ask with the machines of the domain.
func (v *verification) machines(ctx context.Context, f *reader) error {
	var want []string
	bit := map[bool]int{true: 1}
	for _, from := range ledger.BatchStates {
		for _, event := range ledger.BatchEvents {
			if to, err := from.Next(event); err == nil {
				want = append(want, fmt.Sprint("batch ", from, " ", event, " ", to))
			}
		}
	}
	for _, from := range ledger.PayoutStates {
		want = append(want, fmt.Sprint("state ", from, " ", bit[from.Final()], " ", bit[from.Retryable()], " ", bit[!from.Retryable()]))
		for _, to := range ledger.PayoutStates {
			if from != to && from.MayBecome(to) {
				want = append(want, fmt.Sprint("payout ", from, " ", to))
			}
		}
	}
	got, err := list(ctx, f.r, itself[string], `SELECT 'batch ' || from_state || ' ' || event || ' ' || to_state FROM batch_transitions UNION ALL SELECT 'payout ' || from_state || ' ' || to_state FROM payout_transitions
		UNION ALL SELECT 'state ' || name || ' ' || final || ' ' || retryable || ' ' || live FROM payout_states`)
	slices.Sort(want)
	slices.Sort(got)
	if err == nil && !slices.Equal(got, want) {
		f.report(18, "the states and steps that the ledger file has are those of payrun", "batch_transitions, payout_transitions or payout_states was changed")
	}
	return err
}

func (v *verification) references(ctx context.Context, f *reader) error {
	return v.audit.References(ctx, f)
}

// contents reads the bytes of every sheet, which never change.
func (v *verification) contents(ctx context.Context, f *reader) error {
	return verifyContents(ctx, f.r, f.report)
}
