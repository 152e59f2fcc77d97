package sqlite

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"time"

	"payrun/ledger"
)

// Stores with a mistake in what they record of a step, of an approval or of a recovery.

// lostCondition is refused once at the most: then it takes the batch as it is, also
// where another was quicker.
type lostCondition struct{ *Store }

func (s lostCondition) Apply(ctx context.Context, step ledger.Step) error {
	err := s.Store.Apply(ctx, step)
	if !errors.Is(err, ledger.ErrConflict) {
		return err
	}
	b, err := s.Batch(ctx, step.BatchID)
	if err != nil {
		return err
	}
	step.From = b.State
	return s.Store.Apply(ctx, step)
}

type anybodyApproves struct{ *Store }

func (s anybodyApproves) Approve(ctx context.Context, words ...ledger.Approving) error {
	return s.inTx(ctx, "approve", func(tx Writer) error {
		for _, a := range words {
			b, err := batchByID(ctx, tx, a.BatchID)
			if err != nil {
				return err
			}
			if err := s.appendEvent(ctx, tx, a.Event(b.Batch)); err != nil {
				return err
			}
		}
		return nil
	})
}

type unboundApproval struct{ *Store }

func (s unboundApproval) Approve(ctx context.Context, words ...ledger.Approving) error {
	for i := range words {
		words[i].Shown = ledger.ExpectedVersion{}
	}
	return s.Store.Approve(ctx, words...)
}

type approvedOneByOne struct{ *Store }

func (s approvedOneByOne) Approve(ctx context.Context, words ...ledger.Approving) error {
	for _, a := range words {
		if err := s.Store.Approve(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

type halfWritten struct{ *Store }

func (s halfWritten) Apply(ctx context.Context, step ledger.Step) error {
	if len(step.Observed) > 0 && step.Note != "" {
		first := step
		first.Event, first.Note, first.Attention = "", "", ""
		if err := s.Store.Apply(ctx, first); err != nil {
			return err
		}
		step.Observed = nil
	}
	return s.Store.Apply(ctx, step)
}

type staleKnown struct{ *Store }

func (s staleKnown) Apply(ctx context.Context, step ledger.Step) error {
	var b batchRow
	var change ledger.Change
	err := s.inTx(ctx, "look", func(tx Writer) (err error) {
		if b, err = batchByID(ctx, tx, step.BatchID); err != nil {
			return err
		}
		if err = makeAttempts(ctx, tx, b.no); err != nil {
			return err
		}
		known, err := s.batchRecord(ctx, tx, b, step)
		if err == nil {
			change, err = step.Change(known)
		}
		return err
	})
	if err != nil || change.Nothing {
		return err
	}
	for range 100 { // another may look meanwhile, also where there is one processor
		runtime.Gosched()
	}
	return s.inTx(ctx, "record what was seen", func(tx Writer) error { return s.record(ctx, tx, b, change) })
}

type forgetfulRecovery struct{ *Store }

func (s forgetfulRecovery) Recover(ctx context.Context, actor string, at time.Time) (ids []string, err error) {
	cut, err := s.BatchesIn(ctx, ledger.BatchInitiating, ledger.BatchSubmitting)
	if err != nil || len(cut) == 0 {
		return nil, err
	}
	for _, b := range cut[:len(cut)-1] {
		step, _ := b.Recovery(actor, at)
		if err := s.Apply(ctx, step); err != nil {
			return nil, err
		}
		ids = append(ids, b.ID)
	}
	return ids, nil
}

type newReference struct{ *Store }

func (s newReference) Apply(ctx context.Context, step ledger.Step) error {
	err := s.Store.Apply(ctx, step)
	if err == nil && step.Successor {
		_, err = s.write.Exec(`DROP TRIGGER IF EXISTS attempts_fixed;
			UPDATE attempts SET wire_ref = (SELECT ref FROM payouts WHERE id = payout_id) || '-R' || number WHERE number > 1`)
	}
	return err
}

// rashCall makes up the look that a call lacks.
type rashCall struct{ *Store }

func (s rashCall) Apply(ctx context.Context, step ledger.Step) error {
	err := s.Store.Apply(ctx, step)
	if !errors.Is(err, ledger.ErrLook) {
		return err
	}
	step.Looks = looked(step.BatchID)
	return s.Store.Apply(ctx, step)
}

type nameless struct{ *Store }

func (s nameless) Apply(ctx context.Context, step ledger.Step) error {
	if strings.TrimSpace(step.Actor) == "" {
		step.Actor = "system"
	}
	return s.Store.Apply(ctx, step)
}

type lonelyRelease struct{ *Store }

func (s lonelyRelease) Apply(ctx context.Context, step ledger.Step) error {
	err := s.Store.Apply(ctx, step)
	if why, refused := errors.AsType[*ledger.Refusal](err); refused && why.Rule == ledger.RuleSecondPerson {
		step.Actor = "somebody"
		return s.Store.Apply(ctx, step)
	}
	return err
}
