package cli

import (
	"cmp"
	"context"

	urfave "github.com/urfave/cli/v2"

	"payrun/ledger"
)

func (p *program) importCommand() command {
	return command{
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
		least:    1, most: 1,
		run: p.with(importLedger),
	}
}

func importLedger(ctx context.Context, s *session, c *urfave.Context) error {
	made, err := s.app.Import(ctx, s.call, c.Args().First())
	if err != nil {
		return err
	}
	name := cmp.Or(s.set.LedgerServer, s.set.LedgerPath)
	if s.term.JSON {
		return s.document("payrun.import/v1", struct {
			Ledger string           `json:"ledger"`
			Bytes  int64            `json:"bytes,omitempty"` // of a file
			Audit  ledger.AuditHead `json:"audit"`
		}{name, made.Bytes, made.Head})
	}
	size := ""
	if made.Bytes > 0 {
		size = ledger.Grouped(int(made.Bytes)) + " bytes, "
	}
	s.term.Resultf("%s  %swhole, up to event %s of the audit trail; a copy, from which nothing is sent", ledger.Plain(name), size, ledger.Grouped(int(made.Head.Length)))
	return nil
}
