package cli

import (
	"bufio"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	urfave "github.com/urfave/cli/v2"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

func (a *app) payoutsCommand() command {
	return command{
		name: "payouts", group: groupView,
		brief:    "list payouts with their latest attempt",
		examples: []string{"payrun payouts --state failed,returned", "payrun payouts --search INV-17 --attempts --json"},
		exits:    []int{exitLedger},
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "sheet", Usage: "of the sheet `ID`"},
			&urfave.StringFlag{Name: "batch", Usage: "of the batch `ID`"},
			&urfave.StringSliceFlag{Name: "state", Usage: "in `STATE`; several with commas"},
			&urfave.StringFlag{Name: "search", Usage: "with `TEXT` in reference, payee or UTR"},
			&urfave.BoolFlag{Name: "attempts", Usage: "a line an attempt"},
		},
		run: a.ledgerAction(sqlite.ReadOnly, listPayouts),
	}
}

// payoutLine is one payout as `payouts --json` prints it.
type payoutLine struct {
	Ref               string             `json:"ref"`
	WireRef           string             `json:"wire_ref"`
	Attempt           int                `json:"attempt"`
	Row               int                `json:"row"`
	SheetID           string             `json:"sheet_id"`
	BatchID           string             `json:"batch_id"`
	Amount            ledger.Paise       `json:"amount"`
	State             ledger.PayoutState `json:"state"`
	Status            string             `json:"status"`
	BankStatusCode    string             `json:"bank_status_code"`
	OpenTxnID         string             `json:"open_txn_id"`
	BankTxnRefID      string             `json:"bank_txn_ref_id"`
	VendorName        string             `json:"vendor_name"`
	BankAccountNumber string             `json:"bank_account_number"`
	IFSC              string             `json:"ifsc"`
	Remarks           string             `json:"remarks"`
	Reason            string             `json:"reason"`
	UpdatedAt         string             `json:"updated_at"`
}

func newPayoutLine(at ledger.Attempt) payoutLine {
	return payoutLine{
		at.Ref, at.WireRef, at.Number, at.Row, at.SheetID, at.BatchID, at.Amount, at.State, at.Status, at.BankStatusCode,
		at.OpenTxnID, at.BankTxnRefID, at.VendorName, ledger.Mask(at.BankAccountNumber), at.IFSC, at.Remarks, at.Reason,
		instant(at.UpdatedAt),
	}
}

// instant is a time for programs.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// errEnough ends a listing that nobody reads on.
var errEnough = errors.New("enough")

func listPayouts(ctx context.Context, d *desk, c *urfave.Context) error {
	f, err := payoutFilter(c)
	if err != nil {
		return err
	}
	if d.flags.json {
		return d.payoutLines(ctx, f)
	}
	t := d.newTable(table.Row{"Reference", "Row", "Payee", "Account", "Amount", "State", "UTR", "Batch", "Reason"}, 2, 5)
	shown, all, limit := 0, ledger.Tally{}, d.most(shownPayouts)
	err = d.store.EachPayout(ctx, f, func(at ledger.Attempt) error {
		all.Add(at.Amount)
		if shown == limit {
			return nil
		}
		shown++
		t.AppendRow(table.Row{plain(at.WireRef), at.Row, plain(at.VendorName), ledger.Mask(at.BankAccountNumber), rupees(at.Amount),
			string(at.State), plain(at.BankTxnRefID), at.BatchID, plain(at.Reason)})
		return nil
	})
	if err != nil {
		return err
	}
	if all.Count == 0 {
		d.show("No payout matches.")
		return nil
	}
	t.AppendFooter(table.Row{"all", "", "", "", rupees(all.Total), payouts(all.Count)})
	t.Render()
	if left := all.Count - shown; left > 0 {
		d.show("… and %d more payouts (--verbose shows all; payrun report writes them to a file)", left)
	}
	return nil
}

// shownPayouts is how many payouts a table shows without --verbose.
const shownPayouts = 50

func payoutFilter(c *urfave.Context) (ledger.Filter, error) {
	f := ledger.Filter{SheetID: c.String("sheet"), BatchID: c.String("batch"), Search: c.String("search"), Attempts: c.Bool("attempts")}
	for _, given := range c.StringSlice("state") {
		for _, word := range strings.Split(given, ",") {
			state := ledger.PayoutState(strings.TrimSpace(word))
			if !slices.Contains(ledger.PayoutStates[:], state) {
				return f, usage("--state %s is no state of a payout", plain(word)).hint("the states are %s", join(ledger.PayoutStates[:]))
			}
			f.States = append(f.States, state)
		}
	}
	return f, nil
}

func join[T ~string](words []T) string {
	var out []string
	for _, w := range words {
		out = append(out, string(w))
	}
	return strings.Join(out, ", ")
}

// payoutLines streams JSON lines, and stops when nobody reads them.
func (d *desk) payoutLines(ctx context.Context, f ledger.Filter) error {
	w := bufio.NewWriterSize(d.out, 64<<10)
	err := d.store.EachPayout(ctx, f, func(at ledger.Attempt) error {
		line, err := jsonLine(newPayoutLine(at))
		if err != nil {
			return err
		}
		_, _ = w.Write(append(line, '\n'))
		if d.out.gone() {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return errors.Join(err, w.Flush())
}
