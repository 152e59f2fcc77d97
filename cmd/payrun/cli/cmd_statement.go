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
		name: "statement", args: "[NAME_OR_ID]", group: groupBank,
		brief: "show, import, void or explain bank statements",
		long: `If one debit account is configured, it needs no name. Without --since it shows the last 30 days. payrun
fetches the days in windows of at most 30 days; --json has a line a window. The bank can find its answer
by the request id. Partner bank 8 only announces a statement, and the interface does not show how to
fetch it: the answer is the request id.`,
		examples: []string{"payrun statement main", "payrun statement --account main --since 2026-11-01 --until 2026-11-30", "payrun statement --account main --since 2026-11-01 --json"},
		exits:    exitsAtBank,
		flags: []urfave.Flag{
			accountFlag("the debit account, by `NAME_OR_ID`"),
			&urfave.StringFlag{Name: "since", Aliases: []string{"from"}, Usage: "the first `DAY`, as 2026-11-30 (default: 30 days ending with --until)"},
			&urfave.StringFlag{Name: "until", Aliases: []string{"to"}, Usage: "the last `DAY` (default: today)"},
			&urfave.StringFlag{Name: "sub-merchant-id", Usage: "of the sub-merchant `ID` (default: the one of payrun.toml)"},
		},
		most: 1,
		usage: func(c *urfave.Context) error {
			if c.NArg() > 0 && c.IsSet("account") {
				return usage("name the debit account once: %s, or --account", ledger.Plain(c.Args().First()))
			}
			return nil
		},
		run: p.with(showStatement),
		sub: []command{p.statementImportCommand(), p.statementListCommand(), p.statementVoidCommand(), p.statementExplainCommand()},
	}
}

func showStatement(ctx context.Context, s *session, c *urfave.Context) error {
	to, err := dayFlag(c, "until", s.world.Now().In(s.set.Timezone.At))
	if err != nil {
		return err
	}
	from, err := dayFlag(c, "since", app.StatementSince(to))
	if err != nil {
		return err
	}
	if to.Before(from) {
		return usage("--until %s is before --since %s", to.Format(time.DateOnly), from.Format(time.DateOnly))
	}
	windows, err := s.app.Statement(ctx, s.call, app.StatementRequest{
		SubMerchantID: c.String("sub-merchant-id"), Account: cmp.Or(c.Args().First(), c.String("account")), From: from, To: to,
	})
	if s.term.JSON {
		for _, w := range windows {
			line := doc.NewStatement(w.BankAccountID, w.From, w.To, w.RequestIDs, w.Entries, w.Pending || w.Other, w.Payouts)
			err = errors.Join(err, s.document("", line))
		}
		return err
	}
	for _, w := range windows {
		s.showWindow(w)
	}
	return err
}

// dayFlag reads a day, at its beginning in UTC.
func dayFlag(c *urfave.Context, name string, unset time.Time) (time.Time, error) {
	if !c.IsSet(name) {
		return time.Date(unset.Year(), unset.Month(), unset.Day(), 0, 0, 0, 0, time.UTC), nil
	}
	at, err := time.Parse(time.DateOnly, c.String(name))
	if err != nil {
		return at, usage("--%s %s: want a day such as 2026-11-30", name, ledger.Plain(c.String(name)))
	}
	return at, nil
}

func (s *session) showWindow(w app.StatementWindow) {
	s.term.Resultf("%s to %s", w.From.Format(time.DateOnly), w.To.Format(time.DateOnly))
	for _, id := range w.RequestIDs {
		s.term.Resultf("request_id %s", ledger.Plain(id))
	}
	switch {
	case w.Pending:
		s.term.Resultf("The bank prepares it, and calls its webhook when it is ready. How it is fetched then is not known.")
	case w.Other:
		s.term.Resultf("The bank answered with %s in place of movements (--json shows them).", ledger.CountedPayouts(len(w.Payouts)))
	case len(w.Entries) == 0:
		s.term.Resultf("Nothing moved.")
	default:
		s.showEntries(w.Entries)
	}
}

func (s *session) showEntries(entries []ledger.StatementEntry) {
	t := s.term.Table(term.Columns{"Day", "Reference", "Amount", "Balance"}, 3, 4)
	shown := head(entries, s.term.Most(shownPayouts))
	for _, e := range shown {
		amount := "+" + e.Amount.Rupees()
		if e.Debit {
			amount = "−" + e.Amount.Rupees()
		}
		day, _, _ := strings.Cut(e.Transacted, " ")
		t.Row(day, ledger.Plain(e.Reference), amount, e.Closing.Rupees())
	}
	t.Render()
	s.showLeft(len(entries)-len(shown), "")
}
