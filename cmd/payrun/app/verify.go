package app

import (
	"context"

	"payrun/ledger"
)

// Problem is one thing that should hold in the ledger and does not.
type Problem = ledger.Problem

// Verify checks the file, the audit chain and every invariant. The error tells
// that something does not hold, and comes with the problems.
func (a *App) Verify(ctx context.Context, call Call) (problems []Problem, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		if problems, err = o.verify(ctx); err != nil || len(problems) == 0 {
			return err
		}
		return o.doesNotHold(problems)
	})
	return problems, err
}

func (o *operation) verify(ctx context.Context) ([]Problem, error) {
	defer o.call.progress().Begin("verifying the ledger", "").End()
	return o.store.Verify(ctx)
}

func (o *operation) doesNotHold(problems []Problem) error {
	e := Fail(LedgerUnusable, "%s in the ledger %s", ledger.Counted(len(problems), "thing does not hold", "things do not hold"), o.set.LedgerPath)
	if len(besideMark(problems)) == 0 {
		return e.Then(Do("help", "ledger", "verify").First("send nothing; put the newest ledger back").Which("says how"))
	}
	return e.Then(Say("send nothing; restore the ledger from its newest copy"))
}

// besideMark leaves out that the ledger is behind its mark.
func besideMark(problems []Problem) []Problem {
	var out []Problem
	for _, p := range problems {
		if p.Kind != ledger.ProblemBehind {
			out = append(out, p)
		}
	}
	return out
}

// AcceptRequest takes a ledger as it is.
type AcceptRequest struct {
	Reason string // a person's; kept in the audit trail
	// Complete: a person confirmed that nothing the bank holds or paid is
	// missing in the ledger.
	Complete bool
}

// AcceptRestored lets a ledger that is behind its high-water mark send again, on
// a person's word: nothing in it can tell what the bank holds beside it.
// *NeedsConfirmation where that word is missing. Problems come with the error
// that they are.
func (a *App) AcceptRestored(ctx context.Context, call Call, req AcceptRequest) (problems []Problem, err error) {
	err = a.write(ctx, call, func(o *operation) error {
		behind := o.store.Restored()
		if behind == nil {
			return Fail(Usage, "the ledger %s contains its high-water mark: there is nothing to accept", o.set.LedgerPath)
		}
		found, err := o.verify(ctx)
		if err != nil {
			return err
		}
		if left := besideMark(found); len(left) > 0 {
			problems = found
			return o.doesNotHold(left)
		}
		if !req.Complete {
			return &NeedsConfirmation{Restored: behind}
		}
		return o.store.AcceptRestored(ctx, o.call.Actor, req.Reason, o.env.Now())
	})
	return problems, err
}
