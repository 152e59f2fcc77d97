package cli

import (
	"context"
	"errors"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) approveCommand() command {
	return command{
		name: "approve", args: "BATCH...", group: groupMonth,
		brief: "a second person's approval of planned batches (policy.two_person)",
		long: `Where policy.two_person is set, initiate sends a batch only after someone other than the person
who loaded its sheet, or planned its retry, has approved it. The approval holds for exactly the
bytes that would be sent: it is void once they change. Nothing is asked of the bank. A person
is a system user: --actor and PAYRUN_ACTOR are refused (payrun help people says more).`,
		examples: []string{"payrun approve BATCH", "payrun approve BATCH BATCH --yes --json"},
		exits:    []int{exitCancelled, exitLocked, exitPerson, exitLedger},
		least:    1, most: anyNumber,
		run: p.with(approve),
	}
}

func approve(ctx context.Context, s *session, c *urfave.Context) error {
	named := c.Args().Slice()
	if err := s.lookBeforeApproving(ctx, named); err != nil {
		return err
	}
	work, err := s.app.Approve(ctx, s.call, named)
	return errors.Join(s.writeWork("approve", work), err)
}

// lookBeforeApproving shows a person what is to be approved, and asks.
func (s *session) lookBeforeApproving(ctx context.Context, named []string) error {
	if s.term.Yes || !s.term.CanAsk() {
		return nil
	}
	chosen, err := s.app.ToApprove(ctx, s.call, named)
	if err != nil {
		return err
	}
	t := s.term.TableBeside(term.Columns{"Batch", "Account", "Payouts", "Total", "State", "Planned by"}, 3, 4)
	var sum ledger.Paise
	for _, b := range chosen {
		var fits bool
		if sum, fits = sum.Plus(b.Total); !fits {
			return fmt.Errorf("the batches to approve: %w", ledger.ErrTotal)
		}
		t.Row(b.ID, ledger.Plain(s.set.AccountName(b.BankAccountID)), ledger.Grouped(b.Count), b.Total.Rupees(), string(b.State), ledger.Plain(b.PlannedBy))
	}
	t.Render()
	return answered(s.term.Confirm(ctx, fmt.Sprintf("%s approves %s of %s?", ledger.Plain(s.call.Actor), ledger.CountedBatches(len(chosen)), sum.Rupees())))
}
