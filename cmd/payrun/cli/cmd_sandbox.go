package cli

import (
	"context"
	"net"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) sandboxCommand() command {
	return command{
		name:  "sandbox",
		brief: "run a bank to rehearse with",
		long: `It serves the whole bank interface, and shows on standard error the OTPs that a bank would send to a
phone. The commands below make a running sandbox settle payouts, fail or return one, or lose an answer,
so that a team can rehearse each case. SIGINT or SIGTERM stops it.`,
		examples: []string{"payrun sandbox --settle-every 2s", "payrun sandbox --addr 127.0.0.1:0 --seed 7 --json"},
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "addr", Usage: "the `HOST:PORT` to listen on; port 0 takes a free one", Value: config.SandboxAddr},
			&urfave.StringFlag{Name: "state", Usage: "keep the state in `FILE` across restarts"},
			&urfave.Int64Flag{Name: "seed", Usage: "vary with `N` what the interface does not specify; the same N gives the same answers"},
			&urfave.StringFlag{Name: "webhook-url", Usage: "send the webhooks to `URL`"},
			read("latency", "answer after `DURATION`", span(0)),
			read("settle-every", "settle submitted payouts every `DURATION` (default: only by payrun sandbox settle)", span(0)),
			&urfave.BoolFlag{Name: "trouble", Usage: "inject the faults of a real bank"},
		},
		untilStopped: true,
		run:          p.serveSandbox,
		sub: []command{
			p.rehearsal("settle", "", "move every submitted payout one step forward"),
			p.rehearsal("fail", "REF", "make a payout fail at the next settle"),
			p.rehearsal("return", "REF", "make a payout return at the next settle"),
			p.rehearsal("lose-answer", "", "lose the answer to the next submit, which is carried out"),
		},
	}
}

// rehearsal is a command that is sent to a running sandbox.
func (p *program) rehearsal(name, args, brief string) command {
	return command{
		name: name, args: args, brief: brief,
		examples: []string{strings.TrimSpace("payrun sandbox " + name + " " + strings.Replace(args, "REF", "INV-17", 1))},
		exits:    []int{exitUnanswered},
		flags:    []urfave.Flag{&urfave.StringFlag{Name: "control", Usage: "the control listener, `HOST:PORT` (default: of your last sandbox)"}},
		run: func(ctx context.Context, c *urfave.Context) error {
			done, err := p.env().Rehearse(ctx, app.Rehearsal{Control: c.String("control"), Do: name, Ref: c.Args().First()})
			if err != nil {
				return err
			}
			settle := []string{"sandbox", "settle"}
			if c.IsSet("control") {
				settle = append(settle, "--control", done.Control)
			}
			return p.showRehearsed(done, app.Do(settle...))
		},
	}
}

func (p *program) showRehearsed(done app.Rehearsal, settle app.Hint) error {
	switch done.Do {
	case "fail", "return":
		p.term.Resultf("If the bank has %s, the sandbox lets it %s, one step with each settle.", ledger.Plain(done.Ref), done.Do)
		p.maySay(settle)
	case "lose-answer":
		p.term.Resultf("The sandbox loses the answer of the next submit.")
	case "settle":
		if done.Open != nil {
			p.term.Resultf("Moved on; %s still open.", ledger.Counted(*done.Open, "payout is", "payouts are"))
		}
		p.maySay(app.Do("poll"))
	}
	return p.document("payrun.rehearsal/v1", done)
}

func (p *program) serveSandbox(ctx context.Context, c *urfave.Context) error {
	opt := app.SandboxOptions{
		Seed: c.Int64("seed"), Addr: c.String("addr"), Trouble: c.Bool("trouble"),
		Latency: given[time.Duration](c, "latency"), SettleEvery: given[time.Duration](c, "settle-every"),
		StateFile: c.String("state"), WebhookURL: c.String("webhook-url"),
		Now: p.world.Now,
		SMS: func(m app.SandboxSMS) { p.term.Errorf("%s", m) },
	}
	return p.env().Sandbox(ctx, opt, func(ready app.SandboxReady) error {
		if !loopback(ready.Listens) {
			p.term.Warnf("the sandbox listens on %s, which other machines may reach: its keys are shown here and open nothing but the sandbox; never send it real account numbers", ready.Listens)
		}
		p.showSandbox(ready, opt.SettleEvery)
		return p.document("", ready)
	})
}

// loopback reports whether only this machine can reach addr.
func loopback(addr string) bool {
	host, _, _ := net.SplitHostPort(addr) // a listener's
	return config.Loopback(host)
}

// showSandbox prints how to use the sandbox. The printed keys open the sandbox only.
func (p *program) showSandbox(r app.SandboxReady, settles time.Duration) {
	p.term.Resultf("The sandbox listens on http://%s (seed %d). For another terminal:\n", r.Addr, r.Seed)
	p.term.Resultf("  export PAYRUN_BASE_URL=http://%s", r.Addr)
	p.term.Resultf("  export PAYRUN_ACCESS_KEY=%s", r.AccessKey)
	p.term.Resultf("  export PAYRUN_SECRET_KEY=%s\n", r.SecretKey)
	t := p.term.Table(term.Columns{"Debit account", "Bank", "Kind"}, 2)
	for _, acc := range r.Accounts {
		t.Row(acc.BankAccountID, acc.PartnerBankID, string(acc.Kind))
	}
	t.Render()
	p.term.Linef("\nThe OTP of a batch:   curl 'http://%s/otp?batch=BATCH'", r.Control)
	if settles > 0 {
		p.term.Resultf("Payouts move on every %s.", settles)
	} else {
		p.term.Linef("Move payouts on:      payrun sandbox settle")
	}
	p.term.Linef("Rehearse trouble:     payrun sandbox fail REF, return REF, lose-answer")
	p.term.Resultf("Stop it with Ctrl-C.")
}
