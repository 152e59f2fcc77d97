package app

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
)

// The tables that may be read whole: they have a handful of rows, or a row for each sheet or
// debit account.
var small = []string{"ledger", "loads", "migrations", "homes", "suspicions", "copied", "runs", "payees_indexed",
	"batch_transitions", "payout_transitions", "retryable_states", "sheets", "routes", "statement_stale", "bank_lists"}

var (
	plan    = regexp.MustCompile(`(?m)^.* LOG:  duration: [^\n]* plan:\n(?:\t[^\n]*\n)*`)
	scan    = regexp.MustCompile(`Seq Scan on (\w+)`)
	joining = regexp.MustCompile(`(Hash|Merge) (\w+ )*Join`)
)

// A step asks by index, however many payouts there are and though no statistics are there yet:
// the server's own plans of each query and trigger, from approving to settling a batch.
func TestNoStepReadsAWholeTable(t *testing.T) {
	bank, server := realBank(t), pgtest.NewAlone(t)
	a := machine(t, bank, server.URL, "single", true)
	many := make([]string, 5_000)
	for i := range many {
		many[i] = fmt.Sprintf("OLD-%d", i)
	}
	a.load("asha", many...)
	batches := a.load("asha", "INV-1", "INV-2")

	server.Explain()
	b := machine(t, bank, server.URL, "single", false) // with connections of its own
	ctx, asha, ravi := t.Context(), Call{Actor: "asha", Command: "payrun submit"}, Call{Actor: "ravi"}
	shown, err := b.ToApprove(ctx, ravi, batches, "")
	must(t, err)
	from := len(server.Log())
	_, err = b.Approve(ctx, ravi, ApproveRequest{ReviewedBatches: ReviewedBatches{Batches: shown.Bound}})
	must(t, err)
	_, err = b.Initiate(ctx, asha, InitiateRequest{Batches: batches})
	wantCode(t, "initiate", err, NeedsPerson)
	_, err = b.Submit(ctx, asha, SubmitRequest{Prompt: entering(func(ctx context.Context, asked Asked) (OTP, error) {
		return b.otp(asked.Batch.ID), nil
	})})
	wantCode(t, "submit", err, PayoutsOpen)
	for range 8 {
		bank.Settle()
		_, err = b.Poll(ctx, ravi, PollRequest{})
	}
	plans := plan.FindAllString(server.Log()[from:], -1)
	if got := b.state(batches[0]); got != ledger.BatchSettled {
		t.Errorf("%s is %s (%v)", batches[0], got, err)
	}
	for _, p := range plans {
		bad := joining.FindAllString(p, -1)
		for _, m := range scan.FindAllStringSubmatch(p, -1) {
			if !slices.Contains(small, m[1]) && !strings.HasPrefix(m[1], "pg_") {
				bad = append(bad, m[0])
			}
		}
		if len(bad) > 0 {
			t.Errorf("%q in the plan\n%s", bad, p)
		}
	}
	if len(plans) < 300 {
		t.Errorf("%d plans were seen", len(plans))
	}
}
