package app

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/reports/resultsheet"
	"payrun/validate"
)

// Template writes an empty payout sheet to fill in, an .xlsx or a .csv, to a
// path where there is nothing yet.
func (a *App) Template(path string) error {
	ext := strings.ToLower(filepath.Ext(path))
	if ext != ".xlsx" && ext != ".csv" {
		return Fail(Usage, "%s: a template is an .xlsx or a .csv", ledger.Plain(path))
	}
	err := resultsheet.WriteTemplate(path, a.template())
	switch {
	case errors.Is(err, fs.ErrExist):
		return Fail(Usage, "%s already exists and is not overwritten", ledger.Plain(path)).Because(err).Then(Do("template", "other"+ext))
	case err != nil:
		return Fail(Usage, "%s cannot be written: %v", ledger.Plain(path), config.Reason(err)).Because(err)
	}
	return nil
}

// template has the columns of the interface, and offers what payrun.toml knows.
func (a *App) template() resultsheet.Template {
	t := resultsheet.Template{At: a.env.Now()}
	for _, c := range validate.Template(a.set.Accounts) {
		column := resultsheet.TemplateColumn{Name: c.Name, Required: c.Required, Amount: c.Amount, What: c.What, Example: c.Example}
		switch c.Name {
		case "bank_account_id":
			for _, acc := range a.set.Accounts {
				column.Choices = append(column.Choices, cmp.Or(acc.Name, acc.BankAccountID))
			}
		case "transaction_type_id":
			column.Choices = transactionTypes(a.set.TransactionTypeID)
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
