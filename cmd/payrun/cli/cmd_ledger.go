package cli

import (
	"cmp"
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
		name:  "ledger",
		brief: "verify, back up, export and import the ledger",
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
does not contain that head, verify ends with 17.

--copy tests a backup: verify ends with 0 if all that it finds is that the ledger is a copy.`,
				examples: []string{"payrun ledger verify", "payrun ledger verify --json", "payrun ledger verify --copy --ledger monday.db",
					"payrun ledger verify --anchor reports/2026-11-03-all/reconciliation.json",
					`payrun ledger verify --accept-restored --reason "disk lost; copy of Monday compared with the statement"`},
				exits: []int{exitCancelled, exitCredentials, exitUnanswered, exitLocked, exitPerson, exitUnknown, exitMismatch, exitLedger},
				flags: []urfave.Flag{
					&urfave.BoolFlag{Name: "accept-restored", Usage: "accept a copy, or a ledger behind its high-water mark"},
					&urfave.BoolFlag{Name: "copy", Usage: "the ledger is a copy, such as a backup; that alone is no failure"},
					&urfave.StringFlag{Name: "anchor", Usage: "check that the ledger contains the head in `FILE`, a report's reconciliation.json or an export"},
					&urfave.StringFlag{Name: "reason", Usage: "the reason, `TEXT`; with --accept-restored"},
				},
				usage: restoredNeedsReason,
				run: func(ctx context.Context, c *urfave.Context) error {
					return p.with(either(c.Bool("accept-restored"), acceptRestored, verifyLedger))(ctx, c)
				},
			},
			{
				name: "backup", args: "FILE",
				brief: "write a verified copy of the ledger, even while it is in use",
				long: `The copy is of one moment, is verified before it gets its name, and only its owner can read it. An
existing FILE is never replaced. A copy that is put in place of the ledger sends nothing until you accept
it (payrun help ledger verify). Keep copies on another machine. Do not copy the ledger with other
programs.`,
				examples: []string{"payrun ledger backup payrun-monday.db"},
				exits:    []int{exitLedger},
				run:      p.with(backup),
			},
			{
				name: "export", args: "[FILE]",
				brief: "write everything in the ledger as JSON lines",
				long: `Complete enough for payrun ledger import to rebuild the ledger: its sheets with their bytes, batches,
payouts with their attempts, what the bank said, intents with what the bank showed before them,
approvals and the audit trail with its digests, each line with its "type". The last line has type "end",
the head of the audit trail for payrun ledger verify --anchor, the SHA-256 of the lines before it, and
what is left out: the branch list and the passwords of the desk. An export without it is incomplete.
Account numbers are in full, so FILE can be read by its owner only and is never replaced, and without
FILE the lines go to standard output only if that is not a terminal. --masked keeps the last four
characters of account numbers, wherever they are written, and leaves out the bytes of the sheets.

--move ends the ledger once FILE is written: it can be read, and whatever would write or send from it
is refused (17, ledger_moved). So the old and the new one never pay at the same time.`,
				examples: []string{"payrun ledger export payrun.jsonl", "payrun ledger export --masked", "payrun ledger export --move payrun.jsonl"},
				exits:    []int{exitLocked, exitLedger},
				flags: []urfave.Flag{
					&urfave.BoolFlag{Name: "masked", Usage: "mask account numbers to four digits, and leave out the sheets' files"},
					&urfave.BoolFlag{Name: "move", Usage: "end this ledger, to continue where FILE is imported"},
				},
				usage: func(c *urfave.Context) error {
					return usageIf(c.Bool("move") && (c.Bool("masked") || c.NArg() == 0), "--move needs FILE, and no --masked")
				},
				run: p.with(export),
			},
			{
				name: "import", args: "FILE",
				brief: "create a ledger from an export",
				long: `FILE is what payrun ledger export wrote, without --masked. The new ledger has the same batches,
payouts, references and audit trail; exported again it gives the same lines. It gets its name once
payrun ledger verify finds nothing in it. An export that is cut off, edited, masked or of a newer payrun
is refused (17), and a ledger that is there is never replaced (2): then nothing is recorded.

The new ledger is a copy: nothing is sent from it until a person accepts it with payrun ledger verify
--accept-restored. Two ledgers that both send would pay twice: payrun ledger export --move ends the
old one, and only one import is to be accepted. Not in an export are the branch list, which payrun
ifsc import brings again, and the passwords of the desk: an admin gives each person a new link.`,
				examples: []string{"payrun ledger import payrun.jsonl --ledger new.db"},
				exits:    []int{exitLocked, exitLedger},
				run:      p.with(importLedger),
			},
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
	problems, err := s.app.Verify(ctx, s.call, c.String("anchor"), c.Bool("copy"))
	if err != nil && len(problems) == 0 {
		return err
	}
	s.last = either(len(problems) == 0, "The ledger is whole: file, audit chain and every invariant.",
		"The copy is whole: file, audit chain and every invariant. That it is a copy is all that was found.")
	return errors.Join(s.writeProblems(doc.Verify{}, problems), err)
}

// writeProblems writes the problems: the document, or two lines for each.
func (s *session) writeProblems(v doc.Verify, problems []app.Problem) error {
	for _, p := range problems {
		s.term.Resultf("does not hold: %s\n  %s", ledger.Plain(p.What), ledger.Plain(p.Detail))
	}
	v.Problems = doc.List(problems)
	return s.document("payrun.verify/v1", v)
}

func restoredNeedsReason(c *urfave.Context) error {
	accepts := c.Bool("accept-restored")
	return cmp.Or(
		usageIf(accepts && strings.TrimSpace(c.String("reason")) == "", "--accept-restored needs --reason TEXT"),
		usageIf(c.IsSet("reason") && !accepts, "--reason is for --accept-restored"),
		usageIf((c.IsSet("anchor") || c.Bool("copy")) && accepts, "--anchor and --copy are for a check, without --accept-restored"))
}

func acceptRestored(ctx context.Context, s *session, c *urfave.Context) error {
	req := app.AcceptRequest{Reason: strings.TrimSpace(c.String("reason")), Complete: s.term.Yes}
	var shown []doc.Outcome
	do := func() (app.Accepted, error) {
		got, err := s.app.AcceptRestored(ctx, s.call, req)
		if now := app.Outcomes(got.Looked); !slices.Equal(shown, now) { // shown before the question
			s.asked().showResults(got.Looked)
			shown = now
		}
		return got, err
	}
	got, err := confirmed(ctx, s, do, func(*app.NeedsConfirmation) { req.Complete = true })
	if got.Done {
		s.nextIs(app.Do("poll"))
		s.last = "The ledger was accepted as it is. Nothing is initiated for the time of resolve.wait, and every payout in it is locked until two people release it.\n" + s.last
	} else if len(got.Problems) == 0 && len(got.Looked) == 0 {
		return err
	}
	return errors.Join(s.writeProblems(doc.Verify{Accepted: got.Done, Batches: app.Outcomes(got.Looked)}, got.Problems), err)
}

func logEvents(ctx context.Context, s *session, _ *urfave.Context) error {
	if s.term.JSON {
		return s.app.Log(ctx, s.call, func(e ledger.Event) error { return s.line(e) })
	}
	t := s.term.Table(term.Columns{"Seq", "At", "Actor", "What", "Sheet", "Batch", "Detail"}, 1).Notes().Spare(5)
	err := s.app.Log(ctx, s.call, func(e ledger.Event) error {
		t.Row(e.Seq, s.set.Clock(e.At), config.Who(e.Actor), e.Kind, e.SheetID, e.BatchID, e.Words())
		return nil
	})
	if err == nil {
		t.Render()
	}
	return err
}

func backup(ctx context.Context, s *session, c *urfave.Context) error {
	path := c.Args().First()
	copied, err := s.app.Backup(ctx, s.call, path)
	if err != nil {
		return err
	}
	s.term.Resultf("%s  %s bytes, whole, up to event %s of the audit trail", ledger.Plain(path), ledger.Grouped(int(copied.Bytes)), ledger.Grouped(int(copied.Head.Length)))
	return s.document("payrun.backup/v1", struct {
		File  string           `json:"file"`
		Bytes int64            `json:"bytes"`
		Audit ledger.AuditHead `json:"audit"`
	}{path, copied.Bytes, copied.Head})
}

func export(ctx context.Context, s *session, c *urfave.Context) error {
	opt := app.ExportOptions{Masked: c.Bool("masked"), Move: c.Bool("move")}
	if c.NArg() == 0 {
		if s.term.Out.Terminal() && !opt.Masked {
			return usage("an export has account numbers in full, which are not shown on a terminal").
				Then(app.Do("ledger", "export", "payrun.jsonl").Which("writes a file; --masked leaves them out"))
		}
		return s.app.Export(ctx, s.call, whileRead{s.term.Out}, opt)
	}
	path := c.Args().First()
	lines, err := s.app.ExportFile(ctx, s.call, path, opt)
	if err != nil {
		return err
	}
	s.term.Resultf("%s  %s", ledger.Plain(path), ledger.Counted(lines, "line", "lines"))
	return s.document("payrun.export/v1", map[string]any{"file": path, "lines": lines})
}

// whileRead writes to an output until its reader has left, and then returns ErrEnough.
type whileRead struct{ *term.Stream }

func (w whileRead) Write(b []byte) (int, error) {
	if w.Gone() {
		return 0, app.ErrEnough
	}
	return w.Stream.Write(b)
}

func importLedger(ctx context.Context, s *session, c *urfave.Context) error {
	made, err := s.app.Import(ctx, s.call, c.Args().First())
	if err != nil {
		return err
	}
	name := cmp.Or(s.set.LedgerServer, s.set.LedgerPath)
	size := either(made.Bytes > 0, ledger.Grouped(int(made.Bytes))+" bytes, ", "")
	s.term.Resultf("%s  %swhole, up to event %s of the audit trail; a copy, from which nothing is sent", ledger.Plain(name), size, ledger.Grouped(int(made.Head.Length)))
	return s.document("payrun.import/v1", struct {
		Ledger string           `json:"ledger"`
		Bytes  int64            `json:"bytes,omitempty"` // of a ledger file
		Audit  ledger.AuditHead `json:"audit"`
	}{name, made.Bytes, made.Head})
}
