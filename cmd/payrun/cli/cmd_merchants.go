package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// exitsAtBank are the exit codes of a command that only reads at the bank.
var exitsAtBank = []int{exitCredentials, exitUnanswered}

// exitsChanging are the exit codes of a command that changes something at the bank.
var exitsChanging = []int{exitCredentials, exitUnanswered, exitUnknown}

func (p *program) merchantsCommand() command {
	return command{
		name:  "merchants",
		brief: "list the sub-merchants, or register one",
		sub: []command{
			{
				name:     "list",
				brief:    "list the sub-merchants, as the bank masks them",
				examples: []string{"payrun merchants list", "payrun merchants list --json"},
				exits:    exitsAtBank,
				run:      p.with(listMerchants),
			},
			{
				name:  "register",
				sends: true,
				brief: "register a sub-merchant",
				long: `It is sent once. If no answer can be read it ends with 15; payrun merchants list then shows the result.
The username is the sub-merchant's phone number, and no other sub-merchant may have it.`,
				examples: []string{"payrun merchants register --first-name Asha --last-name Rao --email accounts@example.com --username 9000000002"},
				exits:    exitsChanging,
				flags: []urfave.Flag{
					&urfave.StringFlag{Name: "first-name", Usage: "the first `NAME`"},
					&urfave.StringFlag{Name: "last-name", Usage: "the last `NAME`"},
					&urfave.StringFlag{Name: "email", Usage: "the email `ADDRESS`"},
					&urfave.StringFlag{Name: "username", Usage: "the phone `NUMBER`"},
				},
				needs: []string{"first-name", "last-name", "email", "username"},
				run:   p.with(registerMerchant),
			},
		},
	}
}

func listMerchants(ctx context.Context, s *session, _ *urfave.Context) error {
	list, err := s.app.SubMerchants(ctx, s.call)
	if err != nil {
		return err
	}
	t := s.term.Table(term.Columns{"Sub-merchant", "First name", "Last name", "Email", "Username"}).None("The bank has no sub-merchants.")
	for _, m := range list.SubMerchants {
		t.Row(m.SubMerchantID, clipped(m.FirstName, 12), clipped(m.LastName, 12), clipped(m.Email, 22), clipped(m.Username, 12))
	}
	t.Render()
	return lines(s.program, "", list.SubMerchants)
}

func registerMerchant(ctx context.Context, s *session, c *urfave.Context) error {
	got, err := s.app.RegisterMerchant(ctx, s.call, app.RegisterRequest{
		FirstName: c.String("first-name"), LastName: c.String("last-name"), Email: c.String("email"), Username: c.String("username"),
	})
	if err != nil {
		return err
	}
	s.term.Resultf("Registered: %s", ledger.Plain(got.SubMerchantID))
	s.term.Resultf("To work for it, say sub_merchant_id = %q in payrun.toml.", got.SubMerchantID)
	return s.document("", got)
}

// lines writes JSON lines, one for each document of a list.
func lines[T any](p *program, schema string, list []T) error {
	for _, v := range list {
		if err := p.document(schema, v); err != nil {
			return err
		}
	}
	return nil
}

// clipped makes text from outside printable and cuts it to at most most columns.
func clipped(text string, most int) string { return term.Cut(ledger.Plain(text), most) }
