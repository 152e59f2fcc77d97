package cli

import (
	"context"
	"errors"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

func (p *program) checkCommand() command {
	return command{
		name: "check", args: "SHEET...",
		brief: "validate a sheet, plan its batches, count the OTPs; change nothing",
		long: `A dry run of payrun load, with the same rules, findings and batches. Nothing is written to the ledger.
payrun help sheets describes a sheet. Give the SHA-256 of --json to payrun load --expect-sha256 to load
exactly what was checked.`,
		examples: []string{"payrun check november.csv", "payrun check november.xlsx --expect-total 18,40,150.50 --json", "payrun check november.csv --online"},
		exits:    []int{exitCredentials, exitSheet, exitLedger},
		flags: append(sheetFlags(),
			&urfave.BoolFlag{Name: "online", Usage: "also ask the bank whether the debit accounts have the funds"}),
		usage: oneSheet,
		run:   p.configured(config.Load, check),
	}
}

func check(ctx context.Context, s *session, c *urfave.Context) error {
	sheets, refused := s.app.Check(ctx, s.call, c.Args().Slice(), sheetOptions(c))
	var funds []app.AccountFunds
	var asked error
	if c.Bool("online") {
		funds, asked = s.app.Funds(ctx, s.call, sheets)
	}
	next := []string{"load"}
	for i := range sheets {
		if err := s.writeSheet("payrun.check/v1", &sheets[i], fundsLines(s.set, funds)); err != nil {
			return err
		}
		next = append(next, sheets[i].Path)
	}
	if len(sheets) == 1 && !c.IsSet("ref-prefix") { // a finding about its references may propose one
		if i := slices.IndexFunc(sheets[0].Findings, func(f ledger.Finding) bool { return f.Option.Name == ledger.OptionRefPrefix && f.Option.Value != "" }); i >= 0 {
			next = append(next, "--ref-prefix", sheets[0].Findings[i].Option.Value)
		}
	}
	s.nextIs(app.Do(next...))
	s.showFunds(funds)
	return errors.Join(refused, asked)
}
