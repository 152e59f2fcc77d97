package app

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/submitter"
)

// Every state of a batch and of a payout, by what the command spoke about.
func TestWhatWaitsByState(t *testing.T) {
	batch := map[ledger.BatchState][3]Code{ // code when: elsewhere, within the scope, within it and a refusal not dealt with
		ledger.BatchPlanned:         {},
		ledger.BatchInitiating:      {OutcomeUnknown, OutcomeUnknown, OutcomeUnknown},
		ledger.BatchInitiateUnknown: {OutcomeUnknown, OutcomeUnknown, OutcomeUnknown},
		ledger.BatchHeld:            {"", NeedsPerson, NeedsPerson},
		ledger.BatchSubmitting:      {OutcomeUnknown, OutcomeUnknown, OutcomeUnknown},
		ledger.BatchSubmitUnknown:   {OutcomeUnknown, OutcomeUnknown, OutcomeUnknown},
		ledger.BatchSubmitted:       {"", PayoutsOpen, PayoutsOpen},
		ledger.BatchSettled:         {},
		ledger.BatchRefused:         {"", "", PayoutsFailed},
		ledger.BatchQuarantined:     {Mismatch, Mismatch, Mismatch},
		ledger.BatchAbandoned:       {},
		ledger.BatchSetAside:        {},
	}
	for _, state := range ledger.BatchStates {
		want, ok := batch[state]
		if !ok {
			t.Errorf("no row for %s", state)
		}
		for i, how := range []struct{ within, open bool }{{false, true}, {true, false}, {true, true}} {
			var all []ledger.Batch
			if b := (ledger.Batch{ID: "b", State: state}); counts(b, how.within, how.open) {
				all = append(all, b)
			}
			if got := codeOf(errors.Join(needErrors(groups(all, asks(false)))...)); got != want[i] {
				t.Errorf("%s, within %t, open %t: %q, want %q", state, how.within, how.open, got, want[i])
			}
		}
	}

	payout := map[ledger.PayoutState]Code{
		ledger.PayoutFailed: PayoutsFailed, ledger.PayoutReturned: PayoutsFailed, ledger.PayoutDisputed: Mismatch,
	}
	for _, state := range ledger.PayoutStates {
		tallies := map[ledger.PayoutState]ledger.Tally{state: {Count: 1, Total: 100}}
		var disputed []reconcile.Exception
		if state == ledger.PayoutDisputed {
			disputed = []reconcile.Exception{{Kind: ledger.PayoutContradicted, Amount: 100}}
		}
		if got := codeOf(errors.Join(append(exceptions(disputed), unpaidBy(tallies))...)); got != payout[state] {
			t.Errorf("a payout %s: %q, want %q", state, got, payout[state])
		}
	}
}

// All of what was shown is sent, or nothing: the first batch that waits is named.
func TestTheFirstShownBatchThatWaitsIsNamed(t *testing.T) {
	asked := []ledger.Batch{{ID: "pr1"}, {ID: "pr2"}, {ID: "pr3"}}
	for waits, sent := range map[string][]ledger.Batch{
		"pr1": asked[1:], "pr2": {asked[0], asked[2]}, "pr3": asked[:2], "": asked,
	} {
		err := allOf(asked, sent, nil)
		if e, ok := errors.AsType[*Error](err); ok != (waits != "") || ok && !strings.HasPrefix(e.What, "batch "+waits+" waits") {
			t.Errorf("%q: %v", waits, err)
		}
	}
}

// Of payouts that failed and payouts that came back, in any order, those that came back need more.
func TestPayoutsThatCameBackNeedMore(t *testing.T) {
	failed := unpaid{ledger.Tally{Count: 1, Total: 100}, ledger.PayoutNotPaid}
	back := unpaid{ledger.Tally{Count: 2, Total: 300}, ledger.PayoutCameBack}
	for _, all := range []unpaid{failed.and(back), back.and(failed), unpaid{}.and(back).and(failed), back.and(unpaid{}).and(failed)} {
		if all != (unpaid{ledger.Tally{Count: 3, Total: 400}, ledger.PayoutCameBack}) {
			t.Errorf("got %+v", all)
		}
	}
}

func unpaidBy(tallies map[ledger.PayoutState]ledger.Tally) error {
	s := Status{unpaid: map[string]unpaid{}, Batches: []ledger.Batch{{ID: "b", SheetID: "sh1"}}}
	for _, state := range []ledger.PayoutState{ledger.PayoutReturned, ledger.PayoutFailed} {
		if t := tallies[state]; t.Count > 0 {
			s.unpaid["b"] = s.unpaid["b"].and(unpaid{t, ledger.Attempt{State: state}.Asks(ledger.Batch{})})
		}
	}
	return s.unpaidError(func(string) bool { return true })
}

// What was found about a batch decides, and not the state it is in.
func TestWhatWasFoundAboutABatchDecides(t *testing.T) {
	for kind, want := range map[ledger.Attention]Code{
		ledger.Overdue: NeedsPerson, ledger.StatusDiffers: Mismatch, ledger.NeedsNothing: PayoutsOpen, "of_a_newer_payrun": NeedsPerson,
	} {
		b := ledger.Batch{ID: "pr1", State: ledger.BatchSubmitted, Attention: kind, Note: "why it is so"}
		e := Worst(errors.Join(needErrors(groups([]ledger.Batch{b}, asks(false)))...))
		if e == nil || e.Code != want {
			t.Errorf("%q: %v, want %q", kind, e, want)
			continue
		}
		if said := e.Next[0].Before == b.Note; said != (kind != ledger.NeedsNothing) {
			t.Errorf("%q: the hints begin with %q", kind, e.Next[0].Before)
		}
	}
}

// What was found about a batch in doubt does not hide the doubt.
func TestADoubtIsNeverHidden(t *testing.T) {
	for _, state := range []ledger.BatchState{ledger.BatchInitiateUnknown, ledger.BatchSubmitting, ledger.BatchSubmitUnknown} {
		for _, row := range append(ledger.Attentions(), ledger.AttentionRow{Kind: "of_a_newer_payrun"}) {
			b := ledger.Batch{ID: "pr1", State: state, Attention: row.Kind}
			errs := needErrors(groups([]ledger.Batch{b}, asks(false)))
			want := OutcomeUnknown
			if state == ledger.BatchSubmitting && row.Kind == ledger.BeingSent { // who makes the call says so
				want = PayoutsOpen
			}
			if code := codes[row.Exit]; code != "" && rank(code) < rank(want) {
				want = code
			}
			if got := codeOf(errors.Join(errs...)); got != want {
				t.Errorf("%s, %s: %q, want %q", state, row.Kind, got, want)
			}
		}
	}
	errs := needErrors(groups([]ledger.Batch{{ID: "pr1", State: ledger.BatchSubmitUnknown, Attention: ledger.StatusDiffers}}, asks(false)))
	if len(errs) != 2 || codeOf(errs[1]) != Mismatch {
		t.Errorf("that the status differs is not said: %v", errs)
	}
}

func TestEveryExitOfTheTableHasACode(t *testing.T) {
	for _, row := range ledger.Attentions() {
		if _, ok := codes[row.Exit]; !ok && row.Exit != 0 {
			t.Errorf("%s gives the exit code %d, which has no name", row.Kind, row.Exit)
		}
	}
}

// A next step names real batches, and no more of them than a person types.
func TestANextStepNamesItsBatches(t *testing.T) {
	held := func(n int) (bs []ledger.Batch) {
		for i := range n {
			bs = append(bs, ledger.Batch{ID: fmt.Sprintf("pr%d", i), State: ledger.BatchHeld})
		}
		return bs
	}
	in := func(bs []ledger.Batch, state ledger.BatchState) []ledger.Batch {
		for i := range bs {
			bs[i].State = state
		}
		return bs
	}
	sentBack := func(bs []ledger.Batch) []ledger.Batch {
		for i := range bs {
			bs[i].State, bs[i].Approval = ledger.BatchPlanned, ledger.ApprovalSentBack
		}
		return bs
	}
	for want, all := range map[string][]ledger.Batch{
		"submit pr0":       held(1),
		"submit pr0 pr1":   held(2),
		"submit":           held(4),
		"initiate pr0":     in(held(1), ledger.BatchPlanned),
		"initiate --all":   in(held(2), ledger.BatchPlanned),
		"poll --wait 10m":  in(held(9), ledger.BatchSubmitted),
		"poll pr0 pr1 pr2": in(held(3), ledger.BatchSubmitUnknown),
		"abandon pr0 --reason the bank's answer differs from what was sent": in(held(2), ledger.BatchQuarantined),
		"abandon pr0 pr1 --reason sent back":                                sentBack(held(2)),
	} {
		if got := strings.Join(groups(all, asks(false))[0].Steps()[0].Command, " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What has to be done first is said first, whatever else waits.
func TestWhatWaitsIsSaidInTheOrderOfWhatToDo(t *testing.T) {
	order := []ledger.Attention{ledger.AfterRestore, ledger.SentBack, ledger.ToBeApproved, ledger.FundsShort, ledger.QueuedBehindOTP}
	var results []Result
	for i := range order {
		results = append(results, Result{
			Batch:   ledger.Batch{ID: fmt.Sprint("b", i), State: ledger.BatchPlanned},
			Outcome: submitter.OutcomeWaiting, Attention: order[len(order)-1-i],
		})
	}
	err := waiting(results).Error()
	at := -1
	for i, kind := range order {
		next := strings.Index(err, fmt.Sprintf("(b%d)", len(order)-1-i))
		if next <= at {
			t.Errorf("%s is said at %d of %q", kind, next, err)
		}
		at = next
	}
}
