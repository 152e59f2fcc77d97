package doc

import "payrun/ledger"

// ImportedStatement is payrun.statement/v1: a statement file as it was read and
// recorded. Of a file that was refused there is nothing but what it is and what
// was found.
type ImportedStatement struct {
	Schema        string           `json:"schema"`
	File          StatementFile    `json:"file"`
	Account       string           `json:"account"` // its name in payrun.toml
	BankAccountID string           `json:"bank_account_id"`
	From          string           `json:"from"`
	To            string           `json:"to"`
	Opening       ledger.Paise     `json:"opening"`
	Closing       ledger.Paise     `json:"closing"`
	Entries       StatementSides   `json:"entries"`
	New           int              `json:"new"`
	Known         int              `json:"known"`
	Findings      []ledger.Finding `json:"findings"`
}

// StatementFile is the file that a statement was read from.
type StatementFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Format string `json:"format"` // csv, xlsx, camt.053 or mt940
	Tab    string `json:"tab"`    // of an XLSX
}

// StatementSides counts and sums the entries of each direction.
type StatementSides struct {
	Debits  ledger.Tally `json:"debits"`
	Credits ledger.Tally `json:"credits"`
}
