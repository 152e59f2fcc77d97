package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) reconcileCommand() command {
	return command{
		name:  "reconcile",
		brief: "match sheet, interface and bank statement, and write the reports",
		long: `It polls, fetches the statements, and matches every debit and credit to a payout: by UTR, by reference,
then by amount, account and day. It never guesses between two equals. Imported statements count too: a
file can lock a payout and never releases one.`,
		examples: []string{"payrun reconcile", "payrun reconcile --since 2026-11-01 --until 2026-11-30 --json"},
		exits:    []int{exitCredentials, exitUnanswered, exitLocked, exitPerson, exitReturned, exitOpen, exitUnknown, exitMismatch, exitLedger},
		flags: []urfave.Flag{
			read("since", "fetch statements from this `DAY` (default: the days of open and recent payouts)", day),
			read("until", "up to this `DAY` (default: today)", day),
			&urfave.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write the reports into `DIR`"},
		},
		usage: func(c *urfave.Context) error {
			return inOrder(given[time.Time](c, "since"), given[time.Time](c, "until"))
		},
		run: p.with(reconcile),
	}
}

func reconcile(ctx context.Context, s *session, c *urfave.Context) error {
	req := app.ReconcileRequest{Since: given[time.Time](c, "since"), Until: given[time.Time](c, "until"), Dir: c.String("out")}
	done, err := s.app.Reconcile(ctx, s.call, req)
	if done == nil {
		return err
	}
	if s.term.JSON {
		return errors.Join(s.reconcileDocument(done), err)
	}
	s.showReconciled(done)
	return err
}

// reconcileDocument writes payrun.reconcile/v1: reconciliation.json without its lists of sheets and batches, and with
// the paths of all reports.
func (s *session) reconcileDocument(done *app.Reconciled) error {
	at := slices.IndexFunc(done.Reports, func(p string) bool { return strings.HasSuffix(p, ".json") })
	text, err := os.ReadFile(done.Reports[at])
	if err != nil {
		return err
	}
	d := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	d["reports"], err = json.Marshal(done.Reports)
	for _, listed := range []string{"schema", "sheets", "batches"} {
		delete(d, listed)
	}
	return errors.Join(err, s.document("payrun.reconcile/v1", d))
}

// showReconciled shows a line for each debit account, the days without a statement, and where the reports
// are.
func (s *session) showReconciled(done *app.Reconciled) {
	if r := done.Statements; r != nil {
		t := s.term.Table(term.Columns{"Account", "Paid or returned", "On the statement", "Others", "Unexplained"}, 2, 3, 4, 5)
		for _, a := range r.Accounts {
			t.Row(s.set.AccountName(a.BankAccountID), a.Sent.Count, a.Matched.Count, a.Others.Count, a.Unexplained.Rupees())
		}
		t.Render()
		s.term.Resultf("Statements: %s.", r.Ties().Words())
		for _, e := range r.Exceptions {
			if e.Kind == ledger.StatementNotAvailable {
				s.term.Resultf("%s: %s. %s", s.set.AccountName(e.BankAccountID), ledger.Plain(e.Detail), e.Kind.Row().Do)
			}
		}
	}
	for _, p := range done.Reports {
		if strings.HasSuffix(p, ".html") {
			s.term.Linef("wrote    %s", ledger.Plain(p))
			s.last = "Next: open " + ledger.Plain(p)
		}
	}
}
