package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) beneficiariesCommand() command {
	return command{
		name:  "beneficiaries",
		brief: "list the beneficiaries of RIB accounts, or add one",
		sub: []command{
			{
				name:  "list",
				brief: "list the beneficiaries as the bank has them",
				long: `Account numbers by their last four. A payout from a RIB account names its beneficiary in the column
open_beneficiary_id of the sheet; only an active one can be paid.`,
				examples: []string{"payrun beneficiaries list", "payrun beneficiaries list --account pb12-rib --search Rao --json"},
				exits:    exitsAtBank,
				flags: []urfave.Flag{
					accountFlag("of one debit account, by `NAME_OR_ID`"),
					&urfave.StringFlag{Name: "open-beneficiary-id", Usage: "the one with the `ID`"},
					&urfave.StringFlag{Name: "search", Usage: "with `TEXT` in payee, account number or IFSC"},
					&urfave.StringFlag{Name: "sub-merchant-id", Usage: "of the sub-merchant `ID` (default: the one of payrun.toml)"},
				},
				run: p.with(listBeneficiaries),
			},
			{
				name:  "add",
				sends: true,
				brief: "ask the bank to add a beneficiary",
				long: `It is sent once. The bank sends an OTP to the registered mobile. Enter it at the bank, because the
interface has no operation for it. If no answer can be read it ends with 15; payrun beneficiaries list
then shows the result.`,
				examples: []string{`payrun beneficiaries add --account pb12-rib --vendor-name "Rao Stores" --bank-account-number 123456789012 --ifsc HDFC0001234`},
				exits:    exitsChanging,
				flags: []urfave.Flag{
					accountFlag("the debit account, by `NAME_OR_ID`"),
					&urfave.StringFlag{Name: "vendor-name", Usage: "the payee's `NAME`"},
					&urfave.StringFlag{Name: "bank-account-number", Usage: "the payee's account `NUMBER`"},
					&urfave.StringFlag{Name: "ifsc", Usage: "the payee's branch `CODE`"},
					&urfave.StringFlag{Name: "sub-merchant-id", Usage: "of the sub-merchant `ID` (default: the one of payrun.toml)"},
				},
				needs: []string{"account", "vendor-name", "bank-account-number", "ifsc"},
				run:   p.with(addBeneficiary),
			},
		},
	}
}

func listBeneficiaries(ctx context.Context, s *session, c *urfave.Context) error {
	list, err := s.app.Beneficiaries(ctx, s.call, app.BeneficiaryQuery{
		SubMerchantID: c.String("sub-merchant-id"), BankAccountID: c.String("account"),
		OpenBeneficiaryID: c.String("open-beneficiary-id"), Search: c.String("search"),
	})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		s.term.Resultf("The bank lists no such beneficiary.")
	}
	for _, of := range groups(list, func(b ledger.Beneficiary) string { return b.BankAccountID }) {
		s.term.Resultf("Debit account %s", ledger.Plain(s.set.AccountName(of[0].BankAccountID)))
		t := s.term.Table(term.Columns{"Beneficiary", "Payee", "Number", "Status"})
		showList(s, t, of, shownPayouts, "", func(b ledger.Beneficiary) {
			t.Row(b.OpenBeneficiaryID, clipped(b.VendorName, 15), tail(b.BankAccountNumber),
				s.term.Paint(either(b.Status == ledger.BeneficiaryActive, term.Good, term.Attend), clipped(b.Status, 17)))
		})
	}
	return lines(s.program, "", doc.Each(list, doc.NewBeneficiary))
}

func addBeneficiary(ctx context.Context, s *session, c *urfave.Context) error {
	got, err := s.app.AddBeneficiary(ctx, s.call, app.BeneficiaryRequest{
		SubMerchantID: c.String("sub-merchant-id"), BankAccountID: c.String("account"), VendorName: c.String("vendor-name"),
		BankAccountNumber: c.String("bank-account-number"), IFSC: c.String("ifsc"),
	})
	if err != nil {
		return err
	}
	s.nextIs(app.Do("beneficiaries", "list", "--account", c.String("account")).
		First("the bank has sent an OTP to the registered mobile: enter it at the bank, which has no operation for it here. The beneficiary can be paid once it is listed as active"))
	s.term.Resultf("%s  %s", ledger.Plain(got.OpenBeneficiaryID), ledger.Plain(got.Status))
	return s.document("", got)
}
