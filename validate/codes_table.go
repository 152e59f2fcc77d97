package validate

import (
	"payrun/ingest"
	"payrun/ledger"
)

const (
	asError   = ledger.SeverityError
	asWarning = ledger.SeverityWarning
	asInfo    = ledger.SeverityInfo

	ofRow  = ingest.ScopeRow
	ofFile = ingest.ScopeFile

	fixAsText       = `Turn the column into text: select it, Data > Text to Columns > Next > Next > Text > Finish. Where a cell then shows something else than was meant, type it again.`
	fixReferences   = `Turn the column into text: select it, Data > Text to Columns > Next > Next > Text > Finish. Where a cell then shows something else than was meant, make the references in a new column, such as ="NOV26-"&TEXT(ROW(),"0000"), filled down and pasted as values.`
	fixAmountFormat = `Format the column as Number with two decimals, look at what its amounts are then, and correct those that are wrong.`
	fixOfText       = `Format the column as Text (Home > Number format > Text), look at what its cells show then, and type those again that are wrong.`
	fixRetype       = `Type the value again on the keyboard instead of pasting it.`
)

var noOption ledger.Option

// readWithoutKept is the choice that no column is read as it was kept.
var readWithoutKept = ledger.Option{Name: ledger.OptionKeepColumns, Value: "false"}

// Explanation is what is to say about one code.
type Explanation = ingest.Explanation

func explain(code string, severity ledger.Severity, refuses ingest.Scope, title, why, fix, example string, o ledger.Option) string {
	return ingest.NewCode(Explanation{
		Code: code, Severity: severity, Scope: refuses, Title: title, Why: why, Fix: fix, Example: example, Option: o,
	})
}

// Codes of what this room finds. They are stable: people grep for them and `payrun explain` takes
// them. ingest has its own for what makes a file unreadable; Explain knows both.
var (
	// The sheet as a whole.
	codeHeaderMissing = explain("header_missing", asError, ofFile, "No header",
		"Without column names it is not clear which cell is the amount.",
		"Put the column names into one of the first 20 rows; `payrun template` writes an example. In a CSV the columns are separated by a comma, a semicolon, a tab or |.", "a sheet that begins with its first payout", noOption)
	codePayoutsAbove = explain("payouts_above_header", asError, ofFile, "A payout is above the header",
		"Rows above the header are a title and are not read, so this payout would silently not be paid.",
		"Put the header above the first payout, and each table into a sheet of its own.", "a sheet that was sorted together with its header", noOption)
	codeColumnMissing = explain("column_missing", asError, ofFile, "A required column is missing",
		"A payout needs a reference, an amount, and the payee: name, account number and IFSC, or open_beneficiary_id for a RIB account.",
		"Add the column, or say which header is meant.", "a sheet without a column ifsc", ledger.Option{Name: ledger.OptionMap, Value: "amount=Net Pay"})
	codeColumnRepeated = explain("column_repeated", asError, ofFile, "Two columns have the same name",
		"It is not clear which of them is meant, and reading the last one would pay the wrong amount or account.",
		"Rename or delete one of them, or say which one is meant.", "Amount and Net Pay in one sheet", ledger.Option{Name: ledger.OptionMap, Value: "amount=Net Pay"})
	codeHeaderLookAlike = explain("header_look_alike", asError, ofFile, "A header is not spelt the way it looks",
		"A zero-width character or a letter of another script makes a header a different one that looks the same.",
		"Type the header again on the keyboard.", "a Cyrillic а in аmount", noOption)
	codeColumnSimilar = explain("column_similar", asWarning, ofFile, "A column is not read, and is spelt nearly like one that is",
		"A misspelt bank_account_id would pay from the default account without a word.",
		"Correct the column's name, or leave it when it is meant to be something else.", "bank_acount_id", noOption)
	codeColumnHidden = explain("column_hidden", asWarning, ofFile, "A column that is read is hidden",
		"It is invisible in the sheet; another column may look like what is paid.", "Unhide it and look at what it says: select the columns next to it, right-click, Unhide.", "Amount in a hidden column E", noOption)
	codeConditionalFormat = explain("conditional_format", asError, ofFile, "A conditional format may strike out or hide what is read",
		"A spreadsheet program strikes out, hides or reshapes a cell where the rule of the format holds, and payrun does not carry rules out: a payout that is shown as cancelled would be paid.",
		"Look at the sheet: delete the rows that it shows struck out or empty, if they are not to be paid. Then Home > Conditional Formatting > Manage Rules > This Worksheet, and delete the rule; one that only colours may stay.", "struck out where column H says Cancelled", noOption)
	codeConditionalText = explain("conditional_format_text", asWarning, ofFile, "A conditional format may strike out or hide a name or a remark",
		"The whole text is sent, whatever the rule of the format makes of it on the screen.",
		"Look at the sheet: where the format says that a row is not to be paid, delete the row.", "a rule over the column of names", noOption)
	codeAmountUnitUnclear = explain("amount_unit_unclear", asError, ofFile, "Rupees or paise",
		"This template exists with amounts in rupees and with amounts in paise. Read wrongly, a hundred times too much is paid.",
		"Make sure the amounts are rupees, then name the column amount, or say that it is meant.", "Payout Amount and Fund Account Id", ledger.Option{Name: ledger.OptionMap, Value: "amount=Payout Amount"})
	codeAmountOtherUnit = explain("amount_other_unit", asError, ofFile, "The amount is not in rupees",
		"Every payout is in rupees. A header that names another currency or a unit, such as lakhs, thousands or paise, says that its numbers are something else: 1.50 below Amount (in Lakhs) is 1,50,000.00.",
		"Add a column Amount (INR) with the amounts in rupees, such as =E2*100000 for lakhs, filled down and pasted as values. Where the amounts are rupees already, name the column so.", "Amount ($), Amount (in Lakhs)", noOption)
	codeAmountPaiseApart = explain("amount_paise_apart", asError, ofFile, "Paise in a column of their own",
		"A payout has one amount. Read from the column of rupees alone, the paise would be lost.",
		"Add both up in one column, such as =E2+F2/100 filled down and pasted as values, name it Amount (INR), and delete the two.", "Rs. and Ps.", noOption)
	codeAmountGrossOrNet = explain("amount_gross_or_net", asError, ofFile, "Gross or net",
		"If another column says net, payable, TDS, deduction or less, Amount may be the amount before deductions. Paying it would pay too much.",
		"Say which column is paid, by its header.", "Amount, TDS and Net", ledger.Option{Name: ledger.OptionMap, Value: "amount=Net"})
	codeAmountColumnUnclear = explain("amount_column_unclear", asError, ofFile, "Two columns of amounts",
		"Another column holds amounts too, and in some rows a different one, or none: approved, revised, balance, less an advance. It may be the amount that is to be paid. What adds up to the amount is left of it and is no such column; rate and quantity are none.",
		"Say which of them is paid, by its header; also where it is the one that is read.", "Amount, and Approved with less in three rows", ledger.Option{Name: ledger.OptionMap, Value: "amount=Approved"})
	codeAccountColumnUnclear = explain("account_column_unclear", asError, ofFile, "Two columns of accounts",
		"Another column holds account numbers or IFSCs too, and in some rows a different one. It may be the payee's new account, and the old one would be paid.",
		"Put the account that is to be paid into one column and delete the other, or say by its header which column is meant.", "Account Number, and New Account Number with another one", ledger.Option{Name: ledger.OptionMap, Value: "bank_account_number=Account Number"})
	codeCreditsAmongPayouts = explain("credits_among_payouts", asError, ofFile, "Some rows are credits",
		"A column says of some rows that they are credits, credit notes, refunds or reversals, and of others that they are not. A credit is taken off what is paid, and payrun would pay it.",
		"Delete the rows that are not to be paid. Where all of them are, delete the column.", "Dr in most rows and Cr in two", noOption)
	codeDebitAccountUnclear = explain("debit_account_unclear", asError, ofFile, "Which column is the debit account",
		"A column has configured debit accounts in some rows and something else in others, or two columns have them. It may say from which account each row is to be paid.",
		"Say that the column is the debit account and correct its other values. Where it is something else, delete it or write it in other words.", "a column Bank with HDFC Current in most rows and HDFC in one", ledger.Option{Name: ledger.OptionMap, Value: "bank_account_id=Bank"})
	codeDebitAccountByContents = explain("debit_account_by_contents", asInfo, ofRow, "A column was read as the debit account",
		"All of its values are names, ids or numbers of debit accounts in payrun.toml.", "Nothing, when each row is to be paid from the account that the column names.", "a column Bank with HDFC Current and ICICI Payroll", noOption)
	codeProfilesDiffer = explain("column_profiles_differ", asError, ofFile, "Two profiles of payrun.toml read the sheet differently",
		"The sheet has all columns of two profiles under [columns], and which of them is meant is not for payrun to guess.",
		"Say which header is meant, or let the profiles name columns that only their own sheets have.", "amount = \"Net Pay\" in one and amount = \"Take Home\" in the other", ledger.Option{Name: ledger.OptionMap, Value: "amount=Net Pay"})
	codeKeptDiffers = explain("column_kept_differs", asError, ofFile, "What was kept for the header and a profile read the sheet differently",
		"The columns of such a sheet were saved before, and a profile under [columns] of payrun.toml differs for one of them. payrun does not guess which is meant.",
		"Say by its header which column is meant, or read the sheet without what was kept.", "amount = \"Net Pay\" kept for the header, and amount = \"Take Home\" in a profile", readWithoutKept)
	codeKeptNearly = explain("column_kept_for_another_header", asError, ofFile, "Columns were kept for nearly this header",
		"Columns are kept for one header, exactly. This one has them, or one of them that a payout needs, and is another: a column more or less, or another order. It would be read otherwise than those sheets.",
		"Say by its header which column is meant, or read the sheet without what was kept.", "a new column Loan in a register of which amount = \"Take Away\" was kept", readWithoutKept)
	codeNoRows = explain("no_rows", asError, ofFile, "Nothing to pay",
		"There is a header, and no payouts below it.", "See whether the right sheet was saved.", "a template that was not filled in", noOption)
	codeSheetLoaded = explain("sheet_already_loaded", asError, ofFile, "The sheet was loaded before",
		"The same content is never paid twice, whatever its name.",
		"Nothing needs to be done: `payrun status` shows the state of the first load. Payouts that failed are sent again as they are with `payrun retry`, or corrected first.", "nov.csv, loaded again as nov-final.csv", noOption)
	codeSheetOtherPrefix = explain("sheet_loaded_under_another_prefix", asWarning, ofFile, "The same content was loaded with other references",
		"Only what is put before the references is another. That is right for a register that is paid every month, and a second payment where it is not.",
		"Make sure that this is the next payment, not the same one again.", "a salary register loaded with NOV26- and again with NOV-26-", noOption)
	codeSheetChanged = explain("sheet_changed", asError, ofFile, "Not the sheet that was checked",
		"The sheet's SHA-256 is not the expected one: a byte of it changed since, or it is another file. Number and sum of the payouts may be the same while an account is not.",
		"Find out what changed; check the sheet again, and take the new SHA-256 only when the change is meant.", "one account number edited between payrun check and payrun load", noOption)
	codeCountDiffers = explain("count_differs", asError, ofFile, "Not the expected number of payouts",
		"The number that was expected and the sheet disagree: rows may be missing or duplicated.", "Compare the sheet with where the number comes from.", "1204 expected, and 1203 rows", noOption)
	codeTotalDiffers = explain("total_differs", asError, ofFile, "Not the expected total",
		"The total that was expected and the sheet disagree.", "Compare the sheet with where the total comes from.", "1840150.50 expected, and one amount changed", noOption)
	codeControlTotalDiffers = explain("control_total_differs", asError, ofFile, "The total row does not agree",
		"The last row gives a different total from the rows above it, bad rows included.",
		"Correct the amounts or the total row. A total that was typed may be of an older version; a formula may leave out rows.", "Total 5,000.00 below rows of 4,000.00", noOption)
	codeControlTotalUnreadable = explain("control_total_unreadable", asError, ofFile, "The total row has no amount",
		"A total row is a control; without an amount it cannot be compared with the rows.",
		"Put the total into the amount column, or delete the row.", "Total, with the sum in another column", noOption)

	codeTabUnread = explain("tab_unread", asInfo, ofFile, "A tab that is not read",
		"The payouts of one tab are read. What is in another is not paid.", "Nothing needs to be done where the other tabs hold no payouts; otherwise load them as well.", "Notes and Payouts", noOption)

	// A row.
	codeFindingsCapped = explain("findings_capped", asInfo, ofRow, "More findings than are listed",
		"So many findings usually have one cause, such as a column in the wrong place.", "Correct what the first findings say and check again.", "", noOption)
	codeTotalOutOfRange = explain("total_out_of_range", asError, ofRow, "The sum is out of range",
		"The amounts up to this row add up to more than can be counted exactly.", "Correct the amount.", "", noOption)
	codeRowTooManyCells = explain("row_too_many_cells", asError, ofRow, "The row has more cells than the header",
		"A separator inside a value moves all cells behind it into the wrong column.",
		`Put a value that holds the separator into quotes, such as "1,00,000.00", or write it without.`, "an unquoted 1,00,000.00", noOption)
	codeRowTooFewCells = explain("row_too_few_cells", asError, ofRow, "The row has fewer cells than the header",
		"A separator is missing, and cells may stand in the wrong column.", "Compare the row with the header, cell by cell.", "", noOption)
	codeRowWithoutPayout = explain("row_without_payout", asError, ofRow, "The row is no payout",
		"A sub-total, a heading, a signature, the amount in words or a repeated header is no payout, and should not be completed into one.",
		"Delete the row. A total of the whole sheet may stay below the payouts: write Total into it.", "Sub Total, Prepared by, Rupees five thousand only", noOption)

	codeRowExample = explain("row_example", asError, ofRow, "The example row of the template",
		"It shows what a payout looks like and names no payee.", "Delete the row, or give it a reference of its own and fill in all its cells.", "EXAMPLE", noOption)
	codeRowStruckOut = explain("row_struck_out", asError, ofRow, "The row is struck out",
		"Text that is struck out is not meant to be paid, and the cells still say that it is.", "Delete the row when it is cancelled; otherwise take the line off: Ctrl+5 on the selected row.", "a line through a cancelled payout", noOption)

	// A cell of any column.
	codeRowSaysOtherwise = explain("row_says_otherwise", asWarning, ofRow, "The row itself says that it is not to be paid, or was",
		"A status, a hold, a UTR or a remark is for the person who reads the sheet, and payrun would pay the row all the same.", "Take the row out of the sheet where it is not to be paid; otherwise clear what it says.", "Status: Hold, or a UTR in the payout's row", noOption)
	codeCellFormula = explain("cell_formula", asWarning, ofRow, "A formula", "What is read is the value saved when the sheet was last calculated.",
		"Copy the column and paste it as values, if the sheet was changed without the spreadsheet program.", "=B2*C2", noOption)
	codeCellFormulaEmpty = explain("cell_formula_without_value", asError, ofRow, "A formula without a saved value",
		"The program that wrote the sheet did not calculate it, so its value is not known.", "Open the sheet in the spreadsheet program, let it calculate, and save it.", "", noOption)
	codeCellStale = explain("cell_formula_stale", asError, ofRow, "A formula whose saved value is out of date",
		"The workbook says that it is calculated again when it is opened, as programs write that do not calculate themselves: what a person then sees is another value than the saved one.",
		"Open the sheet in the spreadsheet program, look at the values, and save it there.", "a workbook written by a program, with =B2*C2 as the amount", noOption)
	codeCellError     = explain("cell_error", asError, ofRow, "An error of the spreadsheet program", "The cell has no value.", "Correct the formula, or type the value.", "#N/A", noOption)
	codeCellBoolean   = explain("cell_boolean", asError, ofRow, "A logical value", "TRUE or FALSE is neither text nor a number.", fixAsText, "TRUE", noOption)
	codeCellDate      = explain("cell_date", asError, ofRow, "A date", "The spreadsheet program read the value as a date, and what was typed is lost.", fixAsText, "1/12 as a reference became 1-Dec", noOption)
	codeCellFormatted = explain("cell_shows_something_else", asError, ofRow, "A cell that shows something else than it holds",
		"The cell's format shows another text than the number or text in it, and only what it holds would be sent.", fixAsText, "INV-7 shown, 7 stored", noOption)
	codeCellUnseen = explain("cell_unseen", asError, ofRow, "Invisible letters",
		"They have nearly the colour of what is behind them, are smaller than 4 points, or are hidden by their number format, and would be read with the rest: 4800 and a white 0 is 48000.",
		"Select the cell, clear its format (Home > Clear > Clear Formats), look at what it holds, and delete what is not meant; or delete the row.", "4800 with a white 0 behind it", noOption)
	codeCellNumber = explain("cell_number_inexact", asError, ofRow, "A number that is not exact",
		"A spreadsheet program keeps 15 digits of a number; what was typed may be lost.", fixAsText, "12345678901234567", noOption)
	codeCellStruckOut = explain("cell_struck_out", asError, ofRow, "The cell is struck out, or a part of it",
		"What is struck out is not meant, and would be read with the rest: 1000 struck out before 500 is 1000500.", "Delete what is struck out, and type what is left again.", "1000 struck out, 500 next to it", noOption)
	codeCellRaised = explain("cell_raised_or_lowered", asError, ofRow, "A part of the cell is raised or lowered",
		"A footnote or paise written small would be read as digits like the others: 12500 and a small 50 is 1250050.", "Type the value again without what is raised or lowered; paise behind a point.", "an account number with a footnote", noOption)

	// merchant_txn_ref_id
	codeReferenceRounded = explain("reference_scientific", asError, ofRow, "The reference became a rounded number",
		"The spreadsheet program read it as a number and wrote it with an exponent; the digits it does not show are lost for good.",
		"Format an empty column as Text, and copy the references into it again from their source. Changing the format of this one does not bring the digits back.", "6.32513E+11", noOption)
	codeReferenceMissing = explain("reference_missing", asError, ofRow, "No reference", "A payout is known by its reference, at the bank and here.", "Give the row a reference that was never used.", "", noOption)
	codeReferenceTooLong = explain("reference_too_long", asError, ofRow, "The reference is too long", "At most 60 characters are allowed.", "Shorten it.", "", noOption)
	codeReferenceLong    = explain("reference_long", asWarning, ofRow, "The reference leaves no room for a second try",
		"A payout that fails and is sent again may need three characters more in its reference, and 60 is the most.", "Shorten it to 57 characters where you can.", "a reference of 58 characters", noOption)
	codeReferenceCharacters = explain("reference_characters", asError, ofRow, "The reference holds a character that does not show",
		"Two references that look the same must be the same.", fixRetype, "INV-1 with a zero-width space", noOption)
	codeReferenceStart = explain("reference_starts_formula", asError, ofRow, "The reference starts like a formula",
		"Spreadsheet programs calculate what starts with = + - or @ when the reference comes back.", "Put a letter or a digit first.", "=1+1", noOption)
	codeReferenceRepeated = explain("reference_repeated", asError, ofRow, "The reference is listed twice in the sheet",
		"Case, width and composition of letters do not make references different. Every row of the group is refused.",
		"Delete the row that is listed twice, or give each payout its own reference.", "INV-17 and inv-17", noOption)
	codeReferenceUsed = explain("reference_used_before", asError, ofRow, "The reference was used before",
		"A reference must never be used again: it is how a double payment is recognised.",
		"Delete the row if the payout was made. Where it surely was not paid, and is to be paid with what the row now says, keep only such rows and load them as corrections.", "", ledger.Option{Name: ledger.OptionCorrect})
	codeReferenceOfPerson = explain("reference_of_person", asInfo, ofRow, "The reference is the code of a person",
		"An employee's code is the same every month, and a reference is used once. Next month's sheet would be refused.",
		"Put the month before every reference.", "Emp Code read as the reference", ledger.Option{Name: ledger.OptionRefPrefix, Value: "NOV26-"})
	codeCorrectUnknown = explain("correct_unknown_reference", asError, ofRow, "No payout to correct",
		"In a sheet of corrections each row corrects a payout that was loaded before, by its reference. A new payout in its place could be a second one for the same debt.",
		"Write the reference as it was loaded: `payrun payouts` lists them. A new payout belongs in a sheet of its own, which is not loaded as corrections.", "", noOption)
	codeCorrectMayBePaid = explain("correct_may_be_paid", asError, ofRow, "The payout may be paid",
		"Only a payout that surely was not paid is corrected: one that failed, came back or was cancelled, and whose batch is in no doubt.",
		"Delete the row, and wait until `payrun payouts` shows how the payout ended.", "", noOption)
	codeCorrectNothing = explain("correct_changes_nothing", asInfo, ofRow, "The row corrects nothing",
		"It says what the last attempt sent, so it is a retry.", "Correct the row if something of it was wrong.", "", noOption)
	codeCorrectOther = explain("correct_other_reference", asError, ofRow, "The reference is another payout's",
		"The row's origin and its reference both say what it corrects, and they differ.",
		"Write the reference that the row had: `payrun payouts` lists them.", "", noOption)
	codeOriginMalformed = explain("origin_malformed", asError, ofRow, "Where the row came from cannot be read",
		"The last two columns tell from which sheet and row payrun wrote the row. Without them payrun cannot see whether the same row is there twice.",
		"Copy both cells from the sheet that payrun wrote; or empty both in a row that did not come from it.", "row 12 of nothing", noOption)
	codeOriginOther = explain("origin_other_sheet", asError, ofRow, "Rows of several sheets",
		"Each row is read as the sheet was that it came from (its columns, the prefix of its references), and one sheet is read in one way.",
		"Sort the rows by payrun_sheet, and save those of each sheet there as a sheet of their own, with the same header. Load one after the other, with the same flags.", "the rows given back of two sheets, pasted together", noOption)
	codeOriginRepeated = explain("origin_repeated", asError, ofRow, "Two rows came from one",
		"What was one payout would be two.", "Delete the row that is there twice; or empty payrun_sheet and payrun_row in the one that is another payout.", "a row that was copied down", noOption)
	codeOriginLoaded = explain("origin_loaded_before", asError, ofRow, "The row was loaded before",
		"It was left out of its sheet and came with a later one, perhaps under another reference. Loaded again it would be paid twice.",
		"Delete the row: `payrun payouts` shows the state of the payout.", "a row of payroll.rejected.csv, corrected and loaded twice", noOption)

	// amount
	codeAmountMissing  = explain("amount_missing", asError, ofRow, "No amount", "An empty cell is not a zero.", "Fill in the amount, or delete the row.", "", noOption)
	codeAmountZero     = explain("amount_zero", asError, ofRow, "The amount is zero", "Nothing would be paid.", "Fill in the amount, or delete the row.", "0.00", noOption)
	codeAmountNegative = explain("amount_negative", asError, ofRow, "The amount is negative", "A payout cannot be taken back; brackets and a trailing minus mean negative too.", "Delete the row, or correct the amount.", "(500)", noOption)
	codeAmountGrouping = explain("amount_grouping", asError, ofRow, "The commas are in the wrong place",
		"The amount can be read in two ways, or a digit is missing.", "Write 1,00,000.00 or 100,000.00 or 100000.00; a point before the paise.", "1,50", noOption)
	codeAmountDecimals = explain("amount_decimals", asError, ofRow, "More than two decimals", "There is nothing smaller than a paisa, and nothing is rounded here.",
		"Round the amount in the sheet: =ROUND(A1,2), then paste as values.", "100.505", noOption)
	codeAmountComma      = explain("amount_decimal_comma", asError, ofRow, "A comma before the decimals", "Read as Indian money it would be a different amount.", "Write the amount with a point before the paise: 1234.56.", "1.234,56", noOption)
	codeAmountExponent   = explain("amount_exponent", asError, ofRow, "An amount with an exponent", "The spreadsheet program rounded the number when it saved it.", "Format the column as Number with two decimals and save again.", "1e3", noOption)
	codeAmountDigits     = explain("amount_digits", asError, ofRow, "Digits of another script", "Only the digits 0 to 9 are read, so that none is mistaken.", "Write the amount with the digits 0 to 9.", "५००", noOption)
	codeAmountOutOfRange = explain("amount_out_of_range", asError, ofRow, "The amount is out of range", "No account holds as much; a reference or an account number may stand in the wrong column.", "Correct the amount.", "", noOption)
	codeAmountAboveMost  = explain("amount_above_most", asError, ofRow, "The amount is above the most that one payout may be",
		"So large an amount is nearly always a slip: an account number or a reference in the amount column, or paise taken for rupees.",
		"Correct the amount. Where it is meant, raise payout_most under [limits] in payrun.toml first.", "123456789012.00", noOption)
	codeAmountUnreadable = explain("amount_unreadable", asError, ofRow, "Not a valid amount", "It cannot be read without guessing.", "Write digits, and a point before the paise: 1234.56.", "five hundred", noOption)
	codeAmountPrecision  = explain("amount_inexact", asError, ofRow, "A number that is not exact",
		"The number comes from a calculation and has digits far behind the paise, or more than a spreadsheet program keeps.",
		"Round the amount in the sheet: =ROUND(A1,2), then paste as values.", "0.30000000000000004", noOption)
	codeAmountCurrency = explain("amount_not_rupees", asError, ofRow, "The row is in another currency",
		"Every payout is in rupees. The row's currency must be INR, ₹, Rs or empty.", "Take the row out of the sheet; where its amount is in rupees, write INR.", "USD below Currency", noOption)
	codeAmountRail = explain("amount_not_for_rail", asError, ofRow, "The amount is not for this way of sending",
		"RTGS takes amounts from 2,00,000.00 on and IMPS up to 5,00,000.00; the bank would send the payout back. [rails] in payrun.toml says which transaction type is which.",
		"Give the row another transaction type, such as that of NEFT.", "1,50,000.00 by RTGS", noOption)
	codeAmountCut = explain("amount_cut_at_comma", asError, ofRow, "The amount may be cut at a comma",
		"The file separates its cells with commas. An amount such as 12,500 without quotes becomes 12, and 500 in the next cell.",
		`Put the amount into quotes, such as "12,500", or write it without commas. Where both cells are right, write the amount with its decimals, 12.00.`, "12,500 under Amount and Narration", noOption)
	codeAmountBesideNumber = explain("amount_beside_short_number", asWarning, ofRow, "A short number is right of a small amount",
		"Where the file separates its cells with commas, an amount such as 12,500 without quotes becomes 12, and 500 in the next cell.",
		"Compare the row with its source. Written with its decimals, 12.00, the amount says what it is.", "540 under Amount and 112 under Bill No", noOption)
	codeAmountNotNet = explain("amount_not_net", asWarning, ofRow, "Gross less TDS is not net",
		"The sheet has gross, TDS and net, and in this row they do not add up.", "Compare the three with the invoice, and correct the one that is wrong.", "1,000.00 less 100.00, and 950.00 net", noOption)

	// vendor_name, remarks and codes
	codeNameMissing = explain("vendor_name_missing", asError, ofRow, "No name", "The bank needs the payee's name (interface: vendor_name).", "Fill in the name.", "", noOption)
	codeNameNone    = explain("vendor_name_is_none", asWarning, ofRow, "The name is no name",
		"The bank may hold the payee's name against the account, and it is not clear who was paid.", "Write the payee's name as the bank knows it.", "-do-, N/A, or a vendor's code", noOption)
	codeTextCharacters = explain("text_characters", asError, ofRow, "The text holds a character that does not show",
		"Control and direction characters can show one name and send another. ZWJ and ZWNJ are read where Indic and Arabic spelling has them.", fixRetype, "a right-to-left override", noOption)
	codeTextLineBreak = explain("text_line_break", asInfo, ofRow, "A line break was read as a space", "A name or remark is one line at the bank.", "Nothing needs to be done.", "", noOption)
	codeTextGarbled   = explain("text_garbled", asWarning, ofRow, "The text looks garbled", "A program saved it in one encoding, and another read it in a second one: é becomes Ã©. It would be sent so.",
		"Export the sheet again as CSV UTF-8, or as an Excel workbook, and look at its names.", "CafÃ©", noOption)
	codeTextMarked = explain("text_struck_or_raised", asWarning, ofRow, "A part of the text is struck out, raised or lowered",
		"The bank is sent the text as a whole, also what is struck out.", "Delete what is not meant.", "a name of which a part is struck out", noOption)
	codeIdentifierCharacters = explain("identifier_characters", asError, ofRow, "The code has characters that cannot be sent", "The service's codes are plain letters, digits and punctuation.", fixRetype, "", noOption)

	// bank_account_number
	codeAccountMissing    = explain("account_missing", asError, ofRow, "No account number", "The payee cannot be paid without it.", "Fill in the account number.", "", noOption)
	codeAccountMalformed  = explain("account_malformed", asError, ofRow, "Not a valid account number", "It has 5 to 34 letters and digits and nothing else.", "Write it without spaces, dashes and apostrophes; where nothing of that shows, type it again on the keyboard.", "5020-0012-3456", noOption)
	codeAccountScientific = explain("account_scientific", asError, ofRow, "The account number became a rounded number",
		"The spreadsheet program read it as a number; the digits it does not show are lost for good.",
		"Format an empty column as Text (Home > Number format > Text), and copy the account numbers into it again from their source. Changing the format of this one does not bring the digits back.", "1.23457E+11", noOption)
	codeAccountDigits  = explain("account_digits", asError, ofRow, "Digits of another script", "Only the digits 0 to 9 are read, so that none is mistaken.", "Write the account number with the digits 0 to 9.", "१२३४५६", noOption)
	codeAccountNumeric = explain("account_numeric_cell", asError, ofRow, "The account number is a number, not text",
		"A number has no leading zeros and at most 15 digits: 00123 becomes 123 and another account is paid.",
		"Where zeros or digits are lost, copy the account numbers again from their source into a column formatted as Text. Where all digits are there, turn the column into text: select it, Data > Text to Columns > Next > Next > Text > Finish; or allow numbers of up to 15 digits.", "", ledger.Option{Name: ledger.OptionNumericAccounts})
	codeAccountNumericRead = explain("account_numeric_read", asWarning, ofRow, "A number was read as the account number",
		"Numbers were allowed as account numbers; a zero in front would be lost.", "Format the column as Text.", "", noOption)
	codeAccountIsDebit = explain("account_is_debit_account", asError, ofRow, "The payee is the debit account", "Paying an account from itself is a slip.", "Correct the account number.", "", noOption)
	codeAccountIsIFSC  = explain("account_is_ifsc", asWarning, ofRow, "The account number looks like an IFSC",
		"Account number and IFSC may be swapped, or the IFSC was copied twice.", "Compare it with the payee's cheque or passbook.", "HDFC0000123 as the account number", noOption)
	codeAccountLetters = explain("account_letter_for_digit", asWarning, ofRow, "The account number has the letter O or I among its digits",
		"It is nearly always a zero or a one that was typed as a letter.", "Compare it with the payee's cheque or passbook.", "50100I23456O", noOption)
	codeAccountConfirm = explain("account_confirm_differs", asError, ofRow, "The account number and its confirmation differ", "It is asked for twice so that a slip shows: one of the two is wrong.",
		"Compare both with the payee's cheque or passbook, and correct the wrong one.", "...5678 and, under Confirm Account No, ...5687", noOption)
	codeBankNameDiffers = explain("bank_name_differs", asWarning, ofRow, "The bank and the IFSC do not belong together", "The first four letters of an IFSC are the bank's. One of the two may be of another payee.",
		"Compare both with the payee's cheque or passbook.", "State Bank of India and HDFC0001234", noOption)
	codeAccountZeros = explain("account_digits_lost", asWarning, ofRow, "The account number may have lost its last digits",
		"A spreadsheet program that takes an account number for a number keeps 15 digits and writes zeros for the others. The digits do not come back.",
		"Copy the account number again from its source, into a column that is formatted as Text before.", "50100012345678900", noOption)

	// ifsc
	codeIFSCMissing   = explain("ifsc_missing", asError, ofRow, "No IFSC", "The payee's branch is not known without it.", "Fill in the IFSC.", "", noOption)
	codeIFSCMalformed = explain("ifsc_malformed", asError, ofRow, "Not a valid IFSC", "An IFSC has four capital letters, the digit zero, and six capitals or digits.",
		"Correct it from the payee's cheque or passbook.", "HDFCO000123", noOption)

	// open_beneficiary_id
	codeBeneficiaryMissing = explain("open_beneficiary_id_missing", asError, ofRow, "No open_beneficiary_id",
		"A RIB account of partner bank 12 pays registered beneficiaries only (interface: Initiate transfer).",
		"Register the payee with `payrun beneficiaries add`, or find the id with `payrun beneficiaries list`.", "", noOption)
	codeBeneficiaryMalformed = explain("open_beneficiary_id_malformed", asError, ofRow, "Not a valid open_beneficiary_id", "The service's ids are UUIDs.", "Find the id with `payrun beneficiaries list`.", "BENE-17", noOption)
	codeBeneficiaryUnused    = explain("open_beneficiary_id_unused", asWarning, ofRow, "open_beneficiary_id is not used",
		"Only a RIB account of partner bank 12 pays by it; this row is paid to its account number and IFSC.", "Nothing, when account number and IFSC are right.", "", noOption)

	// Compared with what the bank listed at the last poll.
	codeBeneficiaryFilled = explain("open_beneficiary_id_filled", asInfo, ofRow, "open_beneficiary_id was found by account and IFSC",
		"The row has no id, and exactly one active beneficiary of the debit account has its account and IFSC.", "Nothing, when that is who is meant.", "", noOption)
	codeBeneficiaryInactive = explain("beneficiary_not_active", asError, ofRow, "The beneficiary is not active",
		"The bank pays active beneficiaries only; a new one is active some time after its OTP was entered.",
		"Enter the OTP of the beneficiary at the bank where that is still to be done, then look again with `payrun beneficiaries list`.", "request_initiated", noOption)
	codeBeneficiaryDiffers = explain("beneficiary_differs", asError, ofRow, "The beneficiary has another account at the bank",
		"A RIB account pays by the id alone: the money goes to the account that the bank has, and not to the one in the row.",
		"Correct the id or the account; `payrun beneficiaries list` shows what the bank has.", "", noOption)
	codeBeneficiaryNamed = explain("beneficiary_named_otherwise", asWarning, ofRow, "The beneficiary has another name at the bank",
		"The id may belong to another payee.", "Make sure that the id is the payee's; `payrun beneficiaries list` shows what the bank has.", "", noOption)
	codeBeneficiaryUnlisted = explain("beneficiary_not_listed", asWarning, ofRow, "The bank did not list the beneficiary",
		"It may be new, of another debit account, or a slip; the bank refuses what it does not know.", "Look again with `payrun beneficiaries list`.", "", noOption)
	codeDebitAccountUnusable = explain("debit_account_unusable", asWarning, ofRow, "Nothing can be initiated from the debit account",
		"When the bank was last asked it did not list the account as active under its partner bank. Before an initiate it is asked again, and where nothing has changed nothing is sent.",
		"Have the account linked again at the bank, or correct payrun.toml; then look again with `payrun accounts list`.", "token_expired", noOption)

	// bank_account_id, transaction_type_id
	codeDebitAccountUnknown = explain("debit_account_unknown", asError, ofRow, "Unknown debit account", "Only accounts of payrun.toml are debited.", "Write the name of an account of payrun.toml, or its bank_account_id.", "", noOption)
	codeDebitAccountMissing = explain("debit_account_missing", asError, ofRow, "No debit account", "Neither the row nor the configuration says which account pays.", "Set default = true for one account in payrun.toml, or say which account pays.", "", ledger.Option{Name: ledger.OptionAccount})
	codeModeNotByBank       = explain("transaction_type_not_by_bank", asError, ofRow, "The row is not paid through a bank", "Cash or Cheque does not mean a payout to the account in the row.",
		"Take the row out of the sheet, or write the transaction type by which the bank is to send it, such as NEFT.", "Cash, Cheque, DD", noOption)
	codeModeGeneral = explain("transaction_type_general", asWarning, ofRow, "The transaction type is a word that fits any", "It is sent to the bank as it is, and a bank knows its own types only.",
		"Write the type that your bank named, such as NEFT; or empty the cell to use transaction_type_id of payrun.toml.", "Bank Transfer, Online", noOption)
	codeTransactionTypeMissing = explain("transaction_type_missing", asError, ofRow, "No transaction type", "The bank needs a transaction type (interface: transaction_type_id).", "Set transaction_type_id in payrun.toml, or add the column.", "", noOption)

	// priority
	codePriorityUnclear = explain("priority_unclear", asWarning, ofRow, "The priority is not clear", "It decides only which batch goes first, so the row is paid all the same, behind all that have one.",
		"Write a whole number from 1, which goes first, to 9999; or urgent, high, medium or low in all of the column.", "ASAP, 0, or high in a column of numbers", noOption)

	// bene_lei
	codeExecutionDateAhead = explain("execution_date_ahead", asError, ofRow, "The payout is for a later day",
		"payrun pays when you submit, and cannot tell the bank to wait until a day.", "Load the sheet on that day, or make it with today as its date of payment.", "a pain.001 of Friday for Monday, or a Payment Date of next week", noOption)
	codeExecutionDatePast = explain("execution_date_past", asWarning, ofRow, "The payouts were meant for a day that is past",
		"The file may have been sent to the bank on that day, and its payouts be made already.", "Make sure that it was not, for example by the bank statement of that day.", "a pain.001 of last month, found in a folder", noOption)
	codeLEIMalformed = explain("lei_malformed", asError, ofRow, "Not a valid LEI", "A Legal Entity Identifier has 18 capitals or digits and two check digits.", "Look the payee up at search.gleif.org.", "an LEI of 19 characters", noOption)
	codeLEIMissing   = explain("lei_missing", asError, ofRow, "The LEI is missing",
		"From 500,000,000.00 on, partner bank 1 needs the payee's LEI, and a payout is never split (interface: Submit transfer).", "Fill in bene_lei.", "", noOption)
	codeLEIAdvised = explain("lei_advised", asWarning, ofRow, "So large a payout usually needs an LEI",
		"For payments of 50 crore and more the payee's Legal Entity Identifier is asked for in India. The interface asks for it at partner bank 1 only; the bank may refuse the payout all the same.",
		"Fill in bene_lei where the payee has one.", "50,00,00,000.00 without bene_lei", noOption)

	// Compared with a branch list and with earlier payouts.
	codeIFSCUnknownBranch = explain("ifsc_unknown_branch", asWarning, ofRow, "The branch is not in the branch list",
		"The IFSC has the right form, and no branch of the imported list has it: it may be mistyped, closed, or newer than the list. Without a list only the form is checked.",
		"Check the IFSC against the payee's cheque or passbook. When many branches are unknown, the list is too old: import a newer one with `payrun ifsc import`.", "HDFC0999999", noOption)
	codePayeePaid = explain("payee_paid_recently", asWarning, ofRow, "The same payee was paid the same amount recently",
		"It may be the same payout under another reference. Compared are account, IFSC and amount with the payouts of the sheets loaded in the last 7 days, whatever became of them.",
		"Compare the two. Delete the row when it is the same payout; when that one failed, send it again with `payrun retry` instead, corrected where it was wrong.", "INV-17 again as NOV-17", noOption)
	codeLikeLocked = explain("same_as_locked_payout", asWarning, ofRow, "The same account and amount as a locked payout",
		"An earlier payout to this account, of this amount, may have been paid; that is not known yet. If the row is that payout under another reference, it is paid twice.",
		"Ask `payrun status REF` about the other payout. If the row is the same payout, delete it. If it is another one, load it: its batch is sent after another person approved it with `payrun approve`.", "INV-17 again as NOV-17, while the bank contradicts itself about INV-17", noOption)
	codePayeeOtherName = explain("payee_other_name", asWarning, ofRow, "One account under several names", "An account belongs to one payee. Under two names, one of the two may stand in the wrong row.",
		"Compare account number and name with the payee's cheque or passbook. Where both names are the payee's, nothing needs to be done.", "Asha Traders and Bhima Steels, both paid to one account", noOption)
	codePayeeTwice = explain("payee_listed_twice", asWarning, ofRow, "The same account gets the same amount twice in this sheet",
		"Two rows with different references may be one payout that was entered twice: nothing else would notice.",
		"Compare the two rows, and delete one of them when they are the same payout.", "INV-17 and NOV-17, both 5,000.00 to one account", noOption)
	codePayeeNewAccount = explain("payee_new_account", asWarning, ofRow, "A payee known by name has a new account",
		"Changing the account of a known payee is how payments are stolen: by a letter that looks like the payee's. Names are compared without regard to case, width and spaces; a name with more than 20 accounts is not warned about.",
		"Ask the payee on a telephone number known from before, not on one from the message that brought the new account.", "Asha Traders, always paid at one bank, now at another", noOption)
	codeAmountUnusual = explain("amount_unusual", asWarning, ofRow, "The amount is far above what this payee is usually paid",
		"The amount is at least 10 times the median of the earlier payouts to this account. A point may be missing, or two zeros too many. Counted are the 100 latest that did not fail, come back or end cancelled; below 5 of them nothing is said.",
		"Compare the amount with the invoice.", "5,00,000.00 to a payee who gets 5,000.00 a month", noOption)
)
