package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

func (p *program) deskCommand() command {
	return command{
		name:  "desk",
		brief: "start the web interface",
		long: `People log in and upload, review, approve, initiate and submit, each by role (payrun help people). While
there are no people, it prints a link for the first person, who is admin; it works once, for ten minutes.
Each page names the command that does the same. The desk also polls the bank (--no-poll leaves that to
payrun poll).

It listens on this machine only. Another address needs --cert and --key, and --public-host: the name
that people type. It stops on SIGINT or SIGTERM; people then sign in again.`,
		examples: []string{"payrun desk", "payrun desk --addr 127.0.0.1:8660", "payrun desk --addr 10.0.0.5:443 --cert desk.crt --key desk.key --public-host payouts.example.com"},
		exits:    []int{exitLedger},
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "addr", Usage: "the `HOST:PORT` to listen on; port 0 takes a free one", Value: config.DeskAddr},
			&urfave.StringFlag{Name: "cert", Usage: "the certificate, with its chain, as PEM in `FILE`"},
			&urfave.StringFlag{Name: "key", Usage: "the certificate's key, as PEM in `FILE`"},
			&urfave.BoolFlag{Name: "own-host", Usage: "on this machine, use a new host name at each start, so that no other service here gets the login's cookie"},
			&urfave.StringFlag{Name: "public-host", Usage: "the `NAME` by which browsers reach it"},
			&urfave.BoolFlag{Name: "no-poll", Usage: "do not poll the bank; use payrun poll in cron"},
		},
		untilStopped: true,
		run:          p.with(serveDesk),
	}
}

func serveDesk(ctx context.Context, s *session, c *urfave.Context) error {
	opt := config.Desk{Addr: c.String("addr"), Cert: c.String("cert"), Key: c.String("key"), PublicHost: c.String("public-host"), OwnHost: c.Bool("own-host"), NoPoll: c.Bool("no-poll")}
	warn := func(words string) { s.term.Warnf("%s", ledger.Plain(words)) }
	return s.world.Desk(ctx, s.app, s.set, opt, warn, func(ready doc.Desk) error {
		s.term.Resultf("The desk is at %s", ready.URL)
		if ready.First != "" {
			s.term.Resultf("It has no people yet. This link works once, for ten minutes, for the first person, who is admin:\n\n  %s\n", ready.First)
		}
		s.term.Resultf("Stop it with Ctrl-C.")
		return s.document("payrun.desk/v1", ready)
	})
}
