package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/reports/sheetback"
	"payrun/validate"
)

// templateName is the sheet that template writes when no other is named.
const templateName = "payouts-template.xlsx"

func (a *app) templateCommand() command {
	return command{
		name: "template", args: "[FILE.xlsx or FILE.csv]", group: groupStart,
		brief: "write an empty payout sheet to fill in",
		long: `An XLSX has text formats for references and accounts, drop-downs of your debit accounts and a tab
"Read me" with an example row; a CSV has a header and the example row. Without FILE it is
` + templateName + `. What is there is never overwritten.`,
		examples: []string{"payrun template", "payrun template november.csv"},
		most:     1,
		run: func(_ context.Context, c *urfave.Context) error {
			return a.template(cmp.Or(c.Args().First(), templateName))
		},
	}
}

func (a *app) template(path string) error {
	ext := strings.ToLower(filepath.Ext(path))
	if ext != ".xlsx" && ext != ".csv" {
		return usage("%s: a template is an .xlsx or a .csv", ledger.Plain(path))
	}
	set, err := a.settings()
	if err != nil {
		return err
	}
	err = sheetback.WriteTemplate(path, templateOf(set))
	switch {
	case errors.Is(err, fs.ErrExist):
		return usage("%s is there already, and is not overwritten", ledger.Plain(path)).because(err).hint("payrun template OTHER%s", ext)
	case err != nil:
		return usage("%s cannot be written: %v", ledger.Plain(path), config.Reason(err)).because(err)
	}
	if a.flags.json {
		return a.document(doc.Template{Schema: "payrun.template/v1", Template: path})
	}
	a.term.Show("wrote  %s", ledger.Plain(path))
	a.next = "Next: fill it in, then payrun check " + ledger.Plain(path)
	return nil
}

// templateOf has the columns of the interface, and offers what payrun.toml knows.
func templateOf(set config.Settings) sheetback.Template {
	var t sheetback.Template
	for _, c := range validate.Template(set.Accounts) {
		column := sheetback.TemplateColumn{Name: c.Name, Required: c.Required, Amount: c.Amount, What: c.What, Example: c.Example}
		switch c.Name {
		case "bank_account_id":
			for _, acc := range set.Accounts {
				column.Choices = append(column.Choices, cmp.Or(acc.Name, acc.BankAccountID))
			}
		case "transaction_type_id":
			column.Choices = transactionTypes(set.TransactionTypeID)
		}
		t.Columns = append(t.Columns, column)
	}
	return t
}

// transactionTypes are offered and not demanded: the interface does not list
// the values (interface.md, "Initiate transfer").
func transactionTypes(configured string) []string {
	types := []string{"NEFT", "RTGS", "IMPS"}
	if configured == "" || slices.Contains(types, configured) {
		return types
	}
	return append([]string{configured}, types...)
}
