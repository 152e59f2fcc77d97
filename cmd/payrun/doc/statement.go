package doc

import "payrun/ledger"

// ImportedStatement is payrun.statement/v1: a statement file as it was read and
// recorded. Of a file that was refused there is nothing but what it is and what
// was found.
type ImportedStatement struct {
	Reading       string           `json:"reading"` // its name, as R3; "" of a file that was refused
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

// Reading is a reading of a debit account's statement that is on record: a JSON line of
// statement list.
type Reading struct {
	Reading string                 `json:"reading"` // its name, as R3
	Account string                 `json:"account"` // its name in payrun.toml
	Source  ledger.StatementSource `json:"source"`  // bank or file
	File    string                 `json:"file"`
	From    string                 `json:"from"`
	To      string                 `json:"to"`
	Opening *ledger.Paise          `json:"opening"` // null where the statement does not tell it
	Closing *ledger.Paise          `json:"closing"`
	Entries int                    `json:"entries"`
	Void    bool                   `json:"void"`
	At      string                 `json:"at"` // when it was asked for, or imported
}

// NewReading gives a reading.
func NewReading(k ledger.KeptStatement, account string) Reading {
	r := Reading{Reading: ledger.ReadingName(k.No), Account: account, Source: k.Source, File: k.File.Name, From: k.From, To: k.To, Entries: k.Lines,
		Void: !k.Void.IsZero(), At: ledger.Instant(k.At)}
	if k.HasOpening {
		r.Opening = &k.Opening
	}
	if k.HasClosing {
		r.Closing = &k.Closing
	}
	return r
}

// StatementWord is payrun.statement_word/v1: what a person said of a statement.
type StatementWord struct {
	Word    ledger.StatementWord `json:"word"` // void or explain
	Reading string               `json:"reading,omitempty"`
	Entries []string             `json:"entries,omitempty"`
	Ref     string               `json:"ref,omitempty"`
	Holds   bool                 `json:"holds"` // another person has said the same
	Until   string               `json:"until"` // until when another person may; "" where it holds
}
