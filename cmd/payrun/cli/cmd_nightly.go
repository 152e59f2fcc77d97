package cli

import (
	"cmp"
	"context"
	"errors"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

func (p *program) nightlyCommand() command {
	return command{
		name:  "nightly",
		brief: "for cron: load the sheets of the inbox, poll, reconcile, report",
		long: `It loads the files of nightly.inbox that have not changed for 30 s, and moves them to nightly.archive,
or with the reasons to nightly.rejected. The same content again is no error. Then it polls, reconciles
with the bank's statements and, if something changed, writes the reports. It initiates nothing unless
nightly.initiate is true, and then only what needs no person. If a person is needed, also for a planned
batch, it prints a line for each matter; otherwise it is silent and ends with 0. --log-format logs each
step. payrun help cron has a cron line and systemd units. payrun doctor --nightly checks the setup.`,
		examples: []string{"payrun nightly", "payrun nightly --budget 30m --lock-timeout 10m --log-format json"},
		exits:    []int{exitCredentials, exitUnanswered, exitSheet, exitLocked, exitPerson, exitReturned, exitOpen, exitUnknown, exitMismatch, exitLedger},
		flags:    []urfave.Flag{read("budget", "start nothing after `DURATION`; the next night does the rest", span(1))},
		run:      p.with(nightly),
	}
}

// defaultBudget ends a night well before the next one.
const defaultBudget = time.Hour

func nightly(ctx context.Context, s *session, c *urfave.Context) error {
	s.call.Progress = logged{program: s.program}
	done, err := s.app.Nightly(ctx, s.call, app.NightlyRequest{Budget: cmp.Or(given[time.Duration](c, "budget"), defaultBudget), Exit: exitOf})
	return errors.Join(err, s.document("payrun.nightly/v1", done))
}

// logged is progress without a person: it writes to the log only.
type logged struct {
	app.Silence
	*program
}

func (l logged) Step(batchID, text string) {
	of := either(batchID == "", nil, []any{"batch", batchID})
	l.log.Info(ledger.Plain(text), of...)
}

func (l logged) Warn(text string) { l.log.Warn(ledger.Plain(text)) }
