package statement

import (
	"fmt"

	"payrun/ingest"
	"payrun/ledger"
)

// fixAgain is for content that no bank writes: a person or a program changed it.
const fixAgain = "Get the statement from the bank again, and import the file as it came."

const fixHeader = "Import the file as the bank makes it, with its header in the first 60 rows, or say which header is which column."

var (
	mapBalance = ledger.Option{Name: ledger.OptionMap, Value: "closing_balance=Closing Bal"}
	dayFirst   = ledger.Option{Name: ledger.OptionDayFirst}
	noOption   ledger.Option
)

func explain(code string, severity ledger.Severity, title, why, fix string, o ledger.Option) string {
	return ingest.NewCode(ingest.Explanation{Code: code, Severity: severity, Scope: ingest.ScopeFile, Title: title, Why: why, Fix: fix, Option: o})
}

// The codes of findings about a statement file. They are stable.
var (
	CodeFormat       = explain("statement_format", ledger.SeverityError, "Not a readable statement", "payrun reads CSV, XLSX, camt.053 (.001.02 to .10) and MT940. A notice of single movements (camt.052, camt.054) is not a statement.", "Ask the bank for the account's statement in one of these formats.", noOption)
	CodeSyntax       = explain("statement_syntax", ledger.SeverityError, "The file is damaged or was altered", "A file that does not follow its format could hide an entry.", fixAgain, noOption)
	CodeIncomplete   = explain("statement_incomplete", ledger.SeverityError, "The statement is incomplete", "Without its end, the statement does not prove that an entry is missing.", "Get the whole statement, with all pages in one file.", noOption)
	CodeHeader       = explain("statement_header_missing", ledger.SeverityError, "No known header", "payrun reads a statement by its columns: a date, the amounts and a balance.", fixHeader, mapBalance)
	CodeColumn       = explain("statement_column_unclear", ledger.SeverityError, "A column is not clear", "Two columns with the same meaning may differ.", "Say which header is which column.", mapBalance)
	CodeRow          = explain("statement_row_unclear", ledger.SeverityError, "A row is neither an entry nor empty", "The row may have lost its date, amount or balance. A total, a balance or a summary may have its own row.", "If the row is a note, delete it. If not, get the statement from the bank again.", noOption)
	CodeDate         = explain("statement_date", ledger.SeverityError, "A date cannot be read", "An entry on the wrong day proves the wrong payment.", fixAgain, noOption)
	CodeDayOrMonth   = explain("statement_day_or_month", ledger.SeverityError, "Day or month comes first", "05/06/2026 is 5 June or 6 May, and no date in the file shows which.", "Check the file. If the day comes first, say so.", dayFirst)
	CodeDates        = explain("statement_dates_mixed", ledger.SeverityError, "Date cells and date texts in one column", "A spreadsheet program with other settings turns some dates into date cells, and swaps their day and month.", "Get the statement from the bank again, and import the file without opening it in a spreadsheet program.", noOption)
	CodeAmount       = explain("statement_amount", ledger.SeverityError, "An amount cannot be read", "Amounts are compared to the paisa.", fixAgain, noOption)
	CodeDirection    = explain("statement_debit_or_credit", ledger.SeverityError, "Debit or credit is not clear", "payrun must know whether the money left or came in.", fixAgain, noOption)
	CodeBalance      = explain("statement_balance", ledger.SeverityError, "A balance cannot be read", "The balances prove that no entry is missing.", fixAgain, noOption)
	CodeChain        = explain("statement_does_not_add_up", ledger.SeverityError, "Balances and entries do not match", "An entry is missing, is there twice, or was changed.", fixAgain, noOption)
	CodeOrder        = explain("statement_order_unclear", ledger.SeverityError, "Newest first or last is not clear", "All entries are from one day, and the balances match in both orders.", "Get the statement for one day more.", noOption)
	CodeCurrency     = explain("statement_currency", ledger.SeverityError, "Not in rupees", "Payouts are in rupees, and payrun does not convert amounts.", "Get the statement of the account in rupees.", noOption)
	CodeAccountOther = explain("statement_of_another_account", ledger.SeverityError, "A statement of another account", "Its entries would be taken for those of this account.", "Name the account of the statement, or correct its account_number in payrun.toml.", ledger.Option{Name: ledger.OptionAccount})
	CodeAccount      = explain("statement_account_unclear", ledger.SeverityError, "Several accounts in one file", "payrun cannot tell which account an entry belongs to.", "Get a statement of one account.", noOption)
	CodeDetails      = explain("statement_details_do_not_add_up", ledger.SeverityError, "The details of a booking do not add up to it", "Each detail is one payment.", fixAgain, noOption)
	CodeNothing      = explain("statement_without_entries", ledger.SeverityError, "No entries", "Without an entry, a table has no balance to check.", "Get the statement for more days.", noOption)
	CodeLeftOut      = explain("statement_left_out", ledger.SeverityInfo, "Not read", "Entries that are not booked, of another account or of 0.00 do not count.", "Nothing to do.", noOption)
)

// mostFindings is the limit of findings for one file.
const mostFindings = 50

// refusal is an error that carries findings.
type refusal []ledger.Finding

func (r refusal) Error() string { return r[0].Message }

// refuse returns a refusal with one finding. Row is 0 for the file as a whole.
func refuse(code string, row int, format string, args ...any) error {
	return refusal{ingest.NewFinding(code, row, format, args...)}
}

// defectFixes replace fixes that would mention payouts.
var defectFixes = map[string]struct {
	fix    string
	option ledger.Option
}{
	ingest.CodeNotRegular:   {"Give the path of the statement itself.", noOption},
	ingest.CodeFileEmpty:    {fixAgain, noOption},
	ingest.CodeFileTooLarge: {"Get the statement for fewer days.", noOption},
	ingest.CodeFileChanged:  {"Wait until the program that writes the file is done, and try again.", noOption},
	ingest.CodeTooManyRows:  {"Get the statement for fewer days.", noOption},
	ingest.CodeTooMuch:      {fixAgain, noOption},
	ingest.CodeTabNone:      {fixHeader, mapBalance},
}

// ofDefect returns a Defect of ingest as a finding.
func ofDefect(d *ingest.Defect) ledger.Finding {
	f := d.Finding
	if d.Column != "" {
		f.Cell, f.Column = fmt.Sprintf("%s%d", d.Column, d.Row), ""
	}
	if other, ok := defectFixes[d.Code]; ok {
		f.Fix, f.Option = other.fix, other.option
	}
	return f
}
