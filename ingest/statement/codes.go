package statement

import (
	"slices"

	"payrun/ledger"
)

// Code names a kind of finding about a statement file. Codes are stable, see Codes.
type Code string

const (
	CodeFormat       Code = "statement_format"
	CodeSyntax       Code = "statement_syntax"
	CodeIncomplete   Code = "statement_incomplete"
	CodeHeader       Code = "statement_header_missing"
	CodeColumn       Code = "statement_column_unclear"
	CodeRow          Code = "statement_row_unclear"
	CodeDate         Code = "statement_date"
	CodeDayOrMonth   Code = "statement_day_or_month"
	CodeDates        Code = "statement_dates_mixed"
	CodeAmount       Code = "statement_amount"
	CodeDirection    Code = "statement_debit_or_credit"
	CodeBalance      Code = "statement_balance"
	CodeChain        Code = "statement_does_not_add_up"
	CodeOrder        Code = "statement_order_unclear"
	CodeCurrency     Code = "statement_currency"
	CodeAccountOther Code = "statement_of_another_account"
	CodeAccount      Code = "statement_account_unclear"
	CodeDetails      Code = "statement_details_do_not_add_up"
	CodeNothing      Code = "statement_without_entries"
	CodeLeftOut      Code = "statement_left_out"
)

// CodeEntry explains one code to the person who got the file.
type CodeEntry struct {
	Code     Code
	Severity ledger.Severity
	Title    string
	Why      string
	Fix      string

	Option ledger.Option // the choice that the fix speaks of
}

// fixAgain is for what a bank does not write: a person or a program changed it.
const fixAgain = "Get the statement from the bank again, and give the file as it came."

var (
	mapBalance = ledger.Option{Name: ledger.OptionMap, Value: "closing_balance=Closing Bal"}
	dayFirst   = ledger.Option{Name: ledger.OptionDayFirst}
	noOption   ledger.Option
)

// codes is the one table of what this room finds.
var codes = [...]CodeEntry{
	{CodeFormat, ledger.SeverityError, "Not a statement that can be read", "CSV, XLSX, camt.053 (.001.02 to .10) and MT940 can be read exactly; a notice of single movements (camt.052, camt.054) is no statement.", "Ask the bank for the account's statement in one of these formats.", noOption},
	{CodeSyntax, ledger.SeverityError, "The file is damaged or was altered", "What does not follow its format could hide an entry.", fixAgain, noOption},
	{CodeIncomplete, ledger.SeverityError, "The statement is not whole", "Without its end, what is not in it says nothing.", "Get the whole statement, all pages of it in one file.", noOption},
	{CodeHeader, ledger.SeverityError, "No header that is recognised", "A statement is read by its columns: a date, the amounts and a balance.", "Give the file as the bank makes it, with its header in the first 60 rows, or say which header means which column.", mapBalance},
	{CodeColumn, ledger.SeverityError, "A column is not clear", "Two columns of one meaning may differ.", "Say which header means which column.", mapBalance},
	{CodeRow, ledger.SeverityError, "A row is no entry and is not empty", "A row of the statement may have lost its date, amount or balance. A total, a balance or a summary in a row of its own is understood.", "If it is a note, delete the row; else get the statement from the bank again.", noOption},
	{CodeDate, ledger.SeverityError, "A date cannot be read", "An entry on the wrong day proves the wrong payment.", fixAgain, noOption},
	{CodeDayOrMonth, ledger.SeverityError, "Day or month comes first", "05/06/2026 is 5 June or 6 May, and no date of the file shows which.", "Look into the file; where the day comes first, say so.", dayFirst},
	{CodeDates, ledger.SeverityError, "Date cells and date texts in one column", "A spreadsheet program with other settings makes date cells of the dates that it understands, and exchanges their day and month.", "Get the statement from the bank again, and give the file as it came, without opening it in a spreadsheet program.", noOption},
	{CodeAmount, ledger.SeverityError, "An amount cannot be read", "Amounts are compared to the paisa.", fixAgain, noOption},
	{CodeDirection, ledger.SeverityError, "Debit or credit is not clear", "Money that left and money that came are not the same.", fixAgain, noOption},
	{CodeBalance, ledger.SeverityError, "A balance cannot be read", "The balances prove that no entry is missing.", fixAgain, noOption},
	{CodeChain, ledger.SeverityError, "Balances and entries do not agree", "An entry is missing, is there twice, or was changed.", fixAgain, noOption},
	{CodeOrder, ledger.SeverityError, "Newest first or last is not clear", "All its entries are of one day, and the balances agree in both orders.", "Get the statement for one day more.", noOption},
	{CodeCurrency, ledger.SeverityError, "Not in rupees", "Payouts are in rupees, and no amount is converted.", "Get the statement of the account in rupees.", noOption},
	{CodeAccountOther, ledger.SeverityError, "A statement of another account", "Its entries would prove payments that it knows nothing of.", "Name the account that the statement is of, or correct its account_number in payrun.toml.", ledger.Option{Name: ledger.OptionAccount}},
	{CodeAccount, ledger.SeverityError, "Several accounts in one file", "It is not clear to which of them the entries belong.", "Get a statement of the one account.", noOption},
	{CodeDetails, ledger.SeverityError, "The details of a booking do not add up to it", "Each detail is one payment.", fixAgain, noOption},
	{CodeNothing, ledger.SeverityError, "No entries", "Without an entry a table has no balance that proves anything.", "Get the statement for more days.", noOption},
	{CodeLeftOut, ledger.SeverityInfo, "Not read", "What is not booked, of another account or of 0.00 is no entry of this statement.", "Nothing to do.", noOption},
}

// Codes returns the table, for the page that explains codes.
func Codes() []CodeEntry { return slices.Clone(codes[:]) }

func entryOf(code Code) CodeEntry {
	return codes[slices.IndexFunc(codes[:], func(e CodeEntry) bool { return e.Code == code })]
}
