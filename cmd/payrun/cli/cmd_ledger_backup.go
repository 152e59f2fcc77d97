package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"payrun/ledger"
)

func (p *program) backupCommand() command {
	return command{
		name: "backup", args: "FILE",
		brief: "write a verified copy of the ledger, even while it is in use",
		long: `The copy is of one moment, is verified before it gets its name, and only its owner can read it. An
existing FILE is never replaced. A copy that is put in place of the ledger sends nothing until you accept
it (payrun help ledger verify). Keep copies on another machine. Do not copy the ledger with other
programs.`,
		examples: []string{"payrun ledger backup payrun-monday.db"},
		exits:    []int{exitLedger},
		least:    1, most: 1,
		run: p.with(backup),
	}
}

func backup(ctx context.Context, s *session, c *urfave.Context) error {
	path := c.Args().First()
	copied, err := s.app.Backup(ctx, s.call, path)
	if err != nil {
		return err
	}
	if s.term.JSON {
		return s.document("payrun.backup/v1", struct {
			File  string           `json:"file"`
			Bytes int64            `json:"bytes"`
			Audit ledger.AuditHead `json:"audit"`
		}{path, copied.Bytes, copied.Head})
	}
	s.term.Resultf("%s  %s bytes, whole, up to event %s of the audit trail", ledger.Plain(path), ledger.Grouped(int(copied.Bytes)), ledger.Grouped(int(copied.Head.Length)))
	return nil
}
