package simulation

import (
	"context"
	"errors"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// sharedCanaries are variants that only a ledger of several machines can reveal. Three more do not change
// the payments of a history: see ledger/postgres, TestCanaries.
var sharedCanaries = []canary{
	{name: "recovery_of_live_runs", wrap: onShared(func(s *brokenShare) { s.recoversLive = true }), story: (*history).machineDays, by: "live runs"},
	{name: "call_after_an_unknown_commit", wrap: onShared(func(s *brokenShare) { s.trustsUnknown = true }), story: (*history).machineDays, by: "invariant 2"},
	{name: "no_last_look", wrap: onShared(func(s *brokenShare) { s.mayAlways = true }), story: (*history).machineDays, by: "invariant 2"},
	{name: "lease_as_permission", wrap: onShared(func(s *brokenShare) { s.trustsLease = true }), story: (*history).machineDays, by: "invariant 2"},
	{name: "no_timeline", wrap: onHistory(func(h *history) {
		if err := h.home.(sharedHome).anywhere(); err != nil {
			h.found("taking every database for the same: %v", err)
		}
	}), story: (*history).machineDays, by: "local faults: a POST"},
	{name: "no_mark", wrap: onHistory(func(h *history) { h.ignoresMark = true }), story: (*history).machineDays, by: "local faults: a POST"},
}

// brokenShare is a store that does not respect other runs.
type brokenShare struct {
	submitter.Store
	p                                                   *process
	recoversLive, trustsUnknown, mayAlways, trustsLease bool
	unknown                                             map[string]bool // batches whose intent may be recorded
}

func onShared(breakIt func(*brokenShare)) wrapper {
	return func(h *history, s submitter.Store, b submitter.Bank) (submitter.Store, submitter.Bank) {
		broken := &brokenShare{Store: s, p: h.running, unknown: map[string]bool{}}
		breakIt(broken)
		return broken, b
	}
}

func (s *brokenShare) Recover(ctx context.Context, actor string, at time.Time) ([]string, error) {
	if s.recoversLive {
		if err := s.p.h.home.(sharedHome).lapse(s.p, true); err != nil {
			return nil, err
		}
	}
	return s.Store.Recover(ctx, actor, at)
}

func (s *brokenShare) Apply(ctx context.Context, step ledger.Step) error {
	err := s.Store.Apply(ctx, step)
	if s.trustsUnknown && errors.Is(err, ledger.ErrCommitUnknown) && (step.Event == ledger.InitiateIntended || step.Event == ledger.SubmitIntended) {
		s.unknown[step.BatchID] = true
		return nil
	}
	return err
}

func (s *brokenShare) MaySend(ctx context.Context, id string) error {
	inTime := s.p.h.clock.Before(s.p.opened.Add(lease)) // by the machine's own clock
	if s.mayAlways || s.unknown[id] || s.trustsLease && inTime {
		return nil
	}
	return s.Store.MaySend(ctx, id)
}
