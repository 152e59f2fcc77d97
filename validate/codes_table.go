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

	fixAsText       = `Turn the column into text: select it, Data > Text to Columns > Next > Next > Text > Finish. If a cell then shows the wrong value, type it again.`
	fixReferences   = `Turn the column into text: select it, Data > Text to Columns > Next > Next > Text > Finish. If a cell then shows the wrong value, make the references in a new column, such as ="NOV26-"&TEXT(ROW(),"0000"), filled down and pasted as values.`
	fixAmountFormat = `Format the column as Number with two decimals, check the amounts, and correct the wrong ones.`
	fixOfText       = `Format the column as Text (Home > Number format > Text), check its cells, and type the wrong ones again.`
	fixRetype       = `Type the value again on the keyboard instead of pasting it.`
)

var noOption ledger.Option

// readWithoutKept is the option to read the columns without the kept mapping.
var readWithoutKept = ledger.Option{Name: ledger.OptionKeepColumns, Value: "false"}

func explain(code string, severity ledger.Severity, refuses ingest.Scope, title, why, fix, example string, o ledger.Option) string {
	return ingest.NewCode(ingest.Explanation{Code: code, Severity: severity, Scope: refuses, Title: title, Why: why, Fix: fix, Example: example, Option: o})
}

// The codes of this package's findings. They are stable: people grep for them, and `payrun explain` takes them.
// ingest has the codes of faults that make a file unreadable, and the table of all.
var (
	// The sheet as a whole.
	codeHeaderMissing = explain("header_missing", asError, ofFile, "No header",
		"Without column names, payrun cannot tell which cell is the amount.",
		"Put the column names into one of the first 20 rows; `payrun template` writes an example. In a CSV the columns are separated by a comma, a semicolon, a tab or |.", "a sheet that begins with its first payout", noOption)
	codePayoutsAbove = explain("payouts_above_header", asError, ofFile, "A payout is above the header",
		"payrun reads the payouts below one header. Those above it would not be paid, and those of another table would be read wrongly.",
		"Move the header above the first payout. Put each table into its own sheet.", "a sheet that was sorted together with its header", noOption)
	codeColumnMissing = explain("column_missing", asError, ofFile, "A required column is missing",
		"A payout needs a reference, an amount, and the payee: name, account number and IFSC, or open_beneficiary_id for a RIB account.",
		"Add the column, or say which header it has.", "a sheet without a column ifsc", ledger.Option{Name: ledger.OptionMap, Value: "amount=Net Pay"})
	codeColumnRepeated = explain("column_repeated", asError, ofFile, "Two columns have the same name",
		"payrun cannot tell which one to read. The wrong one would pay the wrong amount or account.",
		"Rename or delete one of them, or say which one to read.", "Amount and Net Pay in one sheet", ledger.Option{Name: ledger.OptionMap, Value: "amount=Net Pay"})
	codeHeaderLookAlike = explain("header_look_alike", asError, ofFile, "A header is not spelt the way it looks",
		"A zero-width character or a letter of another script makes a different header that looks the same.",
		"Type the header again on the keyboard.", "a Cyrillic а in аmount", noOption)
	codeColumnSimilar = explain("column_similar", asWarning, ofFile, "An unread column is spelt almost like one that is read",
		"With a misspelt bank_account_id, payrun would pay from the default account.",
		"Correct the column's name. Leave it if the column is something else.", "bank_acount_id", noOption)
	codeColumnNameStale = explain("column_name_stale", asError, ofFile, "The name of a column is a formula whose saved value is out of date",
		"The workbook is calculated again when it is opened, so a person may see another name.", "Type the name of the column in place of the formula.", "", noOption)
	codeColumnHidden = explain("column_hidden", asWarning, ofFile, "A column that is read is hidden",
		"You cannot see it in the sheet, and another column may look like the one that is paid.", "Unhide it and check its values: select the columns next to it, right-click, Unhide.", "Amount in a hidden column E", noOption)
	codeConditionalFormat = explain("conditional_format", asError, ofFile, "A conditional format may strike out or hide what is read",
		"A spreadsheet program strikes out, hides or reshapes cells by the rule of the format. payrun does not evaluate rules, so it would pay a payout that the sheet shows as cancelled.",
		"Delete the rows that the sheet shows struck out or empty, if they must not be paid. Then delete the rule: Home > Conditional Formatting > Manage Rules > This Worksheet. A rule that only colours may stay.", "struck out where column H says Cancelled", noOption)
	codeConditionalText = explain("conditional_format_text", asWarning, ofFile, "A conditional format may change what a name, a remark or an unread column shows",
		"payrun sends the whole name or remark, even if the format hides a part of it, and does not see the word that a format shows, such as Hold.",
		"Delete each row that the format marks as not to be paid.", "a rule over the column of names", noOption)
	codeAmountUnitUnclear = explain("amount_unit_unclear", asError, ofFile, "Rupees or paise",
		"This template exists with amounts in rupees and in paise. Read wrongly, it pays a hundred times too much.",
		"Make sure that the amounts are rupees. Then name the column amount, or say that it is the amount.", "Payout Amount and Fund Account Id", ledger.Option{Name: ledger.OptionMap, Value: "amount=Payout Amount"})
	codeAmountOtherUnit = explain("amount_other_unit", asError, ofFile, "The amount is not in rupees",
		"Every payout is in rupees. The header names another currency or unit, such as lakhs, thousands or paise: 1.50 below Amount (in Lakhs) is 1,50,000.00.",
		"Add a column Amount (INR) with the amounts in rupees, such as =E2*100000 for lakhs, filled down and pasted as values. If the amounts are already rupees, name the column Amount (INR).", "Amount ($), Amount (in Lakhs)", noOption)
	codeAmountPaiseApart = explain("amount_paise_apart", asError, ofFile, "Paise in a column of their own",
		"A payout has one amount. payrun would lose the paise.",
		"Add both in one column, such as =E2+F2/100 filled down and pasted as values, name it Amount (INR), and delete the two.", "Rs. and Ps.", noOption)
	codeAmountGrossOrNet = explain("amount_gross_or_net", asError, ofFile, "Gross or net",
		"Another column says net, payable, TDS, deduction or less, so Amount may be the amount before deductions. Paying it would pay too much.",
		"Say which column to pay, by its header.", "Amount, TDS and Net", ledger.Option{Name: ledger.OptionMap, Value: "amount=Net"})
	codeAmountColumnUnclear = explain("amount_column_unclear", asError, ofFile, "Two columns of amounts",
		"Another column also holds amounts, and some of them differ: approved, revised, balance, less an advance. It may be the amount to pay. Columns on the left that add up to the amount do not count, nor do rate and quantity.",
		"Say which of them to pay, by its header, even if it is the one that payrun reads.", "Amount, and Approved with less in three rows", ledger.Option{Name: ledger.OptionMap, Value: "amount=Approved"})
	codeAccountColumnUnclear = explain("account_column_unclear", asError, ofFile, "Two columns of accounts",
		"Another column also holds account numbers or IFSCs, and some of them differ. They may be new accounts, and payrun would pay the old ones.",
		"Put the accounts to pay into one column and delete the other, or say by its header which column to read.", "Account Number, and New Account Number with another one", ledger.Option{Name: ledger.OptionMap, Value: "bank_account_number=Account Number"})
	codeCreditsAmongPayouts = explain("credits_among_payouts", asError, ofFile, "Some rows are credits",
		"A column marks some rows as credits, credit notes, refunds, recoveries or reversals. A credit reduces what you pay, but payrun would pay it.",
		"Delete the rows that must not be paid. If all must be paid, delete the column.", "Dr in most rows and Cr in two", noOption)
	codeDebitAccountUnclear = explain("debit_account_unclear", asError, ofFile, "Which debit account pays",
		"A column names configured debit accounts in some rows and something else in others, two columns name them, or a title names another than the default.",
		"If the column is the debit account, say so and correct its other values. If not, delete it or use other words in it.", "a column Bank with HDFC Current in most rows and HDFC in one", ledger.Option{Name: ledger.OptionMap, Value: "bank_account_id=Bank"})
	codeDebitAccountByContents = explain("debit_account_by_contents", asInfo, ofRow, "A column was read as the debit account",
		"All of its values are names, ids or numbers of debit accounts in payrun.toml.", "Nothing, if the column names the account that pays each row.", "a column Bank with HDFC Current and ICICI Payroll", noOption)
	codeProfilesDiffer = explain("column_profiles_differ", asError, ofFile, "Two profiles of payrun.toml read the sheet differently",
		"The sheet has all columns of two profiles under [columns], and payrun does not guess which one applies.",
		"Say which header to read, or let each profile name a column that only its own sheets have.", "amount = \"Net Pay\" in one and amount = \"Take Home\" in the other", ledger.Option{Name: ledger.OptionMap, Value: "amount=Net Pay"})
	codeKeptDiffers = explain("column_kept_differs", asError, ofFile, "The saved columns and a profile read the sheet differently",
		"Columns were saved for this header, and a profile under [columns] in payrun.toml differs for one of them. payrun does not guess which one applies.",
		"Say by its header which column to read, or read the sheet without the saved columns.", "amount = \"Net Pay\" saved for the header, and amount = \"Take Home\" in a profile", readWithoutKept)
	codeKeptNearly = explain("column_kept_for_another_header", asError, ofFile, "Columns were saved for almost this header",
		"Saved columns apply to exactly one header. This header has the same columns, but one more, one less or another order, so payrun would read the sheet differently from the earlier ones.",
		"Say by its header which column to read, or read the sheet without the saved columns.", "a new column Loan in a register for which amount = \"Take Away\" was saved", readWithoutKept)
	codeNoRows = explain("no_rows", asError, ofFile, "Nothing to pay",
		"There are no payouts below the header.", "Check whether you saved the right sheet.", "a template that was not filled in", noOption)
	codeSheetLoaded = explain("sheet_already_loaded", asError, ofFile, "The sheet was loaded before",
		"The same content is never paid twice, whatever its name.",
		"Nothing to do: `payrun status` shows the first load. To send failed payouts again, use `payrun retry SHEET`, and correct them first if needed.", "nov.csv, loaded again as nov-final.csv", noOption)
	codeSheetOtherPrefix = explain("sheet_loaded_under_another_prefix", asWarning, ofFile, "The same content was loaded with other references",
		"Only the prefix of the references differs. For a register that you pay every month that is right. For any other sheet it is a second payment.",
		"Make sure that this is the next payment, not the same one.", "a salary register loaded with NOV26- and again with NOV-26-", noOption)
	codeSheetChanged = explain("sheet_changed", asError, ofFile, "Not the sheet that was checked",
		"The sheet's SHA-256 is not the expected one: the file changed, or it is another file. Even if the number and the total are the same, an account may differ.",
		"Find out what changed and check the sheet again. Use the new SHA-256 only if the change is intended.", "one account number edited between payrun check and payrun load", noOption)
	codeCountDiffers = explain("count_differs", asError, ofFile, "Not the expected number of payouts",
		"The sheet has another number of payouts than expected: rows may be missing or duplicated.", "Compare the sheet with the source of the number.", "1204 expected, and 1203 rows", noOption)
	codeTotalDiffers = explain("total_differs", asError, ofFile, "Not the expected total",
		"The sheet has another total than expected.", "Compare the sheet with the source of the total.", "1840150.50 expected, and one amount changed", noOption)
	codeControlTotalDiffers = explain("control_total_differs", asError, ofFile, "The total row does not agree",
		"The total row, or a total above the table, differs from the sum of the rows, bad rows included.",
		"Correct the amounts or the total. A typed total may be out of date; a formula may leave out rows.", "Total 5,000.00 below rows of 4,000.00", noOption)
	codeControlTotalUnreadable = explain("control_total_unreadable", asError, ofFile, "The total row has no amount",
		"payrun compares the total row with the rows, and cannot without an amount.",
		"Put the total into the amount column, or delete the row.", "Total, with the sum in another column", noOption)

	codeTabUnread = explain("tab_unread", asInfo, ofFile, "A tab that is not read",
		"payrun reads the payouts of one tab. It does not pay what is in another.", "Nothing, if the other tabs hold no payouts. Otherwise load them too.", "Notes and Payouts", noOption)

	// A row.
	codeFindingsCapped = explain("findings_capped", asInfo, ofRow, "More findings than are listed",
		"So many findings usually have one cause, such as a column in the wrong place.", "Correct the first findings and check again.", "", noOption)
	codeTotalOutOfRange = explain("total_out_of_range", asError, ofRow, "The sum is out of range",
		"Up to this row, the amounts add up to more than payrun can count exactly.", "Correct the amount.", "", noOption)
	codeRowTooManyCells = explain("row_too_many_cells", asError, ofRow, "The row has more cells than the header",
		"A separator inside a value moves all cells after it into the wrong column.",
		`Put a value with the separator into quotes, such as "1,00,000.00", or write it without.`, "an unquoted 1,00,000.00", noOption)
	codeRowsInCell = explain("row_holds_other_rows", asError, ofRow, "A cell holds other rows",
		"A quote begins a cell that may go on over many lines. A quote too many draws the rows below it into one cell, and their payouts would not be paid.",
		"Open the file in a text editor, and remove the quote at the beginning of the cell. If the text belongs there, write it in one line.", "a name that begins with a quote, and a later row that ends in one", noOption)
	codeRowTooFewCells = explain("row_too_few_cells", asError, ofRow, "The row has fewer cells than the header",
		"A separator is missing, so cells may be in the wrong column.", "Compare the row with the header, cell by cell.", "", noOption)
	codeCutOff = explain("file_cut_off", asError, ofFile, "The file ends in the middle of a row",
		"The rest of the row is missing, and perhaps more rows.", "Get the file again. If it is complete, end its last line with a line break.", "", noOption)
	codeEndUnclear = explain("file_end_unclear", asWarning, ofRow, "The last cell of the file may be cut off",
		"A file that was cut off can end in a smaller amount or in another account.", "Compare the last row, the number of payouts and the total with the original. If they agree, end the last line with a line break.", "", noOption)
	codeRowWithoutPayout = explain("row_without_payout", asError, ofRow, "The row is not a payout",
		"A subtotal, a heading, a signature, the amount in words or a repeated header is not a payout. Do not fill it in.",
		"Delete the row. A total of the whole sheet may stay below the payouts if it says Total.", "Sub Total, Prepared by, Rupees five thousand only", noOption)

	codeRowExample = explain("row_example", asError, ofRow, "The example row of the template",
		"It shows what a payout looks like and names no payee.", "Delete the row, or give it a reference of its own and fill in all its cells.", "EXAMPLE", noOption)
	codeRowStruckOut = explain("row_struck_out", asError, ofRow, "The row is struck out",
		"A struck-out row is usually cancelled, but payrun would pay it.", "Delete the row if it is cancelled. If not, remove the line: Ctrl+5 on the selected row, or a diagonal border.", "a line through a cancelled payout", noOption)

	// A cell of any column.
	codeRowSaysOtherwise = explain("row_says_otherwise", asWarning, ofRow, "The row says that it must not be paid, or already was",
		"payrun does not act on a status, a hold, a UTR or a remark: it would pay the row.", "Delete the row if it must not be paid. If it must, clear what it says.", "Status: Hold, or a UTR in the payout's row", noOption)
	codeCellFormula = explain("cell_formula", asWarning, ofRow, "A formula", "payrun reads the value saved when the sheet was last calculated.",
		"If another program changed the sheet, copy the column and paste it as values.", "=B2*C2", noOption)
	codeCellFormulaEmpty = explain("cell_formula_without_value", asError, ofRow, "A formula without a saved value",
		"The program that wrote the sheet did not calculate the formula.", "Open the sheet in the spreadsheet program, let it calculate, and save it.", "", noOption)
	codeCellStale = explain("cell_formula_stale", asError, ofRow, "A formula whose saved value is out of date",
		"The workbook is recalculated when it is opened, so you may see another value than the saved one that payrun reads.",
		"Open the sheet in the spreadsheet program, check the values, and save it.", "a workbook written by a program, with =B2*C2 as the amount", noOption)
	codeCellError     = explain("cell_error", asError, ofRow, "The cell shows an error", "The cell has no value.", "Correct the formula, or type the value.", "#N/A", noOption)
	codeCellBoolean   = explain("cell_boolean", asError, ofRow, "A logical value", "TRUE or FALSE is neither text nor a number.", fixAsText, "TRUE", noOption)
	codeCellDate      = explain("cell_date", asError, ofRow, "A date", "The spreadsheet program took the value for a date, and lost what was typed.", fixAsText, "1/12 as a reference became 1-Dec", noOption)
	codeCellFormatted = explain("cell_shows_something_else", asError, ofRow, "The cell does not show what it holds",
		"The cell's format shows another text than the cell holds, and payrun would send what it holds.", fixAsText, "INV-7 shown, 7 stored", noOption)
	codeCellUnseen = explain("cell_unseen", asError, ofRow, "Invisible letters",
		"They have almost the colour of the background, are smaller than 4 points, or are hidden by their number format. payrun would read them too: 4800 and a white 0 is 48000.",
		"Select the cell, clear its format (Home > Clear > Clear Formats), and delete what does not belong there. Or delete the row.", "4800 with a white 0 behind it", noOption)
	codeCellNumber = explain("cell_number_inexact", asError, ofRow, "A number that is not exact",
		"A spreadsheet program keeps 15 digits of a number, so digits may be lost.", fixAsText, "12345678901234567", noOption)
	codeCellStruckOut = explain("cell_struck_out", asError, ofRow, "The cell, or a part of it, is struck out",
		"payrun would read what is struck out too: 1000 struck out before 500 is 1000500.", "Delete what is struck out, and type the rest again.", "1000 struck out, 500 next to it", noOption)
	codeCellRaised = explain("cell_raised_or_lowered", asError, ofRow, "A part of the cell is raised or lowered",
		"payrun would read a footnote, or paise written small, as ordinary digits: 12500 and a small 50 is 1250050.", "Type the value again without what is raised or lowered. Write paise after a point.", "an account number with a footnote", noOption)

	// merchant_txn_ref_id
	codeReferenceRounded = explain("reference_scientific", asError, ofRow, "The reference became a rounded number",
		"The spreadsheet program took it for a number and wrote it with an exponent. The missing digits are lost for good.",
		"Format an empty column as Text, and copy the references into it from their source. Reformatting this column does not bring the digits back.", "6.32513E+11", noOption)
	codeReferenceMissing = explain("reference_missing", asError, ofRow, "No reference", "The bank and payrun know a payout by its reference.", "Give the row a reference that was never used.", "", noOption)
	codeReferenceTooLong = explain("reference_too_long", asError, ofRow, "The reference is too long", "At most 60 characters are allowed.", "Shorten it.", "", noOption)
	codeReferenceLong    = explain("reference_long", asWarning, ofRow, "The reference leaves no room for a second try",
		"A payout that fails and is sent again may need three more characters in its reference, and 60 is the limit.", "Shorten it to 57 characters where you can.", "a reference of 58 characters", noOption)
	codeReferenceCharacters = explain("reference_characters", asError, ofRow, "The reference has an invisible character",
		"References that look the same must be the same.", fixRetype, "INV-1 with a zero-width space", noOption)
	codeReferenceStart = explain("reference_starts_formula", asError, ofRow, "The reference starts like a formula",
		"When the reference comes back in a report, a spreadsheet program would calculate what starts with = + - or @.", "Start it with a letter or a digit.", "=1+1", noOption)
	codeReferenceRepeated = explain("reference_repeated", asError, ofRow, "The reference is listed twice in the sheet",
		"References that differ only in the case, width or composition of letters are the same. Every row with it is refused.",
		"Delete the duplicate row, or give each payout its own reference.", "INV-17 and inv-17", noOption)
	codeReferenceUsed = explain("reference_used_before", asError, ofRow, "The reference was used before",
		"A reference is never used again: this is how payrun prevents a double payment.",
		"If the row is another payment, such as that of another month, give it a reference of its own. If it is the same payment and was paid, delete the row. If it certainly was not paid and the row corrects it, keep only such rows and load them as corrections.", "", ledger.Option{Name: ledger.OptionCorrect})
	codeReferenceOfPerson = explain("reference_of_person", asInfo, ofRow, "The reference is the code of a person",
		"An employee's code is the same every month, but a reference can be used only once. Next month's sheet would be refused.",
		"Put the month before every reference.", "Emp Code read as the reference", ledger.Option{Name: ledger.OptionRefPrefix, Value: "NOV26-"})
	codeCorrectUnknown = explain("correct_unknown_reference", asError, ofRow, "No payout to correct",
		"Each row of a sheet of corrections corrects a payout that was loaded before, by its reference. A new payout could pay the same debt twice.",
		"Write the reference as it was loaded: `payrun payouts` lists them. Put a new payout into another sheet, and load that one without corrections.", "", noOption)
	codeCorrectMayBePaid = explain("correct_may_be_paid", asError, ofRow, "The payout may have been paid",
		"You can correct only a payout that certainly was not paid: it failed, was returned or was cancelled, and its batch is not in doubt.",
		"Delete the row, and wait until `payrun payouts` shows the outcome.", "", noOption)
	codeCorrectNothing = explain("correct_changes_nothing", asInfo, ofRow, "The row corrects nothing",
		"It is the same as the last attempt, so it is a retry.", "Correct the row if anything in it is wrong.", "", noOption)
	codeCorrectOther = explain("correct_other_reference", asError, ofRow, "The reference is another payout's",
		"The row's origin and its reference name different payouts.",
		"Write the row's original reference: `payrun payouts` lists them.", "", noOption)
	codeOriginMalformed = explain("origin_malformed", asError, ofRow, "The row's origin cannot be read",
		"The last two columns name the sheet and row that this row came from. Without them, payrun cannot see whether a row is there twice.",
		"Copy both cells from the sheet that payrun wrote. In a row of your own, leave both empty.", "row 12 of nothing", noOption)
	codeOriginUnknown = explain("origin_unknown_sheet", asError, ofFile, "Rows of a sheet that is not in this ledger",
		"The ledger that wrote the sheet may have loaded or paid these rows since.",
		"Load it into the ledger that wrote it. If that ledger paid none of the rows, empty the last two columns.", "a rejected sheet of another computer", noOption)
	codeOriginOther = explain("origin_other_sheet", asError, ofRow, "Rows of several sheets",
		"payrun reads each row like its original sheet (columns, prefix of the references), and can read a sheet in only one way.",
		"Sort the rows by payrun_sheet. Save the rows of each original sheet as a separate sheet with the same header. Load them one by one, with the same flags.", "rejected rows of two sheets, pasted together", noOption)
	codeOriginRepeated = explain("origin_repeated", asError, ofRow, "Two rows came from one",
		"One payout would be paid twice.", "Delete the duplicate row. If it is another payout, empty its payrun_sheet and payrun_row.", "a row that was copied down", noOption)
	codeOriginLoaded = explain("origin_loaded_before", asError, ofRow, "The row was loaded before",
		"The row was left out of its sheet and was loaded with a later one, perhaps under another reference. Loading it again would pay it twice.",
		"Delete the row: `payrun payouts` shows the state of the payout.", "a row of payroll.rejected.csv, corrected and loaded twice", noOption)

	// amount
	codeAmountMissing  = explain("amount_missing", asError, ofRow, "No amount", "An empty cell is not a zero.", "Fill in the amount, or delete the row.", "", noOption)
	codeAmountZero     = explain("amount_zero", asError, ofRow, "The amount is zero", "Nothing would be paid.", "Fill in the amount, or delete the row.", "0.00", noOption)
	codeAmountNegative = explain("amount_negative", asError, ofRow, "The amount is negative", "A payout cannot be negative. Brackets and a trailing minus also mean negative.", "Delete the row, or correct the amount.", "(500)", noOption)
	codeAmountGrouping = explain("amount_grouping", asError, ofRow, "The commas are in the wrong place",
		"The amount has two possible meanings, or a digit is missing.", "Write 1,00,000.00, 100,000.00 or 100000.00, with a point before the paise.", "1,50", noOption)
	codeAmountDecimals = explain("amount_decimals", asError, ofRow, "More than two decimals", "The smallest amount is one paisa, and payrun does not round.",
		"If the point separates thousands, write the amount without it. Otherwise round it with ROUND(…, 2), then paste as values.", "100.505", noOption)
	codeAmountComma      = explain("amount_decimal_comma", asError, ofRow, "A comma before the decimals", "In Indian notation this is a different amount.", "Write the amount with a point before the paise: 1234.56.", "1.234,56", noOption)
	codeAmountExponent   = explain("amount_exponent", asError, ofRow, "An amount with an exponent", "The spreadsheet program rounded the number when it saved it.", "Format the column as Number with two decimals and save again.", "1e3", noOption)
	codeAmountDigits     = explain("amount_digits", asError, ofRow, "Digits of another script", "payrun reads only the digits 0 to 9, to avoid mistakes.", "Write the amount with the digits 0 to 9.", "५००", noOption)
	codeAmountOutOfRange = explain("amount_out_of_range", asError, ofRow, "The amount is out of range", "No account holds that much. A reference or an account number may be in the amount column.", "Correct the amount.", "", noOption)
	codeAmountAboveMost  = explain("amount_above_most", asError, ofRow, "The amount is above the limit for one payout",
		"Such an amount is almost always a mistake: an account number or a reference in the amount column, or paise instead of rupees.",
		"Correct the amount. If it is right, raise payout_most under [limits] in payrun.toml first.", "123456789012.00", noOption)
	codeAmountUnreadable = explain("amount_unreadable", asError, ofRow, "Not a valid amount", "payrun would have to guess.", "Write digits, with a point before the paise: 1234.56.", "five hundred", noOption)
	codeAmountPrecision  = explain("amount_inexact", asError, ofRow, "A number that is not exact",
		"A calculation left digits beyond the paise, or more digits than a spreadsheet program keeps.",
		"Round the amount in the sheet: =ROUND(A1,2), then paste as values.", "0.30000000000000004", noOption)
	codeAmountCurrency = explain("amount_not_rupees", asError, ofRow, "The row is in another currency",
		"Every payout is in rupees. The row's currency must be INR, ₹, Rs or empty.", "Delete the row. If its amount is in rupees, write INR.", "USD below Currency", noOption)
	codeAmountRail = explain("amount_not_for_rail", asError, ofRow, "The amount does not fit the transaction type",
		"RTGS starts at 2,00,000.00 and IMPS ends at 5,00,000.00. The bank would return the payout. [rails] in payrun.toml says which transaction type is which.",
		"Give the row another transaction type, such as the one for NEFT.", "1,50,000.00 by RTGS", noOption)
	codeAmountCut = explain("amount_cut_at_comma", asError, ofRow, "The amount may have been cut at a comma",
		"The file separates its cells with commas. Without quotes, 12,500 becomes 12, with 500 in the next cell.",
		`Put the amount into quotes, such as "12,500", or write it without commas. If both cells are right, write the amount with decimals: 12.00.`, "12,500 under Amount and Narration", noOption)
	codeAmountBesideNumber = explain("amount_beside_short_number", asWarning, ofRow, "A small amount has a short number on its right",
		"The file separates its cells with commas. Without quotes, 12,500 becomes 12, with 500 in the next cell.",
		"Compare the row with its source. If the amount is right, write it with decimals: 12.00.", "540 under Amount and 112 under Bill No", noOption)
	codeAmountNotNet = explain("amount_not_net", asWarning, ofRow, "Gross less TDS is not net",
		"In this row, gross, TDS and net do not add up.", "Compare the three with the invoice, and correct the wrong one.", "1,000.00 less 100.00, and 950.00 net", noOption)

	// vendor_name, remarks and codes
	codeNameMissing = explain("vendor_name_missing", asError, ofRow, "No name", "The bank needs the payee's name (interface: vendor_name).", "Fill in the name.", "", noOption)
	codeNameNone    = explain("vendor_name_is_none", asWarning, ofRow, "The name is not a name",
		"The bank may compare the name with the account, and later it is not clear who was paid.", "Write the payee's name as the bank knows it.", "-do-, N/A, or a vendor's code", noOption)
	codeTextCharacters = explain("text_characters", asError, ofRow, "The text has an invisible character",
		"Control and direction characters can show one name and send another. ZWJ and ZWNJ are allowed where Indic and Arabic spelling needs them.", fixRetype, "a right-to-left override", noOption)
	codeTextLineBreak = explain("text_line_break", asInfo, ofRow, "A line break was read as a space", "The bank takes a name or remark as one line.", "Nothing to do.", "", noOption)
	codeTextGarbled   = explain("text_garbled", asWarning, ofRow, "The text looks garbled", "One program saved the text in one encoding and another read it in a different one: é becomes Ã©. The bank would get it like this.",
		"Export the sheet again as CSV UTF-8 or as an Excel workbook, and check its names.", "CafÃ©", noOption)
	codeTextMarked = explain("text_struck_or_raised", asWarning, ofRow, "A part of the text is struck out, raised or lowered",
		"payrun sends the whole text to the bank, including what is struck out.", "Delete what does not belong there.", "a name of which a part is struck out", noOption)
	codeIdentifierCharacters = explain("identifier_characters", asError, ofRow, "The code has characters that cannot be sent", "The interface takes letters, digits and punctuation in a code.", fixRetype, "", noOption)

	// bank_account_number
	codeAccountMissing    = explain("account_missing", asError, ofRow, "No account number", "The payee cannot be paid without it.", "Fill in the account number.", "", noOption)
	codeAccountMalformed  = explain("account_malformed", asError, ofRow, "Not a valid account number", "An account number has 5 to 34 letters and digits, and nothing else.", "Remove spaces, dashes and apostrophes. If you see none, type the number again on the keyboard.", "5020-0012-3456", noOption)
	codeAccountScientific = explain("account_scientific", asError, ofRow, "The account number became a rounded number",
		"The spreadsheet program took it for a number. The missing digits are lost for good.",
		"Format an empty column as Text (Home > Number format > Text), and copy the account numbers into it from their source. Reformatting this column does not bring the digits back.", "1.23457E+11", noOption)
	codeAccountDigits  = explain("account_digits", asError, ofRow, "Digits of another script", "payrun reads only the digits 0 to 9, to avoid mistakes.", "Write the account number with the digits 0 to 9.", "१२३४५६", noOption)
	codeAccountNumeric = explain("account_numeric_cell", asError, ofRow, "The account number is a number, not text",
		"A number has no leading zeros and at most 15 digits: 00123 becomes 123, and payrun would pay another account.",
		"If zeros or digits are lost, copy the account numbers from their source into a column formatted as Text. If all digits are there, turn the column into text: select it, Data > Text to Columns > Next > Next > Text > Finish. Or allow numbers of up to 15 digits.", "", ledger.Option{Name: ledger.OptionNumericAccounts})
	codeAccountNumericRead = explain("account_numeric_read", asWarning, ofRow, "A number was read as the account number",
		"You allowed numbers as account numbers. A leading zero would be lost.", "Format the column as Text.", "", noOption)
	codeAccountIsDebit = explain("account_is_debit_account", asError, ofRow, "The payee is the debit account", "An account cannot pay itself.", "Correct the account number.", "", noOption)
	codeAccountIsIFSC  = explain("account_is_ifsc", asWarning, ofRow, "The account number looks like an IFSC",
		"The account number and the IFSC may be swapped, or the IFSC was copied twice.", "Compare it with the payee's cheque or passbook.", "HDFC0000123 as the account number", noOption)
	codeAccountLetters = explain("account_letter_for_digit", asWarning, ofRow, "The account number has a letter O, I or X among its digits",
		"O and I are almost always a zero or a one that was typed as a letter. An X hides a digit that a program masked.", "Compare it with the payee's cheque or passbook.", "50100I23456O", noOption)
	codeAccountPlaceholder = explain("account_placeholder", asWarning, ofRow, "The account number is a placeholder",
		"People fill in such a number until they have the right one. It may be another payee's account.", "Write the account number from the payee's cheque or passbook.", "0000000000, NA12345", noOption)
	codeAccountConfirm = explain("account_confirm_differs", asError, ofRow, "The account number and its confirmation differ", "The sheet has it twice to catch mistakes, and one of the two is wrong.",
		"Compare both with the payee's cheque or passbook, and correct the wrong one.", "...5678 and, under Confirm Account No, ...5687", noOption)
	codeBankNameDiffers = explain("bank_name_differs", asWarning, ofRow, "The bank and the IFSC do not belong together", "The first four letters of an IFSC name the bank. One of the two may belong to another payee.",
		"Compare both with the payee's cheque or passbook.", "State Bank of India and HDFC0001234", noOption)
	codeAccountZeros = explain("account_digits_lost", asWarning, ofRow, "The account number may have lost its last digits",
		"A spreadsheet program that takes an account number for a number keeps 15 digits and replaces the others with zeros. The digits are lost.",
		"Format a column as Text, then copy the account number into it from its source.", "50100012345678900", noOption)

	// ifsc
	codeIFSCMissing   = explain("ifsc_missing", asError, ofRow, "No IFSC", "Without it, the payee's branch is not known.", "Fill in the IFSC.", "", noOption)
	codeIFSCMalformed = explain("ifsc_malformed", asError, ofRow, "Not a valid IFSC", "An IFSC has four capital letters, the digit zero, and six capitals or digits.",
		"Correct it from the payee's cheque or passbook.", "HDFCO000123", noOption)

	// open_beneficiary_id
	codeBeneficiaryMissing = explain("open_beneficiary_id_missing", asError, ofRow, "No open_beneficiary_id",
		"A RIB account of partner bank 12 pays only registered beneficiaries (interface: Initiate transfer).",
		"Find the id with `payrun beneficiaries list`, or register the payee with `payrun beneficiaries add`. Once listed, the account and IFSC of one active beneficiary are enough.", "", noOption)
	codeBeneficiaryMalformed = explain("open_beneficiary_id_malformed", asError, ofRow, "Not a valid open_beneficiary_id", "The interface's ids are UUIDs.", "Find the id with `payrun beneficiaries list`.", "BENE-17", noOption)
	codeBeneficiaryUnused    = explain("open_beneficiary_id_unused", asWarning, ofRow, "open_beneficiary_id is not used",
		"Only a RIB account of partner bank 12 uses it. This row is paid to its account number and IFSC.", "Nothing, if the account number and IFSC are right.", "", noOption)

	// Compared with what the bank listed at the last poll.
	codeBeneficiaryFilled = explain("open_beneficiary_id_filled", asInfo, ofRow, "open_beneficiary_id was found by account and IFSC",
		"The row has no id, and exactly one active beneficiary of the debit account has its account and IFSC.", "Nothing, if this is the right payee.", "", noOption)
	codeBeneficiaryInactive = explain("beneficiary_not_active", asError, ofRow, "The beneficiary is not active",
		"The bank pays only active beneficiaries. A new one becomes active some time after its OTP is entered.",
		"If the beneficiary's OTP was not entered at the bank yet, enter it. Then run `payrun beneficiaries list`.", "request_initiated", noOption)
	codeBeneficiaryDiffers = explain("beneficiary_differs", asError, ofRow, "The beneficiary has another account at the bank",
		"A RIB account pays by the id alone: the money goes to the account that the bank has, not to the one in the row.",
		"Correct the id or the account: `payrun beneficiaries list` shows what the bank has.", "", noOption)
	codeBeneficiaryNamed = explain("beneficiary_named_otherwise", asWarning, ofRow, "The beneficiary has another name at the bank",
		"The id may belong to another payee.", "Make sure that the id is the payee's: `payrun beneficiaries list` shows what the bank has.", "", noOption)
	codeBeneficiaryUnlisted = explain("beneficiary_not_listed", asWarning, ofRow, "The bank did not list the beneficiary",
		"It may be new, of another debit account, or wrong. The bank refuses a beneficiary that it does not know.", "Run `payrun beneficiaries list`.", "", noOption)
	codeDebitAccountUnusable = explain("debit_account_unusable", asWarning, ofRow, "The debit account cannot be used",
		"When payrun last asked, the bank did not list the account as active under its partner bank. payrun asks again before an initiate, and sends nothing if that has not changed.",
		"Link the account again at the bank, or correct payrun.toml. Then run `payrun accounts list`.", "token_expired", noOption)

	// bank_account_id, transaction_type_id
	codeDebitAccountUnknown = explain("debit_account_unknown", asError, ofRow, "Unknown debit account", "payrun debits only accounts in payrun.toml.", "Write the name or the bank_account_id of an account in payrun.toml.", "", noOption)
	codeDebitAccountMissing = explain("debit_account_missing", asError, ofRow, "No debit account", "Neither the row nor payrun.toml says which account pays.", "Set default = true for one account in payrun.toml, or say which account pays.", "", ledger.Option{Name: ledger.OptionAccount})
	codeModeNotByBank       = explain("transaction_type_not_by_bank", asError, ofRow, "The row is not paid through a bank", "Cash or Cheque is not a payout to the account in the row.",
		"Delete the row, or write the transaction type that the bank should use, such as NEFT.", "Cash, Cheque, DD", noOption)
	codeModeGeneral = explain("transaction_type_general", asWarning, ofRow, "The transaction type is too general", "payrun sends it to the bank as it is, and a bank knows only its own types.",
		"Write a type that your bank uses, such as NEFT, or empty the cell to use transaction_type_id of payrun.toml.", "Bank Transfer, Online", noOption)
	codeTransactionTypeMissing = explain("transaction_type_missing", asError, ofRow, "No transaction type", "The bank needs a transaction type (interface: transaction_type_id).", "Set transaction_type_id in payrun.toml, or add the column.", "", noOption)

	// priority
	codePriorityUnclear = explain("priority_unclear", asWarning, ofRow, "The priority is not clear", "It only decides which batch goes first, so the row is paid, after all rows with a priority.",
		"Write a whole number from 1 (first) to 9999, or use urgent, high, medium and low in the whole column.", "ASAP, 0, or high in a column of numbers", noOption)

	// bene_lei
	codeExecutionDateAhead = explain("execution_date_ahead", asError, ofRow, "The payout is for a later day",
		"payrun pays when you submit, and cannot ask the bank to wait.", "Load the sheet on that day, or set the date of payment to today.", "a pain.001 of Friday for Monday, or a Payment Date of next week", noOption)
	codeExecutionDateUnclear = explain("execution_date_unclear", asWarning, ofRow, "The day of payment cannot be read",
		"It may be a later day, and payrun cannot ask the bank to wait.", "Write the day with its month and year, or load the sheet on that day.", "5-Dec, as a spreadsheet program saves a day in a CSV", noOption)
	codeExecutionDatePast = explain("execution_date_past", asWarning, ofRow, "The payouts are for a past day",
		"Someone may have sent the file to the bank on that day, so its payouts may already be paid.", "Make sure that this did not happen, for example with the bank statement of that day.", "a pain.001 of last month, found in a folder", noOption)
	codeLEIMalformed = explain("lei_malformed", asError, ofRow, "Not a valid LEI", "A Legal Entity Identifier has 18 capitals or digits and two check digits.", "Look up the payee at search.gleif.org.", "an LEI of 19 characters", noOption)
	codeLEIMissing   = explain("lei_missing", asError, ofRow, "The LEI is missing",
		"From 500,000,000.00, partner bank 1 needs the payee's LEI, and payrun never splits a payout (interface: Submit transfer).", "Fill in bene_lei.", "", noOption)
	codeLEIAdvised = explain("lei_advised", asWarning, ofRow, "So large a payout usually needs an LEI",
		"In India, payments of 50 crore and more need the payee's Legal Entity Identifier. The interface asks for it only at partner bank 1, but another bank may refuse the payout without it.",
		"Fill in bene_lei if the payee has one.", "50,00,00,000.00 without bene_lei", noOption)

	// Compared with a branch list and with earlier payouts.
	codeIFSCUnknownBranch = explain("ifsc_unknown_branch", asWarning, ofRow, "The branch is not in the branch list",
		"No branch in the imported list has this IFSC: it may be mistyped, closed, or newer than the list.",
		"Check the IFSC with the payee's cheque or passbook. If many branches are unknown, the list is too old: import a newer one with `payrun ifsc import`.", "HDFC0999999", noOption)
	codePayeePaid = explain("payee_paid_recently", asWarning, ofRow, "The same payee was paid the same amount recently",
		"It may be the same payout under another reference. payrun compares account, IFSC and amount with every payout loaded in the last 7 days, and with every older one that the bank has not finished.",
		"Compare the two. If they are the same payout, delete the row. If that one failed, use `payrun retry SHEET` instead.", "INV-17 again as NOV-17", noOption)
	codeLikeLocked = explain("same_as_locked_payout", asWarning, ofRow, "The same account and amount as a locked payout",
		"It is not yet known whether an earlier payout of this amount to this account was paid. If the row is the same payout under another reference, it would be paid twice.",
		"`payrun status REF` shows the other payout. If the row is the same payout, delete it. If not, load it: another person has to approve its batch with `payrun approve`.", "INV-17 again as NOV-17, while the bank contradicts itself about INV-17", noOption)
	codePayeeOtherName = explain("payee_other_name", asWarning, ofRow, "One account under several names", "An account belongs to one payee. With two names, one of them may be in the wrong row.",
		"Compare the account number and the name with the payee's cheque or passbook. Nothing to do if both names are the payee's.", "Asha Traders and Bhima Steels, both paid to one account", noOption)
	codePayeeTwice = explain("payee_listed_twice", asWarning, ofRow, "The same account gets the same amount twice in this sheet",
		"Two rows with different references may be one payout that was entered twice.",
		"Compare the two rows, and delete one if they are the same payout.", "INV-17 and NOV-17, both 5,000.00 to one account", noOption)
	codePayeeNewAccount = explain("payee_new_account", asWarning, ofRow, "A payee known by name has a new account",
		"Fraudsters change the account of a known payee, with a letter that looks like the payee's. payrun compares names without case, width and spaces. It does not warn of an account to which an earlier payout to the name was paid or may still be, nor for a name with more than 20 accounts.",
		"Call the payee on a number that you already had, not on one from the message with the new account.", "Asha Traders, always paid at one bank, now at another", noOption)
	codeAmountUnusual = explain("amount_unusual", asWarning, ofRow, "The amount is far above this payee's usual amount",
		"The amount is at least 10 times the median of the earlier payouts to this account: a point may be missing, or two zeros too many. payrun takes the latest 100 that did not fail and were not returned or cancelled, and does not warn below 5.",
		"Compare the amount with the invoice.", "5,00,000.00 to a payee who gets 5,000.00 a month", noOption)
)
