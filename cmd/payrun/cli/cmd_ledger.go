package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) ledgerCommand() command {
	return command{
		name: "ledger", group: groupView,
		brief: "verify, back up, export and import the ledger",
		exits: []int{exitLedger},
		sub: []command{
			{
				name:  "verify",
				brief: "check the file, the audit chain and every invariant",
				long: `The high-water mark, LEDGER.head, records the newest event of the ledger. A ledger without its mark or
behind it, and a copy made by payrun ledger backup or import, may lack what was sent, so nothing is sent
from it (exit 17). Put the newest ledger back with its mark. If it is lost, compare the bank's statement
with the copy, then accept the copy with --accept-restored. payrun first asks the bank for the status of
every planned and held batch; if the bank does not answer, nothing is accepted (exit 5). Every payout of
the copy is then locked (restored) until two people release it.

Each event has a digest of its rows, so verify finds and names a row that another program changed. Only
a head that was recorded elsewhere shows a ledger that was rewritten whole: --anchor FILE compares the
ledger with a report's reconciliation.json or with an export, best from another machine. If the ledger
does not contain that head, verify ends with 17.`,
				examples: []string{"payrun ledger verify", "payrun ledger verify --json",
					"payrun ledger verify --anchor reports/2025-11-03T1830-all/reconciliation.json",
					`payrun ledger verify --accept-restored --reason "disk lost; copy of Monday compared with the statement"`},
				exits: []int{exitCancelled, exitCredentials, exitUnanswered, exitLocked, exitPerson, exitUnknown, exitMismatch, exitLedger},
				flags: []urfave.Flag{
					&urfave.BoolFlag{Name: "accept-restored", Usage: "accept a copy, or a ledger behind its high-water mark"},
					&urfave.StringFlag{Name: "anchor", Usage: "check that the ledger contains the head in `FILE`, a report's reconciliation.json or an export"},
					&urfave.StringFlag{Name: "reason", Usage: "the reason, `TEXT`; with --accept-restored"},
				},
				usage: restoredNeedsReason,
				run: func(ctx context.Context, c *urfave.Context) error {
					if c.Bool("accept-restored") {
						return p.with(acceptRestored)(ctx, c)
					}
					return p.with(verifyLedger)(ctx, c)
				},
			},
			p.backupCommand(),
			p.exportCommand(),
			p.importCommand(),
			{
				name:  "log",
				brief: "show the audit trail, oldest first",
				long: `Every change of the ledger: when, who, what, which sheet and batch. Nothing is ever removed. payrun
ledger verify compares the ledger with it.`,
				examples: []string{"payrun ledger log", "payrun ledger log --json"},
				exits:    []int{exitLedger},
				run:      p.with(logEvents),
			},
		},
	}
}

func verifyLedger(ctx context.Context, s *session, c *urfave.Context) error {
	problems, err := s.app.Verify(ctx, s.call, c.String("anchor"))
	if err != nil && len(problems) == 0 {
		return err
	}
	s.last = "The ledger is whole: file, audit chain and every invariant."
	return errors.Join(s.writeProblems(doc.Verify{}, problems), err)
}

// writeProblems writes what does not hold: the document, or a line each.
func (s *session) writeProblems(v doc.Verify, problems []app.Problem) error {
	if s.term.JSON {
		v.Problems = append([]app.Problem{}, problems...)
		return s.document("payrun.verify/v1", v)
	}
	for _, p := range problems {
		s.term.Resultf("does not hold: %s\n  %s", ledger.Plain(p.What), ledger.Plain(p.Detail))
	}
	return nil
}

func restoredNeedsReason(c *urfave.Context) error {
	switch given := strings.TrimSpace(c.String("reason")) != ""; {
	case c.Bool("accept-restored") && !given:
		return usage("--accept-restored needs --reason TEXT")
	case c.IsSet("reason") && !c.Bool("accept-restored"):
		return usage("--reason is for --accept-restored")
	}
	if c.IsSet("anchor") && c.Bool("accept-restored") {
		return usage("--anchor is for a check, without --accept-restored")
	}
	return nil
}

func acceptRestored(ctx context.Context, s *session, c *urfave.Context) error {
	req := app.AcceptRequest{Reason: strings.TrimSpace(c.String("reason")), Complete: s.term.Yes}
	var got app.Accepted
	var shown []doc.Outcome
	do := func() (err error) {
		got, err = s.app.AcceptRestored(ctx, s.call, req)
		if now := app.Outcomes(got.Looked); !s.term.JSON && !slices.Equal(shown, now) { // before anybody is asked
			s.showResults(got.Looked)
			shown = now
		}
		return err
	}
	err := s.confirmed(ctx, do, func(*app.NeedsConfirmation) error {
		req.Complete = true
		return do()
	})
	if got.Done {
		s.nextIs(app.Do("poll"))
		s.last = "The ledger was accepted as it is.\n" + s.last
	} else if len(got.Problems) == 0 && len(got.Looked) == 0 {
		return err
	}
	return errors.Join(s.writeProblems(doc.Verify{Accepted: got.Done, Batches: app.Outcomes(got.Looked)}, got.Problems), err)
}

func logEvents(ctx context.Context, s *session, _ *urfave.Context) error {
	if s.term.JSON {
		return s.app.Log(ctx, s.call, func(e ledger.Event) error {
			if s.term.Out.Gone() {
				return app.ErrEnough
			}
			return s.document("", e)
		})
	}
	t := s.term.Table(term.Columns{"Seq", "At", "Actor", "What", "Sheet", "Batch", "Detail"}, 1).Notes().Spare(5)
	err := s.app.Log(ctx, s.call, func(e ledger.Event) error {
		t.Row(e.Seq, s.set.Clock(e.At), ledger.Plain(config.Who(e.Actor)), e.Kind, e.SheetID, e.BatchID, ledger.Plain(e.Words()))
		return nil
	})
	if err == nil {
		t.Render()
	}
	return err
}
