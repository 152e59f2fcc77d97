package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) ledgerCommand() command {
	return command{
		name: "ledger", group: groupView,
		brief: "the audit trail, and whether it is whole",
		exits: []int{exitLedger},
		sub: []command{
			{
				name:  "verify",
				brief: "check the file, the audit chain and every invariant",
				long: `Beside the ledger lies its high-water mark, LEDGER.head: how far it had come when payrun last
worked with it. A ledger without its mark, one that does not contain it, and a copy that was made
by payrun ledger backup may have forgotten what was sent: initiate, submit and run then send nothing
(exit 17). Putting the newest ledger back, with its mark, cures that. Where there is none, compare
the bank's batches and statement with the ledger first, then accept it as it is. The bank is then
asked about every planned and held batch, and what it shows is printed: one that it has already is
quarantined. Where it gives no answer nothing is accepted (exit 5). The reason is kept in the
audit trail.

Each event carries a digest of the rows that it is about, so a row that was changed by other means
than payrun is found and named. What nothing in the file can tell is that somebody wrote all of it
anew, or took its newest part away: --anchor FILE compares it with a head that was recorded before,
in the reconciliation.json of a report or in an export, best of one that lies on another machine.
Where the ledger does not contain it, 17.`,
				examples: []string{"payrun ledger verify", "payrun ledger verify --json",
					"payrun ledger verify --anchor reports/2025-11-03T1830-all/reconciliation.json",
					`payrun ledger verify --accept-restored --reason "disk lost; copy of Monday compared with the statement"`},
				exits: []int{exitCancelled, exitCredentials, exitUnanswered, exitLocked, exitPerson, exitUnknown, exitMismatch, exitLedger},
				flags: []urfave.Flag{
					&urfave.BoolFlag{Name: "accept-restored", Usage: "accept a copy, or a ledger that is behind its high-water mark, as it is"},
					&urfave.StringFlag{Name: "anchor", Usage: "a report's reconciliation.json, or an export, as `FILE`: the ledger has to contain its head"},
					&urfave.StringFlag{Name: "reason", Usage: "why, in a person's `TEXT`; with --accept-restored"},
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
			{
				name:  "log",
				brief: "show the audit trail, oldest first",
				long: `Every change of the ledger: when it was made and by whom, what it was, and of which sheet and batch.
Nothing is ever taken out of it; payrun ledger verify holds the ledger against it.`,
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
		v.Schema, v.Problems = "payrun.verify/v1", []doc.Problem{}
		for _, p := range problems {
			v.Problems = append(v.Problems, doc.Problem{Invariant: p.Invariant, What: p.What, Detail: p.Detail})
		}
		return s.document(v)
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
		if now := outcomes(got.Looked); !s.term.JSON && !slices.Equal(shown, now) { // before anybody is asked
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
	return errors.Join(s.writeProblems(doc.Verify{Accepted: got.Done, Batches: outcomes(got.Looked)}, got.Problems), err)
}

func logEvents(ctx context.Context, s *session, _ *urfave.Context) error {
	if s.term.JSON {
		return s.app.Log(ctx, s.call, func(e ledger.Event) error {
			if s.term.Out.Gone() {
				return app.ErrEnough
			}
			return s.document(e)
		})
	}
	t := s.term.Table(term.Columns{"Seq", "At", "Actor", "What", "Sheet", "Batch", "Detail"}, 1).Notes().Spare(5)
	err := s.app.Log(ctx, s.call, func(e ledger.Event) error {
		t.Row(e.Seq, s.set.Clock(e.At), ledger.Plain(e.Actor), e.Kind, e.SheetID, e.BatchID, ledger.Plain(e.Detail))
		return nil
	})
	if err == nil {
		t.Render()
	}
	return err
}
