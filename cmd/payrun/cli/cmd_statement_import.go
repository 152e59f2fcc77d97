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

func (p *program) statementImportCommand() command {
	return command{
		name: "import", args: "FILE",
		brief: "import a statement file of the bank",
		long: `CSV and XLSX are read by their columns (a date, the amounts and a balance), camt.053 (.001.02 and .08)
and MT940 as their formats say. The contents decide which it is, never the name. The opening
balance and the entries must give the closing balance, line by line where the file shows a balance
on each, or nothing is recorded. A file that begins in the middle of a day that is known must
begin where the day began or where the last one ended. Account numbers in the remarks are masked before they are recorded. The bank is
asked nothing.

The account number in the file must be account_number in payrun.toml, or end like the bank listed the
account; where the file shows none, or neither is known, it says so and wants --yes. Where no date shows whether the day or the month
comes first, --day-first says that the day does. --map names a column by the interface's word for it:
transacted_date, posted_date, value_date, transaction_amount, transaction_type, debit, credit,
closing_balance, balance_type, reference_number, remarks, transaction_id, account_number, currency.
[statement_columns] in payrun.toml keeps it.`,
		examples: []string{"payrun statement import november.csv --account main", `payrun statement import nov.xlsx --account main --map "closing_balance=Bal (INR)"`},
		exits:    []int{exitCancelled, exitSheet, exitLocked, exitPerson, exitLedger},
		flags:    statementFlags(),
		least:    1, most: 1,
		usage: needs("account"),
		run:   p.with(importStatement),
	}
}

func statementFlags() []urfave.Flag {
	return []urfave.Flag{
		accountFlag("the debit account that the file is of, by `NAME_OR_ID`"),
		&urfave.StringFlag{Name: "format", Usage: "refuse the file unless it is `" + strings.Join(app.StatementFormats(), "|") + "`"},
		&urfave.StringSliceFlag{Name: "map", Usage: "read a column from another header, as in `\"closing_balance=Bal\"`; may be repeated"},
		&urfave.StringFlag{Name: "sheet-name", Usage: "the XLSX tab `NAME`"},
		&urfave.StringFlag{Name: "encoding", Usage: "of a CSV or MT940 that is not UTF-8: `windows-1252`"},
		&urfave.BoolFlag{Name: "day-first", Usage: "read 05/06/2026 as 5 June if no date of the file shows the order"},
	}
}

func importStatement(ctx context.Context, s *session, c *urfave.Context) error {
	r := app.StatementImport{
		Path: c.Args().First(), Account: c.String("account"), Format: strings.ToLower(c.String("format")), Tab: c.String("sheet-name"),
		Encoding: strings.ToLower(c.String("encoding")), DayFirst: c.Bool("day-first"),
	}
	if r.Format == "camt053" { // as it is often typed
		r.Format = "camt.053"
	}
	if r.Format != "" && !slices.Contains(app.StatementFormats(), r.Format) {
		return usage("--format %s: want one of %s", ledger.Plain(r.Format), strings.Join(app.StatementFormats(), ", "))
	}
	if r.Encoding != "" && r.Encoding != "windows-1252" {
		return usage("--encoding %s: only windows-1252 has to be named; UTF-8 and UTF-16 are recognised", ledger.Plain(r.Encoding))
	}
	var err error
	if r.Map, err = columnMap(c.StringSlice("map")); err != nil {
		return err
	}
	var got app.ImportedStatement
	do := func() (err error) {
		got, err = s.app.ImportStatement(ctx, s.call, r)
		return err
	}
	err = s.confirmed(ctx, do, func(*app.NeedsConfirmation) error {
		r.Sure = true
		return do()
	})
	if err != nil && app.Worst(err).Code != app.StatementRefused {
		return err
	}
	return errors.Join(s.writeStatement(&got), err)
}

// readingName is the name of a reading; "" where nothing was recorded.
func readingName(no int64) string {
	if no == 0 {
		return ""
	}
	return ledger.ReadingName(no)
}

// writeStatement writes what a file brought, or why it was refused.
func (s *session) writeStatement(got *app.ImportedStatement) error {
	if s.term.JSON {
		d := doc.ImportedStatement{
			File:    doc.StatementFile{Name: got.Name, SHA256: got.SHA256, Format: got.Format, Tab: got.Tab},
			Account: got.Account.Name, BankAccountID: got.Account.BankAccountID, From: got.From, To: got.To, Opening: got.Opening, Closing: got.Closing,
			Reading: readingName(got.Reading), Entries: doc.StatementSides{Debits: got.Debits, Credits: got.Credits}, New: got.New, Known: got.Known, Findings: got.Findings,
		}
		if d.Findings == nil {
			d.Findings = []ledger.Finding{}
		}
		return s.document("payrun.statement/v1", d)
	}
	if got.Refused() {
		s.showFindings(got.Findings)
		return nil
	}
	s.nextIs(app.Do("reconcile"))
	t := s.term.Table(term.Columns{ledger.Plain(got.Name), "Count", "Total"}, 2, 3)
	t.Row("opening balance", "", got.Opening.Rupees())
	t.Row("debits", ledger.Grouped(got.Debits.Count), got.Debits.Total.Rupees())
	t.Row("credits", ledger.Grouped(got.Credits.Count), got.Credits.Total.Rupees())
	t.Row("closing balance", "", got.Closing.Rupees())
	t.Render()
	s.term.Resultf("%s: %s, %s to %s: %s new, %s known before", ledger.ReadingName(got.Reading), ledger.Plain(got.Account.Name), got.From, got.To,
		ledger.Counted(got.New, "entry", "entries"), ledger.Grouped(got.Known))
	s.showFindings(got.Findings)
	return nil
}
