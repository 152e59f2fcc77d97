package cli

import (
	"context"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/batcher"
	"payrun/ledger"
	"payrun/submitter"
)

func (a *app) retryCommand() command {
	return command{
		name: "retry", args: "SHEET_ID or BATCH", group: groupRepair,
		brief: "plan new attempts for payouts that failed, came back or were cancelled",
		long: `Nothing is sent. Each payout gets a new wire reference (REF-R2, REF-R3, …) in a new batch, to be
initiated like any other. Payouts that may still be paid are never retried.`,
		examples: []string{"payrun retry SHEET_ID", "payrun retry BATCH --json"},
		exits:    []int{exitLocked, exitMismatch, exitLedger},
		least:    1, most: 1,
		run: a.ledgerAction(writing, retry),
	}
}

func retry(ctx context.Context, d *desk, c *urfave.Context) error {
	attempts, err := d.store.Retryable(ctx, c.Args().First())
	if err != nil {
		return err
	}
	var planned []ledger.Batch
	if len(attempts) > 0 {
		plan, err := d.planRetry(ctx, attempts)
		if err != nil {
			return err
		}
		if planned, err = d.store.PlanRetry(ctx, d.set.Actor, d.world.Now(), attempts, plan.Batches); err != nil {
			return err
		}
	}
	var results []submitter.Result
	for _, b := range planned {
		results = append(results, submitter.Result{Batch: b, Outcome: string(ledger.BatchPlanned), Message: b.Reason})
	}
	if err := d.tell("retry", results); err != nil {
		return err
	}
	d.next = "Nothing to retry: no payout of it failed, came back or was cancelled"
	if n := len(planned); n > 0 {
		d.next = "Next: payrun initiate " + strings.Join(acted(head(results, 3)), " ")
		if n > 3 {
			d.next = "Next: payrun initiate --all"
		}
	}
	return d.standing(ctx, scope{})
}

// planRetry packs the attempts as their batches were: the debit account and
// its kind are the ledger's, not today's configuration.
func (d *desk) planRetry(ctx context.Context, attempts []ledger.Attempt) (batcher.Plan, error) {
	in := newPacking(int(d.set.Limits.PayoutsPerBatch))
	groups := map[string]int32{} // by batch
	for _, at := range attempts {
		group, ok := groups[at.BatchID]
		if !ok {
			b, err := d.store.Batch(ctx, at.BatchID)
			if err != nil {
				return batcher.Plan{}, err
			}
			group = in.group(batcher.Group{
				BankAccountID: b.BankAccountID, PartnerBankID: b.PartnerBankID, Kind: b.Kind,
				SubMerchantID: b.SubMerchantID, TransactionTypeID: b.TransactionTypeID,
			})
			groups[at.BatchID] = group
		}
		in.add(group, at.BeneLEI, at.Amount)
	}
	return batcher.Make(in.input())
}
