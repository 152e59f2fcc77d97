package cli

import (
	"context"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

func (p *program) ifscCommand() command {
	return command{
		name:  "ifsc",
		brief: "import and show the list of bank branches",
		long: `Without a list only the form of an IFSC is checked. With one, check and load warn about a branch that is
not in it, and show which banks a sheet pays.`,
		sub: []command{
			{
				name: "import", args: "FILE",
				brief: "import the branch list from CSV or JSON",
				long: `CSV with a header such as BANK,IFSC,BRANCH,CITY,STATE; a JSON array of objects with these fields; or a
JSON object of them by IFSC. Other columns are ignored. One bad line keeps the old list.`,
				examples: []string{"payrun ifsc import ifsc.csv"},
				exits:    []int{exitSheet, exitLocked, exitLedger},
				run:      p.with(importBranches),
			},
			{
				name: "show", args: "IFSC",
				brief:    "show the bank and branch of an IFSC",
				examples: []string{"payrun ifsc show HDFC0001234"},
				exits:    []int{exitLedger},
				run:      p.with(showBranch),
			},
			{
				name:     "status",
				brief:    "show the branch list and its age",
				examples: []string{"payrun ifsc status", "payrun ifsc status --json"},
				exits:    []int{exitLedger},
				run:      p.with(showBranchList),
			},
		},
	}
}

func importBranches(ctx context.Context, s *session, c *urfave.Context) error {
	list, err := s.app.ImportBranches(ctx, s.call, c.Args().First())
	return s.writeBranchList(list, err)
}

func showBranchList(ctx context.Context, s *session, _ *urfave.Context) error {
	list, err := s.app.BranchList(ctx, s.call)
	return s.writeBranchList(list, err)
}

func (s *session) writeBranchList(list app.BranchList, err error) error {
	if err != nil {
		return err
	}
	if list.Name == "" {
		s.term.Resultf("There is no branch list: only the form of an IFSC is checked.")
		s.maySay(app.Do("help", "ifsc", "import").Which("says how to import one"))
	} else {
		s.term.Resultf("%s: %s, imported %s (%s) by %s\nsha256 %s", ledger.Plain(list.Name), ledger.Counted(list.Count, "branch", "branches"),
			s.set.Clock(list.ImportedAt), list.Age, ledger.Plain(config.Who(list.ImportedBy)), list.SHA256)
	}
	return s.document("payrun.ifsc/v1", doc.BranchList{Name: list.Name, SHA256: list.SHA256, Branches: list.Count, ImportedAt: ledger.Instant(list.ImportedAt), ImportedBy: list.ImportedBy})
}

func showBranch(ctx context.Context, s *session, c *urfave.Context) error {
	b, err := s.app.Branch(ctx, s.call, strings.ToUpper(c.Args().First()))
	if err != nil {
		return err
	}
	s.term.Resultf("%s  %s, %s", b.IFSC, ledger.Plain(b.Bank), ledger.Plain(b.Branch))
	if b.City+b.State != "" {
		s.term.Resultf("             %s", ledger.Plain(strings.Trim(b.City+", "+b.State, ", ")))
	}
	return s.document("", b)
}
