package validate

import (
	"slices"
	"strings"

	"payrun/ledger"
)

// TemplateColumn is what a person who fills in a new sheet needs to know about one column.
type TemplateColumn struct {
	Name     string // canonical
	Required bool
	Amount   bool   // holds the amount; every other column is text
	What     string // what to write there
	Example  string // "" if the example row leaves it empty
}

// ExampleReference marks the example row of a template. A row with it is refused, so that an example left in by
// mistake is never paid.
const ExampleReference = "EXAMPLE"

func isExample(ref string) bool { return strings.EqualFold(ref, ExampleReference) }

// templateWords say what to write in each column, with an example.
var templateWords = [columnCount]struct{ what, example string }{
	colReference: {"Your own reference for the payout: 1 to 60 characters, never used before. It is how a double payment is recognised.", ExampleReference},
	colName:      {"The payee's name, as the bank knows it.", "Example Traders Pvt Ltd"},
	colAccount:   {"The payee's account number, with all leading zeros. The column is text, so that none is lost.", "001234567890"},
	colIFSC:      {"The payee's branch: four capital letters, the digit 0, six capitals or digits.", "ABCD0123456"},
	colAmount:    {"Rupees, at most two decimals: 1250.50 or 1,25,000.00. Nothing is rounded.", "1250.50"},
	colRemarks:   {"What the payee reads on the statement. May be empty.", "Invoice 17 of November"},
	colBeneficiary: {"The bank's id of a registered payee. Only for a RIB account of partner bank 12; " +
		"leave it empty otherwise.", ""},
	colDebitAccount:    {"Which of your accounts pays: its name in payrun.toml, or its bank_account_id. Empty: the default account.", ""},
	colTransactionType: {"How the bank sends it. The interface does not list the values: use those that your bank named. Empty: transaction_type_id of payrun.toml.", ""},
	colLEI:             {"The payee's Legal Entity Identifier, 20 characters. Needed for a payout of 50 crore and more from partner bank 1.", ""},
	colSubMerchant:     {"The sub-merchant that pays. Empty: sub_merchant_id of payrun.toml.", ""},
	colPriority:        {"What to pay first if the money does not suffice for all: 1, 2, 3 and so on, or urgent, high, medium, low. Empty goes last.", ""},
}

// Template lists the columns of a new sheet in order. The required ones depend on the debit accounts: if all
// are RIB accounts, open_beneficiary_id names the payee (interface.md, "Initiate transfer").
func Template(accounts []ledger.DebitAccount) []TemplateColumn {
	v := vocabulary{accounts: accounts}
	none := v.read(0, nil)
	required := v.missing(&none)
	columns := make([]TemplateColumn, columnCount)
	for c := range columns {
		w := templateWords[c]
		columns[c] = TemplateColumn{
			Name: columnNames[c], Required: slices.Contains(required, column(c)), Amount: column(c) == colAmount, What: w.what, Example: w.example,
		}
	}
	return columns
}
