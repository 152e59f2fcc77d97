package cli

import (
	"context"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
)

func (p *program) findCommand() command {
	return command{
		name: "find", args: "TEXT",
		brief: "find payouts by reference, UTR, payee, account tail or amount",
		long: `TEXT is a part of the reference, of the UTR or of the payee's name, the end of the payee's account
number (four characters or more), or the whole amount. A whole reference or UTR finds that payout
alone. Final attempts are searched too. The bank is not asked.`,
		examples: []string{"payrun find INV-17", "payrun find 1,23,456.00", `payrun find "Asha Traders"`, "payrun find 6729 --json"},
		exits:    []int{exitLedger},
		run:      p.with(find),
	}
}

func find(ctx context.Context, s *session, c *urfave.Context) error {
	word := strings.TrimSpace(c.Args().First())
	if word == "" {
		return usage("there is nothing to look for")
	}
	look := func(each app.EachPayout) error { return s.app.Find(ctx, s.call, word, each) }
	return s.writePayouts(look, true)
}
