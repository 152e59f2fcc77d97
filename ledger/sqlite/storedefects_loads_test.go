package sqlite

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// Stores with a mistake in how they load a sheet, a correction or a retry.

// unfolded takes the spelling of a reference, in lower case, for its key.
type unfolded struct{ *Store }

func (s unfolded) BeginLoad(ctx context.Context) (ledger.Load, error) {
	l, err := s.Store.BeginLoad(ctx)
	return unfoldedLoad{l}, err
}

type unfoldedLoad struct{ ledger.Load }

func (l unfoldedLoad) Add(payouts []ledger.KeyedPayout) error {
	for i := range payouts {
		payouts[i].Key = strings.ToLower(payouts[i].Ref)
	}
	return l.Load.Add(payouts)
}

// rashRetry passes attempts off as over that are not.
type rashRetry struct{ *Store }

func (s rashRetry) PlanRetry(ctx context.Context, actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	planned, err := s.Store.PlanRetry(ctx, actor, at, attempts, batches)
	if !errors.Is(err, ledger.ErrPayoutLocked) {
		return planned, err
	}
	if _, err := s.write.Exec(`DROP TRIGGER IF EXISTS attempts_move; DROP TRIGGER IF EXISTS attempts_observed`); err != nil {
		return nil, err
	}
	for _, a := range attempts {
		if _, err := s.write.Exec(`UPDATE attempts SET state = 'cancelled' WHERE payout_id = ?`, a.ID); err != nil {
			return nil, err
		}
	}
	planned, err = s.Store.PlanRetry(ctx, actor, at, attempts, batches)
	for _, a := range attempts {
		if _, err := s.write.Exec(`UPDATE attempts SET state = ? WHERE payout_id = ? AND number = ?`, a.State, a.ID, a.Number); err != nil {
			return nil, err
		}
	}
	return planned, err
}

// rashCorrection passes over what may not be corrected.
type rashCorrection struct{ *Store }

func (s rashCorrection) BeginLoad(ctx context.Context) (ledger.Load, error) {
	l, err := s.Store.BeginLoad(ctx)
	return rashLoad{l}, err
}

type rashLoad struct{ ledger.Load }

func (l rashLoad) Correct(list []ledger.Corrected, batches []ledger.PlannedBatch) error {
	if list[0].After.State.Retryable() {
		return l.Load.Correct(list, batches)
	}
	return nil
}

// neverUsedUp takes no batch for shown where names are given.
type neverUsedUp struct{ *Store }

func (s neverUsedUp) PlanRetry(ctx context.Context, actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	planned, err := s.Store.PlanRetry(ctx, actor, at, attempts, batches)
	if err != nil {
		return nil, err
	}
	_, err = s.write.Exec(`DROP TRIGGER IF EXISTS attempts_fixed;
		UPDATE attempts SET wire_ref = (SELECT ref FROM payouts WHERE id = payout_id) WHERE number > 1`)
	return planned, err
}

// alwaysUsedUp takes every batch for shown where names are given.
type alwaysUsedUp struct{ *Store }

func (s alwaysUsedUp) PlanRetry(ctx context.Context, actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	if _, err := s.write.Exec(`CREATE TEMP TABLE was AS SELECT no FROM batches WHERE shown = 0; UPDATE batches SET shown = 1`); err != nil {
		return nil, err
	}
	planned, err := s.Store.PlanRetry(ctx, actor, at, attempts, batches)
	_, undo := s.write.Exec(`DROP TRIGGER IF EXISTS batches_shown; UPDATE batches SET shown = 0 WHERE no IN (SELECT no FROM was); DROP TABLE was`)
	return planned, errors.Join(err, undo)
}

// stubbornLoad records the payouts that make a legal plan where the given ones
// do not.
type stubbornLoad struct{ *Store }

func (s stubbornLoad) BeginLoad(ctx context.Context) (ledger.Load, error) {
	l, err := s.Store.BeginLoad(ctx)
	return &stubborn{Load: l, s: s.Store}, err
}

type stubborn struct {
	ledger.Load
	s    *Store
	kept []ledger.KeyedPayout
}

func (l *stubborn) Add(payouts []ledger.KeyedPayout) error {
	l.kept = append(l.kept, slices.Clone(payouts)...)
	return l.Load.Add(payouts)
}

func (l *stubborn) Commit(sheet ledger.Sheet, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	done, err := l.Load.Commit(sheet, batches)
	if !errors.Is(err, ledger.ErrRule) || len(l.kept) == 0 {
		return done, err
	}
	p := l.kept[0]
	again, beginErr := l.s.BeginLoad(context.Background())
	if beginErr != nil {
		return nil, err
	}
	sheet.Accepted = ledger.Tally{Count: 1, Total: p.Amount}
	sheet.Total, sheet.Rows = p.Amount, 1
	if again.Add([]ledger.KeyedPayout{p}) == nil {
		_, _ = again.Commit(sheet, []ledger.PlannedBatch{{BankAccountID: p.BankAccountID, PartnerBankID: 3, SubMerchantID: p.SubMerchantID,
			TransactionTypeID: p.TransactionTypeID, Members: []int32{0}, Total: p.Amount}})
	}
	return nil, errors.Join(err, again.Rollback())
}

type loadedOneByOne struct{ *Store }

func (s loadedOneByOne) BeginLoad(ctx context.Context) (ledger.Load, error) {
	l, err := s.Store.BeginLoad(ctx)
	return &oneByOne{Load: l, s: s.Store}, err
}

type oneByOne struct {
	ledger.Load
	s *Store
}

func (l *oneByOne) Next(sheet ledger.Sheet, batches []ledger.PlannedBatch) error {
	_, err := l.Load.Commit(sheet, batches)
	if err == nil {
		l.Load, err = l.s.BeginLoad(context.Background())
	}
	return err
}

// boundless counts a sheet against the bound as if it were the only one.
type boundless struct{ *Store }

func (s boundless) BeginLoad(ctx context.Context) (ledger.Load, error) {
	l, err := s.Store.BeginLoad(ctx)
	return boundlessLoad{l}, err
}

type boundlessLoad struct{ ledger.Load }

func (l boundlessLoad) Commit(sheet ledger.Sheet, plan []ledger.PlannedBatch) ([]ledger.Batch, error) {
	batches, err := l.Load.Commit(sheet, plan)
	if errors.Is(err, ledger.ErrTotal) && sheet.Accepted.Total <= ledger.MostInAll {
		return batches, nil
	}
	return batches, err
}
