package cli

import (
	"context"
	"slices"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) statusCommand() command {
	return command{
		name: "status", args: "[ID]",
		brief: "show the batches and the payouts by state, or the story of one sheet, batch or payout",
		long: `Without ID it shows every batch that is not final (--verbose: all), and the payouts by state. ID is a
sheet, a batch, a sheet's file name or a payout's whole reference; then it tells what happened to it, in
order. For a payout it shows each attempt, when it was approved, submitted and paid, its locks, and its
entries on statements. --verbose has the whole log, and --watch refreshes every 5 s. The bank is not
asked.`,
		examples: []string{"payrun status", "payrun status INV-17", "payrun status november.csv", "payrun status --watch", "payrun status --json"},
		exits:    []int{exitLedger},
		flags:    []urfave.Flag{&urfave.BoolFlag{Name: "watch", Usage: "refresh every 5 s until you stop it"}},

		untilStopped: true,
		run:          p.with(status),
	}
}

// watchEvery is the interval of --watch.
const watchEvery = 5 * time.Second

func status(ctx context.Context, s *session, c *urfave.Context) error {
	if !c.Bool("watch") {
		return s.status(ctx, c.Args().First())
	}
	for {
		if s.term.Out.Terminal() && !s.term.JSON {
			s.term.Linef("\x1b[H\x1b[2J") // clears the screen
		}
		if err := s.status(ctx, c.Args().First()); err != nil {
			return err
		}
		s.term.Last(s.last)
		s.last = ""
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchEvery):
		}
	}
}

func (s *session) status(ctx context.Context, word string) error {
	if word != "" {
		return s.story(ctx, word)
	}
	found, err := s.app.Status(ctx, s.call)
	if err != nil {
		return err
	}
	if s.term.JSON {
		out := doc.Status{Batches: statusLines(found), Payouts: map[ledger.PayoutState]ledger.Tally{}, DisputedEarlier: found.EarlierDisputes()}
		for _, state := range ledger.PayoutStates {
			out.Payouts[state] = found.Payouts[state]
		}
		out.Held, out.Open = found.HeldAndOpen()
		return s.document("payrun.status/v1", out)
	}
	s.showBatches(found)
	s.showTallies(found.Payouts)
	if earlier := found.EarlierDisputes(); earlier.Count > 0 {
		s.term.Resultf("Besides, an earlier attempt is disputed: %s (%s).", ledger.CountedPayouts(earlier.Count), earlier.Total.Rupees())
	}
	s.nextIs(found.Next...)
	if len(found.Batches) == 0 {
		s.nextIs(firstSheet())
	}
	return nil
}

// statusLines returns the documents of batches, each with what it needs.
func statusLines(found app.Status) []ledger.BatchStatus {
	return doc.Each(found.Batches, func(b ledger.Batch) ledger.BatchStatus { return b.Status(found.Asks(b)) })
}

func (s *session) showBatches(found app.Status) {
	all := found.Batches
	if !s.term.Verbose {
		all = slices.DeleteFunc(slices.Clone(all), func(b ledger.Batch) bool { return found.Asks(b) == ledger.NeedsNothing })
	}
	if over := len(found.Batches) - len(all); over > 0 {
		defer s.term.Resultf("%s over (--verbose shows all).\n", ledger.Counted(over, "batch is", "batches are"))
	}
	if len(all) == 0 {
		return
	}
	t := s.term.Table(term.Columns{"Batch", "Sheet", "Account", "Bank", "Payouts", "Total", "State", "Since", "Note"}, 4, 5, 6).Notes().Spare(2, 4, 8)
	showList(s, t, all, shownBatches, "batches", func(b ledger.Batch) {
		t.Row(ledger.ShortID(b.ID), ledger.ShortID(b.SheetID), s.set.AccountName(b.BankAccountID), b.PartnerBankID, b.Count, b.Total.Rupees(),
			s.term.Paint(stateColor(b.State), b.State.Words()), s.set.Clock(b.StateSince), b.Note)
	})
	s.term.Resultf("")
}

func (s *session) showTallies(tallies map[ledger.PayoutState]ledger.Tally) {
	t := s.term.Table(term.Columns{"Payouts", "Count", "Total"}, 2, 3).None("The ledger holds no payouts.")
	var sum ledger.Tally
	for _, state := range ledger.PayoutStates {
		tally := tallies[state]
		if tally.Count == 0 {
			continue
		}
		t.Row(state.Words(), tally.Count, tally.Total.Rupees())
		sum = sum.Plus(tally)
	}
	t.Footer("all", sum.Count, sum.Total.Rupees())
	t.Render()
}

func stateColor(s ledger.BatchState) term.Color {
	switch s {
	case ledger.BatchSettled:
		return term.Good
	case ledger.BatchQuarantined, ledger.BatchRefused, ledger.BatchSubmitUnknown, ledger.BatchInitiateUnknown:
		return term.Bad
	case ledger.BatchHeld, ledger.BatchSetAside:
		return term.Attend
	default:
		return term.Ordinary
	}
}

// firstSheet is the next step where there is no sheet yet.
func firstSheet() app.Hint {
	return app.Do("template").First("Check a sheet of your own (payrun check), or begin with an empty one.")
}
