package cli

import (
	"context"
	"errors"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) policyCommand() command {
	return command{
		name:  "policy",
		brief: "show or change the approval rules",
		long: `The ledger keeps the rules, and the audit trail each change. payrun.toml can only be stricter. Without a
command the rules are shown.`,
		examples: []string{"payrun policy", "payrun policy --json"},
		exits:    []int{exitLedger},
		run:      p.with(showPolicy),
		sub: []command{
			{
				name:     "show",
				brief:    "show the rules, and where each comes from",
				examples: []string{"payrun policy show"},
				exits:    []int{exitLedger},
				run:      p.with(showPolicy),
			},
			{
				name: "set", args: "KEY=VALUE",
				brief: "make a rule stricter, or with two people laxer",
				long: `two_person=true: a batch is initiated only after a person other than its planner has approved it.
confirm_above=AMOUNT: from this total (this run and all that is held) a person types it, also with --yes;
confirm_above= removes the rule.
second_factor=true: at the desk, people who may approve or pay, and admins, need a passkey or an
authenticator app besides the password, at sign-in and for each decision.

One person can make a rule stricter. To make it laxer the first person proposes (exit 12), and another
person runs the same command within 72 hours. If the ledger has people, one of the two is admin and the
other admin or approve. Any change voids earlier approvals.`,
				examples: []string{`payrun policy set two_person=true --reason "resolved by the board"`, `payrun policy set confirm_above=10,00,000 --reason "as audited"`},
				exits:    []int{exitLocked, exitPerson, exitLedger},
				flags:    []urfave.Flag{&urfave.StringFlag{Name: "reason", Usage: "the reason, `TEXT`; required"}},
				needs:    []string{"reason"},
				usage:    keyAndValue,
				run:      p.with(setPolicy),
			},
		},
	}
}

func keyAndValue(c *urfave.Context) error {
	if !strings.Contains(c.Args().First(), "=") {
		return usage("payrun policy set needs KEY=VALUE").Then(app.Do("help", "policy", "set").Which("says what there is"))
	}
	return nil
}

func showPolicy(ctx context.Context, s *session, _ *urfave.Context) error {
	view, err := s.app.Policy(ctx, s.call)
	if err != nil {
		return err
	}
	return s.writePolicy(view)
}

func setPolicy(ctx context.Context, s *session, c *urfave.Context) error {
	key, value, _ := strings.Cut(c.Args().First(), "=")
	view, err := s.app.SetPolicy(ctx, s.call, ledger.PolicyChange{Key: strings.TrimSpace(key), Value: strings.TrimSpace(value), Reason: strings.TrimSpace(c.String("reason"))})
	if len(view.Keys) == 0 {
		return err
	}
	return errors.Join(s.writePolicy(view), err)
}

// policyValue shows the value of a key to people: yes, no, or an amount.
func policyValue(value string) string {
	if amount, err := ledger.ParsePaise(value); err == nil {
		return amount.Rupees()
	}
	return either(value == "true", "yes", "no")
}

// writePolicy writes payrun.policy/v1, or the rules in words.
func (s *session) writePolicy(view app.PolicyView) error {
	if len(view.Next) > 0 {
		s.nextIs(view.Next...)
	}
	t := s.term.Table(term.Columns{"Key", "Holds", "Asked for by", "The ledger says", "payrun.toml says"})
	for _, k := range view.Keys {
		t.Row(k.Key, policyValue(k.Holds), k.From, policyValue(k.Ledger), policyValue(k.Config))
	}
	t.Render()
	if slices.ContainsFunc(view.Keys, app.PolicyKey.Laxer) {
		s.term.Resultf("What the ledger says holds, although payrun.toml asks for less.")
	}
	proposals := []doc.PolicyProposal{}
	for _, p := range view.Proposals {
		proposals = append(proposals, doc.PolicyProposal{Key: p.Key, Value: p.Value, By: p.Actor, At: ledger.Instant(p.At), Reason: p.Reason})
		s.term.Resultf("Proposed by %s on %s: %s=%s (%s). Another person carries it out with the same command.",
			ledger.Plain(config.Who(p.Actor)), s.set.Clock(p.At), p.Key, p.Value, ledger.Plain(p.Reason))
	}
	return s.document("payrun.policy/v1", map[string]any{"keys": view.Keys, "proposals": proposals})
}
