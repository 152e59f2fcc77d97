package cli

import (
	"cmp"
	"context"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// templateName is the sheet that template writes when no other is named.
const templateName = "payouts-template.xlsx"

func (p *program) templateCommand() command {
	return command{
		name: "template", args: "[FILE.xlsx or FILE.csv]",
		brief: "write an empty payout sheet to fill in",
		long: `An XLSX has text formats for references and accounts, drop-downs of your debit accounts and a tab
"Read me" with an example row; a CSV has a header and the example row. Without FILE it is
` + templateName + `. An existing file is never overwritten.`,
		examples: []string{"payrun template", "payrun template november.csv"},
		run:      p.configured(config.Load, template),
	}
}

func template(_ context.Context, s *session, c *urfave.Context) error {
	path := cmp.Or(c.Args().First(), templateName)
	if err := s.app.Template(path); err != nil {
		return err
	}
	s.term.Linef("wrote  %s", ledger.Plain(path))
	s.maySay(app.Do("check", path).First("Fill it in."))
	return s.document("payrun.template/v1", map[string]any{"template": path})
}
