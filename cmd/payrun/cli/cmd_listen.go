package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

func (p *program) listenCommand() command {
	return command{
		name: "listen", group: groupBank,
		brief: "poll when a webhook of the bank arrives",
		long: `It takes a POST of any form. The interface specifies neither the form nor a signature of a webhook, so
payrun believes and records nothing of it. If it names a batch of the ledger, payrun polls that batch.
While another run uses the ledger the poll waits. SIGINT or SIGTERM stops it, with exit 0. With --json it
prints its address, and a line payrun.poll/v1 for each poll.`,
		examples:     []string{"payrun listen --addr 127.0.0.1:8089", "payrun listen --addr 127.0.0.1:0 --json"},
		exits:        []int{exitCredentials, exitLedger},
		flags:        []urfave.Flag{&urfave.StringFlag{Name: "addr", Usage: "the `HOST:PORT` to listen on; port 0 takes a free one"}},
		usage:        needs("addr"),
		untilStopped: true,
		run:          p.with(listen),
	}
}

func listen(ctx context.Context, s *session, c *urfave.Context) error {
	ready := func(addr string) error {
		if !loopback(addr) {
			s.term.Warnf("it listens on %s, which other machines may reach: they can make payrun ask the bank, and nothing else", addr)
		}
		if s.term.JSON {
			return s.document("payrun.listen/v1", map[string]any{"addr": addr})
		}
		s.term.Resultf("Listening on http://%s (stop it with Ctrl-C)", addr)
		return nil
	}
	h, err := s.app.Hints(ctx, s.call)
	if err != nil {
		return err
	}
	return s.serveHints(ctx, c.String("addr"), h, ready, s.polled)
}

// polled shows the result of a poll that a webhook began. Open or failed payouts are what polling is
// for, and end nothing.
func (s *session) polled(work *app.Work, err error) {
	if work != nil && s.term.JSON {
		_ = s.document("payrun.poll/v1", doc.Outcomes{Batches: app.Outcomes(work.Results)})
	} else if work != nil {
		s.showResults(work.Results)
	}
	if worst := app.Worst(err); worst != nil && work == nil {
		s.term.Warnf("%s", ledger.Plain(worst.What))
	}
}
