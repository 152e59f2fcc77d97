package cli

import (
	"context"
	"errors"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) statementListCommand() command {
	return command{
		name: "list", brief: "list the readings of statements",
		long: `Each reading of a statement has a name: R1, R2, … as recorded. Its entries are R3.1, R3.2, … in the
order of the statement, oldest first. --json has a line a reading.`,
		examples: []string{"payrun statement list", "payrun statement list --account main --json"},
		exits:    []int{exitLedger},
		flags:    []urfave.Flag{accountFlag("of the debit account, by `NAME_OR_ID` (default: of all)")},
		run:      p.with(listStatements),
	}
}

func listStatements(ctx context.Context, s *session, c *urfave.Context) error {
	list, err := s.app.Readings(ctx, s.call, c.String("account"))
	if err != nil {
		return err
	}
	if s.term.JSON {
		for _, k := range list {
			err = errors.Join(err, s.document("", doc.NewReading(k, s.set.AccountName(k.BankAccountID))))
		}
		return err
	}
	t := s.term.Table(term.Columns{"Reading", "Account", "From", "To", "Entries", "Closing", "Source", "On record"}, 5, 6).Notes().Spare(7)
	for _, k := range list {
		closing, source := "", "the bank"
		if k.HasClosing {
			closing = k.Closing.Rupees()
		}
		if k.Source == ledger.FromFile {
			source = ledger.Plain(k.File.Name)
		}
		if k.Shape != ledger.ShapeEntries {
			source += ", no entries"
		}
		if !k.Void.IsZero() {
			source += ", void"
		}
		t.Row(ledger.ReadingName(k.No), ledger.Plain(s.set.AccountName(k.BankAccountID)), k.From, k.To, ledger.Grouped(k.Lines), closing, source, s.set.Clock(k.At))
	}
	t.Render()
	return nil
}

func (p *program) statementVoidCommand() command {
	return command{
		name: "void", args: "READING", brief: "take back a wrong file, as two people",
		long: `A file that is of another account, or wrong, no longer counts once two people have said so, each with
the same command, at most 72 hours apart. What it matched is matched again without it, and the audit
trail keeps it. The bank's own statement is never void, nor a file with a debit that carries one of our
references or UTRs.`,
		examples: []string{`payrun statement void R3 --reason "statement of another account"`},
		exits:    []int{exitCancelled, exitLocked, exitPerson, exitLedger},
		flags:    []urfave.Flag{&urfave.StringFlag{Name: "reason", Usage: "`TEXT` for the audit trail"}},
		least:    1, most: 1,
		usage: needs("reason"),
		run:   p.with(voidStatement),
	}
}

func voidStatement(ctx context.Context, s *session, c *urfave.Context) error {
	return s.sayOfStatement(ctx, func(sure bool) (ledger.StatementDecision, error) {
		return s.app.VoidReading(ctx, s.call, c.Args().First(), strings.TrimSpace(c.String("reason")), sure)
	})
}

func (p *program) statementExplainCommand() command {
	return command{
		name: "explain", args: "ENTRY...", brief: "explain whose entries of a statement are, as two people",
		long: `A debit that could be a payout's locks the payout until it is known whose it is. Two people can say so,
each with the same command, at most 72 hours apart: a payout's (--ref), or, without --ref, that it is no payout of
payrun. A debit that carries one of our references or UTRs cannot be explained away.`,
		examples: []string{`payrun statement explain R3.17 --reason "rent, paid at the portal"`, `payrun statement explain R3.17 R3.18 --ref INV-17 --reason "two instalments"`},
		exits:    []int{exitCancelled, exitLocked, exitPerson, exitLedger},
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "ref", Usage: "the entries belong to the payout with this `REFERENCE`"},
			&urfave.StringFlag{Name: "reason", Usage: "`TEXT` for the audit trail"},
		},
		least: 1, most: 100,
		usage: needs("reason"),
		run:   p.with(explainStatement),
	}
}

func explainStatement(ctx context.Context, s *session, c *urfave.Context) error {
	return s.sayOfStatement(ctx, func(sure bool) (ledger.StatementDecision, error) {
		return s.app.ExplainEntries(ctx, s.call, c.Args().Slice(), c.String("ref"), strings.TrimSpace(c.String("reason")), sure)
	})
}

// sayOfStatement records a person's word once they have answered y.
func (s *session) sayOfStatement(ctx context.Context, do func(sure bool) (ledger.StatementDecision, error)) error {
	var d ledger.StatementDecision
	err := s.confirmed(ctx, func() (err error) { d, err = do(false); return err }, func(*app.NeedsConfirmation) (err error) {
		d, err = do(true)
		return err
	})
	if d.No == 0 || err != nil && app.Worst(err).Code != app.NeedsPerson {
		return err
	}
	return errors.Join(s.writeWord(d), err)
}

func (s *session) writeWord(d ledger.StatementDecision) error {
	word := doc.StatementWord{Word: d.Word, Ref: d.Ref, Holds: d.First != 0}
	for _, e := range d.Entries {
		word.Entries = append(word.Entries, e.String())
	}
	if d.Word == ledger.WordVoid {
		word.Reading = ledger.ReadingName(d.Reading)
	}
	if !word.Holds {
		word.Until = ledger.Instant(d.Until())
	}
	if s.term.JSON {
		return s.document("payrun.statement_word/v1", word)
	}
	if word.Holds {
		s.nextIs(app.Do("reconcile"))
		s.term.Resultf("Two people said so: the statements were matched again.")
	}
	return nil
}

// showStatementLines shows what a person says something of.
func (s *session) showStatementLines(shown *app.StatementToConfirm) {
	for _, l := range shown.Lines {
		s.term.Errorf("  %s: %s %s of %s: %s", l.Ref, l.Day, direction(l.Debit), l.Amount.Rupees(), ledger.Plain(strings.TrimSpace(ledger.MaskRemarks(l.Reference, func(string) bool { return false })+" "+l.Remarks)))
	}
}
