package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"payrun/ledger"
	"payrun/submitter"
)

func TestEveryCodeOfTheContractIsInTheTableOnceAndRanked(t *testing.T) {
	contract := []int{0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 15, 16, 17, 130}
	var got []int
	names := map[string]bool{}
	for _, m := range exitTable {
		got = append(got, m.exit)
		if names[m.code] || m.meaning == "" {
			t.Errorf("exit %d: its word %q is taken, or it has no meaning", m.exit, m.code)
		}
		names[m.code] = true
		if rank(m.exit) < 0 {
			t.Errorf("exit %d has no place in the precedence", m.exit)
		}
	}
	if !slices.Equal(got, contract) {
		t.Errorf("exit codes %v, the contract has %v", got, contract)
	}
}

func TestOfSeveralTheFirstOfTheContractsOrderWins(t *testing.T) {
	order := []int{17, 15, 16, 4, 10, 13, 12, 14}
	for i, better := range order {
		for _, worse := range order[i+1:] {
			for _, err := range []error{
				errors.Join(fail(better, "a"), fail(worse, "b")),
				errors.Join(fail(worse, "b"), nil, errors.Join(fail(better, "a"))),
			} {
				if got := judge(err).exit; got != better {
					t.Errorf("%d and %d together gave %d", better, worse, got)
				}
			}
		}
	}
}

func TestErrorsBecomeExitCodes(t *testing.T) {
	unauthorized := &ledger.CallError{Op: "status", Outcome: ledger.Rejected, HTTPStatus: 401}
	for _, c := range []struct {
		name string
		err  error
		exit int
		code string
	}{
		{"no ledger", fmt.Errorf("open x: %w", ledger.ErrNoLedger), exitLedger, ""},
		{"damaged ledger", fmt.Errorf("open x: %w", ledger.ErrLedgerDamaged), exitLedger, ""},
		{"another run", fmt.Errorf("lock x: %w", ledger.ErrLocked), exitLocked, ""},
		{"ledger is there", fmt.Errorf("create x: %w", ledger.ErrLedgerExists), exitUsage, ""},
		{"no such batch", fmt.Errorf("batch x: %w", ledger.ErrNotFound), exitUsage, ""},
		{"401", fmt.Errorf("asking: %w", unauthorized), exitCredentials, ""},
		{"interrupted", fmt.Errorf("polling: %w", context.Canceled), exitInterrupted, ""},
		{"interrupted while the ledger was used", errors.Join(context.Canceled, fmt.Errorf("x: %w", ledger.ErrConflict)), exitInterrupted, ""},
		{"wrong environment", engineFailed(submitter.ErrEnvironment), exitUsage, ""},
		{"not held", engineFailed(submitter.ErrNotHeld), exitUsage, ""},
		{"the bank's code is kept", &ledger.CallError{Op: "accounts", Outcome: ledger.Rejected, HTTPStatus: 400, Code: "SVC_CB_AL_002"}, exitFailed, "SVC_CB_AL_002"},
		{"anything else", errors.New("boom"), exitFailed, ""},
		{"a failure keeps what it says, wrapped or not", fmt.Errorf("x: %w", fail(exitPerson, "y")), exitPerson, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := judge(c.err)
			if f.exit != c.exit || f.code != c.code {
				t.Errorf("got exit %d code %q, want %d %q", f.exit, f.code, c.exit, c.code)
			}
		})
	}
	if judge(nil) != nil || judge(errors.Join(nil, nil)) != nil {
		t.Error("nothing wrong is no failure")
	}
}

// Every state of a batch and of a payout, by what the command spoke about.
func TestStandingByState(t *testing.T) {
	batch := map[ledger.BatchState][3]int{ // exit when: elsewhere, within the scope, acted on
		ledger.BatchPlanned:         {0, 0, 0},
		ledger.BatchInitiating:      {0, exitUnknown, exitUnknown},
		ledger.BatchInitiateUnknown: {0, exitUnknown, exitUnknown},
		ledger.BatchHeld:            {0, exitPerson, exitPerson},
		ledger.BatchSubmitting:      {0, exitUnknown, exitUnknown},
		ledger.BatchSubmitUnknown:   {0, exitUnknown, exitUnknown},
		ledger.BatchSubmitted:       {0, exitOpen, exitOpen},
		ledger.BatchSettled:         {0, 0, 0},
		ledger.BatchRefused:         {0, 0, exitReturned},
		ledger.BatchQuarantined:     {exitMismatch, exitMismatch, exitMismatch},
		ledger.BatchAbandoned:       {0, 0, 0},
	}
	for _, state := range ledger.BatchStates {
		want, ok := batch[state]
		if !ok {
			t.Errorf("no row for %s", state)
		}
		for i, how := range []struct{ within, acted bool }{{false, false}, {true, false}, {true, true}} {
			var s sorted
			s.add(ledger.Batch{State: state}, how.within, how.acted)
			if got := exitOf(s.failures()); got != want[i] {
				t.Errorf("%s, within %t, acted %t: exit %d, want %d", state, how.within, how.acted, got, want[i])
			}
		}
	}
	var s sorted
	s.add(ledger.Batch{State: ledger.BatchSubmitted, Attention: ledger.Overdue}, true, true)
	if got := exitOf(s.failures()); got != exitPerson {
		t.Errorf("an open batch in need of a person: exit %d, want %d", got, exitPerson)
	}

	payout := map[ledger.PayoutState]int{
		ledger.PayoutFailed: exitReturned, ledger.PayoutReturned: exitReturned, ledger.PayoutDisputed: exitMismatch,
	}
	for _, state := range ledger.PayoutStates {
		tallies := map[ledger.PayoutState]ledger.Tally{state: {Count: 1, Total: 100}}
		if got := exitOf(payoutFailures(tallies)); got != payout[state] {
			t.Errorf("a payout %s: exit %d, want %d", state, got, payout[state])
		}
	}
}

func exitOf(failures []error) int {
	if f := judge(errors.Join(failures...)); f != nil {
		return f.exit
	}
	return 0
}
