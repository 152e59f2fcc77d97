package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) statementCommand() command {
	return command{
		name: "statement", args: "[NAME_OR_ID]",
		brief: "show, import, void or explain bank statements",
		long: `If one debit account is configured, it needs no name. Without --since it shows the last 30 days. payrun
fetches the days in windows of at most 30 days; --json has a line a window. The bank can find its answer
by the request id. Partner bank 8 only announces a statement, and the interface does not show how to
fetch it: the answer is the request id.`,
		examples: []string{"payrun statement main", "payrun statement --account main --since 2026-11-01 --until 2026-11-30", "payrun statement --account main --since 2026-11-01 --json"},
		exits:    exitsAtBank,
		flags: []urfave.Flag{
			accountFlag("the debit account, by `NAME_OR_ID`"),
			read("since", "the first `DAY`, as 2026-11-30 (default: 30 days ending with --until)", day, "from"),
			read("until", "the last `DAY` (default: today)", day, "to"),
			&urfave.StringFlag{Name: "sub-merchant-id", Usage: "of the sub-merchant `ID` (default: the one of payrun.toml)"},
		},
		usage: func(c *urfave.Context) error {
			return usageIf(c.NArg() > 0 && c.IsSet("account"), "name the debit account once: %s, or --account", ledger.Plain(c.Args().First()))
		},
		run: p.with(showStatement),
		sub: []command{
			{
				name: "import", args: "FILE",
				brief: "import a statement file of the bank",
				long: `CSV and XLSX are read by their columns (a date, the amounts and a balance), camt.053 (.001.02 to .10)
and MT940 as their formats say. The contents decide which it is, never the name. The opening balance and
the entries must give the closing balance, line by line where the file shows a balance on each, or
nothing is recorded. A file that begins in the middle of a day that is known must begin where the day
began or where the last one ended. Account numbers in the remarks are masked before they are recorded.
The bank is asked nothing.

The account number in the file must be account_number in payrun.toml, or end like the bank listed the
account; where the file shows none, or neither is known, it says so and wants --yes. Where no date shows
whether the day or the month comes first, --day-first says that the day does. --map names a column by
the interface's word for it: transacted_date, posted_date, value_date, transaction_amount,
transaction_type, debit, credit, closing_balance, balance_type, reference_number, remarks,
transaction_id, account_number, currency.`,
				examples: []string{"payrun statement import november.csv --account main", `payrun statement import nov.xlsx --account main --map "closing_balance=Bal (INR)"`},
				exits:    []int{exitCancelled, exitSheet, exitLocked, exitPerson, exitLedger},
				flags: []urfave.Flag{
					accountFlag("the debit account that the file is of, by `NAME_OR_ID`"),
					read("format", "refuse the file unless it is `"+strings.Join(app.StatementFormats(), "|")+"`", oneOf(app.StatementFormats()...)),
					mapFlag("read a column from another header, as in `\"closing_balance=Bal\"`; may be repeated"),
					&urfave.StringFlag{Name: "sheet-name", Usage: "the XLSX tab `NAME`"},
					encodingFlag("of a CSV or MT940 that is not UTF-8: `windows-1252`"),
					&urfave.BoolFlag{Name: "day-first", Usage: "read 05/06/2026 as 5 June if no date of the file shows the order"},
				},
				needs: []string{"account"},
				run:   p.with(importStatement),
			},
			{
				name: "list", brief: "list the readings of statements",
				long: `Each reading of a statement has a name: R1, R2, … as recorded. Its entries are R3.1, R3.2, … in the
order of the statement, oldest first. --json has a line a reading.`,
				examples: []string{"payrun statement list", "payrun statement list --account main --json"},
				exits:    []int{exitLedger},
				flags:    []urfave.Flag{accountFlag("of the debit account, by `NAME_OR_ID` (default: of all)")},
				run:      p.with(listStatements),
			},
			{
				name: "void", args: "READING", brief: "take back a wrong file, as two people",
				long: `A file that is of another account, or wrong, no longer counts once two people have said so, each with
the same command, at most 72 hours apart. What it matched is matched again without it, and the audit
trail keeps it. The bank's own statement is never void, nor a file with a debit that carries one of our
references or UTRs.`,
				examples: []string{`payrun statement void R3 --reason "statement of another account"`},
				exits:    []int{exitCancelled, exitLocked, exitPerson, exitLedger},
				flags:    []urfave.Flag{&urfave.StringFlag{Name: "reason", Usage: "`TEXT` for the audit trail"}},
				needs:    []string{"reason"},
				run:      p.with(voidStatement),
			},
			{
				name: "explain", args: "ENTRY...", brief: "explain whose entries of a statement are, as two people",
				long: `A debit that could be a payout's locks the payout until it is known whose it is. Two people can say so,
each with the same command, at most 72 hours apart: a payout's (--ref), or, without --ref, that it is no
payout of payrun. A debit that carries one of our references or UTRs cannot be explained away.`,
				examples: []string{`payrun statement explain R3.17 --reason "rent, paid at the portal"`, `payrun statement explain R3.17 R3.18 --ref INV-17 --reason "two instalments"`},
				exits:    []int{exitCancelled, exitLocked, exitPerson, exitLedger},
				flags: []urfave.Flag{
					&urfave.StringFlag{Name: "ref", Usage: "the entries belong to the payout with this `REFERENCE`"},
					&urfave.StringFlag{Name: "reason", Usage: "`TEXT` for the audit trail"},
				},
				needs: []string{"reason"},
				usage: func(c *urfave.Context) error {
					return usageIf(c.NArg() > mostExplained, "payrun statement explain takes no more than %d entries", mostExplained)
				},
				run: p.with(explainStatement),
			},
		},
	}
}

// mostExplained is how many entries one decision is about.
const mostExplained = 100

func showStatement(ctx context.Context, s *session, c *urfave.Context) error {
	year, month, today := s.world.Now().In(s.set.Timezone.At).Date()
	to := cmp.Or(given[time.Time](c, "until"), time.Date(year, month, today, 0, 0, 0, 0, time.UTC))
	from := cmp.Or(given[time.Time](c, "since"), app.StatementSince(to))
	if err := inOrder(from, to); err != nil {
		return err
	}
	windows, err := s.app.Statement(ctx, s.call, app.StatementQuery{
		SubMerchantID: c.String("sub-merchant-id"), BankAccountID: cmp.Or(c.Args().First(), c.String("account")), From: from, To: to,
	})
	for _, w := range windows {
		s.showWindow(w)
		err = errors.Join(err, s.document("", doc.NewStatement(w.StatementRead, w.Payouts)))
	}
	return err
}

// inOrder refuses a last day before the first. A zero time is no limit.
func inOrder(since, until time.Time) error {
	return usageIf(!until.IsZero() && until.Before(since), "--until %s is before --since %s", until.Format(time.DateOnly), since.Format(time.DateOnly))
}

func (s *session) showWindow(w app.StatementWindow) {
	s.term.Resultf("%s to %s", w.From, w.To)
	for _, id := range w.RequestIDs {
		s.term.Resultf("request_id %s", ledger.Plain(id))
	}
	switch {
	case w.Shape == ledger.ShapePending:
		s.term.Resultf("The bank prepares it, and calls its webhook when it is ready. How it is fetched then is not known.")
	case w.Shape == ledger.ShapeOther:
		s.term.Resultf("The bank answered with %s in place of movements (--json shows them).", ledger.CountedPayouts(len(w.Payouts)))
	default:
		t := s.term.Table(term.Columns{"Day", "Reference", "Amount", "Balance"}, 3, 4).None("Nothing moved.")
		showList(s, t, w.Entries, shownPayouts, "", func(e ledger.StatementEntry) {
			day, _, _ := strings.Cut(e.Transacted, " ")
			t.Row(day, e.Reference, either(e.Debit, "−", "+")+e.Amount.Rupees(), e.Closing.Rupees())
		})
	}
}

func importStatement(ctx context.Context, s *session, c *urfave.Context) error {
	r := app.StatementImport{
		Path: c.Args().First(), Account: c.String("account"),
		StatementOptions: app.StatementOptions{
			Format: given[string](c, "format"), Tab: c.String("sheet-name"),
			Encoding: given[string](c, "encoding"), DayFirst: c.Bool("day-first"), Map: given[map[string]string](c, "map"),
		},
	}
	do := func() (app.ImportedStatement, error) { return s.app.ImportStatement(ctx, s.call, r) }
	got, err := confirmed(ctx, s, do, func(*app.NeedsConfirmation) { r.Sure = true })
	if err != nil && app.Worst(err).Code != app.StatementRefused {
		return err
	}
	return errors.Join(s.writeStatement(&got), err)
}

// writeStatement writes what was imported from a file, or why it was refused.
func (s *session) writeStatement(got *app.ImportedStatement) error {
	recorded := got.Reading != 0
	if recorded {
		t := s.term.Table(term.Columns{ledger.Plain(got.Name), "Count", "Total"}, 2, 3)
		t.Row("opening balance", "", got.Opening.Rupees())
		t.Row("debits", ledger.Grouped(got.Debits.Count), got.Debits.Total.Rupees())
		t.Row("credits", ledger.Grouped(got.Credits.Count), got.Credits.Total.Rupees())
		t.Row("closing balance", "", got.Closing.Rupees())
		t.Render()
		s.term.Resultf("%s: %s, %s to %s: %s new, %s known before", ledger.ReadingName(got.Reading), ledger.Plain(got.Account.Name), got.From, got.To,
			ledger.Counted(got.New, "entry", "entries"), ledger.Grouped(got.Repeated))
	}
	s.showFindings(got.Findings)
	if recorded {
		s.maySay(app.Do("reconcile"))
	}
	return s.document("payrun.statement/v1", doc.ImportedStatement{
		File:    doc.StatementFile{Name: got.Name, SHA256: got.SHA256, Format: got.Format, Tab: got.Tab},
		Account: got.Account.Name, BankAccountID: got.Account.BankAccountID, From: got.From, To: got.To, Opening: got.Opening, Closing: got.Closing,
		Reading: ledger.ReadingName(got.Reading), Entries: doc.StatementSides{Debits: got.Debits, Credits: got.Credits}, New: got.New, Repeated: got.Repeated,
		Findings: doc.List(got.Findings),
	})
}

func listStatements(ctx context.Context, s *session, c *urfave.Context) error {
	list, err := s.app.Readings(ctx, s.call, c.String("account"))
	if err != nil {
		return err
	}
	t := s.term.Table(term.Columns{"Reading", "Account", "From", "To", "Entries", "Closing", "Source", "On record"}, 5, 6).Notes().Spare(7)
	empty := 0
	for _, k := range list {
		if k.Shape != ledger.ShapeEntries {
			empty++
			continue
		}
		closing, source := "", either(k.Source == ledger.FromFile, k.FileName, "the bank")+either(k.Void.IsZero(), "", ", void")
		if k.Closing != nil {
			closing = k.Closing.Rupees()
		}
		t.Row(ledger.ReadingName(k.No), s.set.AccountName(k.BankAccountID), k.From, k.To, ledger.Grouped(k.Lines), closing, source, s.set.Clock(k.At))
	}
	t.Render()
	if empty > 0 {
		s.term.Resultf("%s of the bank gave no statement; --json lists these too.", ledger.Counted(empty, "answer", "answers"))
	}
	return lines(s.program, "", doc.Each(list, func(k ledger.KeptStatement) doc.Reading { return doc.NewReading(k, s.set.AccountName(k.BankAccountID)) }))
}

func voidStatement(ctx context.Context, s *session, c *urfave.Context) error {
	return s.sayOfStatement(ctx, func(sure bool) (ledger.StatementDecision, error) {
		return s.app.VoidReading(ctx, s.call, c.Args().First(), strings.TrimSpace(c.String("reason")), sure)
	})
}

func explainStatement(ctx context.Context, s *session, c *urfave.Context) error {
	return s.sayOfStatement(ctx, func(sure bool) (ledger.StatementDecision, error) {
		return s.app.ExplainEntries(ctx, s.call, c.Args().Slice(), c.String("ref"), strings.TrimSpace(c.String("reason")), sure)
	})
}

// sayOfStatement records a person's decision about a statement after they have answered y.
func (s *session) sayOfStatement(ctx context.Context, do func(sure bool) (ledger.StatementDecision, error)) error {
	sure := false
	d, err := confirmed(ctx, s, func() (ledger.StatementDecision, error) { return do(sure) }, func(*app.NeedsConfirmation) { sure = true })
	if d.No == 0 || err != nil && app.Worst(err).Code != app.NeedsPerson {
		return err
	}
	word := doc.StatementWord{Kind: d.Kind, Reading: ledger.ReadingName(d.Reading), Entries: doc.Each(d.Entries, ledger.EntryRef.String), Ref: d.Ref, Holds: d.First != 0}
	if word.Holds {
		s.term.Resultf("Two people said so: the statements were matched again.")
		s.maySay(app.Do("reconcile"))
	} else {
		word.Until = ledger.Instant(d.Until())
	}
	return errors.Join(s.document("payrun.statement_word/v1", word), err)
}

// showStatementLines shows the entries that a person decides about.
func (s *session) showStatementLines(shown *app.StatementToConfirm) {
	for _, l := range shown.Lines {
		s.term.Errorf("  %s: %s %s of %s: %s", l.Ref, l.Day, ledger.Direction(l.Debit), l.Amount.Rupees(), ledger.Plain(strings.TrimSpace(ledger.MaskRemarks(l.Reference, func(string) bool { return false })+" "+l.Remarks)))
	}
}
