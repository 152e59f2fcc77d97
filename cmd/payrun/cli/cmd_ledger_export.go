package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

func (p *program) exportCommand() command {
	return command{
		name: "export", args: "[FILE]",
		brief: "write everything in the ledger as JSON lines",
		long: `Complete enough for payrun ledger import to rebuild the ledger: its sheets with their bytes, batches, payouts with their
attempts, what the bank said, intents with what the bank showed before them, approvals and the
audit trail with its digests, each line with its "type". The last line has type "end", the head
of the audit trail for payrun ledger verify --anchor, the SHA-256 of the lines before it, and what is
left out: the branch list and the passwords of the desk. An export without it is incomplete. Account
numbers are in full, so FILE can be read by its owner only and is never replaced, and without FILE the lines go to
standard output only if that is not a terminal. --masked keeps the last four characters of account
numbers, wherever they are written, and leaves out the bytes of the sheets.

--move ends the ledger once FILE is written: it can be read, and whatever would write or send from it
is refused (17, ledger_moved). So the old and the new one never pay at the same time.`,
		examples: []string{"payrun ledger export payrun.jsonl", "payrun ledger export --masked", "payrun ledger export --move payrun.jsonl"},
		exits:    []int{exitLocked, exitLedger},
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "masked", Usage: "mask account numbers to four digits, and leave out the sheets' files"},
			&urfave.BoolFlag{Name: "move", Usage: "end this ledger, to continue where FILE is imported"},
		},
		usage: func(c *urfave.Context) error {
			if c.Bool("move") && (c.Bool("masked") || c.NArg() == 0) {
				return usage("--move needs FILE, and no --masked")
			}
			return nil
		},
		most: 1,
		run:  p.with(export),
	}
}

func export(ctx context.Context, s *session, c *urfave.Context) error {
	opt := app.ExportOptions{Masked: c.Bool("masked"), Move: c.Bool("move"), Gone: s.term.Out.Gone}
	if c.NArg() == 0 {
		if s.term.Out.Terminal() && !opt.Masked {
			return usage("an export has account numbers in full, which are not shown on a terminal").
				Then(app.Do("ledger", "export", "payrun.jsonl").Which("writes a file; --masked leaves them out"))
		}
		_, err := s.app.Export(ctx, s.call, s.term.Out, opt)
		return err
	}
	path := c.Args().First()
	lines, err := s.app.ExportFile(ctx, s.call, path, opt)
	if err != nil {
		return err
	}
	if s.term.JSON {
		return s.document("payrun.export/v1", map[string]any{"file": path, "lines": lines})
	}
	s.term.Resultf("%s  %s", ledger.Plain(path), ledger.Counted(lines, "line", "lines"))
	return nil
}
