package cli

import (
	"context"
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) payoutsCommand() command {
	return command{
		name:  "payouts",
		brief: "list payouts with their latest attempt",
		long: `It lists all payouts of the ledger, or those that match every flag. The reference is the one that the
bank has. payrun explain STATE explains a state, and payrun status REFERENCE shows the history of one
payout. The bank is not asked.`,
		examples: []string{"payrun payouts --state failed,returned", "payrun payouts --search INV-17 --attempts --json"},
		exits:    []int{exitLedger},
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "sheet", Usage: "of the sheet `ID`"},
			&urfave.StringFlag{Name: "batch", Usage: "of the batch `ID`"},
			stateFlag(),
			&urfave.StringFlag{Name: "search", Usage: "with `TEXT` in reference, payee or UTR"},
			&urfave.BoolFlag{Name: "attempts", Usage: "one line an attempt"},
		},
		run: p.with(listPayouts),
	}
}

func listPayouts(ctx context.Context, s *session, c *urfave.Context) error {
	f := ledger.Filter{SheetID: c.String("sheet"), BatchID: c.String("batch"), States: given[[]ledger.PayoutState](c, "state"), Find: ledger.Mentioning(c.String("search")), Attempts: c.Bool("attempts")}
	look := func(each app.EachPayout) error { return s.app.Payouts(ctx, s.call, f, each) }
	return s.writePayouts(look, f.Attempts)
}

// writePayouts writes the payouts that look passes on. With attempts, each entry is an attempt, and the
// attempts of a payout follow one another; a payout counts once in the total, with its latest amount.
func (s *session) writePayouts(look func(app.EachPayout) error, attempts bool) error {
	if s.term.JSON {
		return look(func(row app.PayoutRow) error { return s.line(doc.NewPayout(row.Attempt, row.Asks)) })
	}
	t := s.term.Table(term.Columns{"Reference", "Row", "Payee", "Account", "Amount", "State", "UTR", "Batch", "Reason"}, 2, 5).Notes().Spare(2, 8, 4, 7, 3).Names(3).None("No payout matches.")
	shown, entries, all := 0, 0, ledger.Tally{}
	var before app.PayoutRow
	err := look(func(at app.PayoutRow) error {
		if entries++; attempts && entries > 1 && at.ID == before.ID {
			all.Count, all.Total = all.Count-1, all.Total-before.Amount
		}
		before = at
		all.Add(at.Amount)
		if shown == shownPayouts && !s.term.Verbose {
			return nil
		}
		shown++
		t.Row(at.WireRef, at.Row, at.VendorName, ledger.Mask(at.BankAccountNumber), at.Amount.Rupees(),
			at.State.Words(), at.BankTxnRefID, ledger.ShortID(at.BatchID), at.Reason)
		return nil
	})
	if err != nil {
		return err
	}
	more := either(attempts && entries > all.Count, ", "+ledger.Counted(entries, "attempt", "attempts"), "")
	t.Footer("all", "", "", "", all.Total.Rupees(), ledger.CountedPayouts(all.Count)+more)
	t.Render()
	if left := entries - shown; left > 0 {
		s.term.Resultf("… and %d more (--verbose shows all; payrun report writes them to a file)", left)
	}
	return nil
}

// shownPayouts is how many payouts a table shows without --verbose.
const shownPayouts = 50

// stateFlag filters by state. It may be repeated.
func stateFlag() urfave.Flag {
	var all []ledger.PayoutState
	return read("state", "in `STATE`; separate several with commas", func(text string) ([]ledger.PayoutState, error) {
		for word := range strings.SplitSeq(text, ",") {
			word, before := strings.TrimSpace(word), len(all)
			for _, s := range ledger.PayoutStates {
				if word == string(s) || strings.EqualFold(word, s.Words()) { // as stored, or as shown
					all = append(all, s)
				}
			}
			if len(all) == before {
				return nil, fmt.Errorf("the states are %s", join(ledger.PayoutStates[:]))
			}
		}
		return all, nil
	})
}

func join[T ~string](words []T) string {
	return strings.Join(doc.Each(words, func(w T) string { return string(w) }), ", ")
}

// line writes one of many JSON lines. It returns ErrEnough when the reader has left.
func (s *session) line(v any) error {
	if s.term.Out.Gone() {
		return app.ErrEnough
	}
	return s.document("", v)
}
