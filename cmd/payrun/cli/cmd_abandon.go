package cli

import (
	"context"
	"errors"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/ledger"
	"payrun/submitter"
)

func (a *app) abandonCommand() command {
	return command{
		name: "abandon", args: "BATCH", group: groupRepair,
		brief: "give up a batch that was never submitted",
		long: `The bank is asked first, where it may know the batch: one whose payouts move is not given up.
The payouts become cancelled and can be planned anew with payrun retry. The reason is kept in
the audit trail.`,
		examples: []string{`payrun abandon BATCH --reason "the OTP never came"`},
		exits:    []int{exitCredentials, exitLocked, exitUnknown, exitMismatch, exitLedger},
		flags:    []urfave.Flag{&urfave.StringFlag{Name: "reason", Usage: "why, in a person's `TEXT`; required"}},
		least:    1, most: 1,
		usage: needsReason,
		run:   a.ledgerAction(writing, abandon),
	}
}

func needsReason(c *urfave.Context) error {
	if strings.TrimSpace(c.String("reason")) == "" {
		return usage("payrun abandon needs --reason TEXT")
	}
	return nil
}

func abandon(ctx context.Context, d *desk, c *urfave.Context) error {
	id := c.Args().First()
	if _, err := d.batch(ctx, id); err != nil {
		return err
	}
	if err := d.openBank(ctx); err != nil {
		return err
	}
	result, err := d.engine.Abandon(ctx, id, strings.TrimSpace(c.String("reason")))
	if result.Outcome != "" {
		if err := d.tell("abandon", []submitter.Result{result}); err != nil {
			return err
		}
	}
	switch {
	case errors.Is(err, ledger.ErrTransition):
		err = usage("%v", err).because(err).hint("only a batch that was never submitted can be abandoned")
	case err == nil:
		err = d.standing(ctx, scope{named: []string{id}})
		d.next = "Next: payrun retry " + id + " plans its payouts anew"
	}
	return err
}
