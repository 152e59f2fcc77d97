package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) accountsCommand() command {
	return command{
		name:  "accounts",
		brief: "list the linked bank accounts, or link one",
		sub: []command{
			{
				name:  "list",
				brief: "list the accounts as the bank has them",
				long: `The first column is the name in payrun.toml, if the account has one. An account that is not completely
linked is listed with the address where its owner continues.`,
				examples: []string{"payrun accounts list", "payrun accounts list --partner-bank-id 12 --json", "payrun accounts list --search HDFC"},
				exits:    exitsAtBank,
				flags: []urfave.Flag{
					accountFlag("of one account, by `NAME_OR_ID`"),
					&urfave.IntFlag{Name: "partner-bank-id", Usage: "of the partner bank `ID`"},
					&urfave.StringFlag{Name: "search", Usage: "with `TEXT` in account number, IFSC, identifier or account name"},
					&urfave.StringFlag{Name: "sub-merchant-id", Usage: "of the sub-merchant `ID` (default: all)"},
				},
				run: p.with(listAccounts),
			},
			{
				name:  "link",
				sends: true,
				brief: "begin to link a bank account",
				long: `The bank answers with an address. The account's owner opens it in a browser and fills in the
account's details there; then the bank lists the account. In the sandbox only: in production accounts
are linked by the bank.`,
				examples: []string{"payrun accounts link --partner-bank-id 3 --merchant-redirect-url https://example.com/linked"},
				exits:    exitsChanging,
				flags: []urfave.Flag{
					&urfave.IntFlag{Name: "partner-bank-id", Usage: "of the partner bank `ID`"},
					&urfave.StringFlag{Name: "merchant-redirect-url", Usage: "the `URL` to which the bank sends the user back"},
					&urfave.StringFlag{Name: "sub-merchant-id", Usage: "for the sub-merchant `ID` (default: the one of payrun.toml)"},
				},
				needs: []string{"partner-bank-id", "merchant-redirect-url"},
				run:   p.with(linkAccount),
			},
		},
	}
}

// accountFlag names a debit account, under payrun's name and the interface's.
func accountFlag(usage string) urfave.Flag {
	return &urfave.StringFlag{Name: "account", Aliases: []string{"bank-account-id"}, Usage: usage}
}

func listAccounts(ctx context.Context, s *session, c *urfave.Context) error {
	list, err := s.app.Accounts(ctx, s.call, app.AccountQuery{
		SubMerchantID: c.String("sub-merchant-id"), BankAccountID: c.String("account"), PartnerBankID: c.Int("partner-bank-id"), Search: c.String("search"),
	})
	if err != nil {
		return err
	}
	t := s.term.Table(term.Columns{"Account", "Bank account id", "Bank", "Status", "Number"}, 3).None("The bank lists no such account.")
	for _, a := range list {
		t.Row(s.configuredName(a.BankAccountID), a.BankAccountID, a.PartnerBankID,
			s.term.Paint(either(a.Status == ledger.AccountActive, term.Good, term.Bad), clipped(a.Status, 13)), tail(a.AccountNumber))
	}
	t.Render()
	for _, a := range list {
		if a.RedirectURL != "" {
			s.term.Resultf("Not linked yet: %s. Its owner goes on at\n%s", ledger.Plain(a.BankAccountID), ledger.Plain(a.RedirectURL))
		}
	}
	return lines(s.program, "", doc.Each(list, doc.NewLinkedAccount))
}

// configuredName returns the account's name in payrun.toml, short enough for a table, or "-" if it has
// none.
func (s *session) configuredName(id string) string {
	a, found := s.set.Account(id)
	return either(found, clipped(a.Name, 12), "-")
}

// tail returns the last four characters of an account number, after an ellipsis.
func tail(number string) string {
	const shown = 4
	runes := []rune(ledger.Plain(number))
	return either(len(runes) == 0, "", "…") + string(runes[max(0, len(runes)-shown):])
}

func linkAccount(ctx context.Context, s *session, c *urfave.Context) error {
	got, err := s.app.LinkAccount(ctx, s.call, app.LinkingRequest{
		SubMerchantID: c.String("sub-merchant-id"), PartnerBankID: c.Int("partner-bank-id"), MerchantRedirectURL: c.String("merchant-redirect-url"),
	})
	if err != nil {
		return err
	}
	s.nextIs(app.Do("accounts", "list").First("the account is not linked yet: its owner opens that address in a browser and fills in the details; then look for it"))
	s.term.Linef("%s", ledger.Plain(got.RedirectURL))
	return s.document("", got)
}

func (p *program) balanceCommand() command {
	return command{
		name:     "balance",
		brief:    "show the balances of the debit accounts",
		long:     `A balance includes payouts that are submitted and not debited yet.`,
		examples: []string{"payrun balance", "payrun balance --account main --json"},
		exits:    exitsAtBank,
		flags: []urfave.Flag{
			accountFlag("of one account, by `NAME_OR_ID`"),
			&urfave.StringFlag{Name: "sub-merchant-id", Usage: "of the sub-merchant `ID` (default: all)"},
		},
		run: p.with(showBalances),
	}
}

func showBalances(ctx context.Context, s *session, c *urfave.Context) error {
	list, err := s.app.Balances(ctx, s.call, c.String("sub-merchant-id"), c.String("account"))
	if err != nil {
		return err
	}
	t := s.term.Table(term.Columns{"Account", "Bank account id", "Balance"}, 3).None("The bank shows no balance of such an account.")
	for _, b := range list {
		t.Row(s.configuredName(b.BankAccountID), b.BankAccountID, b.Balance.Rupees())
	}
	t.Render()
	return lines(s.program, "", list)
}
