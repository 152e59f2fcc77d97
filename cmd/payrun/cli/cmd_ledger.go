package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (a *app) ledgerCommand() command {
	return command{
		name: "ledger", group: groupView,
		brief: "the audit trail, and whether it is whole",
		exits: []int{exitLedger},
		sub: []command{
			{
				name:  "verify",
				brief: "check the file, the audit chain and every invariant",
				long: `Beside the ledger lies its high-water mark, LEDGER.head: how far it had come when payrun last
worked with it. A ledger that does not contain its mark is an older copy, or another ledger, and
what was sent since is not in it: initiate, submit and run then send nothing (exit 17). The newest
ledger put back mends that. Where there is none, compare the bank's batches and statement with the
ledger first, and then accept it as it is; the reason is kept in the audit trail.`,
				examples: []string{"payrun ledger verify", "payrun ledger verify --json",
					`payrun ledger verify --accept-restored --reason "disk lost; copy of Monday compared with the statement"`},
				exits: []int{exitCancelled, exitLocked, exitPerson, exitLedger},
				flags: []urfave.Flag{
					&urfave.BoolFlag{Name: "accept-restored", Usage: "take a ledger that is behind its high-water mark as it is"},
					&urfave.StringFlag{Name: "reason", Usage: "why, in a person's `TEXT`; with --accept-restored"},
				},
				usage: restoredNeedsReason,
				run: func(ctx context.Context, c *urfave.Context) error {
					if c.Bool("accept-restored") {
						return a.ledgerAction(writing, acceptRestored)(ctx, c)
					}
					return a.ledgerAction(reading, verifyLedger)(ctx, c)
				},
			},
			a.backupCommand(),
			a.exportCommand(),
			{
				name:     "log",
				brief:    "show the audit trail, oldest first",
				examples: []string{"payrun ledger log", "payrun ledger log --json"},
				exits:    []int{exitLedger},
				run:      a.ledgerAction(reading, logEvents),
			},
		},
	}
}

func verifyLedger(ctx context.Context, d *desk, _ *urfave.Context) error {
	problems, err := d.verify(ctx)
	if err == nil {
		err = d.tellProblems(problems, false)
	}
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return d.doesNotHold(problems)
	}
	d.next = "The ledger is whole: file, audit chain and every invariant."
	return nil
}

func (d *desk) verify(ctx context.Context) ([]ledger.Problem, error) {
	done := d.term.Progress("verifying the ledger")
	defer done()
	return d.store.Verify(ctx)
}

// tellProblems shows what does not hold: the document, or a line each.
func (d *desk) tellProblems(problems []ledger.Problem, accepted bool) error {
	if d.flags.json {
		found := []doc.Problem{}
		for _, p := range problems {
			found = append(found, doc.Problem{Invariant: p.Invariant, What: p.What, Detail: p.Detail})
		}
		return d.document(doc.Verify{Schema: "payrun.verify/v1", Problems: found, Accepted: accepted})
	}
	for _, p := range problems {
		d.term.Show("does not hold: %s\n  %s", ledger.Plain(p.What), ledger.Plain(p.Detail))
	}
	return nil
}

func (d *desk) doesNotHold(problems []ledger.Problem) error {
	f := fail(exitLedger, "%s in the ledger %s", ledger.Counted(len(problems), "thing does not hold", "things do not hold"), d.set.LedgerPath)
	if len(besideMark(problems)) == 0 {
		return f.hint("send nothing; put the newest ledger back, or see: payrun help ledger verify")
	}
	return f.hint("send nothing; restore the ledger from its newest copy")
}

// besideMark leaves out that the ledger is behind its mark.
func besideMark(problems []ledger.Problem) []ledger.Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p ledger.Problem) bool { return p.Kind == ledger.ProblemBehind })
}

func restoredNeedsReason(c *urfave.Context) error {
	switch given := strings.TrimSpace(c.String("reason")) != ""; {
	case c.Bool("accept-restored") && !given:
		return usage("--accept-restored needs --reason TEXT")
	case c.IsSet("reason") && !c.Bool("accept-restored"):
		return usage("--reason is for --accept-restored")
	}
	return nil
}

// acceptRestored lets a ledger that is behind its mark send again, on a
// person's word: nothing in it can tell what the bank holds beside it.
func acceptRestored(ctx context.Context, d *desk, c *urfave.Context) error {
	if d.store.Restored() == nil {
		return usage("the ledger %s contains its high-water mark: there is nothing to accept", d.set.LedgerPath)
	}
	problems, err := d.verify(ctx)
	if err != nil {
		return err
	}
	if left := besideMark(problems); len(left) > 0 {
		return errors.Join(d.tellProblems(problems, false), d.doesNotHold(left))
	}
	err = d.mustConfirm(ctx, ledger.Plain(d.store.Restored().Error())+".\nWhat was sent since is not in it, and would be sent again. Is every batch that the bank\nholds or paid either in this ledger or never to be loaded again?",
		"that nothing the bank holds or paid is missing in the ledger")
	if err != nil {
		return err
	}
	if err := d.store.AcceptRestored(ctx, d.set.Actor, strings.TrimSpace(c.String("reason")), d.world.Now()); err != nil {
		return err
	}
	d.next = "The ledger was accepted as it is. Next: payrun poll"
	return d.tellProblems(nil, true)
}

func logEvents(ctx context.Context, d *desk, _ *urfave.Context) error {
	var t *term.Table
	if !d.flags.json {
		t = d.term.Table(term.Columns{"Seq", "At", "Actor", "What", "Sheet", "Batch", "Detail"}, 1)
	}
	err := d.store.Events(ctx, func(e ledger.Event) error {
		if t != nil {
			t.Row(e.Seq, d.set.Clock(e.At), ledger.Plain(e.Actor), e.Kind, e.SheetID, e.BatchID, ledger.Plain(e.Detail))
			return nil
		}
		if d.term.Out.Gone() {
			return errEnough
		}
		return d.document(e)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if t != nil {
		t.Render()
	}
	return nil
}
